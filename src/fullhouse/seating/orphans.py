"""May these seats be taken together? The rules on seats that would be left alone."""

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from fullhouse.seating.explaining import NUMBERS, Names, alone
from fullhouse.seating.index import Bools, Index, Links, Places, reach, segments, strays


class Rules(Struct, frozen=True):
    """What the policy says about leaving seats alone and about parting a group."""

    orphan_run_min: Annotated[int, Meta(ge=1)] = 2  # shorter free runs are orphans; 1 turns the rule off
    scope: Literal["run", "event"] = "run"  # where a cleaner choice counts against a pick
    row_ends_exempt: bool = False  # what is left at a run's end, on the aisle, is never an orphan
    strict: bool = True  # refuse a pick that breaks the rule; otherwise allow it, and say so
    adjacency_strict: bool = False  # refuse instead of parting a group
    max_group_split: Annotated[int, Meta(ge=0)] = 2  # rows between the parts of a group
    nearly_full: float = 0.9  # in rows sold beyond this share, orphans are excused
    explicit_wish: bool = False  # the buyer wants these seats and no others


RULES = Rules()


class Verdict(Struct, frozen=True):
    allowed: bool  # what the caller acts on
    legal: bool  # by the rules alone: best effort allows what is not
    orphans: tuple[int, ...]  # left alone by this selection, and not before
    fewest: int  # as few as this party could leave
    reason: str
    exception: Literal["explicit_wish", "row_nearly_full"] | None = None
    alternative: tuple[int, ...] | None = None  # where the whole party would leave fewer


class Stretch(NamedTuple):
    """The part of the house that a question is about: whole runs, one after another."""

    places: Places  # their ordinals
    links: Links
    may: Bools  # the party could have it
    play: Bools  # free, or the party's
    party: Bools


def judge(
    index: Index,
    free: Bools,
    in_play: Bools,
    selection: Collection[int],
    rules: Rules = RULES,
    *,
    own: Collection[int] = (),
    names: Names = NUMBERS,
) -> Verdict:
    """Judge the seats that a party asks for, together with those it holds already.

    `free` is what this buyer may buy, `in_play` what is not gone for them (it includes `free`). Whether the selection
    itself is available is not asked here.
    """
    party = np.unique(np.fromiter((*selection, *own), np.int64))
    near = touched(index, free, in_play, party)
    orphans = left_alone(near, near.party, rules)
    if not len(orphans):
        return Verdict(True, True, (), 0, "leaves no seat alone")
    said = alone([int(ordinal) for ordinal in orphans], names)
    seats = tuple(int(ordinal) for ordinal in orphans)
    better = cleanest(other_ways(index, free, in_play, near, party, own, rules))
    if better is None or better.orphans >= len(orphans):
        return Verdict(True, True, seats, len(orphans), f"{said}, which cannot be avoided here")
    alternative = tuple(int(ordinal) for ordinal in better.places)
    if rules.explicit_wish:
        return Verdict(True, True, seats, better.orphans, f"{said}, as wished", "explicit_wish", alternative)
    if len(orphans) - excused(index, in_play, party, orphans, rules) <= better.orphans:
        said += ", in a row that is nearly sold out"
        return Verdict(True, True, seats, better.orphans, said, "row_nearly_full", alternative)
    return Verdict(not rules.strict, False, seats, better.orphans, said, None, alternative)


def orphans_of(index: Index, in_play: Bools, party: Places, rules: Rules) -> tuple[int, ...]:
    """The seats that would be left alone if the party took these."""
    near = touched(index, in_play, in_play, party)
    return tuple(int(ordinal) for ordinal in left_alone(near, near.party, rules))


def touched(index: Index, free: Bools, in_play: Bools, party: Places) -> Stretch:
    """Only the runs that the party touches: the size of the house must not matter."""
    starts, firsts = np.unique(index.run_start[party], return_index=True)
    stops = index.run_stop[party[firsts]]
    places = np.concatenate([np.arange(a, b) for a, b in zip(starts, stops, strict=True)])
    links = Links(*(array[places] for array in index.links))
    mine = np.zeros(len(places), np.bool_)
    mine[np.searchsorted(places, party)] = True
    return Stretch(places, links, free[places] | mine, in_play[places] | mine, mine)


def left_alone(near: Stretch, taken: Bools, rules: Rules) -> Places:
    """The ordinals in remaining runs that are too short, and were not so before."""
    rest_starts, rest_stops = segments(near.links, near.play & ~taken)
    starts, stops = segments(near.links, near.play)
    before = (stops - starts)[np.searchsorted(starts, rest_starts, side="right") - 1]
    short = (rest_stops - rest_starts < rules.orphan_run_min) & (before >= rules.orphan_run_min)
    if rules.row_ends_exempt:
        short &= ~(near.links.first[rest_starts] | near.links.last[rest_stops - 1])
    if not short.any():
        return near.places[:0]
    return np.concatenate([near.places[a:b] for a, b in zip(rest_starts[short], rest_stops[short], strict=True)])


