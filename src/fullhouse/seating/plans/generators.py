"""Generates plans from a few numbers, so that nobody has to draw each seat. Each result passes `plan_checks.check`."""

from collections.abc import Callable, Iterator, Sequence
from math import cos, pi
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Tier
from fullhouse.kit.errors import FieldError
from fullhouse.seating.plans import drafts
from fullhouse.seating.plans.decoding import to_refusal
from fullhouse.seating.plans.drafts import Numbering, RowDraft, RowLabels, SectionDraft, ZoneDraft
from fullhouse.seating.plans.plan import SEATS_MAX, Group, Name, Plan, SoldAs

Rows = Annotated[int, Meta(ge=1, le=200)]
SeatsInRow = Annotated[int, Meta(ge=1, le=500)]
Aisles = Annotated[int, Meta(ge=0, le=8)]
Wheelchairs = Annotated[int, Meta(ge=0, le=100)]
Pitch = Annotated[float, Meta(ge=5, le=100, description="From one seat to the next, in the plan's units.")]
Capacity = Annotated[int, Meta(ge=1, le=100_000)]

AISLE = 1.5  # an aisle's width, in seats


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=str.lower):
    """Base of the generators' parameters; `kind` is the lower-case class name. Unknown fields are refused."""


class Straight(Request, frozen=True, kw_only=True):
    """Straight rows. Aisles lie after the seats in `aisles_after`, counted from the left. `staggered` moves every other
    row by half a seat; without `continuous` each block between the aisles is a section of its own, numbered from 1."""

    name: Name = "Hall"
    rows: Rows = 12
    seats_per_row: SeatsInRow = 20
    aisles_after: Annotated[tuple[SeatsInRow, ...], Meta(max_length=20)] = ()
    staggered: bool = False
    continuous: bool = True
    numbering: Numbering = "left_to_right"
    row_labels: RowLabels = "letters"
    wheelchair_places: Wheelchairs = 0
    seat_pitch: Pitch = 20.0
    row_pitch: Pitch = 26.0


class Curved(Request, frozen=True, kw_only=True):
    """Rows on arcs around the stage, each longer than the one in front by `seats_added`. Aisles are radial."""

    name: Name = "Auditorium"
    rows: Rows = 14
    first_row_seats: SeatsInRow = 18
    seats_added: Annotated[int, Meta(ge=0, le=20)] = 2
    distance: Annotated[float, Meta(ge=20, le=5_000, description="From the focal point to the first row.")] = 160.0
    aisles: Aisles = 2
    numbering: Numbering = "left_to_right"
    row_labels: RowLabels = "letters"
    wheelchair_places: Wheelchairs = 0
    seat_pitch: Pitch = 20.0
    row_pitch: Pitch = 26.0


class Arena(Request, frozen=True, kw_only=True):
    """Tiers of sections around a floor. Each tier has `sections_added` more than the one below it. A `floor` above 0 is
    standing room. With the stage at one end, the sections behind it are left out."""

    name: Name = "Arena"
    tiers: Annotated[int, Meta(ge=1, le=8)] = 3
    rows_per_tier: Annotated[int, Meta(ge=1, le=60)] = 12
    first_tier_sections: Annotated[int, Meta(ge=2, le=60)] = 14
    sections_added: Annotated[int, Meta(ge=0, le=20)] = 6
    floor: Annotated[int, Meta(ge=0, le=100_000)] = 0
    stage: Literal["centre", "end"] = "centre"
    floor_width: Annotated[float, Meta(ge=200, le=5_000)] = 760.0
    floor_height: Annotated[float, Meta(ge=200, le=5_000)] = 480.0
    row_labels: RowLabels = "numbers"
    numbering: Numbering = "left_to_right"
    seat_pitch: Pitch = 20.0
    row_pitch: Pitch = 24.0


