"""A layout's config: read, checked by its own paths, and written again in the same shape."""

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fullhouse.cli import plans
from fullhouse.kit.errors import Malformed
from fullhouse.seating.plans import formats
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.checks import check
from fullhouse.seating.plans.config import converter as config_converter
from fullhouse.seating.plans.decoding import decode_as
from fullhouse.seating.plans.decoding import decode_plan as read_plan
from fullhouse.seating.plans.generators import generate
from fullhouse.seating.plans.plan import Plan, PlanInvalid, Point, encode, walk
from tests.accounts.helpers import data
from tests.events.helpers import make_venue
from tests.fixtures import Client, Tenant
from tests.seating.helpers import house, post_plan, rows_of
from tests.seating.test_layouts import KINDS, PRETIX

pytestmark = pytest.mark.req("SEAT-1", "SEAT-8")

CONFIG: dict[str, Any] = json.loads((Path(__file__).parent / "fixtures" / "config.json").read_bytes())
EXCERPT = {  # one seat of a zone, as somebody shows what a config looks like
    "zones": [
        {
            "zone_id": "stalls-1",
            "zone_type": "reserved_seating",
            "name": "Stalls",
            "capacity": 120,
            "access_mode": "public",
            "seats": [
                {
                    "seat_id": "stalls-a-1",
                    "row": "A",
                    "number": 1,
                    "category": "standard",
                    "coordinates": {"x": 12, "y": 40},
                }
            ],
        }
    ]
}


def read(document: Any) -> tuple[Plan, list[str]]:
    return config_converter.read_config(msgspec.json.encode(document))


def written(plan: Plan) -> Any:
    return msgspec.json.decode(config_converter.write_config(plan))


