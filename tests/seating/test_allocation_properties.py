"""Best available, whatever the house looks like: what always holds, and what a brute force would choose."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.seating.allocation.best_available import Choice, Refused, best_available, find_stranded
from fullhouse.seating.allocation.index import find_block_starts
from fullhouse.seating.allocation.orphans import AllocationRules, evaluate
from tests.seating import oracle
from tests.seating.drawn import ask, drawn, hall

SMALL_HOUSE = st.lists(st.text(alphabet="....-xxx|", min_size=3, max_size=8), min_size=1, max_size=5).filter(
    lambda rows: all(row.strip("|") for row in rows)
)


@pytest.mark.req("ALLOC-1")
@settings(max_examples=300, deadline=None)
@given(rows=SMALL_HOUSE, quantity=st.integers(1, 8), rotate=st.integers(0, 1000), data=st.data())
def test_what_always_holds(rows: list[str], quantity: int, rotate: int, data: st.DataObject) -> None:
    house = drawn(*rows)
    runs = house.index_.chart.run.tolist()
    free = set(np.flatnonzero(house.free).tolist())
    rules = AllocationRules(
        orphan_run_min=data.draw(st.integers(1, 3)),
        row_ends_exempt=data.draw(st.booleans()),
        max_group_split=data.draw(st.integers(0, 3)),
        allow_split=True,
    )
    answer = ask(house, quantity, rules, rotate=rotate)
    assert answer == ask(house, quantity, rules, rotate=rotate), "deterministic"
    assert isinstance(answer, Choice) == (len(free) >= quantity), "everything that can be sold is sold"
    if not isinstance(answer, Choice):
        return
    assert set(answer.ordinals) <= free, "never a seat that is not available"
    assert len(set(answer.ordinals)) == quantity
    assert sorted(seat for piece in answer.pieces for seat in piece) == list(answer.ordinals)
    in_play = np.flatnonzero(house.in_play).tolist()
    least, exempt = rules.orphan_run_min, rules.row_ends_exempt
    assert list(answer.orphans) == oracle.orphans(in_play, answer.ordinals, runs, least, exempt)
    blocks = [way for way in oracle.ways(free, quantity) if len(oracle.chains(way, runs)) == 1]
    assert (len(answer.pieces) == 1) == bool(blocks), "never parted when there is a block"
    if blocks:
        assert len(answer.orphans) == min(len(oracle.orphans(in_play, way, runs, least, exempt)) for way in blocks)
        assert evaluate(house.index_, house.free, house.in_play, answer.ordinals, rules).legal
        assert evaluate(
            house.index_, house.free, house.in_play, answer.ordinals, AllocationRules(least, "event", exempt)
        ).legal


SECTIONS = st.lists(
    st.one_of(st.text(alphabet="..xxxxo|", min_size=2, max_size=5), st.just("/")), min_size=1, max_size=6
).filter(lambda rows: all(row.strip("|") for row in rows) and rows[0] != "/" and any(row != "/" for row in rows))


@pytest.mark.req("ALLOC-1")
@settings(max_examples=500, deadline=None)
@given(rows=SECTIONS, quantity=st.integers(1, 5), most=st.integers(0, 3), adjacent=st.booleans())
def test_nobody_is_parted_further_than_allowed(rows: list[str], quantity: int, most: int, adjacent: bool) -> None:
    house = drawn(*rows)
    row, section = house.index_.chart.row.tolist(), house.index_.chart.section.tolist()
    free, own = np.flatnonzero(house.free).tolist(), house.own
    rules = AllocationRules(max_group_split=most, adjacency_strict=adjacent)
    answer, agreed = (
        ask(house, quantity, rules),
        ask(house, quantity, AllocationRules(max_group_split=most, allow_split=True)),
    )
    assert isinstance(agreed, Choice) == (len(free) >= quantity), "who agrees to it gets whatever is left"
    if own and not oracle.is_near(own, row, section, most):
        return  # they sit further apart already
    if isinstance(answer, Choice):
        assert oracle.is_near([*own, *answer.ordinals], row, section, most)
        assert answer.rung < 4
        return
    if not adjacent:
        near = [way for way in oracle.ways(free, quantity) if oracle.is_near([*own, *way], row, section, most)]
        assert not near, "a sale lost"
        assert answer.is_far == (len(free) >= quantity)


@pytest.mark.req("ALLOC-1", "ACC-1")
@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.text(alphabet="..wxxx", min_size=2, max_size=5), min_size=1, max_size=5),
    quantity=st.integers(1, 4),
    accessible=st.integers(1, 2),
    most=st.integers(0, 2),
)
def test_nor_is_a_party_with_wheelchair_places(rows: list[str], quantity: int, accessible: int, most: int) -> None:
    house = drawn(*rows)
    if accessible > quantity:
        return
    row, section = house.index_.chart.row.tolist(), house.index_.chart.section.tolist()
    answer = ask(house, quantity, AllocationRules(max_group_split=most), accessible=accessible)
    if isinstance(answer, Choice):
        assert oracle.is_near(answer.ordinals, row, section, most)
        return
    near = [
        way
        for way in oracle.ways(np.flatnonzero(house.free).tolist(), quantity)
        if sum(house.letters[seat] == "w" for seat in way) == accessible and oracle.is_near(way, row, section, most)
    ]
    assert not near, "a sale lost"


@pytest.mark.req("ALLOC-1")
@settings(max_examples=150, deadline=None)
@given(rows=SMALL_HOUSE, quantity=st.integers(1, 6))
def test_turns_are_taken_among_equals_only(rows: list[str], quantity: int) -> None:
    house = drawn(*rows)
    answers = [ask(house, quantity, rotate=turn) for turn in range(8)]
    summed = house.index_.summed
    found = [answer for answer in answers if isinstance(answer, Choice)]
    assert len(found) in (0, len(answers))
    if not found:
        return
    assert len({(answer.rung, len(answer.orphans), tuple(map(len, answer.pieces))) for answer in found}) == 1
    away = [sum(int(summed[seat + 1] - summed[seat]) for seat in answer.ordinals) / quantity / 1024 for answer in found]
    assert away[0] == min(away)
    assert max(away) - min(away) <= 1, "no further than a seat's width"


@pytest.mark.req("ACC-1")
@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.text(alphabet="...wCcx|", min_size=3, max_size=8), min_size=1, max_size=4),
    quantity=st.integers(1, 5),
    data=st.data(),
)
def test_companions_always_go_with_their_place(rows: list[str], quantity: int, data: st.DataObject) -> None:
    house = drawn("w.", *(row for row in rows if row.strip("|")))
    accessible = data.draw(st.integers(0, quantity))
    answer = ask(house, quantity, accessible=accessible)
    if isinstance(answer, Refused):
        return
    chart, seats = house.index_.chart, set(answer.ordinals)
    assert len(seats) == quantity
    assert all(house.letters[seat] in ".wcC" for seat in seats)
    assert sum(house.letters[seat] == "w" for seat in seats) == accessible
    claimed = seats & set(house.soft)
    assert len(claimed) <= accessible
    assert all(int(chart.companion_of[seat]) in seats for seat in claimed)


# A whole sale


@pytest.mark.req("ALLOC-1")
@pytest.mark.parametrize("smallest", [1, 2])
def test_a_hall_sold_out_by_random_parties_strands_few_seats(smallest: int) -> None:
    index, chance = hall(), random.Random(1)
    free = np.ones(len(index.chart.run), np.bool_)
    worst = 0
    while True:
        quantity = chance.randint(smallest, 6)
        answer = best_available(index, free, free, quantity, AllocationRules(allow_split=True))
        if isinstance(answer, Refused):
            assert np.count_nonzero(free) < quantity, "a sale lost"
            break
        assert free[list(answer.ordinals)].all()
        if len(answer.pieces) > 1:
            assert not find_block_starts(index.links, free, quantity).any()
        free[list(answer.ordinals)] = False
        worst = max(worst, len(find_stranded(index, free)))
    assert worst / len(free) < 0.05
