"""Closes moves whose holders did not answer in time."""

from contextlib import suppress
from uuid import UUID

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import one_by_one
from fullhouse.relocations import actions, store
from fullhouse.relocations.model import MoveAnswered

SWEEPER = Actor(type="system", name="sweeper")
AT_ONCE = 500


async def close_moves(finder: Database, database: Database) -> int:
    async def close(organization_id: UUID, ticket_id: UUID) -> int:
        with suppress(MoveAnswered):  # answered in the meantime
            async with database.tenant(organization_id, SWEEPER) as tx:
                await actions.close(tx, ticket_id)
        return 1

    async with finder.nobody() as tx:
        due = await store.due_moves(tx, AT_ONCE)
    return await one_by_one(due, close, "relocation.close_failed")
