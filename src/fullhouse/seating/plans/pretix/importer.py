"""Imports seating plans of pretix. Parts without a counterpart here are left out and listed in the notes; only a
document that is not a plan at all is refused.
"""

import re
from collections import Counter
from statistics import fmean
from typing import Any

from msgspec.structs import replace

from fullhouse.kit.text import fold
from fullhouse.seating.plans.adjacency import GAP, XY, find_gaps, sort_by_position, spacing
from fullhouse.seating.plans.decoding import decode_as
from fullhouse.seating.plans.decoding import decode_plan as read_plan
from fullhouse.seating.plans.plan import Plan, Point, PriceCategory, Row, Seat, Section, Zone, encode
from fullhouse.seating.plans.pretix import document as pretix
from fullhouse.seating.plans.pretix.document import Placed, Shape


def import_plan(document: dict[str, Any] | bytes) -> tuple[Plan, list[str]]:
    """The plan, and notes about what the import left out or assumed."""
    unknown: Counter[str] = Counter()
    parsed = decode_as(pretix.Document, document, lambda path: unknown.update([_INDEX.sub("[]", path)]))
    notes = [f"The field {path} is not known here and was left out, {_many(n, 'time')}." for path, n in unknown.items()]
    plan = _Import(parsed, notes).plan()
    return read_plan(encode(plan)), notes  # imported plans must meet the limits of `fullhouse/1` too


