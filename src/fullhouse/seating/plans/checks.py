"""Checks a plan. Finds all mistakes, each with its path and a sentence. Linear in the number of seats."""

from collections.abc import Iterable, Iterator
from itertools import chain
from math import isfinite
from typing import NamedTuple

from fullhouse.accounts.model import Role
from fullhouse.kit.errors import FieldError
from fullhouse.seating.plans.decoding import cap_mistakes
from fullhouse.seating.plans.plan import RESERVED, SEATS_MAX, VIP, Group, Plan, Point, Zone, capacity_of, seats_in

_ROLES = frozenset(Role)


class _SeatPosition(NamedTuple):
    """A seat's path in the document, and what other checks need of it."""

    zone: int
    path: str
    category: str


def check(plan: Plan, venue_capacity: int | None = None) -> list[FieldError]:
    """All mistakes, in the order of the document as far as possible; an empty list means that the plan is valid.

    `venue_capacity` is the most that the venue admits; None or 0 if it sets no limit.
    """
    if (seats := sum(seats_in(zone) for zone in plan.zones)) > SEATS_MAX:
        # Reported alone: no use in listing single seats of a plan that is refused as a whole.
        return [FieldError("zones", f"The plan has {seats:,} seats; more than {SEATS_MAX:,} are not possible.")]
    spots: dict[str, _SeatPosition] = {}
    claimed: dict[str, str] = {}  # companion seats: the path of the wheelchair space that they accompany
    return cap_mistakes(
        chain(
            _frame(plan, seats),
            _zones(plan),
            _seats(plan, spots),
            _companions(plan, spots, claimed),
            _groups(plan, spots, claimed),
            _find_unaccompanied(spots, claimed),
            _capacities(plan, venue_capacity),
        )
    )


# --- the plan itself


def _frame(plan: Plan, seats: int) -> Iterator[FieldError]:
    for name, extent in (("width", plan.width), ("height", plan.height)):
        if not (isfinite(extent) and extent > 0):
            yield FieldError(name, "Expected a finite number above zero.")
    if plan.focal_point:
        yield from _point(plan, plan.focal_point, "focal_point")
    elif seats:
        # No default: best-available ranks every seat by its distance to this point, and a guess would sell the
        # worst seats first wherever the guess is wrong.
        yield FieldError("focal_point", "A plan with seats needs the point that people look at, such as the stage.")
    yield from _find_repeated(
        ((f"price_categories[{i}].key", c.key) for i, c in enumerate(plan.price_categories)), "price"
    )
    if not plan.zones:
        yield FieldError("zones", "A plan needs at least one zone.")


def _point(plan: Plan, point: Point, path: str) -> Iterator[FieldError]:
    if not (isfinite(point.x) and isfinite(point.y)):
        yield FieldError(path, "Both coordinates must be finite numbers.")
    elif not (0 <= point.x <= plan.width and 0 <= point.y <= plan.height):
        yield FieldError(path, _outside(plan, point.x, point.y))


def _outside(plan: Plan, x: float, y: float) -> str:
    return f"The point ({x:g}, {y:g}) lies outside the plan of {plan.width:g} × {plan.height:g}."


def _find_repeated(keys: Iterable[tuple[str, str]], what: str) -> Iterator[FieldError]:
    seen: dict[str, str] = {}
    for path, key in keys:
        if key in seen:
            yield FieldError(path, f"The {what} key “{key}” is used already, at {seen[key]}.")
        else:
            seen[key] = path


# --- zones


def _zones(plan: Plan) -> Iterator[FieldError]:
    yield from _find_repeated(((f"zones[{i}].key", zone.key) for i, zone in enumerate(plan.zones)), "zone")
    yield from _find_repeated(_section_keys(plan), "section")
    prices = {category.key for category in plan.price_categories}
    for index, zone in enumerate(plan.zones):
        path = f"zones[{index}]"
        yield from _access(zone, path)
        yield from _capacity(zone, path)
        yield from _area(plan, zone, path)
        yield from _prices(zone, path, prices)


def _section_keys(plan: Plan) -> Iterator[tuple[str, str]]:
    """Unique in the whole plan: a section's key names it in addresses and reports."""
    for z, zone in enumerate(plan.zones):
        for s, section in enumerate(zone.sections):
            yield f"zones[{z}].sections[{s}].key", section.key


