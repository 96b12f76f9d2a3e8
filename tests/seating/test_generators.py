"""Whatever a generator is asked within its limits, the plan is sound: counts, neighbours, companions, no overlap."""

from math import hypot
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fullhouse.seating.plans import generators
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.checks import check
from fullhouse.seating.plans.decoding import decode_plan
from fullhouse.seating.plans.drafts import row_labels, seat_numbers, wheelchair_ends
from fullhouse.seating.plans.generators import Arena, Curved, Festival, Straight, Tables, Theatre
from fullhouse.seating.plans.plan import Plan, PlanInvalid, capacity_of, encode, seats_in, total_capacity, walk

NUMBERINGS = st.sampled_from(["left_to_right", "right_to_left", "odd_even"])
LABELS = st.sampled_from(["letters", "letters_without_i_o", "numbers"])
PITCH = st.sampled_from([5, 12.5, 20.0, 33.3])
several = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def sound(plan: Plan, pitch: float) -> None:
    """Passes its checks, survives writing and reading, has companions next to their places and no seat on another."""
    assert check(plan, venue_capacity=total_capacity(plan)) == []
    assert decode_plan(encode(plan)) == plan
    chart = build_chart(plan)
    for seat in np.flatnonzero(chart.companion_of >= 0):
        place = chart.companion_of[seat]
        assert abs(seat - place) == 1
        assert chart.run[seat] == chart.run[place]
    apart(plan, 0.6 * pitch)


def apart(plan: Plan, limit: float) -> None:
    """No two seats are nearer to each other than that."""
    chart = build_chart(plan)
    cells: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for x, y in zip(chart.x.tolist(), chart.y.tolist(), strict=True):
        across, down = int(x // limit), int(y // limit)
        for column in range(across - 1, across + 2):
            for line in range(down - 1, down + 2):
                for other in cells.get((column, line), ()):
                    assert hypot(x - other[0], y - other[1]) >= limit
        cells.setdefault((across, down), []).append((x, y))


@pytest.mark.req("SEAT-1", "ACC-1")
@several
@given(
    st.fixed_dictionaries(
        {
            "rows": st.integers(1, 30),
            "seats_per_row": st.integers(1, 40),
            "aisles_after": st.lists(st.integers(1, 45), max_size=4).map(tuple),
            "staggered": st.booleans(),
            "continuous": st.booleans(),
            "numbering": NUMBERINGS,
            "row_labels": LABELS,
            "wheelchair_places": st.integers(0, 6),
            "seat_pitch": PITCH,
        }
    )
)
def test_straight_rows(wishes: dict[str, Any]) -> None:
    request = Straight(**wishes, row_pitch=wishes["seat_pitch"] * 1.2)
    plan = made(request)
    sound(plan, request.seat_pitch)
    assert total_capacity(plan) == request.rows * request.seats_per_row
    assert sum(place.seat.category == "wheelchair" for place in walk(plan)) == request.wheelchair_places
    aisles = {after for after in request.aisles_after if after < request.seats_per_row}
    assert len(set(build_chart(plan).run.tolist())) == request.rows * (len(aisles) + 1)


@pytest.mark.req("SEAT-1", "ACC-1")
@several
@given(
    st.fixed_dictionaries(
        {
            "rows": st.integers(1, 25),
            "first_row_seats": st.integers(1, 40),
            "seats_added": st.integers(0, 5),
            "distance": st.floats(60, 900),
            "aisles": st.integers(0, 6),
            "numbering": NUMBERINGS,
            "row_labels": LABELS,
            "wheelchair_places": st.integers(0, 6),
            "seat_pitch": PITCH,
        }
    )
)
def test_curved_rows(wishes: dict[str, Any]) -> None:
    request = Curved(**wishes, row_pitch=wishes["seat_pitch"] * 1.3)
    plan = made(request)
    sound(plan, request.seat_pitch)
    assert total_capacity(plan) == sum(
        request.first_row_seats + row * request.seats_added for row in range(request.rows)
    )


@pytest.mark.req("SEAT-1", "ACC-1")
@several
@given(
    st.fixed_dictionaries(
        {
            "stalls_rows": st.integers(1, 30),
            "stalls_seats": st.integers(1, 40),
            "circle_rows": st.integers(0, 12),
            "circle_seats": st.integers(1, 50),
            "upper_circle_rows": st.integers(0, 12),
            "upper_circle_seats": st.integers(1, 60),
            "premium_rows": st.integers(0, 40),
            "aisles": st.integers(0, 5),
            "numbering": NUMBERINGS,
            "row_labels": LABELS,
            "wheelchair_places": st.integers(0, 10),
        }
    )
)
def test_theatres(wishes: dict[str, Any]) -> None:
    request = Theatre(**wishes)
    plan = made(request)
    sound(plan, request.seat_pitch)
    rows = {zone.key: len(zone.sections[0].rows) for zone in plan.zones}
    asked = {"stalls": request.stalls_rows, "circle": request.circle_rows, "upper_circle": request.upper_circle_rows}
    assert rows == {key: count for key, count in asked.items() if count}
    assert sum(place.seat.category == "companion" for place in walk(plan)) == request.wheelchair_places
    premium = {place.row.label for place in walk(plan) if place.row.price_category == "premium"}
    assert len(premium) == min(request.premium_rows, request.stalls_rows)


@pytest.mark.req("SEAT-1", "ZONE-1")
@settings(max_examples=15, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "tiers": st.integers(1, 3),
            "rows_per_tier": st.integers(1, 10),
            "first_tier_sections": st.integers(2, 30),
            "sections_added": st.integers(0, 8),
            "floor": st.integers(0, 3_000),
            "stage": st.sampled_from(["centre", "end"]),
            "floor_width": st.floats(400, 1_000),
            "floor_height": st.floats(400, 1_000),
            "row_labels": LABELS,
            "numbering": NUMBERINGS,
        }
    )
)
def test_arenas(wishes: dict[str, Any]) -> None:
    request = Arena(**wishes)
    plan = made(request)
    sound(plan, request.seat_pitch)
    seats = sum(seats_in(zone) for zone in plan.zones)
    assert total_capacity(plan) == seats + request.floor
    if request.stage == "centre":
        assert [len(zone.sections) for zone in plan.zones if zone.sections] == [
            request.first_tier_sections + tier * request.sections_added for tier in range(request.tiers)
        ]


