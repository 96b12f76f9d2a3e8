"""The verbs of deliveries: claim, send, write down. The call itself is outside of any transaction."""

import random
from datetime import datetime
from uuid import UUID

from prometheus_client import Counter, Histogram

from fullhouse.accounts import actions as accounts
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.safe_http import Outcome, Outward
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mails
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring
from fullhouse.mail.model import WebhookDisabled as Letter
from fullhouse.webhooks import actions as webhooks
from fullhouse.webhooks import policy, store
from fullhouse.webhooks.facts import WebhookGivenUp
from fullhouse.webhooks.model import Delivery, Redelivered, RedeliverFailed, Tried, Webhook, WebhookDisabled

SENDER = Actor(type="system", name="webhooks")
TEST = "webhook.test"
CROWDED = "not sent: too many messages wait for this receiver, which takes its time"
TRIES = Counter("fullhouse_webhook_tries_total", "Tries to deliver to webhooks, by what followed", ["outcome"])
SECONDS = Histogram("fullhouse_webhook_seconds", "How long webhooks take to answer")
GIVEN_UP = Counter("fullhouse_webhooks_given_up_total", "Webhooks that we disabled, by why", ["because"])


class StillClaimed(Exception):
    """Somebody else is sending it, or died while doing so: the job comes back later and looks again."""


async def send(
    database: Database, keyring: Keyring, outward: Outward, organization_id: UUID, delivery_id: UUID, attempt: int
) -> None:
    """One try of one delivery. Whoever dies after the call and before the last line leaves the claim to run out; then
    the same message is sent again, under the same id.
    """
    async with database.tenant(organization_id, SENDER) as tx:
        tried = await _claim(tx, delivery_id, attempt)
        now = await tx.now()
    if tried is None:
        return
    outcome = await _post(keyring, outward, tried, now)
    async with database.tenant(organization_id, SENDER) as tx:
        await _settle(tx, tried, outcome)


async def put_off(database: Database, organization_id: UUID, delivery_id: UUID, attempt: int) -> bool:
    """Too many wait for this receiver: the message comes back as after a failed try, and later every time, though it is
    no failure of the webhook's. False if it was not put off: the last try is never given away.
    """
    async with database.tenant(organization_id, SENDER) as tx:
        tried = await store.lock_tried(tx, delivery_id)
        if tried is None or not policy.is_ours(tried, attempt) or policy.is_claimed(tried, await tx.now()):
            return False
        verdict = policy.judge(None, tried.failures, random.random())  # noqa: S311 (spreads the load)
        if verdict.pause is None or not tried.enabled:
            return False
        delivery = _found(await _write(tx, tried, Outcome(None, b"", CROWDED, 0), verdict))
        await webhooks.send_later(tx, tried.webhook_id, tried.id, delivery.attempts, after=verdict.pause)
        return True


async def send_test(
    database: Database, keyring: Keyring, outward: Outward, who: Principal, webhook_id: UUID
) -> Delivery:
    """Sends right now, whether the webhook is enabled or not, and tells what came of it. It is in the log, is not tried
    again, and counts neither for nor against the webhook.
    """
    delivery_id, message_id = new_id(), new_id()
    async with database.tenant(who.organization_id, who.actor) as tx:
        await webhooks.get_webhook(tx, webhook_id)
        now = await tx.now()
        body = webhooks.envelope(message_id, TEST, 1, now, {"webhook_id": webhook_id})
        await store.insert_test(
            tx, id=delivery_id, webhook_id=webhook_id, message_id=message_id, type=TEST, body=body, claim=policy.CLAIM
        )
        await audit.write(tx, "webhook.tested", "webhook", webhook_id)
        tried = await store.lock_tried(tx, delivery_id)
        assert tried
    outcome = await _post(keyring, outward, tried, now)
    verdict = policy.judge(outcome.status, len(policy.PAUSES), 0)
    async with database.tenant(who.organization_id, who.actor) as tx:
        return _found(await _write(tx, tried, outcome, verdict))