class Tables(Request, frozen=True, kw_only=True):
    """Round tables in rows and columns, sold by the seat or whole. With a `membership_tier` they are its VIP zone."""

    name: Name = "Banquet"
    rows: Annotated[int, Meta(ge=1, le=100)] = 4
    columns: Annotated[int, Meta(ge=1, le=100)] = 6
    seats_per_table: Annotated[int, Meta(ge=2, le=24)] = 8
    sold_as: SoldAs = "seats"
    membership_tier: Tier | None = None
    seat_pitch: Pitch = 22.0


class Theatre(Request, frozen=True, kw_only=True):
    """A theatre with stalls, circle and upper circle (0 rows leave one out), in four price categories. Wheelchair
    spaces stand at the row ends of the stalls, from the back, each with a companion seat beside it."""

    name: Name = "Theatre"
    stalls_rows: Rows = 16
    stalls_seats: SeatsInRow = 26
    circle_rows: Annotated[int, Meta(ge=0, le=60)] = 8
    circle_seats: SeatsInRow = 34
    upper_circle_rows: Annotated[int, Meta(ge=0, le=60)] = 0
    upper_circle_seats: SeatsInRow = 40
    premium_rows: Annotated[int, Meta(ge=0, le=60)] = 4
    aisles: Aisles = 2
    numbering: Numbering = "odd_even"
    row_labels: RowLabels = "letters_without_i_o"
    wheelchair_places: Wheelchairs = 6
    seat_pitch: Pitch = 20.0
    row_pitch: Pitch = 26.0


class Festival(Request, frozen=True, kw_only=True):
    """Reserved seats, general admission, standing room and a members' lounge around one stage."""

    name: Name = "Festival"
    orchestra_rows: Rows = 12
    orchestra_seats: SeatsInRow = 25
    floor: Capacity = 400
    pit: Capacity = 300
    lounge_tables: Annotated[int, Meta(ge=1, le=60)] = 10
    seats_per_table: Annotated[int, Meta(ge=2, le=12)] = 5
    membership_tier: Tier = "friends"


Generator = Straight | Curved | Arena | Tables | Theatre | Festival


def generate(request: Generator) -> Plan:
    """Runs the generator for the request's `kind`."""
    plan: Plan = _GENERATORS[type(request)](request)
    return plan


def straight(request: Straight) -> Plan:
    r = request
    gaps = frozenset(after for after in r.aisles_after if after < r.seats_per_row)
    labels = drafts.row_labels(r.row_labels, r.rows)
    pieces = drafts.blocks(r.seats_per_row, gaps) if not r.continuous else [range(r.seats_per_row)]
    wheelchairs = _place_wheelchairs(r.wheelchair_places, [(r.seats_per_row, gaps)] * r.rows)
    sections: list[list[RowDraft]] = [[] for _ in pieces]
    for row, label in enumerate(labels):
        shift = r.seat_pitch / 2 if r.staggered and row % 2 else 0.0
        y = 4 * r.row_pitch + row * r.row_pitch
        points = drafts.straight_points(r.seats_per_row, gaps, r.seat_pitch, AISLE * r.seat_pitch, y, shift)
        for block, piece in enumerate(pieces):
            prefix = f"{label}-" if r.continuous else f"{block + 1}-{label}-"
            sections[block].append(
                RowDraft(
                    label,
                    points[piece.start : piece.stop],
                    drafts.seat_numbers(r.numbering, len(piece)),
                    prefix,
                    gaps if r.continuous else frozenset(),
                    {w - piece.start: c - piece.start for w, c in wheelchairs[row].items() if w in piece},
                )
            )
    named = [
        SectionDraft(f"block-{i + 1}", f"Block {i + 1}" if len(pieces) > 1 else r.name, rows)
        for i, rows in enumerate(sections)
    ]
    zone = ZoneDraft("hall", r.name, sections=named, price="standard")
    return drafts.build_plan(r.name, [zone], prices=[("standard", "Standard")])


