"""Binary formats for the map: the geometry of a layout version, and the states of its seats.

`docs/seatmap-format.md` specifies the format; `decode_geometry` decodes it in Python.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from fullhouse.kit.errors import Malformed
from fullhouse.seating.plans.chart import Chart, focal_point
from fullhouse.seating.plans.plan import CATEGORIES, Plan, Row, capacity_of, walk

MAGIC = b"FHG1"
STATES = ("available", "held", "sold", "blocked")  # two bits each

_NO_PRICE = 255
_GAP = 8  # above the three bits of the category
_STEPS_PER_SEAT = 40  # steps from one seat to its neighbour: finer than a screen shows
_INT16_MAX = 32_767

Piece = str | list[int]


class Geometry(NamedTuple):
    """A decoded map: the header, and one entry per seat by ordinal."""

    header: dict[str, Any]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    category: NDArray[np.uint8]
    gap_before: NDArray[np.bool_]
    price: NDArray[np.int16]  # -1 where there is none
    numbers: list[str]
    keys: list[str]


def encode_geometry(plan: Plan, chart: Chart) -> bytes:
    """Header and arrays, in a form that compresses well: 80,000 seats load without a noticeable wait."""
    unit = _unit(plan, chart)
    head = msgspec.json.encode(_header(plan, chart, unit))
    head += b" " * (-len(head) % 4)  # so that the arrays behind it are aligned
    starts = _row_starts(chart)
    kind = chart.category.astype(np.uint8) | (_gaps(chart) * _GAP).astype(np.uint8)
    price = np.where(chart.price < 0, _NO_PRICE, chart.price).astype(np.uint8)
    arrays = (_encode_deltas(chart.x, unit, starts), _encode_deltas(chart.y, unit, starts), kind, price)
    return b"".join([MAGIC, struct.pack("<I", len(head)), head, *(array.tobytes() for array in arrays)])


def to_geometry_json(plan: Plan, chart: Chart) -> dict[str, Any]:
    """The same as readable JSON: every seat's values in full, coordinates in the plan's own units."""
    header = _header(plan, chart, 1.0)
    return header | {
        "x": np.round(chart.x, 3).tolist(),
        "y": np.round(chart.y, 3).tolist(),
        "category": chart.category.tolist(),
        "gap_before": _gaps(chart).astype(int).tolist(),
        "price": chart.price.tolist(),
    }


def decode_geometry(data: bytes) -> Geometry:
    """The inverse of `encode_geometry`, up to the rounding of coordinates to the header's unit."""
    header, at = _read_header(data)
    count, rows = header["seats"], header["rows"]
    first = np.frombuffer(data, "<i2", count, at)
    second = np.frombuffer(data, "<i2", count, at + 2 * count)
    kind = np.frombuffer(data, np.uint8, count, at + 4 * count)
    price = np.frombuffer(data, np.uint8, count, at + 5 * count).astype(np.int16)
    starts = np.cumsum([0, *rows["seats"]])[:-1].astype(np.int64)
    numbers = [
        list(_expand_pieces(pieces, seats)) for pieces, seats in zip(rows["numbers"], rows["seats"], strict=True)
    ]
    keys = [
        [coded + number for number in row] if isinstance(coded, str) else coded
        for coded, row in zip(rows["keys"], numbers, strict=True)
    ]
    return Geometry(
        header=header,
        x=_decode_deltas(first, starts) * header["unit"],
        y=_decode_deltas(second, starts) * header["unit"],
        category=kind & np.uint8(_GAP - 1),
        gap_before=(kind & _GAP) > 0,
        price=np.where(price == _NO_PRICE, np.int16(-1), price),
        numbers=[number for row in numbers for number in row],
        keys=[key for row in keys for key in row],
    )


class Neighbours(NamedTuple):
    """By ordinal: first seats of chains of physical neighbours, seats sold only as a whole group, wheelchair spaces."""

    chain_starts: list[int]
    whole_seats: list[int]
    wheelchairs: list[int]