def excused(index: Index, in_play: Bools, party: Places, orphans: Places, rules: Rules) -> int:
    """How many of the orphans are in rows that were nearly sold out before."""
    row = index.chart.row
    unsold = in_play.copy()
    unsold[party] = True
    full = {
        int(place): 1 - np.count_nonzero(unsold & (row == place)) / index.row_size[place] > rules.nearly_full
        for place in np.unique(row[orphans])
    }
    return sum(full[int(place)] for place in row[orphans])


class Better(NamedTuple):
    """Another placement of the whole party, in no more pieces."""

    places: Places
    orphans: int


def cleanest(options: Iterable[Better]) -> Better | None:
    """Looking no further once nobody is left alone."""
    best: Better | None = None
    for option in options:
        if best is None or option.orphans < best.orphans:
            best = option
        if not best.orphans:
            break
    return best


def other_ways(
    index: Index, free: Bools, in_play: Bools, near: Stretch, party: Places, own: Collection[int], rules: Rules
) -> Iterator[Better]:
    """Other ways to seat this party: in the touched runs, and then anywhere if the scope says so."""
    sizes = sorted((int(b - a) for a, b in zip(*segments(near.links, near.party), strict=True)), reverse=True)
    kept = np.zeros(len(near.places), np.bool_)
    kept[np.searchsorted(near.places, np.fromiter(own, np.int64))] = True
    yield from one_block(index, near, len(party), party, kept, rules)
    if len(sizes) > 1:
        yield in_pieces(near, len(party), len(sizes), kept, rules)
    if rules.scope == "event":
        mine = np.zeros(len(free), np.bool_)
        mine[party] = True
        house = Stretch(np.arange(len(free)), index.links, free | mine, in_play | mine, mine)
        kept = np.zeros(len(free), np.bool_)
        kept[list(own)] = True
        yield from one_block(index, house, len(party), party, kept, rules)
        if len(sizes) > 1:
            yield from piece_by_piece(index, house, sizes, party, rules)


NEAR = 2048


def one_block(index: Index, where: Stretch, size: int, party: Places, kept: Bools, rules: Rules) -> Iterator[Better]:
    """The block that leaves fewest alone; of those the one that keeps most of what is held, then the nearest."""
    starts = np.flatnonzero(reach(where.links, where.may, size))
    if not len(starts):
        return
    cost = strays(where.links, where.play, size, rules.orphan_run_min, rules.row_ends_exempt)[starts]
    starts = starts[cost == cost.min()]
    if kept.any():
        held = np.concatenate([[0], np.cumsum(kept)])
        keeps = held[starts + size] - held[starts]
        starts = starts[keeps == keeps.max()]
    if len(starts) > 2 * NEAR:  # in a house that is free, the nearest is among the next by ordinal, or near enough
        middle = int(np.searchsorted(starts, party[0]))
        starts = starts[max(0, middle - NEAR) : middle + NEAR]
    x, y, begin = index.chart.x, index.chart.y, where.places[starts]
    away = (x[begin] - x[party[0]]) ** 2 + (y[begin] - y[party[0]]) ** 2
    start = starts[int(np.argmin(away))]
    yield Better(where.places[start : start + size], int(cost.min()))


def piece_by_piece(index: Index, house: Stretch, sizes: list[int], party: Places, rules: Rules) -> Iterator[Better]:
    """The same pieces elsewhere, the largest first, each judged after the earlier ones."""
    rest, places = house, [party[:0]]
    none_kept = np.zeros(len(house.places), np.bool_)
    for size in sizes:
        block = next(one_block(index, rest, size, party, none_kept, rules), None)
        if block is None:
            return
        left = np.ones(len(house.places), np.bool_)
        left[block.places] = False
        rest = rest._replace(may=rest.may & left, play=rest.play & left)
        places.append(block.places)
    taken = np.sort(np.concatenate(places))
    yield Better(taken, len(orphans_of(index, house.play, taken, rules)))


MISS, MOVE = 1_000_000, 1_000  # an orphan weighs more than a held seat given up, and that more than a seat changed


def in_pieces(near: Stretch, size: int, pieces: int, kept: Bools, rules: Rules) -> Better:
    """The cleanest way to take so many seats in at most so many pieces: exact, seat by seat.

    A state is (seats taken, pieces begun, free seats passed since the last taken one or gap; -1 right after a taken
    one). Touched runs are short, and where they are free one block is clean and nobody asks here.
    """
    least = rules.orphan_run_min
    starts, stops = segments(near.links, near.play)
    states: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {(0, 0, 0): (0, ())}

    def closed(passed: int, stop: int, long: bool) -> int:
        if not long or not 0 < passed < least:
            return 0
        exempt = rules.row_ends_exempt and (near.links.first[stop - passed] or near.links.last[stop - 1])
        return 0 if exempt else passed * MISS

    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        long = stop - start >= least
        for seat in range(start, stop):
            following: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
            leave = MOVE if kept[seat] else 0
            take = 0 if near.party[seat] else 1
            for (taken, begun, passed), (cost, way) in states.items():
                ways = [((taken, begun, min(least, max(passed, 0) + 1)), cost + leave, way)]
                if near.may[seat]:
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
    return Better(near.places[list(way)], cost // MISS)