def _access(zone: Zone, path: str) -> Iterator[FieldError]:
    mode = zone.access_mode
    if mode == "membership_tier" and not zone.membership_tier:
        yield FieldError(f"{path}.membership_tier", "The access mode membership_tier needs a tier.")
    if mode != "membership_tier" and zone.membership_tier:
        yield FieldError(f"{path}.membership_tier", f"A tier has no meaning with the access mode {mode}.")
    if mode == "role_based" and not zone.allowed_roles:
        yield FieldError(f"{path}.allowed_roles", "The access mode role_based needs at least one role.")
    if mode != "role_based" and zone.allowed_roles:
        yield FieldError(f"{path}.allowed_roles", f"Roles have no meaning with the access mode {mode}.")
    for index, role in enumerate(zone.allowed_roles):
        if role not in _ROLES:
            known = ", ".join(Role)
            yield FieldError(f"{path}.allowed_roles[{index}]", f"There is no role “{role}”. The roles are {known}.")
    if mode == "public" and zone.zone_type in VIP:
        # A VIP zone is by definition a zone plus a restriction; "public" is also the default, so that a forgotten
        # access mode would open the lounge to everybody. A more expensive public zone is a price category.
        yield FieldError(
            f"{path}.access_mode",
            f"A {zone.zone_type} zone cannot be public. Restrict it, or make it a zone of another type with a price"
            " category of its own.",
        )


def _capacity(zone: Zone, path: str) -> Iterator[FieldError]:
    seats, capacity, kind = seats_in(zone), zone.capacity, zone.zone_type
    if capacity is not None and capacity <= 0:
        yield FieldError(f"{path}.capacity", "A capacity must be above zero.")
    if kind in RESERVED:
        if not seats:
            yield FieldError(f"{path}.sections", f"A {kind} zone needs seats.")
        elif capacity is not None and capacity > 0 and capacity != seats:
            yield FieldError(f"{path}.capacity", f"The capacity is {capacity:,}, but the zone has {seats:,} seats.")
    else:
        if capacity is None:
            yield FieldError(f"{path}.capacity", f"A {kind} zone needs a capacity.")
        if seats:
            yield FieldError(f"{path}.sections", f"A {kind} zone has no seats of its own, only a capacity.")


def _area(plan: Plan, zone: Zone, path: str) -> Iterator[FieldError]:
    if 0 < len(zone.area) < 3:
        yield FieldError(f"{path}.area", "An area needs at least three points.")
    for index, point in enumerate(zone.area):
        yield from _point(plan, point, f"{path}.area[{index}]")


def _prices(zone: Zone, path: str, known: set[str]) -> Iterator[FieldError]:
    if zone.price_category and zone.price_category not in known:
        yield FieldError(f"{path}.price_category", _no_price(zone.price_category))
    for s, section in enumerate(zone.sections):
        for r, row in enumerate(section.rows):
            if row.price_category and row.price_category not in known:
                yield FieldError(f"{path}.sections[{s}].rows[{r}].price_category", _no_price(row.price_category))
            for i, seat in enumerate(row.seats):
                if seat.price_category and seat.price_category not in known:
                    where = f"{path}.sections[{s}].rows[{r}].seats[{i}].price_category"
                    yield FieldError(where, _no_price(seat.price_category))


def _no_price(key: str) -> str:
    return f"There is no price category “{key}”."


# --- seats


def _seats(plan: Plan, spots: dict[str, _SeatPosition]) -> Iterator[FieldError]:
    """Checks each seat by itself and against the seats before it; fills `spots` for the later checks."""
    width, height = plan.width, plan.height
    taken: dict[tuple[float, float], str] = {}
    for z, zone in enumerate(plan.zones):
        for s, section in enumerate(zone.sections):
            named: dict[tuple[str, str], str] = {}
            for r, row in enumerate(section.rows):
                row_path = f"zones[{z}].sections[{s}].rows[{r}]"
                if not row.seats:
                    yield FieldError(f"{row_path}.seats", "A row needs at least one seat.")
                for i, seat in enumerate(row.seats):
                    path = f"{row_path}.seats[{i}]"
                    if (other := spots.setdefault(seat.key, _SeatPosition(z, path, seat.category))).path is not path:
                        yield FieldError(f"{path}.key", f"The seat key “{seat.key}” is used already, at {other.path}.")
                    if (first := named.setdefault((row.label, seat.number), path)) is not path:
                        # Two tickets would name the same seat.
                        twice = f"This section has a seat {seat.number} in row {row.label} already, at {first}."
                        yield FieldError(f"{path}.number", twice)
                    x, y = seat.x, seat.y
                    if not (isfinite(x) and isfinite(y)):
                        yield FieldError(path, "Both coordinates must be finite numbers.")
                        continue
                    if not (0 <= x <= width and 0 <= y <= height):
                        yield FieldError(path, _outside(plan, x, y))
                    if (there := taken.setdefault((x, y), path)) is not path:
                        yield FieldError(path, f"The seat lies exactly where another one is: {there}.")


