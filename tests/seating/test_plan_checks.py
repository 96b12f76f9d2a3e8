"""What is wrong with a plan: each mistake by itself gives its path and its sentence, and several are all listed."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from fullhouse.kit.errors import FieldError, Malformed
from fullhouse.seating.plans import plan as document
from fullhouse.seating.plans.checks import check
from fullhouse.seating.plans.decoding import LISTED_MAX, decode_plan
from fullhouse.seating.plans.generators import Straight, straight
from fullhouse.seating.plans.plan import Group, Plan, PlanInvalid, Point, PriceCategory, Row, Seat, Section, Zone
from tests.seating.helpers import house

Change = Callable[[Plan], Plan]


def zone(index: int, **fields: Any) -> Change:
    return lambda plan: replace(plan, zones=_with(plan.zones, index, replace(plan.zones[index], **fields)))


def seat(index: int, **fields: Any) -> Change:
    """Changes a seat of the first row."""

    def change(plan: Plan) -> Plan:
        row = plan.zones[0].sections[0].rows[0]
        return _first_row(plan, replace(row, seats=_with(row.seats, index, replace(row.seats[index], **fields))))

    return change


def row(**fields: Any) -> Change:
    return lambda plan: _first_row(plan, replace(plan.zones[0].sections[0].rows[0], **fields))


def whole(**fields: Any) -> Change:
    return lambda plan: replace(plan, **fields)


def group(key: str, seats: tuple[str, ...], **fields: Any) -> Group:
    return Group(**{"key": key, "group_type": "family_block", "seats": seats, **fields})


def _first_row(plan: Plan, changed: Row) -> Plan:
    section = plan.zones[0].sections[0]
    section = replace(section, rows=_with(section.rows, 0, changed))
    return zone(0, sections=_with(plan.zones[0].sections, 0, section))(plan)


def _with(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    return (*items[:index], item, *items[index + 1 :])


SEAT = "zones[0].sections[0].rows[0].seats"
TRIANGLE = (Point(0, 0), Point(10, 0), Point(0, 10))

# id: change, path, sentence
MISTAKES: dict[str, tuple[Change, str, str]] = {
    "seat key twice": (seat(4, key="A-4"), f"{SEAT}[4].key", f"The seat key “A-4” is used already, at {SEAT}[3]."),
    "zone key twice": (
        zone(1, key="stalls"),
        "zones[1].key",
        "The zone key “stalls” is used already, at zones[0].key.",
    ),
    "section key twice": (
        zone(
            2,
            sections=(
                Section(key="main", name="B", rows=(Row(label="A", seats=(Seat(key="L-1", number="1", x=90, y=90),)),)),
            ),
        ),
        "zones[2].sections[0].key",
        "The section key “main” is used already, at zones[0].sections[0].key.",
    ),
    "price key twice": (
        whole(price_categories=tuple(PriceCategory(key=key, name=key) for key in ("one", "two", "one"))),
        "price_categories[2].key",
        "The price key “one” is used already, at price_categories[0].key.",
    ),
    "group key twice": (
        whole(groups=(group("g", ("A-4",)), group("g", ("A-5",)))),
        "groups[1].key",
        "The group key “g” is used already, at groups[0].key.",
    ),
    "same words on two tickets": (
        seat(4, number="4"),
        f"{SEAT}[4].number",
        f"This section has a seat 4 in row A already, at {SEAT}[3].",
    ),
    "same place": (seat(1, x=10.0, y=50.0), f"{SEAT}[1]", f"The seat lies exactly where another one is: {SEAT}[0]."),
    "outside": (seat(4, x=500.0), f"{SEAT}[4]", "The point (500, 50) lies outside the plan of 200 × 100."),
    "not a number": (seat(4, x=float("nan")), f"{SEAT}[4]", "Both coordinates must be finite numbers."),
    "endless": (seat(4, y=float("inf")), f"{SEAT}[4]", "Both coordinates must be finite numbers."),
    "endless plan": (whole(width=float("inf")), "width", "Expected a finite number above zero."),
    "empty row": (
        lambda plan: zone(
            2,
            sections=(
                replace(plan.zones[2].sections[0], rows=(*plan.zones[2].sections[0].rows, Row(label="Z", seats=()))),
            ),
        )(plan),
        "zones[2].sections[0].rows[1].seats",
        "A row needs at least one seat.",
    ),
    "no zones": (whole(zones=(), focal_point=None), "zones", "A plan needs at least one zone."),
    "capacity of seats": (zone(0, capacity=7), "zones[0].capacity", "The capacity is 7, but the zone has 5 seats."),
    "capacity of nothing": (zone(1, capacity=0), "zones[1].capacity", "A capacity must be above zero."),
    "negative capacity": (zone(0, capacity=-3), "zones[0].capacity", "A capacity must be above zero."),
    "GA without capacity": (zone(1, capacity=None), "zones[1].capacity", "A ga_standing zone needs a capacity."),
    "GA with seats": (
        zone(0, zone_type="ga_seated", capacity=5),
        "zones[0].sections",
        "A ga_seated zone has no seats of its own, only a capacity.",
    ),
    "reserved without seats": (zone(2, sections=()), "zones[2].sections", "A vip_reserved zone needs seats."),
    "total": (whole(total_capacity=99), "total_capacity", "The total is given as 99, but the zones add up to 47."),
    "tier missing": (
        zone(2, membership_tier=None),
        "zones[2].membership_tier",
        "The access mode membership_tier needs a tier.",
    ),
    "tier too many": (
        zone(0, membership_tier="friends"),
        "zones[0].membership_tier",
        "A tier has no meaning with the access mode public.",
    ),
    "roles missing": (
        zone(0, access_mode="role_based"),
        "zones[0].allowed_roles",
        "The access mode role_based needs at least one role.",
    ),
    "roles too many": (
        zone(0, access_mode="whitelist", allowed_roles=("staff",)),
        "zones[0].allowed_roles",
        "Roles have no meaning with the access mode whitelist.",
    ),
    "role unknown": (
        zone(0, access_mode="role_based", allowed_roles=("staff", "organizer")),
        "zones[0].allowed_roles[1]",
        "There is no role “organizer”. The roles are owner, admin, staff, scanner, customer.",
    ),
    "public VIP": (
        zone(1, zone_type="vip_standing"),
        "zones[1].access_mode",
        "A vip_standing zone cannot be public. Restrict it, or make it a zone of another type with a price category of"
        " its own.",
    ),
    "companion unknown": (
        seat(0, companions=("A-2", "A-9")),
        f"{SEAT}[0].companions[1]",
        "There is no seat “A-9”.",
    ),
    "companion of another kind": (
        seat(0, companions=("A-2", "A-3")),
        f"{SEAT}[0].companions[1]",
        "The seat “A-3” is of the category standard, not companion.",
    ),
    "companion elsewhere": (
        lambda plan: seat(0, companions=("A-2", "V-1"))(
            zone(
                2,
                sections=(
                    Section(
                        key="lounge",
                        name="Lounge",
                        rows=(
                            Row(
                                label="A",
                                seats=(
                                    Seat(key="V-1", number="1", x=10, y=90, category="companion"),
                                    Seat(key="V-2", number="2", x=20, y=90),
                                ),
                            ),
                        ),
                    ),
                ),
            )(plan)
        ),
        f"{SEAT}[0].companions[1]",
        "The seat “V-1” is in another zone.",
    ),
    "companion claimed twice": (
        seat(2, category="wheelchair", companions=("A-2",)),
        f"{SEAT}[2].companions[0]",
        f"The seat “A-2” accompanies another wheelchair space already, at {SEAT}[0].",
    ),
    "companions of a standard seat": (
        seat(4, companions=("A-2",)),
        f"{SEAT}[4].companions",
        "Only a wheelchair space has companions.",
    ),
    "companion alone": (
        seat(4, category="companion"),
        f"{SEAT}[4].category",
        "A companion seat needs a wheelchair space that names it.",
    ),
    "empty group": (whole(groups=(group("g", ()),)), "groups[0].seats", "A group needs seats."),
    "group of a ghost": (whole(groups=(group("g", ("A-4", "X")),)), "groups[0].seats[1]", "There is no seat “X”."),
    "group across zones": (
        whole(groups=(group("g", ("A-4", "V-1")),)),
        "groups[0].seats[1]",
        "The seat “V-1” is in another zone than the seats before it.",
    ),
    "groups overlap": (
        whole(groups=(group("g", ("A-4",)), group("h", ("A-5", "A-4")))),
        "groups[1].seats[1]",
        "The seat “A-4” is in the group “g” already.",
    ),
    "seat twice in a group": (
        whole(groups=(group("g", ("A-4", "A-4")),)),
        "groups[0].seats[1]",
        "The seat “A-4” is in this group already.",
    ),
    "wheelchair pair sold whole": (
        whole(groups=(group("g", ("A-1", "A-2"), group_type="wheelchair_pair", sold_as="whole"),)),
        "groups[0].sold_as",
        "A wheelchair pair is sold by the seat, never only as a whole.",
    ),
    "wheelchair pair without one": (
        whole(groups=(group("g", ("A-4", "A-5"), group_type="wheelchair_pair"),)),
        "groups[0].seats",
        "A wheelchair pair needs a wheelchair space.",
    ),
    "wheelchair pair of one": (
        whole(groups=(group("g", ("A-1",), group_type="wheelchair_pair"),)),
        "groups[0].seats",
        "A wheelchair pair needs a companion seat.",
    ),
    "wheelchair pair with a stranger": (
        whole(groups=(group("g", ("A-1", "A-2", "A-3"), group_type="wheelchair_pair"),)),
        "groups[0].seats[2]",
        "The seat “A-3” is of the category standard, not companion.",
    ),
    "price of a seat": (seat(3, price_category="x"), f"{SEAT}[3].price_category", "There is no price category “x”."),
    "price of a row": (
        row(price_category="x"),
        "zones[0].sections[0].rows[0].price_category",
        "There is no price category “x”.",
    ),
    "price of a zone": (zone(1, price_category="x"), "zones[1].price_category", "There is no price category “x”."),
    "area of two points": (zone(1, area=TRIANGLE[:2]), "zones[1].area", "An area needs at least three points."),
    "area outside": (
        zone(1, area=(*TRIANGLE, Point(-5, 20))),
        "zones[1].area[3]",
        "The point (-5, 20) lies outside the plan of 200 × 100.",
    ),
    "no focal point": (
        whole(focal_point=None),
        "focal_point",
        "A plan with seats needs the point that people look at, such as the stage.",
    ),
    "focal point outside": (
        whole(focal_point=Point(100, 101)),
        "focal_point",
        "The point (100, 101) lies outside the plan of 200 × 100.",
    ),
}


@pytest.mark.req("SEAT-1")
def test_a_sound_plan_has_no_mistakes() -> None:
    assert check(house()) == []
    assert check(house(), venue_capacity=47) == []
    assert check(house(), venue_capacity=0) == []


@pytest.mark.req("SEAT-1", "SEAT-5", "ZONE-1", "ACC-1")
@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_alone(name: str) -> None:
    change, path, sentence = MISTAKES[name]
    assert check(change(house())) == [FieldError(path, sentence)]


@pytest.mark.req("SEAT-1")
def test_several_mistakes_are_all_listed() -> None:
    names = (
        "tier too many",
        "GA without capacity",
        "total",
        "companion alone",
        "price of a zone",
        "focal point outside",
    )
    plan = house()
    for name in names:
        plan = MISTAKES[name][0](plan)
    found = check(plan)
    assert {error.path for error in found} == {MISTAKES[name][1] for name in names}
    assert len(found) == len(names)


@pytest.mark.req("SEAT-1", "ZONE-1")
def test_the_venue_limits_the_sum() -> None:
    sentence = "The zones add up to 47 places; the venue admits 46."
    assert check(house(), venue_capacity=46) == [FieldError("zones", sentence)]


@pytest.mark.req("ACC-1")
def test_a_wheelchair_place_needs_no_companion() -> None:
    alone = seat(1, category="standard")(seat(0, companions=())(house()))
    assert check(alone) == []


@pytest.mark.req("ZONE-1")
def test_a_plan_without_seats_needs_no_focal_point() -> None:
    field = Zone(key="field", name="Field", zone_type="ga_standing", capacity=5_000)
    assert check(Plan(name="Open air", width=10, height=10, zones=(field,), total_capacity=5_000)) == []


def test_the_list_ends_somewhere() -> None:
    plan = straight(Straight(rows=20, seats_per_row=20))
    section = plan.zones[0].sections[0]
    shifted = tuple(replace(r, seats=tuple(replace(s, x=float("nan")) for s in r.seats)) for r in section.rows)
    found = check(replace(plan, zones=(replace(plan.zones[0], sections=(replace(section, rows=shifted),)),)))
    assert len(found) == LISTED_MAX + 1
    assert found[-1] == FieldError("", f"… and {400 - LISTED_MAX} more mistakes.")


def test_a_plan_can_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.seating.plans.checks.SEATS_MAX", 6)
    assert check(house()) == [FieldError("zones", "The plan has 7 seats; more than 6 are not possible.")]


# --- the document's shape


@pytest.mark.req("SEAT-1")
def test_a_document_comes_back_as_it_was() -> None:
    plan = house()
    text = document.encode(plan)
    assert text.startswith(b'{"format":"fullhouse/1"')
    assert decode_plan(text) == plan


@pytest.mark.req("SEAT-1")
def test_a_wrong_shape_is_listed_as_a_whole() -> None:
    text = (
        b'{"format": "fullhouse/2", "width": 0, "height": 100, "colour": "red", "zones": [{"key": "a b", "name": " ",'
        b' "zone_type": "lounge", "sections": [{"key": "s", "name": "S", "rows": [{"label": "A", "seats": ['
        b'{"number": 1, "key": "A-1", "x": 1, "y": "2"}, 7]}]}]}]}'
    )
    with pytest.raises(PlanInvalid) as caught:
        decode_plan(text)
    assert {error.path for error in caught.value.fields} == {
        "format",
        "width",
        "colour",
        "zones[0].key",
        "zones[0].name",
        "zones[0].zone_type",
        "zones[0].sections[0].rows[0].seats[0].number",
        "zones[0].sections[0].rows[0].seats[0].y",
        "zones[0].sections[0].rows[0].seats[1]",
        "name",
    }
    sentences = {error.path: error.message for error in caught.value.fields}
    assert sentences["colour"] == "This field is not known here."
    assert sentences["name"] == "This field is required."
    assert sentences["format"] == "Expected “fullhouse/1”."
    assert sentences["zones[0].sections[0].rows[0].seats[0].number"] == "Expected a text."
    assert sentences["zones[0].sections[0].rows[0].seats[1]"] == "Expected an object."


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'{"width": NaN}', b"[" * 5_000])
def test_what_is_no_json_is_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        decode_plan(text)


@pytest.mark.parametrize("text", [b"[]", b"null", b"7", b'{"width": 1e999}'])
def test_what_is_no_plan_is_refused(text: bytes) -> None:
    with pytest.raises(PlanInvalid) as caught:
        decode_plan(text)
    assert caught.value.fields


def test_keys_take_no_line_break_at_their_end() -> None:
    text = document.encode(house()).replace(b'"A-4"', b'"A-4\\n"')
    with pytest.raises(PlanInvalid) as caught:
        decode_plan(text)
    assert [error.path for error in caught.value.fields] == [f"{SEAT}[3].key"]
