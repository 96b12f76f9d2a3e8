"""Venues and gates over HTTP."""

import asyncio
from typing import Any

import pytest

from tests.fixtures import Client, Tenant

HALL: dict[str, Any] = {
    "name": "Grande Salle",
    "city": "Liège",
    "country": "BE",
    "timezone": "Europe/Brussels",
    "address": "Place Xavier-Neujean 7, Liège",
}


async def make(client: Client, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/venues", json=HALL | more)
    assert answer.status_code == 201, answer.text
    venue: dict[str, Any] = answer.json()["data"]
    return venue


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.mark.req("EV-1")
async def test_a_venue_as_it_was_asked_for(admin: Client) -> None:
    answer = await admin.post(
        "/api/venues",
        json=HALL
        | {"latitude": 50.64, "longitude": 5.57, "max_capacity": 900, "settings": {"doors_min": 60}}
        | {"address_parts": {"street": "Place Xavier-Neujean 7", "postal_code": "4000"}},
    )
    assert answer.status_code == 201
    venue = answer.json()["data"]
    assert venue["slug"] == "grande-salle"
    assert answer.headers["location"] == f"/api/venues/{venue['id']}"
    assert answer.headers["etag"] == '"1"'
    again = await admin.get(answer.headers["location"])
    assert again.json()["data"] == venue


@pytest.mark.req("EV-1")
async def test_generated_slugs_give_way_and_chosen_ones_do_not(
    admin: Client, client: Client, other_tenant: Tenant
) -> None:
    slugs = [(await make(admin))["slug"] for _ in range(3)]
    assert slugs == ["grande-salle", "grande-salle-2", "grande-salle-3"]
    taken = await admin.post("/api/venues", json=HALL | {"slug": "grande-salle"})
    assert (taken.status_code, taken.json()["code"]) == (409, "slug_taken")
    elsewhere = client.as_(other_tenant.tokens["owner"])
    assert (await make(elsewhere, slug="grande-salle"))["slug"] == "grande-salle"


@pytest.mark.req("EV-1")
async def test_many_at_once_get_a_slug_each(admin: Client) -> None:
    venues = await asyncio.gather(*(make(admin) for _ in range(8)))
    assert len({venue["slug"] for venue in venues}) == 8


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ({"timezone": "Mars/Olympus"}, "unknown_timezone", "timezone"),
        ({"timezone": "../etc/passwd"}, "unknown_timezone", "timezone"),
        ({"latitude": 91.0, "longitude": 0.0}, "invalid", "latitude"),
        ({"latitude": 1.0}, "invalid", "longitude"),
        ({"name": ""}, "invalid", "name"),
        ({"name": "x" * 101}, "invalid", "name"),
        ({"city": "x" * 51}, "invalid", "city"),
        ({"country": "B"}, "invalid", "country"),
        ({"address": "abc"}, "invalid", "address"),
        ({"address": None}, "invalid", "address"),
        ({"max_capacity": -1}, "invalid", "max_capacity"),
        ({"slug": "Not A Slug"}, "invalid", "slug"),
        ({"organization_id": "x"}, "unknown_field", "organization_id"),
    ],
)
async def test_wrong_venues(admin: Client, wrong: dict[str, Any], code: str, field: str) -> None:
    answer = await admin.post("/api/venues", json=HALL | wrong)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == code
    assert answer.json()["fields"][0]["path"] == field
    assert (await admin.get("/api/venues")).json()["data"] == []


@pytest.mark.req("EV-1")
async def test_a_virtual_venue_needs_no_address(admin: Client) -> None:
    assert (await make(admin, kind="virtual", address=None))["address"] is None


@pytest.mark.req("EV-1", "AUD-1")
async def test_a_change_moves_the_version_and_says_what_differs(admin: Client, tenant: Tenant, owner: Any) -> None:
    venue = await make(admin)
    path = f"/api/venues/{venue['id']}"
    first = await admin.patch(path, json={"name": "Petite Salle"}, headers={"if-match": '"1"'})
    assert first.headers["etag"] == '"2"'
    stale = await admin.patch(path, json={"name": "Autre"}, headers={"if-match": '"1"'})
    assert (stale.status_code, stale.json()["code"], stale.json()["version"]) == (412, "stale_version", 2)
    same = await admin.patch(path, json={"name": "Petite Salle"})
    assert same.json()["data"]["version"] == 2
    rows = await owner.fetch(
        "SELECT before, after FROM audit_log WHERE organization_id = $1 AND action = 'venue.updated'", tenant.id
    )
    assert len(rows) == 1
    assert '"Grande Salle"' in rows[0]["before"]
    assert '"Petite Salle"' in rows[0]["after"]


