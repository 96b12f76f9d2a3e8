"""The verbs of money back, by decision: of staff, here or at the provider itself, or because a show was cancelled.

The order's lock makes of any number of refunds a row of them; each is judged by what the ones before have left. A
worker asks the provider for the money afterwards (payments/jobs.py).
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.checkout import facts, store
from fullhouse.checkout.model import OrderNotFound, StoredOrder, quote_of
from fullhouse.checkout.orders import settle
from fullhouse.checkout.orders.reads import get
from fullhouse.events import actions as events
from fullhouse.events.facts import EventFact
from fullhouse.events.public import actions as shows
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message, announce
from fullhouse.kit.money import Money
from fullhouse.payments import actions as payments
from fullhouse.payments.facts import RefundFound
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import About
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
from fullhouse.refunds.policy import Worth
from fullhouse.tickets import actions as tickets
from fullhouse.tickets.facts import TicketVoided
from fullhouse.tickets.model import Ticket, TicketOver
from fullhouse.tickets.types import actions as types

CANCELLED = "The show was cancelled."
AT_THE_PROVIDER = "It was given back at the provider itself."
LIVE = ("valid", "used")
SHOWN_MAX = 100
RETRIED_MAX = 500  # in one transaction


class Sold(NamedTuple):
    """A ticket of an order, and what it gives back."""

    ticket: Ticket
    worth: Worth


class Decision(NamedTuple):
    """What is given back, and who gives it."""

    amount: int
    entries: dict[str, int]
    void: list[UUID]
    fees: Fees
    reason: str
    batch: bool = False
    ref: str | None = None  # the provider's name for what has gone out already


# --- by staff


async def refund(tx: Tx, order_id: UUID, wish: RefundOrder) -> OrderRefund:
    order, decided, _ = await _decide(tx, order_id, wish)
    return await _carry_out(tx, order, decided)


async def preview(tx: Tx, order_id: UUID, wish: RefundOrder) -> RefundPreview:
    """The same decision, and nothing is done."""
    order, decided, left = await _decide(tx, order_id, wish)
    return RefundPreview(
        amount=Money(decided.amount, order.currency), left=Money(left, order.currency), ticket_ids=decided.void
    )


async def _decide(tx: Tx, order_id: UUID, wish: RefundOrder) -> tuple[StoredOrder, Decision, int]:
    """The order, locked; what is given back of it; and what is left of it before."""
    order = await _lock(tx, order_id)
    sold = await _sold(tx, order)
    attempt = await payments.get_attempt(tx, order.attempt_id)
    left = attempt.amount - attempt.refunded
    earned = await ledger.earned_by(tx, order_id)
    worths = [one.worth for one in sold]
    chosen = _chosen(sold, wish)
    wanted = policy.together(one.worth.back(wish.fees) for one in chosen)
    if wish.amount is not None:
        amount = wish.amount
    elif wish.ticket_ids is not None:
        amount = sum(wanted.values())
    else:
        before = await refunds.refunds_of_order(tx, order_id)
        returned = {ticket for one in before if one.fees == "return" for ticket in one.ticket_ids}
        not_returned = [one.worth for one in sold if one.ticket.id not in returned]
        amount = policy.everything(left, not_returned, wish.fees)
    if not amount and not chosen:
        raise NothingToRefund()
    if amount > left:
        raise RefundTooHigh(f"{Money(left, order.currency)} are left of it.", left=left, currency=order.currency)
    entries = policy.entries(amount, wanted, earned, worths, wish.fees)
    void = [one.ticket.id for one in chosen]
    return order, Decision(amount, entries, void, wish.fees, wish.reason), left


async def _lock(tx: Tx, order_id: UUID) -> StoredOrder:
    order = await _lock_any(tx, order_id)
    if order.paid_at is None:
        raise OrderNotPaid()
    return order


async def _lock_any(tx: Tx, order_id: UUID) -> StoredOrder:
    seen = await get(tx, order_id)
    await events.share_event(tx, seen.event_id)
    order = await store.lock_order(tx, order_id)
    if order is None:
        raise OrderNotFound()
    return order


async def _sold(tx: Tx, order: StoredOrder) -> list[Sold]:
    """Tickets were issued line by line: their numbers go up as the lines do."""
    lines = await store.lines_of_order(tx, order.id)
    issued = sorted(await tickets.tickets_of_order(tx, order.id), key=lambda t: int(t.number.rpartition("-")[2]))
    worths = policy.worths(quote_of(order.quote), [line.quantity for line in lines])
    return [Sold(ticket, worth) for ticket, worth in zip(issued, worths, strict=True)]


def _chosen(sold: Sequence[Sold], wish: RefundOrder) -> list[Sold]:
    """The tickets that are void from now on: those that are named, or all that are live if nothing is."""
    if wish.ticket_ids is None:
        return [] if wish.amount is not None else [one for one in sold if one.ticket.status in LIVE]
    named = set(wish.ticket_ids)
    if strange := named - {one.ticket.id for one in sold}:
        raise Invalid(fields=[FieldError("ticket_ids", f"Not of this order: {', '.join(map(str, sorted(strange)))}.")])
    chosen = [one for one in sold if one.ticket.id in named]
    for one in chosen:
        if one.ticket.status not in LIVE:
            raise TicketOver(f"Ticket {one.ticket.number} is {one.ticket.status} already.", ticket_id=one.ticket.id)
    return chosen


async def _carry_out(tx: Tx, order: StoredOrder, decided: Decision) -> OrderRefund:
    if decided.void:
        await tickets.void(tx, order.event_id, decided.void, "refunded", decided.reason)
    refund_id = new_id()
    if decided.amount:
        of = order.attempt_id, order.event_id, decided.amount, decided.reason
        made = await (payments.note_refund(tx, *of, decided.ref) if decided.ref else payments.request_refund(tx, *of))
        refund_id = made.id
        about = About(order.id, order.event_id)
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
    left = [t for t in await tickets.tickets_of_order(tx, order.id) if t.status in LIVE]
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
    return await _shown(tx, order.id, refund_id)


async def _shown(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    made_of = await refunds.refunds_of_order(tx, order_id)
    return next(one for one in made_of if one.id == refund_id)


async def refunds_of(tx: Tx, order_id: UUID) -> list[OrderRefund]:
    await get(tx, order_id)
    return await refunds.refunds_of_order(tx, order_id)


async def retry(tx: Tx, order_id: UUID, refund_id: UUID) -> OrderRefund:
    """The money of a refund that the provider refused; what was decided with it stands."""
    await payments.retry_refund(tx, order_id, refund_id)
    return await _shown(tx, order_id, refund_id)


async def pay_outside(tx: Tx, order_id: UUID, refund_id: UUID, wish: PaidOutside) -> OrderRefund:
    await payments.pay_outside(tx, order_id, refund_id, wish.reason)
    return await _shown(tx, order_id, refund_id)


async def retry_all(tx: Tx, event_id: UUID) -> EventRefunds:
    """A show's refunds that the provider refused, as many as one transaction bears."""
    await events.get_event(tx, event_id)
    await payments.retry_refunds(tx, event_id, RETRIED_MAX)
    return await progress(tx, event_id)


