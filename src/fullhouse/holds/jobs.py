"""The sweep: holds whose time is over are marked, and what they had is free, counted and told. And the mirror in Redis:
written anew now and then, whatever happened to it.

Both may run late: every statement that looks at a seat sees for itself that a hold is over, and nothing asks Redis.
"""

from fullhouse.holds import actions, store, warm
from fullhouse.kit.actors import Actor
from fullhouse.kit.db import Database
from fullhouse.kit.services import Services

SWEEPER = Actor(type="system", name="sweeper")
AT_ONCE = 1000


async def sweep_holds(finder: Database, database: Database) -> int:
    """Finds across organisations, ends inside each; returns how many ended."""
    swept = 0
    while True:
        async with finder.nobody() as tx:
            due = await store.due_holds(tx, AT_ONCE)
        ended = 0
        for organization_id, ids in due:
            async with database.tenant(organization_id, SWEEPER) as tx:
                theirs = await store.lock_shows_of_holds(tx, organization_id, ids) or []
                ended += await actions.end(tx, theirs, "expired", overdue_only=True)
        swept += ended
        if ended == 0:
            return swept


async def rebuild_warm(services: Services, finder: Database) -> int:
    """Every show that is on sale; returns how many. Without Redis there is nothing to do."""
    if not services.warm.configured:
        return 0
    async with finder.nobody() as tx:
        shows = await store.shows_on_sale(tx)
    for done, show in enumerate(shows):
        if not await warm.rebuild(services, *show):
            return done
    return len(shows)
