"""The sweeps: checkouts whose time is over give back what they had counted, proposals that nobody answered give back
the money. Both may run late: nothing is bought in a checkout that is over.
"""

from contextlib import suppress
from uuid import UUID

from fullhouse.checkout import actions, store
from fullhouse.checkout.model import NoConsentNeeded
from fullhouse.checkout.orders import settle
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import one_by_one

SWEEPER = Actor(type="system", name="sweeper")
AT_ONCE = 500


async def sweep_sessions(finder: Database, database: Database) -> int:
    """Finds across organisations, ends inside each; returns how many ended."""

    async def end(organization_id: UUID, session_id: UUID) -> int:
        async with database.tenant(organization_id, SWEEPER) as tx:
            return await actions.expire(tx, session_id)

    swept = 0
    while True:
        async with finder.nobody() as tx:
            due = await store.due_sessions(tx, AT_ONCE)
        ended = await one_by_one(due, end, "a checkout could not be ended")
        swept += ended
        if ended == 0:
            return swept


async def sweep_consents(finder: Database, database: Database) -> int:
    async def end(organization_id: UUID, order_id: UUID) -> int:
        with suppress(NoConsentNeeded):  # answered in this very moment
            async with database.tenant(organization_id, SWEEPER) as tx:
                await settle.answer(tx, order_id, accept=False, now=await tx.now())
        return 1

    async with finder.nobody() as tx:
        due = await store.due_consents(tx, AT_ONCE)
    return await one_by_one(due, end, "a proposal could not be ended")
