"""Pure decisions and tables: the refusal for each outcome of the engine, and the rules and limits of a basket."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from fullhouse.events.public.model import EventNotFound
from fullhouse.holds.model import (
    AtCapacity,
    CapacityInUse,
    EventNotAvailable,
    InvalidRequest,
    Item,
    SalesClosed,
    SeatHeld,
    SeatJustTaken,
    SeatNotAvailable,
    SeatsAreAssigned,
    TicketTypeNotFound,
    TooManyHolds,
    TooManyHoldsOfNetwork,
    TooManyHoldsOfUser,
    TooManyOfType,
    TooManySeats,
    TooManyWheelchairs,
    TypeNotOnSale,
    TypeSoldOut,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.errors import FieldError, Refusal
from fullhouse.seating.allocation.orphans import AllocationRules
from fullhouse.seating.model import SeatNotFound, ZoneNotFound
from fullhouse.seating.policy import EffectivePolicy

WINDOW_S = 300

# By the outcome that the engine returns. `not_tried` (another item of the basket failed) is never refused itself.
REFUSALS: dict[str, type[Refusal]] = {
    "event_not_found": EventNotFound,
    "event_not_available": EventNotAvailable,
    "event_sales_closed": SalesClosed,
    "seat_not_found": SeatNotFound,
    "zone_not_found": ZoneNotFound,
    "seat_not_available": SeatNotAvailable,
    "seat_held_by_another_user": SeatHeld,
    "again": SeatJustTaken,
    "block_at_capacity": AtCapacity,
    "too_many_holds": TooManyHolds,
    "max_holds_per_user": TooManyHoldsOfUser,
    "max_holds_per_ip": TooManyHoldsOfNetwork,
    "max_seats_per_booking": TooManySeats,
    "max_wheelchair_seats_per_booking": TooManyWheelchairs,
    "ticket_type_not_found": TicketTypeNotFound,
    "ticket_type_not_on_sale": TypeNotOnSale,
    "ticket_type_sold_out": TypeSoldOut,
    "max_per_order": TooManyOfType,
}
BOOKING_LIMITS: dict[str, type[Refusal]] = {
    name: REFUSALS[name] for name in ("max_seats_per_booking", "max_wheelchair_seats_per_booking")
}  # the seating policy's field and the engine's outcome have the same name


class Limit(NamedTuple):
    """A lowered or new capacity limit of an event, with what is held and sold."""

    event_id: UUID
    name: str
    capacity: int
    held: int
    sold: int


def check_limit(limit: Limit) -> None:
    """A limit below what is held and sold is refused; the refusal has the numbers."""
    if limit.held + limit.sold > limit.capacity:
        detail = f"“{limit.name}”: {limit.sold} sold and {limit.held} held, but the new limit is {limit.capacity}."
        raise CapacityInUse(detail, **limit._asdict())


def needs_audit(refusal: Refusal) -> bool:
    """Whether it still has to be audited: mistakes, missing rights and broken rules that the engine did not audit."""
    return refusal.status == 403 or (refusal.status in (400, 409) and not refusal.is_audited)


class RefusedItem(Protocol):
    """An item that the engine did not grant."""

    @property
    def outcome(self) -> str: ...
    @property
    def held_until(self) -> datetime | None: ...
    @property
    def left_s(self) -> int | None: ...
    @property
    def seat_status(self) -> str | None: ...


def to_refusal(result: RefusedItem, effective: EffectivePolicy, **extra: Any) -> Refusal:
    """The refusal of an item. The engine has audited it, unless the item only lost a race (`again`)."""
    outcome = result.outcome
    found = _build_refusal(result, effective, **extra)
    found.is_audited = outcome != "again"
    return found


def _build_refusal(result: RefusedItem, effective: EffectivePolicy, **extra: Any) -> Refusal:
    """Never says who holds a seat; says for how long, unless a payment is running."""
    kind, left_s = REFUSALS[result.outcome], result.left_s
    if result.outcome in BOOKING_LIMITS:
        return _to_limit_refusal(result.outcome, effective, **extra)
    if kind is SeatNotAvailable:
        return SeatNotAvailable(current_status=result.seat_status, **extra)
    if kind is SeatHeld:
        wait = (
            f"Another buyer has reserved it for at most {left_s} more seconds."
            if left_s is not None
            else "Another buyer is paying for it."
        )
        until = result.held_until if left_s is not None else None
        return SeatHeld(wait, current_status="held", expires_at=until, expires_in=left_s, **extra)
    if kind is TooManyHolds:
        detail = "You have reserved too many seats in the last five minutes. Try again in a few minutes."
        return TooManyHolds(detail, retry_after_s=WINDOW_S, **extra)
    return kind(**extra)


def to_unsold_refusal(outcomes: Sequence[str]) -> Refusal:
    """The refusal when no zone has seats on sale: their common outcome (sold out), otherwise not on sale."""
    all_same = len(set(outcomes)) == 1
    return REFUSALS[outcomes[0] if all_same else "ticket_type_not_on_sale"]()


def check_items(items: Sequence[Item]) -> None:
    """Each item names one thing, once: a seat, or a zone, a ticket type or both."""
    mistakes = []
    seen: set[tuple[UUID | None, ...]] = set()
    for n, item in enumerate(items):
        named = (item.seat_id, item.zone_id, item.ticket_type_id)
        if (item.seat_id is not None) == (item.zone_id is not None or item.ticket_type_id is not None):
            mistakes.append(FieldError(f"items[{n}]", "Name a seat_id; or a zone_id, a ticket_type_id, or both."))
        elif named in seen:
            mistakes.append(FieldError(f"items[{n}]", "This item is in the request twice."))
        elif item.seat_id and item.quantity != 1:
            mistakes.append(FieldError(f"items[{n}].quantity", "The quantity of a seat must be 1."))
        seen.add(named)
    if not items:
        mistakes.append(FieldError("items", "Name at least one item, or use best_available."))
    if mistakes:
        raise InvalidRequest(fields=mistakes)


def check_size(places: int, wheelchairs: int, effective: EffectivePolicy) -> None:
    """The limits of one request or one order. The engine counts, under its locks, what a person holds beside it."""
    for name, count in zip(BOOKING_LIMITS, (places, wheelchairs), strict=True):
        if count > effective.number(name):
            raise _to_limit_refusal(name, effective)


def _to_limit_refusal(limit: str, effective: EffectivePolicy, **extra: Any) -> Refusal:
    most = effective.number(limit)
    return BOOKING_LIMITS[limit](f"One booking can have at most {most}.", most=most, **extra)


def is_staff(who: Principal) -> bool:
    """Staff sell for others: each of their requests is a booking of its own."""
    return "seating.write" in who.allowed


def check_picking(picked: int, effective: EffectivePolicy, who: Principal) -> None:
    """Where the organiser has seats assigned (`prefer_clustering_over_selection`), only staff pick them."""
    if picked and effective.is_on("prefer_clustering_over_selection") and not is_staff(who):
        raise SeatsAreAssigned()


def ttl_s(effective: EffectivePolicy) -> int:
    return 60 * effective.number("default_hold_ttl_minutes")


class Limits(NamedTuple):
    """Parameters of the hold statement: the time to live and the limits."""

    ttl_s: int
    per_window: int
    most_mine: int | None
    most_near: int | None
    most_places: int | None = None  # seats and spots in one booking


def limits(effective: EffectivePolicy) -> Limits:
    mine, near = (effective.values[name] for name in ("max_holds_per_user", "max_holds_per_ip"))
    return Limits(
        ttl_s(effective),
        effective.number("holds_per_window"),
        None if mine is None else int(mine),
        None if near is None else int(near),
        effective.number("max_seats_per_booking"),
    )


class Load(NamedTuple):
    """What counts against the limits of one person in one event."""

    holds: int
    wheelchairs: int
    places: int


def find_fitting(baskets: Sequence[Load], has: Load, effective: EffectivePolicy) -> list[bool]:
    """For each basket whether a person may hold it beside what they have; earlier baskets go first. The limit of holds
    per five minutes is not applied here: these are held already."""
    most = effective.values["max_holds_per_user"]
    chairs, places = (effective.number(f"max_{kind}seats_per_booking") for kind in ("wheelchair_", ""))
    found = []
    for basket in baskets:
        sum_ = Load(*map(sum, zip(has, basket, strict=True)))
        fits = (
            (most is None or sum_.holds <= int(most))
            and (not basket.wheelchairs or sum_.wheelchairs <= chairs)
            and sum_.places <= places
        )
        found.append(fits)
        has = sum_ if fits else has
    return found


def orphan_rules(
    effective: EffectivePolicy, *, explicit_wish: bool = False, allow_split: bool = False
) -> AllocationRules:
    """The orphan and group rules of the seating policy."""
    return AllocationRules(
        strict=effective.is_on("orphan_avoidance_strict"),
        adjacency_strict=effective.is_on("group_adjacency_strict"),
        max_group_split=effective.number("max_group_split"),
        allow_split=allow_split,
        explicit_wish=explicit_wish,
        companions_kept=effective.is_on("enforce_accessibility_rules"),
    )
