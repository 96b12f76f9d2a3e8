"""What Stripe's webhook brings. It ends where every other news of money ends, in `actions`: once, in any order, however
often it comes. What is nobody's here, or not as it was agreed, is parked for the operator, and answered with 200: to
send it again would change nothing.
"""

from datetime import datetime
from uuid import UUID

import msgspec
import structlog
from prometheus_client import Counter

from fullhouse.kit.actors import Actor
from fullhouse.kit.errors import Malformed, NotFound
from fullhouse.kit.services import Services
from fullhouse.payments import actions, policy, store
from fullhouse.payments.model import Attempt, BadSignature, Captured, Failed, Refund
from fullhouse.payments.provider_actions import Providers
from fullhouse.payments.stripe_money import Intent, News, Returned, read_news, said, said_of_refund

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
        await _follow(services, news)
    except msgspec.MsgspecError as error:
        raise Malformed(f"It is signed, and still cannot be read: {error}.") from None


def _check_age(signed_at: int, now: datetime) -> None:
    if now.timestamp() - signed_at > policy.SIGNED_FOR_S:
        raise BadSignature(f"It was signed more than {policy.SIGNED_FOR_S} seconds ago.")


async def _follow(services: Services, news: News) -> None:
    thing = news.type.rpartition(".")[0]
    if thing == "payment_intent":
        intent = msgspec.json.decode(news.data.object, type=Intent)
        await _park(services, news, await _about_payment(services, intent))
    elif thing in ("refund", "charge.refund"):
        refund = msgspec.json.decode(news.data.object, type=Returned)
        await _park(services, news, await _about_refund(services, refund))
    elif thing == "charge.dispute":  # the bank has taken it back: a person decides what follows
        await _park(services, news, "dispute")


async def _about_payment(services: Services, intent: Intent) -> str | None:
    """The reason to park it, if there is one. Our own row decides what it is about, not what the message says of it."""
    organization_id, attempt_id = _named(intent.metadata, "organization"), _named(intent.metadata, "attempt")
    if organization_id is None or attempt_id is None:
        return "unknown_intent"
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        attempt = await store.attempt_by_id(tx, organization_id, attempt_id)
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


async def _about_refund(services: Services, returned: Returned) -> str | None:
    organization_id, refund_id = _named(returned.metadata, "organization"), _named(returned.metadata, "refund")
    if organization_id is None or refund_id is None:
        return "unknown_refund"
    outcome = said_of_refund(returned)
    async with services.database.tenant(organization_id, MESSENGER) as tx:
        before: Refund | None = await store.lock_refund(tx, organization_id, refund_id)
        if before is None:
            return "unknown_refund"
        await actions.record_refund(tx, refund_id, outcome)
    # A bank may send it back after weeks; the ledger says that it has gone out.
    return "refund_came_back" if before.status == "done" and isinstance(outcome, Failed) else None


async def _park(services: Services, news: News, reason: str | None) -> None:
    if reason is None:
        return
    thing = msgspec.json.decode(news.data.object)
    kept = ("id", "amount", "amount_received", "currency", "status", "metadata", "payment_intent")
    what = {name: thing[name] for name in kept if name in thing}
    async with services.database.nobody() as tx:
        fresh = await store.park(tx, "stripe", news.id, news.type, reason, what)
    if fresh:
        PARKED.labels(reason).inc()
        log.error("news of money that an operator must look at", reason=reason, news_id=news.id, kind=news.type)


def _named(metadata: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(metadata[name])
    except (KeyError, ValueError):
        return None
