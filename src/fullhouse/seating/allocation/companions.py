"""Wheelchair places and the seats of those who come along.

A soft-reserved companion seat goes only to the booking of its own wheelchair place, and a booking gets at most as many
of them as it has wheelchair places. Once released it is a seat like any other, and nothing here looks at it.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from fullhouse.seating.allocation.index import WHEELCHAIR, Bools, Index, Places, reach, strays
from fullhouse.seating.allocation.orphans import Rules
from fullhouse.seating.allocation.splitting import Request, is_near
from fullhouse.seating.plans.chart import Chart


class Escorted(NamedTuple):
    rung: int
    seats: Places  # all that was asked for, or the wheelchair places and companions to which the rest must be added


def unescorted(chart: Chart, party: Collection[int], soft_reserved: Collection[int]) -> tuple[int, ...]:
    """The soft-reserved companion seats that this party may not have: those of others, and those too many."""
    seats = set(party)
    theirs = sorted(seats & set(soft_reserved))
    places = sum(int(chart.category[seat]) == WHEELCHAIR for seat in seats)
    with_place = [seat for seat in theirs if int(chart.companion_of[seat]) in seats]
    return tuple(sorted({*theirs} - {*with_place[:places]}))


def claimable(chart: Chart, reserved: Places, party: Places) -> Places:
    """The soft-reserved companions that a party with these seats may still have."""
    places = party[chart.category[party] == WHEELCHAIR]
    claimed = np.count_nonzero(np.isin(chart.companion_of[party], places))
    return nearest(chart, reserved[np.isin(chart.companion_of[reserved], places)])[: len(places) - claimed]


def nearest(chart: Chart, seats: Places) -> Places:
    """Companion seats, those beside their wheelchair place first."""
    return seats[np.argsort(np.abs(seats - chart.companion_of[seats]), kind="stable")]


def escorted(index: Index, asked: Request, wheelchairs: Bools, count: int, reserved: Places) -> Escorted | None:
    """Places for `count` wheelchairs; in one block with everybody else if there is one, else with their companions."""
    if np.count_nonzero(wheelchairs) < count:
        return None
    block = None if len(asked.own) else one_block(index, asked, wheelchairs, count, reserved)
    return block or by_pairs(index, asked, wheelchairs, count, reserved)


def one_block(index: Index, asked: Request, wheelchairs: Bools, count: int, reserved: Places) -> Escorted | None:
    chart, size, rules = index.chart, asked.quantity, asked.rules
    soft = np.zeros(len(asked.may), np.bool_)
    soft[reserved] = True
    every = np.unique((np.flatnonzero(wheelchairs)[:, None] - np.arange(size)).ravel())
    every = every[every >= 0]
    starts = every[reach(index.links, asked.may | wheelchairs | soft, size)[every]]
    seats = starts[:, None] + np.arange(size)
    with_place = (chart.companion_of[seats] >= starts[:, None]) & (chart.companion_of[seats] < starts[:, None] + size)
    lawful = (wheelchairs[seats].sum(axis=1) == count) & (soft[seats].sum(axis=1) <= count)
    lawful &= (~soft[seats] | with_place).all(axis=1)
    if not lawful.any():
        return None
    starts, seats = starts[lawful], seats[lawful]
    orphans = strays(index.links, asked.play, size, rules.orphan_run_min, rules.row_ends_exempt)[starts]
    companions = np.minimum(with_place[lawful].sum(axis=1), count)
    away = index.summed[starts + size] - index.summed[starts]
    # The companion seat before a clean block: left empty, it would wait for a companion who sits elsewhere.
    best = np.lexsort((starts, chart.row[starts], away, orphans, -companions))[0]
    return Escorted(2 if orphans[best] else 1, seats[best])


def by_pairs(index: Index, asked: Request, wheelchairs: Bools, count: int, reserved: Places) -> Escorted:
    """The best wheelchair place with a companion seat to spare, the others near it, then their companion seats."""
    chart, wanted = index.chart, asked.quantity - count
    open_to_us = np.union1d(reserved, np.flatnonzero(asked.may & (chart.companion_of >= 0)))
    places = np.flatnonzero(wheelchairs)
    accompanied = np.isin(places, chart.companion_of[open_to_us])
    distance = index.summed[places + 1] - index.summed[places]
    if len(asked.own):
        distance = away_from(chart, places, asked.own)
    first = places[np.lexsort((places, distance, ~accompanied if wanted else accompanied * 0))[:1]]
    near = np.lexsort((places, away_from(chart, places, first), places != first))
    chosen = places[near][:count]
    companions = nearest(chart, open_to_us[np.isin(chart.companion_of[open_to_us], chosen)])[: min(wanted, count)]
    seats = np.union1d(chosen, companions)
    return Escorted(rung_of(index, np.union1d(seats, asked.own), asked.rules), seats)


def away_from(chart: Chart, places: Places, party: Places) -> Places:
    away = np.hypot(chart.x[places] - chart.x[party].mean(), chart.y[places] - chart.y[party].mean())
    return np.asarray(np.rint(away * 1024), np.int64)


def rung_of(index: Index, seats: Places, rules: Rules) -> int:
    if len(seats) == seats[-1] - seats[0] + 1 and index.links.joined[seats[:-1]].all():
        return 1
    return 3 if is_near(index, seats, rules) else 4
