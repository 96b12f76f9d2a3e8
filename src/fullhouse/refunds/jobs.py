"""Refunds the orders of cancelled events one by one, each in its own transaction: if a worker dies in between, the next
one continues with the rest.
"""

from uuid import UUID

import structlog

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database, is_unavailable
from fullhouse.refunds import actions, store

WORKER = Actor(type="system", name="refunds")
BATCHES, PAGE = 50, 200
log = structlog.get_logger()


async def refund_cancelled_events(finder: Database, database: Database) -> int:
    """Continues with every cancelled event; returns how many orders were refunded."""
    async with finder.without_tenant() as tx:
        due = await store.due_batches(tx, BATCHES)
    return sum([await run_batch(database, organization_id, event_id) for organization_id, event_id in due])


async def run_batch(database: Database, organization_id: UUID, event_id: UUID) -> int:
    refunded = 0
    while True:
        async with database.tenant(organization_id, WORKER) as tx:
            reason = await store.batch_reason(tx, event_id)
            orders = await store.next_orders(tx, event_id=event_id, limit=PAGE)
            if not orders or reason is None:
                await actions.close_batch(tx, event_id)
                return refunded
        for order_id in orders:
            refunded += await _refund_order(database, organization_id, event_id, order_id, reason)


async def _refund_order(database: Database, organization_id: UUID, event_id: UUID, order_id: UUID, reason: str) -> bool:
    """A failure does not stop the other orders."""
    try:
        async with database.tenant(organization_id, WORKER) as tx:
            return await actions.refund_cancelled_order(tx, order_id, reason)
    except Exception as error:
        if is_unavailable(error):
            raise
        log.exception("refunds.order_refund_failed", detail="it will be retried", order_id=str(order_id))
        async with database.tenant(organization_id, WORKER) as tx:
            await store.record_failure(tx, event_id=event_id, order_id=order_id, error=repr(error)[:500])
        return False
