"""The orphan rules: whether seats may be taken together, given the single seats that they would leave empty."""

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from fullhouse.seating.allocation.explanations import NUMBERS, Names, describe_orphans
from fullhouse.seating.allocation.index import (
    BoolArray,
    Index,
    Int64Array,
    Links,
    count_orphans,
    find_block_starts,
    segments,
    whole_runs,
)


class AllocationRules(Struct, frozen=True):
    """The policy's rules on orphans and on splitting a group."""

    orphan_run_min: Annotated[int, Meta(ge=1, le=100)] = 2  # shorter free runs are orphans; 1 turns the rule off
    scope: Literal["run", "event"] = "run"  # where a choice with fewer orphans counts against the buyer's
    row_ends_exempt: bool = False  # a free seat at a run's end, on the aisle, is never an orphan
    strict: bool = True  # refuse a choice that breaks the rule; otherwise allow it with a note
    adjacency_strict: bool = False  # refuse instead of splitting a group
    max_group_split: Annotated[int, Meta(ge=0)] = 2  # rows between the parts of a group, at most
    allow_split: bool = False  # the buyer agrees to sit further apart than that, in other sections too
    nearly_full: float = 0.9  # in rows sold beyond this share, orphans are allowed
    explicit_wish: bool = False  # the buyer insists on these seats
    companions_kept: bool = True  # companion seats of the party's wheelchair spaces stay reserved for it: never orphans


DEFAULT_RULES = AllocationRules()


class Verdict(Struct, frozen=True):
    allowed: bool  # the decision
    legal: bool  # by the rules alone; without `strict`, illegal choices are allowed too
    orphans: tuple[int, ...]  # orphans that this selection adds
    fewest: int  # the fewest that this party could leave
    reason: str
    exception: Literal["explicit_wish", "row_nearly_full"] | None = None
    alternative: tuple[int, ...] | None = None  # seats with which the whole party would leave fewer


class Stretch(NamedTuple):
    """The part of the chart that is searched: whole runs, one after another."""

    places: Int64Array  # their ordinals
    links: Links
    available: BoolArray  # available to the party
    in_play: BoolArray  # free, or the party's
    party: BoolArray


def evaluate(
    index: Index,
    free: BoolArray,
    in_play: BoolArray,
    selection: Collection[int],
    rules: AllocationRules = DEFAULT_RULES,
    *,
    own: Collection[int] = (),
    names: Names = NUMBERS,
) -> Verdict:
    """Checks the seats that a party requests, together with those it holds already.

    `free` are the seats that this buyer may buy, `in_play` those that are not taken from their view (it includes
    `free`). Does not check whether the selection itself is available.
    """
    party = np.unique(np.fromiter((*selection, *own), np.int64))
    orphans = orphans_of(index, in_play, party, rules)
    if not orphans:
        return Verdict(True, True, (), 0, "leaves no seat alone")
    reason = describe_orphans(orphans, names)
    better = pick_cleanest(find_placements(index, free, in_play, party, own, rules))
    if better is None or better.orphans >= len(orphans):
        return Verdict(True, True, orphans, len(orphans), f"{reason}, which cannot be avoided here")
    alternative = tuple(int(ordinal) for ordinal in better.seats)
    if rules.explicit_wish:
        return Verdict(True, True, orphans, better.orphans, f"{reason}, as requested", "explicit_wish", alternative)
    if len(orphans) - count_excused(index, in_play, party, orphans, rules) <= better.orphans:
        reason += ", in a row that is nearly sold out"
        return Verdict(True, True, orphans, better.orphans, reason, "row_nearly_full", alternative)
    return Verdict(not rules.strict, False, orphans, better.orphans, reason, None, alternative)


def orphans_of(index: Index, in_play: BoolArray, party: Int64Array, rules: AllocationRules) -> tuple[int, ...]:
    """The orphans that result if the party takes these seats: free seats in runs that become too short.

    Looks at single seats only: a party has few, and orphans arise only beside them.
    """
    joined, least, taken = index.links.joined, rules.orphan_run_min, set(party.tolist())
    companion_of = index.chart.companion_of

    def count_from(seat: int, step: int, most: int, with_party: bool) -> int:
        """How many consecutive seats from here are in play, with the party's own if asked for. Counts up to `most`."""
        count = 0
        while count < most and joined[seat if step > 0 else seat - 1]:  # the last seat has no next neighbour
            seat += step
            if not (with_party if seat in taken else in_play[seat]):
                break
            count += 1
        return count

    alone: set[int] = set()
    for seat in taken if least > 1 else ():
        for step in (-1, 1):
            left = count_from(seat, step, least, with_party=False)
            if not 0 < left < least:
                continue
            first, last = (seat - left, seat - 1) if step < 0 else (seat + 1, seat + left)
            if rules.row_ends_exempt and not (joined[first - 1] and joined[last]):
                continue
            before = left + count_from(first, -1, least, with_party=True) + count_from(last, 1, least, with_party=True)
            if before >= least:
                waits = taken if rules.companions_kept else ()
                alone.update(n for n in range(first, last + 1) if int(companion_of[n]) not in waits)
    return tuple(sorted(alone))


