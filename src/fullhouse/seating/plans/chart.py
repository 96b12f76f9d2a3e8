"""A layout version as arrays, for allocation and the map."""

from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.plans.plan import CATEGORIES, Plan, price_of

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class Chart(NamedTuple):
    """One entry per seat, by ordinal. Seats of one run (a chain of physical neighbours) have consecutive ordinals."""

    zone: Ints  # index into the plan's zones
    section: Ints  # index of the section, counted through the whole plan
    row: Ints  # index of the row, counted through the whole plan: rows of one section are consecutive, front to back
    run: Ints  # index of the run: an aisle, a missing seat or a table's edge begins a new one
    x: Floats
    y: Floats
    category: Ints  # index into plan.CATEGORIES: standard, wheelchair, companion, restricted_view, aisle
    price: Ints  # index into the plan's price categories, -1 where none is named
    companion_of: Ints  # the ordinal of the wheelchair space that this seat accompanies, else -1
    focal_x: float
    focal_y: float


def seat_id(layout_id: UUID, ordinal: int) -> UUID:
    """A seat's id is its layout's, with the ordinal in the last 32 bits: a map need not carry 80,000 of them."""
    return UUID(int=layout_id.int >> 32 << 32 | ordinal)


def ordinal_of(layout_id: UUID, seat: UUID) -> int | None:
    """The seat's ordinal in this layout; None if it belongs to another layout."""
    return seat.int & 0xFFFFFFFF if seat.int >> 32 == layout_id.int >> 32 else None


def build_chart(plan: Plan) -> Chart:
    """The arrays of a plan that has passed its checks. A seat's ordinal is its position in the document."""
    sections = [(z, section) for z, zone in enumerate(plan.zones) for section in zone.sections]
    rows = [(z, s, row) for s, (z, section) in enumerate(sections) for row in section.rows]
    seats = [seat for _, _, row in rows for seat in row.seats]
    lengths = _ints([len(row.seats) for _, _, row in rows])
    prices = {category.key: index for index, category in enumerate(plan.price_categories)}
    price = np.repeat(_ints([prices.get(price_of(plan.zones[z], row) or "", -1) for z, _, row in rows]), lengths)
    companions = [(n, seat) for n, seat in enumerate(seats) if seat.companions]
    pairs = [group for group in plan.groups if group.group_type == "wheelchair_pair"]
    ordinals = {seat.key: n for n, seat in enumerate(seats)} if companions or pairs else {}
    companion_of = np.full(len(seats), -1, dtype=np.int32)
    for n, seat in companions:
        companion_of[[ordinals[key] for key in seat.companions]] = n
    for pair in pairs:
        together = [ordinals[key] for key in pair.seats]
        for place in (n for n in together if seats[n].category == "wheelchair"):
            companion_of[[n for n in together if seats[n].category == "companion"]] = place
    for n, seat in enumerate(seats):
        if seat.price_category:
            price[n] = prices.get(seat.price_category, -1)
    row = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)
    begins, gaps = np.diff(row, prepend=-1) > 0, np.array([seat.gap_before for seat in seats], dtype=bool)
    focal_x, focal_y = focal_point(plan)
    return Chart(
        zone=np.repeat(_ints([z for z, _, _ in rows]), lengths),
        section=np.repeat(_ints([s for _, s, _ in rows]), lengths),
        row=row,
        run=np.cumsum(begins | gaps, dtype=np.int32) - 1,
        x=np.array([seat.x for seat in seats], dtype=np.float64),
        y=np.array([seat.y for seat in seats], dtype=np.float64),
        category=_ints([_CATEGORY[seat.category] for seat in seats]),
        price=price,
        companion_of=companion_of,
        focal_x=focal_x,
        focal_y=focal_y,
    )


def focal_point(plan: Plan) -> tuple[float, float]:
    """The point that people look at. A plan without seats may have none: then the middle of its upper edge."""
    return (plan.focal_point.x, plan.focal_point.y) if plan.focal_point else (plan.width / 2, 0.0)


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)


_CATEGORY = {category: index for index, category in enumerate(CATEGORIES)}