class _Import:
    def __init__(self, document: pretix.Document, notes: list[str]) -> None:
        self.document, self.notes = document, notes
        self.zone_keys, self.seat_keys, self.price_keys = _KeyGenerator(), _KeyGenerator(), _KeyGenerator()
        self.prices: dict[str, PriceCategory] = {}
        self.reordered = self.gaps = self.unnamed = 0

    def plan(self) -> Plan:
        document = self.document
        for category in document.categories:
            self._price(category.name, category.color)
        rows = [[pretix.position_seats(zone, row) for row in zone.rows] for zone in document.zones]
        shapes = [[pretix.to_shape(zone, area) for area in zone.areas] for zone in document.zones]
        points = [seat.at for of_zone in rows for row in of_zone for seat in row]
        points += [corner for of_zone in shapes for shape in of_zone for corner in shape.corners]
        corner, width, height = pretix.frame(document.size, points)
        usual = spacing([row for of_zone in rows for row in of_zone])
        zones = []
        for index, zone in enumerate(document.zones):
            sections = self._sections(zone, index, rows[index], corner, usual)
            if not sections:
                self.notes.append(f"The zone “{zone.name or index + 1}” has no seats and was left out.")
                continue
            zones.append(
                Zone(
                    key=self.zone_keys.make(str(zone.zone_id or zone.name or ""), f"zone-{index + 1}"),
                    name=_text(zone.name, 100) or f"Zone {index + 1}",
                    sections=tuple(sections),
                    area=self._outline(shapes[index], rows[index], corner),
                )
            )
        focus = self._focus([shape for of_zone in shapes for shape in of_zone], corner, width)
        self._add_notes(sum(len(section.rows) for zone in zones for section in zone.sections))
        return Plan(
            name=_text(document.name, 100) or "Seating plan",
            width=width,
            height=height,
            focal_point=focus,
            price_categories=tuple(self.prices.values()),
            zones=tuple(zones),
        )

    def _sections(
        self, zone: pretix.Zone, index: int, rows: list[list[Placed]], corner: XY, usual: float
    ) -> list[Section]:
        """One section, or several if the same row and number occur twice: two tickets must not name the same seat."""
        name = _text(zone.name, 90) or f"Zone {index + 1}"
        sections: list[list[Row]] = []
        taken: Counter[tuple[str, str]] = Counter()  # how many sections have it already
        for number, (row, placed) in enumerate(zip(zone.rows, rows, strict=True)):
            if not placed:
                continue
            label = _text(row.row_number, 24) or _text(row.row_label, 24) or str(number + 1)
            for piece in self._split_ambiguous(self._row(label, placed, corner, usual), name):
                seat_names = [(label, seat.number) for seat in piece.seats]
                free = max(taken[numbered] for numbered in seat_names)
                sections += [[]] if free == len(sections) else []
                sections[free].append(piece)
                for numbered in seat_names:
                    taken[numbered] = free + 1
        if len(sections) > 1:
            self.notes.append(f"“{name}” has rows of the same name: they became {len(sections)} sections.")
        return [
            Section(
                key=f"section-{index + 1}" + (f"-{i + 1}" if i else ""),
                name=name + (f" {i + 1}" if i else ""),
                rows=tuple(rows),
            )
            for i, rows in enumerate(sections)
        ]

    def _split_ambiguous(self, row: Row, zone: str) -> list[Row]:
        """The row, or its blocks between the aisles if each block has its own numbering."""
        blocks: list[list[Seat]] = []
        for seat in row.seats:
            if seat.gap_before or not blocks:
                blocks.append([replace(seat, gap_before=False)])
            else:
                blocks[-1].append(seat)
        if len({seat.number for seat in row.seats}) == len(row.seats):
            return [row]
        if all(len({seat.number for seat in block}) == len(block) for block in blocks):
            return [replace(row, seats=tuple(block)) for block in blocks]
        self.notes.append(f"Row {row.label} of “{zone}” had two seats of one number: it was renumbered.")
        return [replace(row, seats=tuple(replace(seat, number=str(i + 1)) for i, seat in enumerate(row.seats)))]

    def _row(self, label: str, placed: list[Placed], corner: XY, usual: float) -> Row:
        ordered = sort_by_position(placed)
        self.reordered += ordered != placed
        seats = []
        for i, ((at, seat), gap) in enumerate(zip(ordered, find_gaps(ordered, usual), strict=True)):
            number = _text(seat.seat_number, 16)
            self.unnamed += not number
            self.gaps += gap
            seats.append(
                Seat(
                    key=self.seat_keys.make(str(seat.seat_guid), f"{label}-{number or i + 1}"),
                    number=number or str(i + 1),
                    x=round(at[0] - corner[0], 3),
                    y=round(at[1] - corner[1], 3),
                    price_category=self._price(seat.category) if seat.category else None,
                    gap_before=gap,
                )
            )
        return Row(label=label, seats=tuple(seats))

    def _price(self, name: str, color: str | None = None) -> str:
        if name not in self.prices:
            if self.seat_keys.used and name not in {category.name for category in self.document.categories}:
                self.notes.append(f"The category “{name}” is not among the plan's categories and was added.")
            key = self.price_keys.make(fold(name).replace(" ", "-"), f"category-{len(self.prices) + 1}")
            self.prices[name] = PriceCategory(key=key, name=_text(name, 100) or key, color=_color(color))
        return self.prices[name].key

    def _outline(self, shapes: list[Shape], rows: list[list[Placed]], corner: XY) -> tuple[Point, ...]:
        """The area around all of a zone's seats is its outline; other areas are only noted."""
        outline: tuple[Point, ...] = ()
        for shape in shapes:
            if (
                not outline
                and len(shape.corners) >= 3
                and all(pretix.inside(p.at, shape.corners) for row in rows for p in row)
            ):
                outline = tuple(Point(round(x - corner[0], 3), round(y - corner[1], 3)) for x, y in shape.corners)
            elif not _STAGE.search(fold(shape.text)):
                drawing = f"The area “{shape.text}”" if shape.text else "An area without a text"
                self.notes.append(f"{drawing} is a drawing without places and was left out.")
        return outline

    def _focus(self, shapes: list[Shape], corner: XY, width: float) -> Point:
        for shape in shapes:
            if shape.corners and _STAGE.search(fold(shape.text)):
                self.notes.append(f"The area “{shape.text}” is used as the point that people look at.")
                middle = (fmean(x for x, _ in shape.corners), fmean(y for _, y in shape.corners))
                return Point(round(middle[0] - corner[0], 3), round(middle[1] - corner[1], 3))
        self.notes.append("No stage was found: the middle of the upper edge is used as the point that people look at.")
        return Point(width / 2, 0.0)

    def _add_notes(self, rows: int) -> None:
        self.notes.append(
            f"Neighbours were found by distance: a step above {GAP} times the usual one in the row is an aisle"
            f" ({self.gaps} found in {_many(rows, 'row')}). The plan now stores them."
        )
        self.notes.append("All seats are standard: pretix marks no wheelchair spaces or companion seats.")
        if self.reordered:
            self.notes.append(
                f"In {_many(self.reordered, 'row')} the seats were not listed in order: they were sorted by position."
            )
        if self.seat_keys.changed:
            self.notes.append(
                f"{_many(self.seat_keys.changed, 'seat')} got new keys: the seat_guid was missing, unclean or double."
            )
        if self.unnamed:
            self.notes.append(f"{_many(self.unnamed, 'seat')} without a number: counted from the row's beginning.")


class _KeyGenerator:
    """Makes valid, unique keys."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.times: Counter[str] = Counter()
        self.changed = 0

    def make(self, wanted: str, fallback: str) -> str:
        key = clean = _clean(wanted) or _clean(fallback) or "x"
        while key in self.used:  # the counter is kept, so that a thousand equal keys take a thousand steps
            self.times[clean] += 1
            key = f"{clean}-{self.times[clean] + 1}"
        self.used.add(key)
        self.changed += key != wanted
        return key


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _clean(text: str) -> str:
    return _UNCLEAN.sub("-", text)[:56].strip("-._:")


def _text(value: str | int | None, longest: int) -> str:
    return "" if value is None else str(value).strip()[:longest].strip()


def _color(text: str | None) -> str | None:
    if text and re.fullmatch(r"#[0-9A-Fa-f]{3}", text):
        text = "#" + "".join(2 * digit for digit in text[1:])
    return text if text and re.fullmatch(r"#[0-9A-Fa-f]{6}", text) else None


_INDEX = re.compile(r"\[\d+\]")
_UNCLEAN = re.compile(r"[^A-Za-z0-9._:-]+")
# In the languages of the plans imported so far, as `text.fold` spells them.
_STAGE = re.compile(r"\b(stage|buhne|buehne|scene|podium|toneel|verhoog|escenario|palco|screen|leinwand|altar)\b")