def select_runs(index: Index, free: BoolArray, in_play: BoolArray, party: Int64Array) -> Stretch:
    """Only the runs that the party touches: the cost must not depend on the size of the venue."""
    places, links = whole_runs(index, party)
    mine = np.zeros(len(places), np.bool_)
    mine[np.searchsorted(places, party)] = True
    return Stretch(places, links, free[places] | mine, in_play[places] | mine, mine)


def count_excused(
    index: Index, in_play: BoolArray, party: Int64Array, orphans: tuple[int, ...], rules: AllocationRules
) -> int:
    """How many of the orphans lie in rows that were nearly sold out before."""
    row = index.chart.row
    full: dict[int, bool] = {}
    for place in {int(row[seat]) for seat in orphans}:
        start, stop = np.searchsorted(row, [place, place + 1])
        unsold = in_play[start:stop].copy()
        unsold[party[(party >= start) & (party < stop)] - start] = True
        full[place] = 1 - np.count_nonzero(unsold) / index.row_size[place] > rules.nearly_full
    return sum(full[int(row[seat])] for seat in orphans)


class Placement(NamedTuple):
    """Another placement of the whole party, in no more pieces."""

    seats: Int64Array
    orphans: int


def pick_cleanest(options: Iterable[Placement]) -> Placement | None:
    """The option with the fewest orphans; stops at the first without any."""
    best: Placement | None = None
    for option in options:
        if best is None or option.orphans < best.orphans:
            best = option
        if not best.orphans:
            break
    return best


def find_placements(
    index: Index, free: BoolArray, in_play: BoolArray, party: Int64Array, own: Collection[int], rules: AllocationRules
) -> Iterator[Placement]:
    """Other placements of this party: in the touched runs, then anywhere if the scope is the event."""
    near = select_runs(index, free, in_play, party)
    sizes = sorted((int(b - a) for a, b in zip(*segments(near.links, near.party), strict=True)), reverse=True)
    kept = np.zeros(len(near.places), np.bool_)
    kept[np.searchsorted(near.places, np.fromiter(own, np.int64))] = True
    yield from place_block(index, near, len(party), party, kept, rules)
    if len(sizes) > 1:
        yield solve_pieces(near, len(party), len(sizes), kept, rules)
    if rules.scope == "event":
        if not own:
            yield from search_nearby(index, free, in_play, party, rules)
        whole = select_stretch(index, free, in_play, party, 0, len(free))
        kept = np.zeros(len(free), np.bool_)
        kept[list(own)] = True
        yield from place_block(index, whole, len(party), party, kept, rules)
        if len(sizes) > 1:
            yield from place_pieces(index, whole, sizes, party, rules)


def select_stretch(
    index: Index, free: BoolArray, in_play: BoolArray, party: Int64Array, start: int, stop: int
) -> Stretch:
    """The seats between two ordinals at which runs begin."""
    mine = np.zeros(stop - start, np.bool_)
    mine[party[(party >= start) & (party < stop)] - start] = True
    links = Links(*(array[start:stop] for array in index.links))
    return Stretch(index.ordinals[start:stop], links, free[start:stop] | mine, in_play[start:stop] | mine, mine)


NEARBY_BLOCKS = 2048


def search_nearby(
    index: Index, free: BoolArray, in_play: BoolArray, party: Int64Array, rules: AllocationRules
) -> Iterator[Placement]:
    """What `place_block` would find among all seats, if enough is free nearby that it would not search further."""
    count, here, size = len(free), int(party[0]), len(party)
    start = int(index.run_start[max(0, here - 3 * NEARBY_BLOCKS)])
    stop = int(index.run_stop[min(count, here + 3 * NEARBY_BLOCKS) - 1])
    near = select_stretch(index, free, in_play, party, start, stop)
    fewest, clean = find_fewest_orphans(
        near.links, near.in_play, find_block_starts(near.links, near.available, size), size, rules
    )
    before, after = np.count_nonzero(clean[: here - start]), np.count_nonzero(clean[here - start :])
    enough = (
        (before >= NEARBY_BLOCKS or start == 0)
        and (after >= NEARBY_BLOCKS or stop == count)
        and before + after > 2 * NEARBY_BLOCKS
    )
    if not fewest and enough:
        yield from place_block(index, near, size, party, np.zeros(stop - start, np.bool_), rules)


