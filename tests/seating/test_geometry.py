"""The map's bytes: what goes in comes out, by ordinal, and stays small."""

import gzip

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.kit.errors import Malformed
from fullhouse.seating.maps.geometry import (
    decode_geometry,
    decode_neighbours,
    encode_geometry,
    pack_states,
    to_geometry_json,
    unpack_states,
)
from fullhouse.seating.plans import generators
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.generators import Arena, Curved, Festival, Tables, Theatre
from fullhouse.seating.plans.plan import CATEGORIES, Plan, Point, Row, Seat, Section, Zone, walk
from tests.seating.helpers import house

PLANS = [Curved(wheelchair_places=4), Tables(), Theatre(), Festival(), Arena(tiers=2, rows_per_tier=4)]


def rows_of(rows: list[list[tuple[str, float, float]]], size: float = 1_000.0) -> Plan:
    """A plan of one section from numbers and places."""
    made = tuple(
        Row(
            label=str(r),
            seats=tuple(
                Seat(key=f"k{r}-{i}", number=number, x=x, y=y, gap_before=i % 3 == 2)
                for i, (number, x, y) in enumerate(row)
            ),
        )
        for r, row in enumerate(rows)
    )
    zone = Zone(key="z", name="Z", sections=(Section(key="s", name="S", rows=made),))
    return Plan(name="P", width=size, height=size, focal_point=Point(0, 0), zones=(zone,))


# --- compiling


def test_seats_are_numbered_as_the_document_lists_them() -> None:
    chart = build_chart(house())
    assert chart.zone.tolist() == [0, 0, 0, 0, 0, 2, 2]
    assert chart.section.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert chart.row.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert chart.run.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert [CATEGORIES[index] for index in chart.category] == [
        "wheelchair",
        "companion",
        "standard",
        "standard",
        "restricted_view",
        "standard",
        "standard",
    ]
    assert chart.price.tolist() == [0, 0, 0, 0, 1, -1, -1]
    assert chart.companion_of.tolist() == [-1, 0, -1, -1, -1, -1, -1]
    assert chart.x.tolist() == [10, 20, 30, 40, 50, 10, 20]
    assert (chart.focal_x, chart.focal_y) == (100, 0)


def test_a_plan_without_seats_compiles_to_nothing() -> None:
    plan = Plan(name="Field", width=10, height=10, zones=(Zone(key="f", name="F", zone_type="ga_seated", capacity=9),))
    chart = build_chart(plan)
    assert [len(column) for column in chart[:-2]] == [0] * 9
    assert decode_geometry(encode_geometry(plan, chart)).keys == []


# --- round trips


@pytest.mark.req("ALLOC-1")
@pytest.mark.parametrize("request_", PLANS, ids=lambda request: type(request).__name__)
def test_a_map_says_who_sits_beside_whom(request_: generators.Generator) -> None:
    plan = generators.generate(request_)
    chart = build_chart(plan)
    found = decode_neighbours(encode_geometry(plan, chart))
    places = list(walk(plan))
    whole = {key for group in plan.groups if group.sold_as == "whole" for key in group.seats}
    assert found.chain_starts == np.flatnonzero(np.diff(chart.run, prepend=-1)).tolist()
    assert found.whole_seats == [n for n, place in enumerate(places) if place.seat.key in whole]
    assert found.wheelchairs == [n for n, place in enumerate(places) if place.seat.category == "wheelchair"]


@pytest.mark.parametrize("request_", PLANS, ids=lambda request: type(request).__name__)
def test_a_map_comes_back_as_it_was(request_: generators.Generator) -> None:
    plan = generators.generate(request_)
    chart = build_chart(plan)
    back = decode_geometry(encode_geometry(plan, chart))
    places = list(walk(plan))
    assert back.keys == [place.seat.key for place in places]
    assert back.numbers == [place.seat.number for place in places]
    assert back.category.tolist() == chart.category.tolist()
    assert back.price.tolist() == chart.price.tolist()
    assert back.gap_before.tolist() == [place.seat.gap_before for place in places]
    assert float(np.abs(back.x - chart.x).max()) <= back.header["unit"] / 2 + 1e-9
    assert float(np.abs(back.y - chart.y).max()) <= back.header["unit"] / 2 + 1e-9
    assert back.header["unit"] <= 0.6
    accompanied = [[int(seat), int(chart.companion_of[seat])] for seat in np.flatnonzero(chart.companion_of >= 0)]
    assert back.header["companions"] == accompanied


