"""The sweep, which ends overdue holds, frees what they hold and publishes the changes; and the periodic rebuild of the
mirror in Redis, which repairs whatever happened to it.

Both may run late: every statement on a seat checks itself whether a hold is overdue, and no decision reads Redis.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from fullhouse.holds import actions, store
from fullhouse.holds.mirror import writer
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services

SWEEPER = Actor(type="system", name="sweeper")
BATCH_MAX = 1000
PAUSES_S = (1.0, 5.0, 25.0)  # before an event is retried
log = structlog.get_logger()


class Rebuilt(NamedTuple):
    """How many events were written to Redis, and which were not."""

    written: int
    failed: list[store.EventKey]


async def sweep_holds(finder: Database, database: Database) -> int:
    """Finds overdue holds across organisations and ends them in a transaction of each. Returns how many ended."""
    swept = 0
    while True:
        async with finder.without_tenant() as tx:
            due = await store.list_due_holds(tx, BATCH_MAX)
        ended = 0
        for organization_id, ids in due:
            async with database.tenant(organization_id, SWEEPER) as tx:
                locked = await store.lock_events_of_holds(tx, ids) or []
                ended += await actions.end(tx, locked, "expired", overdue_only=True)
        swept += ended
        if ended == 0:
            return swept


async def rebuild_redis_mirror(services: Services, finder: Database, pauses_s: Sequence[float] = PAUSES_S) -> Rebuilt:
    """Writes every event on sale. One that cannot be written does not block the others: it is retried after growing
    pauses, then left to the next round. Without a configured Redis nothing is done."""
    if not services.redis.configured:
        return Rebuilt(0, [])
    async with finder.without_tenant() as tx:
        events = await store.list_events_on_sale(tx)
    left = await _rebuild_events(services, events)
    for pause_s in pauses_s:
        if not left:
            break
        await asyncio.sleep(pause_s)
        left = await _rebuild_events(services, left)
    if left and not await writer.is_redis_available(services):
        log.warning("cache.redis_unavailable", events=len(left))
        return Rebuilt(len(events) - len(left), left)
    writer.FAILED_EVENTS.set(len(left))
    for event in left:
        ids = {"org_id": str(event.organization_id), "event_id": str(event.event_id)}
        log.error("cache.not_rebuilt", **ids, tries=1 + len(pauses_s))
    return Rebuilt(len(events) - len(left), left)


async def _rebuild_events(services: Services, events: Sequence[store.EventKey]) -> list[store.EventKey]:
    """Returns those that were not written. Stops if Redis is unavailable, instead of reading events for nothing."""
    left = []
    for n, event in enumerate(events):
        if not await writer.rebuild(services, *event):
            left.append(event)
            if not await writer.is_redis_available(services):
                return [*left, *events[n + 1 :]]
    return left