def decode_neighbours(data: bytes) -> Neighbours:
    """Reads only which seats are neighbours: milliseconds, where parsing an arena's plan takes a second."""
    header, at = _read_header(data)
    count = header["seats"]
    kind = np.frombuffer(data, np.uint8, count, at + 4 * count)
    begins = (kind & _GAP) > 0
    begins[np.cumsum([0, *header["rows"]["seats"]])[:-1]] = True
    wholes = sorted(seat for _, _, sold_as, seats in header["groups"] if sold_as == "whole" for seat in seats)
    wheelchairs = np.flatnonzero(kind & np.uint8(_GAP - 1) == CATEGORIES.index("wheelchair"))
    return Neighbours(np.flatnonzero(begins).tolist(), wholes, wheelchairs.tolist())


def _read_header(data: bytes) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    if data[:4] != MAGIC or len(data) < 8:
        raise Malformed("This is not a seat map.")
    (length,) = struct.unpack_from("<I", data, 4)
    header = msgspec.json.decode(data[8 : 8 + length])
    if len(data) != 8 + length + 6 * header["seats"]:
        raise Malformed("The seat map is truncated.")
    return header, 8 + length


# --- states


def pack_states(states: NDArray[np.uint8]) -> bytes:
    """Two bits a seat: seat i is in byte i // 4, at bit 2 · (i % 4)."""
    padded = np.zeros(-(-len(states) // 4) * 4, dtype=np.uint8)
    padded[: len(states)] = states
    four = padded.reshape(-1, 4)
    return (four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6).astype(np.uint8).tobytes()


def unpack_states(data: bytes, count: int) -> NDArray[np.uint8]:
    packed = np.frombuffer(data, dtype=np.uint8)
    if len(packed) != -(-count // 4):
        raise Malformed(f"{len(packed)} bytes cannot be the states of {count} seats.")
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8)
    return ((packed[:, None] >> shifts) & 3).astype(np.uint8).reshape(-1)[:count]


# --- the header


def _header(plan: Plan, chart: Chart, unit: float) -> dict[str, Any]:
    ordinals = {place.seat.key: ordinal for ordinal, place in enumerate(walk(plan))} if plan.groups else {}
    accompanied = np.nonzero(chart.companion_of >= 0)[0]
    return {
        "name": plan.name,
        "seats": len(chart.zone),
        "width": plan.width,
        "height": plan.height,
        "unit": unit,
        "focal_point": list(focal_point(plan)),
        "prices": [[c.key, c.name, c.color] for c in plan.price_categories],
        "zones": list(_zones(plan)),
        "sections": _sections(plan),
        "rows": _rows(plan),
        "companions": [[int(seat), int(chart.companion_of[seat])] for seat in accompanied],
        "groups": [[g.key, g.group_type, g.sold_as, [ordinals[key] for key in g.seats]] for g in plan.groups],
    }


def _zones(plan: Plan) -> Iterator[dict[str, Any]]:
    for zone in plan.zones:
        yield {
            "key": zone.key,
            "name": zone.name,
            "zone_type": zone.zone_type,
            "access_mode": zone.access_mode,
            "membership_tier": zone.membership_tier,
            "capacity": capacity_of(zone),
            "price": next((i for i, c in enumerate(plan.price_categories) if c.key == zone.price_category), -1),
            "area": [[point.x, point.y] for point in zone.area],
        }


def _sections(plan: Plan) -> dict[str, list[Any]]:
    sections = [(z, section) for z, zone in enumerate(plan.zones) for section in zone.sections]
    return {
        "zone": [z for z, _ in sections],
        "key": [section.key for _, section in sections],
        "name": [section.name for _, section in sections],
        "rows": [len(section.rows) for _, section in sections],
    }


def _rows(plan: Plan) -> dict[str, list[Any]]:
    rows = [row for zone in plan.zones for section in zone.sections for row in section.rows]
    return {
        "label": [row.label for row in rows],
        "seats": [len(row.seats) for row in rows],
        "table": [int(row.table) for row in rows],
        "numbers": [list(_pieces(row)) for row in rows],
        "keys": [_keys(row) for row in rows],
    }


def _pieces(row: Row) -> Iterator[Piece]:
    """Numbers as progressions: 7 5 3 1 2 4 6 is [7, -2, 4] and [2, 2]; the last one needs no count.

    Seat numbers that are not plain integers stay strings.
    """
    open_piece: list[int] = []  # first, step, count
    for seat in row.seats:
        number = int(seat.number) if seat.number.isascii() and seat.number.isdigit() else -1
        if str(number) != seat.number:  # also what begins with a zero
            if open_piece:
                yield open_piece
            open_piece = []
            yield seat.number
        elif not open_piece:
            open_piece = [number, 0, 1]
        elif open_piece[2] == 1:
            open_piece = [open_piece[0], number - open_piece[0], 2]
        elif number == open_piece[0] + open_piece[1] * open_piece[2]:
            open_piece[2] += 1
        else:
            yield open_piece
            open_piece = [number, 0, 1]
    if open_piece:
        yield open_piece[:2]


def _expand_pieces(pieces: list[Any], seats: int) -> Iterator[str]:
    left = seats
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            left -= 1
        else:
            first, step, count = piece if len(piece) == 3 else (*piece, left)
            yield from (str(first + step * i) for i in range(count))
            left -= count


def _keys(row: Row) -> str | list[str]:
    """The common prefix of the row's keys, if each key is prefix + number; otherwise all keys."""
    first = row.seats[0]
    prefix = first.key.removesuffix(first.number)
    return prefix if all(s.key == prefix + s.number for s in row.seats) else [s.key for s in row.seats]


# --- the arrays


def _unit(plan: Plan, chart: Chart) -> float:
    """A fortieth of the usual distance between seats, or more if the plan is too wide for 16 bits."""
    ways = np.hypot(np.diff(chart.x), np.diff(chart.y))[np.diff(chart.run) == 0]
    usual = float(np.median(ways)) if len(ways) else 1.0
    return max(round(usual / _STEPS_PER_SEAT, 4), max(plan.width, plan.height) / _INT16_MAX)


def _row_starts(chart: Chart) -> NDArray[np.int64]:
    return np.flatnonzero(np.diff(chart.row, prepend=-1)).astype(np.int64)


def _gaps(chart: Chart) -> NDArray[np.bool_]:
    """Seats that begin a run inside their row."""
    new_run = np.diff(chart.run, prepend=-1) > 0
    new_row = np.diff(chart.row, prepend=-1) > 0
    return new_run & ~new_row


def _encode_deltas(values: NDArray[np.floating[Any]], unit: float, starts: NDArray[np.int64]) -> NDArray[np.int16]:
    """Second-order deltas in whole units: a row's first seat relative to the previous row's first, its second relative
    to the first, every other by how much its step differs from the step before.

    Deltas wrap around at 16 bits. Sums wrap as well, so that the decoded positions are right: they fit into 16 bits.
    """
    whole = np.rint(values / unit).astype(np.int64)
    steps = np.diff(whole, prepend=0)
    steps[starts] = 0
    coded = np.diff(steps, prepend=0)
    lengths = np.diff(np.append(starts, len(whole)))
    seconds = starts[lengths > 1] + 1
    coded[seconds] = steps[seconds]
    coded[starts] = np.diff(whole[starts], prepend=0)
    return np.asarray(coded, dtype="<i2")


def _decode_deltas(coded: NDArray[np.int16], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    changes = coded.astype(np.int64)
    firsts = np.cumsum(changes[starts])
    lengths = np.diff(np.append(starts, len(coded)))
    changes[starts] = 0
    steps = _sum_per_row(changes, starts, lengths)
    return ((_sum_per_row(steps, starts, lengths) + np.repeat(firsts, lengths)) & 0xFFFF).astype(np.float64)


def _sum_per_row(values: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Running sums that restart with each row."""
    running = np.cumsum(values)
    return running - np.repeat(running[starts] - values[starts], lengths)
