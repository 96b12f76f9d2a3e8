"""What follows from a line's outcome, and what a basket may be: tables and pure decisions."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.events.public_model import EventNotFound
from fullhouse.holds.model import (
    AtCapacity,
    EventNotAvailable,
    InvalidRequest,
    Item,
    NetworkLimit,
    SalesClosed,
    SeatGone,
    SeatHeld,
    SeatNotAvailable,
    SeatsAreChosen,
    TooManyHolds,
    TooManySeats,
    TooManyWheelchairs,
    UserLimit,
)
from fullhouse.kit.actors import Principal
from fullhouse.kit.errors import FieldError, Refusal
from fullhouse.seating.model import SeatNotFound, ZoneNotFound
from fullhouse.seating.orphans import Rules
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
}


_WRITTEN_BY_THE_ENGINE = tuple(kind for outcome, kind in REFUSALS.items() if outcome != "again")


def is_noted_here(refusal: Refusal) -> bool:
    """Whether the audit must still hear of it: a mistake, a right or a rule, and not what the engine wrote down."""
    return refusal.status in (400, 403, 409) and not isinstance(refusal, _WRITTEN_BY_THE_ENGINE)


def refusal(outcome: str, left_s: int | None, **extra: Any) -> Refusal:
    """The refusal of a line. Who holds a seat is never said; for how long, is."""
    kind = REFUSALS[outcome]
    if kind is SeatHeld:
        wait = f"For at most {left_s} seconds more." if left_s is not None else "For now."
        return SeatHeld(wait, expires_in=left_s, **extra)
    if kind is TooManyHolds:
        return TooManyHolds("Try again in a few minutes.", retry_after_s=WINDOW_S, **extra)
    return kind(**extra)


def check_items(items: Sequence[Item]) -> None:
    """Each names one thing, and none twice."""
    wrong = []
    seen: set[UUID] = set()
    for n, item in enumerate(items):
        named = [ref for ref in (item.seat_id, item.zone_id, item.ticket_type_id) if ref is not None]
        if len(named) != 1:
            wrong.append(FieldError(f"items[{n}]", "One of seat_id, zone_id and ticket_type_id."))
        elif named[0] in seen:
            wrong.append(FieldError(f"items[{n}]", "Named twice."))
        elif item.seat_id and item.quantity != 1:
            wrong.append(FieldError(f"items[{n}].quantity", "A seat is one."))
        seen.update(named)
    if not items:
        wrong.append(FieldError("items", "At least one, or best_available."))
    if wrong:
        raise InvalidRequest(fields=wrong)


def check_size(places: int, wheelchairs: int, terms: Effective) -> None:
    if places > (most := terms.number("max_seats_per_booking")):
        raise TooManySeats(f"At most {most} in one booking.", most=most)
    if wheelchairs > (most := terms.number("max_wheelchair_seats_per_booking")):
        raise TooManyWheelchairs(f"At most {most} in one booking.", most=most)


def check_picking(picked: int, terms: Effective, who: Principal) -> None:
    """Where the house chooses, only its staff picks."""
    if picked and terms.on("prefer_clustering_over_selection") and "seating.write" not in who.allowed:
        raise SeatsAreChosen()


def ttl_s(terms: Effective) -> int:
    return 60 * terms.number("default_hold_ttl_minutes")


class Limits(NamedTuple):
    """For how long, and how many: as the statement takes them."""

    ttl_s: int
    per_window: int
    most_mine: int | None
    most_near: int | None


def limits(terms: Effective) -> Limits:
    mine, near = (terms.values[name] for name in ("max_holds_per_user", "max_holds_per_ip"))
    return Limits(
        ttl_s(terms),
        terms.number("holds_per_window"),
        None if mine is None else int(mine),
        None if near is None else int(near),
    )


class Load(NamedTuple):
    """How much of what is limited for one person in one show."""

    holds: int
    wheelchairs: int


def fitting(baskets: Sequence[Load], has: Load, terms: Effective) -> list[bool]:
    """Which of these somebody may hold beside what they have: the first ones that fit. How often somebody takes
    something is another limit, and refuses nothing that was taken."""
    most = terms.values["max_holds_per_user"]
    chairs = terms.number("max_wheelchair_seats_per_booking")
    found = []
    for basket in baskets:
        sum_ = Load(has.holds + basket.holds, has.wheelchairs + basket.wheelchairs)
        fits = (most is None or sum_.holds <= int(most)) and (not basket.wheelchairs or sum_.wheelchairs <= chairs)
        found.append(fits)
        has = sum_ if fits else has
    return found


def rules(terms: Effective, *, explicit_wish: bool = False) -> Rules:
    """The orphan and group rules, as the policy sets them."""
    return Rules(
        strict=terms.on("orphan_avoidance_strict"),
        adjacency_strict=terms.on("group_adjacency_strict"),
        max_group_split=terms.number("max_group_split"),
        explicit_wish=explicit_wish,
    )
