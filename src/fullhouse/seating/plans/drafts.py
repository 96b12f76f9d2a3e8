"""Draft plans for the generators: drawn around the focal point at (0, 0), then fitted into a frame.

The stage is at the top; people look upwards, so left on the plan is left for them.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice, pairwise
from math import cos, pi, sin
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from fullhouse.seating.plans.plan import (
    COLORS,
    AccessMode,
    Category,
    Group,
    Plan,
    Point,
    PriceCategory,
    Row,
    Seat,
    Section,
    Zone,
    ZoneType,
    total_capacity,
)

Numbering = Literal["left_to_right", "right_to_left", "odd_even"]
RowLabels = Literal["letters", "letters_without_i_o", "numbers"]
XY = tuple[float, float]

MARGIN = 48.0


class RowDraft(NamedTuple):
    label: str
    points: Sequence[XY]
    numbers: Sequence[str]
    prefix: str  # of the keys
    gaps: frozenset[int] = frozenset()  # seats that have an aisle before them
    wheelchairs: Mapping[int, int] = MappingProxyType({})  # wheelchair space -> its companion seat
    price: str | None = None
    table: bool = False


class SectionDraft(NamedTuple):
    key: str
    name: str
    rows: Sequence[RowDraft]


class ZoneDraft(NamedTuple):
    key: str
    name: str
    zone_type: ZoneType = "reserved_seating"
    sections: Sequence[SectionDraft] = ()
    area: Sequence[XY] = ()
    capacity: int | None = None
    price: str | None = None
    tier: str | None = None


# --- labels and numbers


def row_labels(kind: RowLabels, rows: int, first: int = 0) -> list[str]:
    """A … Z, AA, AB …; or 1, 2, 3. Skips `first` labels, for a circle that continues those of the stalls."""
    if kind == "numbers":
        return [str(first + row + 1) for row in range(rows)]
    letters = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if kind == "letters" or c not in "IO"]
    return list(islice(_letter_labels(letters), first, first + rows))


def _letter_labels(letters: list[str]) -> Iterator[str]:
    for number in count(1):
        label = ""
        while number:
            number, digit = divmod(number - 1, len(letters))
            label = letters[digit] + label
        yield label


def seat_numbers(numbering: Numbering, seats: int) -> list[str]:
    """From left to right, whatever aisles lie between: numbers are continuous across them."""
    if numbering == "odd_even":  # odd to the left of the middle, even to the right, the lowest in the middle
        left = (seats + 1) // 2
        return [str(2 * (left - i) - 1) for i in range(left)] + [str(2 * (i + 1)) for i in range(seats - left)]
    ascending = [str(i + 1) for i in range(seats)]
    return ascending if numbering == "left_to_right" else ascending[::-1]


def aisle_positions(seats: int, aisles: int, inner: int) -> frozenset[int]:
    """Where aisles cut a row: the seats that have one before them. Blocks between two aisles have `inner` seats, or one
    more if the two outer blocks would differ otherwise; these take what is left. A row too short for that has none."""
    if not aisles:
        return frozenset()
    inner += (aisles - 1) % 2 * ((seats - inner * (aisles - 1)) % 2)
    outer = (seats - inner * (aisles - 1) + 1) // 2
    cuts = [outer + inner * aisle for aisle in range(aisles)]
    return frozenset(cuts) if outer > 0 and inner > 0 and cuts[-1] < seats else frozenset()


def blocks(seats: int, gaps: frozenset[int]) -> list[range]:
    """The pieces between the aisles."""
    return [range(a, b) for a, b in pairwise([0, *sorted(g for g in gaps if 0 < g < seats), seats])]


def wheelchair_ends(seats: int, gaps: frozenset[int], wanted: int) -> dict[int, int]:
    """Up to two wheelchair spaces at the ends of a row, each with a companion seat beside it on the same block."""
    pieces = blocks(seats, gaps)
    ends: dict[int, int] = {}
    if wanted > 0 and len(pieces[0]) >= 2:
        ends[0] = 1
    if wanted > len(ends) and len(pieces[-1]) >= 2 and seats - 2 not in {0, 1} & ends.keys() | set(ends.values()):
        ends[seats - 1] = seats - 2
    return ends


# --- shapes


def straight_points(
    seats: int, gaps: frozenset[int], pitch: float, aisle: float, y: float, shift: float = 0
) -> list[XY]:
    """A row along the stage's edge, centred."""
    offsets = _offsets(seats, gaps, pitch, aisle)
    return [(float(x) + shift, y) for x in offsets - offsets[-1] / 2]


