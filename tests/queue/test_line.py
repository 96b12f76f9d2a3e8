"""The line in memory against lists and loops; and it stays right whatever order its news come in."""

import random
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullhouse.waiting_room import draw
from fullhouse.waiting_room.admission_rate import AdmissionRate
from fullhouse.waiting_room.virtual_queue import ADMITTED, EXPIRED, LEFT, UNKNOWN, WAITING, VirtualQueue

News = tuple[str, int, int]
news = st.one_of(
    st.tuples(st.just("join"), st.integers(1, 3000), st.integers(0, 40)),
    st.tuples(st.just("admit"), st.integers(1, 3000), st.integers(1, 9)),
    st.tuples(st.just("end"), st.integers(1, 3000), st.integers(EXPIRED, LEFT)),
)


def tell(line: VirtualQueue, kind: str, seq: int, what: int) -> None:
    if kind == "join":
        line.join(seq, seq + what, 1000)
    elif kind == "admit":
        line.admit(seq, what)
    else:
        line.advance(seq, what)


def codes_after(told: list[News]) -> dict[int, int]:
    codes: dict[int, int] = {}
    for kind, seq, what in told:
        code = {"join": WAITING, "admit": ADMITTED}.get(kind, what)
        for number in range(seq, seq + (what if kind == "join" else 0) + 1):
            codes[number] = max(codes.get(number, UNKNOWN), code)
    return codes


@given(st.lists(news, max_size=30), st.booleans(), st.randoms(use_true_random=False))
def test_it_says_what_lists_say_in_whatever_order_it_hears(told: list[News], drawn: bool, dice: random.Random) -> None:
    places = draw.draw_places(b"x" * 32, 1500)
    line = VirtualQueue()
    shuffled = [*told, *told]
    dice.shuffle(shuffled)
    for n, word in enumerate(shuffled):
        if drawn and n == len(told):
            line.apply_draw(places)
        tell(line, *word)
    if drawn:
        line.apply_draw(places)
    codes = codes_after(told)
    place = {seq: int(places[seq]) if drawn and seq <= 1500 else seq for seq in codes}
    waiting = sorted(place[seq] for seq, code in codes.items() if code == WAITING)
    assert line.waiting == len(waiting)
    assert line.admitted == sum(code == ADMITTED for code in codes.values())
    for seq, code in codes.items():
        assert line.code(seq) == code
        assert line.find_waiting(seq) == ((line.ahead(seq), line.seen_s(seq)) if code == WAITING else None)
        assert line.ahead(seq) == sum(p < place[seq] for p in waiting)


def test_a_line_is_read_in_pieces_while_it_moves() -> None:
    line = VirtualQueue()
    line.join(5001, 5003, 2000)  # heard before the first piece came
    line.advance(17, LEFT)
    line.admit(3, 99)
    line.load(list(range(1, 3001)), [WAITING] * 3000, [1000] * 3000)
    line.load(list(range(3001, 5001)), [WAITING] * 2000, [1000] * 2000)
    assert line.waiting == 5000 - 2 + 3
    assert (line.code(17), line.code(3), line.code(5002), line.code(5004)) == (LEFT, ADMITTED, WAITING, UNKNOWN)
    assert line.ahead(5003) == line.waiting - 1
    line.load([3], [EXPIRED], [1000])
    assert line.until_ms == {}
    assert int(line.seen[17]) == 1000


@pytest.mark.req("QUEUE-2")
def test_a_million_people_take_little_room() -> None:
    line = VirtualQueue()
    line.load(list(range(1, 1_000_001)), [WAITING] * 1_000_000, [1000] * 1_000_000)
    assert line.codes.nbytes + line.seen.nbytes + sum(map(sys.getsizeof, line._waiting_bits)) < 20e6
    assert line.ahead(1_000_000) == 999_999
    line.advance(500_000, LEFT)
    assert (line.ahead(1_000_000), line.ahead(500_000), line.ahead(499_999)) == (999_998, 499_999, 499_998)


def test_the_pace_follows_and_forgets() -> None:
    pace = AdmissionRate(0)
    assert pace.per_second(10) is None
    for second in range(600):
        pace.count(2, second)
    assert pace.per_second(600) == pytest.approx(2, rel=0.02)
    for second in range(600, 1800):
        pace.count(1 if second % 10 == 0 else 0, second)
    assert 0.1 < (pace.per_second(1800) or 0) < 0.22  # two a second are four half-lives ago
    slower = [pace.per_second(1800 + wait) for wait in (0, 60, 600)]
    assert all(early > late for early, late in pairwise(slower) if early and late)
    assert np.isfinite(slower[-1] or np.nan)


def test_buyers_of_a_line_that_is_sold_out_are_counted_among_themselves() -> None:
    line = VirtualQueue()
    line.join(1, 6, 1000)
    line.mark_buyers((2, 4, 6), buys=True)
    assert [line.ahead_of_buyer(seq) for seq in (2, 4, 6)] == [0, 1, 2]
    line.mark_buyers((4,), buys=False)
    line.set_absent(2, away=True)  # who vanished is counted by nobody here either
    assert (line.ahead_of_buyer(6), line.waiting_buyers) == (0, 1)
    line.admit(6, 5000)
    assert (line.buyers, line.waiting_buyers) == ({2}, 0)


def test_what_is_heard_of_buyers_while_a_line_is_read_is_not_undone_by_an_older_piece() -> None:
    line = VirtualQueue()
    line.join(1, 4, 1000)
    line.mark_buyers((1, 2), buys=True)
    line.begin_loading()
    line.mark_buyers((2,), buys=False)
    line.mark_buyers((4,), buys=True)
    line.load([4, 1, 2, 3], [1, 1, 1, 1], [1000] * 4, [False] * 4, [2, 3])  # as it was before; and of 1 nothing is left
    assert line.buyers == {3, 4}
