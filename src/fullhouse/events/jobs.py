"""The scheduler: starts and ends events when their time has come, each once, also after an outage.

Other jobs update the ranks of the feed and delete pictures that no event uses.
"""

from datetime import UTC, datetime
from uuid import UUID

import structlog

from fullhouse.events import actions, monitoring, policy, store
from fullhouse.events.images import actions as image_actions
from fullhouse.events.public import actions as public_actions
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import DATABASE_ERRORS, Database
from fullhouse.kit.errors import Refusal
from fullhouse.kit.media.files import Files

log = structlog.get_logger()
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
SCHEDULER = Actor(type="system", name="scheduler")


async def move_due_events(finder: Database, database: Database) -> int:
    """Finds due events across organisations, moves each in its own; returns how many. A failure stops no other."""
    moved, since, since_id = 0, LONG_AGO, UUID(int=0)
    while True:
        async with finder.without_tenant() as tx:
            due = await store.due_events(tx, since=since, since_id=since_id)
        if not due:
            return moved
        moved += sum([await _move(database, event.organization_id, event.id) for event in due])
        since, since_id = due[-1].due_at, due[-1].id


async def _move(database: Database, organization_id: UUID, event_id: UUID) -> bool:
    event = None
    try:
        async with database.tenant(organization_id, SCHEDULER) as tx:
            event = await store.lock_event(tx, event_id)
            # Checked again under the lock: a concurrent request may have moved it.
            move = event and policy.due_move(event, await tx.now())
            if not move:
                return False
            await actions.move_event(tx, event_id, move, reason="on schedule")
    except Refusal as refusal:
        monitoring.record_anomaly("not_moved", refusal.detail, organization_id, event)
        return False
    except Exception:
        log.exception("event.scheduled_move_failed", detail="it is tried again in the next run", event_id=str(event_id))
        return False
    return True


async def update_ranks(finder: Database, database: Database) -> int:
    """Updates the rank of events with new views or sales; returns how many. A failure stops no other organisation."""
    async with finder.without_tenant() as tx:
        organization_ids = await store.unranked_organizations(tx) or []
    ranked = 0
    for organization_id in organization_ids:
        try:
            async with database.tenant(organization_id, SCHEDULER) as tx:
                event_ids = await store.claim_unranked(tx) or []
                await public_actions.update_ranks(tx, event_ids)
        except DATABASE_ERRORS:  # for example an event that is unpublished at the same moment
            log.exception(
                "event.ranking_failed",
                detail="the events stay marked as unranked; the next run tries again",
                organization_id=str(organization_id),
            )
        else:
            ranked += len(event_ids)
    return ranked


async def delete_unused_images(finder: Database, database: Database, files: Files) -> int:
    """Deletes pictures that no event uses any more; returns how many. A file that cannot be deleted stops no other."""
    async with finder.without_tenant() as tx:
        unused = await store.unused_images(tx, image_actions.UNUSED_FOR)
    deleted = 0
    for organization_id, image_id in unused:
        try:
            deleted += await image_actions.delete_if_unused(database, files, organization_id, image_id)
        except OSError:
            log.exception(
                "image.delete_failed", detail="its row is deleted, but files are left on disk", image_id=str(image_id)
            )
    return deleted
