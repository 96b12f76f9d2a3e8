"""What allocation computes once for a chart, and the two queries over all its seats.

Each query is a handful of operations on whole boolean arrays, so that a stadium takes memory but hardly any time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.plans.chart import Chart, Ints

BoolArray = NDArray[np.bool_]
Int64Array = NDArray[np.int64]

WHEELCHAIR = 1  # in Chart.category
STEPS = 1024  # distances are integers in this fraction of a seat's width, so that equal distances compare equal
FARTHEST = 1 << 30


class Links(NamedTuple):
    """Which seats are neighbours, by ordinal; also for a selection of whole runs, one after another."""

    joined: BoolArray  # this seat and the next one are physical neighbours
    first: BoolArray  # the first seat of its run
    last: BoolArray


class Index(NamedTuple):
    chart: Chart
    links: Links
    ordinals: Int64Array  # ordinal
    run_start: Ints  # of the seat's run
    run_stop: Ints
    away: Int64Array  # distances to the focal point
    summed: Int64Array  # prefix sums of `away`: the sum over [i, j) is summed[j] - summed[i]
    row_size: Int64Array  # by row: its seats
    row_stop: Int64Array  # by row: the first row of the next section
    row_section: Int64Array
    wheelchairs: BoolArray  # wheelchair spaces
    pitch: float  # a seat's width, in the chart's unit

    @property
    def nbytes(self) -> int:
        """Size of the arrays computed here, without the chart."""
        arrays: list[NDArray[Any]] = [*self.links, *self[2:-1]]
        return sum(array.nbytes for array in arrays)


def build_index(chart: Chart) -> Index:
    count = len(chart.run)
    joined = np.zeros(count, np.bool_)
    joined[:-1] = chart.run[1:] == chart.run[:-1]
    first = np.ones(count, np.bool_)
    first[1:] = ~joined[:-1]
    starts = np.flatnonzero(first)
    lengths = np.diff(np.append(starts, count))
    width = np.hypot(np.diff(chart.x), np.diff(chart.y))[joined[:-1]]
    pitch = (float(np.median(width)) if len(width) else 0.0) or 1.0
    exact = np.hypot(chart.x - chart.focal_x, chart.y - chart.focal_y) / pitch * STEPS
    away = np.minimum(np.rint(exact), FARTHEST).astype(np.int64)
    summed = np.zeros(count + 1, np.int64)
    np.cumsum(away, out=summed[1:])

    rows = int(chart.row.max()) + 1 if count else 0
    section = np.full(rows, -1, np.int64)
    section[chart.row] = chart.section
    ends = np.append(np.flatnonzero(np.diff(section)) + 1, rows)
    return Index(
        chart=chart,
        links=Links(joined, first, ~joined),
        ordinals=np.arange(count),
        run_start=np.repeat(starts, lengths).astype(np.int32),
        run_stop=np.repeat(starts + lengths, lengths).astype(np.int32),
        away=away,
        summed=summed,
        row_size=np.bincount(chart.row, minlength=rows).astype(np.int64),
        row_stop=ends[np.searchsorted(ends, np.arange(rows), side="right")] if rows else ends,
        row_section=section,
        wheelchairs=np.asarray(chart.category == WHEELCHAIR),
        pitch=pitch,
    )


def segments(links: Links, mask: BoolArray) -> tuple[Int64Array, Int64Array]:
    """The chains of neighbours in the mask: where each starts, and where it stops."""
    to_next = links.joined & mask
    to_next[:-1] &= mask[1:]
    starts = mask.copy()
    starts[1:] &= ~to_next[:-1]
    return np.flatnonzero(starts), np.flatnonzero(mask & ~to_next) + 1


def whole_runs(index: Index, seats: Int64Array) -> tuple[Int64Array, Links]:
    """The whole runs that contain these seats: their ordinals, and which of them are neighbours."""
    starts, firsts = np.unique(index.run_start[seats], return_index=True)
    lengths = index.run_stop[seats[firsts]] - starts
    shifts = starts - np.cumsum(lengths) + lengths
    places = np.arange(int(lengths.sum())) + np.repeat(shifts, lengths)
    return places, Links(*(array[places] for array in index.links))


def find_block_starts(links: Links, mask: BoolArray, size: int) -> BoolArray:
    """Marks the seats at which a block of this size begins: all neighbours, all in the mask."""
    if size == 1:
        return mask.copy()
    if size > len(mask):
        return np.zeros(len(mask), np.bool_)
    out = links.joined & mask
    out[:-1] &= mask[1:]
    have = 1
    while have < size - 1:  # doubling: a chain of links is made of two shorter ones
        step = min(have, size - 1 - have)
        out[:-step] &= out[step:]
        out[-step:] = False
        have += step
    return out


def count_orphans(links: Links, play: BoolArray, size: int, shortest: int, ends_exempt: bool) -> NDArray[np.uint8]:
    """For each first seat of a block of this size: how many seats it would leave in runs that are too short.

    Meaningful only where `find_block_starts` finds such a block. A run that is too short already does not count.
    """
    count = len(play)
    out = np.zeros(count, np.uint8)
    longer = find_block_starts(links, play, 2)
    for length in range(1, min(shortest, count)):
        chain, longer = longer, longer.copy()
        longer[:-1] &= chain[1:]
        before = chain.copy()  # at its first seat: exactly so many, then the block
        before[1:] = chain[1:] > longer[:-1]
        after = chain > longer  # at the block's last seat
        if ends_exempt:
            before &= ~links.first
            after[:-length] &= ~links.last[length:]
        out[length:] += before[:-length].view(np.uint8) * np.uint8(length)
        if size <= count:
            out[: count - size + 1] += after[size - 1 :].view(np.uint8) * np.uint8(length)
    if shortest > 2:
        whole = find_block_starts(links, play, shortest)
        long = whole.copy()
        for length in range(1, min(shortest, count)):
            long[length:] |= whole[:-length]
        out *= long
    return out
