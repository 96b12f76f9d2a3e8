"""Splits a party that fits into no block: the fewest parts, of even size, in the nearest rows; further apart than
`max_group_split` only if the buyer agrees.

Blocks are counted before anything is searched: how many blocks of at least each length every stretch of rows has. The
counts give the fewest parts and their most even sizes for all stretches at once; only a few are then searched by seat.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullhouse.seating.allocation.explanations import Names
from fullhouse.seating.allocation.index import STEPS, BoolArray, Index, Int64Array, count_orphans, segments, whole_runs
from fullhouse.seating.allocation.orphans import AllocationRules, orphans_of
from fullhouse.seating.plans.chart import Floats, Ints

TRIES = 4  # stretches or corners that are compared seat by seat
SPARE = 8  # blocks searched around a corner, beyond the number of parts
ORPHAN_COST = 1 << 40  # weighs more than any distance


class Request(NamedTuple):
    """A party's request, with zones and companion seats already applied to the masks."""

    available: BoolArray  # seats available to the party
    in_play: BoolArray  # these, those that are not candidates but not taken either, and those they hold
    quantity: int
    own: Int64Array  # seats they hold
    rules: AllocationRules
    rotate: int
    names: Names


class Split(NamedTuple):
    rung: int  # 3: within max_group_split rows of one section; 4: further apart
    parts: tuple[tuple[int, int], ...]  # start and size
    orphans: int
    away: int  # sum of the distances of all seats to the focal point


class Blocks(NamedTuple):
    """The seats available to this buyer, as blocks of neighbours."""

    start: Int64Array
    length: Int64Array


class Tally(NamedTuple):
    """Counts of the blocks."""

    at_least: Ints  # [t, r]: blocks of at least t + 1 seats in the rows before r, up to the longest that matters
    away: Int64Array  # [b]: distances of the first seats of the blocks before b

    def counts_between(self, first: Int64Array, stop: Int64Array) -> Ints:
        """Counts of the blocks in stretches of rows, by length."""
        return self.at_least.take(stop, axis=1) - self.at_least.take(first, axis=1)

    def count_blocks_before(self, row: int) -> int:
        """How many blocks lie before a row: blocks are sorted by row."""
        return int(self.at_least[0, row])


class Inventory(NamedTuple):
    seat_index: Index
    in_play: BoolArray  # without the party's other seats
    blocks: Blocks
    rules: AllocationRules
    around: Int64Array  # the party's other seats

    def select_blocks(self, picked: Int64Array) -> "Inventory":
        return self._replace(blocks=Blocks(*(array[picked] for array in self.blocks)))

    def find_clean_blocks(self, size: int) -> BoolArray:
        """Which blocks are long enough to give a part of this size without an orphan."""
        spare = self.blocks.length - size
        return np.asarray((spare == 0) | (spare >= self.rules.orphan_run_min))


class Spot(NamedTuple):
    """For one size: in every block the start with the fewest orphans, then the one nearest to the focal point."""

    cost: Int64Array  # orphans * ORPHAN + distance; FULL where the block is too short
    start: Int64Array


class Corner(NamedTuple):
    rung: int
    tries: int


IMPOSSIBLE = 1 << 51  # exact as a float, too


def split_party(index: Index, request: Request, quantity: int, around: Int64Array) -> Split | None:
    """Finds parts for so many seats; near `around`, the party's other seats, if there are any. None if there are not
    enough seats, or only further apart than allowed."""
    rules = request.rules
    start, stop = segments(index.links, request.available)
    blocks = Blocks(start, stop - start)
    if int(blocks.length.sum()) < quantity:
        return None
    play = request.in_play.copy()
    play[around] = False
    inventory = Inventory(index, play, blocks, rules, around)
    tally = count_blocks(index, blocks, quantity + rules.orphan_run_min)
    found = find_near_parts(inventory, tally, quantity)
    if not found and may_split(index, request):
        found = find_far_parts(inventory, tally, quantity)
    if not found:
        return None
    known: dict[tuple[tuple[int, int], ...], Split] = {}  # near stretches often give the same parts
    exact = [
        known.get(option.parts)
        or known.setdefault(option.parts, count_orphans_of(index, request.in_play, option, around, rules))
        for option in found
    ]
    fewest = min(option.orphans for option in exact)
    exact = sorted((option for option in exact if option.orphans == fewest), key=lambda option: option.away)
    equal = [option for option in exact if option.away <= exact[0].away + quantity * STEPS]
    return equal[request.rotate % len(equal)]


def may_split(index: Index, request: Request) -> bool:
    """Whether this party may sit further apart: the buyer agreed to it, or has chosen such seats already."""
    return request.rules.allow_split or not is_near(index, request.own, request.rules)


