"""What Stripe's webhook brings. It ends where every other news of money ends, in `actions`: once, in any order, however
often it comes. What is nobody's here, or not as it was agreed, is parked for the operator, and answered with 200: to
send it again would change nothing.
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

PARKED = Counter("fullhouse_payments_parked_total", "News of money that an operator must look at", ["reason"])
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
        raise Malformed(f"It is signed, and still cannot be read: {error}.") from None


def _check_age(signed_at: int, now: datetime) -> None:
    if now.timestamp() - signed_at > policy.SIGNED_FOR_S:
        raise BadSignature(f"It was signed more than {policy.SIGNED_FOR_S} seconds ago.")


async def _follow(services: Services, stripe: StripeMoney, news: News) -> None:
    thing = news.type.rpartition(".")[0]
    if thing == "payment_intent":
        intent = msgspec.json.decode(news.data.object, type=Intent)
        await _park(services, news, await _about_payment(services, intent))
    elif thing in ("refund", "charge.refund"):
        refund = msgspec.json.decode(news.data.object, type=Returned)
        await _park(services, news, await _about_refund(services, stripe, news, refund))
    elif news.type == "charge.refunded":  # which, it does not say
        charge = msgspec.json.decode(news.data.object, type=Charge)
        for refund in await stripe.refunds(charge.payment_intent) if charge.payment_intent else ():
            await _park(services, news, await _about_refund(services, stripe, news, refund))
    elif thing == "charge.dispute":  # the bank has taken it back: a person decides what follows
        await _park(services, news, "dispute")


async def _about_payment(services: Services, intent: Intent) -> str | None:
    """The reason to park it, if there is one. Our own row decides what it is about, not what the message says of it."""
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
    """Its name is not known here if the answer that said it was lost, or is on its way."""
    return attempt.provider == "stripe" and attempt.provider_ref in (None, intent.id)


async def _about_refund(services: Services, stripe: StripeMoney, news: News, returned: Returned) -> str | None:
    organization_id, refund_id = _named(returned.metadata, "organization"), _named(returned.metadata, "refund")
    if organization_id is None or refund_id is None:
        try:
            return await _about_strange_refund(services, stripe, news, returned)
        except actions.ToldBefore:
            return None
        except Refusal:  # more than is left of it, or of an order that is not paid
            return "unknown_refund"
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        if await store.refund_by_id(tx, refund_id) is None:
            return "unknown_refund"
        of_try = int(returned.of_try) if returned.of_try.isdecimal() else 0
        await actions.record_refund(tx, refund_id, said_of_refund(returned), of_try)
    return None


async def _about_strange_refund(services: Services, stripe: StripeMoney, news: News, returned: Returned) -> str | None:
    """One that somebody made at Stripe itself. If it is for a payment of ours of which as much was refused, it is that:
    another try, that they have made for us. Otherwise the money is noted; if there are tickets for it, a person decides
    what becomes of them: it is parked, too, in the same transaction. News may be old, and come before those of the
    payment: Stripe is asked how things are now."""
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
    """Other money than was asked for had come. Once all of it has gone back, nobody waits for it any more."""
    if sum(one.returned for one in made if isinstance(said_of_refund(one), Refunded)) < intent.received:
        return "unknown_refund"
    await actions.record(tx, attempt_id, Failed("given_back", "Other money than was asked for came, and went back."))
    return None


async def _adopt(tx: Tx, attempt: Attempt, returned: Returned) -> bool:
    """Whether it is one of ours: known by its name, or the same that was refused to us."""
    assert tx.organization_id
    outcome = said_of_refund(returned)
    refunds = await store.lock_refunds_of_attempt(tx, attempt.id)
    its = next((refund for refund in refunds if refund.provider_ref == returned.id), None)
    if its is None and isinstance(outcome, Refunded):
        fits = ("failed", returned.returned, returned.currency.upper())
        refused = next((one for one in refunds if (one.status, one.amount, one.currency) == fits), None)
        its = refused and await actions.retry_refund(tx, refused.order_id, refused.id)
    if its:
        await actions.record_refund(tx, its.id, outcome, its.tries)
    return its is not None


async def find_made_elsewhere(services: Services, attempt: Attempt) -> None:
    """A refund of ours was refused: perhaps because somebody has made it at Stripe itself, and that was told while ours
    was still on its way."""
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
    thing = msgspec.json.decode(news.data.object)
    kept = ("id", "amount", "amount_received", "currency", "status", "metadata", "payment_intent")
    what = {name: thing[name] for name in kept if name in thing}
    if await store.park(tx, provider="stripe", news_id=news.id, kind=news.type, reason=reason, said=what):
        PARKED.labels(reason).inc()
        log.error("news of money that an operator must look at", reason=reason, news_id=news.id, kind=news.type)


def _named(metadata: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(metadata[name])
    except (KeyError, ValueError):
        return None
