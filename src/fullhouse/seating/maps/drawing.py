"""Draws a plan as SVG, for previews and for clients without an interactive map."""

from collections import defaultdict
from collections.abc import Iterator
from html import escape
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.plans.chart import Chart, build_chart
from fullhouse.seating.plans.plan import CATEGORIES, COLORS, RESERVED, Plan, Row, Zone, capacity_of, walk

PAPER, SURFACE, INK, MUTED, LINE = "#F7F5F0", "#FFFFFF", "#16181D", "#5B6068", "#E2DED5"
SOLD, BLOCKED, HELD = "#D8D3C7", "#ECE9E1", "#B9B4A8"

SIMPLE_ABOVE = 20_000  # seats: then only dots and section names
NUMBERS_UP_TO = 1_500  # seats: then each shows its number

_AVAILABLE, _HELD, _SOLD, _BLOCKED = range(4)
_WHEELCHAIR, _COMPANION, _RESTRICTED = 1, 2, 3


def render_svg(plan: Plan, states: NDArray[np.uint8] | None = None) -> str:
    """The plan as a still picture. With `states` (see geometry.STATES) it shows which seats are available."""
    return _Drawing(plan, states).render()


class _Drawing:
    def __init__(self, plan: Plan, states: NDArray[np.uint8] | None) -> None:
        self.plan, self.chart = plan, build_chart(plan)
        self.places = list(walk(plan))
        self.states = np.zeros(len(self.places), dtype=np.uint8) if states is None else states
        if len(self.states) != len(self.places):
            raise ValueError(f"{len(self.states)} states for {len(self.places)} seats")
        self.pitch = _pitch(self.chart, plan)
        self.simple = len(self.places) > SIMPLE_ABOVE
        # Text is sized for the picture as a whole, so that it stays legible in a large venue.
        self.text_size = max(0.62 * self.pitch, max(plan.width, plan.height) / 75)
        self.colors = [category.color or COLORS[i % len(COLORS)] for i, category in enumerate(plan.price_categories)]
        self.legend = list(self._lay_out_legend())
        self.foot = self.text_size * (2.2 + 2 * len({line for _, line, _, _ in self.legend}))

    def render(self) -> str:
        width, height = self.plan.width, self.plan.height + self.foot
        scale = max(1.0, 960 / max(width, height))
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_f(width)} {_f(height)}"'
            f' width="{_f(width * scale)}" height="{_f(height * scale)}" role="img"'
            f' font-family="Inter, system-ui, sans-serif" font-size="{_f(self.text_size)}" fill="{INK}">',
            f"<title>{_escape_text(self.plan.name)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            *(self._area(zone) for zone in self.plan.zones if zone.area),
            *self._tables(),
            *self._seats(),
            *self._rows(),
            *self._sections(),
            *self._stage(),
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(parts)

    # --- areas, stage, legend

    def _color(self, price: int) -> str:
        return self.colors[price] if price >= 0 else COLORS[0]

    def _price(self, zone: Zone) -> int:
        keys = [category.key for category in self.plan.price_categories]
        return keys.index(zone.price_category) if zone.price_category in keys else -1

    def _area(self, zone: Zone) -> str:
        corners = " ".join(f"{_f(point.x)},{_f(point.y)}" for point in zone.area)
        if zone.zone_type in RESERVED:
            return (
                f'<polygon points="{corners}" fill="{SURFACE}" stroke="{LINE}" stroke-width="{_f(self.pitch / 10)}"/>'
            )
        color, size = self._color(self._price(zone)), self.text_size
        x, y = _middle(zone)
        if (focus := self.plan.focal_point) and hypot(focus.x - x, focus.y - y) < 4 * size:
            y = focus.y + 3.2 * size  # the stage stands in the middle
        return (
            f'<polygon points="{corners}" fill="{color}" fill-opacity=".13" stroke="{color}"'
            f' stroke-width="{_f(self.pitch / 14)}" stroke-linejoin="round"/>'
            f'<text x="{_f(x)}" y="{_f(y)}" text-anchor="middle" font-weight="650" font-size="{_f(1.25 * size)}">'
            f"{_escape_text(zone.name)}</text>"
            f'<text x="{_f(x)}" y="{_f(y + 1.4 * size)}" text-anchor="middle" fill="{MUTED}">'
            f"{_KINDS[zone.zone_type]}, {capacity_of(zone):,}</text>"
        )

    def _stage(self) -> Iterator[str]:
        if self.plan.focal_point:
            x, y, size = self.plan.focal_point.x, self.plan.focal_point.y, self.text_size
            width, height = 8 * size, 2.6 * size
            left = min(max(x - width / 2, 0), self.plan.width - width)
            top = min(max(y - height / 2, 0), self.plan.height - height)
            yield f'<rect x="{_f(left)}" y="{_f(top)}" width="{_f(width)}" height="{_f(height)}" rx="{_f(size / 2)}"/>'
            yield (
                f'<text x="{_f(left + width / 2)}" y="{_f(top + height / 2 + 0.36 * size)}" text-anchor="middle"'
                f' font-weight="650" fill="{PAPER}">Stage</text>'
            )

    def _legend(self) -> Iterator[str]:
        """Price categories with their counts, and the marks that are in use."""
        size, edge = self.text_size, 2.4 * self.text_size
        yield (
            f'<path d="M{_f(edge)} {_f(self.plan.height)}H{_f(self.plan.width - edge)}" stroke="{LINE}"'
            f' stroke-width="{_f(size / 12)}"/>'
        )
        for x, line, mark, words in self.legend:
            y = self.plan.height + size * (2.1 + 2 * line)
            yield f'<g transform="translate({_f(x + size / 2)} {_f(y)})">{mark}</g>'
            yield f'<text x="{_f(x + 1.4 * size)}" y="{_f(y + 0.36 * size)}">{_escape_text(words)}</text>'

    def _lay_out_legend(self) -> Iterator[tuple[float, int, str, str]]:
        """Entries side by side, on as many lines as they need."""
        size, edge = self.text_size, 2.4 * self.text_size
        x, line = edge, 0
        for mark, words in self._entries():
            width = size * (3.2 + 0.56 * len(words))
            if x > edge and x + width > self.plan.width - edge + 2 * size:
                x, line = edge, line + 1
            yield x, line, mark, words
            x += width

    def _entries(self) -> Iterator[tuple[str, str]]:
        radius = 0.42 * self.text_size
        for price, category in enumerate(self.plan.price_categories):
            places = int(np.count_nonzero(self.chart.price == price))
            places += sum(
                capacity_of(z) for z in self.plan.zones if z.zone_type not in RESERVED and self._price(z) == price
            )
            yield f'<circle r="{_f(radius)}" fill="{self.colors[price]}"/>', f"{category.name} ({places:,})"
        for kind, mark in _MARKS.items():
            if np.any(self.chart.category == kind):
                yield mark(0, 0, radius, INK), CATEGORIES[kind].replace("_", " ").capitalize()
        for state, name in ((_SOLD, "Sold"), (_HELD, "Held"), (_BLOCKED, "Blocked")):
            if np.any(self.states == state):
                yield _render_taken(0, 0, radius, state, INK), name

    # --- seats

    def _tables(self) -> Iterator[str]:
        for first, row in self._row_starts():
            if row.table:
                last = first + len(row.seats)
                x, y = float(np.mean(self.chart.x[first:last])), float(np.mean(self.chart.y[first:last]))
                radius = hypot(float(self.chart.x[first]) - x, float(self.chart.y[first]) - y) - 0.62 * self.pitch
                yield (
                    f'<circle cx="{_f(x)}" cy="{_f(y)}" r="{_f(max(radius, 0))}" fill="{SURFACE}" stroke="{LINE}"'
                    f' stroke-width="{_f(self.pitch / 14)}"/>'
                    f'<text x="{_f(x)}" y="{_f(y + 0.2 * self.pitch)}" text-anchor="middle" fill="{MUTED}"'
                    f' font-size="{_f(0.58 * self.pitch)}">{_escape_text(row.label)}</text>'
                )

    def _seats(self) -> Iterator[str]:
        """One path of dots for each colour. Special and taken seats are drawn singly, unless there are too many."""
        dots: dict[str, list[int]] = defaultdict(list)
        special: list[str] = []
        radius = 0.4 * self.pitch
        colors = [self._color(int(price)) for price in self.chart.price]
        for i, (x, y, kind, state) in enumerate(self._columns()):
            if self.simple:
                dots[_FLAT.get(state, colors[i])].append(i)
            elif state != _AVAILABLE:
                special.append(_render_taken(x, y, radius, state, colors[i]))
            elif mark := _MARKS.get(kind):
                special.append(mark(x, y, radius, colors[i]))
            else:
                dots[colors[i]].append(i)
        step = self.pitch / 20
        for color, ordinals in dots.items():
            yield (
                f'<path transform="scale({_f(step)})" d="{self._dots(ordinals, step)}" stroke="{color}"'
                f' stroke-width="{_f(2 * radius / step)}" stroke-linecap="round" fill="none"/>'
            )
        yield from special
        if len(self.places) <= NUMBERS_UP_TO:
            yield from self._numbers()

    def _columns(self) -> Iterator[tuple[float, float, int, int]]:
        chart = self.chart
        columns: list[list[Any]] = [chart.x.tolist(), chart.y.tolist(), chart.category.tolist(), self.states.tolist()]
        return zip(*columns, strict=True)

    def _dots(self, ordinals: list[int], step: float) -> str:
        """Zero-length strokes with round ends. Moves in whole steps are short, and add up without rounding errors."""
        x = np.rint(self.chart.x[ordinals] / step).astype(int)
        y = np.rint(self.chart.y[ordinals] / step).astype(int)
        moves = zip(np.diff(x, prepend=0).tolist(), np.diff(y, prepend=0).tolist(), strict=True)
        return "".join(f"m{dx} {dy}h0" for dx, dy in moves)

    def _numbers(self) -> Iterator[str]:
        yield f'<g font-size="{_f(0.34 * self.pitch)}" fill="{SURFACE}" text-anchor="middle">'
        down = 0.12 * self.pitch
        for place, (x, y, kind, state) in zip(self.places, self._columns(), strict=True):
            if state == _AVAILABLE and kind not in _MARKS:
                yield f'<text x="{_f(x)}" y="{_f(y + down)}">{_escape_text(place.seat.number)}</text>'
        yield "</g>"

    # --- names

    def _row_starts(self) -> Iterator[tuple[int, Row]]:
        first = 0
        for zone in self.plan.zones:
            for section in zone.sections:
                for row in section.rows:
                    yield first, row
                    first += len(row.seats)

    def _rows(self) -> Iterator[str]:
        """Each row's label at both of its ends, where the line of its seats would go on."""
        if len(self.places) > 2 * NUMBERS_UP_TO:
            return
        yield f'<g font-size="{_f(0.5 * self.pitch)}" fill="{MUTED}" text-anchor="middle">'
        for first, row in self._row_starts():
            last = first + len(row.seats) - 1
            for end, inner in () if row.table else ((first, first + 1), (last, last - 1)):
                if len(row.seats) > 1:
                    way = (self._at(end)[0] - self._at(inner)[0], self._at(end)[1] - self._at(inner)[1])
                else:
                    way = (-1.0, 0.0)
                far = 1.05 * self.pitch / (hypot(*way) or 1.0)
                x, y = self._at(end)[0] + far * way[0], self._at(end)[1] + far * way[1]
                yield f'<text x="{_f(x)}" y="{_f(y + 0.18 * self.pitch)}">{_escape_text(row.label)}</text>'
        yield "</g>"

    def _at(self, ordinal: int) -> tuple[float, float]:
        return float(self.chart.x[ordinal]), float(self.chart.y[ordinal])

    def _sections(self) -> Iterator[str]:
        """Names behind the last row; in a large venue, where sections touch, in the middle of the section."""
        sections = [(zone, section) for zone in self.plan.zones for section in zone.sections]
        ends = np.searchsorted(self.chart.section, np.arange(len(sections) + 1))
        for index, (zone, section) in enumerate(sections):
            x, y = (axis[ends[index] : ends[index + 1]] for axis in (self.chart.x, self.chart.y))
            if not len(x):
                continue
            if len(self.places) > 2 * NUMBERS_UP_TO:
                yield self._plate(section.name, float(x.mean()), float(y.mean()), _breadth(x, y))
            else:
                lowest = max(float(y.max()) + 0.9 * self.pitch, *(p.y + 0.4 * self.text_size for p in zone.area), 0.0)
                yield (
                    f'<text x="{_f(float(x.min() + x.max()) / 2)}" y="{_f(lowest + self.text_size)}"'
                    f' text-anchor="middle" font-weight="650">{_escape_text(section.name)}</text>'
                )

    def _plate(self, name: str, x: float, y: float, room: float) -> str:
        size = min(self.text_size * 1.1, max(0.8 * room, self.pitch) / (0.6 * len(name) + 0.9))
        width, height = size * (0.6 * len(name) + 0.9), 1.5 * size
        return (
            f'<rect x="{_f(x - width / 2)}" y="{_f(y - height / 2)}" width="{_f(width)}" height="{_f(height)}"'
            f' rx="{_f(size / 3)}" fill="{PAPER}" fill-opacity=".92"/>'
            f'<text x="{_f(x)}" y="{_f(y + 0.36 * size)}" text-anchor="middle" font-weight="650"'
            f' font-size="{_f(size)}">{_escape_text(name)}</text>'
        )


