"""Actions on deliveries: claim, send, record the outcome. The HTTP request is made outside of any transaction."""

import random
from datetime import datetime
from uuid import UUID

from prometheus_client import Counter, Histogram

from fullhouse.accounts import actions as accounts
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Database, Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.safe_http import Outcome, SafeHttpClient
from fullhouse.kit.ids import new_id
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.secrets import Keyring
from fullhouse.mail.model import WebhookDisabled as WebhookDisabledEmail
from fullhouse.webhooks import actions as webhooks
from fullhouse.webhooks import policy, store
from fullhouse.webhooks.facts import WebhookGivenUp
from fullhouse.webhooks.model import Delivery, DeliveryAttempt, Redelivered, RedeliverFailed, Webhook, WebhookDisabled

SENDER = Actor(type="system", name="webhooks")
TEST = "webhook.test"
TOO_MANY_WAITING = "not sent: too many messages wait for this receiver, which responds slowly"
TRIES = Counter("fullhouse_webhook_attempts_total", "Attempts to deliver to webhooks, by what followed", ["outcome"])
SECONDS = Histogram("fullhouse_webhook_seconds", "How long webhooks take to respond")
GIVEN_UP = Counter("fullhouse_webhooks_disabled_total", "Webhooks disabled after failures, by reason", ["because"])


class StillClaimed(Exception):
    """Another worker is sending it, or died while doing so: the job is retried later."""


async def send(
    database: Database,
    keyring: Keyring,
    outward: SafeHttpClient,
    organization_id: UUID,
    delivery_id: UUID,
    attempt: int,
) -> None:
    """One attempt of one delivery. If the process dies between the request and the write of its outcome, the claim
    expires, and the same message is sent again, with the same id.
    """
    async with database.tenant(organization_id, SENDER) as tx:
        tried = await _claim(tx, delivery_id, attempt)
        now = await tx.now()
    if tried is None:
        return
    outcome = await _post(keyring, outward, tried, now)
    async with database.tenant(organization_id, SENDER) as tx:
        await _record_outcome(tx, tried, outcome)


async def postpone(database: Database, organization_id: UUID, delivery_id: UUID, attempt: int) -> bool:
    """Postpones a delivery because too many wait for this receiver: it is retried as after a failed attempt, with
    growing pauses, but not counted as the webhook's failure. False if it was not postponed: the last attempt never is.
    """
    async with database.tenant(organization_id, SENDER) as tx:
        tried = await store.lock_attempt(tx, delivery_id)
        if tried is None or not policy.is_pending_attempt(tried, attempt) or policy.is_claimed(tried, await tx.now()):
            return False
        verdict = policy.judge(None, tried.failures, random.random())  # noqa: S311 (spreads the load)
        if verdict.pause is None or not tried.enabled:
            return False
        delivery = _require_delivery(await _finish_attempt(tx, tried, Outcome(None, b"", TOO_MANY_WAITING, 0), verdict))
        await webhooks.enqueue_attempt(tx, tried.webhook_id, tried.id, delivery.attempts, after=verdict.pause)
        return True


async def send_test(
    database: Database, keyring: Keyring, outward: SafeHttpClient, who: Principal, webhook_id: UUID
) -> Delivery:
    """Sends at once, whether the webhook is enabled or not, and returns the outcome. It is logged like any delivery,
    not retried, and does not change the webhook's failures.
    """
    delivery_id, message_id = new_id(), new_id()
    async with database.tenant(who.organization_id, who.actor) as tx:
        await webhooks.get_webhook(tx, webhook_id)
        now = await tx.now()
        body = webhooks.render_envelope(message_id, TEST, 1, now, {"webhook_id": webhook_id})
        await store.insert_test_delivery(
            tx, id=delivery_id, webhook_id=webhook_id, message_id=message_id, type=TEST, body=body, claim=policy.CLAIM
        )
        await audit.write(tx, "webhook.tested", "webhook", webhook_id)
        tried = await store.lock_attempt(tx, delivery_id)
        assert tried
    outcome = await _post(keyring, outward, tried, now)
    verdict = policy.judge(outcome.status, len(policy.PAUSES), 0)
    async with database.tenant(who.organization_id, who.actor) as tx:
        return _require_delivery(await _finish_attempt(tx, tried, outcome, verdict))


