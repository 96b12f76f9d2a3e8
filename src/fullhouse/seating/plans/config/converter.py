"""Converts a layout's `config` (document.py) to a plan and back.

What a config leaves open is decided during the import and reported in the notes. Contradictions are mistakes, reported
with their path in the config.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from fullhouse.kit.errors import FieldError
from fullhouse.seating.plans import checks, decoding
from fullhouse.seating.plans.adjacency import GAP, XY, find_gaps, sort_by_position, spacing
from fullhouse.seating.plans.config.document import Config, Coordinates, Layout, SeatGroup
from fullhouse.seating.plans.config.document import Seat as ConfigSeat
from fullhouse.seating.plans.config.document import Section as ConfigSection
from fullhouse.seating.plans.config.document import Zone as ConfigZone
from fullhouse.seating.plans.plan import (
    EXTENT_MAX,
    RESERVED,
    Group,
    Plan,
    PlanInvalid,
    Point,
    Row,
    Seat,
    Section,
    Zone,
    capacity_of,
    encode,
    total_capacity,
)

MARGIN = 20.0
NAME = "Seating plan"


def read_config(document: bytes) -> tuple[Plan, list[str]]:
    """The plan, and notes about what the import left out or assumed."""
    unknown: Counter[str] = Counter()
    decoded = decoding.decode_json(document)
    wrapped = isinstance(decoded, dict) and "config" in decoded
    kind: type[Layout | Config] = Layout if wrapped else Config
    parsed = decoding.decode_as(kind, decoded, lambda path: unknown.update([_INDEX.sub("[]", path)]))
    notes = [f"The field {path} is not known here and was left out, {_many(n, 'time')}." for path, n in unknown.items()]
    return _Import(parsed, notes).plan(), notes


class _Placed(NamedTuple):
    at: XY
    number: int  # in its zone's list
    seat: ConfigSeat


class _Import:
    def __init__(self, parsed: Layout | Config, notes: list[str]) -> None:
        self.outer, self.notes = parsed, notes
        self.config = parsed.config if isinstance(parsed, Layout) else parsed
        self.rows: dict[tuple[int, int, int], list[_Placed]] = {}  # by zone, section and row of the plan
        self.companions: dict[str, list[str]] = defaultdict(list)  # of a wheelchair space
        self.explicit: set[str] = set()  # seats whose companion relation is stated explicitly
        self.reordered = 0

    def plan(self) -> Plan:
        config, around = self.config, self.outer
        corner, width, height = self._frame()
        mistakes = [*self._capacities(), *self._pairs()]
        zones = self._zones(corner)
        plan = Plan(
            name=around.name or config.name or NAME,
            description=around.description or config.description or "",
            width=width,
            height=height,
            focal_point=self._focus(corner, width),
            price_categories=tuple(config.price_categories),
            zones=zones,
            groups=tuple(_group(group) for group in config.seat_groups),
        )
        try:
            plan = decoding.decode_plan(encode(plan))  # imported plans must meet the limits of `fullhouse/1` too
            mistakes += checks.check(plan)
        except PlanInvalid as refused:
            mistakes += refused.fields
        if mistakes:
            raise decoding.to_refusal([self._locate(mistake) for mistake in mistakes])
        return msgspec.structs.replace(plan, total_capacity=total_capacity(plan))

    # --- the plan as a whole

    def _frame(self) -> tuple[XY, float, float]:
        """The upper left corner, width and height. Coordinates are kept, unless some are negative."""
        config = self.config
        points = [p for zone in config.zones for p in (*(seat.coordinates for seat in zone.seats), *zone.area)]
        xs, ys = [p.x for p in points], [p.y for p in points]
        left, top = (low - MARGIN if (low := min(axis, default=0.0)) < 0 else 0.0 for axis in (xs, ys))
        right, bottom = (min(EXTENT_MAX, max(axis, default=0.0) + MARGIN) for axis in (xs, ys))
        if (left, top) != (0.0, 0.0):
            self.notes.append(
                f"Everything was moved by ({0 - left:g}, {0 - top:g}), so that no coordinate is below zero."
            )
        return (left, top), (config.width or right) - left, (config.height or bottom) - top

    def _focus(self, corner: XY, width: float) -> Point | None:
        if focus := self.config.focal_point:
            return _shift(focus, corner)
        if not any(zone.seats for zone in self.config.zones):
            return None
        self.notes.append("No stage was found: the middle of the upper edge is used as the point that people look at.")
        return Point(width / 2, 0.0)

    def _capacities(self) -> Iterator[FieldError]:
        """A zone with seats has its number of seats as capacity, whatever it states; the total is checked as stated."""
        total = self.outer.total_capacity or self.config.total_capacity
        stated = sum(zone.capacity or len(zone.seats) for zone in self.config.zones)
        if total is not None and total != stated:
            yield FieldError("total_capacity", f"The total is given as {total:,}, but the zones add up to {stated:,}.")
        for zone in self.config.zones:
            if zone.zone_type in RESERVED and zone.seats and (zone.capacity or 0) > len(zone.seats):
                listed = _many(len(zone.seats), "seat")
                self.notes.append(
                    f"The zone “{zone.name}” states a capacity of {zone.capacity:,} but lists {listed}:"
                    " the number of seats counts."
                )

    def _pairs(self) -> Iterator[FieldError]:
        """Which seat accompanies which space: stated by the space, by the companion seat, or by a group of both."""
        seats = {seat.seat_id: seat for zone in self.config.zones for seat in zone.seats}
        pairs = [group.seat_ids for group in self.config.seat_groups if group.group_type == "wheelchair_pair"]
        self.explicit = {seat_id for pair in pairs for seat_id in pair}
        for z, zone in enumerate(self.config.zones):
            for n, seat in enumerate(zone.seats):
                path = f"zones[{z}].seats[{n}].companion_seat_id"
                other = seat.companion_seat_id or seat.companion_of_seat_id
                if other is None:
                    continue
                self.explicit |= {seat.seat_id, other}
                if seat.category == "wheelchair" and seat.companion_seat_id:
                    self._accompany(seat.seat_id, other)
                elif seat.category != "companion":
                    yield FieldError(path, "Only a wheelchair space has companions.")
                elif other not in seats:
                    yield FieldError(path, f"There is no seat “{other}”.")
                elif (category := seats[other].category or "standard") != "wheelchair":
                    yield FieldError(path, f"The seat “{other}” is of the category {category}, not wheelchair.")
                else:
                    self._accompany(other, seat.seat_id)

    def _accompany(self, place: str, companion: str) -> None:
        if companion not in self.companions[place]:
            self.companions[place].append(companion)

    # --- zones, rows, seats

    def _zones(self, corner: XY) -> tuple[Zone, ...]:
        rows = [self._rows(zone) for zone in self.config.zones]
        guessed = self.config.adjacency == "by_distance"
        usual = spacing([row for of_zone in rows for row in of_zone.values()]) if guessed else 1.0
        zones = tuple(self._zone(z, zone, rows[z], corner, usual) for z, zone in enumerate(self.config.zones))
        if self.rows and guessed:
            aisles = sum(s.gap_before for zone in zones for sec in zone.sections for row in sec.rows for s in row.seats)
            self.notes.append(
                f"Neighbours were found by distance: a step above {GAP} times the usual one in the row is an"
                f" aisle ({aisles:,} found in {_many(len(self.rows), 'row')}). The plan now stores them."
            )
        alone = [
            seat.seat_id
            for zone in self.config.zones
            for seat in zone.seats
            if seat.category == "wheelchair"
            and not self.companions.get(seat.seat_id)
            and seat.seat_id not in self.explicit
        ]
        if alone:
            self.notes.append(f"{_many(len(alone), 'wheelchair space')} without a companion seat.")
        if self.reordered:
            self.notes.append(
                f"In {_many(self.reordered, 'row')} the seats were not listed in order: they were sorted by position."
            )
        return zones

    def _rows(self, zone: ConfigZone) -> dict[tuple[str, str], list[_Placed]]:
        """Rows by section and label, in the order of the list; seats in the order in which they stand."""
        rows: dict[tuple[str, str], list[_Placed]] = defaultdict(list)
        for n, seat in enumerate(zone.seats):
            at = (seat.coordinates.x, seat.coordinates.y)
            rows[seat.section or zone.zone_id, seat.row].append(_Placed(at, n, seat))
        if self.config.adjacency == "listed":
            return rows
        ordered = {name: sort_by_position(row) for name, row in rows.items()}
        self.reordered += sum(ordered[name] != row for name, row in rows.items())
        return ordered

    def _zone(
        self, z: int, zone: ConfigZone, rows: dict[tuple[str, str], list[_Placed]], corner: XY, usual: float
    ) -> Zone:
        names = {section.key: section.name for section in zone.sections}
        keys = dict.fromkeys([*names, *(key for key, _ in rows)])
        sections = []
        for s, key in enumerate(keys):
            own = [(label, row) for (section, label), row in rows.items() if section == key]
            self.rows |= {(z, s, r): row for r, (_, row) in enumerate(own)}
            made = tuple(self._row(label, row, corner, usual) for label, row in own)
            sections.append(Section(key=key, name=names.get(key, zone.name if key == zone.zone_id else key), rows=made))
        seated = zone.zone_type in RESERVED
        return Zone(
            key=zone.zone_id,
            name=zone.name,
            zone_type=zone.zone_type,
            access_mode=zone.access_mode or "public",
            membership_tier=zone.membership_tier,
            allowed_roles=tuple(zone.allowed_roles or ()),
            capacity=None if seated and (zone.capacity or 0) > len(zone.seats) > 0 else zone.capacity,
            price_category=zone.price_category,
            area=tuple(_shift(point, corner) for point in zone.area),
            sections=tuple(sections),
            metadata=zone.metadata,
        )

    def _row(self, label: str, row: list[_Placed], corner: XY, usual: float) -> Row:
        listed = self.config.adjacency == "listed"
        apart = [p.seat.gap_before for p in row] if listed else find_gaps(row, usual)
        self._pair_neighbours(row, apart)
        seats = tuple(
            Seat(
                key=p.seat.seat_id,
                number=str(p.seat.number),
                x=p.at[0] - corner[0],
                y=p.at[1] - corner[1],
                category=p.seat.category or "standard",
                price_category=p.seat.price_category,
                gap_before=gap,
                companions=tuple(self.companions.get(p.seat.seat_id, ())),
            )
            for p, gap in zip(row, apart, strict=True)
        )
        return Row(label=label, seats=seats, table=any(p.seat.table for p in row))

    def _pair_neighbours(self, row: list[_Placed], apart: Sequence[bool]) -> None:
        """Assigns a companion seat without any stated relation to the wheelchair space beside it."""
        for i, placed in enumerate(row):
            if placed.seat.category != "companion" or placed.seat.seat_id in self.explicit:
                continue
            beside = [row[j].seat for j, gap in ((i - 1, i), (i + 1, i + 1)) if 0 <= j < len(row) and not apart[gap]]
            if place := next((seat for seat in beside if seat.category == "wheelchair"), None):
                self._accompany(place.seat_id, placed.seat.seat_id)
                self.notes.append(f"The companion seat “{placed.seat.seat_id}” goes with “{place.seat_id}” beside it.")

    # --- where a mistake is

    def _locate(self, mistake: FieldError) -> FieldError:
        path = self._to_config_paths(mistake.path)
        outside = path in _OUTER_FIELDS and getattr(self.outer, path) is not None
        wrapped = path and not outside and isinstance(self.outer, Layout)
        return FieldError(f"config.{path}" if wrapped else path, self._to_config_paths(mistake.message))

    def _to_config_paths(self, text: str) -> str:
        """Translates paths of the plan, alone or in a sentence, to paths of the config."""

        def seat(found: re.Match[str]) -> str:
            z, s, r, i = map(int, found.groups())
            return f"zones[{z}].seats[{self.rows[z, s, r][i].number}]"

        text = _SEAT.sub(seat, text)
        for pattern, instead in _RENAMED:
            text = pattern.sub(instead, text)
        return text


def _group(group: SeatGroup) -> Group:
    return Group(
        key=group.group_id,
        group_type=group.group_type,
        seats=tuple(group.seat_ids),
        sold_as=group.sold_as,
        metadata=group.metadata,
    )


# --- writing


def write_config(plan: Plan) -> bytes:
    """The plan as a config. Reading it gives the same plan again, with its neighbours and prices."""
    config = Config(
        name=plan.name,
        description=plan.description or None,
        total_capacity=total_capacity(plan),
        adjacency="listed",
        width=plan.width,
        height=plan.height,
        focal_point=plan.focal_point,
        price_categories=list(plan.price_categories),
        zones=[_to_config_zone(zone) for zone in plan.zones],
        seat_groups=[_to_config_group(group) for group in plan.groups],
    )
    return msgspec.json.encode(config)


def _to_config_zone(zone: Zone) -> ConfigZone:
    usual = [(section.key, section.name) for section in zone.sections] == [(zone.key, zone.name)]
    seats = [seat for section in zone.sections for row in section.rows for seat in row.seats]
    place_of = {key: seat.key for seat in seats for key in seat.companions}
    return ConfigZone(
        zone_id=zone.key,
        zone_type=zone.zone_type,
        name=zone.name,
        capacity=capacity_of(zone),
        access_mode=zone.access_mode,
        membership_tier=zone.membership_tier,
        allowed_roles=list(zone.allowed_roles) or None,
        metadata=zone.metadata,
        seats=list(_to_config_seats(zone, place_of, named=not usual)),
        price_category=zone.price_category,
        area=[Coordinates(point.x, point.y) for point in zone.area],
        sections=[] if usual else [ConfigSection(key=section.key, name=section.name) for section in zone.sections],
    )


def _to_config_group(group: Group) -> SeatGroup:
    return SeatGroup(
        group_id=group.key,
        group_type=group.group_type,
        seat_ids=list(group.seats),
        sold_as=group.sold_as,
        metadata=group.metadata,
    )


def _to_config_seats(zone: Zone, place_of: dict[str, str], *, named: bool) -> Iterator[ConfigSeat]:
    for section in zone.sections:
        labels: set[str] = set()
        for row in section.rows:
            again = row.label in labels  # two rows of one label are read as one: the gap keeps them apart
            labels.add(row.label)
            for i, seat in enumerate(row.seats):
                number = seat.number
                yield ConfigSeat(
                    seat_id=seat.key,
                    row=row.label,
                    number=int(number) if _PLAIN_NUMBER.fullmatch(number) else number,
                    coordinates=Coordinates(seat.x, seat.y),
                    category=seat.category,
                    companion_seat_id=seat.companions[0] if seat.companions else place_of.get(seat.key),
                    section=section.key if named else None,
                    price_category=seat.price_category or row.price_category,
                    gap_before=seat.gap_before or (again and i == 0),
                    table=row.table,
                )


def _shift(point: Point | Coordinates, corner: XY) -> Point:
    return Point(point.x - corner[0], point.y - corner[1])


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


_OUTER_FIELDS = ("name", "description", "total_capacity")
_PLAIN_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_INDEX = re.compile(r"\[\d+\]")
_SEAT = re.compile(r"zones\[(\d+)\]\.sections\[(\d+)\]\.rows\[(\d+)\]\.seats\[(\d+)\]")
_RENAMED = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"(seats\[\d+\])\.key", r"\1.seat_id"),
        (r"(seats\[\d+\])\.companions(\[\d+\])?", r"\1.companion_seat_id"),
        (r"(seats\[\d+\])\.[xy]\b", r"\1.coordinates"),
        (r"(zones\[\d+\])\.sections\S*", r"\1.seats"),
        (r"(zones\[\d+\])\.key", r"\1.zone_id"),
        (r"\bgroups(\[\d+\])\.key", r"seat_groups\1.group_id"),
        (r"\bgroups(\[\d+\])\.seats", r"seat_groups\1.seat_ids"),
        (r"\bgroups(?=\[)", "seat_groups"),
    )
]
