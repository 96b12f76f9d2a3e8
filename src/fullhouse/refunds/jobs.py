"""A cancelled show's orders are given back one by one, each in a transaction of its own: whoever dies in between has
done some of them, and the next one goes on with the rest.
"""

from uuid import UUID

import structlog

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database, is_gone
from fullhouse.refunds import actions, store

WORKER = Actor(type="system", name="refunds")
BATCHES, PAGE = 50, 200
log = structlog.get_logger()


async def give_back_cancelled(finder: Database, database: Database) -> int:
    """Goes on with every show that was cancelled; returns how many orders were given back."""
    async with finder.nobody() as tx:
        due = await store.due_batches(tx, BATCHES)
    return sum([await run_batch(database, organization_id, event_id) for organization_id, event_id in due])


async def run_batch(database: Database, organization_id: UUID, event_id: UUID) -> int:
    given = 0
    while True:
        async with database.tenant(organization_id, WORKER) as tx:
            reason = await store.batch_reason(tx, event_id)
            orders = await store.next_orders(tx, event_id=event_id, limit=PAGE)
            if not orders or reason is None:
                await actions.finish_round(tx, event_id)
                return given
        for order_id in orders:
            given += await _give_back(database, organization_id, event_id, order_id, reason)


async def _give_back(database: Database, organization_id: UUID, event_id: UUID, order_id: UUID, reason: str) -> bool:
    """One that fails hinders no other."""
    try:
        async with database.tenant(organization_id, WORKER) as tx:
            return await actions.give_back(tx, order_id, reason)
    except Exception as error:
        if is_gone(error):
            raise
        log.exception("an order of a cancelled show could not be given back", order_id=str(order_id))
        async with database.tenant(organization_id, WORKER) as tx:
            await store.note_failure(tx, event_id=event_id, order_id=order_id, error=repr(error)[:500])
        return False