def is_near(index: Index, seats: Int64Array, rules: AllocationRules) -> bool:
    """Whether seats lie in one section, and no further apart than a split may be."""
    if not len(seats):
        return True
    rows = index.chart.row[seats]
    one_section = len(np.unique(index.chart.section[seats])) == 1
    return one_section and int(rows.max()) - int(rows.min()) <= rules.max_group_split


def count_orphans_of(
    index: Index, in_play: BoolArray, option: Split, around: Int64Array, rules: AllocationRules
) -> Split:
    seats = np.concatenate([around, *(np.arange(start, start + size) for start, size in option.parts)])
    return option._replace(orphans=len(orphans_of(index, in_play, np.sort(seats), rules)))


def count_blocks(index: Index, blocks: Blocks, longest: int) -> Tally:
    rows = len(index.row_size)
    longest = min(longest, int(blocks.length.max()))
    short = longest - np.minimum(
        blocks.length, longest
    )  # the longest first, for the cumulative sum; reversed afterwards
    exactly = np.bincount(short * rows + index.chart.row[blocks.start], minlength=rows * longest).reshape(longest, rows)
    at_least = np.zeros((longest, rows + 1), np.int32)
    np.cumsum(exactly.cumsum(axis=0, dtype=np.int32)[::-1], axis=1, out=at_least[:, 1:])
    away = np.zeros(len(blocks.start) + 1, np.int64)
    np.cumsum(index.away[blocks.start], out=away[1:])
    return Tally(at_least, away)


def find_even_sizes(at_least: Ints, quantity: int) -> tuple[int, ...] | None:
    """The sizes for the fewest parts that any of these stretches allows: no single seats if avoidable, most even."""
    at_least = np.minimum(at_least[:quantity], quantity)  # more than these are not needed
    at_least = at_least[:, at_least.sum(axis=0) >= quantity]
    if not at_least.size:
        return None
    if quantity < 16:  # most stretches look alike: read each column as a number, and keep one of a kind
        digits = (quantity + 1) ** np.arange(len(at_least))
        at_least = np.unique(digits @ at_least) // digits[:, None] % (quantity + 1)
    parts = next(n for n in range(1, quantity + 1) if (np.minimum(at_least, n).sum(axis=0) >= quantity).any())
    at_least = at_least[:, np.minimum(at_least, parts).sum(axis=0) >= quantity]
    longest = (at_least > np.arange(parts)[:, None, None]).sum(axis=1)  # of each stretch, the longest first
    heights = np.arange(1, quantity + 1)[:, None, None]
    level = 1 + np.argmax(
        np.minimum(longest, heights).sum(axis=1) >= quantity, axis=0
    )  # the lowest level at which all seats fit
    sizes = np.minimum(longest, level)
    at_level = sizes == level
    sizes -= at_level & (at_level[::-1].cumsum(axis=0)[::-1] <= sizes.sum(axis=0) - quantity)
    weight = (sizes == 1).sum(axis=0) * quantity**2 + (sizes**2).sum(axis=0)
    return tuple(sorted(sizes[:, int(np.argmin(weight))].tolist(), reverse=True))


def find_spots(inventory: Inventory, sizes: tuple[int, ...]) -> dict[int, Spot]:
    """Searches only the runs of these blocks: the cost must not depend on the size of the venue."""
    places, links = whole_runs(inventory.seat_index, inventory.blocks.start)
    play, rules = inventory.in_play[places], inventory.rules
    return {
        size: find_best_spots(
            inventory, size, places, count_orphans(links, play, size, rules.orphan_run_min, rules.row_ends_exempt)
        )
        for size in set(sizes)
    }


def find_best_spots(inventory: Inventory, size: int, places: Int64Array, orphans: NDArray[np.uint8]) -> Spot:
    """For one size; `orphans` has the orphans of a part that begins at each of the places."""
    blocks, least = inventory.blocks, inventory.rules.orphan_run_min
    spare = blocks.length - size
    # Offsets near both ends, where orphans arise or not; further inside only the distance changes.
    ends = [offset for shift in range(least + 1) for offset in (np.full(len(spare), shift), spare - shift)]
    offset = np.stack([*ends, find_inner_offset(inventory, size, spare)])
    fits = (offset >= 0) & (offset <= spare)
    start = blocks.start + np.where(fits, offset, 0)
    found = start[fits]
    cost = np.full(start.shape, IMPOSSIBLE, np.int64)
    cost[fits] = orphans[np.searchsorted(places, found)] * np.int64(ORPHAN_COST) + distances(inventory, found, size)
    best = np.argmin(cost, axis=0), np.arange(len(spare))
    return Spot(cost[best], start[best])