def curved_points(seats: int, gaps: frozenset[int], pitch: float, aisle: float, radius: float, sag: float) -> list[XY]:
    """A row on an arc of this radius, whose middle lies `sag` below the focal point. Centred, aisles radial."""
    angles = _offsets(seats, gaps, pitch, aisle) / radius
    angles = angles - angles[-1] / 2
    return [(radius * sin(a), sag - radius + radius * cos(a)) for a in angles.tolist()]


def _offsets(seats: int, gaps: frozenset[int], pitch: float, aisle: float) -> NDArray[np.float64]:
    steps = np.full(seats, pitch, dtype=np.float64)
    steps[0] = 0
    steps[sorted(g for g in gaps if 0 < g < seats)] += aisle
    return np.cumsum(steps)


def ellipse_points(a: float, b: float, start: float, end: float, pitch: float, inset: float) -> list[XY]:
    """Equidistant points along an ellipse, clockwise from `start` to `end`, with `inset` free at both ends."""
    angles = np.linspace(start, end, 129)
    x, y = a * np.sin(angles), -b * np.cos(angles)
    distance = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    free = float(distance[-1]) - 2 * inset
    if free < 0:
        return []
    seats = int(free / pitch) + 1
    at = np.interp(inset + (free - (seats - 1) * pitch) / 2 + pitch * np.arange(seats), distance, angles)
    return list(zip((a * np.sin(at)).tolist(), (-b * np.cos(at)).tolist(), strict=True))


def circle_points(centre: XY, radius: float, seats: int) -> list[XY]:
    """Around a table, clockwise from the top."""
    angles = [2 * pi * i / seats for i in range(seats)]
    return [(centre[0] + radius * sin(a), centre[1] - radius * cos(a)) for a in angles]


def box(left: float, top: float, right: float, bottom: float) -> list[XY]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


# --- the finished plan


def build_plan(
    name: str,
    zones: Sequence[ZoneDraft],
    groups: Sequence[Group] = (),
    prices: Sequence[tuple[str, str]] = (),
    down: float = 0.0,
) -> Plan:
    """Moves everything into a frame with a margin and builds the plan. `down` moves all but the focal point down."""
    points = [*_all_points(zones), (0.0, -down)]
    left, right = min(x for x, _ in points) - MARGIN, max(x for x, _ in points) + MARGIN
    top, bottom = min(y for _, y in points) - MARGIN, max(y for _, y in points) + MARGIN
    origin = (-left, -top)
    plan = Plan(
        name=name,
        width=_round(right - left),
        height=_round(bottom - top),
        focal_point=_point((0, -down), origin),
        price_categories=tuple(
            PriceCategory(key=key, name=label, color=COLORS[i % len(COLORS)]) for i, (key, label) in enumerate(prices)
        ),
        zones=tuple(_zone(zone, origin) for zone in zones),
        groups=tuple(groups),
    )
    return replace(plan, total_capacity=total_capacity(plan))


def _all_points(zones: Sequence[ZoneDraft]) -> Iterator[XY]:
    for zone in zones:
        yield from zone.area
        for section in zone.sections:
            for row in section.rows:
                yield from row.points


def _zone(zone: ZoneDraft, origin: XY) -> Zone:
    access: AccessMode = "membership_tier" if zone.tier else "public"
    return Zone(
        key=zone.key,
        name=zone.name,
        zone_type=zone.zone_type,
        access_mode=access,
        membership_tier=zone.tier,
        capacity=zone.capacity,
        price_category=zone.price,
        area=tuple(_point(point, origin) for point in zone.area),
        sections=tuple(
            Section(key=section.key, name=section.name, rows=tuple(_row(row, origin) for row in section.rows))
            for section in zone.sections
        ),
    )


def _row(row: RowDraft, origin: XY) -> Row:
    companions = set(row.wheelchairs.values())
    seats = []
    for i, (number, (x, y)) in enumerate(zip(row.numbers, row.points, strict=True)):
        category: Category = "wheelchair" if i in row.wheelchairs else "companion" if i in companions else "standard"
        partner = (row.prefix + row.numbers[row.wheelchairs[i]],) if i in row.wheelchairs else ()
        seats.append(
            Seat(
                key=row.prefix + number,
                number=number,
                x=_round(x + origin[0]),
                y=_round(y + origin[1]),
                category=category,
                gap_before=i in row.gaps and i > 0,
                companions=partner,
            )
        )
    return Row(label=row.label, seats=tuple(seats), table=row.table, price_category=row.price)


def _point(point: XY, origin: XY) -> Point:
    return Point(_round(point[0] + origin[0]), _round(point[1] + origin[1]))


def _round(value: float) -> float:
    return round(value, 1)
