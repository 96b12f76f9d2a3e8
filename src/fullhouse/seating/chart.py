"""A layout version as arrays: what allocation and the map work on."""

from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.plan import CATEGORIES, Plan, price_of, walk

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class Chart(NamedTuple):
    """One entry per seat, by ordinal. Seats of one run (a chain of physical neighbours) have consecutive ordinals."""

    zone: Ints  # index into the plan's zones
    section: Ints  # index of the section, counted through the whole plan
    row: Ints  # index of the row, counted through the whole plan: rows of one section are consecutive, front to back
    run: Ints  # index of the run: an aisle, a missing seat or a table's edge begins another one
    x: Floats
    y: Floats
    category: Ints  # index into plan.CATEGORIES: standard, wheelchair, companion, restricted_view, aisle
    price: Ints  # index into the plan's price categories, -1 where none is named
    companion_of: Ints  # the ordinal of the wheelchair place that this seat accompanies, else -1
    focal_x: float
    focal_y: float


def seat_id(layout_id: UUID, ordinal: int) -> UUID:
    """A seat's id is its layout's, with the ordinal in the last 32 bits: a map need not carry 80,000 of them."""
    return UUID(int=layout_id.int >> 32 << 32 | ordinal)


def ordinal_of(layout_id: UUID, seat: UUID) -> int | None:
    """Its place in this layout; None if it belongs to another one."""
    return seat.int & 0xFFFFFFFF if seat.int >> 32 == layout_id.int >> 32 else None


def compile(plan: Plan) -> Chart:
    """The arrays of a plan that has passed its checks. A seat's ordinal is its place in the document."""
    places = list(walk(plan))
    ordinals = {place.seat.key: ordinal for ordinal, place in enumerate(places)}
    prices = {category.key: index for index, category in enumerate(plan.price_categories)}
    row = _ints([place.row_index for place in places])
    gap = np.array([place.seat.gap_before for place in places], dtype=bool)
    begins = np.append(True, row[1:] != row[:-1]) | gap if places else gap
    companion_of = np.full(len(places), -1, dtype=np.int32)
    for ordinal, place in enumerate(places):
        for key in place.seat.companions:
            companion_of[ordinals[key]] = ordinal
    focal_x, focal_y = focus(plan)
    return Chart(
        zone=_ints([place.zone_index for place in places]),
        section=_ints([place.section_index for place in places]),
        row=row,
        run=np.cumsum(begins, dtype=np.int32) - 1,
        x=np.array([place.seat.x for place in places], dtype=np.float64),
        y=np.array([place.seat.y for place in places], dtype=np.float64),
        category=_ints([_CATEGORY[place.seat.category] for place in places]),
        price=_ints([prices.get(price_of(p.zone, p.row, p.seat) or "", -1) for p in places]),
        companion_of=companion_of,
        focal_x=focal_x,
        focal_y=focal_y,
    )


def focus(plan: Plan) -> tuple[float, float]:
    """The point that people look at. A plan without seats may have none: then the middle of its upper edge."""
    return (plan.focal_point.x, plan.focal_point.y) if plan.focal_point else (plan.width / 2, 0.0)


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)


_CATEGORY = {category: index for index, category in enumerate(CATEGORIES)}
