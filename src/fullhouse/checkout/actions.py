"""Actions on checkouts: begin, read, leave, expire, and end with their event.

A checkout's row is locked right after its event's row, which serialises beginning, leaving, paying and expiring.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from fullhouse.checkout import facts, policy, store
from fullhouse.checkout import zone_access as entry
from fullhouse.checkout.model import (
    Attendee,
    CheckoutNotFound,
    HoldExpired,
    Item,
    PaymentRunning,
    Session,
    SessionItem,
    StartCheckout,
    StoredItem,
    StoredSession,
    WayToPay,
    decode_quote,
)
from fullhouse.events import actions as events
from fullhouse.events.facts import EventFact, LimitsJudged
from fullhouse.events.public.model import EventNotFound
from fullhouse.holds import actions as holds
from fullhouse.holds import orphan_actions as leaving
from fullhouse.holds import payment_actions as sales
from fullhouse.holds.model import ChosenSeat
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.payments.providers.actions import Providers
from fullhouse.tickets import policy as ticket_policy
from fullhouse.tickets.pricing import Quote, quote
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.actions import PricedItem, RequestedItem
from fullhouse.tickets.types.model import PromoCode
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room import entry_actions as waiting_room_entry
from fullhouse.waiting_room.model import AdmissionRequired, Place

BATCH_SIZE = 500
TRIES = 3
STATUSES_WITHOUT_SLOT = ("waiting", "sold_out", "closed")  # statuses in the waiting room without a slot, now or before


class ConcurrentCheckout(Exception):
    """A concurrent request of the same buyer began a checkout after this one took its locks: retry from the start."""


# --- beginning


async def start(services: Services, who: Principal, event_id: UUID, request: StartCheckout) -> Session | Place:
    """Begins a checkout of the buyer's holds, or returns their position in the waiting room. Without live holds it is
    refused before joining. Another window of the same buyer may release the slot before it is used: then join again."""
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        await _check_on_sale(tx, event_id)
        before = await store.live_session(tx, event_id=event_id, user_id=who.id)
        _check_not_paying(before)
        wanted = await _match_holds(tx, who, event_id, request.items)
        chosen = await _load_choice(tx, who, event_id, wanted, before)
    more = policy.TICKETS_MAX - sum(item.quantity for item in wanted)
    await leaving.check_orphans(services, who, event_id, chosen, more)
    for last in (False,) * (TRIES - 1) + (True,):
        place = waiting_room_entry.to_place(*await waiting_room_entry.join(services, who, event_id, request.promo_code))
        if place.status in STATUSES_WITHOUT_SLOT:
            return place
        try:
            return await _begin_with_retry(services, who, event_id, request)
        except AdmissionRequired:
            if last:
                raise
        except Refusal:
            if place.room == "closed":  # the slot was given for this checkout alone
                async with services.database.tenant(who.organization_id, who.actor) as tx:
                    await _release_slot(tx, who, event_id)
            raise
    raise AssertionError("the last try returns or raises")


async def _load_choice(
    tx: Tx, who: Principal, event_id: UUID, wanted: Sequence[RequestedItem], before: StoredSession | None
) -> list[ChosenSeat]:
    """The seats to check for orphans. Those of an earlier checkout were checked when it began."""
    known = await store.items_of_session(tx, before.id) if before else []
    ids = {item.hold_id for item in wanted}
    return [] if ids <= {item.hold_id for item in known} else await leaving.list_unchecked_seats(tx, who, event_id, ids)


async def _begin_with_retry(services: Services, who: Principal, event_id: UUID, request: StartCheckout) -> Session:
    while True:
        with suppress(ConcurrentCheckout):
            async with services.database.tenant(who.organization_id, who.actor) as tx:
                return await to_response(tx, services, await _begin_checkout(tx, who, event_id, request))


async def _release_slot(tx: Tx, who: Principal, event_id: UUID) -> None:
    """Unless a checkout uses it, an earlier one or another window's. The slot is locked while a checkout begins."""
    if await queue.find_admission(tx, event_id, who.id, lock=True) is None:
        return
    if await store.live_session(tx, event_id=event_id, user_id=who.id) is None:
        await queue.end_slot(tx, event_id, who.id, bought=False)


