"""The best available seats for a party, and the reason for the choice.

Tries rungs in order: 1. one block without orphans; 2. one block with the fewest orphans; 3. few parts of even size in
near rows; 4. parts further apart, if the buyer agrees. Otherwise refuses, with the size of the largest block. No sale
is lost only because a single seat stays empty.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec import Struct

from fullhouse.seating.allocation.companions import find_claimable, find_wheelchair_seats
from fullhouse.seating.allocation.explanations import (
    NUMBERS,
    Names,
    describe_addition,
    describe_seats,
    describe_unavoidable,
)
from fullhouse.seating.allocation.index import STEPS, BoolArray, Index, Int64Array, find_block_starts, segments
from fullhouse.seating.allocation.orphans import DEFAULT_RULES, AllocationRules, find_fewest_orphans, orphans_of
from fullhouse.seating.allocation.splitting import IMPOSSIBLE, Request, may_split, split_party

ALTERNATIVES_MAX = 2  # alternatives returned with a choice
STRETCHES_MAX = 16  # of rows tried for a party with wheelchair spaces; the first nearly always fits


class Choice(Struct, frozen=True):
    rung: int  # 1 clean block, 2 block, 3 parts in near rows, 4 parts further apart
    ordinals: tuple[int, ...]
    pieces: tuple[tuple[int, ...], ...]  # the same by block, in the order of the sentence
    orphans: tuple[int, ...]  # single seats that the whole party leaves empty
    sentence: str
    alternatives: tuple[tuple[int, ...], ...] = ()


class Refused(Struct, frozen=True):
    largest: int  # the largest block available to this buyer
    left: int  # seats available to them
    sentence: str
    is_far: bool = False  # there are enough, but further apart than `max_group_split`


def best_available(
    index: Index,
    candidates: BoolArray,
    in_play: BoolArray,
    quantity: int,
    rules: AllocationRules = DEFAULT_RULES,
    *,
    zones: Collection[int] | None = None,
    accessible: int = 0,
    own: Collection[int] = (),
    soft_reserved: Collection[int] = (),
    rotate: int = 0,
    names: Names = NUMBERS,
) -> Choice | Refused:
    """Choose `quantity` more seats, `accessible` of them wheelchair spaces, for a party that holds `own`.

    `candidates` are the seats that this buyer may buy now. `in_play` are those that are not taken from their view: it
    adds other price categories and `soft_reserved` companions. Among equal choices `rotate`, a hash of the session,
    decides, so that concurrent buyers get different seats.
    """
    if not 0 <= accessible <= quantity or quantity < 1:
        raise ValueError("quantity must be positive, and accessible between 0 and quantity")
    chart = index.chart
    held = np.unique(np.fromiter(own, np.int64))
    reserved = np.setdiff1d(np.fromiter(soft_reserved, np.int64), held)
    play = in_play | candidates
    play[held] = play[reserved] = True
    may = candidates.copy()
    if zones is not None:
        allowed = np.zeros(int(chart.zone.max(initial=0)) + 1, np.bool_)
        allowed[[zone for zone in zones if 0 <= zone < len(allowed)]] = True
        may &= allowed[chart.zone]
    may[held] = may[reserved] = False
    wheelchairs = may & index.wheelchairs
    may &= ~wheelchairs
    request = Request(may, play, quantity, held, rules, rotate, names)
    if accessible:
        return find_with_wheelchairs(index, request, wheelchairs, accessible, reserved)
    if len(reserved):
        may[find_claimable(chart, reserved, held)] = True
    return find_block(index, request) or find_parts(index, request, held[:0])


def find_block(index: Index, request: Request) -> Choice | None:
    """Rungs 1 and 2: one block for the whole party, including the seats that it holds."""
    own, rules = request.own, request.rules
    size = request.quantity + len(own)
    may = request.available
    if len(own):
        may = may.copy()
        may[own] = True
    blocks = find_block_starts(index.links, may, size)
    if len(own):
        around = np.arange(max(0, own[-1] - size + 1), own[0] + 1)
        elsewhere = np.ones(len(may), np.bool_)
        elsewhere[around] = False
        blocks &= ~elsewhere
    if not blocks.any():
        return None
    fewest, blocks = find_fewest_orphans(index.links, request.in_play, blocks, size, rules)
    starts = np.flatnonzero(blocks)
    away = index.summed[starts + size] - index.summed[starts]
    start = pick_by_rotation(index, starts, away, size, request.rotate)
    others = find_alternatives(starts, away, start, size) if not len(own) else ()
    seats = np.setdiff1d(np.arange(start, start + size), own)
    return to_choice(index, request, 2 if fewest else 1, seats, others)


def pick_by_rotation(index: Index, starts: Int64Array, away: Int64Array, size: int, rotate: int) -> int:
    """Of the choices whose distances differ by less than a seat's width, the one that `rotate` picks."""
    equal = np.flatnonzero(away <= away.min() + size * (STEPS - 1))
    order = np.lexsort((starts[equal], index.chart.row[starts[equal]], away[equal]))
    ordered = starts[equal][order]
    # Within a run only blocks at multiples of the size: two concurrent buyers must not leave a gap between them.
    _, best, run = np.unique(index.run_start[ordered], return_index=True, return_inverse=True)
    ordered = ordered[(ordered - ordered[best][run]) % size == 0]
    return int(ordered[rotate % len(ordered)])


