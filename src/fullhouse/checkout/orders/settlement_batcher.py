"""Settles concurrent payments for one event in batches, by the same few statements as one payment.

All sales of an event count in the same few pools: settled one by one, each would wait for the commits of all before it.
There is no timer; a single payment is a batch of one (kit/batching.py). A batch covers the usual case: the first
outcome of an attempt, the right amount, an event that takes place, seats that are still frozen for it. If one payment
of a batch differs, the batch is rolled back and each payment is settled alone (settle.py).
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple, cast
from uuid import UUID

import asyncpg

from fullhouse.checkout.model import Order
from fullhouse.checkout.orders.reads import to_response
from fullhouse.checkout.orders.sell import OrderPayment, apply_sale, sell
from fullhouse.kit.actors import Actor
from fullhouse.kit.batching import Batcher, Retry
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured, provider_account

CONCURRENT_BATCHES, BATCH_MAX = 4, 64
BATCHES_PER_EVENT = 1  # a second batch would wait for the first one's commit
# One payment violated a constraint, or two batches deadlocked: the payments of the batch are settled alone.
SETTLE_ALONE_ERRORS = (asyncpg.IntegrityConstraintViolationError, asyncpg.TransactionRollbackError)


class CapturedPayment(NamedTuple):
    """The provider has captured the money of an attempt."""

    attempt_id: UUID
    outcome: Captured
    actor: Actor


class MustSettleAlone(Exception):
    """One payment of the batch needs to be settled alone: the batch is rolled back."""


class SettlementBatcher:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._batcher: Batcher[CapturedPayment, Order | None] = Batcher(
            "settlements", self._settle_batch, lines=CONCURRENT_BATCHES, most=BATCH_MAX, each=BATCHES_PER_EVENT
        )

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._batcher.close()

    async def settle(self, organization_id: UUID, event_id: UUID, payment: CapturedPayment) -> Order | None:
        """The order with its tickets, as its buyer sees it; None if nothing changed: settle the payment alone."""
        return await self._batcher.submit((organization_id, event_id), payment, (payment.attempt_id,))

    async def _settle_batch(
        self, key: Hashable, batch: Sequence[CapturedPayment], _last: Sequence[bool]
    ) -> Sequence[Order | Retry | None]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        try:
            async with self._services.database.tenant(organization_id) as tx:
                return await self._settle_all(tx, event_id, batch)
        except (MustSettleAlone, *SETTLE_ALONE_ERRORS):
            return [None] * len(batch)

    async def _settle_all(self, tx: Tx, event_id: UUID, batch: Sequence[CapturedPayment]) -> list[Order]:
        captured = await payments.capture_all(tx, [(each.attempt_id, each.outcome) for each in batch])
        if len(captured) < len(batch):
            raise MustSettleAlone
        attempts = {attempt.id: attempt for attempt in captured}
        paid = []
        for each in batch:
            attempt = attempts[each.attempt_id]
            paid.append(OrderPayment(attempt.order_id, attempt.id, provider_account(attempt.provider), each.actor))
        rows = await sell(tx, event_id, paid)
        if any(row.outcome not in ("sold", "counted") for row in rows):
            raise MustSettleAlone
        sold = await apply_sale(tx, event_id, paid, rows)
        await payments.announce_captured(tx, captured)
        return [
            to_response(self._services, order, attempts[each.attempt_id], tickets, with_secret=True)
            for each, (order, tickets) in zip(batch, sold, strict=True)
        ]
