"""Sends deliveries. A receiver that hangs delays only its own deliveries, few of which wait in a worker's memory."""

import asyncio
from collections import Counter, defaultdict
from typing import Any
from uuid import UUID

from fullhouse.kit.db.database import Database
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.secrets import Keyring
from fullhouse.webhooks import deliveries, store

AT_ONCE = 4  # to one webhook, from one worker
# Deliveries of one webhook that are sent or wait in one worker. In a sale a receiver that hangs would otherwise collect
# all facts of the day here, and each of these jobs sends the database a heartbeat twice a minute.
WAITING_MAX = 1000
DELETE_OLD_DELIVERIES = store.DELETE_OLD_DELIVERIES


class Sender:
    def __init__(self, keyring: Keyring, outward: SafeHttpClient) -> None:
        self._keyring, self._outward = keyring, outward
        self._slots: defaultdict[UUID, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))
        self._waiting: Counter[UUID] = Counter()

    async def deliver(self, database: Database, organization_id: UUID, payload: Any) -> None:
        webhook_id = UUID(payload["webhook_id"])
        which = organization_id, UUID(payload["delivery_id"]), payload["attempt"]
        if self._waiting[webhook_id] >= WAITING_MAX and await deliveries.postpone(database, *which):
            return
        self._waiting[webhook_id] += 1
        try:
            async with self._slots[webhook_id]:
                await deliveries.send(database, self._keyring, self._outward, *which)
        finally:
            self._waiting[webhook_id] -= 1