@pytest.mark.req("SEAT-1", "SEAT-5")
@several
@given(
    st.builds(
        Tables,
        rows=st.integers(1, 8),
        columns=st.integers(1, 8),
        seats_per_table=st.integers(2, 24),
        sold_as=st.sampled_from(["whole", "seats"]),
        membership_tier=st.sampled_from([None, "friends"]),
        seat_pitch=PITCH,
    )
)
def test_tables(request: Tables) -> None:
    plan = generators.tables(request)
    sound(plan, request.seat_pitch)
    count = request.rows * request.columns
    assert total_capacity(plan) == count * request.seats_per_table
    assert [len(group.seats) for group in plan.groups] == [request.seats_per_table] * count
    assert {group.sold_as for group in plan.groups} == {request.sold_as}
    assert len(set(build_chart(plan).run.tolist())) == count
    assert plan.zones[0].zone_type == ("vip_reserved" if request.membership_tier else "reserved_seating")


@pytest.mark.req("ZONE-1")
def test_the_festival_has_four_kinds_of_places() -> None:
    plan = generators.festival(Festival())
    sound(plan, 20.0)
    assert {zone.key: (zone.zone_type, capacity_of(zone)) for zone in plan.zones} == {
        "orchestra": ("reserved_seating", 300),
        "floor": ("ga_seated", 400),
        "pit": ("ga_standing", 300),
        "lounge": ("vip_reserved", 50),
    }
    lounge = plan.zones[-1]
    assert (lounge.access_mode, lounge.membership_tier) == ("membership_tier", "friends")
    assert plan.total_capacity == 1_050


@settings(max_examples=25, deadline=None)
@given(
    st.builds(
        Festival,
        orchestra_rows=st.integers(1, 40),
        orchestra_seats=st.integers(1, 60),
        lounge_tables=st.integers(1, 60),
        seats_per_table=st.integers(2, 12),
    )
)
def test_festivals_of_any_size(request: Festival) -> None:
    plan = generators.festival(request)
    sound(plan, 20.0)
    seats = request.orchestra_rows * request.orchestra_seats + request.lounge_tables * request.seats_per_table
    assert total_capacity(plan) == seats + request.floor + request.pit


