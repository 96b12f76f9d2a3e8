"""The verbs of holds: place one, give it back, and what a show's changes do to them."""

from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fullhouse.events import actions as events
from fullhouse.events import facts as event_facts
from fullhouse.holds import policy, store
from fullhouse.holds.answers import basket, basket_again, reserved
from fullhouse.holds.companion_reads import kept_companions
from fullhouse.holds.desk import (
    BasketId,
    Desk,
    Desks,
    ask,
    check_entry,
    check_groups,
    check_orphans,
    open_zones,
    own_seats,
    refuse_first,
    seat_wish,
    wish,
    zones_on_sale,
)
from fullhouse.holds.engine import Results, Want
from fullhouse.holds.failures import noting
from fullhouse.holds.model import (
    Basket,
    BeingPaidFor,
    BestAvailable,
    ConsentNeeded,
    Hold,
    HoldItems,
    HoldNotFound,
    HoldOver,
    InSale,
    InvalidRequest,
    Item,
    NoBlock,
    ReasonNeeded,
    ReleaseSeats,
    Reserve,
    Reserved,
    TooFarApart,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http.idempotency import KeyReused
from fullhouse.kit.live.bus import HERE
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.services import Services
from fullhouse.seating import journal
from fullhouse.seating import policy as seating_policy
from fullhouse.seating import policy_actions as seating_policies
from fullhouse.seating.allocation import best_available
from fullhouse.seating.facts import SeatsBlocked, SeatsReleased
from fullhouse.seating.maps.halls import Halls
from fullhouse.seating.model import AVAILABLE, RESERVED
from fullhouse.seating.overlay import actions as seating
from fullhouse.seating.plans.chart import seat_id
from fullhouse.waiting_room import actions as waiting_room
from fullhouse.waiting_room import entry_actions as queue
from fullhouse.waiting_room.facts import QueueOpened

BEST_TRIES = 20  # a crowd that wants the same block loses one winner a round
LOOK_AGAIN = 8  # tries after which it is our memory that is late, not we
LOST = frozenset({"again", "seat_not_available", "seat_held_by_another_user"})
GONE = 255
ENDED = f"{HERE}holds:ended"  # told in this process only: how they ended, why, and the rows
ENDED_AT_ONCE = 1000


# --- one seat


@noting
async def reserve(
    services: Services, who: Principal, event_id: UUID, seat: UUID, order: Reserve
) -> tuple[Reserved, bool]:
    """One seat, picked by hand. The same person again gets the same hold; says whether it is a new one."""
    at = await services.part(Desks).get(who.organization_id, event_id)
    await queue.check_admitted(services, who, event_id, policy.ttl_s(at.terms.policy))
    ordinal = at.ordinal(seat)
    if ordinal is not None:
        if at.closed:
            await check_entry(at, who, [ordinal], ())
        policy.check_picking(1, at.terms.policy, who)
        check_groups(at, [ordinal])
    want = seat_wish(at, seat, ordinal)
    results = await ask(at, who, (want,), order.source, BasketId(want.hold_id), order.promo_code)
    return got_seat(at, seat, results)


def got_seat(at: Desk, seat: UUID, results: Results) -> tuple[Reserved, bool]:
    (result,) = results
    if not result.good:
        raise policy.refusal(result, at.terms.policy)
    return reserved(at, seat, result), result.outcome == "held"


# --- baskets


@noting
async def hold_items(
    services: Services, who: Principal, event_id: UUID, order: HoldItems, key: str | None = None
) -> Basket:
    """Several seats and places: all of them, or none. With an Idempotency-Key once, however often it is asked."""
    at = await services.part(Desks).get(who.organization_id, event_id)
    await queue.check_admitted(services, who, event_id, policy.ttl_s(at.terms.policy))
    basket_id = BasketId.of(who, event_id, key, order)
    if basket_id.once and (found := await _repeated(at, who, basket_id)):
        return found
    if order.best_available:
        if order.items:
            raise InvalidRequest(fields=[FieldError("best_available", "Either this or items.")])
        return await _hold_best(at, who, order, order.best_available, basket_id)
    policy.check_items(order.items)
    ordinals = [n for n in (at.ordinal(item.seat_id) for item in order.items if item.seat_id) if n is not None]
    own = await _own_seats(at, who) if ordinals else []
    wheelchairs = sum(at.is_wheelchair(n) for n in ordinals)
    policy.check_size(sum(item.quantity for item in order.items), wheelchairs, at.terms.policy)
    await check_entry(at, who, ordinals, [item.zone_id for item in order.items if item.zone_id])
    policy.check_picking(sum(not at.is_in_whole(n) for n in ordinals), at.terms.policy, who)
    check_groups(at, ordinals)
    check_orphans(at, ordinals, own)
    wants = tuple(wish(at, item) for item in order.items)
    results = await ask(at, who, wants, order.source, basket_id, order.promo_code)
    if results[0].outcome == "repeated":
        return await _first_answer(at, who, basket_id)
    return got_items(at, basket_id.id, wants, order, results)


def got_items(at: Desk, basket_id: UUID, wants: tuple[Want, ...], order: HoldItems, results: Results) -> Basket:
    refuse_first(at, results, order.items)
    return basket(at, basket_id, wants, results)


async def _own_seats(at: Desk, who: Principal) -> list[int]:
    async with at.services.database.tenant(at.organization_id, who.actor) as tx:
        return await own_seats(tx, at, who)


async def _repeated(at: Desk, who: Principal, basket_id: BasketId) -> Basket | None:
    """What the same key has got before. Another body under it is a mistake, and nothing else happens."""
    assert basket_id.once
    async with at.services.database.tenant(at.organization_id, who.actor) as tx:
        holds = await store.holds_of_basket(tx, first_id=basket_id.once[0], last_id=basket_id.once[1])
    if any(hold.basket_id != basket_id.id for hold in holds):
        raise KeyReused()
    return basket_again(at, basket_id.id, holds) if holds else None


async def _first_answer(at: Desk, who: Principal, basket_id: BasketId) -> Basket:
    found = await _repeated(at, who, basket_id)
    assert found, "the statement saw its rows"
    return found


async def _hold_best(at: Desk, who: Principal, order: HoldItems, wish: BestAvailable, basket_id: BasketId) -> Basket:
    """Chooses of what is sold now, asks, and chooses again without what somebody else has got in between."""
    if at.hall is None:
        raise InvalidRequest(fields=[FieldError("best_available", "The show has no seats to choose from.")])
    policy.check_size(wish.quantity, wish.accessible, at.terms.policy)
    open_to_them = await open_zones(at, who, wish.zone_ids)
    async with at.services.database.tenant(at.organization_id, who.actor) as tx:
        own = await own_seats(tx, at, who)
        allowed = await zones_on_sale(tx, at, who, open_to_them, order.promo_code)
    gone: set[int] = set()  # somebody's, whatever the hall believes
    for tries in range(BEST_TRIES):
        if tries == LOOK_AGAIN:
            hall = await at.services.part(Halls).read(at.organization_id, at.event_id)
            at = Desk(at.services, at.organization_id, at.event_id, at.terms, hall or at.hall)
        assert at.hall
        states = at.hall.states.copy()
        states[list(gone)] = GONE
        choice = _choose(at, who, states, allowed, wish, own)
        seats = [seat_id(at.hall.house.layout_id, n) for n in choice.ordinals]
        wants = tuple(seat_wish(at, seat, n) for seat, n in zip(seats, choice.ordinals, strict=True))
        results = await ask(at, who, wants, order.source, basket_id, order.promo_code)
        if all(result.good for result in results):
            if choice.orphans:
                journal.orphans_created(at.organization_id, at.event_id, len(choice.orphans), choice.sentence)
            return basket(at, basket_id.id, wants, results, choice.sentence)
        if results[0].outcome == "repeated":
            return await _first_answer(at, who, basket_id)
        lost = [n for n, result in zip(choice.ordinals, results, strict=True) if result.outcome in LOST]
        if not lost:
            refuse_first(at, results, [Item(seat_id=seat) for seat in seats])
        gone.update(lost)
    raise policy.refusal(results[0]._replace(outcome="again"), at.terms.policy)


def _choose(
    at: Desk, who: Principal, states: NDArray[np.uint8], allowed: set[int], wish: BestAvailable, own: list[int]
) -> best_available.Choice:
    assert at.hall
    house = at.hall.house
    chart = house.index.chart
    free = states == AVAILABLE
    mine = np.zeros(len(states), bool)
    mine[own] = True
    candidates = free & np.isin(chart.zone, list(allowed))
    candidates[list(house.wholes)] = False  # tables and blocks are bought as such
    if wish.price_category is not None:
        priced = chart.price == house.prices.get(wish.price_category, -2)
        for zone_id, price in at.terms.seating.prices.items():
            if zone := at.terms.seating.zones.get(zone_id):
                priced[chart.zone == zone.position] = price == wish.price_category
        candidates &= priced
    found = best_available.best_available(
        house.index,
        candidates,
        free | mine | (states == RESERVED),
        wish.quantity,
        policy.rules(at.terms.policy, allow_split=wish.allow_split),
        accessible=wish.accessible,
        own=own,
        soft_reserved=np.flatnonzero(states == RESERVED).tolist(),
        rotate=int.from_bytes(who.id.bytes[-4:], "big") if who.id else 0,
        names=house.names.spoken(wish.language),
    )
    if isinstance(found, best_available.Refused):
        kind = TooFarApart if found.is_far else NoBlock
        raise kind(found.sentence, largest=found.largest, left=found.left)
    return found


# --- giving back


async def release(tx: Tx, who: Principal, hold_id: UUID, reason: str | None) -> None:
    """By whoever holds it; by staff with a reason. Somebody else's hold does not exist for anybody else."""
    hold = await store.hold_by_id(tx, hold_id)
    mine = hold is not None and hold.user_id == who.id
    if hold is None or not (mine or "seating.write" in who.allowed):
        raise HoldNotFound()
    if not mine and reason is None:
        raise ReasonNeeded()
    if not await end(tx, [hold_id], "cancelled", reason=reason):
        if hold.status == "active" and hold.held_until is None:
            raise BeingPaidFor()
        raise HoldOver(f"It is {hold.status} already.")


async def release_seats(tx: Tx, event_id: UUID, wish: ReleaseSeats) -> int:
    """By staff, who see seats and not who holds them. An offer of a waiting list ends as a whole, by its own room."""
    await events.lock_event(tx, event_id)
    held = await store.live_holds_of_seats(tx, event_id=event_id, seat_ids=wish.seat_ids) or []
    if held:
        await announce(tx, SeatsReleased(subject_id=event_id, seat_ids=wish.seat_ids, reason=wish.reason))
    return len(held)


async def end(
    tx: Tx, hold_ids: list[UUID], ending: str, *, overdue_only: bool = False, reason: str | None = None
) -> int:
    """Ends those that are still live, frees what they have, and says so. Returns how many ended."""
    who = tx.actor
    ended = await store.end_holds(
        tx,
        hold_ids=hold_ids,
        ending=ending,
        overdue_only=overdue_only,
        actor_type=who.type,
        actor_id=who.id,
        actor_name=who.name,
        reason=reason,
        ip=who.ip,
        user_agent=who.user_agent,
        request_id=who.request_id,
    )
    for event_id in {row.event_id for row in ended}:
        rows = [row for row in ended if row.event_id == event_id]
        freed = [(row.ordinal, row.version) for row in rows if row.ordinal is not None]
        counts = [(row.zone_id, row.held, row.sold, row.version) for row in rows if row.held is not None]
        seating.tell_seats(tx, event_id, freed, AVAILABLE, counts)
        if kept := [(row.kept, row.version) for row in rows if row.kept is not None]:
            seating.tell_seats(tx, event_id, kept, RESERVED)
    tx.tell(ENDED, (tx.organization_id, ending, reason, ended))
    return sum(row.hold_id is not None for row in ended)


async def my_holds(tx: Tx, who: Principal, event_id: UUID) -> list[Hold]:
    rows = await store.my_holds(tx, event_id=event_id, user_id=who.id)
    if not rows:
        await events.get_event(tx, event_id)  # a show that there is not is another matter
    companions = await kept_companions(tx, event_id, who.id, [row.seat_id for row in rows if row.seat_id])
    return [
        Hold(
            **{name: getattr(row, name) for name in Hold.__struct_fields__ if name != "companions"},
            companions=companions.get(row.seat_id, []) if row.seat_id else [],
        )
        for row in rows
    ]


# --- consequences: what a show's changes do to its holds, in the transaction of the change


async def release_all(tx: Tx, fact: event_facts.EventFact) -> None:
    """The show is cancelled or over: nobody holds anything any more."""
    await _end_all(tx, fact.subject_id, f"the show is {fact.new_status}")


async def suspend_or_resume(tx: Tx, fact: event_facts.EventFact) -> None:
    """Postponed without a date, holds wait; with one they have their full time again."""
    if fact.new_status == "postponed" and fact.rescheduled_at is None:
        if await store.suspend_holds(tx, fact.subject_id):
            seating.forget_seats(tx, fact.subject_id)
    else:
        await resume(tx, fact)


async def resume(tx: Tx, fact: event_facts.EventFact) -> None:
    """Unless the sale is closed at the new date: then they end."""
    if fact.old_status != "postponed" and fact.new_status != "postponed":
        return
    if not await store.is_on_sale(tx, fact.subject_id):
        await _end_all(tx, fact.subject_id, "the sale is closed")
        return
    values = seating_policy.values_of(await seating_policies.effective(tx, fact.subject_id))
    if await store.resume_holds(tx, event_id=fact.subject_id, ttl_s=policy.ttl_s(values)):
        seating.forget_seats(tx, fact.subject_id)


async def release_outside_window(tx: Tx, fact: event_facts.EventUpdated) -> None:
    """The sale's time was changed: whoever holds something outside of it holds it no more."""
    if {"sale_start_at", "sale_end_at"} & set(fact.changed) and not await store.is_on_sale(tx, fact.subject_id):
        await _end_all(tx, fact.subject_id, "the sale is closed")


async def refuse_move_without_consent(tx: Tx, fact: event_facts.EventUpdated) -> None:
    """Whoever holds or has bought a place did so for a venue. That it was deleted is nobody's choice of another."""
    if "venue_id" not in fact.changed or fact.consent_note is not None:
        return
    event = await events.get_event(tx, fact.subject_id)
    if event.venue_id is not None and await store.is_in_sale(tx, fact.subject_id):
        raise ConsentNeeded()


async def refuse_while_in_sale(tx: Tx, fact: event_facts.EventUnpublished) -> None:
    """A show that somebody has bought or holds a place in does not go back into the drafts."""
    if await store.is_in_sale(tx, fact.subject_id):
        raise InSale()


async def release_blocked(tx: Tx, fact: SeatsBlocked | SeatsReleased) -> None:
    """Whoever holds a seat that is blocked, or set free by hand, loses it while it is still theirs to lose."""
    if isinstance(fact, SeatsReleased) or fact.blocked:
        held = await store.live_holds_of_seats(tx, event_id=fact.subject_id, seat_ids=fact.seat_ids) or []
        if await end(tx, held, "cancelled", reason=fact.reason) < len(held):
            raise BeingPaidFor()


async def admit_holders(tx: Tx, fact: QueueOpened) -> None:
    """The waiting room opens: whoever holds seats already stands in front of everybody. Not while people gather for a
    draw, which is among all of them."""
    if fact.state == "pre":
        return
    await waiting_room.admit_first(tx, fact.subject_id, await store.holders(tx, fact.subject_id))


async def _end_all(tx: Tx, event_id: UUID, reason: str) -> None:
    while held := await store.live_holds_of_event(tx, event_id=event_id, limit=ENDED_AT_ONCE):
        await end(tx, held, "cancelled", reason=reason)
