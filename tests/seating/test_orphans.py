"""Seats left alone: what a hand-picked selection may do."""

import random
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.seating.allocation import orphans
from fullhouse.seating.allocation.companions import find_unclaimable
from fullhouse.seating.allocation.orphans import AllocationRules, Verdict, evaluate
from tests.seating import oracle
from tests.seating.drawn import Drawn, drawn

EVENT = AllocationRules(scope="event")


def pick(house: Drawn, *seats: int, rules: AllocationRules = AllocationRules()) -> Verdict:  # noqa: B008
    """Seats are counted from 1, as people do."""
    chosen = [seat - 1 for seat in seats]
    return evaluate(house.index_, house.free, house.in_play, chosen, rules, own=house.own, names=house.names())


VECTORS = [
    ("......", (2, 3), [1]),
    ("......", (1, 2), None),
    ("x...xx", (2, 3), None),
    ("...", (2,), [1, 3]),
    ("..", (1,), None),
    (".x....", (5, 6), None),
    (".......", (1, 2, 4, 5), [3]),
    ("....", (2, 3), [1, 4]),
    ("..........", tuple(range(1, 10)), None),
    ("ooo..x", (4, 5), None),
]


@pytest.mark.req("ALLOC-2")
@pytest.mark.parametrize(("row", "take", "left"), VECTORS)
def test_the_adopted_vectors(row: str, take: tuple[int, ...], left: list[int] | None) -> None:
    verdict = pick(drawn(row), *take)
    assert verdict.allowed == verdict.legal == (left is None)
    if left:
        assert [seat + 1 for seat in verdict.orphans] == left
        assert verdict.alternative
        again = pick(drawn(row), *(seat + 1 for seat in verdict.alternative))
        assert again.legal
        assert len(verdict.alternative) == len(take)


@pytest.mark.req("ALLOC-2")
def test_a_refusal_says_which_seats_and_shows_where_else() -> None:
    verdict = pick(drawn("......"), 2, 3)
    assert verdict.reason == "leaves A-1 alone"
    assert verdict.alternative == (0, 1)
    assert pick(drawn("...."), 2, 3).reason == "leaves A-1 and A-4 alone"


@pytest.mark.req("ALLOC-2")
def test_scope_says_where_a_cleaner_choice_counts() -> None:
    house = drawn("x...xx", "xx..xx")
    assert pick(house, 2, 3).legal
    verdict = pick(house, 2, 3, rules=EVENT)
    assert not verdict.allowed
    assert verdict.alternative == (8, 9)
    assert pick(drawn("x...xx", "xx.x.x"), 2, 3, rules=EVENT).legal, "two singles are no pair"


@pytest.mark.req("ALLOC-2")
def test_event_scope_moves_parts_one_by_one() -> None:
    house = drawn("...x...", "...x..x")
    assert pick(house, 1, 2, 3, 5, 6).legal, "five of these six leave one"
    verdict = pick(house, 1, 2, 3, 5, 6, rules=EVENT)
    assert not verdict.legal
    assert verdict.alternative == (0, 1, 2, 11, 12)


@pytest.mark.req("ALLOC-2")
def test_a_clean_choice_in_the_same_run_counts_behind_a_sold_seat_but_not_across_an_aisle() -> None:
    assert not pick(drawn("...x.."), 1, 2).legal
    assert pick(drawn("...|.."), 1, 2).legal


@pytest.mark.req("ALLOC-2")
def test_an_aisle_between_consecutive_numbers_makes_strangers() -> None:
    assert pick(drawn("....|...."), 3, 4, 5, 6).legal, "1–2 and 7–8 stay pairs"
    assert pick(drawn("...|..."), 3).orphans == ()
    assert pick(drawn("...|..."), 2, 3).orphans == (0,), "seat 4 across the aisle is no neighbour"


@pytest.mark.req("ALLOC-2")
def test_best_effort_allows_and_still_says_so() -> None:
    verdict = pick(drawn("......"), 2, 3, rules=AllocationRules(strict=False))
    assert verdict.allowed
    assert not verdict.legal
    assert verdict.orphans == (0,)
    assert verdict.alternative


@pytest.mark.req("ALLOC-2")
def test_the_shortest_run_is_a_rule() -> None:
    assert pick(drawn("......"), 3, 4).legal
    assert pick(drawn("......"), 3, 4, rules=AllocationRules(orphan_run_min=3)).orphans == (0, 1, 4, 5)
    assert pick(drawn("......"), 2, 3, rules=AllocationRules(orphan_run_min=1)).legal, "1 turns it off"