def party_centre(inventory: Inventory) -> tuple[float, float]:
    chart, around = inventory.seat_index.chart, inventory.around
    if not len(around):
        return chart.focal_x, chart.focal_y
    return float(chart.x[around].mean()), float(chart.y[around].mean())


def distances(inventory: Inventory, start: Int64Array, size: int | Int64Array) -> Int64Array:
    """Sum over all seats of a part: to the focal point, or to the rest of the party."""
    index = inventory.seat_index
    if not len(inventory.around):
        return np.asarray(index.summed[start + size] - index.summed[start])
    return distances_from_point(index, start, start + size - 1, party_centre(inventory)) * size


def distances_from_point(index: Index, first: Int64Array, last: Int64Array, point: tuple[float, float]) -> Int64Array:
    x, y = index.chart.x, index.chart.y
    away = np.hypot((x[first] + x[last]) / 2 - point[0], (y[first] + y[last]) / 2 - point[1])
    return np.asarray(np.rint(away / index.pitch * STEPS), np.int64)


def find_inner_offset(inventory: Inventory, size: int, spare: Int64Array) -> Int64Array:
    """The offset at which a part is nearest, clear of the block's ends and as if it were straight; -1 if none."""
    x, y, blocks, clear = (
        inventory.seat_index.chart.x,
        inventory.seat_index.chart.y,
        inventory.blocks,
        inventory.rules.orphan_run_min,
    )
    if int(spare.max()) < 2 * clear:
        return np.full(len(spare), -1)
    first, last = blocks.start, blocks.start + blocks.length - 1
    along_x, along_y = x[last] - x[first], y[last] - y[first]
    to_x, to_y = party_centre(inventory)
    squared = np.maximum(along_x**2 + along_y**2, 1e-9)
    share = ((to_x - x[first]) * along_x + (to_y - y[first]) * along_y) / squared
    offset = np.rint(np.clip(share, 0, 1) * (blocks.length - 1) - (size - 1) / 2).astype(np.int64)
    return np.where(spare >= 2 * clear, np.clip(offset, clear, spare - clear), -1)


def find_near_parts(inventory: Inventory, tally: Tally, quantity: int) -> list[Split]:
    """Rung 3: all parts in one section, at most `max_group_split` rows apart, in the fewest rows possible."""
    most = inventory.rules.max_group_split
    first, stop = list_stretches(inventory, most)
    sizes = find_even_sizes(tally.counts_between(first, stop), quantity) if len(first) else None
    if sizes is None:
        return []
    needed = np.array([[sum(size > t for size in sizes)] for t in range(len(tally.at_least))])
    for span in range(most + 1):
        first, stop = list_stretches(inventory, span)
        fits = (tally.counts_between(first, stop) >= needed).all(axis=0)
        if fits.any():
            break
    first, stop = first[fits], stop[fits]
    best = rank_stretches(inventory, tally, sizes, first, stop)
    within = [range(tally.count_blocks_before(first[place]), tally.count_blocks_before(stop[place])) for place in best]
    picked = np.unique(np.concatenate(within))
    inventory = inventory.select_blocks(picked)
    found = find_spots(inventory, sizes)
    masks = [(picked >= blocks.start) & (picked < blocks.stop) for blocks in within]
    return [split for mask in masks for split in gather_parts(inventory, found, sizes, mask, Corner(3, 1))]


def find_far_parts(inventory: Inventory, tally: Tally, quantity: int) -> list[Split]:
    """Rung 4: the fewest parts anywhere. Searches only the blocks around a few good places."""
    sizes = find_even_sizes(tally.at_least[:, -1:], quantity)
    assert sizes is not None
    index, start = inventory.seat_index, inventory.blocks.start
    dirty = {
        size: np.where(inventory.blocks.length < size, IMPOSSIBLE, ~inventory.find_clean_blocks(size) * ORPHAN_COST)
        for size in set(sizes)
    }
    centres = [party_centre(inventory)]
    if not len(inventory.around):
        nearest = start[pick_cheapest(dirty[sizes[0]] + index.away[start], TRIES)]
        centres = [(float(index.chart.x[seat]), float(index.chart.y[seat])) for seat in nearest]
    picked = [
        pick_cheapest(cost + distances_from_point(index, start, start, centre), len(sizes) + SPARE)
        for centre in centres
        for cost in dirty.values()
    ]
    inventory = inventory.select_blocks(np.unique(np.concatenate(picked)))
    best = find_spots(inventory, sizes)
    return gather_parts(inventory, best, sizes, np.ones(len(inventory.blocks.start), np.bool_), Corner(4, TRIES))


