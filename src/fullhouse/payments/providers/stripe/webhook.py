"""Stripe's webhook. Its events end in `payments.actions` like all outcomes: applied once, in any order, however often
they are delivered. Events that match no payment here, or have a wrong amount or currency, are parked for the operator
and acknowledged with 200, because a redelivery would change nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
import structlog
from prometheus_client import Counter

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Malformed, NotFound, Refusal
from fullhouse.kit.services import Services
from fullhouse.payments import actions, policy, store
from fullhouse.payments.model import Attempt, BadSignature, Captured, Failed, Refunded
from fullhouse.payments.providers.actions import Providers
from fullhouse.payments.providers.stripe.api_client import (
    PaymentIntent,
    StripeCharge,
    StripeEvent,
    StripeProvider,
    StripeRefund,
    parse_event,
    to_outcome,
    to_refund_outcome,
)

PARKED = Counter("fullhouse_payments_parked_total", "Payment provider events that an operator must review", ["reason"])
STRIPE_ACTOR = Actor(type="system", name="stripe")
log = structlog.get_logger()


async def receive(services: Services, provider: str, raw: bytes, signature: str | None) -> None:
    stripe = services.part(Providers).stripe
    if stripe is None or provider != stripe.name:
        raise NotFound
    signed_at = stripe.verify(raw, signature)
    async with services.database.without_tenant() as tx:
        _check_age(signed_at, await tx.now())
    try:
        news = parse_event(raw)
        await _dispatch(services, stripe, news)
    except msgspec.MsgspecError as error:
        raise Malformed(f"The message is signed, but its body cannot be read: {error}.") from None


def _check_age(signed_at: int, now: datetime) -> None:
    if now.timestamp() - signed_at > policy.SIGNATURE_MAX_AGE_S:
        raise BadSignature(f"The message was signed more than {policy.SIGNATURE_MAX_AGE_S} seconds ago.")


async def _dispatch(services: Services, stripe: StripeProvider, news: StripeEvent) -> None:
    thing = news.type.rpartition(".")[0]
    if thing == "payment_intent":
        intent = msgspec.json.decode(news.data.object, type=PaymentIntent)
        await _park_event(services, news, await _record_payment(services, intent))
    elif thing in ("refund", "charge.refund"):
        refund = msgspec.json.decode(news.data.object, type=StripeRefund)
        await _park_event(services, news, await _record_refund(services, stripe, news, refund))
    elif news.type == "charge.refunded":  # does not name the refund: look at all of the charge
        charge = msgspec.json.decode(news.data.object, type=StripeCharge)
        for refund in await stripe.list_refunds(charge.payment_intent) if charge.payment_intent else ():
            await _park_event(services, news, await _record_refund(services, stripe, news, refund))
    elif thing == "charge.dispute":  # the bank has reversed the payment: an operator decides what follows
        await _park_event(services, news, "dispute")


async def _record_payment(services: Services, intent: PaymentIntent) -> str | None:
    """Records the outcome; returns the reason to park the event, if there is one. The stored attempt is the truth, not
    the message's metadata."""
    organization_id, attempt_id = _parse_id(intent.metadata, "organization"), _parse_id(intent.metadata, "attempt")
    if organization_id is None or attempt_id is None:
        return "unknown_intent"
    async with services.database.tenant(organization_id, STRIPE_ACTOR) as tx:
        attempt = await store.attempt_by_id(tx, attempt_id)
        if attempt is None or not _is_same_payment(attempt, intent):
            return "unknown_intent"
        outcome = to_outcome(intent)
        if intent.currency.upper() != attempt.currency:
            return "wrong_currency"
        await actions.record_outcome(tx, attempt_id, outcome)
    return "wrong_amount" if isinstance(outcome, Captured) and outcome.amount != attempt.amount else None


def _is_same_payment(attempt: Attempt, intent: PaymentIntent) -> bool:
    """The attempt has no reference if Stripe's response was lost or is not processed yet."""
    return attempt.provider == "stripe" and attempt.provider_ref in (None, intent.id)


async def _record_refund(
    services: Services, stripe: StripeProvider, news: StripeEvent, returned: StripeRefund
) -> str | None:
    organization_id, refund_id = _parse_id(returned.metadata, "organization"), _parse_id(returned.metadata, "refund")
    if organization_id is None or refund_id is None:
        try:
            return await _record_dashboard_refund(services, stripe, news, returned)
        except actions.RefundAlreadyRecorded:
            return None
        except Refusal:  # more than is left of the payment, or the order is not paid
            return "unknown_refund"
    async with services.database.tenant(organization_id, STRIPE_ACTOR) as tx:
        if await store.refund_by_id(tx, refund_id) is None:
            return "unknown_refund"
        of_try = int(returned.of_try) if returned.of_try.isdecimal() else 0
        await actions.record_refund(tx, refund_id, to_refund_outcome(returned), of_try)
    return None


