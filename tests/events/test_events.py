"""Shows over HTTP: drafting, changing, deleting, copying."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data, refused
from tests.events.helpers import NEW_DATE, SHOW, draft, make_venue, move, read, show_in, trail
from tests.fixtures import Client, Tenant

START, END = SHOW["start_at"], SHOW["end_at"]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["staff"])


def path(event: Any) -> str:
    return f"/api/events/{event['id']}"


# --- drafting


@pytest.mark.req("EV-2", "EV-3")
async def test_a_draft_with_nothing_but_what_is_needed(staff: Client, tenant: Tenant) -> None:
    venue = await make_venue(staff)
    answer = await staff.post("/api/events", json=SHOW | {"venue_id": venue["id"]})
    event = data(answer, 201)
    assert answer.headers["location"] == path(event)
    assert answer.headers["etag"] == '"1"'
    assert event.items() >= SHOW.items()
    assert (
        event.items()
        >= {
            "status": "draft",
            "slug": "the-tempest",
            "doors_at": START,
            "sale_start_at": event["created_at"],
            "sale_end_at": START,
            "capacity": 0,
            "settings": {},
            "created_by": str(tenant.people["staff"].id),
            "venue_name": "Grande Salle",
            "city": "Liège",
            "country": "BE",
            "address": "Place Xavier-Neujean 7, Liège",
            "timezone": "Europe/Brussels",
            "version": 1,
        }.items()
    )
    assert [event[name] for name in ("rescheduled_at", "recurrence_group_id", "replaced_by_event_id")] == [None] * 3
    assert (event["sale_status"], event["can_sell"], event["scanning"], event["visible"]) == (
        "upcoming",
        False,
        "test",
        False,
    )
    assert event["start_at_unix_ms"] == datetime.fromisoformat(START).timestamp() * 1000
    again = await staff.get(answer.headers["location"])
    assert again.headers["etag"] == '"1"'
    assert data(again) | {"server_time_unix_ms": 0} == event | {"server_time_unix_ms": 0}


@pytest.mark.req("EV-2")
async def test_a_draft_with_everything(admin: Client) -> None:
    venue = await make_venue(admin, max_capacity=900)
    wish = {
        "slug": "tempest-premiere",
        "doors_at": "2090-06-01T18:00:00Z",
        "sale_start_at": "2090-01-01T10:00:00Z",
        "sale_end_at": END,
        "capacity": 900,
        "settings": {"age_min": 12},
    }
    event = await draft(admin, venue_id=venue["id"], **wish)
    assert event.items() >= wish.items()


@pytest.mark.req("EV-3")
async def test_the_venue_as_it_was_survives_its_edit_and_its_end(admin: Client) -> None:
    venue = await make_venue(admin)
    event = await draft(admin, venue_id=venue["id"])
    place = {name: event[name] for name in ("venue_name", "city", "country", "address", "timezone")}
    elsewhere = {"name": "Ruin", "city": "Ghent", "country": "FR", "address": "Nowhere 1", "timezone": "Asia/Tokyo"}
    data(await admin.patch(f"/api/venues/{venue['id']}", json=elsewhere))
    assert (await read(admin, event)).items() >= place.items()
    assert (await admin.delete(f"/api/venues/{venue['id']}")).status_code == 204
    left = await read(admin, event)
    assert left["venue_id"] is None
    assert left.items() >= place.items()
    renamed = data(await admin.patch(path(event), json={"name": "Still on"}))
    assert renamed.items() >= place.items()
    assert refused(await admin.post(f"{path(event)}/duplicate", json={"start_at": NEW_DATE})) == (
        422,
        "venue_not_found",
    )


@pytest.mark.req("EV-2")
async def test_the_same_show_twice_is_a_conflict(admin: Client, staff: Client, owner: Any, tenant: Tenant) -> None:
    venue = await make_venue(admin)
    first = await draft(admin, venue_id=venue["id"])
    same = SHOW | {"venue_id": venue["id"], "name": "  the TEMPEST!"}
    assert refused(await admin.post("/api/events", json=same)) == (409, "event_exists")
    assert refused(await admin.post("/api/events", json=same | {"slug": "other"})) == (409, "event_exists")
    count = "SELECT count(*) FROM events WHERE organization_id = $1"
    assert await owner.fetchval(count, tenant.id) == 1
    assert len(await trail(owner, tenant, first)) == 1
    # Another person, place, hour or title makes another show.
    await draft(staff, venue_id=venue["id"])
    await draft(admin)
    await draft(admin, venue_id=venue["id"], start_at="2090-06-01T19:00:01Z")
    other = await draft(admin, venue_id=venue["id"], name="The Storm")
    assert refused(await admin.patch(path(other), json={"name": "The Tempest"})) == (409, "event_exists")
    assert (await read(admin, other))["version"] == 1


@pytest.mark.req("EV-2")
async def test_the_same_show_many_times_at_once_is_one_show(admin: Client) -> None:
    venue = await make_venue(admin)
    wish = SHOW | {"venue_id": venue["id"]}
    answers = await asyncio.gather(*(admin.post("/api/events", json=wish) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409, 409]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"event_exists"}


@pytest.mark.req("EV-2")
async def test_a_repeat_with_its_key_gets_the_first_answer(admin: Client) -> None:
    wish = SHOW | {"venue_id": (await make_venue(admin))["id"]}
    answers = [await admin.post("/api/events", json=wish, headers={"idempotency-key": "k"}) for _ in range(2)]
    assert answers[0].status_code == 201
    assert answers[0].content == answers[1].content
    conflicts = [await admin.post("/api/events", json=wish, headers={"idempotency-key": "other"}) for _ in range(2)]
    assert {refused(answer) for answer in conflicts} == {(409, "event_exists")}


@pytest.mark.req("EV-2")
async def test_generated_slugs_give_way_and_chosen_ones_do_not(
    admin: Client, client: Client, other_tenant: Tenant
) -> None:
    assert [(await draft(admin))["slug"] for _ in range(3)] == ["the-tempest", "the-tempest-2", "the-tempest-3"]
    venue = await make_venue(admin)
    wish = SHOW | {"venue_id": venue["id"], "slug": "the-tempest-2"}
    assert refused(await admin.post("/api/events", json=wish)) == (409, "slug_taken")
    event = await draft(admin, venue_id=venue["id"])
    assert refused(await admin.patch(path(event), json={"slug": "the-tempest"})) == (409, "slug_taken")
    assert (await draft(admin, name="¡…!"))["slug"] == "event"
    assert (await draft(client.as_(other_tenant.tokens["owner"])))["slug"] == "the-tempest"


WRONG_DRAFTS: list[tuple[dict[str, Any], str, str | None]] = [
    ({"start_at": "2020-06-01T19:00:00Z"}, "start_in_the_past", "start_at"),
    ({"end_at": START}, "invalid_times", "end_at"),
    ({"end_at": "2090-06-01T19:00:59Z"}, "invalid_times", "end_at"),
    ({"doors_at": "2090-06-01T19:00:01Z"}, "invalid_times", "doors_at"),
    ({"sale_end_at": "2090-06-01T21:30:01Z"}, "invalid_times", "sale_end_at"),
    ({"sale_start_at": START}, "invalid_times", "sale_end_at"),
    ({"start_at": "tomorrow"}, "invalid", "start_at"),
    ({"end_at": "9999-12-31T23:59:59.999999Z"}, "invalid", None),
    ({"capacity": 401}, "capacity_above_venue", "capacity"),
    ({"capacity": -1}, "invalid", "capacity"),
    ({"name": ""}, "invalid", "name"),
    ({"name": " "}, "invalid", "name"),
    ({"name": "x" * 201}, "invalid", "name"),
    ({"description": ""}, "invalid", "description"),
    ({"description": "x" * 2001}, "invalid", "description"),
    ({"category": "Rock & Roll"}, "invalid", "category"),
    ({"category": "theatre\n"}, "invalid", "category"),
    ({"slug": "Not A Slug"}, "invalid", "slug"),
    ({"slug": "tempest\n"}, "invalid", "slug"),
    ({"venue_id": str(new_id())}, "venue_not_found", "venue_id"),
    ({"venue_id": "here"}, "invalid", "venue_id"),
    ({"status": "published"}, "unknown_field", "status"),
    ({"organization_id": str(new_id())}, "unknown_field", "organization_id"),
]


@pytest.mark.req("EV-2")
async def test_wrong_drafts(admin: Client) -> None:
    venue = await make_venue(admin, max_capacity=400)
    for wrong, code, field in WRONG_DRAFTS:
        answer = await admin.post("/api/events", json=SHOW | {"venue_id": venue["id"]} | wrong)
        assert refused(answer) == (422, code), wrong
        assert field is None or answer.json()["fields"][0]["path"] == field, wrong
    assert data(await admin.get("/api/events")) == []


@pytest.mark.req("EV-2")
async def test_a_venue_without_a_capacity_still_has_the_houses_limit(admin: Client) -> None:
    venue = await make_venue(admin)
    wish = SHOW | {"venue_id": venue["id"], "capacity": 100_001}
    assert refused(await admin.post("/api/events", json=wish)) == (422, "capacity_above_venue")
    assert (await draft(admin, venue_id=venue["id"], capacity=100_000))["capacity"] == 100_000


@pytest.mark.req("EV-2", "TEN-2")
async def test_another_organisations_venue_is_like_none_at_all(
    admin: Client, client: Client, other_tenant: Tenant
) -> None:
    theirs = (await make_venue(client.as_(other_tenant.tokens["owner"])))["id"]
    event = await draft(admin)
    drafts = [await admin.post("/api/events", json=SHOW | {"venue_id": v}) for v in (theirs, str(new_id()))]
    changes = [await admin.patch(path(event), json={"venue_id": v}) for v in (theirs, str(new_id()))]
    assert {refused(answer) for answer in drafts + changes} == {(422, "venue_not_found")}
    assert drafts[0].content == drafts[1].content
    assert changes[0].content == changes[1].content
    assert (await read(admin, event))["version"] == 1


# --- changing


@pytest.mark.req("EV-2", "AUD-1")
async def test_a_change_moves_the_version_and_says_what_differs(admin: Client, owner: Any, tenant: Tenant) -> None:
    event = await draft(admin)
    first = await admin.patch(path(event), json={"name": "King Lear"}, headers={"if-match": '"1"'})
    assert first.headers["etag"] == '"2"'
    assert data(first)["slug"] == "the-tempest"
    stale = await admin.patch(path(event), json={"name": "Macbeth"}, headers={"if-match": '"1"'})
    assert (*refused(stale), stale.json()["version"]) == (412, "stale_version", 2)
    same = data(await admin.patch(path(event), json={"name": "King Lear", "start_at": START}))
    assert same["version"] == 2
    _, row = await trail(owner, tenant, event)
    assert row["action"] == "event.updated"
    assert (row["actor_type"], row["actor_id"]) == ("user", tenant.people["admin"].id)
    assert row["before"].items() >= {"name": "The Tempest", "version": 1}.items()
    assert row["after"].items() >= {"name": "King Lear", "version": 2}.items()
    assert row["before"].keys() == row["after"].keys() == {"name", "version", "updated_at"}


@pytest.mark.req("EV-2")
async def test_a_stale_version_moves_and_deletes_nothing(admin: Client) -> None:
    event = await draft(admin)
    for call in (
        admin.post(f"{path(event)}/publish", headers={"if-match": '"7"'}),
        admin.post(f"{path(event)}/cancel", json={"reason": "Storm"}, headers={"if-match": '"7"'}),
        admin.delete(path(event), headers={"if-match": '"7"'}),
    ):
        assert refused(await call) == (412, "stale_version")
    assert (await read(admin, event))["status"] == "draft"
    assert (await admin.post(f"{path(event)}/publish", headers={"if-match": '"1"'})).headers["etag"] == '"2"'


@pytest.mark.req("EV-2")
async def test_two_changes_based_on_one_version_have_one_winner(admin: Client) -> None:
    event = await draft(admin)
    answers = await asyncio.gather(
        *(admin.patch(path(event), json={"name": f"Act {n}"}, headers={"if-match": '"1"'}) for n in range(6))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412, 412, 412]


WRONG_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"start_at": "2020-06-01T19:00:00Z"}, "start_in_the_past"),
    ({"end_at": START}, "invalid_times"),
    ({"start_at": END, "end_at": END}, "invalid_times"),
    ({"doors_at": END}, "invalid_times"),
    ({"sale_end_at": NEW_DATE}, "invalid_times"),
    ({"capacity": 401}, "capacity_above_venue"),
    ({"name": None}, "invalid"),
    ({"status": "live"}, "unknown_field"),
    ({"rescheduled_at": NEW_DATE}, "unknown_field"),
]


@pytest.mark.req("EV-2")
async def test_wrong_changes(admin: Client) -> None:
    venue = await make_venue(admin, max_capacity=400)
    event = await draft(admin, venue_id=venue["id"])
    for wrong, code in WRONG_CHANGES:
        assert refused(await admin.patch(path(event), json=wrong)) == (422, code), wrong
    assert (await read(admin, event))["version"] == 1


@pytest.mark.req("EV-8", "RBAC-1")
async def test_staff_move_drafts_and_only_admins_move_what_is_announced(admin: Client, staff: Client) -> None:
    event = await draft(staff, doors_at="2090-06-01T18:00:00Z", sale_start_at="2090-01-01T10:00:00Z")
    steps = {"start_at": 1, "end_at": 1, "doors_at": 1, "sale_start_at": 1, "sale_end_at": -1}
    for field, minutes in steps.items():
        event = data(await staff.patch(path(event), json={field: _shifted(event[field], minutes)}))
    event = data(await move(admin, event, "publish"))
    for field, minutes in steps.items():
        step = {field: _shifted(event[field], minutes)}
        assert refused(await staff.patch(path(event), json=step)) == (403, "times_are_fixed"), field
        same = await staff.patch(path(event), json={"description": f"Not {field}.", field: event[field]})
        assert data(same)["version"] == event["version"] + 1
        event = data(await admin.patch(path(event), json=step))
        assert event.items() >= step.items()


def _shifted(moment: str, minutes: int) -> str:
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


@pytest.mark.req("EV-9")
async def test_an_announced_show_changes_its_venue_by_an_admin_who_says_why(
    admin: Client, staff: Client, owner: Any, tenant: Tenant
) -> None:
    there = await make_venue(admin, name="Open Air", city="Namur", max_capacity=50)
    event = await show_in(admin, "published")
    moving = {"venue_id": there["id"]}
    for wish in (moving | {"reason": "storm"}, moving):
        assert refused(await staff.patch(path(event), json=wish)) == (403, "venue_is_fixed")
    assert refused(await admin.patch(path(event), json=moving)) == (409, "venue_change_needs_reason")
    assert (await read(admin, event))["venue_name"] == "Grande Salle"
    moved = data(await admin.patch(path(event), json=moving | {"reason": "storm"}))
    assert (moved["venue_id"], moved["venue_name"], moved["city"]) == (there["id"], "Open Air", "Namur")
    row = (await trail(owner, tenant, event))[-1]
    assert (row["action"], row["reason"], row["before"]["city"], row["after"]["city"]) == (
        "event.updated",
        "storm",
        "Liège",
        "Namur",
    )


@pytest.mark.req("EV-9")
async def test_a_draft_changes_its_venue_freely_within_its_capacity(staff: Client, admin: Client) -> None:
    small, large = await make_venue(admin, max_capacity=50), await make_venue(admin, max_capacity=500)
    event = await draft(staff, venue_id=large["id"], capacity=100)
    smaller = await staff.patch(path(event), json={"venue_id": small["id"]})
    assert refused(smaller) == (422, "capacity_above_venue")
    moved = data(await staff.patch(path(event), json={"venue_id": small["id"], "capacity": 50}))
    assert (moved["venue_id"], moved["capacity"]) == (small["id"], 50)


@pytest.mark.req("EV-10", "TEN-2")
async def test_a_replacement_is_a_show_of_ones_own(admin: Client, client: Client, other_tenant: Tenant) -> None:
    event, instead = await draft(admin), await draft(admin)
    theirs = await draft(client.as_(other_tenant.tokens["owner"]))
    foreign = await admin.patch(path(event), json={"replaced_by_event_id": theirs["id"]})
    missing = await admin.patch(path(event), json={"replaced_by_event_id": str(new_id())})
    assert refused(foreign) == (404, "not_found")
    assert foreign.content == missing.content
    replaced = data(await admin.patch(path(event), json={"replaced_by_event_id": instead["id"]}))
    assert replaced["replaced_by_event_id"] == instead["id"]
    assert (await admin.delete(path(instead))).status_code == 204
    assert (await read(admin, event))["replaced_by_event_id"] is None


# --- deleting and copying


@pytest.mark.req("EV-10", "AUD-1")
async def test_only_drafts_are_deleted(admin: Client, owner: Any, tenant: Tenant) -> None:
    for status in ("published", "live", "ended", "cancelled", "postponed", "archived"):
        event = await show_in(admin, status)
        assert refused(await admin.delete(path(event))) == (409, "event_not_deletable"), status
        assert (await read(admin, event))["status"] == status
    event = await draft(admin)
    assert (await admin.delete(path(event))).status_code == 204
    assert refused(await admin.get(path(event))) == (404, "not_found")
    assert refused(await admin.delete(path(event))) == (404, "not_found")
    assert [row["action"] for row in await trail(owner, tenant, event)] == ["event.created", "event.deleted"]
    listed = "SELECT count(*) FROM event_directory WHERE event_id::text = $1"
    assert await owner.fetchval(listed, event["id"]) == 0


@pytest.mark.req("EV-10")
async def test_a_series_keeps_every_distance_to_the_start(admin: Client, staff: Client) -> None:
    source = await show_in(
        admin,
        "published",
        doors_at="2090-06-01T18:15:00Z",
        sale_start_at="2090-03-01T09:00:00Z",
        sale_end_at=END,
        capacity=300,
        settings={"age_min": 12},
    )
    answer = await staff.post(f"{path(source)}/duplicate", json={"start_at": "2090-07-11T20:00:00Z"})
    copy = data(answer, 201)
    assert answer.headers["location"] == path(copy)
    for name in ("end_at", "doors_at", "sale_start_at", "sale_end_at"):
        assert _from_start(copy, name) == _from_start(source, name), name
    kept = ("name", "description", "category", "capacity", "settings", "venue_id", "venue_name", "timezone")
    assert {name: copy[name] for name in kept} == {name: source[name] for name in kept}
    assert (copy["status"], copy["slug"], copy["version"]) == ("draft", "the-tempest-2", 1)
    third = data(await admin.post(f"{path(copy)}/duplicate", json={"start_at": NEW_DATE, "name": "Encore"}), 201)
    assert third["name"] == "Encore"
    series = {(await read(admin, event))["recurrence_group_id"] for event in (source, copy, third)}
    assert series == {source["id"]}
    assert (await read(admin, source))["status"] == "published"


def _from_start(event: Any, name: str) -> timedelta:
    return datetime.fromisoformat(event[name]) - datetime.fromisoformat(event["start_at"])


@pytest.mark.req("EV-10")
async def test_a_copy_is_a_new_show_by_every_rule(admin: Client) -> None:
    source = await draft(admin)
    for start_at, answer in ((START, (409, "event_exists")), ("2020-01-01T19:00:00Z", (422, "start_in_the_past"))):
        assert refused(await admin.post(f"{path(source)}/duplicate", json={"start_at": start_at})) == answer
    left = await read(admin, source)
    assert (left["recurrence_group_id"], left["version"]) == (None, 1)
    assert len(data(await admin.get("/api/events"))) == 1