def mistakes(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(PlanInvalid) as refused:
        read(document)
    return [(mistake.path, mistake.message) for mistake in refused.value.fields]


def changed(**at: Any) -> Any:
    """The config with other values: `zones_0_seats_1_row="B"`; `...` takes a field away."""
    document = copy.deepcopy(CONFIG)
    for path, value in at.items():
        *steps, last = [int(step) if step.isdigit() else step for step in path.split("__")]
        here: Any = document
        for step in steps:
            here = here[step]
        if value is ...:
            del here[last]
        else:
            here[last] = value
    return document


# --- reading


def test_the_plan_says_what_the_config_says() -> None:
    plan, notes = read(CONFIG)
    assert check(plan) == []
    assert [zone.key for zone in plan.zones] == [zone["zone_id"] for zone in CONFIG["zones"]]
    assert [zone.zone_type for zone in plan.zones] == ["reserved_seating", "ga_seated", "ga_standing", "vip_reserved"]
    assert (plan.zones[2].capacity, plan.zones[2].metadata, plan.zones[3].membership_tier) == (
        400,
        {"entrance": "north"},
        "friends",
    )
    seats = {place.seat.key: place for place in walk(plan)}
    listed = {seat["seat_id"]: seat for zone in CONFIG["zones"] for seat in zone.get("seats", ())}
    assert seats.keys() == listed.keys()
    for key, seat in listed.items():
        found = seats[key]
        assert (found.row.label, found.seat.number) == (seat["row"], str(seat["number"]))
        assert (found.seat.category, found.seat.x, found.seat.y) == (seat["category"], *seat["coordinates"].values())
    assert seats["orchestra-A-1"].seat.companions == ("orchestra-A-2",)
    assert [key for key, place in seats.items() if place.seat.gap_before] == ["orchestra-A-3"]
    assert (plan.total_capacity, plan.focal_point) == (709, Point(70, 0))
    assert any("1 found in 3 rows" in note for note in notes)
    assert any("middle of the upper edge" in note for note in notes)


def test_seats_listed_in_any_order_stand_side_by_side() -> None:
    document = copy.deepcopy(CONFIG)
    seats = document["zones"][0]["seats"]
    document["zones"][0]["seats"] = [seats[n] for n in (0, 4, 2, 5, 1, 6, 3)]
    plan, notes = read(document)
    assert [place.seat.key for place in walk(plan)][:7] == [seat["seat_id"] for seat in seats]
    assert any("sorted by position" in note for note in notes)


def test_an_excerpt_has_as_many_places_as_seats() -> None:
    plan, notes = read(EXCERPT)
    assert (plan.total_capacity, plan.name) == (1, "Seating plan")
    assert any("“Stalls” states a capacity of 120 but lists 1 seat" in note for note in notes)
    # Fewer than seats is no excerpt: somebody meant a limit, and the seats would break it.
    assert mistakes(changed(zones__0__capacity=6)) == [
        ("zones[0].capacity", "The capacity is 6, but the zone has 7 seats.")
    ]


def test_a_layout_around_the_config() -> None:
    around = {"name": "Main Hall", "description": "Two floors.", "total_capacity": 709, "status": "draft"}
    plan, notes = read(around | {"config": CONFIG})
    assert (plan.name, plan.description, plan.total_capacity) == ("Main Hall", "Two floors.", 709)
    assert any("The field status is not known here" in note for note in notes)
    assert [path for path, _ in mistakes(around | {"config": changed(zones__0__seats__1__row=...)})] == [
        "config.zones[0].seats[1].row"
    ]
    wrong = dict(mistakes(around | {"config": changed(zones__0__seats__1__seat_id="lounge-1")}))
    assert {"config.zones[3].seats[0].seat_id", "config.seat_groups[0].seat_ids[1]"} <= wrong.keys()
    assert all(path.startswith("config.") for path in wrong)
    assert mistakes(around | {"config": CONFIG, "total_capacity": 700})[0][0] == "total_capacity"


def test_pairs_are_found_however_they_are_said() -> None:
    place, companion = "zones__0__seats__0__companion_seat_id", "zones__0__seats__1__companion_seat_id"
    for said in ({place: ...}, {companion: ...}, {place: ..., companion: ...}):
        plan, _ = read(changed(**said))
        assert build_chart(plan).companion_of[:4].tolist() == [-1, 0, -1, -1]
    alone = changed(**{place: ..., companion: ...}, seat_groups__0=...)
    plan, notes = read(alone)  # not even a group: it stands beside the place
    assert build_chart(plan).companion_of[:4].tolist() == [-1, 0, -1, -1]
    assert any("“orchestra-A-2” goes with “orchestra-A-1”" in note for note in notes)
    alone["zones"][0]["seats"][1]["coordinates"]["x"] = 40  # beyond the aisle
    assert [path for path, _ in mistakes(alone)] == ["zones[0].seats[1].category"]


def test_a_wheelchair_place_should_have_a_companion() -> None:
    _, notes = read(changed(zones__0__seats__4__category="wheelchair"))
    assert "1 wheelchair space without a companion seat." in notes
    assert not any("without a companion" in note for note in read(CONFIG)[1])


def test_a_place_with_two_companions_keeps_both() -> None:
    seat = {"category": "companion", "companion_of_seat_id": "orchestra-A-1"}
    document = changed(zones__0__seats__4=CONFIG["zones"][0]["seats"][4] | seat)
    plan, _ = read(document)
    assert np.flatnonzero(build_chart(plan).companion_of == 0).tolist() == [1, 4]
    assert (build_chart(read(written(plan))[0]).companion_of == build_chart(plan).companion_of).all()


# --- mistakes


@pytest.mark.parametrize(
    ("document", "path", "said"),
    [
        (changed(zones__0__zone_type="balcony"), "zones[0].zone_type", "Invalid enum value"),
        (changed(zones__0__seats__2__coordinates=...), "zones[0].seats[2].coordinates", "This field is required."),
        (changed(zones__0__seats__2__coordinates__x="far"), "zones[0].seats[2].coordinates.x", "Expected a number"),
        (changed(zones__0__seats__2__seat_id="orchestra-B-3"), "zones[0].seats[6].seat_id", "at zones[0].seats[2]."),
        (changed(zones__0__seats__5__number=1), "zones[0].seats[5].number", "at zones[0].seats[4]."),
        (changed(zones__0__seats__5__coordinates={"x": 10, "y": 70}), "zones[0].seats[5]", "zones[0].seats[4]."),
        (changed(zones__0__seats__0__companion_seat_id="gone"), "zones[0].seats[0].companion_seat_id", "“gone”"),
        (changed(zones__0__seats__1__companion_seat_id="gone"), "zones[0].seats[1].companion_seat_id", "“gone”"),
        (
            changed(zones__0__seats__1__companion_seat_id="orchestra-A-3"),
            "zones[0].seats[1].companion_seat_id",
            "is of the category standard, not wheelchair.",
        ),
        (
            changed(zones__0__seats__2__companion_seat_id="orchestra-A-1"),
            "zones[0].seats[2].companion_seat_id",
            "Only a wheelchair space has companions.",
        ),
        (changed(zones__1__zone_id="pit"), "zones[2].zone_id", "used already, at zones[1].zone_id."),
        (changed(zones__1__capacity=...), "zones[1].capacity", "A ga_seated zone needs a capacity."),
        (changed(zones__3__membership_tier=...), "zones[3].membership_tier", "needs a tier"),
        (changed(zones__3__seats=[]), "zones[3].seats", "A vip_reserved zone needs seats."),
        (changed(seat_groups__1__group_id="pair-1"), "seat_groups[1].group_id", "at seat_groups[0].group_id."),
        (changed(seat_groups__1__seat_ids=["lounge-1", "x"]), "seat_groups[1].seat_ids[1]", "There is no seat “x”."),
        (changed(seat_groups__0__seat_ids=["orchestra-A-1"]), "seat_groups[0].seat_ids", "needs a companion seat."),
    ],
)  # fmt: skip
def test_a_mistake_has_the_configs_own_path(document: Any, path: str, said: str) -> None:
    found = dict(mistakes(document))
    assert path in found, found
    assert said in found[path]
    assert not any("sections" in where or ".rows" in where for where in found)


def test_what_is_no_config_at_all() -> None:
    documents: list[Any] = [[], {"zones": 7}, {}, {"config": None}]
    for document in documents:
        assert mistakes(document)
    with pytest.raises(Malformed):
        config_converter.read_config(b"{")


# --- the same shape again


def test_the_config_comes_back() -> None:
    plan, _ = read(CONFIG)
    again = written(plan)
    for zone, before in zip(again["zones"], CONFIG["zones"], strict=True):
        for seat in zone.get("seats", ()):
            assert seat.pop("gap_before", False) == (seat["seat_id"] == "orchestra-A-3")
        assert zone == before
    assert again["seat_groups"] == CONFIG["seat_groups"]
    assert read(written(plan)) == (plan, [])


@pytest.mark.parametrize("kind", KINDS)
def test_any_plan_comes_back_the_same(kind: str) -> None:
    said = {"kind": kind} | ({"tiers": 1, "rows_per_tier": 2} if kind == "arena" else {})
    plan = generate(decode_as(plans.KINDS[kind], said))  # type: ignore[arg-type]
    again, notes = config_converter.read_config(config_converter.write_config(plan))
    assert notes == []
    before, after = build_chart(plan), build_chart(again)
    for name in ("zone", "section", "run", "x", "y", "category", "price", "companion_of"):
        assert (getattr(before, name) == getattr(after, name)).all(), name
    assert [p.seat.number for p in walk(again)] == [p.seat.number for p in walk(plan)]
    assert (again.groups, again.focal_point, again.width, again.height) == (
        plan.groups,
        plan.focal_point,
        plan.width,
        plan.height,
    )
    assert config_converter.write_config(again) == config_converter.write_config(plan)


def test_coordinates_below_zero_are_moved_together() -> None:
    plan, notes = read(changed(zones__0__seats__0__coordinates={"x": -5, "y": 50}))
    seats = {place.seat.key: place.seat for place in walk(plan)}
    assert (seats["orchestra-A-1"].x, seats["orchestra-A-2"].x) == (20, 45)
    assert any("moved by (25, 0)" in note for note in notes)


# --- by its shape, over HTTP and with names


def test_a_document_is_known_by_its_shape() -> None:
    assert formats.detect_format(CONFIG) == "config"
    assert formats.detect_format({"config": CONFIG}) == "config"
    assert formats.detect_format(EXCERPT) == "config"
    assert formats.detect_format(PRETIX) == "fullhouse"
    assert formats.detect_format({"zones": [{"zone_id": "of pretix", "rows": []}]}) == "fullhouse"
    assert formats.detect_format(json.loads(encode(house()))) == "fullhouse"
    assert formats.detect_format([]) == "fullhouse"


@pytest.mark.parametrize("query", ["", "?format=config"])
async def test_a_config_goes_in_and_comes_out(query: str, client: Client, tenant: Tenant) -> None:
    admin = client.as_(tenant.tokens["admin"])
    path = f"/api/venues/{(await make_venue(admin))['id']}/layouts/import{query}"
    made = data(await post_plan(admin, path, msgspec.json.encode(CONFIG)), 201)
    assert (made["seat_count"], made["total_capacity"], made["status"]) == (9, 709, "draft")
    assert [zone["key"] for zone in made["zones"]] == [zone["zone_id"] for zone in CONFIG["zones"]]
    answer = await admin.get(f"/api/layouts/{made['id']}/plan?format=config")
    again = answer.json()
    assert [zone["zone_id"] for zone in again["zones"]] == [zone["zone_id"] for zone in CONFIG["zones"]]
    assert again["zones"][0]["seats"][0] == CONFIG["zones"][0]["seats"][0]
    once_more = data(await post_plan(admin, path, answer.content), 201)
    assert once_more["notes"] == []
    assert (await admin.get(f"/api/layouts/{once_more['id']}/plan?format=config")).json() == again
    plain = read_plan((await admin.get(f"/api/layouts/{made['id']}/plan")).content)
    assert plain.zones[0].sections[0].rows[0].seats[0].companions == ("orchestra-A-2",)
    assert (await admin.get(f"/api/layouts/{made['id']}/plan?format=pretix")).status_code == 422


async def test_a_mistake_is_answered_with_its_path(client: Client, tenant: Tenant) -> None:
    admin = client.as_(tenant.tokens["admin"])
    venue = await make_venue(admin, max_capacity=100)
    path = f"/api/venues/{venue['id']}/layouts/import"
    refused = await post_plan(admin, path, msgspec.json.encode(changed(zones__0__seats__5__number=1)))
    assert refused.status_code == 422
    assert [field["path"] for field in refused.json()["fields"]] == ["zones[0].seats[5].number"]
    too_large = await post_plan(admin, path, msgspec.json.encode(CONFIG))
    assert "709" in too_large.json()["detail"]
    assert data(await post_plan(admin, path, rows_of(("A", 3))), 201)["seat_count"] == 3