async def redeliver(tx: Tx, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    """Starts a delivery again, whatever its status, with all its attempts."""
    if not (await webhooks.get_webhook(tx, webhook_id)).enabled:
        raise WebhookDisabled()
    before = _require_delivery(await store.lock_delivery(tx, webhook_id=webhook_id, delivery_id=delivery_id))
    delivery = _require_delivery(await store.reset_delivery(tx, delivery_id))
    # A job that waits for a later attempt finds another attempt number, and does nothing.
    await webhooks.enqueue_attempt(tx, webhook_id, delivery_id, delivery.attempts)
    after = {"webhook_id": webhook_id, "message_id": delivery.message_id}
    await audit.write(
        tx, "webhook.redelivered", "webhook_delivery", delivery_id, before={"status": before.status}, after=after
    )
    return delivery


async def redeliver_failed(tx: Tx, webhook_id: UUID, data: RedeliverFailed, *, already: int = 0) -> Redelivered:
    """Starts again up to REDELIVER_MAX deliveries that failed since then. Another call gets the next ones: pending
    deliveries are not selected. `already` are scheduled: these follow them."""
    if not (await webhooks.get_webhook(tx, webhook_id)).enabled:
        raise WebhookDisabled()
    due = await store.reset_failed_deliveries(
        tx,
        webhook_id=webhook_id,
        since=data.since,
        limit=policy.REDELIVER_MAX,
        waiting=already,
        pause=policy.REDELIVER_INTERVAL,
    )
    if due:
        await webhooks.enqueue_attempts(tx, webhook_id, due)
        after = {"since": data.since, "deliveries": len(due)}
        await audit.write(tx, "webhook.failed_redelivered", "webhook", webhook_id, after=after)
    return Redelivered(redelivered=len(due), more=len(due) == policy.REDELIVER_MAX)


async def _claim(tx: Tx, delivery_id: UUID, attempt: int) -> DeliveryAttempt | None:
    tried = await store.lock_attempt(tx, delivery_id)
    if tried is None or not policy.is_pending_attempt(tried, attempt):
        return None
    if policy.is_claimed(tried, await tx.now()):
        raise StillClaimed
    if not tried.enabled:
        await _finish_attempt(
            tx, tried, Outcome(None, b"", "the webhook was disabled", 0), policy.Verdict("failed", None)
        )
        return None
    await store.claim_delivery(tx, delivery_id=delivery_id, claim=policy.CLAIM)
    return tried


async def _post(keyring: Keyring, outward: SafeHttpClient, tried: DeliveryAttempt, now: datetime) -> Outcome:
    sealed = [tried.secret]
    if tried.previous_secret and tried.previous_secret_until and tried.previous_secret_until > now:
        sealed.append(tried.previous_secret)
    secrets = [keyring.open(webhooks.seal_purpose(tried.webhook_id), secret) for secret in sealed]
    readable = [secret for secret in secrets if secret is not None]
    if not readable:
        error = "its secret was sealed with another FULLHOUSE_SECRET_KEY: rotate it"
        return Outcome(None, b"", error, 0)
    body = tried.body.encode()
    outcome = await outward.post(tried.url, body, policy.sign_headers(readable, str(tried.message_id), now, body))
    SECONDS.observe(outcome.ms / 1000)
    return outcome


async def _record_outcome(tx: Tx, tried: DeliveryAttempt, outcome: Outcome) -> None:
    """Locks the webhook before the delivery, in the same order as deleting it."""
    verdict = policy.judge(outcome.status, tried.failures, random.random())  # noqa: S311 (spreads the load)
    if verdict.status == "delivered":
        await store.record_success(tx, tried.webhook_id)
    elif webhook := await store.record_failure(tx, tried.webhook_id):
        await _give_up_if_due(tx, webhook, verdict, outcome)
    delivery = await _finish_attempt(tx, tried, outcome, verdict)
    if delivery is not None and verdict.pause is not None:
        await webhooks.enqueue_attempt(tx, tried.webhook_id, tried.id, delivery.attempts, after=verdict.pause)


async def _finish_attempt(tx: Tx, tried: DeliveryAttempt, outcome: Outcome, verdict: policy.Verdict) -> Delivery | None:
    TRIES.labels(verdict.status if verdict.pause is None else "retry_scheduled").inc()
    return await store.finish_attempt(
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
    if not await store.disable_webhook(tx, webhook_id=webhook.id, reason=because):
        return  # it is disabled already
    after = {"enabled": False, "disabled_because": because, "failures": webhook.failures}
    await audit.write(tx, "webhook.given_up", "webhook", webhook.id, before={"enabled": True}, after=after)
    fact_id = await announce(tx, WebhookGivenUp(subject_id=webhook.id, because=because))
    await _email_owners(tx, webhook, outcome, fact_id)
    GIVEN_UP.labels(because).inc()


async def _email_owners(tx: Tx, webhook: Webhook, outcome: Outcome, fact_id: UUID) -> None:
    assert webhook.failing_since
    owners = await store.list_owner_emails(tx)
    if not owners:
        return
    email_data = WebhookDisabledEmail(
        url=webhook.url,
        failing_since=webhook.failing_since,
        last_error=outcome.error or f"status {outcome.status}",
        timezone=(await accounts.require_profile(tx)).timezone,
    )
    await mailbox.enqueue_emails(tx, [mailbox.OutgoingEmail(email, email_data) for email in owners], about=fact_id)


def _require_delivery(delivery: Delivery | None) -> Delivery:
    if delivery is None:
        raise NotFound
    return delivery