async def follow_void(tx: Tx, message: Message) -> None:
    """A reaction: a ticket is void, so there is a place again."""
    event_id = message.fact(TicketVoided).event_id
    await refunds.count_void(tx, event_id)
    await shows.follow_stock(tx, event_id)
    types.follow_places(tx, event_id)


# --- at the provider


async def follow_provider(tx: Tx, fact: RefundFound) -> None:
    """A consequence: an amount of an order has gone out, once for its name at the provider. The tickets stay as they
    are: which of them it was for is the organiser's to say. If other places were proposed, and the buyer has not said
    yes to them, nobody sells them for money that is not there: the order is over, and the rest goes back, too."""
    order = await _lock_any(tx, fact.order_id)
    if await payments.has_refund(tx, fact.subject_id, fact.ref):
        raise payments.ToldBefore
    if order.attempt_id != fact.subject_id:
        raise RefundTooHigh()  # of money that was one too many, and goes back by itself
    if order.status == "needs_consent":
        # It was owed to the buyer all the time: nothing is earned, and nothing is to be taken from anybody.
        await payments.note_refund(tx, order.attempt_id, order.event_id, fact.amount, AT_THE_PROVIDER, fact.ref)
        await settle.drop(tx, order, order.total, AT_THE_PROVIDER)
        return
    wish = RefundOrder(reason=AT_THE_PROVIDER, amount=fact.amount)
    order, decided, _ = await _decide(tx, order.id, wish)
    await _carry_out(tx, order, decided._replace(ref=fact.ref))


# --- a cancelled show


async def note_cancellation(tx: Tx, fact: EventFact) -> None:
    """A consequence: what was sold is to be given back. A worker does it, order by order."""
    if await refunds.begin_batch(tx, event_id=fact.subject_id, reason=CANCELLED):
        await audit.write(tx, "refunds.started", "event", fact.subject_id)


async def give_back(tx: Tx, order_id: UUID, reason: str) -> bool:
    """All that is left of an order, fees included: nobody keeps anything of a show that did not take place. Once."""
    order = await _lock(tx, order_id)
    if order.status not in ("paid", "partly_refunded") or await refunds.is_given_back(tx, order_id):
        return False
    attempt = await payments.get_attempt(tx, order.attempt_id)
    left = attempt.amount - attempt.refunded
    earned = await ledger.earned_by(tx, order_id)
    entries = policy.entries(left, earned, earned, (), "return")
    issued = await tickets.tickets_of_order(tx, order_id)
    void = [ticket.id for ticket in issued if ticket.status in LIVE]
    await _carry_out(tx, order, Decision(left, entries, void, "return", reason, batch=True))
    await refunds.forget_failure(tx, order_id)
    return True


async def finish_round(tx: Tx, event_id: UUID) -> bool:
    """Whether all of a cancelled show's orders are given back."""
    done = await refunds.close_batch(tx, event_id) == "done"
    if done:
        await audit.write(tx, "refunds.finished", "event", event_id)
    return done


async def progress(tx: Tx, event_id: UUID) -> EventRefunds:
    await events.get_event(tx, event_id)
    return EventRefunds(
        event_id=event_id,
        batch=await refunds.batch_progress(tx, event_id),
        amounts=await refunds.refunded_amounts(tx, event_id),
        failures=await refunds.batch_failures(tx, event_id=event_id, limit=SHOWN_MAX),
        refused=await refunds.refused_refunds(tx, event_id=event_id, limit=SHOWN_MAX),
    )
