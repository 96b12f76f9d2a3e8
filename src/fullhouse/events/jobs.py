"""The scheduler: shows whose time has come begin and end by themselves, each once, also after a night without power.

And those who keep the order of the feed, and sweep out pictures that no show uses.
"""

from datetime import UTC, datetime
from uuid import UUID

import structlog

from fullhouse.events import actions, changes, policy, store
from fullhouse.events.images import actions as image_actions
from fullhouse.events.public import actions as public_actions
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import LOST, Database
from fullhouse.kit.errors import Refusal
from fullhouse.kit.media.files import Files

log = structlog.get_logger()
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
SCHEDULER = Actor(type="system", name="scheduler")


async def move_due_events(finder: Database, database: Database) -> int:
    """Finds across organisations, moves inside each; returns how many were moved. One that cannot holds up nobody."""
    moved, since, since_id = 0, LONG_AGO, UUID(int=0)
    while True:
        async with finder.nobody() as tx:
            due = await store.due_events(tx, since=since, since_id=since_id)
        if not due:
            return moved
        moved += sum([await _move(database, show.organization_id, show.id) for show in due])
        since, since_id = due[-1].due_at, due[-1].id


async def _move(database: Database, organization_id: UUID, event_id: UUID) -> bool:
    event = None
    try:
        async with database.tenant(organization_id, SCHEDULER) as tx:
            event = await store.lock_event(tx, event_id)
            # Looked at again under the lock: somebody may have been faster.
            move = event and policy.due_move(event, await tx.now())
            if not move:
                return False
            await actions.move_event(tx, event_id, move, reason="on schedule")
    except Refusal as refusal:
        changes.note_anomaly("not_moved", refusal.detail, organization_id, event)
        return False
    except Exception:
        log.exception("a show failed to move on schedule", event_id=str(event_id))
        return False
    return True


async def rank_shows(finder: Database, database: Database) -> int:
    """Shows that were looked at or sold since get their new rank; returns how many. One house holds up no other."""
    async with finder.nobody() as tx:
        houses = await store.unranked_organizations(tx) or []
    ranked = 0
    for organization_id in houses:
        try:
            async with database.tenant(organization_id, SCHEDULER) as tx:
                shows = await store.take_unranked(tx) or []
                await public_actions.rank(tx, shows)
        except LOST:  # such as a show that was taken back in this very moment
            log.exception("shows were not ranked", organization_id=str(organization_id))
        else:
            ranked += len(shows)
    return ranked


async def forget_unused_images(finder: Database, database: Database, files: Files) -> int:
    """Pictures that were uploaded and never used by a show; returns how many went. A lost file holds up nobody."""
    async with finder.nobody() as tx:
        unused = await store.unused_images(tx, image_actions.UNUSED_FOR)
    gone = 0
    for organization_id, image_id in unused:
        try:
            gone += await image_actions.forget(database, files, organization_id, image_id)
        except OSError:
            log.exception("a picture's files could not be removed", image_id=str(image_id))
    return gone
