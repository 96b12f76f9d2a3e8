"""Wheelchair spaces and their companion seats.

A soft-reserved companion seat goes only to the booking of its own wheelchair space, and a booking gets at most as many
of them as it has wheelchair spaces. A released companion seat is an ordinary seat and is ignored here.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from fullhouse.seating.allocation.index import (
    WHEELCHAIR,
    BoolArray,
    Index,
    Int64Array,
    count_orphans,
    find_block_starts,
)
from fullhouse.seating.allocation.orphans import AllocationRules
from fullhouse.seating.allocation.splitting import Request, is_near
from fullhouse.seating.plans.chart import Chart


class WheelchairSeats(NamedTuple):
    rung: int
    seats: Int64Array  # the whole request, or only the wheelchair spaces and companions: the caller adds the rest


def find_unclaimable(chart: Chart, party: Collection[int], soft_reserved: Collection[int]) -> tuple[int, ...]:
    """The soft-reserved companion seats that this party may not have: those of other spaces, and surplus ones."""
    seats = set(party)
    theirs = sorted(seats & set(soft_reserved))
    places = sum(int(chart.category[seat]) == WHEELCHAIR for seat in seats)
    with_place = [seat for seat in theirs if int(chart.companion_of[seat]) in seats]
    return tuple(sorted({*theirs} - {*with_place[:places]}))


def find_claimable(chart: Chart, reserved: Int64Array, party: Int64Array) -> Int64Array:
    """The soft-reserved companion seats that a party with these seats may still claim."""
    places = party[chart.category[party] == WHEELCHAIR]
    claimed = np.count_nonzero(np.isin(chart.companion_of[party], places))
    return sort_by_distance(chart, reserved[np.isin(chart.companion_of[reserved], places)])[: len(places) - claimed]


def sort_by_distance(chart: Chart, seats: Int64Array) -> Int64Array:
    """Sorts companion seats by distance from their wheelchair space."""
    return seats[np.argsort(np.abs(seats - chart.companion_of[seats]), kind="stable")]


def find_wheelchair_seats(
    index: Index, request: Request, wheelchairs: BoolArray, count: int, reserved: Int64Array
) -> WheelchairSeats | None:
    """Finds `count` wheelchair spaces: in one block with the whole party, or else with their companion seats only."""
    if np.count_nonzero(wheelchairs) < count:
        return None
    block = None if len(request.own) else find_common_block(index, request, wheelchairs, count, reserved)
    return block or find_pairs(index, request, wheelchairs, count, reserved)


def find_common_block(
    index: Index, request: Request, wheelchairs: BoolArray, count: int, reserved: Int64Array
) -> WheelchairSeats | None:
    chart, size, rules = index.chart, request.quantity, request.rules
    soft = np.zeros(len(request.available), np.bool_)
    soft[reserved] = True
    every = np.unique((np.flatnonzero(wheelchairs)[:, None] - np.arange(size)).ravel())
    every = every[every >= 0]
    starts = every[find_block_starts(index.links, request.available | wheelchairs | soft, size)[every]]
    seats = starts[:, None] + np.arange(size)
    with_place = (chart.companion_of[seats] >= starts[:, None]) & (chart.companion_of[seats] < starts[:, None] + size)
    allowed = (wheelchairs[seats].sum(axis=1) == count) & (soft[seats].sum(axis=1) <= count)
    allowed &= (~soft[seats] | with_place).all(axis=1)
    if not allowed.any():
        return None
    starts, seats = starts[allowed], seats[allowed]
    orphans = count_orphans(index.links, request.in_play, size, rules.orphan_run_min, rules.row_ends_exempt)[starts]
    companions = np.minimum(with_place[allowed].sum(axis=1), count)
    away = index.summed[starts + size] - index.summed[starts]
    # Companion seats count more than orphans: an empty one would stay reserved for a companion who sits elsewhere.
    best = np.lexsort((starts, chart.row[starts], away, orphans, -companions))[0]
    return WheelchairSeats(2 if orphans[best] else 1, seats[best])


def find_pairs(
    index: Index, request: Request, wheelchairs: BoolArray, count: int, reserved: Int64Array
) -> WheelchairSeats:
    """The best wheelchair space with a free companion seat, the other spaces near it, then their companion seats."""
    chart, wanted = index.chart, request.quantity - count
    available = np.union1d(reserved, np.flatnonzero(request.available & (chart.companion_of >= 0)))
    places = np.flatnonzero(wheelchairs)
    accompanied = np.isin(places, chart.companion_of[available])
    distance = index.summed[places + 1] - index.summed[places]
    if len(request.own):
        distance = distances_from(chart, places, request.own)
    first = places[np.lexsort((places, distance, ~accompanied if wanted else accompanied * 0))[:1]]
    near = np.lexsort((places, distances_from(chart, places, first), places != first))
    chosen = places[near][:count]
    companions = sort_by_distance(chart, available[np.isin(chart.companion_of[available], chosen)])[
        : min(wanted, count)
    ]
    seats = np.union1d(chosen, companions)
    return WheelchairSeats(rung_of(index, np.union1d(seats, request.own), request.rules), seats)


def distances_from(chart: Chart, places: Int64Array, party: Int64Array) -> Int64Array:
    away = np.hypot(chart.x[places] - chart.x[party].mean(), chart.y[places] - chart.y[party].mean())
    return np.asarray(np.rint(away * 1024), np.int64)


def rung_of(index: Index, seats: Int64Array, rules: AllocationRules) -> int:
    if len(seats) == seats[-1] - seats[0] + 1 and index.links.joined[seats[:-1]].all():
        return 1
    return 3 if is_near(index, seats, rules) else 4