def test_the_header_says_what_the_map_needs() -> None:
    plan = generators.festival(Festival())
    header = decode_geometry(encode_geometry(plan, build_chart(plan))).header
    pit = header["zones"][0]
    assert (pit["key"], pit["zone_type"], pit["capacity"], len(pit["area"])) == ("pit", "ga_standing", 300, 4)
    assert header["sections"] == {
        "zone": [2, 3],
        "key": ["orchestra", "lounge"],
        "name": ["Orchestra", "VIP lounge"],
        "rows": [12, 10],
    }
    assert header["rows"]["label"][:3] == ["A", "B", "C"]
    assert header["rows"]["numbers"][0] == [[1, 1]]
    assert header["rows"]["keys"][0] == "A-"
    assert header["rows"]["table"] == [0] * 12 + [1] * 10
    first = [place.seat.key for place in walk(plan)].index("T1-1")
    assert header["groups"][0] == ["table-1", "vip_table", "whole", list(range(first, first + 5))]


def test_odd_and_even_are_two_progressions() -> None:
    plan = generators.theatre(Theatre(stalls_rows=1, stalls_seats=7, circle_rows=0, wheelchair_places=0))
    assert decode_geometry(encode_geometry(plan, build_chart(plan))).header["rows"]["numbers"] == [[[7, -2, 4], [2, 2]]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["1", "2", "3", "07", "12a", "²", "0", "99", "-1"]),
                st.floats(0, 1_000),
                st.floats(0, 1_000),
            ),
            min_size=1,
            max_size=12,
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_rows_come_back(rows: list[list[tuple[str, float, float]]]) -> None:
    """Leaps across the whole plan and back too, for which 16 bits are too few unless they wrap."""
    plan = rows_of(rows)
    chart = build_chart(plan)
    back = decode_geometry(encode_geometry(plan, chart))
    places = list(walk(plan))
    assert back.numbers == [place.seat.number for place in places]
    assert back.keys == [place.seat.key for place in places]
    assert back.gap_before.tolist() == [place.seat.gap_before for place in places]
    assert float(np.abs(back.x - chart.x).max()) <= back.header["unit"] / 2 + 1e-9
    assert float(np.abs(back.y - chart.y).max()) <= back.header["unit"] / 2 + 1e-9


def test_leaps_from_edge_to_edge_wrap() -> None:
    plan = rows_of([[("1", 0, 0), ("2", 100_000, 0), ("3", 0, 100_000), ("4", 100_000, 5)]], 100_000)
    chart = build_chart(plan)
    back = decode_geometry(encode_geometry(plan, chart))
    assert np.allclose(back.x, chart.x, atol=back.header["unit"])
    assert np.allclose(back.y, chart.y, atol=back.header["unit"])


def test_the_same_in_json() -> None:
    plan = house()
    said = msgspec.json.decode(msgspec.json.encode(to_geometry_json(plan, build_chart(plan))))
    assert said["x"] == [10, 20, 30, 40, 50, 10, 20]
    assert said["gap_before"] == [0, 0, 1, 0, 0, 0, 0]
    assert said["companions"] == [[1, 0]]
    assert said["rows"]["label"] == ["A", "A"]
    assert said["unit"] == 1


def test_80_000_seats_are_small() -> None:
    plan = generators.arena(
        Arena(tiers=5, rows_per_tier=26, floor_width=1000, floor_height=700, first_tier_sections=24)
    )
    chart = build_chart(plan)
    assert len(chart.x) > 80_000
    assert len(gzip.compress(encode_geometry(plan, chart))) < 70_000


@pytest.mark.parametrize("data", [b"", b"FHG1", b"PNG\0\0\0\0\0"])
def test_other_bytes_are_no_map(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_geometry(data)


def test_a_cut_map_is_noticed() -> None:
    plan = house()
    with pytest.raises(Malformed):
        decode_geometry(encode_geometry(plan, build_chart(plan))[:-1])


# --- states


@given(st.lists(st.integers(0, 3), max_size=50))
def test_states_take_two_bits(states: list[int]) -> None:
    packed = pack_states(np.array(states, dtype=np.uint8))
    assert len(packed) == -(-len(states) // 4)
    assert unpack_states(packed, len(states)).tolist() == states


def test_the_first_seat_has_the_lowest_bits() -> None:
    assert pack_states(np.array([3, 0, 1, 2, 2], dtype=np.uint8)) == bytes([0b10_01_00_11, 0b10])


def test_a_wrong_number_of_states_is_noticed() -> None:
    with pytest.raises(Malformed):
        unpack_states(b"\0\0", 9)
