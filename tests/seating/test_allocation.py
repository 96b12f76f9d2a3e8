"""Best available: the ladder, its order, and what it says."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.seating.allocation.best_available import Choice, Refused, best_available, find_stranded
from fullhouse.seating.allocation.index import WHEELCHAIR, build_index
from fullhouse.seating.allocation.orphans import AllocationRules
from fullhouse.seating.allocation.splitting import assign
from fullhouse.seating.plans.chart import Chart
from fullhouse.seating.plans.plan import CATEGORIES
from tests.seating import oracle
from tests.seating.drawn import DEFAULT, ask, drawn, got, hall

# The ladder


@pytest.mark.req("ALLOC-1")
def test_rung_1_is_the_nearest_block_that_leaves_nobody_alone() -> None:
    choice = got(drawn("......", "......"), 2)
    assert (choice.rung, choice.ordinals, choice.orphans) == (1, (2, 3), ())
    assert choice.sentence == "2 together in row A"
    choice = got(drawn("...x..", "......"), 2)
    assert choice.ordinals == (4, 5), "the three in the middle would leave one"


@pytest.mark.req("ALLOC-1")
def test_rung_2_is_the_block_that_leaves_fewest_alone() -> None:
    choice = got(drawn("x...xx", "xx...x"), 2)
    assert choice.rung == 2
    assert len(choice.orphans) == 1
    assert choice.sentence == "2 together in row A; leaves A-2 alone, as every similar choice would"


@pytest.mark.req("ALLOC-1")
def test_a_block_is_never_parted_for_the_sake_of_an_orphan() -> None:
    choice = got(drawn("..........", "..x..xx..x"), 9)
    assert (choice.rung, len(choice.pieces)) == (2, 1)


@pytest.mark.req("ALLOC-1")
def test_rung_3_in_even_parts_and_near_rows_says_so() -> None:
    choice = got(drawn("....xx.", "x.xxxxx", "xxxxxxx"), 5)
    assert choice.rung == 3
    assert choice.sentence == "4 together in row A, 1 in row A, further along the row"
    choice = got(drawn("....xx", "x.xxxx", "xxxxxx"), 5)
    assert choice.sentence == "4 together in row A, 1 in row B, one row behind"
    choice = got(drawn("....x...", "xxxxxxxx"), 5)
    assert [len(piece) for piece in choice.pieces] == [3, 2], "even, and nobody alone"
    choice = got(drawn("xxxxxxxx", "..x..x.x", "...xxxxx"), 5)
    assert [len(piece) for piece in choice.pieces] == [3, 2]
    assert choice.sentence == "3 together in row C, 2 together in row B, one row in front"


@pytest.mark.parametrize(
    ("house", "quantity", "sentence"),
    [
        (("......", "......"), 2, "2 langs mekaar in ry A"),
        (("x...xx", "xx...x"), 2, "2 langs mekaar in ry A; dit laat A-2 alleen, soos elke soortgelyke keuse ook sou"),
        (("....xx.", "x.xxxxx", "xxxxxxx"), 5, "4 langs mekaar in ry A, 1 in ry A, verder in die ry"),
        (("....xx", "x.xxxx", "xxxxxx"), 5, "4 langs mekaar in ry A, 1 in ry B, een ry agter"),
        ((".......", "..oo..."), 2, "nog 2 langs joune in ry B"),
    ],
)
def test_a_choice_says_why_in_afrikaans_too(house: tuple[str, ...], quantity: int, sentence: str) -> None:
    assert got(drawn(*house)._replace(language="af"), quantity).sentence == sentence


@pytest.mark.req("ALLOC-1")
def test_parts_sit_in_the_nearest_rows_that_do() -> None:
    choice = got(drawn("..xxxx", "xxxxxx", "xxxxxx", "..xxxx", "xxxx.."), 4)
    assert {int(seat) // 6 for seat in choice.ordinals} == {3, 4}


@pytest.mark.req("ALLOC-1")
def test_parts_are_even_and_nobody_is_alone_if_another_section_can_do_it() -> None:
    assert sorted(map(len, got(drawn("....x..", "/", "...x..."), 6).pieces)) == [3, 3]
    choice = got(drawn(".....x.....x.", "/", ".......x..x.."), 11)
    assert sorted(map(len, choice.pieces)) == [2, 2, 7], "less even than 5, 5 and 1"


@pytest.mark.req("ALLOC-1")
def test_a_clean_split_is_found_behind_many_nearer_ones() -> None:
    house = drawn(*["...x..."] * 6, "..x..xx")
    choice = got(house, 4, AllocationRules(max_group_split=0))
    assert (choice.ordinals, choice.orphans) == ((42, 43, 45, 46), ())


@pytest.mark.req("ALLOC-1")
def test_parts_of_the_same_rows_stay_close() -> None:
    choice = got(drawn("..xxxxxxxxxxxxxxxx..x.."), 4)
    assert choice.ordinals == (18, 19, 21, 22)


@pytest.mark.req("ALLOC-1")
def test_later_parts_are_judged_after_earlier_ones() -> None:
    choice = got(drawn("...x..x..xx"), 4)
    assert choice.ordinals == (4, 5, 7, 8), "a pair out of the three would leave one alone"


@pytest.mark.req("ALLOC-1")
def test_rung_4_is_another_section() -> None:
    house = drawn("..xx", "xxxx", "/", "xxxx", "xx..")
    answer = ask(house, 4)
    assert isinstance(answer, Refused)
    assert (answer.is_far, answer.largest, answer.left) == (True, 2, 4)
    assert answer.sentence == "No 4 seats near enough to each other are left; the largest block has 2, in row A."
    choice = got(house, 4, AllocationRules(allow_split=True))
    assert choice.rung == 4
    assert choice.sentence == "2 together in row A, 2 together in row D of another section"


@pytest.mark.req("ALLOC-1")
def test_the_largest_split_is_a_rule() -> None:
    house = drawn("..xx", "xxxx", "xxxx", "xx..")
    assert isinstance(ask(house, 4), Refused)
    assert isinstance(ask(house, 4, AllocationRules(max_group_split=2)), Refused)
    assert got(house, 4, AllocationRules(allow_split=True)).rung == 4
    assert got(house, 4, AllocationRules(max_group_split=3)).rung == 3
    house = drawn("..xxxx", "xxx.x.", "xxxxxx", "xx..xx")
    assert [len(piece) for piece in got(house, 4, AllocationRules(max_group_split=1)).pieces] == [2, 1, 1]
    assert [len(piece) for piece in got(house, 4, AllocationRules(max_group_split=3)).pieces] == [2, 2]


@pytest.mark.req("ALLOC-1")
def test_what_the_party_holds_counts_for_how_far_apart_it_may_be() -> None:
    far = drawn("oxxx", "xxxx", "xxxx", "xx..")
    assert isinstance(ask(far, 2), Refused)
    assert got(far, 2, AllocationRules(allow_split=True)).ordinals == (14, 15)
    assert got(drawn("oxxx", "xxxx", "xx..", "xxxx"), 2).rung == 3
    already = drawn("oxxx", "xxxx", "xxxx", "xxxo", "x..x")
    assert got(already, 2).rung == 4, "chosen by hand, and so agreed to"


@pytest.mark.req("ALLOC-1", "ACC-1")
def test_a_party_with_a_wheelchair_place_goes_where_there_is_room_for_all() -> None:
    house = drawn("wCxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "wC....")
    choice = got(house, 4, accessible=1)
    assert choice.ordinals == (30, 31, 32, 33), "not around the place nearest to the stage"
    house = drawn("wCxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xx....")
    answer = ask(house, 4, accessible=1)
    assert isinstance(answer, Refused)
    assert answer.is_far
    assert got(house, 4, AllocationRules(allow_split=True), accessible=1).rung == 4
    two = drawn("wCxxxx", "xxxxxx", "xxxxxx", "xxxxxx", "xxwCxx", "wCxxxx")
    assert got(two, 4, accessible=2).ordinals == (26, 27, 30, 31)


@pytest.mark.req("ALLOC-1")
def test_the_last_rung_refuses_and_names_the_largest_block() -> None:
    answer = ask(drawn("x..xxx", "...xxx"), 6)
    assert isinstance(answer, Refused)
    assert (answer.largest, answer.left) == (3, 5)
    assert answer.sentence == "Only 5 seats are left; the largest block has 3, in row B."
    assert ask(drawn("xx"), 1) == Refused(0, 0, "No seats are left.")


@pytest.mark.req("ALLOC-3")
def test_strict_adjacency_refuses_instead_of_parting() -> None:
    house = drawn("....xx", "x.xxxx")
    assert got(house, 5).rung == 3
    answer = ask(house, 5, AllocationRules(adjacency_strict=True))
    assert isinstance(answer, Refused)
    assert answer.sentence == "No 5 seats together are left; the largest block has 4, in row A."
    assert got(house, 4, AllocationRules(adjacency_strict=True)).rung == 1


@pytest.mark.req("ALLOC-1", "ALLOC-2")
def test_no_sale_is_lost_only_to_orphans() -> None:
    assert got(drawn("..."), 2, AllocationRules(strict=True, scope="event")).rung == 2
    assert got(drawn(".....", "xxxxx"), 4, AllocationRules(strict=True)).orphans == (4,)


@pytest.mark.req("ALLOC-1")
def test_rules_on_orphans_change_the_choice() -> None:
    house = drawn("x....xx", focal=(2.5, -1))
    assert got(house, 2).ordinals in ((1, 2), (3, 4))
    assert got(house, 2, AllocationRules(orphan_run_min=1)).ordinals == (2, 3)
    house = drawn("....xxx", focal=(1.5, -1))
    assert got(house, 2, AllocationRules(orphan_run_min=2, row_ends_exempt=True)).ordinals != (1, 2), (
        "one end is beside a sold seat"
    )
    house = drawn("...", focal=(1, -1))
    assert got(house, 1).ordinals == (0,)
    assert got(house, 1, AllocationRules(row_ends_exempt=True)).ordinals == (1,)
    house = drawn("......", focal=(2.5, -1))
    assert got(house, 2).ordinals == (2, 3)
    assert got(house, 2, AllocationRules(orphan_run_min=3)).ordinals == (0, 1)


@pytest.mark.req("ALLOC-1")
def test_an_aisle_between_consecutive_numbers_is_not_crossed() -> None:
    choice = got(drawn("..|.."), 3)
    assert choice.rung == 3
    assert got(drawn("...|xx"), 3).rung == 1
    assert isinstance(ask(drawn("..|.."), 3, AllocationRules(adjacency_strict=True)), Refused)


@pytest.mark.req("ALLOC-1")
def test_zones_restrict_and_other_seats_stay_in_play() -> None:
    house = drawn("....", "/", "....")
    answer = ask(house, 2, zones={1})
    assert isinstance(answer, Choice)
    assert answer.ordinals[0] >= 4
    assert isinstance(ask(house, 2, zones={7}), Refused)
    assert got(drawn("-...x"), 2).ordinals == (2, 3), "which leaves a pair of two categories"
    assert got(drawn("x...x"), 2).rung == 2


@pytest.mark.req("ALLOC-1")
def test_what_the_party_holds_is_extended() -> None:
    choice = got(drawn(".......", "..oo..."), 2)
    assert choice.ordinals in ((7, 8), (11, 12))
    assert (choice.rung, choice.orphans) == (1, ())
    assert choice.sentence == "2 more beside yours in row B"
    assert got(drawn("xx.o.xx"), 2).ordinals == (2, 4), "one on either side"
    choice = got(drawn(".............", "xoxxxxxxxxxxx"), 2)
    assert choice.rung == 3
    assert set(choice.ordinals) <= {0, 1, 2, 3}, "near the own seat, not near the stage"
    assert choice.sentence == "2 together in row A, one row in front"
    assert isinstance(ask(drawn("......", "xoxxxx"), 2, AllocationRules(adjacency_strict=True)), Refused)
    choice = got(drawn(".............", "xxxxxxxxoxxxx", focal=(0, -4)), 2)
    assert set(choice.ordinals) <= {7, 8, 9}


@pytest.mark.req("ALLOC-1")
def test_alternatives_are_other_blocks_of_the_same_rung() -> None:
    choice = got(drawn("....", "....", "...."), 2)
    assert len(choice.alternatives) == 2
    seats = [seat for way in (choice.ordinals, *choice.alternatives) for seat in way]
    assert len(set(seats)) == 6


# Turns


@pytest.mark.req("ALLOC-1")
def test_equal_choices_take_turns() -> None:
    house = drawn("..|..", "xx|xx")
    assert {got(house, 2, rotate=turn).ordinals for turn in range(6)} == {(0, 1), (2, 3)}
    assert got(house, 2, rotate=1) == got(house, 2, rotate=3)


@pytest.mark.req("ALLOC-1")
def test_turns_in_one_run_fit_beside_each_other() -> None:
    house = drawn("." * 13, focal=(6, -60))
    choices = {got(house, 3, rotate=turn).ordinals for turn in range(12)}
    assert len(choices) > 1
    assert len({seat for choice in choices for seat in choice}) == 3 * len(choices)


@pytest.mark.req("ALLOC-1")
def test_parted_parties_take_turns_too() -> None:
    house = drawn("..x..", "..x..", focal=(2, 0.5))
    rows = {got(house, 4, AllocationRules(max_group_split=0), rotate=turn).ordinals[0] for turn in range(4)}
    assert rows == {0, 5}


@pytest.mark.req("ALLOC-1")
def test_fifty_pairs_at_once_are_all_served_and_leave_nobody_alone() -> None:
    """Everybody chooses from the same picture; who loses a seat looks again."""
    index = hall()
    free = np.ones(len(index.chart.run), np.bool_)
    waiting, rounds = list(range(50)), 0
    while waiting:
        picture = free.copy()
        answers = {who: best_available(index, picture, picture, 2, rotate=hash((who, rounds))) for who in waiting}
        for who, answer in answers.items():
            assert isinstance(answer, Choice)
            if free[list(answer.ordinals)].all():
                free[list(answer.ordinals)] = False
                waiting.remove(who)
        rounds += 1
    assert np.count_nonzero(~free) == 100
    assert rounds < 25, "without turns only one is served in a round"
    assert len(find_stranded(index, free)) <= 2


# Wheelchair spaces


@pytest.mark.req("ACC-1")
def test_a_wheelchair_place_comes_with_its_companion_seat() -> None:
    house = drawn("......", "x.wC..", "......")
    choice = got(house, 2, accessible=1)
    assert (choice.rung, choice.ordinals, choice.orphans) == (2, (8, 9), (7,)), "rather than 7 and 8, which are clean"
    assert got(house, 1, accessible=1).ordinals == (8,), "bookable alone"
    assert got(house, 3, accessible=1).ordinals == (7, 8, 9)
    assert got(drawn("......", ".....wC"), 2, accessible=1).rung == 1


@pytest.mark.req("ACC-1")
def test_nobody_else_gets_a_wheelchair_place_or_a_soft_reserved_companion() -> None:
    assert isinstance(ask(drawn("wC", "xx"), 1), Refused)
    assert got(drawn("wC.", "xxx"), 1).ordinals == (2,)
    assert got(drawn("wc.", "xxx"), 2).ordinals == (1, 2), "released, it is a seat like any other"


@pytest.mark.req("ACC-1")
def test_no_more_companion_seats_than_wheelchair_places() -> None:
    answer = ask(drawn("wCCx"), 3, accessible=1)
    assert isinstance(answer, Refused)
    assert got(drawn("wCC.x"), 3, accessible=1).ordinals == (0, 1, 3)
    assert got(drawn("wCCw.x"), 4, accessible=2).ordinals == (0, 1, 2, 3)
    assert isinstance(ask(drawn("wxx", "xwC"), 3, accessible=1), Refused), "the other wheelchair space is not asked for"


@pytest.mark.req("ACC-1")
def test_a_party_that_holds_the_wheelchair_place_may_add_the_companion() -> None:
    house = drawn("oCC.x")
    chart = house.index_.chart._replace(category=np.array([1, 2, 2, 0, 0]), companion_of=np.array([-1, 0, 0, -1, -1]))
    house = house._replace(index_=build_index(chart))
    assert got(house, 1).ordinals == (1,)
    assert got(house, 2).ordinals == (1, 3), "one companion seat, and the nearest other"
    stranger = house._replace(own=[3])
    assert isinstance(ask(stranger, 1), Refused)


@pytest.mark.req("ACC-1")
def test_the_rest_of_the_party_sits_near_the_wheelchair_place() -> None:
    choice = got(drawn("............", "xwCxxxxxxxxx"), 4, accessible=1)
    assert {13, 14} <= set(choice.ordinals)
    assert choice.rung == 3
    assert max(choice.ordinals[:2]) <= 4


@pytest.mark.req("ACC-1", "ACC-2")
def test_too_few_wheelchair_places() -> None:
    answer = ask(drawn("wC....", "WC...."), 2, accessible=2)
    assert isinstance(answer, Refused)
    assert answer.sentence == "Only 1 wheelchair space is left."


@pytest.mark.req("ALLOC-1")
def test_nonsense_is_a_mistake_of_the_caller() -> None:
    for quantity, accessible in ((0, 0), (1, 2), (1, -1)):
        with pytest.raises(ValueError, match="quantity"):
            ask(drawn(".."), quantity, accessible=accessible)


@pytest.mark.req("ALLOC-1")
def test_a_house_without_seats_has_nothing_left() -> None:
    number, place = np.zeros(0, int), np.zeros(0)
    empty = build_index(Chart(number, number, number, number, place, place, number, number, number, 0.0, 0.0))
    none = np.zeros(0, np.bool_)
    assert best_available(empty, none, none, 2, zones={0}) == Refused(0, 0, "No seats are left.")


def test_a_wheelchair_place_is_what_the_plan_calls_one() -> None:
    assert CATEGORIES[WHEELCHAIR] == "wheelchair"


# The oracle


@pytest.mark.req("ALLOC-1")
@pytest.mark.parametrize("length", range(1, 11))
def test_every_row_and_party_against_the_oracle(length: int) -> None:
    """All occupancies of all rows: never more pieces or orphans than must be, and the evenest parts."""
    for letters in product(".x", repeat=length):
        house = drawn("".join(letters))
        free = np.flatnonzero(house.free).tolist()
        runs = house.index_.chart.run.tolist()
        for quantity in range(1, 6):
            for rules in (
                (DEFAULT, AllocationRules(row_ends_exempt=True), AllocationRules(orphan_run_min=3))
                if length < 8
                else (DEFAULT,)
            ):
                answer = ask(house, quantity, rules)
                expected = oracle.best(free, free, quantity, runs, rules.orphan_run_min, rules.row_ends_exempt)
                if expected is None:
                    assert isinstance(answer, Refused)
                    assert answer.largest == max((len(chain) for chain in oracle.chains(free, runs)), default=0)
                    continue
                assert isinstance(answer, Choice)
                assert (oracle.shape(answer.ordinals, runs), len(answer.orphans)) == expected, house.letters
                assert answer.rung == (3 if expected[0][0] > 1 else 2 if expected[1] else 1)


@pytest.mark.req("ALLOC-1")
@settings(deadline=None)
@given(rows=st.integers(1, 4), columns=st.integers(4, 6), data=st.data())
def test_parts_are_assigned_at_the_least_cost(rows: int, columns: int, data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, 9), min_size=rows * columns, max_size=rows * columns)
    cost = np.array(data.draw(numbers), float).reshape(rows, columns)
    chosen = assign(cost)
    assert len(set(chosen.tolist())) == rows
    least = min(sum(cost[row, column] for row, column in enumerate(way)) for way in permutations(range(columns), rows))
    assert cost[np.arange(rows), chosen].sum() == least
