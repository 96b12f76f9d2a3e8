"""The third step of a purchase: the effects of a payment's outcome, in the transaction that records it. The outcome
arrives by the waiting request, the periodic job, or a provider's webhook.

Usually the holds are still frozen for the payment, and they are sold. A late payment, one that had been given up, takes
the same seats if they are free, otherwise others that the buyer must consent to; otherwise it is refunded. It is also
refunded if the event was cancelled or is over.

A promo code that was released meanwhile is used again. If its last use is gone, the payment is refunded: the price
depended on the code, whose limits on uses and budget are the organiser's and are never exceeded.
"""

from datetime import datetime
from uuid import UUID

import structlog

from fullhouse.checkout import facts, policy, store
from fullhouse.checkout.actions import count_by_type, end_after_failure, end_checkouts
from fullhouse.checkout.model import NoConsentNeeded, StoredOrder
from fullhouse.checkout.orders.reads import require_order
from fullhouse.checkout.orders.sell import OrderPayment, apply_sale, order_fields, sell
from fullhouse.events.facts import EventFact
from fullhouse.events.public import actions as events
from fullhouse.holds import actions as holds
from fullhouse.holds import payment_actions as sales
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import Message, announce
from fullhouse.payments import actions as payments
from fullhouse.payments.facts import PaymentCaptured, PaymentFailed
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import OrderReference
from fullhouse.payments.model import REFUNDS, provider_account
from fullhouse.seating import actions as layouts
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.waiting_room import actions as queue

TWICE, STOPPED, GONE = "it was paid twice", "the show is no longer on", "the places were gone when the money came"
USED_UP = "its promo code was used up when the money came"
REASONS = {"twice": TWICE, "stopped": STOPPED, "gone": GONE, "used_up": USED_UP}
log = structlog.get_logger()


async def settle(tx: Tx, fact: PaymentCaptured) -> None:
    """Sync handler of a captured payment: issues tickets, proposes other seats, or refunds. One of them always."""
    order = await require_order(tx, fact.order_id)
    if fact.surplus:
        await _post_owed(tx, order, fact)
        await _request_refund(tx, order, fact.subject_id, fact.amount, TWICE)
        await announce(tx, facts.OrderPaidTwice(**order_fields(order), amount=fact.amount))
        return
    inside = await _is_inside(tx, order)
    paid = OrderPayment(order.id, fact.subject_id, provider_account(fact.provider), tx.actor)
    outcome, rows, is_code_retaken = await _try_to_sell(tx, order, paid)
    if outcome == "sold":
        await apply_sale(tx, order.event_id, [paid], rows, inside=inside)
    elif outcome != "settled":
        await _post_owed(tx, order, fact)
        if outcome == "gone" and await _hold_other_seats(tx, order, fact.subject_id):
            await _announce_proposal(tx, order.id, inside=inside)
        else:
            if is_code_retaken:
                await promos.release_uses(tx, [order.session_id])
            await _refund_and_cancel(tx, order, fact.amount, REASONS[outcome])


async def _is_inside(tx: Tx, order: StoredOrder) -> bool:
    """Whether the buyer's slot, if any, belongs to this order. After the checkout has ended it is a new one."""
    await store.lock_event(tx, order.event_id)
    checkout = await store.lock_session(tx, order.session_id)
    return checkout is not None and checkout.status in ("open", "paying")


async def _try_to_sell(tx: Tx, order: StoredOrder, paid: OrderPayment) -> tuple[str, list[store.SettledRow], bool]:
    """Sells the holds frozen for this payment; for a late one, holds the same seats again first. If another order of
    the buyer has bought them meanwhile, it is a duplicate. The last value: whether a promo code was used again."""
    rows = await sell(tx, order.event_id, [paid])
    if rows[0].outcome != "gone":
        return rows[0].outcome, rows, False
    if await store.is_bought_by_other_order(tx, order.id):
        return "twice", rows, False
    code = await promos.count_use_again(tx, order.session_id)
    if code == "used_up":
        return code, rows, False
    known = await _list_hold_ids(tx, order.id)
    if await store.hold_again(tx, order_id=order.id, attempt_id=paid.attempt_id):
        await sales.publish_reheld(tx, order.event_id, await _list_hold_ids(tx, order.id), known)
        rows = await sell(tx, order.event_id, [paid])
    return rows[0].outcome, rows, code == "again"