# --- marks


def _wheelchair(x: float, y: float, r: float, color: str) -> str:
    """A rounded plate with a wheel, a back and a head."""
    s = 1.12 * r / 10
    return (
        f'<g transform="translate({_f(x)} {_f(y)}) scale({_f(s)})"><rect x="-10" y="-10" width="20" height="20" rx="4"'
        f' fill="{color}"/><g fill="none" stroke="{SURFACE}" stroke-width="1.9" stroke-linecap="round"'
        ' stroke-linejoin="round"><path d="M-1.6-3.4V1.4H3L5.2 6"/><path d="M-3.4.2A4.3 4.3 0 1 0 2.4 4.9"/></g>'
        f'<circle cx="-1.6" cy="-6.2" r="1.7" fill="{SURFACE}"/></g>'
    )


def _companion(x: float, y: float, r: float, color: str) -> str:
    """A ring with a dot: a seat that belongs to its neighbour."""
    return (
        f'<circle cx="{_f(x)}" cy="{_f(y)}" r="{_f(0.82 * r)}" fill="{SURFACE}" stroke="{color}"'
        f' stroke-width="{_f(0.36 * r)}"/><circle cx="{_f(x)}" cy="{_f(y)}" r="{_f(0.3 * r)}" fill="{color}"/>'
    )