async def _begin_checkout(tx: Tx, who: Principal, event_id: UUID, request: StartCheckout) -> StoredSession:
    await _check_on_sale(tx, event_id)
    before = await _lock_checkout_and_slot(tx, who, event_id)
    _check_not_paying(before)
    now = await tx.now()
    wanted = await _match_holds(tx, who, event_id, request.items)
    event = await events.require_event(tx, event_id)
    promo = await promos.require_valid(tx, event_id, request.promo_code) if request.promo_code else None
    priced = await types.price_items(tx, event, wanted, promo)
    await sales.check_booking(tx, who, event_id, [item.hold_id for item in request.items])
    members = await entry.check_items(tx, who, event_id, request.items, priced)
    counts = Counter[UUID]()
    for row in priced:
        counts[row.kind.id] += row.item.quantity if row.place.ticket_type_id is None else 0
    if before:  # it is replaced: subtract what it had counted
        counts.subtract(count_by_type(await store.items_of_session(tx, before.id)))
        await store.end_session(tx, session_id=before.id, status="left", from_statuses=["open"])
    await types.hold_quantities(tx, event_id, {kind: count for kind, count in counts.items() if count})
    # Beginning again does not extend the time.
    until = before.expires_at if before and before.expires_at > now else now + timedelta(seconds=policy.SESSION_S)
    await sales.prolong(tx, event_id, [item.hold_id for item in request.items], until)
    if before and before.promo_code:  # locked after the pools, the same order as for a checkout that begins with a code
        await promos.lock_codes(tx, event_id, [before.promo_code, request.promo_code])
        await promos.release_uses(tx, [before.id])
    locked = await promos.lock_valid(tx, event_id, request.promo_code) if request.promo_code else None
    bill = await _quote_items(tx, event_id, priced, locked)
    session = await store.insert_session(
        tx,
        id=new_id(),
        event_id=event_id,
        user_id=who.id,
        expires_at=until,
        promo_code=locked.code if locked else None,
        currency=bill.currency,
        total=bill.total,
        quote=bill,
    )
    assert session
    if locked:
        await promos.count_use(tx, locked, session.id, bill.discount)
    await _insert_items(tx, session, request.items, priced, bill, members)
    await queue.extend_slot(tx, event_id, who.id, session.expires_at)
    tickets = sum(row.item.quantity for row in priced)
    await audit.write(
        tx,
        "checkout.started",
        "checkout",
        session.id,
        after={"event_id": event_id, "tickets": tickets, "total": bill.total, "instead_of": before and before.id},
    )
    fact = facts.CheckoutStarted(
        subject_id=session.id,
        event_id=event_id,
        user_id=who.id,
        tickets=tickets,
        total=bill.total,
        currency=bill.currency,
    )
    await announce(tx, fact)
    return session


async def _lock_checkout_and_slot(tx: Tx, who: Principal, event_id: UUID) -> StoredSession | None:
    """Locks the checkout to replace, if there is one, then the slot: the order of every action that ends both. Without
    a checkout, two windows serialise on the slot: the second may find a checkout that the first has begun meanwhile."""
    before = await store.lock_live_session(tx, event_id=event_id, user_id=who.id)
    if await queue.find_admission(tx, event_id, who.id, lock=True) is None:
        raise AdmissionRequired()
    if before is None and await store.live_session(tx, event_id=event_id, user_id=who.id):
        raise ConcurrentCheckout
    return before


async def _check_on_sale(tx: Tx, event_id: UUID) -> None:
    state = await store.lock_event(tx, event_id)
    if state is None:
        raise EventNotFound()
    if state != "on_sale":
        raise policy.REFUSALS[state]()


