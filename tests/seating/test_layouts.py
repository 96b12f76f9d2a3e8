"""Layouts over HTTP: made whole or not at all, and versioned."""

import asyncio
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.seating.maps.geometry import decode_geometry
from fullhouse.seating.plans.chart import seat_id
from fullhouse.seating.plans.decoding import decode_plan
from fullhouse.seating.plans.plan import encode
from tests.accounts.helpers import audited, data, refused
from tests.counts import Counts
from tests.events.helpers import announced, make_venue
from tests.fixtures import Client, Tenant
from tests.seating.helpers import house, make_layout, next_version, post_plan, rows_of

JSON = {"content-type": "application/json"}
KINDS = ("straight", "curved", "arena", "tables", "theatre", "festival")
PRETIX: dict[str, Any] = {
    "name": "Kleine Bühne",
    "categories": [{"name": "A", "color": "#123456"}],
    "zones": [
        {
            "name": "Parkett",
            "position": {"x": 0, "y": 0},
            "rows": [
                {
                    "row_number": "1",
                    "position": {"x": 10, "y": 10},
                    "seats": [
                        {"seat_number": n, "seat_guid": f"p-{n}", "position": {"x": x, "y": 0}, "category": "A"}
                        for n, x in (("1", 0), ("2", 20), ("3", 40))
                    ],
                }
            ],
            "areas": [],
        }
    ],
    "size": {"width": 200, "height": 100},
    "mood": "cheerful",
}  # fmt: skip


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


# --- making one


@pytest.mark.req("SEAT-1", "AUD-1")
async def test_a_layout_is_made_of_a_plan(admin: Client, tenant: Tenant, owner: Any) -> None:
    venue = await make_venue(admin)
    answer = await post_plan(admin, f"/api/venues/{venue['id']}/layouts", house())
    made = data(answer, 201)
    assert answer.headers["location"] == f"/api/layouts/{made['id']}"
    assert (made["version"], made["status"], made["family_id"]) == (1, "draft", made["id"])
    assert (made["total_capacity"], made["seat_count"], made["venue_id"]) == (47, 7, venue["id"])
    assert [(zone["key"], zone["position"], zone["capacity"]) for zone in made["zones"]] == [
        ("stalls", 0, 5),
        ("pit", 1, 40),
        ("lounge", 2, 2),
    ]
    assert made["zones"][2]["membership_tier"] == "friends"
    assert data(await admin.get(f"/api/layouts/{made['id']}")) == made
    assert [row["id"] for row in data(await admin.get(f"/api/venues/{venue['id']}/layouts"))] == [made["id"]]
    (row,) = await audited(owner, tenant, "layout.created")
    assert str(row["entity_id"]) == made["id"]
    (fact,) = await announced(owner, made)
    assert (fact["name"], fact["layout_version"], fact["status"]) == ("layout.changed", 1, "draft")


@pytest.mark.req("SEAT-1", "ACC-1", "SEAT-5")
async def test_what_is_stored_of_it(admin: Client, owner: Any) -> None:
    wish = {"kind": "tables", "rows": 1, "columns": 2, "seats_per_table": 3, "sold_as": "whole"}
    made = data(await admin.post(f"/api/venues/{(await make_venue(admin))['id']}/layouts/generate", json=wish), 201)
    seats = await owner.fetch("SELECT * FROM seats WHERE layout_id::text = $1 ORDER BY ordinal", made["id"])
    assert [row["ordinal"] for row in seats] == list(range(6))
    assert [row["id"] for row in seats] == [seat_id(UUID(made["id"]), n) for n in range(6)]
    groups = await owner.fetch("SELECT * FROM seat_groups WHERE layout_id::text = $1 ORDER BY group_key", made["id"])
    assert [(row["sold_as"], row["ordinals"]) for row in groups] == [("whole", [0, 1, 2]), ("whole", [3, 4, 5])]
    small = await make_layout(admin, house())
    pair = await owner.fetch(
        "SELECT id, companion_of, category FROM seats WHERE layout_id::text = $1 ORDER BY ordinal LIMIT 2", small["id"]
    )
    assert (pair[0]["category"], pair[1]["category"], pair[1]["companion_of"]) == (
        "wheelchair",
        "companion",
        pair[0]["id"],
    )


