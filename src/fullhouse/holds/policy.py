"""What follows from a line's outcome, and what a basket may be: tables and pure decisions."""

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
    NetworkLimit,
    SalesClosed,
    SeatGone,
    SeatHeld,
    SeatNotAvailable,
    SeatsAreChosen,
    TicketTypeNotFound,
    TooManyHolds,
    TooManyOfType,
    TooManySeats,
    TooManyWheelchairs,
    TypeNotOnSale,
    TypeSoldOut,
    UserLimit,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.errors import FieldError, Refusal
from fullhouse.seating.allocation.orphans import Rules
from fullhouse.seating.model import SeatNotFound, ZoneNotFound
from fullhouse.seating.policy import Effective

WINDOW_S = 300

# By the engine's word. Lines that are not to blame (`not_tried`) are not here.
REFUSALS: dict[str, type[Refusal]] = {
    "event_not_found": EventNotFound,
    "event_not_available": EventNotAvailable,
    "event_sales_closed": SalesClosed,
    "seat_not_found": SeatNotFound,
    "zone_not_found": ZoneNotFound,
    "seat_not_available": SeatNotAvailable,
    "seat_held_by_another_user": SeatHeld,
    "again": SeatGone,
    "block_at_capacity": AtCapacity,
    "too_many_holds": TooManyHolds,
    "max_holds_per_user": UserLimit,
    "max_holds_per_ip": NetworkLimit,
    "max_seats_per_booking": TooManySeats,
    "max_wheelchair_seats_per_booking": TooManyWheelchairs,
    "ticket_type_not_found": TicketTypeNotFound,
    "ticket_type_not_on_sale": TypeNotOnSale,
    "ticket_type_sold_out": TypeSoldOut,
    "max_per_order": TooManyOfType,
}
BOOKING_LIMITS: dict[str, type[Refusal]] = {
    name: REFUSALS[name] for name in ("max_seats_per_booking", "max_wheelchair_seats_per_booking")
}  # by the policy's field, which is the engine's word too


class Limit(NamedTuple):
    """An event's limit that was made lower or is new, with what is taken."""

    event_id: UUID
    name: str
    capacity: int
    held: int
    sold: int


def check_limit(limit: Limit) -> None:
    """Never below what is held and sold: the numbers say by how much."""
    if limit.held + limit.sold > limit.capacity:
        said = f"“{limit.name}”: {limit.sold} sold and {limit.held} held, but the new limit is {limit.capacity}."
        raise CapacityInUse(said, **limit._asdict())


def is_noted_here(refusal: Refusal) -> bool:
    """Whether the audit must still hear of it: a mistake, a right or a rule, and not what the engine wrote down."""
    return refusal.status == 403 or (refusal.status in (400, 409) and not refusal.noted)


class Refused(Protocol):
    """A line that the engine did not grant."""

    @property
    def outcome(self) -> str: ...
    @property
    def held_until(self) -> datetime | None: ...
    @property
    def left_s(self) -> int | None: ...
    @property
    def seat_status(self) -> str | None: ...


def refusal(line: Refused, terms: Effective, **extra: Any) -> Refusal:
    """The refusal of a line. The engine has written it down, unless it was only late."""
    outcome = line.outcome
    found = _refusal(line, terms, **extra)
    found.noted = outcome != "again"
    return found


def _refusal(line: Refused, terms: Effective, **extra: Any) -> Refusal:
    """Who holds a seat is never said; for how long, is, unless it is being paid for."""
    kind, left_s = REFUSALS[line.outcome], line.left_s
    if line.outcome in BOOKING_LIMITS:
        return _above(line.outcome, terms, **extra)
    if kind is SeatNotAvailable:
        return SeatNotAvailable(current_status=line.seat_status, **extra)
    if kind is SeatHeld:
        wait = f"For at most {left_s} seconds more." if left_s is not None else "For now."
        until = line.held_until if left_s is not None else None
        return SeatHeld(wait, current_status="held", expires_at=until, expires_in=left_s, **extra)
    if kind is TooManyHolds:
        return TooManyHolds("Try again in a few minutes.", retry_after_s=WINDOW_S, **extra)
    return kind(**extra)