def _restricted(x: float, y: float, r: float, color: str) -> str:
    """A dot with a bar across it: something stands in the way."""
    bar = f"M{_f(x - 0.5 * r)} {_f(y)}h{_f(r)}"
    return f'<circle cx="{_f(x)}" cy="{_f(y)}" r="{_f(r)}" fill="{color}"/>' + _stroke(bar, SURFACE, 1.6 * r)


def _render_taken(x: float, y: float, r: float, state: int, color: str) -> str:
    """Marks that differ without colour: a cross for sold, stripes for held, an empty ring for blocked."""
    at, d = f'cx="{_f(x)}" cy="{_f(y)}"', r * 0.4
    if state == _SOLD:
        cross = f"M{_f(x - d)} {_f(y - d)}l{_f(2 * d)} {_f(2 * d)}m0 {_f(-2 * d)}l{_f(-2 * d)} {_f(2 * d)}"
        return f'<circle {at} r="{_f(r)}" fill="{SOLD}"/>' + _stroke(cross, MUTED, r)
    if state == _HELD:
        stripes = "".join(
            f"M{_f(x + shift - h)} {_f(y + shift + h)}l{_f(2 * h)} {_f(-2 * h)}"
            for shift, h in ((-0.36 * r, 0.42 * r), (0.0, 0.62 * r), (0.36 * r, 0.42 * r))
        )
        return f'<circle {at} r="{_f(r)}" fill="{SURFACE}" stroke="{color}" stroke-width="{_f(r / 6)}"/>' + _stroke(
            stripes, color, r
        )
    return f'<circle {at} r="{_f(0.9 * r)}" fill="{BLOCKED}" stroke="{LINE}" stroke-width="{_f(r / 5)}"/>'