@pytest.mark.req("SEAT-1")
async def test_all_mistakes_are_listed_and_nothing_is_written(admin: Client, owner: Any) -> None:
    venue = await make_venue(admin, max_capacity=45)
    document = msgspec.json.decode(encode(house()))
    stalls = document["zones"][0]["sections"][0]["rows"][0]["seats"]
    stalls[3]["key"] = "A-3"
    stalls[0]["companions"] = ["B-9"]
    document["zones"][2].pop("membership_tier")
    document["total_capacity"] = 12
    path = f"/api/venues/{venue['id']}/layouts"
    async with Counts(owner).unchanged():
        answer = await post_plan(admin, path, msgspec.json.encode(document))
    assert refused(answer) == (422, "seating_plan_invalid")
    fields = {field["path"]: field["message"] for field in answer.json()["fields"]}
    seats = "zones[0].sections[0].rows[0].seats"
    assert fields[f"{seats}[3].key"] == f"The seat key “A-3” is used already, at {seats}[2]."
    assert fields[f"{seats}[0].companions[0]"] == "There is no seat “B-9”."
    assert fields[f"{seats}[1].category"] == "A companion seat needs a wheelchair space that names it."
    assert fields["zones[2].membership_tier"] == "The access mode membership_tier needs a tier."
    assert fields["total_capacity"] == "The total is given as 12, but the zones add up to 47."
    assert fields["zones"] == "The zones add up to 47 places; the venue admits 45."


async def test_a_document_that_is_no_plan(admin: Client) -> None:
    path = f"/api/venues/{(await make_venue(admin))['id']}/layouts"
    assert refused(await post_plan(admin, path, b"{nothing")) == (400, "malformed_request")
    assert refused(await post_plan(admin, path, b"[]")) == (422, "seating_plan_invalid")
    named = encode(msgspec.structs.replace(house(), name="NUL")).replace(b"NUL", b"N\\u0000L")
    assert (await post_plan(admin, path, named)).status_code == 400
    assert (await admin.post(path, content=encode(house()), headers={"content-type": "text/plain"})).status_code == 415
    assert refused(await post_plan(admin, f"/api/venues/{new_id()}/layouts", house())) == (404, "not_found")


@pytest.mark.req("SEAT-1")
async def test_imports(admin: Client) -> None:
    path = f"/api/venues/{(await make_venue(admin))['id']}/layouts/import"
    ours = data(await post_plan(admin, path, house()), 201)
    assert (ours["notes"], ours["seat_count"]) == ([], 7)
    theirs = data(await post_plan(admin, f"{path}?format=pretix", msgspec.json.encode(PRETIX)), 201)
    assert (theirs["name"], theirs["seat_count"], theirs["status"]) == ("Kleine Bühne", 3, "draft")
    assert any("mood" in note for note in theirs["notes"])
    assert (await post_plan(admin, f"{path}?format=word", house())).status_code == 422


@pytest.mark.req("SEAT-1")
@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_is_generated_and_drawn(kind: str, admin: Client) -> None:
    wish = {"kind": kind} | ({"tiers": 1, "rows_per_tier": 2} if kind == "arena" else {})
    path = f"/api/venues/{(await make_venue(admin))['id']}/layouts/generate"
    made = data(await admin.post(path, json=wish), 201)
    assert made["seat_count"] > 0
    stored, asked = (
        await admin.get(f"/api/layouts/{made['id']}/preview.svg"), await admin.post("/api/layouts/preview", json=wish),
    )  # fmt: skip
    for picture in (stored, asked):
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/svg+xml")
        assert "script" not in picture.headers["content-security-policy"]
        assert picture.text.startswith("<svg")
    assert stored.text == asked.text


async def test_a_generator_says_what_it_cannot_do(admin: Client, owner: Any) -> None:
    venue = await make_venue(admin, max_capacity=10)
    async with Counts(owner).unchanged():
        path = f"/api/venues/{venue['id']}/layouts/generate"
        assert refused(await admin.post(path, json={"kind": "straight"})) == (422, "seating_plan_invalid")
        assert refused(await admin.post(path, json={"kind": "pyramid"}))[0] == 422
        assert refused(await admin.post(path, json={"kind": "straight", "colour": "red"}))[0] == 422


