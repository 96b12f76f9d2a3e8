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
from fullhouse.payments.providers.stripe.api import (
    Charge,
    Intent,
    News,
    Returned,
    StripeMoney,
    read_news,
    said,
    said_of_refund,
)

PARKED = Counter("fullhouse_payments_parked_total", "Payment provider events that an operator must review", ["reason"])
MESSENGER = Actor(type="system", name="stripe")
log = structlog.get_logger()


async def hear(services: Services, provider: str, raw: bytes, signature: str | None) -> None:
    stripe = services.part(Providers).stripe
    if stripe is None or provider != stripe.name:
        raise NotFound
    signed_at = stripe.verify(raw, signature)
    async with services.database.nobody() as tx:
        _check_age(signed_at, await tx.now())
    try:
        news = read_news(raw)
        await _follow(services, stripe, news)
    except msgspec.MsgspecError as error:
        raise Malformed(f"The message is signed, but its body cannot be read: {error}.") from None


def _check_age(signed_at: int, now: datetime) -> None:
    if now.timestamp() - signed_at > policy.SIGNED_FOR_S:
        raise BadSignature(f"The message was signed more than {policy.SIGNED_FOR_S} seconds ago.")


async def _follow(services: Services, stripe: StripeMoney, news: News) -> None:
    thing = news.type.rpartition(".")[0]
    if thing == "payment_intent":
        intent = msgspec.json.decode(news.data.object, type=Intent)
        await _park(services, news, await _about_payment(services, intent))
    elif thing in ("refund", "charge.refund"):
        refund = msgspec.json.decode(news.data.object, type=Returned)
        await _park(services, news, await _about_refund(services, stripe, news, refund))
    elif news.type == "charge.refunded":  # does not name the refund: look at all of the charge
        charge = msgspec.json.decode(news.data.object, type=Charge)
        for refund in await stripe.refunds(charge.payment_intent) if charge.payment_intent else ():
            await _park(services, news, await _about_refund(services, stripe, news, refund))
    elif thing == "charge.dispute":  # the bank has reversed the payment: an operator decides what follows
        await _park(services, news, "dispute")


async def _about_payment(services: Services, intent: Intent) -> str | None:
    """Records the outcome; returns the reason to park the event, if there is one. The stored attempt is the truth, not
    the message's metadata."""
    organization_id, attempt_id = _named(intent.metadata, "organization"), _named(intent.metadata, "attempt")
    if organization_id is None or attempt_id is None:
        return "unknown_intent"
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        attempt = await store.attempt_by_id(tx, attempt_id)
        if attempt is None or not _is_its(attempt, intent):
            return "unknown_intent"
        outcome = said(intent)
        if intent.currency.upper() != attempt.currency:
            return "wrong_currency"
        await actions.record(tx, attempt_id, outcome)
    return "wrong_amount" if isinstance(outcome, Captured) and outcome.amount != attempt.amount else None


def _is_its(attempt: Attempt, intent: Intent) -> bool:
    """The attempt has no reference if Stripe's response was lost or is not processed yet."""
    return attempt.provider == "stripe" and attempt.provider_ref in (None, intent.id)


async def _about_refund(services: Services, stripe: StripeMoney, news: News, returned: Returned) -> str | None:
    organization_id, refund_id = _named(returned.metadata, "organization"), _named(returned.metadata, "refund")
    if organization_id is None or refund_id is None:
        try:
            return await _about_strange_refund(services, stripe, news, returned)
        except actions.ToldBefore:
            return None
        except Refusal:  # more than is left of the payment, or the order is not paid
            return "unknown_refund"
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        if await store.refund_by_id(tx, refund_id) is None:
            return "unknown_refund"
        of_try = int(returned.of_try) if returned.of_try.isdecimal() else 0
        await actions.record_refund(tx, refund_id, said_of_refund(returned), of_try)
    return None