@pytest.mark.req("EV-1")
async def test_two_changes_based_on_one_version_have_one_winner(admin: Client) -> None:
    venue = await make(admin)
    answers = await asyncio.gather(
        *(
            admin.patch(f"/api/venues/{venue['id']}", json={"name": f"Salle {n}"}, headers={"if-match": '"1"'})
            for n in range(6)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412, 412, 412]


@pytest.mark.req("EV-1", "RBAC-1")
async def test_staff_edit_venues_only_if_the_organisation_says_so(
    admin: Client, client: Client, tenant: Tenant
) -> None:
    staff = client.as_(tenant.tokens["staff"])
    venue = await make(staff)
    assert (await admin.patch("/api/org", json={"staff_may_edit_venues": False})).status_code == 200
    calls = [
        await staff.post("/api/venues", json=HALL),
        await staff.patch(f"/api/venues/{venue['id']}", json={"name": "New"}),
        await staff.post(f"/api/venues/{venue['id']}/gates", json={"gate_code": "A", "name": "A"}),
    ]
    assert {(call.status_code, call.json()["code"]) for call in calls} == {(403, "not_granted_to_staff")}
    await make(admin)


@pytest.mark.req("EV-11")
async def test_gates(admin: Client) -> None:
    venue, other = await make(admin), await make(admin)
    path = f"/api/venues/{venue['id']}/gates"
    made = await admin.post(path, json={"gate_code": "GATE_A", "name": "North", "capacity": 400})
    assert made.status_code == 201
    gate = made.json()["data"]
    assert (gate["status"], gate["capacity"], gate["venue_id"]) == ("open", 400, venue["id"])
    twice = await admin.post(path, json={"gate_code": "GATE_A", "name": "Again"})
    assert (twice.status_code, twice.json()["code"]) == (409, "gate_code_taken")
    elsewhere = await admin.post(f"/api/venues/{other['id']}/gates", json={"gate_code": "GATE_A", "name": "North"})
    assert elsewhere.status_code == 201
    closed = await admin.patch(made.headers["location"], json={"status": "closed"}, headers={"if-match": '"1"'})
    assert closed.json()["data"]["status"] == "closed"
    assert (await admin.get(path, params={"status": "open"})).json()["data"] == []
    assert len((await admin.get(path, params={"status": "closed"})).json()["data"]) == 1


@pytest.mark.req("EV-11")
@pytest.mark.parametrize("wrong", [{"gate_code": "gate a"}, {"gate_code": ""}, {"capacity": 0}, {"status": "ajar"}])
async def test_wrong_gates(admin: Client, wrong: dict[str, Any]) -> None:
    venue = await make(admin)
    path = f"/api/venues/{venue['id']}/gates"
    assert (await admin.post(path, json={"gate_code": "A", "name": "A"} | wrong)).status_code == 422
    assert (await admin.get(path)).json()["data"] == []


@pytest.mark.req("EV-11")
async def test_deleting_a_venue_takes_its_gates_along(admin: Client, owner: Any, tenant: Tenant) -> None:
    venue = await make(admin)
    gate = await admin.post(f"/api/venues/{venue['id']}/gates", json={"gate_code": "A", "name": "A"})
    assert (await admin.delete(f"/api/venues/{venue['id']}", headers={"if-match": '"7"'})).status_code == 412
    assert (await admin.delete(f"/api/venues/{venue['id']}")).status_code == 204
    assert (await admin.get(gate.headers["location"])).status_code == 404
    facts = await owner.fetch("SELECT name FROM outbox WHERE organization_id = $1 ORDER BY seq", tenant.id)
    assert [row["name"] for row in facts if row["name"].startswith(("venue", "gate"))] == [
        "venue.changed",
        "gate.changed",
        "venue.changed",
    ]
