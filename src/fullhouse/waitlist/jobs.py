"""The sweep offers what comes free without a fact: expired holds and checkouts, ticket types that go on sale.

It may run late: new holds are served after the waitlist (`app.hold_in_turn`), so nobody can overtake an entry.
"""

from functools import partial
from uuid import UUID

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import process_each
from fullhouse.waitlist import actions, store

SWEEPER = Actor(type="system", name="waiting list")


async def serve_lists(finder: Database, database: Database) -> int:
    """Finds across organisations, offers inside each; returns how many holds were made."""
    async with finder.without_tenant() as tx:
        due = await store.lists_to_serve(tx)
    return await process_each(due, partial(_serve, database), "waitlist.serve_failed")


async def _serve(database: Database, organization_id: UUID, event_id: UUID) -> int:
    made = 0
    while True:
        async with database.tenant(organization_id, SWEEPER) as tx:
            done = await actions.serve(tx, event_id)
        if not done:
            return made
        made += done
