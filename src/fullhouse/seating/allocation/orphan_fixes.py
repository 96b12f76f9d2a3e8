"""Orphans when a buyer starts the checkout: which ones the buyer must fix, and how.

Seats that are picked one by one are never refused, so their orphans are checked once the choice is complete. An orphan
is charged to the buyer who took the last seat that closed its run: seats that others took later are not their choice.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np

from fullhouse.seating.allocation.explanations import NUMBERS, Names
from fullhouse.seating.allocation.index import BoolArray, Index, whole_runs
from fullhouse.seating.allocation.orphans import DEFAULT_RULES, AllocationRules, Verdict, evaluate, orphans_of


class SeatSnapshot(NamedTuple):
    """The present state of the seats."""

    in_play: BoolArray  # free, the party's, or reserved as a companion seat
    available: BoolArray  # of these: the buyer holds it, or may take it instead of another
    since: Mapping[int, datetime]  # when a seat was taken, the party's seats included, if known


class Fix(NamedTuple):
    """Take these seats, then release those: afterwards there are fewer orphans."""

    kind: Literal["move", "add"]
    take: tuple[int, ...]
    leave: tuple[int, ...]


class FixableOrphans(NamedTuple):
    """What is wrong with a choice. Without a possible fix the choice is not refused."""

    orphans: tuple[int, ...]
    verdict: Verdict
    fixes: tuple[Fix, ...]


def find_own_orphans(
    index: Index,
    now: SeatSnapshot,
    party: Collection[int],
    unjudged: Collection[int],
    rules: AllocationRules = DEFAULT_RULES,
) -> tuple[int, ...]:
    """The orphans that this party made by its own choice: the seat that closed their run last is the party's and was
    not checked before. A companion seat is never an orphan."""
    seats, joined = np.unique(np.fromiter(party, np.int64)), index.links.joined
    if not len(seats):
        return ()
    members, fresh, found = set(seats.tolist()), set(unjudged), set[int]()
    alone = orphans_of(index, now.in_play, seats, rules)
    for first, last in _group_chains(index, alone):
        sides = [seat for seat, linked in ((first - 1, joined[first - 1]), (last + 1, joined[last])) if linked]
        mine = [seat for seat in sides if seat in members]
        closer = max(mine, key=lambda seat: now.since[seat])
        later = any(seat in now.since and now.since[seat] > now.since[closer] for seat in sides if seat not in members)
        if closer in fresh and not later:
            found.update(seat for seat in range(first, last + 1) if index.chart.companion_of[seat] < 0)
    return tuple(sorted(found))


def _group_chains(index: Index, alone: tuple[int, ...]) -> list[tuple[int, int]]:
    chains: list[tuple[int, int]] = []
    for seat in alone:
        if chains and chains[-1][1] == seat - 1 and index.links.joined[seat - 1]:
            chains[-1] = (chains[-1][0], seat)
        else:
            chains.append((seat, seat))
    return chains


def find_fixable_orphans(
    index: Index,
    now: SeatSnapshot,
    party: Collection[int],
    unjudged: Collection[int],
    rules: AllocationRules = DEFAULT_RULES,
    *,
    spare: int = 100,
    most_more: int = 100,
    names: Names = NUMBERS,
) -> FixableOrphans | None:
    """The orphans that the buyer can still fix; None if there are none. `spare` is how many more seats they may hold
    before they release others, `most_more` how many more they may buy."""
    orphans = find_own_orphans(index, now, party, unjudged, rules)
    if not orphans:
        return None
    runs, _ = whole_runs(index, np.fromiter(orphans, np.int64))
    here = sorted(set(party) & set(runs.tolist()))
    chart = index.chart
    if (index.wheelchairs[here] | (chart.companion_of[here] >= 0)).any():
        return None  # a wheelchair space and its companion stay together where they are
    verdict = evaluate(index, now.available, now.in_play, (), rules, own=here, names=names)
    if verdict.legal:
        return None
    fixes = [Fix("add", orphans, ())]
    if verdict.alternative:
        other = set(verdict.alternative)
        fixes.insert(0, Fix("move", tuple(sorted(other - set(here))), tuple(sorted(set(here) - other))))
    room = {"move": spare, "add": min(spare, most_more)}
    possible = tuple(fix for fix in fixes if now.available[list(fix.take)].all() and len(fix.take) <= room[fix.kind])
    return FixableOrphans(orphans, verdict, possible)
