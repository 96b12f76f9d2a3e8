"""Actions on refunds: by staff, here or at the provider itself, or because an event was cancelled.

The order's lock serialises its refunds; each is checked against what the earlier ones have left. A worker calls the
provider afterwards (payments/jobs.py).
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout import facts, store
from fullhouse.checkout.model import OrderNotFound, StoredOrder, decode_quote
from fullhouse.checkout.orders import settle
from fullhouse.checkout.orders.reads import require_order
from fullhouse.events import actions as events
from fullhouse.events.facts import EventFact
from fullhouse.events.public import actions as public_events
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message, announce
from fullhouse.kit.money import Money
from fullhouse.payments import actions as payments
from fullhouse.payments.facts import RefundFound
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import OrderReference
from fullhouse.payments.model import RefundTooHigh
from fullhouse.refunds import policy
from fullhouse.refunds import store as refunds
from fullhouse.refunds.model import (
    EventRefunds,
    Fees,
    NothingToRefund,
    OrderNotPaid,
    OrderRefund,
    PaidOutside,
    RefundOrder,
    RefundPreview,
)
from fullhouse.refunds.policy import TicketShares
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.facts import TicketVoided
from fullhouse.tickets.model import Ticket, TicketNotValid
from fullhouse.tickets.types import actions as types

CANCELLED = "The show was cancelled."
AT_THE_PROVIDER = "It was given back at the provider itself."
VALID_STATUSES = ("valid", "used")
LISTED_MAX = 100
RETRIED_MAX = 500  # in one transaction


class RefundableTicket(NamedTuple):
    """A ticket of an order, with the shares of its refund."""

    ticket: Ticket
    shares: TicketShares


class Decision(NamedTuple):
    """A decided refund: the amount, its ledger entries, and the tickets to void."""

    amount: int
    entries: dict[str, int]
    void: list[UUID]
    fees: Fees
    reason: str
    batch: bool = False
    ref: str | None = None  # the provider's id of a refund that is paid already


# --- by staff


async def refund(tx: Tx, order_id: UUID, request: RefundOrder) -> OrderRefund:
    order, decided, _ = await _decide(tx, order_id, request)
    return await _apply_decision(tx, order, decided)


async def preview(tx: Tx, order_id: UUID, request: RefundOrder) -> RefundPreview:
    """Decides like `refund`, without applying it."""
    order, decided, left = await _decide(tx, order_id, request)
    return RefundPreview(
        amount=Money(decided.amount, order.currency), left=Money(left, order.currency), ticket_ids=decided.void
    )


async def _decide(tx: Tx, order_id: UUID, request: RefundOrder) -> tuple[StoredOrder, Decision, int]:
    """The order, locked; the decided refund; and what was left to refund before."""
    order = await _lock_paid_order(tx, order_id)
    sold = await _load_tickets(tx, order)
    attempt = await payments.require_attempt(tx, order.attempt_id)
    left = attempt.amount - attempt.refunded
    earned = await ledger.load_earnings(tx, order_id)
    worths = [one.shares for one in sold]
    chosen = _select_tickets(sold, request)
    wanted = policy.add_shares(one.shares.refundable(request.fees) for one in chosen)
    if request.amount is not None:
        amount = request.amount
    elif request.ticket_ids is not None:
        amount = sum(wanted.values())
    else:
        earlier = await refunds.refunds_of_order(tx, order_id)
        returned = {ticket for one in earlier if one.fees == "return" for ticket in one.ticket_ids}
        not_returned = [one.shares for one in sold if one.ticket.id not in returned]
        amount = policy.full_amount(left, not_returned, request.fees)
    if not amount and not chosen:
        raise NothingToRefund()
    if amount > left:
        raise RefundTooHigh(
            f"At most {Money(left, order.currency)} can be refunded.", left=left, currency=order.currency
        )
    entries = policy.refund_entries(amount, wanted, earned, worths, request.fees)
    void = [one.ticket.id for one in chosen]
    return order, Decision(amount, entries, void, request.fees, request.reason), left


async def _lock_paid_order(tx: Tx, order_id: UUID) -> StoredOrder:
    order = await _lock_order(tx, order_id)
    if order.paid_at is None:
        raise OrderNotPaid()
    return order


async def _lock_order(tx: Tx, order_id: UUID) -> StoredOrder:
    seen = await require_order(tx, order_id)
    await events.lock_event_shared(tx, seen.event_id)
    order = await store.lock_order(tx, order_id)
    if order is None:
        raise OrderNotFound()
    return order


async def _load_tickets(tx: Tx, order: StoredOrder) -> list[RefundableTicket]:
    """Tickets were numbered in the order of the order items, so that both can be zipped."""
    items = await store.items_of_order(tx, order.id)
    issued = sorted(await tickets.tickets_of_order(tx, order.id), key=lambda t: int(t.number.rpartition("-")[2]))
    worths = policy.split_by_ticket(decode_quote(order.quote), [item.quantity for item in items])
    return [RefundableTicket(ticket, worth) for ticket, worth in zip(issued, worths, strict=True)]


def _select_tickets(sold: Sequence[RefundableTicket], request: RefundOrder) -> list[RefundableTicket]:
    """The tickets to void: the named ones, or all valid ones if neither tickets nor an amount are named."""
    if request.ticket_ids is None:
        return [] if request.amount is not None else [one for one in sold if one.ticket.status in VALID_STATUSES]
    named = set(request.ticket_ids)
    if unknown := named - {one.ticket.id for one in sold}:
        raise Invalid(
            fields=[
                FieldError(
                    "ticket_ids", f"These tickets are not of this order: {', '.join(map(str, sorted(unknown)))}."
                )
            ]
        )
    chosen = [one for one in sold if one.ticket.id in named]
    for one in chosen:
        if one.ticket.status not in VALID_STATUSES:
            raise TicketNotValid(f"Ticket {one.ticket.number} is already {one.ticket.status}.", ticket_id=one.ticket.id)
    return chosen


async def _apply_decision(tx: Tx, order: StoredOrder, decided: Decision) -> OrderRefund:
    if decided.void:
        await tickets.void(tx, order.event_id, decided.void, "refunded", decided.reason)
    refund_id = new_id()
    if decided.amount:
        args = order.attempt_id, order.event_id, decided.amount, decided.reason
        if decided.ref:
            refund_id = (await payments.record_paid_refund(tx, *args, decided.ref)).id
        else:
            refund_id = (await payments.request_refund(tx, *args)).id
        about = OrderReference(order.id, order.event_id)
        await ledger.post(tx, "refund", refund_id, about, order.currency, decided.entries)
    await refunds.insert_refund(
        tx,
        id=refund_id,
        order_id=order.id,
        event_id=order.event_id,
        amount=decided.amount,
        currency=order.currency,
        fees=decided.fees,
        ticket_ids=decided.void,
        reason=decided.reason,
        batch=decided.batch,
        requested_by=tx.actor.id,
    )
    left = [t for t in await tickets.tickets_of_order(tx, order.id) if t.status in VALID_STATUSES]
    status = "partly_refunded" if left else "refunded"
    await refunds.set_order_status(tx, order_id=order.id, status=status)
    await audit.write(
        tx,
        "order.refunded",
        "order",
        order.id,
        before={"status": order.status},
        reason=decided.reason,
        after={"status": status, "refund_id": refund_id, "amount": decided.amount, "tickets": len(decided.void)},
    )
    fact = facts.OrderRefunded(
        subject_id=order.id,
        event_id=order.event_id,
        user_id=order.user_id,
        code=order.code,
        total=order.total,
        currency=order.currency,
        buyer_email=order.buyer_email,
        refund_id=refund_id,
        amount=decided.amount,
        tickets=len(decided.void),
        reason=decided.reason,
        status=status,
        cancelled=decided.batch,
    )
    await announce(tx, fact)
    return await _load_refund(tx, order.id, refund_id)


async def _load_refund(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    found = await refunds.refunds_of_order(tx, order_id)
    return next(one for one in found if one.id == refund_id)


async def list_refunds(tx: Tx, order_id: UUID) -> list[OrderRefund]:
    await require_order(tx, order_id)
    return await refunds.refunds_of_order(tx, order_id)


async def retry(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    """Retries the payment of a failed refund; the decision is unchanged."""
    await payments.retry_refund(tx, order_id, refund_id)
    return await _load_refund(tx, order_id, refund_id)


async def pay_outside(tx: Tx, order_id: UUID, refund_id: UUID, request: PaidOutside) -> OrderRefund:
    await payments.pay_outside(tx, order_id, refund_id, request.reason)
    return await _load_refund(tx, order_id, refund_id)


async def retry_refunds_of_event(tx: Tx, event_id: UUID) -> EventRefunds:
    """Retries the failed refunds of an event, as many as one transaction should hold."""
    await events.require_event(tx, event_id)
    await payments.retry_refunds(tx, event_id, RETRIED_MAX)
    return await load_progress(tx, event_id)


async def update_after_void(tx: Tx, message: Message) -> None:
    """Async handler: a ticket is void, so its seat or spot is on sale again."""
    event_id = message.fact(TicketVoided).event_id
    await refunds.count_void(tx, event_id)
    await public_events.update_stock(tx, event_id)
    types.invalidate_offers(tx, event_id)


# --- at the provider


async def record_provider_refund(tx: Tx, fact: RefundFound) -> None:
    """Sync handler: records a refund made at the provider, once for its id there. The tickets stay valid: the organiser
    decides which of them it was for. If the order waits for the buyer's consent to other seats, it is cancelled, and
    the rest is refunded, because its payment is no longer complete."""
    order = await _lock_order(tx, fact.order_id)
    if await payments.has_refund(tx, fact.subject_id, fact.ref):
        raise payments.RefundAlreadyRecorded
    if order.attempt_id != fact.subject_id:
        raise RefundTooHigh()  # of a surplus payment, which is refunded automatically
    if order.status == "needs_consent":
        # The money was still owed to the buyer: nothing is earned, so no earnings are reversed.
        await payments.record_paid_refund(tx, order.attempt_id, order.event_id, fact.amount, AT_THE_PROVIDER, fact.ref)
        await settle.cancel_proposal(tx, order, order.total, AT_THE_PROVIDER)
        return
    request = RefundOrder(reason=AT_THE_PROVIDER, amount=fact.amount)
    order, decided, _ = await _decide(tx, order.id, request)
    await _apply_decision(tx, order, decided._replace(ref=fact.ref))


# --- a cancelled event


async def start_batch(tx: Tx, fact: EventFact) -> None:
    """Sync handler: starts refunding the orders of a cancelled event. A worker does it, order by order."""
    if await refunds.begin_batch(tx, event_id=fact.subject_id, reason=CANCELLED):
        await audit.write(tx, "refunds.started", "event", fact.subject_id)


async def refund_cancelled_order(tx: Tx, order_id: UUID, reason: str) -> bool:
    """Refunds all that is left of an order, fees included, because its event was cancelled. Idempotent."""
    order = await _lock_paid_order(tx, order_id)
    if order.status not in ("paid", "partly_refunded") or await refunds.is_refunded_by_batch(tx, order_id):
        return False
    attempt = await payments.require_attempt(tx, order.attempt_id)
    left = attempt.amount - attempt.refunded
    earned = await ledger.load_earnings(tx, order_id)
    entries = policy.refund_entries(left, earned, earned, (), "return")
    issued = await tickets.tickets_of_order(tx, order_id)
    void = [ticket.id for ticket in issued if ticket.status in VALID_STATUSES]
    await _apply_decision(tx, order, Decision(left, entries, void, "return", reason, batch=True))
    await refunds.delete_failure(tx, order_id)
    return True


async def close_batch(tx: Tx, event_id: UUID) -> bool:
    """Closes the batch if all orders of a cancelled event are refunded; returns whether it did."""
    done = await refunds.close_batch(tx, event_id) == "done"
    if done:
        await audit.write(tx, "refunds.finished", "event", event_id)
    return done


async def load_progress(tx: Tx, event_id: UUID) -> EventRefunds:
    await events.require_event(tx, event_id)
    return EventRefunds(
        event_id=event_id,
        batch=await refunds.batch_progress(tx, event_id),
        amounts=await refunds.refunded_amounts(tx, event_id),
        failures=await refunds.batch_failures(tx, event_id=event_id, limit=LISTED_MAX),
        refused=await refunds.refused_refunds(tx, event_id=event_id, limit=LISTED_MAX),
    )
