"""The scheduler: shows whose time has come begin and end by themselves, each once, also after a night without power."""

from uuid import UUID

import structlog

from fullhouse.events import actions, policy, store
from fullhouse.kit.actors import Actor
from fullhouse.kit.db import Database
from fullhouse.kit.errors import Refusal

log = structlog.get_logger()
SCHEDULER = Actor(type="system", name="scheduler")


async def move_due_events(finder: Database, database: Database) -> int:
    """Finds across organisations, moves inside each; returns how many were moved. One that cannot holds up nobody."""
    async with finder.nobody() as tx:
        due = await store.due_events(tx)
    return sum([await _move(database, *found) for found in due])


async def _move(database: Database, organization_id: UUID, event_id: UUID) -> bool:
    try:
        async with database.tenant(organization_id, SCHEDULER) as tx:
            event = await store.lock_event(tx, organization_id, event_id)
            # Looked at again under the lock: somebody may have been faster.
            move = event and policy.due_move(event, await tx.now())
            if not move:
                return False
            await actions.move_event(tx, event_id, move, reason="on schedule")
    except Refusal as refusal:
        log.warning("a show cannot move on schedule", event_id=str(event_id), why=refusal.detail)
        return False
    except Exception:
        log.exception("a show failed to move on schedule", event_id=str(event_id))
        return False
    return True
