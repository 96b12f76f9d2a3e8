"""The sweep: whatever comes free without a fact that says so (a hold's time, a checkout's, a type's window) is offered.

It may run late: nobody else gets a place that somebody on the list could have.
"""

from uuid import UUID

import structlog

from fullhouse.checkout import waitlist_actions as actions
from fullhouse.checkout import waitlist_store as store
from fullhouse.kit.actors import Actor
from fullhouse.kit.db import LOST, Database

SWEEPER = Actor(type="system", name="waiting list")
log = structlog.get_logger()


async def serve_lists(finder: Database, database: Database) -> int:
    """Finds across organisations, offers inside each; returns how many holds were made. One that fails hinders no
    other."""
    async with finder.nobody() as tx:
        due = await store.lists_to_serve(tx)
    made = 0
    for organization_id, event_id in due:
        try:
            while done := await _round(database, organization_id, event_id):
                made += done
        except LOST:
            raise  # nobody could do better now
        except Exception:
            log.exception("a waiting list could not be served", event_id=str(event_id))
    return made


async def _round(database: Database, organization_id: UUID, event_id: UUID) -> int:
    async with database.tenant(organization_id, SWEEPER) as tx:
        return await actions.serve(tx, event_id)
