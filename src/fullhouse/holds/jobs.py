"""The sweep: holds whose time is over are marked, and what they had is free, counted and told. And the mirror in Redis:
written anew now and then, whatever happened to it.

Both may run late: every statement that looks at a seat sees for itself that a hold is over, and nothing asks Redis.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from fullhouse.holds import actions, store
from fullhouse.holds.mirror import warm
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services

SWEEPER = Actor(type="system", name="sweeper")
AT_ONCE = 1000
PAUSES_S = (1.0, 5.0, 25.0)  # before a show is tried again
log = structlog.get_logger()


class Rebuilt(NamedTuple):
    """How many shows were written to Redis, and which were not."""

    written: int
    failed: list[store.Show]


async def sweep_holds(finder: Database, database: Database) -> int:
    """Finds across organisations, ends inside each; returns how many ended."""
    swept = 0
    while True:
        async with finder.nobody() as tx:
            due = await store.due_holds(tx, AT_ONCE)
        ended = 0
        for organization_id, ids in due:
            async with database.tenant(organization_id, SWEEPER) as tx:
                theirs = await store.lock_shows_of_holds(tx, ids) or []
                ended += await actions.end(tx, theirs, "expired", overdue_only=True)
        swept += ended
        if ended == 0:
            return swept


async def rebuild_warm(services: Services, finder: Database, pauses_s: Sequence[float] = PAUSES_S) -> Rebuilt:
    """Every show that is on sale. One that cannot be written hinders no other: it is tried again, after longer and
    longer pauses, and then left to the next round. Without Redis there is nothing to do."""
    if not services.warm.configured:
        return Rebuilt(0, [])
    async with finder.nobody() as tx:
        shows = await store.shows_on_sale(tx)
    left = await _rebuild(services, shows)
    for pause_s in pauses_s:
        if not left:
            break
        await asyncio.sleep(pause_s)
        left = await _rebuild(services, left)
    if left and not await warm.is_there(services):
        log.warning("cache.redis_unavailable", shows=len(left))
        return Rebuilt(len(shows) - len(left), left)
    warm.FAILED.set(len(left))
    for show in left:
        said = {"org_id": str(show.organization_id), "event_id": str(show.event_id)}
        log.error("cache.not_rebuilt", **said, tries=1 + len(pauses_s))
    return Rebuilt(len(shows) - len(left), left)


async def _rebuild(services: Services, shows: Sequence[store.Show]) -> list[store.Show]:
    """Returns those that were not written. While Redis is away no show is read from the database for nothing."""
    left = []
    for n, show in enumerate(shows):
        if not await warm.rebuild(services, *show):
            left.append(show)
            if not await warm.is_there(services):
                return [*left, *shows[n + 1 :]]
    return left