async def redeliver(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Once more from the beginning, whatever became of it; with all its tries."""
    if not (await webhooks.get_webhook(tx, webhook_id)).enabled:
        raise WebhookDisabled()
    before = _found(await store.lock_delivery(tx, webhook_id=webhook_id, delivery_id=delivery_id))
    delivery = _found(await store.ask_again(tx, delivery_id))
    # The job that may wait for a later try finds its number gone.
    await webhooks.send_later(tx, webhook_id, delivery_id, delivery.attempts)
    told = {"webhook_id": webhook_id, "message_id": delivery.message_id}
    await audit.write(
        tx, "webhook.redelivered", "webhook_delivery", delivery_id, before={"status": before.status}, after=told
    )
    return delivery


async def redeliver_failed(tx: Tx, webhook_id: UUID, data: RedeliverFailed, *, already: int = 0) -> Redelivered:
    """All that failed since then, from the beginning, as many as are taken at a time. Whoever asks again gets the next
    of them: those that wait are not among them. `already` of them are on their way: these come after them."""
    if not (await webhooks.get_webhook(tx, webhook_id)).enabled:
        raise WebhookDisabled()
    due = await store.ask_failed_again(
        tx, webhook_id=webhook_id, since=data.since, limit=policy.AGAIN_MAX, waiting=already, pause=policy.AGAIN_EVERY
    )
    if due:
        await webhooks.send_all_later(tx, webhook_id, due)
        told = {"since": data.since, "deliveries": len(due)}
        await audit.write(tx, "webhook.failed_redelivered", "webhook", webhook_id, after=told)
    return Redelivered(redelivered=len(due), more=len(due) == policy.AGAIN_MAX)


async def _claim(tx: Tx, delivery_id: UUID, attempt: int) -> Tried | None:
    tried = await store.lock_tried(tx, delivery_id)
    if tried is None or not policy.is_ours(tried, attempt):
        return None
    if policy.is_claimed(tried, await tx.now()):
        raise StillClaimed
    if not tried.enabled:
        await _write(tx, tried, Outcome(None, b"", "the webhook was disabled", 0), policy.Verdict("failed", None))
        return None
    await store.claim(tx, delivery_id=delivery_id, claim=policy.CLAIM)
    return tried


async def _post(keyring: Keyring, outward: Outward, tried: Tried, now: datetime) -> Outcome:
    sealed = [tried.secret]
    if tried.previous_secret and tried.previous_secret_until and tried.previous_secret_until > now:
        sealed.append(tried.previous_secret)
    secrets = [keyring.open(webhooks.purpose(tried.webhook_id), secret) for secret in sealed]
    readable = [secret for secret in secrets if secret is not None]
    if not readable:
        why = "its secret was sealed under another FULLHOUSE_SECRET_KEY: rotate it"
        return Outcome(None, b"", why, 0)
    body = tried.body.encode()
    outcome = await outward.post(tried.url, body, policy.signed_headers(readable, str(tried.message_id), now, body))
    SECONDS.observe(outcome.ms / 1000)
    return outcome


async def _settle(tx: Tx, tried: Tried, outcome: Outcome) -> None:
    """Locks the webhook before the delivery, like whoever deletes it."""
    verdict = policy.judge(outcome.status, tried.failures, random.random())  # noqa: S311 (spreads the load)
    if verdict.status == "delivered":
        await store.note_success(tx, tried.webhook_id)
    elif webhook := await store.note_failure(tx, tried.webhook_id):
        await _give_up_if_due(tx, webhook, verdict, outcome)
    delivery = await _write(tx, tried, outcome, verdict)
    if delivery is not None and verdict.pause is not None:
        await webhooks.send_later(tx, tried.webhook_id, tried.id, delivery.attempts, after=verdict.pause)


async def _write(tx: Tx, tried: Tried, outcome: Outcome, verdict: policy.Verdict) -> Delivery | None:
    TRIES.labels(verdict.status if verdict.pause is None else "later").inc()
    return await store.finish(
        tx,
        delivery_id=tried.id,
        attempts=tried.attempts,
        status=verdict.status,
        pause=verdict.pause,
        response_status=outcome.status,
        response_body=policy.excerpt(outcome.body) if outcome.status else None,
        error=outcome.error,
        duration_ms=outcome.ms,
    )


async def _give_up_if_due(tx: Tx, webhook: Webhook, verdict: policy.Verdict, outcome: Outcome) -> None:
    assert webhook.failing_since
    if verdict.gone:
        because = "gone"
    elif policy.is_given_up(webhook.failures, webhook.failing_since, await tx.now()):
        because = "failing"
    else:
        return
    if not await store.give_up(tx, webhook_id=webhook.id, reason=because):
        return  # it is disabled already
    told = {"enabled": False, "disabled_because": because, "failures": webhook.failures}
    await audit.write(tx, "webhook.given_up", "webhook", webhook.id, before={"enabled": True}, after=told)
    fact_id = await announce(tx, WebhookGivenUp(subject_id=webhook.id, because=because))
    await _tell_owners(tx, webhook, outcome, fact_id)
    GIVEN_UP.labels(because).inc()


async def _tell_owners(tx: Tx, webhook: Webhook, outcome: Outcome, fact_id: UUID) -> None:
    assert webhook.failing_since
    owners = await store.owners(tx)
    if not owners:
        return
    letter = Letter(
        url=webhook.url,
        failing_since=webhook.failing_since,
        last_error=outcome.error or f"status {outcome.status}",
        timezone=(await accounts.get_profile(tx)).timezone,
    )
    await mails.post_all(tx, [mails.To(email, letter) for email in owners], about=fact_id)


def _found(delivery: Delivery | None) -> Delivery:
    if delivery is None:
        raise NotFound
    return delivery