def list_stretches(inventory: Inventory, span: int) -> tuple[Int64Array, Int64Array]:
    """Stretches of rows of one section, `span` apart, that include the rest of the party: first row and end."""
    index = inventory.seat_index
    first = np.arange(len(index.row_size))
    stop = np.minimum(first + span + 1, index.row_stop)
    if not len(inventory.around):
        return first, stop
    own = index.chart.row[inventory.around]
    inside = (first <= own.min()) & (stop > own.max())
    return first[inside], stop[inside]


def rank_stretches(
    inventory: Inventory, tally: Tally, sizes: tuple[int, ...], first: Int64Array, stop: Int64Array
) -> Int64Array:
    """The stretches of rows to search: those without orphans first, then the nearest."""
    at_least, none = tally.counts_between(first, stop), np.zeros(len(first), np.int32)

    def longer(length: int) -> Ints:
        return at_least[length - 1] if length <= len(at_least) else none

    missing = none.copy()
    for size in set(sizes):
        clean = longer(size) - longer(size + 1) + longer(size + inventory.rules.orphan_run_min)
        missing += np.maximum(0, sizes.count(size) - clean)
    away = (tally.away[tally.at_least[0, stop]] - tally.away[tally.at_least[0, first]]) / at_least[0]
    return np.lexsort((first, away, missing))[:TRIES]


def gather_parts(
    inventory: Inventory, best: dict[int, Spot], sizes: tuple[int, ...], within: BoolArray, corner: Corner
) -> list[Split]:
    """Gathers the parts around the best places of the largest part, or around the rest of the party."""
    index, largest = inventory.seat_index, best[sizes[0]]
    centres = [party_centre(inventory)]
    if not len(inventory.around):
        seats = largest.start[pick_cheapest(np.where(within, largest.cost, IMPOSSIBLE), corner.tries)]
        centres = [(float(index.chart.x[seat]), float(index.chart.y[seat])) for seat in seats]
    found = []
    for centre in centres:
        cost = {}
        for size, spot in best.items():
            away = distances_from_point(
                index, spot.start, np.minimum(spot.start + size, len(inventory.in_play)) - 1, centre
            )
            cost[size] = np.where(
                within & (spot.cost < IMPOSSIBLE), spot.cost // ORPHAN_COST * ORPHAN_COST + away, IMPOSSIBLE
            )
        if len(cost) == 1:
            chosen = pick_cheapest(cost[sizes[0]], len(sizes))
        else:  # enough blocks of each size that every part finds one, whatever the others take
            columns = np.unique(
                np.concatenate([pick_cheapest(of_size, len(sizes) + SPARE) for of_size in cost.values()])
            )
            chosen = columns[assign(np.stack([cost[size][columns] for size in sizes]).astype(np.float64))]
        parts = tuple((int(best[size].start[block]), size) for size, block in zip(sizes, chosen, strict=True))
        starts, lengths = np.array(parts).T
        found.append(Split(corner.rung, parts, 0, int(distances(inventory, starts, lengths).sum())))
    return found


def pick_cheapest(cost: Int64Array, count: int) -> Int64Array:
    """The indexes of the lowest costs, in order; ties by index."""
    known = np.flatnonzero(cost < IMPOSSIBLE)
    if len(known) > 4 * count:
        bound = np.partition(cost[known], count)[count]
        known = known[cost[known] <= bound]
    return known[np.argsort(cost[known], kind="stable")[:count]]


def assign(cost: Floats) -> Int64Array:
    """A column of its own for every row, at the least total cost: the Hungarian method, a row at a time."""
    rows, columns = cost.shape
    row_price, price = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.full(columns + 1, -1)  # the last column holds a new row until it is assigned
    for row in range(rows):
        owner[-1], column = row, columns
        least, came_from = np.full(columns, np.inf), np.full(columns, columns)
        done = np.zeros(columns + 1, np.bool_)
        while owner[column] >= 0:
            done[column] = True
            slack = cost[owner[column]] - row_price[owner[column]] - price[:-1]
            nearer = ~done[:-1] & (slack < least)
            least[nearer], came_from[nearer] = slack[nearer], column
            following = int(np.argmin(np.where(done[:-1], np.inf, least)))
            delta = least[following]
            row_price[owner[done]] += delta
            price[done] -= delta
            least[~done[:-1]] -= delta
            column = following
        while column != columns:  # shift the assignments along the augmenting path
            owner[column] = owner[came_from[column]]
            column = int(came_from[column])
    out = np.zeros(rows, np.int64)
    taken = np.flatnonzero(owner[:-1] >= 0)
    out[owner[taken]] = taken
    return out
