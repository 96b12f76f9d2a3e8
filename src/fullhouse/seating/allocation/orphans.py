"""May these seats be taken together? The rules on seats that would be left alone."""

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from fullhouse.seating.allocation.explaining import NUMBERS, Names, alone
from fullhouse.seating.allocation.index import Bools, Index, Links, Places, reach, segments, strays, whole_runs


class Rules(Struct, frozen=True):
    """What the policy says about leaving seats alone and about parting a group."""

    orphan_run_min: Annotated[int, Meta(ge=1, le=100)] = 2  # shorter free runs are orphans; 1 turns the rule off
    scope: Literal["run", "event"] = "run"  # where a cleaner choice counts against a pick
    row_ends_exempt: bool = False  # what is left at a run's end, on the aisle, is never an orphan
    strict: bool = True  # refuse a pick that breaks the rule; otherwise allow it, and say so
    adjacency_strict: bool = False  # refuse instead of parting a group
    max_group_split: Annotated[int, Meta(ge=0)] = 2  # rows between the parts of a group, at most
    allow_split: bool = False  # the buyer agrees to sit further apart than that, in other sections too
    nearly_full: float = 0.9  # in rows sold beyond this share, orphans are excused
    explicit_wish: bool = False  # the buyer wants these seats and no others
    companions_kept: bool = True  # those of the party's wheelchair places wait for it: they are nobody's orphans


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
    orphans = orphans_of(index, in_play, party, rules)
    if not orphans:
        return Verdict(True, True, (), 0, "leaves no seat alone")
    said = alone(orphans, names)
    better = cleanest(other_ways(index, free, in_play, party, own, rules))
    if better is None or better.orphans >= len(orphans):
        return Verdict(True, True, orphans, len(orphans), f"{said}, which cannot be avoided here")
    alternative = tuple(int(ordinal) for ordinal in better.places)
    if rules.explicit_wish:
        return Verdict(True, True, orphans, better.orphans, f"{said}, as wished", "explicit_wish", alternative)
    if len(orphans) - excused(index, in_play, party, orphans, rules) <= better.orphans:
        said += ", in a row that is nearly sold out"
        return Verdict(True, True, orphans, better.orphans, said, "row_nearly_full", alternative)
    return Verdict(not rules.strict, False, orphans, better.orphans, said, None, alternative)


def orphans_of(index: Index, in_play: Bools, party: Places, rules: Rules) -> tuple[int, ...]:
    """The seats that would be left alone if the party took these: in runs that are too short, and were not so before.

    Seat by seat: a party has few, and nobody is left alone but beside them.
    """
    joined, least, taken = index.links.joined, rules.orphan_run_min, set(party.tolist())
    companion_of = index.chart.companion_of

    def beside(seat: int, step: int, most: int, with_party: bool) -> int:
        """How many follow each other from here: free, or of the party too. Not counted beyond `most`."""
        count = 0
        while count < most and joined[seat if step > 0 else seat - 1]:  # the last seat is joined to none
            seat += step
            if not (with_party if seat in taken else in_play[seat]):
                break
            count += 1
        return count

    alone: set[int] = set()
    for seat in taken if least > 1 else ():
        for step in (-1, 1):
            left = beside(seat, step, least, with_party=False)
            if not 0 < left < least:
                continue
            first, last = (seat - left, seat - 1) if step < 0 else (seat + 1, seat + left)
            if rules.row_ends_exempt and not (joined[first - 1] and joined[last]):
                continue
            before = left + beside(first, -1, least, with_party=True) + beside(last, 1, least, with_party=True)
            if before >= least:
                waits = taken if rules.companions_kept else ()
                alone.update(n for n in range(first, last + 1) if int(companion_of[n]) not in waits)
    return tuple(sorted(alone))


def touched(index: Index, free: Bools, in_play: Bools, party: Places) -> Stretch:
    """Only the runs that the party touches: the size of the house must not matter."""
    places, links = whole_runs(index, party)
    mine = np.zeros(len(places), np.bool_)
    mine[np.searchsorted(places, party)] = True
    return Stretch(places, links, free[places] | mine, in_play[places] | mine, mine)