@pytest.mark.req("SEAT-1", "BUY-2")
async def test_a_repeated_creation_takes_effect_once(admin: Client) -> None:
    venue = await make_venue(admin)
    path = f"/api/venues/{venue['id']}/layouts"
    first, second = [await post_plan(admin, path, house(), **{"idempotency-key": "one"}) for _ in range(2)]
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert len(data(await admin.get(path))) == 1
    other = await post_plan(admin, path, rows_of(("A", 2)), **{"idempotency-key": "one"})
    assert other.status_code == 422


# --- versions


@pytest.mark.req("SEAT-2", "AUD-1")
async def test_versions_have_numbers_and_one_is_active(admin: Client, tenant: Tenant, owner: Any) -> None:
    first = await make_layout(admin)
    drafts = [
        data(await post_plan(admin, f"/api/layouts/{first['id']}/versions", rows_of(("A", n))), 201) for n in (2, 3)
    ]
    assert [(d["version"], d["family_id"], d["status"]) for d in drafts] == [
        (2, first["id"], "draft"),
        (3, first["id"], "draft"),
    ]
    data(await admin.post(f"/api/layouts/{drafts[1]['id']}/activate"))
    listed = data(await admin.get(f"/api/venues/{first['venue_id']}/layouts"))
    assert [(row["version"], row["status"]) for row in listed] == [(1, "archived"), (2, "draft"), (3, "active")]
    active = data(await admin.get(f"/api/venues/{first['venue_id']}/layouts?status=active"))
    assert [row["id"] for row in active] == [drafts[1]["id"]]
    assert len(await audited(owner, tenant, "layout.active")) == 2


@pytest.mark.req("SEAT-2")
async def test_versions_made_at_once_have_different_numbers(admin: Client) -> None:
    first = await make_layout(admin)
    path = f"/api/layouts/{first['id']}/versions"
    answers = await asyncio.gather(*(post_plan(admin, path, rows_of(("A", 2))) for _ in range(6)))
    assert sorted(data(answer, 201)["version"] for answer in answers) == [2, 3, 4, 5, 6, 7]


@pytest.mark.req("SEAT-2")
async def test_of_versions_activated_at_once_one_is_active(admin: Client) -> None:
    first = await make_layout(admin)
    path = f"/api/layouts/{first['id']}/versions"
    drafts = [data(await post_plan(admin, path, rows_of(("A", 2))), 201) for _ in range(5)]
    answers = await asyncio.gather(*(admin.post(f"/api/layouts/{draft['id']}/activate") for draft in drafts))
    assert {answer.status_code for answer in answers} == {200}
    listed = data(await admin.get(f"/api/venues/{first['venue_id']}/layouts"))
    assert sorted(row["status"] for row in listed) == ["active"] + ["archived"] * 5


@pytest.mark.req("SEAT-2")
async def test_a_number_is_not_lost_with_the_first_version(admin: Client) -> None:
    first = await make_layout(admin, active=False)
    second = data(await post_plan(admin, f"/api/layouts/{first['id']}/versions", house()), 201)
    assert (await admin.delete(f"/api/layouts/{first['id']}")).status_code == 204
    third = data(await post_plan(admin, f"/api/layouts/{second['id']}/versions", house()), 201)
    assert (third["version"], third["family_id"]) == (3, first["id"])


@pytest.mark.req("SEAT-2")
async def test_a_draft_is_replaced_in_place_and_nothing_else_is(admin: Client, owner: Any) -> None:
    draft = await make_layout(admin, active=False)
    path = f"/api/layouts/{draft['id']}"
    replaced = data(await admin.put(path, content=encode(rows_of(("A", 3))), headers=JSON))
    assert (replaced["version"], replaced["seat_count"], replaced["name"]) == (1, 3, "Rows")
    assert [zone["key"] for zone in replaced["zones"]] == ["stalls"]
    assert await owner.fetchval("SELECT count(*) FROM seats WHERE layout_id::text = $1", draft["id"]) == 3
    wrong = await admin.put(path, content=encode(rows_of(("A", 3), ("A", 3))), headers=JSON)
    assert refused(wrong) == (422, "seating_plan_invalid")
    assert await owner.fetchval("SELECT count(*) FROM seats WHERE layout_id::text = $1", draft["id"]) == 3
    data(await admin.post(f"{path}/activate"))
    for _ in ("active", "archived"):
        assert refused(await admin.put(path, content=encode(house()), headers=JSON)) == (409, "layout_fixed")
        assert refused(await admin.delete(path)) == (409, "layout_fixed")
        assert refused(await admin.post(f"{path}/activate")) == (409, "layout_fixed")
        data(await admin.post(f"{path}/archive"))
    assert data(await admin.post(f"{path}/archive"))["status"] == "archived"  # a second time changes nothing