def nothing_sold(outcomes: Sequence[str]) -> Refusal:
    """Of zones of which none is sold now: sold out if all of them are."""
    all_same = len(set(outcomes)) == 1
    return REFUSALS[outcomes[0] if all_same else "ticket_type_not_on_sale"]()


def check_items(items: Sequence[Item]) -> None:
    """Each names one thing, and none twice. A zone's places may be named by their ticket type, too."""
    wrong = []
    seen: set[tuple[UUID | None, ...]] = set()
    for n, item in enumerate(items):
        named = (item.seat_id, item.zone_id, item.ticket_type_id)
        if (item.seat_id is not None) == (item.zone_id is not None or item.ticket_type_id is not None):
            wrong.append(FieldError(f"items[{n}]", "A seat_id; or a zone_id, a ticket_type_id, or both."))
        elif named in seen:
            wrong.append(FieldError(f"items[{n}]", "Named twice."))
        elif item.seat_id and item.quantity != 1:
            wrong.append(FieldError(f"items[{n}].quantity", "A seat is one."))
        seen.add(named)
    if not items:
        wrong.append(FieldError("items", "At least one, or best_available."))
    if wrong:
        raise InvalidRequest(fields=wrong)


def check_size(places: int, wheelchairs: int, terms: Effective) -> None:
    """Of one request, or of one order. What a person has beside a request is the engine's to count, under its locks."""
    for name, count in zip(BOOKING_LIMITS, (places, wheelchairs), strict=True):
        if count > terms.number(name):
            raise _above(name, terms)


def _above(limit: str, terms: Effective, **extra: Any) -> Refusal:
    most = terms.number(limit)
    return BOOKING_LIMITS[limit](f"At most {most} in one booking.", most=most, **extra)


def is_staff(who: Principal) -> bool:
    """Who sells for others has no booking of their own: each request of theirs is one."""
    return "seating.write" in who.allowed


def check_picking(picked: int, terms: Effective, who: Principal) -> None:
    """Where the house chooses, only its staff picks."""
    if picked and terms.on("prefer_clustering_over_selection") and not is_staff(who):
        raise SeatsAreChosen()


def ttl_s(terms: Effective) -> int:
    return 60 * terms.number("default_hold_ttl_minutes")


class Limits(NamedTuple):
    """For how long, and how many: as the statement takes them."""

    ttl_s: int
    per_window: int
    most_mine: int | None
    most_near: int | None
    most_places: int | None = None  # seats and places in one booking


def limits(terms: Effective) -> Limits:
    mine, near = (terms.values[name] for name in ("max_holds_per_user", "max_holds_per_ip"))
    return Limits(
        ttl_s(terms),
        terms.number("holds_per_window"),
        None if mine is None else int(mine),
        None if near is None else int(near),
        terms.number("max_seats_per_booking"),
    )


class Load(NamedTuple):
    """How much of what is limited for one person in one show."""

    holds: int
    wheelchairs: int
    places: int


def fitting(baskets: Sequence[Load], has: Load, terms: Effective) -> list[bool]:
    """Which of these somebody may hold beside what they have: the first ones that fit. How often somebody takes
    something is another limit, and refuses nothing that was taken."""
    most = terms.values["max_holds_per_user"]
    chairs, places = (terms.number(f"max_{kind}seats_per_booking") for kind in ("wheelchair_", ""))
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


def rules(terms: Effective, *, explicit_wish: bool = False, allow_split: bool = False) -> Rules:
    """The orphan and group rules, as the policy sets them."""
    return Rules(
        strict=terms.on("orphan_avoidance_strict"),
        adjacency_strict=terms.on("group_adjacency_strict"),
        max_group_split=terms.number("max_group_split"),
        allow_split=allow_split,
        explicit_wish=explicit_wish,
        companions_kept=terms.on("enforce_accessibility_rules"),
    )