def find_fewest_orphans(
    links: Links, play: BoolArray, blocks: BoolArray, size: int, rules: AllocationRules
) -> tuple[int, BoolArray]:
    """Of blocks of this size, by their first seats, those with the fewest orphans; and how many these are."""
    orphans = count_orphans(links, play, size, rules.orphan_run_min, rules.row_ends_exempt)
    clean = blocks & (orphans == 0)  # the usual case, and the cheapest check
    if clean.any() or not blocks.any():
        return 0, clean
    fewest = int(orphans[blocks].min())
    return fewest, blocks & (orphans == fewest)


def place_block(
    index: Index, where: Stretch, size: int, party: Int64Array, kept: BoolArray, rules: AllocationRules
) -> Iterator[Placement]:
    """The block with the fewest orphans; of those the one that keeps most held seats, then the nearest."""
    blocks = find_block_starts(where.links, where.available, size)
    if not blocks.any():
        return
    fewest, blocks = find_fewest_orphans(where.links, where.in_play, blocks, size, rules)
    starts = np.flatnonzero(blocks)
    if kept.any():
        held = np.concatenate([[0], np.cumsum(kept)])
        keeps = held[starts + size] - held[starts]
        starts = starts[keeps == keeps.max()]
    if (
        len(starts) > 2 * NEARBY_BLOCKS
    ):  # in a mostly free venue the nearest block is among the next by ordinal, or near enough
        middle = int(np.searchsorted(where.places[starts], party[0]))  # a stretch need not begin at ordinal 0
        starts = starts[max(0, middle - NEARBY_BLOCKS) : middle + NEARBY_BLOCKS]
    x, y, begin = index.chart.x, index.chart.y, where.places[starts]
    away = (x[begin] - x[party[0]]) ** 2 + (y[begin] - y[party[0]]) ** 2
    start = starts[int(np.argmin(away))]
    yield Placement(where.places[start : start + size], fewest)


def place_pieces(
    index: Index, where: Stretch, sizes: list[int], party: Int64Array, rules: AllocationRules
) -> Iterator[Placement]:
    """The same pieces elsewhere, the largest first, each placed after the earlier ones."""
    rest, places = where, [party[:0]]
    none_kept = np.zeros(len(where.places), np.bool_)
    for size in sizes:
        block = next(place_block(index, rest, size, party, none_kept, rules), None)
        if block is None:
            return
        left = np.ones(len(where.places), np.bool_)
        left[block.seats] = False
        rest = rest._replace(available=rest.available & left, in_play=rest.in_play & left)
        places.append(block.seats)
    taken = np.sort(np.concatenate(places))
    yield Placement(taken, len(orphans_of(index, where.in_play, taken, rules)))


ORPHAN_COST, MOVE_COST = (
    1_000_000,
    1_000,
)  # an orphan weighs more than a held seat given up, and that more than a seat changed


def solve_pieces(near: Stretch, size: int, pieces: int, kept: BoolArray, rules: AllocationRules) -> Placement:
    """The placement of `size` seats in at most `pieces` pieces with the fewest orphans: exact dynamic programming.

    A state is (seats taken, pieces begun, free seats passed since the last taken one or gap; -1 right after a taken
    one). Touched runs are short; where they are free, one block has no orphans and this is not called.
    """
    least = rules.orphan_run_min
    starts, stops = segments(near.links, near.in_play)
    states: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {(0, 0, 0): (0, ())}

    def closed(passed: int, stop: int, long: bool) -> int:
        if not long or not 0 < passed < least:
            return 0
        exempt = rules.row_ends_exempt and (near.links.first[stop - passed] or near.links.last[stop - 1])
        return 0 if exempt else passed * ORPHAN_COST

    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        long = stop - start >= least
        for seat in range(start, stop):
            following: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
            leave = MOVE_COST if kept[seat] else 0
            take = 0 if near.party[seat] else 1
            for (taken, begun, passed), (cost, way) in states.items():
                ways = [((taken, begun, min(least, max(passed, 0) + 1)), cost + leave, way)]
                if near.available[seat]:
                    price = cost + take + closed(passed, seat, long)
                    ways.append(((taken + 1, begun + (passed != -1), -1), price, (*way, seat)))
                for state, price, path in ways:
                    known = following.get(state)
                    if state[0] <= size and state[1] <= pieces and (known is None or price < known[0]):
                        following[state] = price, path
            states = following
        ended: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
        for (taken, begun, passed), (cost, way) in states.items():
            price = cost + closed(passed, stop, long)
            known = ended.get((taken, begun, 0))
            if known is None or price < known[0]:
                ended[taken, begun, 0] = price, way
        states = ended
    cost, way = min(found for (taken, _, _), found in states.items() if taken == size)
    return Placement(near.places[list(way)], cost // ORPHAN_COST)
