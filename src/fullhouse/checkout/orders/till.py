"""The till: payments for one show that come through at the same time are settled together, by the same few statements.

All sales of a show count in the same few pools: one after the other, each would wait for the commits of all before it.
There is no timer; one alone is a batch of one (kit/batching.py). The plain case is here: the first news of a payment,
the right amount, a show that is on, places that are still held for it. If one of a batch is anything else, nothing of
it has happened, and each goes its own way (settle.py).
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple, cast
from uuid import UUID

import asyncpg

from fullhouse.checkout.model import Order
from fullhouse.checkout.orders.reads import drawn_up
from fullhouse.checkout.orders.sell import Paid, issue, sell
from fullhouse.kit.actors import Actor
from fullhouse.kit.batching import Again, Coalescer
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured, account_of

LINES, BATCH_MAX = 4, 64
OF_A_SHOW = 1  # a second batch would wait for the first one's commit
# One of a batch has met a constraint, or two batches each other: the others are not to suffer for it.
UNLUCKY = (asyncpg.IntegrityConstraintViolationError, asyncpg.TransactionRollbackError)


class Payment(NamedTuple):
    """The money for an attempt is there."""

    attempt_id: UUID
    outcome: Captured
    actor: Actor


class NotPlain(Exception):
    """Something about one of them is to be looked at by itself: the batch is undone."""


class Till:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._coalescer: Coalescer[Payment, Order | None] = Coalescer(
            "settlements", self._settle, lines=LINES, most=BATCH_MAX, each=OF_A_SHOW
        )

    async def start(self) -> None: ...

    async def stop(self) -> None:
        await self._coalescer.close()

    async def settle(self, organization_id: UUID, event_id: UUID, payment: Payment) -> Order | None:
        """The order with its tickets, as its buyer sees it; None if it is not so plain, and nothing has happened."""
        return await self._coalescer.submit((organization_id, event_id), payment, (payment.attempt_id,))

    async def _settle(
        self, key: Hashable, brought: Sequence[Payment], _last: Sequence[bool]
    ) -> Sequence[Order | Again | None]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        try:
            async with self._services.database.tenant(organization_id) as tx:
                return await self._settle_all(tx, event_id, brought)
        except (NotPlain, *UNLUCKY):
            return [None] * len(brought)

    async def _settle_all(self, tx: Tx, event_id: UUID, brought: Sequence[Payment]) -> list[Order]:
        captured = await payments.capture_all(tx, [(each.attempt_id, each.outcome) for each in brought])
        if len(captured) < len(brought):
            raise NotPlain
        attempts = {attempt.id: attempt for attempt in captured}
        paid = []
        for each in brought:
            attempt = attempts[each.attempt_id]
            paid.append(Paid(attempt.order_id, attempt.id, account_of(attempt.provider), each.actor))
        rows = await sell(tx, event_id, paid)
        if any(row.outcome not in ("sold", "counted") for row in rows):
            raise NotPlain
        sold = await issue(tx, event_id, paid, rows)
        await payments.tell_captured(tx, captured)
        return [
            drawn_up(self._services, order, attempts[each.attempt_id], tickets, with_secret=True)
            for each, (order, tickets) in zip(brought, sold, strict=True)
        ]