@pytest.mark.req("ALLOC-2")
def test_row_ends_may_be_exempt() -> None:
    ends = AllocationRules(row_ends_exempt=True)
    assert not pick(drawn("......"), 2, 3).legal
    assert pick(drawn("......"), 2, 3, rules=ends).legal
    assert not pick(drawn("x......"), 3, 4, rules=ends).legal, "beside a sold seat is no end"
    assert pick(drawn("...|..."), 1, 2, rules=ends).legal, "an aisle is one"


@pytest.mark.req("ALLOC-2")
def test_exception_row_nearly_sold_out() -> None:
    row = "x" * 37 + "..."
    verdict = pick(drawn(row), 39)
    assert verdict.legal
    assert verdict.exception == "row_nearly_full"
    assert len(verdict.orphans) == 2
    assert not pick(drawn(row), 39, rules=AllocationRules(nearly_full=0.95)).allowed
    assert not pick(drawn("x" * 27 + "..."), 29).allowed, "nine tenths is not more than nine tenths"


@pytest.mark.req("ALLOC-2")
def test_exception_only_singles_left() -> None:
    for seat in (1, 3, 5):
        verdict = pick(drawn(".x.x.x"), seat)
        assert verdict.legal
        assert verdict.orphans == ()


@pytest.mark.req("ALLOC-2")
def test_exception_explicit_wish() -> None:
    verdict = pick(drawn("....."), 2, 4, rules=AllocationRules(explicit_wish=True))
    assert verdict.allowed
    assert verdict.exception == "explicit_wish"
    assert len(verdict.orphans) == 3
    assert not pick(drawn("....."), 2, 4).allowed


@pytest.mark.req("ALLOC-2")
def test_what_the_party_holds_is_judged_with_what_it_asks_for() -> None:
    assert pick(drawn("o....."), 2).legal
    verdict = pick(drawn(".o...."), 3)
    assert not verdict.legal
    assert verdict.alternative == (0, 1), "which keeps what is held"
    assert pick(drawn("....o."), 4).alternative == (4, 5), "though 3 and 4 are as near"
    assert pick(drawn(".o."), 1).legal, "of three any two leave one"


@pytest.mark.req("ALLOC-2")
def test_other_categories_stay_in_play() -> None:
    assert pick(drawn("..-x"), 1, 2).legal
    assert pick(drawn("..-x"), 1, 2).orphans == (2,), "there is no other pair for this buyer"
    assert pick(drawn("..-."), 1, 2).orphans == ()


@pytest.mark.req("ACC-1")
def test_soft_reserved_companions_are_neighbours() -> None:
    assert pick(drawn("wC..."), 4, 5).orphans == (), "seat 3 has the companion seat beside it"
    assert pick(drawn("wx..."), 4, 5).orphans == (2,)


# A party with wheelchair spaces, by seat from 1; and the seats from 0 that it would leave alone.
WITH_COMPANIONS = [
    ("wcwc......", (1, 3), ()),  # both companion seats wait for the party
    ("cwwc......", (2, 3), ()),
    ("cw.wc.....", (2, 4), (2,)),  # what is no companion seat is alone as ever
    ("wcwc......", (1,), ()),
    ("wc.wc.....", (1, 3), ()),  # the seat beside its companion seat
    ("wcwc......", (3, 5), ()),
    ("xwcx......", (2,), ()),
    ("Wcw.......", (3, 4), (1,)),  # the companion seat of somebody else's wheelchair space
]


@pytest.mark.req("ACC-1", "ALLOC-2")
@pytest.mark.parametrize(("row", "take", "left"), WITH_COMPANIONS)
def test_companion_seats_of_the_party_are_no_orphans(row: str, take: tuple[int, ...], left: tuple[int, ...]) -> None:
    assert pick(drawn(row), *take, rules=AllocationRules(scope="event")).orphans == left


@pytest.mark.req("ACC-1", "ALLOC-2")
def test_companion_seats_that_are_not_kept_are_seats_like_others() -> None:
    assert pick(drawn("wcwc......"), 1, 3, rules=AllocationRules(companions_kept=False)).orphans == (1,)


@pytest.mark.req("ACC-1", "ALLOC-2")
def test_companion_seats_go_with_their_wheelchair_place() -> None:
    house = drawn("wCC.wC")
    chart, soft = house.index_.chart, house.soft
    assert find_unclaimable(chart, [0, 1], soft) == ()
    assert find_unclaimable(chart, [1], soft) == (1,)
    assert find_unclaimable(chart, [0, 1, 2], soft) == (2,), "one space, one companion"
    assert find_unclaimable(chart, [0, 5], soft) == (5,), "another's companion"
    assert find_unclaimable(chart, [0, 1, 4, 5], soft) == ()
    assert find_unclaimable(chart, [1, 2], []) == (), "released they are ordinary seats"