def curved(request: Curved) -> Plan:
    r = request
    sizes = [r.first_row_seats + row * r.seats_added for row in range(r.rows)]
    shape = _Arcs(r.distance, 0.0, r.seat_pitch, r.row_pitch, r.aisles, r.numbering)
    labels = drafts.row_labels(r.row_labels, r.rows)
    rows = _arc_rows(shape, sizes, labels, "", r.wheelchair_places, "first_row_seats")
    _check_seats_max(sum(sizes), "rows")
    zone = ZoneDraft("hall", r.name, sections=[SectionDraft("main", r.name, rows)], price="standard")
    return drafts.build_plan(r.name, [zone], prices=[("standard", "Standard")])


def theatre(request: Theatre) -> Plan:
    """Gentle arcs, whose centre lies behind the stage. Each level begins where the one before ends."""
    r = request
    floors = [
        ("stalls", "Stalls", "", r.stalls_rows, r.stalls_seats, r.wheelchair_places),
        ("circle", "Circle", "C-", r.circle_rows, r.circle_seats, 0),
        ("upper_circle", "Upper circle", "U-", r.upper_circle_rows, r.upper_circle_seats, 0),
    ]
    zones: list[ZoneDraft] = []
    distance, widest = 5 * r.row_pitch, r.seat_pitch * max(seats for _, _, _, rows, seats, _ in floors if rows)
    for key, name, prefix, count, seats, wheelchairs in floors:
        if not count:
            continue
        shape = _Arcs(distance, widest, r.seat_pitch, r.row_pitch, r.aisles, r.numbering)
        labels = drafts.row_labels(r.row_labels, count)
        sizes = [seats + row // 4 * 2 for row in range(count)]
        rows = _arc_rows(shape, sizes, labels, prefix, wheelchairs, f"{key}_seats")
        if key == "stalls":
            rows = [row._replace(price="premium" if i < r.premium_rows else None) for i, row in enumerate(rows)]
        zones.append(ZoneDraft(key, name, sections=[SectionDraft(key, name, rows)], price=key))
        distance += (count + 2) * r.row_pitch
    prices = [("premium", "Premium stalls"), *((zone.key, zone.name) for zone in zones)]
    return drafts.build_plan(r.name, zones, prices=prices)


def arena(request: Arena) -> Plan:
    r = request
    if max(r.floor_width, r.floor_height) > 3 * min(r.floor_width, r.floor_height):
        raise to_refusal([FieldError("floor_width", "The floor's longer side is at most three times its shorter one.")])
    inner = (r.floor_width / 2, r.floor_height / 2)
    zones = []
    if r.floor:
        edge = drafts.ellipse_points(inner[0] - r.row_pitch, inner[1] - r.row_pitch, 0, 2 * pi, 24.0, 6.0)
        zones.append(ZoneDraft("floor", "Floor", "ga_standing", area=edge, capacity=r.floor, price="floor"))
    total, depth = 0, r.row_pitch
    for tier in range(r.tiers):
        sections = []
        for section in _tier(r, tier, inner, depth):
            total += sum(len(row.points) for row in section.rows)
            _check_seats_max(total, "rows_per_tier")
            sections.append(section)
        if not sections:
            raise to_refusal([FieldError("first_tier_sections", "The sections would be too narrow for a single seat.")])
        zones.append(ZoneDraft(f"tier-{tier + 1}", f"Tier {tier + 1}", sections=sections, price=f"tier-{tier + 1}"))
        depth += (r.rows_per_tier + 2) * r.row_pitch
    down = inner[1] - 3 * r.row_pitch if r.stage == "end" else 0.0
    return drafts.build_plan(r.name, zones, prices=[(zone.key, zone.name) for zone in zones], down=down)


def tables(request: Tables) -> Plan:
    r = request
    _check_seats_max(r.rows * r.columns * r.seats_per_table, "rows")
    rows, groups = _tables(r.rows * r.columns, r.columns, r.seats_per_table, r.seat_pitch, (0.0, 70.0), r.sold_as)
    zone = ZoneDraft(
        "tables",
        r.name,
        "vip_reserved" if r.membership_tier else "reserved_seating",
        [SectionDraft("tables", r.name, rows)],
        price="table",
        tier=r.membership_tier,
    )
    return drafts.build_plan(r.name, [zone], groups, [("table", "Table")])


def festival(request: Festival) -> Plan:
    r = request
    pitch, gap, top = 20.0, 18.0, 70.0
    half = max(160.0, (r.orchestra_seats + 2 * AISLE) * pitch / 2)
    pit = drafts.box(-half, top, half, top + 130)
    floor = drafts.box(-half, top + 130 + gap, half, top + 330 + gap)
    gaps = drafts.aisle_positions(r.orchestra_seats, 2, round(r.orchestra_seats / 3))
    wheelchairs = _place_wheelchairs(
        min(4, 2 * r.orchestra_rows) if r.orchestra_seats >= 12 else 0, [(r.orchestra_seats, gaps)] * r.orchestra_rows
    )
    orchestra = [
        RowDraft(
            label,
            drafts.straight_points(r.orchestra_seats, gaps, pitch, AISLE * pitch, top + 400 + row * 26),
            drafts.seat_numbers("left_to_right", r.orchestra_seats),
            f"{label}-",
            gaps,
            wheelchairs[row],
        )
        for row, label in enumerate(drafts.row_labels("letters", r.orchestra_rows))
    ]
    columns = max(2, -(-r.lounge_tables // 5))
    width = columns * _table_pitch(r.seats_per_table, 22.0)
    middle = half + 2 * gap + width / 2
    lounge, groups = _tables(r.lounge_tables, columns, r.seats_per_table, 22.0, (middle, top), "whole")
    bottom = max(y for row in lounge for _, y in row.points) + 22
    outline = drafts.box(middle - width / 2, top, middle + width / 2, bottom)
    zones = [
        ZoneDraft("pit", "Pit", "ga_standing", area=pit, capacity=r.pit, price="pit"),
        ZoneDraft("floor", "Floor", "ga_seated", area=floor, capacity=r.floor, price="floor"),
        ZoneDraft(
            "orchestra", "Orchestra", sections=[SectionDraft("orchestra", "Orchestra", orchestra)], price="orchestra"
        ),
        ZoneDraft(
            "lounge",
            "VIP lounge",
            "vip_reserved",
            [SectionDraft("lounge", "VIP lounge", lounge)],
            outline,
            price="lounge",
            tier=r.membership_tier,
        ),
    ]
    return drafts.build_plan(r.name, zones, groups, [(zone.key, zone.name) for zone in zones])


# --- pieces


class _Arcs(NamedTuple):
    distance: float  # from the focal point to the first row
    behind: float  # how far behind the focal point the arcs have their centre
    seat_pitch: float
    row_pitch: float
    aisles: int
    numbering: Numbering


def _arc_rows(
    shape: _Arcs, sizes: Sequence[int], labels: Sequence[str], prefix: str, wheelchairs: int, field: str
) -> list[RowDraft]:
    inner = round(min(sizes) / (shape.aisles + 1))
    cuts = [drafts.aisle_positions(seats, shape.aisles, inner) for seats in sizes]
    places = _place_wheelchairs(wheelchairs, list(zip(sizes, cuts, strict=True)))
    rows = []
    for row, (seats, gaps, label) in enumerate(zip(sizes, cuts, labels, strict=True)):
        sag = shape.distance + row * shape.row_pitch
        radius, aisle = sag + shape.behind, AISLE * shape.seat_pitch
        if ((seats - 1) * shape.seat_pitch + len(gaps) * aisle) / radius > _ARC_MAX:
            message = f"Row {label} does not fit: {seats} seats go more than three quarters around the stage."
            raise to_refusal([FieldError(field, message)])
        points = drafts.curved_points(seats, gaps, shape.seat_pitch, aisle, radius, sag)
        numbers = drafts.seat_numbers(shape.numbering, seats)
        rows.append(RowDraft(label, points, numbers, f"{prefix}{label}-", gaps, places[row]))
    return rows


def _tier(r: Arena, tier: int, inner: tuple[float, float], depth: float) -> Iterator[SectionDraft]:
    """Sections clockwise from the top. People look inwards, so that left to right is counter-clockwise."""
    count = r.first_tier_sections + tier * r.sections_added
    labels = drafts.row_labels(r.row_labels, r.rows_per_tier)
    for index in range(count):
        start, end = 2 * pi * index / count, 2 * pi * (index + 1) / count
        if r.stage == "end" and cos((start + end) / 2) > _BEHIND_THE_STAGE:
            continue
        name = str(100 * (tier + 1) + index + 1)
        rows = []
        for row, label in enumerate(labels):
            a, b = (half + depth + row * r.row_pitch for half in inner)
            if points := drafts.ellipse_points(a, b, start, end, r.seat_pitch, AISLE * r.seat_pitch / 2)[::-1]:
                rows.append(RowDraft(label, points, drafts.seat_numbers(r.numbering, len(points)), f"{name}-{label}-"))
        if rows:
            yield SectionDraft(f"section-{name}", name, rows)


def _table_pitch(seats: int, pitch: float) -> float:
    return 2 * _table_radius(seats, pitch) + 2.2 * pitch


def _table_radius(seats: int, pitch: float) -> float:
    return max(1.3 * pitch, 1.1 * seats * pitch / (2 * pi))


def _tables(
    count: int, columns: int, seats: int, pitch: float, top: tuple[float, float], sold_as: SoldAs
) -> tuple[list[RowDraft], list[Group]]:
    """Tables in rows beneath the point `top`, numbered from left to right, row by row."""
    apart = _table_pitch(seats, pitch)
    rows, groups = [], []
    for table in range(count):
        line, column = divmod(table, columns)
        centre = (top[0] + (column - (columns - 1) / 2) * apart, top[1] + (line + 0.5) * apart)
        points = drafts.circle_points(centre, _table_radius(seats, pitch), seats)
        numbers = drafts.seat_numbers("left_to_right", seats)
        rows.append(RowDraft(str(table + 1), points, numbers, f"T{table + 1}-", table=True))
        keys = tuple(f"T{table + 1}-{number}" for number in numbers)
        groups.append(Group(key=f"table-{table + 1}", group_type="vip_table", seats=keys, sold_as=sold_as))
    return rows, groups


def _place_wheelchairs(wanted: int, rows: Sequence[tuple[int, frozenset[int]]]) -> list[dict[int, int]]:
    """Wheelchair spaces at the ends of the rows, from the back, where the entrances are."""
    ends: list[dict[int, int]] = [{} for _ in rows]
    left = wanted
    for index in reversed(range(len(rows))):
        ends[index] = drafts.wheelchair_ends(rows[index][0], rows[index][1], left)
        left -= len(ends[index])
    if left:
        raise to_refusal(
            [FieldError("wheelchair_places", f"The ends of the rows have room for {wanted - left} of them.")]
        )
    return ends


def _check_seats_max(seats: int, field: str) -> None:
    if seats > SEATS_MAX:
        raise to_refusal([FieldError(field, f"That makes {seats:,} seats or more; {SEATS_MAX:,} are possible.")])


_ARC_MAX = 1.5 * pi
_BEHIND_THE_STAGE = cos(pi / 5)
_GENERATORS: dict[type[Request], Callable[[Any], Plan]] = {
    Straight: straight,
    Curved: curved,
    Arena: arena,
    Tables: tables,
    Theatre: theatre,
    Festival: festival,
}
