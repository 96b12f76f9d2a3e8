"""Periodic jobs: expired checkouts release what they had counted, and seat proposals that were not answered in time are
refunded. Both may run late: an expired checkout cannot be bought.
"""

from contextlib import suppress
from uuid import UUID

from fullhouse.checkout import actions, store
from fullhouse.checkout.model import NoConsentNeeded
from fullhouse.checkout.orders import settle
from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import process_each

EXPIRY_ACTOR = Actor(type="system", name="sweeper")
BATCH_SIZE = 500


async def expire_sessions(finder: Database, database: Database) -> int:
    """Finds due checkouts across organisations and ends each in its own tenant; returns how many ended."""

    async def end(organization_id: UUID, session_id: UUID) -> int:
        async with database.tenant(organization_id, EXPIRY_ACTOR) as tx:
            return await actions.expire(tx, session_id)

    swept = 0
    while True:
        async with finder.without_tenant() as tx:
            due = await store.due_sessions(tx, BATCH_SIZE)
        ended = await process_each(due, end, "checkout.expire_failed")
        swept += ended
        if ended == 0:
            return swept


async def expire_proposals(finder: Database, database: Database) -> int:
    async def end(organization_id: UUID, order_id: UUID) -> int:
        with suppress(NoConsentNeeded):  # the buyer answered meanwhile
            async with database.tenant(organization_id, EXPIRY_ACTOR) as tx:
                await settle.answer_proposal(tx, order_id, accept=False, now=await tx.now())
        return 1

    async with finder.without_tenant() as tx:
        due = await store.due_consents(tx, BATCH_SIZE)
    return await process_each(due, end, "checkout.proposal_expire_failed")