def _companions(plan: Plan, spots: dict[str, _SeatPosition], claimed: dict[str, str]) -> Iterator[FieldError]:
    for z, zone in enumerate(plan.zones):
        for s, section in enumerate(zone.sections):
            for r, row in enumerate(section.rows):
                for i, seat in enumerate(row.seats):
                    if not seat.companions:
                        continue
                    path = f"zones[{z}].sections[{s}].rows[{r}].seats[{i}]"
                    if seat.category != "wheelchair":
                        yield FieldError(f"{path}.companions", "Only a wheelchair space has companions.")
                        continue
                    for c, key in enumerate(seat.companions):
                        if wrong := _companion(z, key, spots, claimed):
                            yield FieldError(f"{path}.companions[{c}]", wrong)
                        claimed.setdefault(key, path)


def _find_unaccompanied(spots: dict[str, _SeatPosition], claimed: dict[str, str]) -> Iterator[FieldError]:
    for key, spot in spots.items():
        if spot.category == "companion" and key not in claimed:
            yield FieldError(f"{spot.path}.category", "A companion seat needs a wheelchair space that names it.")


def _companion(zone: int, key: str, spots: dict[str, _SeatPosition], claimed: dict[str, str]) -> str | None:
    spot = spots.get(key)
    if spot is None:
        return f"There is no seat “{key}”."
    if key in claimed:
        return f"The seat “{key}” accompanies another wheelchair space already, at {claimed[key]}."
    if spot.category != "companion":
        return f"The seat “{key}” is of the category {spot.category}, not companion."
    return f"The seat “{key}” is in another zone." if spot.zone != zone else None


# --- groups


def _groups(plan: Plan, spots: dict[str, _SeatPosition], claimed: dict[str, str]) -> Iterator[FieldError]:
    yield from _find_repeated(((f"groups[{i}].key", group.key) for i, group in enumerate(plan.groups)), "group")
    owner: dict[str, str] = {}
    for index, group in enumerate(plan.groups):
        path = f"groups[{index}]"
        yield from _members(group, path, spots, owner)
        if group.group_type == "wheelchair_pair":
            yield from _pair(group, path, spots, claimed)


def _pair(group: Group, path: str, spots: dict[str, _SeatPosition], claimed: dict[str, str]) -> Iterator[FieldError]:
    """A wheelchair space and its companion seats: a hold on the space reserves them, as if the space named them."""
    if group.sold_as == "whole":
        # A wheelchair space can always be booked alone.
        yield FieldError(f"{path}.sold_as", "A wheelchair pair is sold by the seat, never only as a whole.")
    known = [(i, key, spots[key]) for i, key in enumerate(group.seats) if key in spots]
    places = [spot for _, _, spot in known if spot.category == "wheelchair"]
    if len(places) != 1:
        several, none = "A wheelchair pair has one wheelchair space.", "A wheelchair pair needs a wheelchair space."
        yield FieldError(f"{path}.seats", several if places else none)
        return
    if len(group.seats) == 1:
        yield FieldError(f"{path}.seats", "A wheelchair pair needs a companion seat.")
    for i, key, spot in known:
        if spot.category not in ("wheelchair", "companion"):
            wrong = f"The seat “{key}” is of the category {spot.category}, not companion."
            yield FieldError(f"{path}.seats[{i}]", wrong)
        elif spot.category == "companion" and claimed.setdefault(key, places[0].path) != places[0].path:
            wrong = f"The seat “{key}” accompanies another wheelchair space already, at {claimed[key]}."
            yield FieldError(f"{path}.seats[{i}]", wrong)


def _members(group: Group, path: str, spots: dict[str, _SeatPosition], owner: dict[str, str]) -> Iterator[FieldError]:
    if not group.seats:
        yield FieldError(f"{path}.seats", "A group needs seats.")
    home = next((spots[key].zone for key in group.seats if key in spots), None)
    for i, key in enumerate(group.seats):
        where = f"{path}.seats[{i}]"
        if key not in spots:
            yield FieldError(where, f"There is no seat “{key}”.")
        elif key in owner:
            whose = "this group" if owner[key] == group.key else f"the group “{owner[key]}”"
            yield FieldError(where, f"The seat “{key}” is in {whose} already.")
        elif spots[key].zone != home:
            yield FieldError(where, f"The seat “{key}” is in another zone than the seats before it.")
        owner.setdefault(key, group.key)


# --- sums


def _capacities(plan: Plan, venue_capacity: int | None) -> Iterator[FieldError]:
    total = sum(max(0, capacity_of(zone)) for zone in plan.zones)
    if plan.total_capacity is not None and plan.total_capacity != total:
        stated = plan.total_capacity
        yield FieldError("total_capacity", f"The total is given as {stated:,}, but the zones add up to {total:,}.")
    if venue_capacity and total > venue_capacity:
        yield FieldError("zones", f"The zones add up to {total:,} places; the venue admits {venue_capacity:,}.")
