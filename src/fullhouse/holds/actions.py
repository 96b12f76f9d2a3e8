"""Commands on holds: place, release and end them, and what changes of an event do to its holds."""

from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fullhouse.events import actions as events
from fullhouse.events import facts as event_facts
from fullhouse.holds import policy, store
from fullhouse.holds.companion_reads import list_kept_companions
from fullhouse.holds.model import (
    Basket,
    BestAvailable,
    ConsentNeeded,
    EventInSale,
    Hold,
    HoldEnded,
    HoldItems,
    HoldNotFound,
    InvalidRequest,
    Item,
    NoSeatsTogether,
    PaymentRunning,
    ReasonNeeded,
    ReleaseSeats,
    Reserve,
    Reserved,
    TooFarApart,
)
from fullhouse.holds.refusal_audit import audit_refusals
from fullhouse.holds.responses import to_basket, to_repeated_basket, to_reserved
from fullhouse.holds.sale_context import (
    BasketId,
    SaleContext,
    SaleContexts,
    build_item,
    build_seat_item,
    check_orphans,
    check_results,
    check_whole_groups,
    check_zone_access,
    find_open_zones,
    find_zones_on_sale,
    list_own_seats,
    place_request,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http.idempotency import KeyReused
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.messages.outbox import announce
from fullhouse.kit.services import Services
from fullhouse.seating import journal
from fullhouse.seating import policy as seating_policy
from fullhouse.seating import policy_actions as seating_policies
from fullhouse.seating.allocation import best_available
from fullhouse.seating.facts import SeatsBlocked, SeatsReleased
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import AVAILABLE, RESERVED
from fullhouse.seating.overlay import actions as seating
from fullhouse.seating.plans.chart import seat_id
from fullhouse.waiting_room import actions as waiting_room
from fullhouse.waiting_room import entry_actions as queue
from fullhouse.waiting_room.facts import QueueOpened

BEST_TRIES = 20  # many buyers who choose the same block: each round one of them gets it and the others choose again
RELOAD_AFTER_TRIES = 8  # lost tries after which the cached seat states are probably stale, and are read again
LOST_OUTCOMES = frozenset({"again", "seat_not_available", "seat_held_by_another_user"})
TAKEN_STATE = 255
ENDED = f"{LOCAL}holds:ended"  # published in this process only: how they ended, the reason, and the rows
ENDED_AT_ONCE = 1000


# --- one seat


@audit_refusals
async def reserve(
    services: Services, who: Principal, event_id: UUID, seat: UUID, request: Reserve
) -> tuple[Reserved, bool]:
    """Holds one seat that the buyer picked. A repeat by the same person returns the same hold; the second value says
    whether the hold is new."""
    sale = await services.part(SaleContexts).get(who.organization_id, event_id)
    await queue.check_admitted(services, who, event_id, policy.ttl_s(sale.rules.policy))
    ordinal = sale.ordinal(seat)
    if ordinal is not None:
        if sale.restricted_zones:
            await check_zone_access(sale, who, [ordinal], ())
        policy.check_picking(1, sale.rules.policy, who)
        check_whole_groups(sale, [ordinal])
    item = build_seat_item(sale, seat, ordinal)
    (result,) = await place_request(sale, who, (item,), request.source, BasketId(item.hold_id), request.promo_code)
    if not result.is_granted:
        raise policy.to_refusal(result, sale.rules.policy)
    return to_reserved(sale, seat, result), result.outcome == "held"


# --- baskets


@audit_refusals
async def hold_items(
    services: Services, who: Principal, event_id: UUID, request: HoldItems, key: str | None = None
) -> Basket:
    """Holds several seats and general-admission spots, all or none. With an Idempotency-Key, repeats have no further
    effect."""
    sale = await services.part(SaleContexts).get(who.organization_id, event_id)
    await queue.check_admitted(services, who, event_id, policy.ttl_s(sale.rules.policy))
    basket_id = BasketId.of(who, event_id, key, request)
    if basket_id.key_range and (found := await _find_repeated_basket(sale, who, basket_id)):
        return found
    if request.best_available:
        if request.items:
            raise InvalidRequest(fields=[FieldError("best_available", "Send best_available or items, not both.")])
        return await _hold_best(sale, who, request, request.best_available, basket_id)
    policy.check_items(request.items)
    ordinals = [n for n in (sale.ordinal(item.seat_id) for item in request.items if item.seat_id) if n is not None]
    own = await _read_own_seats(sale, who) if ordinals else []
    wheelchairs = sum(sale.is_wheelchair(n) for n in ordinals)
    policy.check_size(sum(item.quantity for item in request.items), wheelchairs, sale.rules.policy)
    await check_zone_access(sale, who, ordinals, [item.zone_id for item in request.items if item.zone_id])
    policy.check_picking(sum(not sale.is_in_group(n) for n in ordinals), sale.rules.policy, who)
    check_whole_groups(sale, ordinals)
    check_orphans(sale, ordinals, own)
    items = tuple(build_item(sale, item) for item in request.items)
    results = await place_request(sale, who, items, request.source, basket_id, request.promo_code)
    if results[0].outcome == "repeated":
        return await _require_repeated_basket(sale, who, basket_id)
    check_results(sale, results, request.items)
    return to_basket(sale, basket_id.id, items, results)


async def _read_own_seats(sale: SaleContext, who: Principal) -> list[int]:
    async with sale.services.database.tenant(sale.organization_id, who.actor) as tx:
        return await list_own_seats(tx, sale, who)


async def _find_repeated_basket(sale: SaleContext, who: Principal, basket_id: BasketId) -> Basket | None:
    """The basket that the same key created before. The same key with another body is refused; nothing is held."""
    assert basket_id.key_range
    async with sale.services.database.tenant(sale.organization_id, who.actor) as tx:
        holds = await store.list_holds_of_basket(tx, first_id=basket_id.key_range[0], last_id=basket_id.key_range[1])
    if any(hold.basket_id != basket_id.id for hold in holds):
        raise KeyReused()
    return to_repeated_basket(sale, basket_id.id, holds) if holds else None


async def _require_repeated_basket(sale: SaleContext, who: Principal, basket_id: BasketId) -> Basket:
    found = await _find_repeated_basket(sale, who, basket_id)
    assert found, "the hold statement has found rows of this key"
    return found


async def _hold_best(
    sale: SaleContext, who: Principal, request: HoldItems, criteria: BestAvailable, basket_id: BasketId
) -> Basket:
    """Chooses among the seats on sale and tries to hold them; seats that another buyer got in between are excluded from
    the next try."""
    if sale.seats is None:
        reason = "This event has no numbered seats: name zones or ticket types in items."
        raise InvalidRequest(fields=[FieldError("best_available", reason)])
    policy.check_size(criteria.quantity, criteria.accessible, sale.rules.policy)
    open_to_them = await find_open_zones(sale, who, criteria.zone_ids)
    async with sale.services.database.tenant(sale.organization_id, who.actor) as tx:
        own = await list_own_seats(tx, sale, who)
        allowed = await find_zones_on_sale(tx, sale, who, open_to_them, request.promo_code)
    taken: set[int] = set()  # taken according to the database, even if the cached states say free
    for tries in range(BEST_TRIES):
        if tries == RELOAD_AFTER_TRIES:
            seat_states = await sale.services.part(SeatStateCache).read_fresh(sale.organization_id, sale.event_id)
            sale = SaleContext(
                sale.services, sale.organization_id, sale.event_id, sale.rules, seat_states or sale.seats
            )
        assert sale.seats
        states = sale.seats.states.copy()
        states[list(taken)] = TAKEN_STATE
        choice = _choose_seats(sale, who, states, allowed, criteria, own)
        seats = [seat_id(sale.seats.seat_index.layout_id, n) for n in choice.ordinals]
        items = tuple(build_seat_item(sale, seat, n) for seat, n in zip(seats, choice.ordinals, strict=True))
        results = await place_request(sale, who, items, request.source, basket_id, request.promo_code)
        if all(result.is_granted for result in results):
            if choice.orphans:
                journal.log_orphans(sale.organization_id, sale.event_id, len(choice.orphans), choice.sentence)
            return to_basket(sale, basket_id.id, items, results, choice.sentence)
        if results[0].outcome == "repeated":
            return await _require_repeated_basket(sale, who, basket_id)
        lost = [n for n, result in zip(choice.ordinals, results, strict=True) if result.outcome in LOST_OUTCOMES]
        if not lost:
            check_results(sale, results, [Item(seat_id=seat) for seat in seats])
        taken.update(lost)
    raise policy.to_refusal(results[0]._replace(outcome="again"), sale.rules.policy)


def _choose_seats(
    sale: SaleContext,
    who: Principal,
    states: NDArray[np.uint8],
    allowed: set[int],
    criteria: BestAvailable,
    own: list[int],
) -> best_available.Choice:
    assert sale.seats
    seat_index = sale.seats.seat_index
    chart = seat_index.index.chart
    free = states == AVAILABLE
    mine = np.zeros(len(states), bool)
    mine[own] = True
    candidates = free & np.isin(chart.zone, list(allowed))
    candidates[list(seat_index.whole_groups)] = False  # tables and blocks are sold as a whole only
    if criteria.price_category is not None:
        priced = chart.price == seat_index.prices.get(criteria.price_category, -2)
        for zone_id, price in sale.rules.seating.prices.items():
            if zone := sale.rules.seating.zones.get(zone_id):
                priced[chart.zone == zone.position] = price == criteria.price_category
        candidates &= priced
    found = best_available.best_available(
        seat_index.index,
        candidates,
        free | mine | (states == RESERVED),
        criteria.quantity,
        policy.orphan_rules(sale.rules.policy, allow_split=criteria.allow_split),
        accessible=criteria.accessible,
        own=own,
        soft_reserved=np.flatnonzero(states == RESERVED).tolist(),
        rotate=int.from_bytes(who.id.bytes[-4:], "big") if who.id else 0,
        names=seat_index.names.in_language(criteria.language),
    )
    if isinstance(found, best_available.Refused):
        kind = TooFarApart if found.is_far else NoSeatsTogether
        raise kind(found.sentence, largest=found.largest, left=found.left)
    return found


# --- releasing


async def release(tx: Tx, who: Principal, hold_id: UUID, reason: str | None) -> None:
    """Its holder may release it, and staff with a reason. For everybody else the hold does not exist (404)."""
    hold = await store.find_hold(tx, hold_id)
    mine = hold is not None and hold.user_id == who.id
    if hold is None or not (mine or "seating.write" in who.allowed):
        raise HoldNotFound()
    if not mine and reason is None:
        raise ReasonNeeded()
    if not await end(tx, [hold_id], "cancelled", reason=reason):
        if hold.status == "active" and hold.held_until is None:
            raise PaymentRunning()
        raise HoldEnded(f"The hold is already {hold.status}.")


async def release_seats(tx: Tx, event_id: UUID, request: ReleaseSeats) -> int:
    """For staff, who see seats but not who holds them. The waitlist domain ends its own offers, each as a whole."""
    await events.lock_event(tx, event_id)
    held = await store.list_live_holds_of_seats(tx, event_id=event_id, seat_ids=request.seat_ids) or []
    if held:
        await announce(tx, SeatsReleased(subject_id=event_id, seat_ids=request.seat_ids, reason=request.reason))
    return len(held)


async def end(
    tx: Tx, hold_ids: list[UUID], ending: str, *, overdue_only: bool = False, reason: str | None = None
) -> int:
    """Ends those that are still live, frees what they hold and publishes the changes. Returns how many ended."""
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
        seating.publish_seats(tx, event_id, freed, AVAILABLE, counts)
        if kept := [(row.kept, row.version) for row in rows if row.kept is not None]:
            seating.publish_seats(tx, event_id, kept, RESERVED)
    tx.publish(ENDED, (tx.organization_id, ending, reason, ended))
    return sum(row.hold_id is not None for row in ended)


async def list_my_holds(tx: Tx, who: Principal, event_id: UUID) -> list[Hold]:
    rows = await store.list_my_holds(tx, event_id=event_id, user_id=who.id)
    if not rows:
        await events.require_event(tx, event_id)  # refuses an unknown event
    companions = await list_kept_companions(tx, event_id, who.id, [row.seat_id for row in rows if row.seat_id])
    return [
        Hold(
            **{name: getattr(row, name) for name in Hold.__struct_fields__ if name != "companions"},
            companions=companions.get(row.seat_id, []) if row.seat_id else [],
        )
        for row in rows
    ]


# --- sync handlers: what changes of an event do to its holds, in the same transaction


async def release_all(tx: Tx, fact: event_facts.EventFact) -> None:
    """The event is cancelled or over: all its holds end."""
    await _end_all(tx, fact.subject_id, f"the show is {fact.new_status}")


async def suspend_or_resume(tx: Tx, fact: event_facts.EventFact) -> None:
    """Postponed without a new date, holds are suspended; with a new date they get their full time again."""
    if fact.new_status == "postponed" and fact.rescheduled_at is None:
        if await store.suspend_holds(tx, fact.subject_id):
            seating.publish_reload(tx, fact.subject_id)
    else:
        await resume(tx, fact)


async def resume(tx: Tx, fact: event_facts.EventFact) -> None:
    """Holds get their full time again; if the sale is closed at the new date, they end."""
    if fact.old_status != "postponed" and fact.new_status != "postponed":
        return
    if not await store.is_on_sale(tx, fact.subject_id):
        await _end_all(tx, fact.subject_id, "the sale is closed")
        return
    values = seating_policy.to_effective_policy(await seating_policies.load_effective_policy(tx, fact.subject_id))
    if await store.resume_holds(tx, event_id=fact.subject_id, ttl_s=policy.ttl_s(values)):
        seating.publish_reload(tx, fact.subject_id)


async def release_outside_window(tx: Tx, fact: event_facts.EventUpdated) -> None:
    """The sale's start or end has changed: if the sale is closed now, all holds end."""
    if {"sale_start_at", "sale_end_at"} & set(fact.changed) and not await store.is_on_sale(tx, fact.subject_id):
        await _end_all(tx, fact.subject_id, "the sale is closed")


async def refuse_move_without_consent(tx: Tx, fact: event_facts.EventUpdated) -> None:
    """Buyers chose the venue with the event: once something is held or sold, a move to another venue needs a consent
    note. If the venue itself was deleted (`venue_id` is null), no note is needed."""
    if "venue_id" not in fact.changed or fact.consent_note is not None:
        return
    event = await events.require_event(tx, fact.subject_id)
    if event.venue_id is not None and await store.is_in_sale(tx, fact.subject_id):
        raise ConsentNeeded()


async def refuse_while_in_sale(tx: Tx, fact: event_facts.EventUnpublished) -> None:
    """An event with holds or sales cannot become a draft again."""
    if await store.is_in_sale(tx, fact.subject_id):
        raise EventInSale()


async def release_blocked(tx: Tx, fact: SeatsBlocked | SeatsReleased) -> None:
    """Staff blocked or released these seats: their holds end. Refused if one of them is being paid for."""
    if isinstance(fact, SeatsReleased) or fact.blocked:
        held = await store.list_live_holds_of_seats(tx, event_id=fact.subject_id, seat_ids=fact.seat_ids) or []
        if await end(tx, held, "cancelled", reason=fact.reason) < len(held):
            raise PaymentRunning()


async def admit_holders(tx: Tx, fact: QueueOpened) -> None:
    """The waiting room opens: people who hold seats already go to the front of the queue, unless a pre-queue gathers
    people for a draw, which is among all of them."""
    if fact.state == "pre":
        return
    await waiting_room.admit_holders_first(tx, fact.subject_id, await store.list_holders(tx, fact.subject_id))


async def _end_all(tx: Tx, event_id: UUID, reason: str) -> None:
    while held := await store.list_live_holds_of_event(tx, event_id=event_id, limit=ENDED_AT_ONCE):
        await end(tx, held, "cancelled", reason=reason)
