"""Actions on payments and refunds: a provider's outcome is recorded once, from whichever source; a refund is requested
once.

The waiting request, the periodic job and a provider's webhook all end in `record`. It takes the attempt's lock before
every other lock; no transaction that holds another lock waits for an attempt whose outcome is open.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce, insert_facts
from fullhouse.payments import facts, policy, store
from fullhouse.payments.ledger import actions as ledger_actions
from fullhouse.payments.ledger.actions import OrderReference
from fullhouse.payments.model import (
    OUTSIDE,
    REFUNDS,
    Attempt,
    Cancelled,
    Captured,
    Failed,
    Outcome,
    Pending,
    Refund,
    Refunded,
    RefundNotFailed,
    RefundOutcome,
    RefundTooHigh,
    Unknown,
    provider_account,
)

OUTCOMES = Counter("fullhouse_payments_total", "Payment attempts by outcome", ["provider", "outcome"])
log = structlog.get_logger()


class RefundAlreadyRecorded(Exception):
    """Another message has recorded this refund concurrently."""


async def require_attempt(tx: Tx, attempt_id: UUID) -> Attempt:
    found = await store.attempt_by_id(tx, attempt_id)
    if found is None:
        raise NotFound
    return found


async def list_attempts(tx: Tx, order_id: UUID) -> list[Attempt]:
    return await store.attempts_of_order(tx, order_id)


async def record_outcome(tx: Tx, attempt_id: UUID, outcome: Outcome) -> Attempt:
    """Records a provider's outcome. The first capture settles the order, the first failure thaws its holds."""
    before = await store.lock_attempt(tx, attempt_id)
    if before is None:
        raise NotFound
    if isinstance(outcome, Captured) and (wrong := policy.find_mismatch(before, outcome)):
        return await _record_mismatch(tx, before, outcome, wrong)
    status = policy.next_status(before.status, outcome)
    if status is None:
        return before
    details = _to_details(outcome)
    after = await store.save_attempt(
        tx,
        attempt_id=attempt_id,
        status=status,
        provider_ref=details.provider_ref,
        client_secret=details.client_secret,
        failure_code=details.failure_code,
        failure=details.failure,
    )
    assert after
    if status in ("captured", "failed", "abandoned"):
        OUTCOMES.labels(after.provider, status).inc()
        await _announce_outcome(tx, before, after)
    return after


async def capture_all(tx: Tx, captures: Sequence[tuple[UUID, Captured]]) -> list[Attempt]:
    """Records captures of several attempts. Returns those for which it is the first outcome, the requested amount, and
    the only payment of their order; all others must go to `record_outcome`. The caller applies the effects."""
    ids, outcomes = [attempt_id for attempt_id, _ in captures], [outcome for _, outcome in captures]
    refs, amounts = [outcome.ref for outcome in outcomes], [outcome.amount for outcome in outcomes]
    currencies = [outcome.currency for outcome in outcomes]
    return await store.capture_attempts(tx, attempt_ids=ids, refs=refs, amounts=amounts, currencies=currencies)


async def announce_captured(tx: Tx, attempts: Sequence[Attempt]) -> None:
    """Announces attempts that `capture_all` has captured and that are settled."""
    for attempt in attempts:
        OUTCOMES.labels(attempt.provider, attempt.status).inc()
    await insert_facts(
        tx, [facts.PaymentCaptured(subject_id=attempt.id, **_attempt_fields(attempt)) for attempt in attempts]
    )


class _Details(NamedTuple):
    provider_ref: str | None = None
    client_secret: str | None = None
    failure_code: str | None = None
    failure: str | None = None


def _to_details(outcome: Outcome) -> _Details:
    match outcome:
        case Captured(ref=ref):
            return _Details(provider_ref=ref)
        case Pending(ref=ref, client_secret=secret):
            return _Details(provider_ref=ref, client_secret=secret)
        case Failed(code=code, sentence=sentence):
            return _Details(failure_code=code, failure=sentence)
        case Cancelled():
            return _Details(failure_code="cancelled", failure="The payment was not completed in time.")
        case Unknown():
            return _Details()