def _check_not_paying(session: StoredSession | None) -> None:
    if session and session.status == "paying":
        raise PaymentRunning(checkout_id=session.id)


async def _match_holds(tx: Tx, who: Principal, event_id: UUID, items: Sequence[Item]) -> list[RequestedItem]:
    """The items, if all their holds are live and belong to the caller. Others' holds are reported like missing ones."""
    ids = {item.hold_id for item in items}
    live = await store.live_holds(tx, event_id=event_id, user_id=who.id, hold_ids=list(ids))
    held = {row.id: row.quantity for row in live}
    if gone := ids - held.keys():
        raise HoldExpired("Your hold has expired. Choose again.", hold_ids=sorted(gone))
    numbers = policy.check_quantities(items, held)
    return [RequestedItem(i.hold_id, i.ticket_type_id, n) for i, n in zip(items, numbers, strict=True)]


async def _quote_items(tx: Tx, event_id: UUID, priced: Sequence[PricedItem], promo: PromoCode | None) -> Quote:
    charges = (await promos.load_charges(tx, event_id)).charges
    discount = ticket_policy.to_discount(promo) if promo else None
    return quote([row.line for row in priced], priced[0].kind.currency, charges, discount)


async def _insert_items(
    tx: Tx,
    session: StoredSession,
    items: Sequence[Item],
    priced: Sequence[PricedItem],
    bill: Quote,
    members: Sequence[UUID | None],
) -> None:
    attendees = [item.attendee for item in items]
    await store.insert_items(
        tx,
        session_id=session.id,
        hold_ids=[row.item.hold_id for row in priced],
        ticket_type_ids=[row.kind.id for row in priced],
        names=[row.kind.name for row in priced],
        quantities=[row.item.quantity for row in priced],
        units=[row.line.unit for row in priced],
        nets=bill.nets,
        attendee_names=[person.name if person else None for person in attendees],
        attendee_emails=[person.email if person else None for person in attendees],
        membership_ids=list(members),
    )


# --- reading


async def require_session(tx: Tx, who: Principal, session_id: UUID) -> StoredSession:
    found = await store.session_by_id(tx, session_id)
    if found is None or found.user_id != who.id:
        raise CheckoutNotFound()
    return found


async def require_live_session(tx: Tx, who: Principal, event_id: UUID) -> StoredSession:
    """The caller's live checkout for this event."""
    found = await store.live_session(tx, event_id=event_id, user_id=who.id)
    if found is None or (found.status == "open" and found.expires_at <= await tx.now()):
        await events.require_event(tx, event_id)  # an unknown event has its own refusal
        raise CheckoutNotFound()
    return found


async def to_response(tx: Tx, services: Services, session: StoredSession) -> Session:
    items = await store.items_of_session(tx, session.id)
    order_id = None if session.status == "open" else await store.order_of_session(tx, session.id)
    over = session.status == "open" and session.expires_at <= await tx.now()
    return Session(
        id=session.id,
        event_id=session.event_id,
        status="expired" if over else session.status,
        items=[_to_item(item, session.currency) for item in items],
        promo_code=session.promo_code,
        lines=decode_quote(session.quote).lines,
        total=Money(session.total, session.currency),
        ways_to_pay=[
            WayToPay(provider=p.name, methods=p.methods, notice=p.notice, public_key=p.public_key)
            for p in services.part(Providers).list_for_total(session.total)
        ],
        expires_at=session.expires_at,
        expires_at_unix_ms=int(session.expires_at.timestamp() * 1000),
        server_time_unix_ms=int((await tx.now()).timestamp() * 1000),
        order_id=order_id,
    )


def _to_item(item: StoredItem, currency: str) -> SessionItem:
    return SessionItem(
        hold_id=item.hold_id,
        ticket_type_id=item.ticket_type_id,
        name=item.name,
        seat_id=item.seat_id,
        zone_id=item.zone_id,
        quantity=item.quantity,
        unit_price=Money(item.unit, currency),
        attendee=Attendee(name=item.attendee_name, email=item.attendee_email) if item.attendee_name else None,
        held_until=item.held_until,
        held_until_unix_ms=int(item.held_until.timestamp() * 1000) if item.held_until else None,
        live=item.hold_status in ("active", "suspended"),
    )


