"""The third step of a purchase: what the money's coming, or not coming, does. In the transaction that records it,
wherever the news came in: the request that waits, the sweep, or a provider's webhook.

Money finds its places still frozen for it, and they are sold. If it comes late, after it was given up, and they are
gone: the same places if they are free, otherwise others that the buyer consents to, otherwise it goes back. If the show
is stopped meanwhile, it goes back.

A promo code that was given back meanwhile is used again. If others have its last use now, the money goes back: the
price was the code's, and a code is used no more often, and costs no more, than the organiser said. The buyer loses
nothing but the wait, as with places that are gone.
"""

from datetime import datetime
from uuid import UUID

import structlog

from fullhouse.checkout import facts, policy, store
from fullhouse.checkout.actions import counted, end_checkouts, give_up
from fullhouse.checkout.model import NoConsentNeeded, StoredOrder
from fullhouse.checkout.orders.reads import get
from fullhouse.checkout.orders.sell import Paid, issue, said, sell
from fullhouse.events.facts import EventFact
from fullhouse.events.public import actions as events
from fullhouse.holds import actions as holds
from fullhouse.holds import sale_actions as sales
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.messages.outbox import Message, announce
from fullhouse.payments import actions as payments
from fullhouse.payments.facts import PaymentCaptured, PaymentFailed
from fullhouse.payments.ledger import actions as ledger
from fullhouse.payments.ledger.actions import About
from fullhouse.payments.model import REFUNDS, account_of
from fullhouse.seating import actions as layouts
from fullhouse.seating.overlay import actions as seating
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.waiting_room import actions as queue

TWICE, STOPPED, GONE = "it was paid twice", "the show is no longer on", "the places were gone when the money came"
USED_UP = "its promo code was used up when the money came"
WHY = {"twice": TWICE, "stopped": STOPPED, "gone": GONE, "used_up": USED_UP}
log = structlog.get_logger()


async def settle(tx: Tx, fact: PaymentCaptured) -> None:
    """A consequence of the money's coming: tickets, or other places to consent to, or the money back. Never nothing."""
    order = await get(tx, fact.order_id)
    if fact.surplus:
        await _owe(tx, order, fact)
        await _give_back(tx, order, fact.subject_id, fact.amount, TWICE)
        await announce(tx, facts.OrderPaidTwice(**said(order), amount=fact.amount))
        return
    inside = await _is_inside(tx, order)
    paid = Paid(order.id, fact.subject_id, account_of(fact.provider), tx.actor)
    outcome, rows, again = await _sold(tx, order, paid)
    if outcome == "sold":
        await issue(tx, order.event_id, [paid], rows, inside=inside)
    elif outcome != "settled":
        await _owe(tx, order, fact)
        if outcome == "gone" and await _found_others(tx, order, fact.subject_id):
            await _propose(tx, order.id, inside=inside)
        else:
            if again:
                await promos.give_back(tx, [order.session_id])
            await _call_off(tx, order, fact.amount, WHY[outcome])


async def _is_inside(tx: Tx, order: StoredOrder) -> bool:
    """Whether the buyer's slot, if there is one, is this order's. Once its checkout is over it is another visit's."""
    await store.lock_show(tx, order.event_id)
    checkout = await store.lock_session(tx, order.session_id)
    return checkout is not None and checkout.status in ("open", "paying")


async def _sold(tx: Tx, order: StoredOrder, paid: Paid) -> tuple[str, list[store.Settled], bool]:
    """Frozen for this money; otherwise, if it comes late, the same places once more. Whoever has bought them otherwise
    meanwhile wants them once. The last says whether a promo code was used once more for it."""
    rows = await sell(tx, order.event_id, [paid])
    if rows[0].outcome != "gone":
        return rows[0].outcome, rows, False
    if await store.is_bought_otherwise(tx, order.id):
        return "twice", rows, False
    code = await promos.take_again(tx, order.session_id)
    if code == "used_up":
        return code, rows, False
    known = await _holds_of(tx, order.id)
    if await store.hold_again(tx, order_id=order.id, attempt_id=paid.attempt_id):
        await sales.tell_held_again(tx, order.event_id, await _holds_of(tx, order.id), known)
        rows = await sell(tx, order.event_id, [paid])
    return rows[0].outcome, rows, code == "again"


async def _holds_of(tx: Tx, order_id: UUID) -> list[UUID]:
    return list({line.hold_id for line in await store.lines_of_order(tx, order_id)})


async def follow_sale(tx: Tx, message: Message) -> None:
    """A reaction, after the commit: the show is hotter, may be sold out, and may have to keep no companion seats."""
    paid = message.fact(facts.OrderPaid)
    await store.count_sale(tx, event_id=paid.event_id, tickets=paid.tickets)
    await events.follow_stock(tx, paid.event_id)
    # Of the tickets, not of what was ordered: another version of the layout may have come in between.
    sold = await store.sold_places(tx, paid.subject_id)
    zones, kinds = [place.zone_id for place in sold if place.zone_id], [place.ticket_type_id for place in sold]
    if await store.is_any_pool_full(tx, event_id=paid.event_id, zone_ids=zones, type_ids=kinds):
        types.follow_places(tx, paid.event_id)
    for zone_id in {place.zone_id for place in sold if place.zone_id and place.seat_id}:
        await seating.release_companions(tx, paid.event_id, zone_id)
    await seating.note_accessible(
        tx, paid.event_id, paid.subject_id, [place.seat_id for place in sold if place.seat_id]
    )


# --- other places