async def _list_hold_ids(tx: Tx, order_id: UUID) -> list[UUID]:
    return list({item.hold_id for item in await store.items_of_order(tx, order_id)})


async def update_after_sale(tx: Tx, message: Message) -> None:
    """Async handler: updates the event's heat and sold-out state, and releases companion seats that are not needed."""
    paid = message.fact(facts.OrderPaid)
    await store.count_sale(tx, event_id=paid.event_id, tickets=paid.tickets)
    await events.update_stock(tx, paid.event_id)
    # By the tickets, not by the order: a relocation to another layout version may have happened in between.
    sold = await store.sold_places(tx, paid.subject_id)
    zones, kinds = [place.zone_id for place in sold if place.zone_id], [place.ticket_type_id for place in sold]
    if await store.is_any_pool_full(tx, event_id=paid.event_id, zone_ids=zones, type_ids=kinds):
        types.invalidate_offers(tx, paid.event_id)
    for zone_id in {place.zone_id for place in sold if place.zone_id and place.seat_id}:
        await seating.release_companions(tx, paid.event_id, zone_id)
    await seating.record_accessible_booking(
        tx, paid.event_id, paid.subject_id, [place.seat_id for place in sold if place.seat_id]
    )


# --- other seats


async def _hold_other_seats(tx: Tx, order: StoredOrder, attempt_id: UUID) -> bool:
    """Holds equal seats: side by side if possible, and none that are sold only as a whole group."""
    layout_id = await store.layout_of_event(tx, order.event_id)
    if layout_id is None:
        return False
    chains, known = await layouts.load_neighbours(tx, layout_id), await _list_hold_ids(tx, order.id)
    proposed = await store.propose_seats(
        tx,
        order_id=order.id,
        attempt_id=attempt_id,
        consent_s=policy.CONSENT_S,
        least_s=policy.CONSENT_MIN_S,
        begins=chains.chain_starts,
        wholes=chains.whole_seats,
    )
    if proposed:
        await sales.publish_reheld(tx, order.event_id, await _list_hold_ids(tx, order.id), known)
    return bool(proposed)


async def _announce_proposal(tx: Tx, order_id: UUID, *, inside: bool) -> None:
    order = await require_order(tx, order_id)
    assert order.consent_by
    log.warning(
        "checkout.seats_lost",
        detail="the payment arrived after its seats were gone; others are held until the buyer answers",
        order_id=str(order_id),
    )
    await audit.write(tx, "order.needs_consent", "order", order_id, after={"consent_by": order.consent_by})
    if inside:
        await queue.end_slot(tx, order.event_id, order.user_id, bought=True)
    await announce(tx, facts.OrderNeedsConsent(**order_fields(order), consent_by=order.consent_by))


async def answer_proposal(tx: Tx, order_id: UUID, *, accept: bool, now: datetime) -> None:
    """The buyer accepts or declines the proposed seats, or the time to answer is over. The first answer counts."""
    seen = await require_order(tx, order_id)
    await store.lock_event(tx, seen.event_id)
    order = await store.lock_order(tx, order_id)
    if order is None or order.status != "needs_consent" or order.consent_by is None:
        raise NoConsentNeeded()
    attempt = await payments.require_attempt(tx, order.attempt_id)
    if accept and order.consent_by > now:
        paid = OrderPayment(order_id, attempt.id, REFUNDS, tx.actor)  # the money was owed to the buyer until now
        rows = await sell(tx, order.event_id, [paid])
        if rows[0].outcome == "sold":
            await audit.write(tx, "order.consented", "order", order_id)
            await apply_sale(tx, order.event_id, [paid], rows, kind="consent", inside=False)
            return
    await cancel_proposal(tx, order, attempt.amount, GONE)


