"""What follows from the engine's word, and what a basket may be: tables, without a database."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from fullhouse.holds import policy
from fullhouse.holds.model import (
    CapacityInUse,
    InvalidRequest,
    Item,
    SeatsAreAssigned,
    TooManySeats,
    TooManyWheelchairs,
)
from fullhouse.holds.policy import Limit, Load
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.seating.policy import EffectivePolicy

UNTIL = datetime(2030, 1, 1, tzinfo=UTC)
# The engine's word, and what the caller is told: another code, or the same.
STATUSES = {
    "event_not_found": 404,
    "event_not_available": 400,
    "event_sales_closed": 400,
    "seat_not_found": 404,
    "zone_not_found": 404,
    "seat_not_available": 409,
    "seat_held_by_another_user": 409,
    "again": 409,
    "block_at_capacity": 409,
    "too_many_holds": 429,
    "max_holds_per_user": 409,
    "max_holds_per_ip": 409,
    "max_seats_per_booking": 409,
    "max_wheelchair_seats_per_booking": 409,
    "ticket_type_not_found": 404,
    "ticket_type_not_on_sale": 409,
    "ticket_type_sold_out": 409,
    "max_per_order": 409,
}
OTHER_CODES = {"again": "seat_no_longer_available"}


class Word(NamedTuple):
    outcome: str
    held_until: datetime | None = UNTIL
    left_s: int | None = 7
    seat_status: str | None = "blocked"


def terms(**values: Any) -> EffectivePolicy:
    usual: dict[str, Any] = {
        "default_hold_ttl_minutes": 5,
        "holds_per_window": 30,
        "max_holds_per_user": 6,
        "max_holds_per_ip": 20,
        "max_seats_per_booking": 4,
        "max_wheelchair_seats_per_booking": 1,
        "prefer_clustering_over_selection": False,
        "orphan_avoidance_strict": True,
        "group_adjacency_strict": False,
        "max_group_split": 2,
        "enforce_accessibility_rules": True,
    }
    return EffectivePolicy(usual | values)


def somebody(*allowed: str) -> Principal:
    return Principal(organization_id=new_id(), actor=SYSTEM, role="customer", allowed=frozenset(allowed))


@pytest.mark.parametrize("word", STATUSES)
def test_each_word_of_the_engine_has_its_refusal(word: str) -> None:
    found = policy.to_refusal(Word(word), terms())
    assert (found.code, found.status) == (OTHER_CODES.get(word, word), STATUSES[word])
    assert found.is_audited == (word != "again")  # who was only late is not written down
    assert set(policy.REFUSALS) == set(STATUSES)


def test_a_refusal_says_what_the_next_step_needs() -> None:
    def extra(word: Word) -> dict[str, Any]:
        return policy.to_refusal(word, terms(), seat_id="s").extra

    assert extra(Word("seat_not_available")) == {"current_status": "blocked", "seat_id": "s"}
    held = policy.to_refusal(Word("seat_held_by_another_user"), terms())
    assert held.extra == {"current_status": "held", "expires_at": UNTIL, "expires_in": 7}
    assert held.detail == "Another buyer has reserved it for at most 7 more seconds."
    paid = policy.to_refusal(Word("seat_held_by_another_user", left_s=None), terms())  # while it is paid for
    assert paid.detail == "Another buyer is paying for it."
    assert (paid.extra["expires_at"], paid.extra["expires_in"]) == (None, None)
    assert policy.to_refusal(Word("too_many_holds"), terms()).retry_after_s == 300
    assert policy.to_refusal(Word("max_seats_per_booking"), terms()).extra == {"most": 4}
    assert policy.to_refusal(Word("max_wheelchair_seats_per_booking"), terms()).extra == {"most": 1}


@pytest.mark.parametrize(("held", "sold", "good"), [(2, 3, True), (2, 4, False), (0, 5, True), (6, 0, False)])
def test_a_limit_is_never_below_what_is_taken(held: int, sold: int, good: bool) -> None:
    limit = Limit(new_id(), "Hall", 5, held, sold)
    if good:
        policy.check_limit(limit)
        return
    with pytest.raises(CapacityInUse) as refused:
        policy.check_limit(limit)
    assert refused.value.extra == {
        "event_id": limit.event_id,
        "name": "Hall",
        "capacity": 5,
        "held": held,
        "sold": sold,
    }


@pytest.mark.parametrize(
    ("status", "noted", "here"),
    [
        *((403, True, True), (403, False, True), (400, False, True), (400, True, False), (409, False, True)),
        *((409, True, False), (404, False, False), (429, False, False)),
    ],
)
def test_the_audit_hears_once_of_what_somebody_did_wrong(status: int, noted: bool, here: bool) -> None:
    refusal = Refusal()
    refusal.status, refusal.is_audited = status, noted  # type: ignore[misc]
    assert policy.needs_audit(refusal) == here


SEAT, ZONE, TYPE = new_id(), new_id(), new_id()


@pytest.mark.parametrize(
    ("items", "paths"),
    [
        ([Item(seat_id=SEAT), Item(zone_id=ZONE, quantity=3), Item(ticket_type_id=TYPE, quantity=2)], []),
        ([Item(zone_id=ZONE, ticket_type_id=TYPE), Item(zone_id=ZONE)], []),
        ([], ["items"]),
        ([Item()], ["items[0]"]),
        ([Item(zone_id=ZONE), Item(seat_id=SEAT, zone_id=ZONE)], ["items[1]"]),
        ([Item(seat_id=SEAT, ticket_type_id=TYPE)], ["items[0]"]),
        ([Item(seat_id=SEAT), Item(seat_id=SEAT)], ["items[1]"]),
        ([Item(seat_id=SEAT, quantity=2)], ["items[0].quantity"]),
        ([Item(), Item(seat_id=SEAT, quantity=2)], ["items[0]", "items[1].quantity"]),
    ],
)
def test_each_item_names_one_thing_and_none_twice(items: list[Item], paths: list[str]) -> None:
    if not paths:
        policy.check_items(items)
        return
    with pytest.raises(InvalidRequest) as refused:
        policy.check_items(items)
    assert [field.path for field in refused.value.fields] == paths


def test_a_booking_has_as_many_places_as_the_house_allows() -> None:
    policy.check_size(4, 1, terms())
    with pytest.raises(TooManySeats):
        policy.check_size(5, 0, terms())
    with pytest.raises(TooManyWheelchairs):
        policy.check_size(2, 2, terms())


@pytest.mark.parametrize(
    ("picked", "chooses", "staff", "good"),
    [(0, True, False, True), (1, True, False, False), (1, True, True, True), (1, False, False, True)],
)
def test_where_the_house_chooses_its_staff_alone_picks(picked: int, chooses: bool, staff: bool, good: bool) -> None:
    who = somebody(*(["seating.write"] if staff else ["holds.write"]))
    assert policy.is_staff(who) == staff
    house = terms(prefer_clustering_over_selection=chooses)
    if good:
        policy.check_picking(picked, house, who)
        return
    with pytest.raises(SeatsAreAssigned):
        policy.check_picking(picked, house, who)


def test_limits_are_the_policys() -> None:
    assert policy.limits(terms()) == (300, 30, 6, 20, 4)
    assert policy.limits(terms(max_holds_per_user=None, max_holds_per_ip=None)) == (300, 30, None, None, 4)


@pytest.mark.parametrize(
    ("baskets", "has", "kept"),
    [
        ([Load(6, 1, 4)], Load(0, 0, 0), [True]),  # to the last of each
        ([Load(7, 0, 4)], Load(0, 0, 0), [False]),
        ([Load(1, 0, 5)], Load(0, 0, 0), [False]),
        ([Load(1, 2, 2)], Load(0, 0, 0), [False]),
        ([Load(1, 0, 1)], Load(0, 2, 1), [True]),  # too many wheelchairs before are not this one's fault
        ([Load(1, 0, 3), Load(1, 0, 2), Load(1, 0, 1)], Load(0, 0, 0), [True, False, True]),
        ([Load(1, 0, 1)], Load(6, 0, 0), [False]),
    ],
)
def test_the_first_baskets_that_fit_are_kept(baskets: list[Load], has: Load, kept: list[bool]) -> None:
    assert policy.find_fitting(baskets, has, terms()) == kept


def test_without_a_limit_of_holds_any_number_fits() -> None:
    assert policy.find_fitting([Load(99, 0, 1)], Load(0, 0, 0), terms(max_holds_per_user=None)) == [True]


def test_the_rules_of_seats_are_the_policys() -> None:
    found = policy.orphan_rules(terms(), explicit_wish=True)
    assert (found.strict, found.adjacency_strict, found.max_group_split) == (True, False, 2)
    assert (found.allow_split, found.explicit_wish, found.companions_kept) == (False, True, True)
    other = terms(orphan_avoidance_strict=False, group_adjacency_strict=True, enforce_accessibility_rules=False)
    found = policy.orphan_rules(other, allow_split=True)
    assert (found.strict, found.adjacency_strict, found.companions_kept) == (False, True, False)
    assert (found.allow_split, found.explicit_wish) == (True, False)
