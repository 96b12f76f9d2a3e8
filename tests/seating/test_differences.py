"""Two versions of a layout, seat by seat."""

from typing import Any

import pytest
from msgspec.structs import replace

from fullhouse.seating.plans.differences import (
    Moved,
    Recategorised,
    Renumbered,
    SeatName,
    SeatTerms,
    ZoneChange,
    compare_plans,
)
from fullhouse.seating.plans.plan import Plan, Point, Row, Seat
from tests.seating.helpers import house

pytestmark = pytest.mark.req("SEAT-2")


def with_row(plan: Plan, row: Row, **zone: Any) -> Plan:
    first = plan.zones[0]
    section = replace(first.sections[0], rows=(row,))
    return replace(plan, zones=(replace(first, sections=(section,), **zone), *plan.zones[1:]))


def row() -> Row:
    return house().zones[0].sections[0].rows[0]


def test_equal_plans_differ_in_nothing() -> None:
    assert compare_plans(house(), house()).is_empty


def test_seats_come_and_go() -> None:
    new = Seat(key="A-6", number="6", x=60, y=50)
    changed = with_row(house(), replace(row(), seats=(*row().seats[:4], new)))
    found = compare_plans(house(), changed)
    assert (found.added, found.removed) == (("A-6",), ("A-5",))
    assert not any([found.moved, found.recategorised, found.renumbered])
    assert not found.is_empty


def test_a_seat_moves() -> None:
    seats = row().seats
    changed = with_row(house(), replace(row(), seats=(*seats[:4], replace(seats[4], x=55.0))))
    found = compare_plans(house(), changed)
    assert found.moved == (Moved("A-5", Point(50, 50), Point(55, 50)),)
    assert not any([found.added, found.removed, found.recategorised, found.renumbered, found.zones])


def test_category_price_and_zone_are_what_a_seat_is_sold_as() -> None:
    seats = row().seats
    changed = with_row(
        house(),
        replace(
            row(),
            seats=(*seats[:3], replace(seats[3], price_category="two"), replace(seats[4], category="standard")),
        ),
    )
    assert compare_plans(house(), changed).recategorised == (
        Recategorised("A-4", SeatTerms("stalls", "standard", "one"), SeatTerms("stalls", "standard", "two")),
        Recategorised("A-5", SeatTerms("stalls", "restricted_view", "two"), SeatTerms("stalls", "standard", "two")),
    )


def test_a_new_price_for_the_zone_reaches_the_seats_that_name_none() -> None:
    changed = with_row(house(), row(), price_category="two")
    assert [change.seat for change in compare_plans(house(), changed).recategorised] == ["A-1", "A-2", "A-3", "A-4"]


def test_a_seat_that_changes_its_zone_is_neither_new_nor_gone() -> None:
    plan = house()
    moved = plan.zones[2].sections[0].rows[0].seats[0]
    lounge = plan.zones[2]
    rest = replace(lounge.sections[0].rows[0], seats=lounge.sections[0].rows[0].seats[1:])
    changed = with_row(plan, replace(row(), seats=(*row().seats, replace(moved, number="6"))))
    changed = replace(
        changed,
        zones=(*changed.zones[:2], replace(lounge, sections=(replace(lounge.sections[0], rows=(rest,)),))),
    )
    found = compare_plans(plan, changed)
    assert not any([found.added, found.removed])
    assert found.recategorised == (
        Recategorised("V-1", SeatTerms("lounge", "standard", None), SeatTerms("stalls", "standard", "one")),
    )
    assert found.renumbered == (Renumbered("V-1", SeatName("Lounge", "A", "1"), SeatName("Main", "A", "6")),)
    assert found.zones == (ZoneChange("stalls", "changed", ("seats",)), ZoneChange("lounge", "changed", ("seats",)))


def test_other_words_on_the_ticket() -> None:
    changed = with_row(house(), replace(row(), label="AA"))
    found = compare_plans(house(), changed)
    assert len(found.renumbered) == 5
    assert found.renumbered[0] == Renumbered("A-1", SeatName("Main", "A", "1"), SeatName("Main", "AA", "1"))


def test_zones_come_go_and_change() -> None:
    plan = house()
    pit = replace(plan.zones[1], key="floor", name="Floor")
    changed = replace(plan, zones=(plan.zones[0], pit, replace(plan.zones[2], membership_tier="patrons")))
    assert compare_plans(plan, changed).zones == (
        ZoneChange("pit", "removed"),
        ZoneChange("floor", "added"),
        ZoneChange("lounge", "changed", ("membership_tier",)),
    )