def made(request: generators.Generator) -> Plan:
    """A wish that cannot be met is refused with a reason; that is fine, but shows nothing."""
    try:
        return generators.generate(request)
    except PlanInvalid:
        assume(False)
        raise


# --- the pieces


def test_rows_are_labelled_like_columns_of_a_sheet() -> None:
    labels = row_labels("letters", 54)
    assert labels[:3] == ["A", "B", "C"]
    assert labels[25:28] == ["Z", "AA", "AB"]
    assert labels[51:] == ["AZ", "BA", "BB"]


def test_i_and_o_can_be_left_out() -> None:
    labels = row_labels("letters_without_i_o", 26)
    assert "".join(labels[:24]) == "ABCDEFGHJKLMNPQRSTUVWXYZ"
    assert labels[24:] == ["AA", "AB"]


def test_rows_can_be_numbered() -> None:
    assert row_labels("numbers", 3) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("numbering", "seats", "numbers"),
    [
        ("left_to_right", 4, "1 2 3 4"),
        ("right_to_left", 4, "4 3 2 1"),
        ("odd_even", 6, "5 3 1 2 4 6"),
        ("odd_even", 5, "5 3 1 2 4"),
        ("odd_even", 1, "1"),
    ],
)
def test_numbers(numbering: Any, seats: int, numbers: str) -> None:
    assert seat_numbers(numbering, seats) == numbers.split()


def test_numbers_go_on_across_an_aisle_but_neighbours_do_not() -> None:
    plan = generators.straight(Straight(rows=1, seats_per_row=6, aisles_after=(2,)))
    assert [place.seat.number for place in walk(plan)] == ["1", "2", "3", "4", "5", "6"]
    assert build_chart(plan).run.tolist() == [0, 0, 1, 1, 1, 1]


def test_blocks_can_be_sections_that_begin_anew() -> None:
    plan = generators.straight(Straight(rows=1, seats_per_row=5, aisles_after=(2,), continuous=False))
    assert [(p.section.name, p.seat.number) for p in walk(plan)] == [
        ("Block 1", "1"),
        ("Block 1", "2"),
        ("Block 2", "1"),
        ("Block 2", "2"),
        ("Block 2", "3"),
    ]


@pytest.mark.req("ACC-1")
@pytest.mark.parametrize(
    ("seats", "gaps", "wanted", "ends"),
    [
        (10, (), 2, {0: 1, 9: 8}),
        (10, (), 1, {0: 1}),
        (10, (1,), 2, {9: 8}),  # nobody accompanies across an aisle
        (10, (1, 9), 2, {}),
        (4, (), 2, {0: 1, 3: 2}),
        (3, (), 2, {0: 1}),  # the middle seat accompanies one place only
        (2, (), 2, {0: 1}),
        (1, (), 2, {}),
    ],
)
def test_wheelchair_places_at_row_ends(seats: int, gaps: tuple[int, ...], wanted: int, ends: dict[int, int]) -> None:
    assert wheelchair_ends(seats, frozenset(gaps), wanted) == ends


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (Straight(rows=2, wheelchair_places=5), "wheelchair_places"),
        (Curved(distance=30, first_row_seats=60), "first_row_seats"),
        (Theatre(stalls_rows=1, wheelchair_places=3), "wheelchair_places"),
        (Tables(rows=100, columns=100, seats_per_table=24), "rows"),
        (Arena(tiers=8, rows_per_tier=60, seat_pitch=5), "rows_per_tier"),
        (Arena(floor_width=2_000, floor_height=400), "floor_width"),
        (Arena(first_tier_sections=60, floor_width=200, floor_height=200, seat_pitch=100), "first_tier_sections"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_field(request_: generators.Generator, path: str) -> None:
    with pytest.raises(PlanInvalid) as caught:
        generators.generate(request_)
    assert [error.path for error in caught.value.fields] == [path]


def test_a_request_names_its_kind() -> None:
    request = msgspec.json.decode(b'{"kind": "theatre", "stalls_rows": 3}', type=generators.Generator)
    assert request == Theatre(stalls_rows=3)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"kind": "theatre", "stools": 3}', type=generators.Generator)