async def _about_strange_refund(services: Services, stripe: StripeMoney, news: News, returned: Returned) -> str | None:
    """A refund that was made in Stripe's dashboard. If a refund of the same amount was refused for this payment, it
    counts as another try of that one. Otherwise it is recorded; if tickets were sold for the payment, the event is also
    parked in the same transaction, because an operator must decide about the tickets. Events may be old or arrive
    before those of the payment, so the current state is read from Stripe."""
    intent = await stripe.intent(returned.payment_intent) if returned.payment_intent else None
    made = await stripe.refunds(intent.id) if intent else []
    now = next((one for one in made if one.id == returned.id), None)
    strange = await _about_payment(services, intent) if intent else "unknown_intent"
    if intent is None or now is None or strange == "unknown_intent":
        return "unknown_refund"
    organization_id, attempt_id = UUID(intent.metadata["organization"]), UUID(intent.metadata["attempt"])
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        if strange:
            return await _end_alarm(tx, attempt_id, intent, made)
        attempt = await actions.get_attempt(tx, attempt_id)
        if await _adopt(tx, attempt, now):
            return None
        if not isinstance(said_of_refund(now), Refunded) or now.currency.upper() != attempt.currency:
            return "unknown_refund"
        if await actions.find_refund(tx, attempt, now.id, now.returned):
            await _park_in(tx, news, "refund_found")
    return None


async def _end_alarm(tx: Tx, attempt_id: UUID, intent: Intent, made: Sequence[Returned]) -> str | None:
    """A wrong amount or currency had been captured. Once all of it is refunded, the attempt fails."""
    if sum(one.returned for one in made if isinstance(said_of_refund(one), Refunded)) < intent.received:
        return "unknown_refund"
    await actions.record(tx, attempt_id, Failed("given_back", "A wrong amount was captured, and has been refunded."))
    return None


async def _adopt(tx: Tx, attempt: Attempt, returned: Returned) -> bool:
    """Whether the refund is one of ours: by its id at Stripe, or as another try of one that was refused."""
    assert tx.organization_id
    outcome = said_of_refund(returned)
    refunds = await store.lock_refunds_of_attempt(tx, attempt.id)
    ours = next((refund for refund in refunds if refund.provider_ref == returned.id), None)
    if ours is None and isinstance(outcome, Refunded):
        fits = ("failed", returned.returned, returned.currency.upper())
        refused = next((one for one in refunds if (one.status, one.amount, one.currency) == fits), None)
        ours = refused and await actions.retry_refund(tx, refused.order_id, refused.id)
    if ours:
        await actions.record_refund(tx, ours.id, outcome, ours.tries)
    return ours is not None


async def find_made_elsewhere(services: Services, attempt: Attempt) -> None:
    """After a refused refund: perhaps it was made in Stripe's dashboard, and that event arrived while ours was in
    progress. Looks for such refunds and adopts them."""
    stripe = services.part(Providers).stripe
    if stripe is None or attempt.provider != stripe.name or attempt.provider_ref is None:
        return
    strange = [one for one in await stripe.refunds(attempt.provider_ref) if not one.metadata.get("refund")]
    async with services.database.tenant(attempt.organization_id, MESSENGER) as tx:
        for returned in strange:
            await _adopt(tx, attempt, returned)


async def _park(services: Services, news: News, reason: str | None) -> None:
    if reason is None:
        return
    async with services.database.nobody() as tx:
        await _park_in(tx, news, reason)


async def _park_in(tx: Tx, news: News, reason: str) -> None:
    body = msgspec.json.decode(news.data.object)
    kept = ("id", "amount", "amount_received", "currency", "status", "metadata", "payment_intent")
    summary = {name: body[name] for name in kept if name in body}
    if await store.park(tx, provider="stripe", news_id=news.id, kind=news.type, reason=reason, said=summary):
        PARKED.labels(reason).inc()
        log.error(
            "payments.provider_event_parked",
            detail="an operator must review it: fullhouse payments",
            reason=reason,
            news_id=news.id,
            kind=news.type,
        )


def _named(metadata: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(metadata[name])
    except (KeyError, ValueError):
        return None
