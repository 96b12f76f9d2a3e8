"""Orphans at checkout: whose they are, and what mends them. Pure."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from fullhouse.seating.allocation.orphan_fixes import FixableOrphans, SeatSnapshot, find_fixable_orphans
from fullhouse.seating.allocation.orphans import DEFAULT_RULES, AllocationRules
from tests.seating.drawn import drawn

BEGIN = datetime(2090, 6, 1, tzinfo=UTC)


def leave(
    row: str, *, judged: str = "", rules: AllocationRules = DEFAULT_RULES, **limits: Any
) -> FixableOrphans | None:
    """A row as it is now: `.` free, `x` taken before, digits are the buyer's seats in the order of their picks, letters
    what others took meanwhile: `a` after the first pick, `b` after the second."""
    plain = drawn("".join("." if seat == "." else "x" for seat in row))
    mine = [n for n, seat in enumerate(row) if seat.isdigit()]
    since = {n: BEGIN + timedelta(minutes=int(row[n])) for n in mine}
    since |= {n: BEGIN + timedelta(minutes=ord(c) - 96, seconds=30) for n, c in enumerate(row) if c in "abc"}
    free = np.array([seat == "." or seat.isdigit() for seat in row])
    unjudged = [n for n in mine if row[n] not in judged]
    return find_fixable_orphans(plain.index_, SeatSnapshot(free, free, since), mine, unjudged, rules, **limits)


# The row, and the orphans that the buyer has to mend (seats are counted from 1); then to where they would move.
CASES: list[tuple[str, list[int], list[int]]] = [
    (".1....", [1], [1]),
    (".12...", [1], [1, 2]),
    ("12....", [], []),
    ("321...", [], []),
    ("1.2...", [2], [1, 2]),
    ("..12.a", [5], [4, 5]),   # somebody sat at the end between the two picks: the second one closed it
    ("..12.b", [], []),        # after both: not the buyer's
    ("..12.x", [5], [4, 5]),
    ("x.12xx", [], []),        # one stays alone wherever they sit
    ("x.1xxx", [], []),
    ("....1.", [6], [4]),
    ("x.12.x", [2, 5], [2, 3]),
    ("a.12..", [], []),        # after the pick beside it
    ("a.21..", [2], [2, 3]),
]  # fmt: skip


@pytest.mark.req("ALLOC-2")
@pytest.mark.parametrize(("row", "orphans", "moved"), CASES, ids=[case[0] for case in CASES])
def test_an_orphan_belongs_to_whoever_closed_its_run(row: str, orphans: list[int], moved: list[int]) -> None:
    found = leave(row)
    assert ([seat + 1 for seat in found.orphans] if found else []) == orphans
    if found:
        mine = {n for n, seat in enumerate(row) if seat.isdigit()}
        move, add = found.fixes
        assert sorted(seat + 1 for seat in (mine - {*move.leave}) | {*move.take}) == moved
        assert (add.take, add.leave) == (found.orphans, ())
        after = "".join("x" if n in move.take else "." if n in move.leave else seat for n, seat in enumerate(row))
        assert leave(after.translate(str.maketrans("12", "xx"))) is None


@pytest.mark.req("ALLOC-2")
@pytest.mark.parametrize(("judged", "refused"), [("12", False), ("1", False), ("2", True), ("", True)])
def test_what_was_judged_when_it_was_held_is_not_judged_again(judged: str, refused: bool) -> None:
    assert (leave(".12...", judged=judged) is not None) == refused


@pytest.mark.req("ALLOC-2")
@pytest.mark.parametrize(
    ("limits", "kinds"),
    [({}, ["move", "add"]), ({"spare": 1}, ["move", "add"]), ({"spare": 0}, []), ({"most_more": 0}, ["move"])],
)
def test_a_fix_is_offered_if_it_can_be_taken(limits: dict[str, int], kinds: list[str]) -> None:
    found = leave(".12...", **limits)  # type: ignore[arg-type]
    assert found
    assert [fix.kind for fix in found.fixes] == kinds


@pytest.mark.req("ALLOC-2")
def test_best_effort_says_so_and_allows() -> None:
    found = leave(".12...", rules=AllocationRules(strict=False))
    assert found
    assert found.verdict.allowed