def excused(index: Index, in_play: Bools, party: Places, orphans: tuple[int, ...], rules: Rules) -> int:
    """How many of the orphans are in rows that were nearly sold out before."""
    row = index.chart.row
    full: dict[int, bool] = {}
    for place in {int(row[seat]) for seat in orphans}:
        start, stop = np.searchsorted(row, [place, place + 1])
        unsold = in_play[start:stop].copy()
        unsold[party[(party >= start) & (party < stop)] - start] = True
        full[place] = 1 - np.count_nonzero(unsold) / index.row_size[place] > rules.nearly_full
    return sum(full[int(row[seat])] for seat in orphans)


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
    index: Index, free: Bools, in_play: Bools, party: Places, own: Collection[int], rules: Rules
) -> Iterator[Better]:
    """Other ways to seat this party: in the touched runs, and then anywhere if the scope says so."""
    near = touched(index, free, in_play, party)
    sizes = sorted((int(b - a) for a, b in zip(*segments(near.links, near.party), strict=True)), reverse=True)
    kept = np.zeros(len(near.places), np.bool_)
    kept[np.searchsorted(near.places, np.fromiter(own, np.int64))] = True
    yield from one_block(index, near, len(party), party, kept, rules)
    if len(sizes) > 1:
        yield in_pieces(near, len(party), len(sizes), kept, rules)
    if rules.scope == "event":
        if not own:
            yield from next_door(index, free, in_play, party, rules)
        house = stretch(index, free, in_play, party, 0, len(free))
        kept = np.zeros(len(free), np.bool_)
        kept[list(own)] = True
        yield from one_block(index, house, len(party), party, kept, rules)
        if len(sizes) > 1:
            yield from piece_by_piece(index, house, sizes, party, rules)


def stretch(index: Index, free: Bools, in_play: Bools, party: Places, start: int, stop: int) -> Stretch:
    """The runs between these two, which is where runs begin."""
    mine = np.zeros(stop - start, np.bool_)
    mine[party[(party >= start) & (party < stop)] - start] = True
    links = Links(*(array[start:stop] for array in index.links))
    return Stretch(index.every[start:stop], links, free[start:stop] | mine, in_play[start:stop] | mine, mine)


NEAR = 2048


def next_door(index: Index, free: Bools, in_play: Bools, party: Places, rules: Rules) -> Iterator[Better]:
    """What `one_block` would find in the whole house, as long as so much is free that it would not look further."""
    count, here, size = len(free), int(party[0]), len(party)
    start = int(index.run_start[max(0, here - 3 * NEAR)])
    stop = int(index.run_stop[min(count, here + 3 * NEAR) - 1])
    near = stretch(index, free, in_play, party, start, stop)
    fewest, clean = least_stray(near.links, near.play, reach(near.links, near.may, size), size, rules)
    before, after = np.count_nonzero(clean[: here - start]), np.count_nonzero(clean[here - start :])
    enough = (before >= NEAR or start == 0) and (after >= NEAR or stop == count) and before + after > 2 * NEAR
    if not fewest and enough:
        yield from one_block(index, near, size, party, np.zeros(stop - start, np.bool_), rules)


def least_stray(links: Links, play: Bools, blocks: Bools, size: int, rules: Rules) -> tuple[int, Bools]:
    """Of blocks of this size, by their first seats, those that leave fewest alone; and how many that is."""
    orphans = strays(links, play, size, rules.orphan_run_min, rules.row_ends_exempt)
    clean = blocks & (orphans == 0)  # the usual case, and the cheapest question
    if clean.any() or not blocks.any():
        return 0, clean
    fewest = int(orphans[blocks].min())
    return fewest, blocks & (orphans == fewest)


def one_block(index: Index, where: Stretch, size: int, party: Places, kept: Bools, rules: Rules) -> Iterator[Better]:
    """The block that leaves fewest alone; of those the one that keeps most of what is held, then the nearest."""
    blocks = reach(where.links, where.may, size)
    if not blocks.any():
        return
    fewest, blocks = least_stray(where.links, where.play, blocks, size, rules)
    starts = np.flatnonzero(blocks)
    if kept.any():
        held = np.concatenate([[0], np.cumsum(kept)])
        keeps = held[starts + size] - held[starts]
        starts = starts[keeps == keeps.max()]
    if len(starts) > 2 * NEAR:  # in a house that is free, the nearest is among the next by ordinal, or near enough
        middle = int(np.searchsorted(where.places[starts], party[0]))  # a stretch need not begin with the house
        starts = starts[max(0, middle - NEAR) : middle + NEAR]
    x, y, begin = index.chart.x, index.chart.y, where.places[starts]
    away = (x[begin] - x[party[0]]) ** 2 + (y[begin] - y[party[0]]) ** 2
    start = starts[int(np.argmin(away))]
    yield Better(where.places[start : start + size], fewest)


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