async def _found_others(tx: Tx, order: StoredOrder, attempt_id: UUID) -> bool:
    """Equal places, held: side by side if there are any, and none of those that are sold only as a whole."""
    layout_id = await store.layout_of_event(tx, order.event_id)
    if layout_id is None:
        return False
    beside, known = await layouts.neighbours(tx, layout_id), await _holds_of(tx, order.id)
    proposed = await store.propose_seats(
        tx,
        order_id=order.id,
        attempt_id=attempt_id,
        consent_s=policy.CONSENT_S,
        least_s=policy.CONSENT_LEAST_S,
        begins=beside.begins,
        wholes=beside.wholes,
    )
    if proposed:
        await sales.tell_held_again(tx, order.event_id, await _holds_of(tx, order.id), known)
    return bool(proposed)


async def _propose(tx: Tx, order_id: UUID, *, inside: bool) -> None:
    order = await get(tx, order_id)
    assert order.consent_by
    log.warning("money came when its places were gone; others are proposed", order_id=str(order_id))
    await audit.write(tx, "order.needs_consent", "order", order_id, after={"consent_by": order.consent_by})
    if inside:
        await queue.finish(tx, order.event_id, order.user_id, bought=True)
    await announce(tx, facts.OrderNeedsConsent(**said(order), consent_by=order.consent_by))


async def answer(tx: Tx, order_id: UUID, *, accept: bool, now: datetime) -> None:
    """The buyer's word about other places, or its time is over. Of two answers the first counts."""
    seen = await get(tx, order_id)
    await store.lock_show(tx, seen.event_id)
    order = await store.lock_order(tx, order_id)
    if order is None or order.status != "needs_consent" or order.consent_by is None:
        raise NoConsentNeeded()
    attempt = await payments.get_attempt(tx, order.attempt_id)
    if accept and order.consent_by > now:
        paid = Paid(order_id, attempt.id, REFUNDS, tx.actor)  # it was owed to the buyer until now
        rows = await sell(tx, order.event_id, [paid])
        if rows[0].outcome == "sold":
            await audit.write(tx, "order.consented", "order", order_id)
            await issue(tx, order.event_id, [paid], rows, kind="consent", inside=False)
            return
    await drop(tx, order, attempt.amount, GONE)


async def end_with_show(tx: Tx, fact: EventFact) -> None:
    """A consequence: the show is cancelled or over. Nobody consents to anything any more, nor buys."""
    for order in await store.proposals_of_show(tx, fact.subject_id):
        await drop(tx, order, order.total, STOPPED)
    await end_checkouts(tx, fact)


async def drop(tx: Tx, order: StoredOrder, amount: int, reason: str) -> None:
    """The other places are free again, and what was counted with them; the money goes back. The caller has locked the
    order, which waits for consent."""
    lines = await store.lines_of_order(tx, order.id)
    zones, kinds = [line.zone_id for line in lines if line.zone_id], [line.ticket_type_id for line in lines]
    await store.lock_pools(tx, event_id=order.event_id, zone_ids=zones, type_ids=kinds)
    held = list({line.hold_id for line in lines})
    await sales.let_go(tx, held)
    await holds.end(tx, held, "cancelled", reason=reason)
    await types.give_back(tx, order.event_id, counted(lines))
    await promos.give_back(tx, [order.session_id])
    await _call_off(tx, order, amount, reason)


# --- money back


async def _owe(tx: Tx, order: StoredOrder, fact: PaymentCaptured) -> None:
    """All of it is the buyer's until something is sold for it."""
    entries = policy.unearned(fact.amount, fact.provider)
    await ledger.post(tx, "capture", fact.subject_id, _about(order), order.currency, entries)


async def _give_back(tx: Tx, order: StoredOrder, attempt_id: UUID, amount: int, reason: str) -> None:
    if amount:
        await payments.request_refund(tx, attempt_id, order.event_id, amount, reason)


async def _call_off(tx: Tx, order: StoredOrder, amount: int, reason: str) -> None:
    """Some of the money may have gone back already, at the provider itself. The order may have been cancelled when the
    money did not come: it is told again, now with what goes back and why."""
    attempt = await payments.get_attempt(tx, order.attempt_id)
    await _give_back(tx, order, attempt.id, amount - attempt.refunded, reason)
    called_off = await store.call_off_order(tx, order_id=order.id, reason=reason)
    if called_off is not None:
        await _tell_cancelled(tx, called_off, reason, amount)


# --- no money


async def unfreeze(tx: Tx, fact: PaymentFailed) -> None:
    """A consequence of a failure: the checkout is open again for another way, in what is left of its time; a payment
    that fails gains nobody any. If it took all of it, or others have the slot now, the checkout is over."""
    order = await get(tx, fact.order_id)
    await store.lock_show(tx, order.event_id)
    session = await store.reopen_session(tx, order.session_id)
    if session:
        over = session.expires_at <= await tx.now()
        if over or not await queue.regain(tx, order.event_id, order.user_id, session.expires_at):
            await give_up(tx, session, "expired" if over else "left")
    lines = await store.lines_of_order(tx, order.id)
    held = list({line.hold_id for line in lines})
    await sales.thaw(tx, order.event_id, held, fact.subject_id)
    cancelled = await store.cancel_order(tx, order_id=order.id, reason=fact.code)
    if cancelled is not None:
        await _tell_cancelled(tx, cancelled, fact.code, 0)


async def _tell_cancelled(tx: Tx, order: StoredOrder, reason: str, refunded: int) -> None:
    await audit.write(tx, "order.cancelled", "order", order.id, after={"refunded": refunded}, reason=reason)
    await announce(tx, facts.OrderCancelled(**said(order), reason=reason, refunded=refunded))


# --- words


def _about(order: StoredOrder) -> About:
    return About(order.id, order.event_id)