async def end_proposals_and_checkouts(tx: Tx, fact: EventFact) -> None:
    """Sync handler: the event is cancelled or over. Ends its open proposals and checkouts."""
    for order in await store.proposals_of_event(tx, fact.subject_id):
        await cancel_proposal(tx, order, order.total, STOPPED)
    await end_checkouts(tx, fact)


async def cancel_proposal(tx: Tx, order: StoredOrder, amount: int, reason: str) -> None:
    """Releases the proposed seats and the quantities counted with them, and refunds the payment. The caller has locked
    the order, which waits for consent."""
    items = await store.items_of_order(tx, order.id)
    zones, kinds = [item.zone_id for item in items if item.zone_id], [item.ticket_type_id for item in items]
    await store.lock_pools(tx, event_id=order.event_id, zone_ids=zones, type_ids=kinds)
    held = list({item.hold_id for item in items})
    await sales.detach_payment(tx, held)
    await holds.end(tx, held, "cancelled", reason=reason)
    await types.release_held(tx, order.event_id, count_by_type(items))
    await promos.release_uses(tx, [order.session_id])
    await _refund_and_cancel(tx, order, amount, reason)


# --- refunds


async def _post_owed(tx: Tx, order: StoredOrder, fact: PaymentCaptured) -> None:
    """Posts the payment as owed to the buyer, until something is sold for it."""
    entries = policy.unsold_entries(fact.amount, fact.provider)
    await ledger.post(tx, "capture", fact.subject_id, _to_reference(order), order.currency, entries)


async def _request_refund(tx: Tx, order: StoredOrder, attempt_id: UUID, amount: int, reason: str) -> None:
    if amount:
        await payments.request_refund(tx, attempt_id, order.event_id, amount, reason)


async def _refund_and_cancel(tx: Tx, order: StoredOrder, amount: int, reason: str) -> None:
    """Refunds what was not refunded at the provider itself already. An order that was cancelled when its payment failed
    is announced again, now with the refund and the reason."""
    attempt = await payments.require_attempt(tx, order.attempt_id)
    await _request_refund(tx, order, attempt.id, amount - attempt.refunded, reason)
    called_off = await store.cancel_or_update_order(tx, order_id=order.id, reason=reason)
    if called_off is not None:
        await _announce_cancelled(tx, called_off, reason, amount)


# --- failed payments


async def reopen_after_failure(tx: Tx, fact: PaymentFailed) -> None:
    """Sync handler of a failed payment: reopens the checkout for another attempt in its remaining time, which a failed
    payment never extends. If no time is left, or the slot was given away, the checkout ends."""
    order = await require_order(tx, fact.order_id)
    await store.lock_event(tx, order.event_id)
    session = await store.reopen_session(tx, order.session_id)
    if session:
        over = session.expires_at <= await tx.now()
        if over or not await queue.regain_slot(tx, order.event_id, order.user_id, session.expires_at):
            await end_after_failure(tx, session, "expired" if over else "left")
    held = await _list_hold_ids(tx, order.id)
    await sales.thaw(tx, order.event_id, held, fact.subject_id)
    cancelled = await store.cancel_order(tx, order_id=order.id, reason=fact.code)
    if cancelled is not None:
        await _announce_cancelled(tx, cancelled, fact.code, 0)


async def _announce_cancelled(tx: Tx, order: StoredOrder, reason: str, refunded: int) -> None:
    await audit.write(tx, "order.cancelled", "order", order.id, after={"refunded": refunded}, reason=reason)
    await announce(tx, facts.OrderCancelled(**order_fields(order), reason=reason, refunded=refunded))


def _to_reference(order: StoredOrder) -> OrderReference:
    return OrderReference(order.id, order.event_id)