async def test_a_deleted_draft_leaves_nothing(admin: Client, owner: Any, tenant: Tenant) -> None:
    draft = await make_layout(admin, active=False)
    assert (await admin.delete(f"/api/layouts/{draft['id']}")).status_code == 204
    assert refused(await admin.get(f"/api/layouts/{draft['id']}")) == (404, "layout_not_found")
    for table in ("zones", "seats", "seat_groups"):
        assert await owner.fetchval(f"SELECT count(*) FROM {table} WHERE organization_id = $1", tenant.id) == 0


# --- reading


@pytest.mark.req("SEAT-1")
async def test_the_plan_comes_back_as_it_went_in(admin: Client) -> None:
    layout = await make_layout(admin)
    answer = await admin.get(f"/api/layouts/{layout['id']}/plan")
    assert answer.headers["content-type"] == "application/json"
    assert decode_plan(answer.content) == house()
    again = data(await post_plan(admin, f"/api/layouts/{layout['id']}/versions", answer.content), 201)
    difference = data(await admin.get(f"/api/layouts/{again['id']}/differences?since={layout['id']}"))
    assert not any(difference.values())


@pytest.mark.req("SEAT-2")
async def test_differences_between_versions(admin: Client) -> None:
    first = await make_layout(admin, rows_of(("A", 4)))
    second = await next_version(admin, first, rows_of(("A", 3), ("B", 1)))
    path = f"/api/layouts/{second['id']}/differences"
    found = data(await admin.get(f"{path}?since={first['id']}"))
    assert (found["added"], found["removed"]) == (["B-1"], ["A-4"])
    assert refused(await admin.get(f"{path}?since={new_id()}")) == (404, "layout_not_found")
    assert (await admin.get(path)).status_code == 422


@pytest.mark.req("TEN-2")
async def test_another_organisations_layout_is_none(client: Client, admin: Client, other_tenant: Tenant) -> None:
    stranger = client.as_(other_tenant.tokens["owner"])
    layout = await make_layout(admin)
    path = f"/api/layouts/{layout['id']}"
    answers = [
        await stranger.get(path), await stranger.get(f"{path}/plan"), await stranger.get(f"{path}/preview.svg"),
        await stranger.get(f"{path}/differences?since={layout['id']}"), await stranger.delete(path),
        await stranger.post(f"{path}/activate"), await stranger.post(f"{path}/archive"),
        await post_plan(stranger, f"{path}/versions", house()),
        await stranger.put(path, content=encode(house()), headers=JSON),
    ]  # fmt: skip
    assert {refused(answer) for answer in answers} == {(404, "layout_not_found")}
    venue = f"/api/venues/{layout['venue_id']}/layouts"
    assert (
        refused(await stranger.get(venue)) == refused(await post_plan(stranger, venue, house())) == (404, "not_found")
    )


async def test_layouts_are_listed_in_pages(admin: Client) -> None:
    venue = await make_venue(admin)
    made = [await make_layout(admin, rows_of(("A", 1)), venue_id=venue["id"], active=False) for _ in range(3)]
    path = f"/api/venues/{venue['id']}/layouts"
    first = (await admin.get(f"{path}?limit=2")).json()
    rest = (await admin.get(f"{path}?limit=2&cursor={first['next_cursor']}")).json()
    assert [row["id"] for row in first["data"] + rest["data"]] == [row["id"] for row in made]
    assert rest["next_cursor"] is None
    assert refused(await admin.get(f"{path}?status=draft&cursor={first['next_cursor']}")) == (422, "invalid_cursor")


async def test_a_draft_as_maps_draw_it(admin: Client) -> None:
    layout = await make_layout(admin)
    answer = await admin.get(f"/api/layouts/{layout['id']}/seatmap")
    found = decode_geometry(answer.content)
    assert found.header["seats"] == layout["seat_count"] == len(found.keys)
    assert [zone["key"] for zone in found.header["zones"]] == [zone["key"] for zone in layout["zones"]]