def find_alternatives(starts: Int64Array, away: Int64Array, start: int, size: int) -> tuple[tuple[int, ...], ...]:
    """Other blocks of the same rung that do not overlap."""
    found: list[tuple[int, ...]] = []
    away, taken = away.copy(), start
    while True:
        first, stop = np.searchsorted(starts, [taken - size + 1, taken + size])
        away[first:stop] = IMPOSSIBLE
        nearest = int(np.argmin(away))
        if len(found) == ALTERNATIVES_MAX or away[nearest] == IMPOSSIBLE:
            return tuple(found)
        taken = int(starts[nearest])
        found.append(tuple(range(taken, taken + size)))


def find_parts(index: Index, request: Request, chosen: Int64Array) -> Choice | Refused:
    """Rungs 3 and 4, else the refusal. `chosen` are the seats already found for a part of the request."""
    rest = request.quantity - len(chosen)
    if request.rules.adjacency_strict:
        return to_refused(index, request)
    may = request.available.copy()
    may[chosen] = False
    parts = split_party(index, request._replace(available=may), rest, np.union1d(request.own, chosen))
    if parts is None:
        return to_refused(index, request, is_far=int(np.count_nonzero(may)) >= rest)
    seats = np.concatenate([chosen, *(np.arange(start, start + size) for start, size in parts.parts)])
    return to_choice(index, request, parts.rung, np.sort(seats))


def find_with_wheelchairs(
    index: Index, request: Request, wheelchairs: BoolArray, accessible: int, reserved: Int64Array
) -> Choice | Refused:
    """Wheelchair spaces and their companion seats first, the others in the same block or near. If the group does not
    fit near the best place within `max_group_split`, tries other places.
    """
    found = find_around_wheelchairs(index, request, wheelchairs, accessible, reserved)
    is_far = found.is_far if isinstance(found, Refused) else found.rung == 4
    if not is_far or may_split(index, request):
        return found
    for rows in find_stretches(index, request, wheelchairs, accessible, reserved):
        near = request._replace(available=request.available & rows)
        again = find_around_wheelchairs(index, near, wheelchairs & rows, accessible, reserved[rows[reserved]])
        if isinstance(again, Choice) and again.rung < 4:
            return again
    return to_refused(index, request, is_far=True)