async def _announce_outcome(tx: Tx, before: Attempt, after: Attempt) -> None:
    fields = _attempt_fields(after)
    if after.status == "captured":
        late = before.status in ("failed", "abandoned")
        fact = facts.PaymentCaptured(subject_id=after.id, late=late, surplus=after.surplus, **fields)
        await announce(tx, fact)
        return
    await audit.write(
        tx,
        "payment.failed",
        "payment_attempt",
        after.id,
        before={"status": before.status},
        after={"status": after.status},
        reason=after.failure_code,
    )
    await announce(tx, facts.PaymentFailed(subject_id=after.id, code=after.failure_code or "failed", **fields))


def _attempt_fields(attempt: Attempt) -> dict[str, Any]:
    return {
        "order_id": attempt.order_id,
        "provider": attempt.provider,
        "amount": attempt.amount,
        "currency": attempt.currency,
    }


async def _record_mismatch(tx: Tx, attempt: Attempt, outcome: Captured, wrong: str) -> Attempt:
    """A wrong amount or currency was captured: no tickets are issued, and an operator must decide."""
    currency = outcome.currency or attempt.currency
    log.error(
        "payments.captured_amount_mismatch",
        detail="no tickets are issued; refund it at the provider",
        attempt_id=str(attempt.id),
        asked=attempt.amount,
        currency=attempt.currency,
        captured=outcome.amount,
        captured_currency=currency,
        provider=attempt.provider,
    )
    if attempt.has_mismatch or not attempt.is_open:
        return attempt
    failure = f"{outcome.amount} {currency} was captured instead of {attempt.amount} {attempt.currency}."
    after = await store.save_attempt(
        tx,
        attempt_id=attempt.id,
        status="unknown",
        provider_ref=outcome.ref,
        client_secret=None,
        failure_code=wrong,
        failure=failure,
    )
    assert after
    captured = {"captured": outcome.amount, "currency": currency}
    await audit.write(tx, f"payment.{wrong}", "payment_attempt", attempt.id, after=captured)
    return after


# --- refunds


async def request_refund(tx: Tx, attempt_id: UUID, event_id: UUID, amount: int, reason: str) -> Refund:
    """Requests a refund of a captured attempt; a worker calls the provider later. The caller must post the ledger
    entries that move the amount from the earnings (kind `refund`, source: the refund's id)."""
    refund, attempt = await _insert_refund(tx, attempt_id, event_id, amount, reason, "requested")
    await announce(tx, facts.RefundRequested(**_refund_fields(refund, attempt), reason=reason))
    return refund


async def announce_found_refund(tx: Tx, attempt: Attempt, ref: str, amount: int) -> bool:
    """Announces a refund that was made at the provider itself; a sync handler records it for its order. Returns whether
    it was for something sold: then an operator must decide about the tickets."""
    await announce(
        tx, facts.RefundFound(subject_id=attempt.id, ref=ref, **_attempt_fields(attempt) | {"amount": amount})
    )
    noted = await store.refund_by_ref(tx, attempt_id=attempt.id, provider_ref=ref)
    return noted is not None and bool(await store.entries_of(tx, source_id=noted.id, kind="refund"))


async def record_paid_refund(tx: Tx, attempt_id: UUID, event_id: UUID, amount: int, reason: str, ref: str) -> Refund:
    """Records a refund that the provider has already paid, under the provider's id. The caller posts as above."""
    refund, attempt = await _insert_refund(tx, attempt_id, event_id, amount, reason, "found", ref)
    await _record_payout(tx, refund, attempt, attempt.provider)
    return refund


async def has_refund(tx: Tx, attempt_id: UUID, ref: str) -> bool:
    """Whether the refund with the provider's id `ref` is recorded."""
    return await store.refund_by_ref(tx, attempt_id=attempt_id, provider_ref=ref) is not None


async def _insert_refund(
    tx: Tx, attempt_id: UUID, event_id: UUID, amount: int, reason: str, action: str, ref: str | None = None
) -> tuple[Refund, Attempt]:
    attempt = await store.reserve_refund(tx, attempt_id=attempt_id, amount=amount)
    if attempt is None:
        raise RefundTooHigh()
    refund = await store.insert_refund(
        tx,
        id=new_id(),
        attempt_id=attempt_id,
        order_id=attempt.order_id,
        event_id=event_id,
        amount=amount,
        currency=attempt.currency,
        reason=reason,
        requested_by=tx.actor.id,
        status="done" if ref else "requested",
        provider_ref=ref,
    )
    assert refund
    after = {"order_id": refund.order_id, "amount": amount}
    await audit.write(tx, f"refund.{action}", "refund", refund.id, after=after, reason=reason)
    return refund, attempt