def agree(
    house: Drawn, seats: tuple[int, ...], rules: AllocationRules, in_play: frozenset[int], may: frozenset[int]
) -> None:
    runs = tuple(house.index_.chart.run.tolist())
    verdict = evaluate(house.index_, house.free, house.in_play, seats, rules)
    least, exempt = rules.orphan_run_min, rules.row_ends_exempt
    left = oracle.orphans(in_play, seats, runs, least, exempt)
    assert list(verdict.orphans) == left
    touched = {runs[seat] for seat in seats}
    near = frozenset(seat for seat in may if runs[seat] in touched)
    fewest = oracle.fewest_orphans(near, in_play, len(seats), len(oracle.chains(seats, runs)), runs, least, exempt)
    assert verdict.legal == (len(left) <= fewest)
    if verdict.alternative:
        assert set(verdict.alternative) <= may
        assert len(set(verdict.alternative)) == len(seats)
        assert len(oracle.chains(verdict.alternative, runs)) <= len(oracle.chains(seats, runs))
        assert len(oracle.orphans(in_play, verdict.alternative, runs, least, exempt)) == fewest == verdict.fewest


ODD_RULES = [
    AllocationRules(row_ends_exempt=True),
    AllocationRules(orphan_run_min=3),
    AllocationRules(orphan_run_min=3, row_ends_exempt=True),
]


@pytest.mark.req("ALLOC-2")
@pytest.mark.parametrize("length", range(1, 11))
def test_every_pick_in_every_row_against_the_oracle(length: int) -> None:
    """All rows and picks up to eight seats, a share of the longer ones."""
    share, chance = {9: 0.3, 10: 0.1}.get(length, 1.0), random.Random(length)
    for letters in product(".x", repeat=length):
        house = drawn("".join(letters))
        free = frozenset(np.flatnonzero(house.free).tolist())
        for size in range(1, min(5, len(free)) + 1):
            for seats in combinations(sorted(free), size):
                if chance.random() < share:
                    agree(house, seats, AllocationRules(), free, free)
                if length <= 5:
                    for rules in ODD_RULES:
                        agree(house, seats, rules, free, free)


@pytest.mark.req("ALLOC-2")
@settings(max_examples=300, deadline=None)
@given(row=st.text(alphabet="...-x|", min_size=1, max_size=12), data=st.data())
def test_picks_over_aisles_and_beside_other_categories_against_the_oracle(row: str, data: st.DataObject) -> None:
    house = drawn(row) if row.strip("|") else drawn(".")
    may = frozenset(np.flatnonzero(house.free).tolist())
    if not may:
        return
    seats = data.draw(st.lists(st.sampled_from(sorted(may)), min_size=1, max_size=5, unique=True))
    rules = data.draw(st.sampled_from([AllocationRules(), *ODD_RULES]))
    agree(house, tuple(sorted(seats)), rules, frozenset(np.flatnonzero(house.in_play).tolist()), may)


@pytest.mark.req("ALLOC-2")
@settings(max_examples=300, deadline=None)
@given(data=st.data(), row=st.integers(3, 9), rows=st.integers(4, 12), gone=st.sampled_from([0, 0.1, 0.4]))
def test_what_is_found_next_door_is_what_the_whole_house_would_give(
    data: st.DataObject, row: int, rows: int, gone: float
) -> None:
    chance = data.draw(st.randoms(use_true_random=False))
    house = drawn(*("".join("x" if chance.random() < gone else "." for _ in range(row)) for _ in range(rows)))
    may = np.flatnonzero(house.free).tolist()
    if not may:
        return
    seats = data.draw(st.lists(st.sampled_from(may), min_size=1, max_size=3, unique=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orphans, "NEARBY_BLOCKS", data.draw(st.integers(1, 4)))
        verdict = evaluate(house.index_, house.free, house.in_play, seats, EVENT)
        patch.setattr(orphans, "search_nearby", lambda *_: iter(()))
        assert verdict == evaluate(house.index_, house.free, house.in_play, seats, EVENT)


@pytest.mark.req("ALLOC-2")
def test_next_door_is_around_the_pick_though_the_part_looked_at_begins_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seats are as near as each other: the one before the pick and the one after it. The first is offered."""
    monkeypatch.setattr(orphans, "NEARBY_BLOCKS", 1)
    house = drawn("xxx", ".x.", "x..", ".xx", "xxx", "xxx")
    verdict = pick(house, 8, rules=EVENT)
    assert (verdict.orphans, verdict.fewest, verdict.alternative) == ((8,), 0, (5,))