def find_stretches(
    index: Index, request: Request, wheelchairs: BoolArray, accessible: int, reserved: Int64Array
) -> Iterator[BoolArray]:
    """The stretches of rows, as long as a split may be, with enough seats; best places first, as masks."""
    row, rows = index.chart.row, len(index.row_size)
    first = np.arange(rows)
    stop = np.minimum(first + request.rules.max_group_split + 1, index.row_stop)

    def between(seats: Int64Array) -> Int64Array:
        before = np.concatenate([[0], np.cumsum(np.bincount(row[seats], minlength=rows))])
        return np.asarray(before[stop] - before[first])

    places = np.flatnonzero(wheelchairs)
    others = between(np.flatnonzero(request.available)) + between(reserved)
    fits = (between(places) >= accessible) & (others >= request.quantity - accessible)
    fits &= between(request.own) == len(request.own)
    away = np.full(rows, IMPOSSIBLE)
    np.minimum.at(away, row[places], index.summed[places + 1] - index.summed[places])
    found = sorted(np.flatnonzero(fits).tolist(), key=lambda at: (int(away[at : stop[at]].min()), at))
    return ((row >= at) & (row < stop[at]) for at in found[:STRETCHES_MAX])


def find_around_wheelchairs(
    index: Index, request: Request, wheelchairs: BoolArray, accessible: int, reserved: Int64Array
) -> Choice | Refused:
    places = find_wheelchair_seats(index, request, wheelchairs, accessible, reserved)
    if places is None:
        left = int(np.count_nonzero(wheelchairs))
        sentence = f"Only {left} wheelchair space{'s are' if left != 1 else ' is'} left."
        return Refused(largest_block(index, request.available)[0], left, sentence)
    if len(places.seats) < request.quantity:
        return find_parts(index, request, places.seats)
    if request.rules.adjacency_strict and places.rung > 2 and accessible > 1:
        return to_refused(index, request)
    return to_choice(index, request, places.rung, places.seats)


def to_choice(
    index: Index, request: Request, rung: int, seats: Int64Array, others: tuple[tuple[int, ...], ...] = ()
) -> Choice:
    """Builds a choice with its orphans and its sentence."""
    pieces = group_blocks(index, seats)
    own = request.own.tolist()
    orphans = orphans_of(index, request.in_play, np.union1d(request.own, seats), request.rules)
    if rung == 1 and orphans:
        rung = 2
    if own and rung < 3:
        sentence = describe_addition(len(seats), int(index.chart.row[seats[0]]), request.names)
    else:
        sentence = describe_seats(index, pieces, own, request.names)
    if orphans:
        sentence += describe_unavoidable(orphans, request.names)
    return Choice(rung, tuple(seats.tolist()), pieces, orphans, sentence, others)


def group_blocks(index: Index, seats: Int64Array) -> tuple[tuple[int, ...], ...]:
    """Groups seats by block of neighbours, the largest first."""
    blocks: list[list[int]] = []
    for seat in seats.tolist():
        if blocks and blocks[-1][-1] == seat - 1 and index.links.joined[seat - 1]:
            blocks[-1].append(seat)
        else:
            blocks.append([seat])
    return tuple(tuple(block) for block in sorted(blocks, key=lambda block: -len(block)))


def to_refused(index: Index, request: Request, *, is_far: bool = False) -> Refused:
    largest, start = largest_block(index, request.available)
    left = int(np.count_nonzero(request.available))
    if not left:
        return Refused(0, 0, "No seats are left.")
    row = request.names.row(int(index.chart.row[start]))
    sentence = f"No {request.quantity} seats together are left"
    if is_far:
        sentence = f"No {request.quantity} seats near enough to each other are left"
    elif left < request.quantity:
        sentence = f"Only {left} seat{'s are' if left > 1 else ' is'} left"
    return Refused(largest, left, f"{sentence}; the largest block has {largest}, in row {row}.", is_far)


def largest_block(index: Index, may: BoolArray) -> tuple[int, int]:
    starts, stops = segments(index.links, may)
    if not len(starts):
        return 0, 0
    place = int(np.argmax(stops - starts))
    return int(stops[place] - starts[place]), int(starts[place])


def find_stranded(index: Index, in_play: BoolArray, rules: AllocationRules = DEFAULT_RULES) -> Sequence[int]:
    """Free seats in runs that are too short: the numerator of the orphan ratio."""
    starts, stops = segments(index.links, in_play)
    short = stops - starts < rules.orphan_run_min
    return [seat for a, b in zip(starts[short].tolist(), stops[short].tolist(), strict=True) for seat in range(a, b)]
