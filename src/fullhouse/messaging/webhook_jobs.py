"""Sends what is due. A receiver that hangs holds up its own deliveries only."""

import asyncio
from collections import defaultdict
from typing import Any
from uuid import UUID

from fullhouse.kit.db import Database
from fullhouse.kit.outward import Outward
from fullhouse.kit.secrets import Keyring
from fullhouse.messaging import webhook_delivery_actions as deliveries
from fullhouse.messaging import webhook_store as store

AT_ONCE = 4  # to one webhook, from one worker
FORGET = store.FORGET


class Sender:
    def __init__(self, keyring: Keyring, outward: Outward) -> None:
        self._keyring, self._outward = keyring, outward
        self._turns: defaultdict[UUID, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))

    async def deliver(self, database: Database, organization_id: UUID, payload: Any) -> None:
        delivery_id, attempt = UUID(payload["delivery_id"]), payload["attempt"]
        async with self._turns[UUID(payload["webhook_id"])]:
            await deliveries.send(database, self._keyring, self._outward, organization_id, delivery_id, attempt)