async def record_refund(tx: Tx, refund_id: UUID, outcome: RefundOutcome, of_try: int) -> Refund:
    """Records a provider's outcome of one try of a refund, once."""
    before = await store.lock_refund(tx, refund_id)
    if before is None:
        raise NotFound
    status = policy.next_refund_status(before, outcome, of_try)
    if status is None:
        return before
    ref = outcome.ref if isinstance(outcome, Refunded) else None
    sentence = outcome.sentence if isinstance(outcome, Failed) else None
    after = await store.save_refund(tx, refund_id=refund_id, status=status, provider_ref=ref, failure=sentence)
    assert after
    attempt = await require_attempt(tx, after.attempt_id)
    if after.status == "done":
        await _record_payout(tx, after, attempt, attempt.provider)
    elif after.status == "failed":
        log.error(
            "payments.refund_rejected",
            detail="staff must retry the refund or pay it by another way",
            refund_id=str(refund_id),
            failure=sentence,
        )
        if before.status == "done":
            await _post(tx, "return", after, {provider_account(attempt.provider): after.amount, REFUNDS: -after.amount})
        await audit.write(tx, "refund.failed", "refund", refund_id, before={"status": before.status}, reason=sentence)
        await announce(tx, facts.RefundFailed(**_refund_fields(after, attempt), failure=sentence or ""))
    return after


async def retry_refund(tx: Tx, order_id: UUID, refund_id: UUID) -> Refund:
    """Retries a failed refund: a worker calls the provider again, with a new idempotency key."""
    refund = await store.retry_refund(tx, refund_id=refund_id, order_id=order_id)
    if refund is None:
        raise await _to_not_failed_error(tx, order_id, refund_id)
    await audit.write(tx, "refund.retried", "refund", refund.id, after={"tries": refund.tries})
    return refund


async def retry_refunds(tx: Tx, event_id: UUID, limit: int) -> int:
    """Retries up to `limit` failed refunds of an event; returns how many."""
    again = await store.retry_refunds(tx, event_id=event_id, limit=limit)
    for refund in again:
        await audit.write(tx, "refund.retried", "refund", refund.id, after={"tries": refund.tries})
    return len(again)


async def pay_outside(tx: Tx, order_id: UUID, refund_id: UUID, reason: str) -> Refund:
    """Staff have paid the refund by another way. The provider keeps the amount for the organiser."""
    refund = await store.pay_outside(tx, refund_id=refund_id, order_id=order_id, reason=reason)
    if refund is None:
        raise await _to_not_failed_error(tx, order_id, refund_id)
    await _record_payout(tx, refund, await require_attempt(tx, refund.attempt_id), OUTSIDE)
    return refund


async def _to_not_failed_error(tx: Tx, order_id: UUID, refund_id: UUID) -> Exception:
    found = await store.refund_by_id(tx, refund_id)
    if found is None or found.order_id != order_id:
        return NotFound()
    return RefundNotFailed(f"The refund is {found.status}.")


async def _record_payout(tx: Tx, refund: Refund, attempt: Attempt, provider: str) -> None:
    await _post(tx, "payout", refund, {REFUNDS: refund.amount, provider_account(provider): -refund.amount})
    after = {"amount": refund.amount} | ({"outside": True} if refund.paid_outside else {})
    await audit.write(tx, "refund.done", "refund", refund.id, after=after, reason=refund.paid_outside)
    await announce(tx, facts.RefundDone(**_refund_fields(refund, attempt), outside=refund.paid_outside is not None))


async def _post(tx: Tx, kind: str, refund: Refund, entries: dict[str, int]) -> None:
    about = OrderReference(refund.order_id, refund.event_id)
    await ledger_actions.post(tx, kind, refund.key, about, refund.currency, entries)


async def list_refunds(tx: Tx, order_id: UUID) -> list[Refund]:
    return await store.refunds_of_order(tx, order_id)


def _refund_fields(refund: Refund, attempt: Attempt) -> dict[str, Any]:
    return {
        "subject_id": refund.id,
        "attempt_id": refund.attempt_id,
        "order_id": refund.order_id,
        "provider": attempt.provider,
        "amount": refund.amount,
        "currency": refund.currency,
    }
