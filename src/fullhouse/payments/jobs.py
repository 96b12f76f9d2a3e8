"""Periodic jobs of payments: poll attempts with an open outcome, with growing pauses, until it is known; pay requested
refunds.

Seats stay held while an outcome is open. A payment that the buyer leaves pending for too long is cancelled at the
provider before it is given up here: otherwise it could still be paid.
"""

from functools import partial
from uuid import UUID

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Database
from fullhouse.kit.messages.loops import process_each
from fullhouse.kit.services import Services
from fullhouse.payments import actions, policy, store
from fullhouse.payments.model import Attempt, Failed, Outcome
from fullhouse.payments.providers.actions import Providers
from fullhouse.payments.providers.stripe import webhook

PAYMENTS_ACTOR = Actor(type="system", name="payments")
BATCH_SIZE = 100


async def poll_attempts(finder: Database, services: Services) -> int:
    """Polls all due attempts, each in the process that claims it; returns how many were polled."""
    async with finder.without_tenant() as tx:
        due = await store.due_attempts(tx, BATCH_SIZE)
    return await process_each(due, partial(poll_attempt, services), "payments.poll_failed")


async def poll_attempt(services: Services, organization_id: UUID, attempt_id: UUID) -> bool:
    async with services.database.tenant(organization_id, PAYMENTS_ACTOR) as tx:
        known = await store.attempt_by_id(tx, attempt_id)
        attempt = known and await store.claim_attempt(tx, attempt_id=attempt_id, pause_s=policy.pause_s(known.asked))
        now = await tx.now()
    if attempt is None or attempt.has_mismatch:
        return False
    assert attempt.give_up_at
    providers = services.part(Providers)
    outcome = await (providers.cancel(attempt) if attempt.give_up_at <= now else providers.poll(attempt))
    await _record(services, attempt, outcome)
    return True


async def _record(services: Services, attempt: Attempt, outcome: Outcome) -> None:
    async with services.database.tenant(attempt.organization_id, PAYMENTS_ACTOR) as tx:
        await actions.record_outcome(tx, attempt.id, outcome)


async def pay_refunds(finder: Database, services: Services) -> int:
    async with finder.without_tenant() as tx:
        due = await store.due_refunds(tx, BATCH_SIZE)
    return await process_each(due, partial(pay_refund, services), "payments.refund_failed")


async def pay_refund(services: Services, organization_id: UUID, refund_id: UUID) -> bool:
    """Calls the provider to pay a refund, outside of every transaction; idempotent by the key of the try."""
    async with services.database.tenant(organization_id, PAYMENTS_ACTOR) as tx:
        known = await store.refund_by_id(tx, refund_id)
        refund = known and await store.claim_refund(tx, refund_id=refund_id, pause_s=policy.pause_s(known.asked))
        attempt = await store.attempt_by_id(tx, refund.attempt_id) if refund else None
    if refund is None or attempt is None:
        return False
    outcome = await services.part(Providers).refund(refund, attempt)
    async with services.database.tenant(organization_id, PAYMENTS_ACTOR) as tx:
        await actions.record_refund(tx, refund_id, outcome, refund.tries)
    if isinstance(outcome, Failed):
        await webhook.adopt_dashboard_refunds(services, attempt)
    return True