# --- ending


async def leave(tx: Tx, who: Principal, session_id: UUID) -> None:
    """Releases the slot, the counted quantities, the promo code's use and the holds at once. Idempotent."""
    session = await require_session(tx, who, session_id)
    await store.lock_event(tx, session.event_id)
    session = await store.lock_session(tx, session_id) or session
    _check_not_paying(session)
    items = await store.items_of_session(tx, session_id)
    if session.status != "open":
        return
    zones, kinds = [item.zone_id for item in items if item.zone_id], [item.ticket_type_id for item in items]
    await store.lock_pools(tx, event_id=session.event_id, zone_ids=zones, type_ids=kinds)
    await holds.end(tx, [item.hold_id for item in items], "cancelled", reason="the checkout was left")
    await end_session(tx, session, items, "left")


async def expire(tx: Tx, session_id: UUID) -> bool:
    """Ends a checkout whose time is over. Its holds expire by their own time."""
    session = await store.session_by_id(tx, session_id)
    assert session
    await store.lock_event(tx, session.event_id)
    locked = await store.lock_session(tx, session_id)
    if locked is None or locked.status != "open" or locked.expires_at > await tx.now():
        return False
    return await end_session(tx, locked, await store.items_of_session(tx, session_id), "expired")


async def end_after_failure(tx: Tx, session: StoredSession, status: str) -> None:
    """Ends a checkout after a failed payment: its time is over (`expired`), or its slot was given away (`left`). The
    holds expire by their own time."""
    await end_session(tx, session, await store.items_of_session(tx, session.id), status)


async def end_session(tx: Tx, session: StoredSession, items: Sequence[StoredItem], status: str) -> bool:
    """Releases the counted quantities, the promo code and the slot; the holds expire by their own time."""
    if await store.end_session(tx, session_id=session.id, status=status, from_statuses=["open", "paying"]) is None:
        return False
    await types.release_held(tx, session.event_id, count_by_type(items))
    if session.promo_code:
        await promos.release_uses(tx, [session.id])
    await queue.end_slot(tx, session.event_id, session.user_id, bought=False)
    await audit.write(tx, f"checkout.{status}", "checkout", session.id, after={"event_id": session.event_id})
    fact = facts.CheckoutEnded(subject_id=session.id, event_id=session.event_id, user_id=session.user_id, status=status)
    await announce(tx, fact)
    return True


def count_by_type(items: Sequence[StoredItem]) -> dict[UUID, int]:
    """The quantities that a checkout has counted in the pools of ticket types."""
    counts = Counter[UUID]()
    for item in items:
        if item.counted:
            counts[item.ticket_type_id] += item.quantity
    return dict(counts)


# --- sync handlers of an event's facts


async def end_overdue(tx: Tx, fact: LimitsJudged) -> None:
    """Ends expired checkouts, so that their counts do not block a change of limits."""
    for session in await store.overdue_sessions_of_event(tx, fact.subject_id):
        await end_session(tx, session, await store.items_of_session(tx, session.id), "expired")


async def end_checkouts(tx: Tx, fact: EventFact) -> None:
    """The event is cancelled or over: ends its checkouts and unfreezes holds whose payment is under way. A payment that
    succeeds afterwards finds the event stopped, and is refunded."""
    for order in await store.pending_orders_of_event(tx, fact.subject_id):
        items = await store.items_of_order(tx, order.id)
        await sales.detach_payment(tx, list({item.hold_id for item in items}))
    while live := await store.live_sessions_of_event(tx, event_id=fact.subject_id, limit=BATCH_SIZE):
        for session in live:
            items = await store.items_of_session(tx, session.id)
            await end_session(tx, session, items, "cancelled")