def _stroke(path: str, color: str, r: float) -> str:
    return f'<path d="{path}" stroke="{color}" stroke-width="{_f(r / 5)}" stroke-linecap="round" fill="none"/>'


# --- odds and ends


def _pitch(chart: Chart, plan: Plan) -> float:
    """The usual distance between neighbours; without neighbours, a fraction of the plan."""
    ways = np.hypot(np.diff(chart.x), np.diff(chart.y))[np.diff(chart.run) == 0]
    return float(np.median(ways)) if len(ways) else min(plan.width, plan.height) / 30


def _breadth(x: NDArray[np.floating[Any]], y: NDArray[np.floating[Any]]) -> float:
    """How wide a cloud of seats is across its narrower direction, if it were a rectangle."""
    if len(x) < 2:
        return 0.0
    narrow = float(np.linalg.eigvalsh(np.cov(np.stack([x, y])))[0])
    return float(np.sqrt(max(12 * narrow, 0.0)))


def _middle(zone: Zone) -> tuple[float, float]:
    xs, ys = [point.x for point in zone.area], [point.y for point in zone.area]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _f(value: float) -> str:
    """A number in its shortest form."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _escape_text(text: str) -> str:
    """Escapes text for XML, which allows no control characters even when escaped."""
    return escape("".join(c for c in text if c.isprintable()))


_MARKS = {_WHEELCHAIR: _wheelchair, _COMPANION: _companion, _RESTRICTED: _restricted}
_FLAT = {_HELD: HELD, _SOLD: SOLD, _BLOCKED: BLOCKED}
_KINDS = {"ga_seated": "Free seating", "ga_standing": "Standing", "vip_standing": "Standing, VIP"}