async def _record_dashboard_refund(
    services: Services, stripe: StripeProvider, news: StripeEvent, returned: StripeRefund
) -> str | None:
    """A refund that was made in Stripe's dashboard. If a refund of the same amount was refused for this payment, it
    counts as another try of that one. Otherwise it is recorded; if tickets were sold for the payment, the event is also
    parked in the same transaction, because an operator must decide about the tickets. Events may be old or arrive
    before those of the payment, so the current state is read from Stripe."""
    intent = await stripe.find_intent(returned.payment_intent) if returned.payment_intent else None
    made = await stripe.list_refunds(intent.id) if intent else []
    now = next((one for one in made if one.id == returned.id), None)
    strange = await _record_payment(services, intent) if intent else "unknown_intent"
    if intent is None or now is None or strange == "unknown_intent":
        return "unknown_refund"
    organization_id, attempt_id = UUID(intent.metadata["organization"]), UUID(intent.metadata["attempt"])
    async with services.database.tenant(organization_id, STRIPE_ACTOR) as tx:
        if strange:
            return await _resolve_mismatch(tx, attempt_id, intent, made)
        attempt = await actions.require_attempt(tx, attempt_id)
        if await _adopt_refund(tx, attempt, now):
            return None
        if not isinstance(to_refund_outcome(now), Refunded) or now.currency.upper() != attempt.currency:
            return "unknown_refund"
        if await actions.announce_found_refund(tx, attempt, now.id, now.refunded_amount):
            await _insert_parked_event(tx, news, "refund_found")
    return None


async def _resolve_mismatch(
    tx: Tx, attempt_id: UUID, intent: PaymentIntent, made: Sequence[StripeRefund]
) -> str | None:
    """A wrong amount or currency had been captured. Once all of it is refunded, the attempt fails."""
    if (
        sum(one.refunded_amount for one in made if isinstance(to_refund_outcome(one), Refunded))
        < intent.received_amount
    ):
        return "unknown_refund"
    await actions.record_outcome(
        tx, attempt_id, Failed("given_back", "A wrong amount was captured, and has been refunded.")
    )
    return None


async def _adopt_refund(tx: Tx, attempt: Attempt, returned: StripeRefund) -> bool:
    """Whether the refund is one of ours: by its id at Stripe, or as another try of one that was refused."""
    assert tx.organization_id
    outcome = to_refund_outcome(returned)
    refunds = await store.lock_refunds_of_attempt(tx, attempt.id)
    ours = next((refund for refund in refunds if refund.provider_ref == returned.id), None)
    if ours is None and isinstance(outcome, Refunded):
        fits = ("failed", returned.refunded_amount, returned.currency.upper())
        refused = next((one for one in refunds if (one.status, one.amount, one.currency) == fits), None)
        ours = refused and await actions.retry_refund(tx, refused.order_id, refused.id)
    if ours:
        await actions.record_refund(tx, ours.id, outcome, ours.tries)
    return ours is not None


async def adopt_dashboard_refunds(services: Services, attempt: Attempt) -> None:
    """After a refused refund: perhaps it was made in Stripe's dashboard, and that event arrived while ours was in
    progress. Looks for such refunds and adopts them."""
    stripe = services.part(Providers).stripe
    if stripe is None or attempt.provider != stripe.name or attempt.provider_ref is None:
        return
    strange = [one for one in await stripe.list_refunds(attempt.provider_ref) if not one.metadata.get("refund")]
    async with services.database.tenant(attempt.organization_id, STRIPE_ACTOR) as tx:
        for returned in strange:
            await _adopt_refund(tx, attempt, returned)


async def _park_event(services: Services, news: StripeEvent, reason: str | None) -> None:
    if reason is None:
        return
    async with services.database.without_tenant() as tx:
        await _insert_parked_event(tx, news, reason)


async def _insert_parked_event(tx: Tx, news: StripeEvent, reason: str) -> None:
    body = msgspec.json.decode(news.data.object)
    kept = ("id", "amount", "amount_received", "currency", "status", "metadata", "payment_intent")
    summary = {name: body[name] for name in kept if name in body}
    if await store.insert_parked(tx, provider="stripe", news_id=news.id, kind=news.type, reason=reason, said=summary):
        PARKED.labels(reason).inc()
        log.error(
            "payments.provider_event_parked",
            detail="an operator must review it: fullhouse payments",
            reason=reason,
            news_id=news.id,
            kind=news.type,
        )


def _parse_id(metadata: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(metadata[name])
    except (KeyError, ValueError):
        return None
