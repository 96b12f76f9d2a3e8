"""Closes moves whose holders did not answer in time."""

from contextlib import suppress
from uuid import UUID

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import process_each
from fullhouse.relocations import actions, store
from fullhouse.relocations.model import MoveAnswered

SWEEPER = Actor(type="system", name="sweeper")
BATCH_SIZE = 500


async def expire_relocations(finder: Database, database: Database) -> int:
    async def close(organization_id: UUID, ticket_id: UUID) -> int:
        with suppress(MoveAnswered):  # answered in the meantime
            async with database.tenant(organization_id, SWEEPER) as tx:
                await actions.close_move(tx, ticket_id)
        return 1

    async with finder.without_tenant() as tx:
        due = await store.list_due_moves(tx, BATCH_SIZE)
    return await process_each(due, close, "relocation.close_failed")
