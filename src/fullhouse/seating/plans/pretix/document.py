"""The parts of pretix's seating-plan document that are imported, and their positions on the plan.

Positions add up: zone, row and seat; zone and area. Parsing is lenient: texts may be numbers, and nearly all fields are
optional.
"""

from math import cos, pi, radians, sin
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from fullhouse.seating.plans.adjacency import XY
from fullhouse.seating.plans.plan import EXTENT_MAX

MARGIN = 20.0

Number = Annotated[float, Meta(ge=-EXTENT_MAX / 8, le=EXTENT_MAX / 8)]  # the sum of three of them fits into a plan


class Position(msgspec.Struct):
    x: Number = 0.0
    y: Number = 0.0


class Seat(msgspec.Struct, gc=False):
    position: Position
    seat_guid: str | int = ""
    seat_number: str | int | None = None
    category: str | None = None
    radius: float | None = None
    uuid: str | None = None
    start_direction: str | None = None


class Row(msgspec.Struct):
    seats: list[Seat]
    row_number: str | int | None = None
    position: Position | None = None
    row_label: str | None = None
    seat_label: str | None = None
    row_number_position: str | None = None
    uuid: str | None = None


class Text(msgspec.Struct):
    text: str = ""
    position: Position | None = None
    color: str | None = None
    size: float | None = None


class Polygon(msgspec.Struct):
    points: list[Position] = []


class Rectangle(msgspec.Struct):
    width: Number = 0.0
    height: Number = 0.0


class Circle(msgspec.Struct):
    radius: Number = 0.0


class Ellipse(msgspec.Struct):
    radius: Position


class Area(msgspec.Struct):
    shape: str = "rectangle"
    position: Position | None = None
    rotation: float = 0.0
    text: Text | str | None = None
    polygon: Polygon | None = None
    rectangle: Rectangle | None = None
    circle: Circle | None = None
    ellipse: Ellipse | None = None
    width: Number = 0.0  # rectangles in older plans
    height: Number = 0.0
    color: str | None = None
    border_color: str | None = None
    uuid: str | None = None


class Zone(msgspec.Struct):
    rows: list[Row]
    position: Position | None = None
    name: str | None = None
    zone_id: str | int | None = None
    uuid: str | None = None
    areas: list[Area] = []


class Category(msgspec.Struct):
    name: str
    color: str | None = None


class Size(msgspec.Struct):
    width: Annotated[float, Meta(ge=0, le=EXTENT_MAX / 2)]
    height: Annotated[float, Meta(ge=0, le=EXTENT_MAX / 2)]


class Document(msgspec.Struct):
    zones: list[Zone]
    name: str = ""
    categories: list[Category] = []
    size: Size | None = None


class Placed(NamedTuple):
    at: XY
    seat: Seat


class Shape(NamedTuple):
    """An area of any kind, as the corners of a polygon. A text alone is a single point."""

    text: str
    corners: list[XY]


def position_seats(zone: Zone, row: Row) -> list[Placed]:
    x, y = _add(zone.position, row.position)
    return [Placed((x + seat.position.x, y + seat.position.y), seat) for seat in row.seats]


def to_shape(zone: Zone, area: Area) -> Shape:
    x, y = _add(zone.position, area.position)
    turn = radians(area.rotation)
    corners = [(x + a * cos(turn) - b * sin(turn), y + a * sin(turn) + b * cos(turn)) for a, b in _corners(area)]
    words = area.text.text if isinstance(area.text, Text) else area.text or ""
    return Shape(words.strip()[:100], corners)


def _add(*positions: Position | None) -> XY:
    return sum(p.x for p in positions if p), sum(p.y for p in positions if p)


def _corners(area: Area) -> list[XY]:
    if area.shape == "text":
        return [(0.0, 0.0)]
    if area.polygon:
        return [(point.x, point.y) for point in area.polygon.points]
    if area.circle:
        return _round(area.circle.radius, area.circle.radius)
    if area.ellipse:
        return _round(area.ellipse.radius.x, area.ellipse.radius.y)
    box = area.rectangle or Rectangle(area.width, area.height)
    return [(0.0, 0.0), (box.width, 0.0), (box.width, box.height), (0.0, box.height)]


def _round(a: float, b: float) -> list[XY]:
    return [(a * cos(2 * pi * i / 24), b * sin(2 * pi * i / 24)) for i in range(24)]


def frame(size: Size | None, points: list[XY]) -> tuple[XY, float, float]:
    """The upper left corner, width and height: the plan's own size, made larger where something lies outside."""
    own = [(0.0, 0.0), (size.width, size.height)] if size else []
    edge = 0.0 if size else MARGIN
    xs, ys = ([point[axis] for point in [*own, *points]] or [0.0] for axis in (0, 1))
    corner = (min(xs) - edge, min(ys) - edge)
    return corner, round(max(xs) + edge - corner[0], 3) or 1.0, round(max(ys) + edge - corner[1], 3) or 1.0


def inside(at: XY, corners: list[XY]) -> bool:
    """Whether a point lies inside a polygon: a ray to the right crosses the outline an odd number of times."""
    crossings = 0
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        if (ay > at[1]) != (by > at[1]):
            crossings += at[0] < ax + (at[1] - ay) * (bx - ax) / (by - ay)
    return crossings % 2 == 1
