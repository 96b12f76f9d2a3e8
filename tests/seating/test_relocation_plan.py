"""Who sits where on another layout version: decided without I/O."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullhouse.seating.plans.plan import Plan, Point, Row, Seat, Section, Zone, price_of, walk
from fullhouse.seating.relocation.policy import Move, ZoneTerms, plan_moves
from tests.seating.helpers import (
    rows_of,
    without_lounge,
)


def keys(plan: Plan) -> list[str]:
    return [place.seat.key for place in walk(plan)]


def offer(plan: Plan, ordinal: int) -> tuple[object, ...]:
    place = list(walk(plan))[ordinal]
    zone = place.zone
    access = (zone.zone_type, zone.access_mode, zone.membership_tier, zone.allowed_roles)
    return price_of(zone, place.row, place.seat), place.seat.category, access


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Up to two zones of a few seats whose keys, prices and kinds two such plans may share or not."""
    names = draw(st.lists(st.integers(1, 14), min_size=1, max_size=12, unique=True))
    cut = draw(st.integers(0, len(names)))
    zones = []
    for index, part in enumerate((names[:cut], names[cut:])):
        if not part:
            continue
        seats = [
            Seat(
                key=f"S-{n}",
                number=str(n),
                x=draw(st.integers(0, 50)),
                y=draw(st.integers(0, 50)),
                price_category=draw(st.sampled_from([None, "one", "two"])),
                category=draw(st.sampled_from(["standard", "restricted_view"])),
            )
            for n in part
        ]
        section = Section(key=f"s{index}", name="S", rows=(Row(label="A", seats=tuple(seats)),))
        tier = draw(st.sampled_from([None, "friends"]))
        zones.append(
            Zone(
                key=f"z{index}",
                name="Z",
                sections=(section,),
                membership_tier=tier,
                access_mode="membership_tier" if tier else "public",
            )
        )
    return Plan(name="P", width=100, height=100, focal_point=Point(0, 0), zones=tuple(zones))


@pytest.mark.req("SEAT-4")
@settings(max_examples=300, deadline=None)
@given(plans(), plans(), st.data())
def test_every_ticket_moves_once_and_nobody_sits_on_anybody(old: Plan, new: Plan, more: st.DataObject) -> None:
    sold = more.draw(st.lists(st.integers(0, len(keys(old)) - 1), unique=True))
    blocked = more.draw(st.lists(st.integers(0, len(keys(new)) - 1), unique=True))
    tickets = [(f"T{ordinal}", ordinal) for ordinal in sold]
    moves = plan_moves(old, new, tickets, blocked)
    assert sorted((move.ticket, move.here) for move in moves) == sorted(tickets)
    taken = [move.to for move in moves if move.to is not None]
    assert len(taken) == len(set(taken))
    assert not set(taken) & set(blocked)
    for move in moves:
        assert (move.kind == "unplaced") == (move.to is None)
        if move.to is not None:
            assert offer(old, move.here) == offer(new, move.to)
        unchanged = _unchanged(old, new, move.here)
        assert (move.kind == "same") == (unchanged is not None and unchanged not in blocked)
        if move.kind == "same":
            assert move.to == unchanged
    assert plan_moves(old, new, reversed(tickets), blocked) == moves  # the order of asking changes nothing


def _unchanged(old: Plan, new: Plan, here: int) -> int | None:
    """Where the seat is in the new plan, if it is still what was sold."""
    key = keys(old)[here]
    there = keys(new).index(key) if key in keys(new) else None
    return there if there is not None and offer(old, here) == offer(new, there) else None


@pytest.mark.req("SEAT-4")
def test_the_nearest_seat_that_is_no_farther_from_the_stage() -> None:
    old, new = rows_of(("A", 4), ("B", 4)), rows_of(("A", 4), ("B", 2))
    sold = [("left", 4), ("gone", 6), ("last", 7)]
    assert plan_moves(old, new, sold, blocked=[2]) == [
        Move("left", 4, 4, "same"),
        Move("gone", 6, 5, "equal_or_better", "The seat is gone."),
        Move("last", 7, 3, "equal_or_better", "The seat is gone."),
    ]
    none = plan_moves(rows_of(("A", 1)), rows_of(("B", 0), ("C", 0), ("D", 1)), [("front", 0)])
    assert [(move.kind, move.to) for move in none] == [("unplaced", None)]  # a worse seat is no seat
    assert none[0].reason


@pytest.mark.req("SEAT-4")
def test_what_the_show_makes_of_its_zones_counts() -> None:
    plan = without_lounge()
    usual = ZoneTerms("reserved_seating", ("public", None, ()))
    here = {"stalls": usual}
    sold = [("T", 3)]
    assert plan_moves(plan, plan, sold, (), here, here)[0].kind == "same"
    assert plan_moves(plan, plan, sold, (), here, {})[0].kind == "unplaced"  # disabled
    assert plan_moves(plan, plan, sold, (), here, {"stalls": usual._replace(zone_type="ga_standing")})[0].to is None
    assert plan_moves(plan, plan, sold, (), here, {"stalls": usual._replace(price="two")})[0].to is None
    assert plan_moves(plan, plan, sold, (), {"stalls": usual._replace(price="one")}, here)[0].kind == "same"
