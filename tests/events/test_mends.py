"""What a show must have to be announced, what it may not lose, and what is history; its audit and the next shows."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from fullhouse.events.public import reads
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, make_key, refused
from tests.counts import Counts
from tests.events.helpers import (
    DAY,
    HOUR,
    NEW_DATE,
    announced,
    draft,
    make_venue,
    move,
    read,
    show_in,
    trail,
)
from tests.fixtures import Client, Tenant

OVER = ("ended", "cancelled", "archived")
ANNOUNCED = ("published", "live", "postponed")


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["staff"])


def path(event: Any) -> str:
    return f"/api/events/{event['id']}"


# --- the picture


@pytest.mark.req("EV-2")
@pytest.mark.parametrize("status", ANNOUNCED)
async def test_an_event_may_lose_its_pictures_and_keeps_a_poster(admin: Client, client: Client, status: str) -> None:
    event = await show_in(admin, status)
    service = f"/event/v1/events/{event['id']}"
    assert [cover["generated"] for cover in data(await client.get(service))["cover_images"]] == [False]
    assert data(await admin.patch(path(event), json={"cover_image_ids": []}))["cover_image_ids"] == []
    shown = data(await client.get(service))
    assert (shown["cover_image_ids"], [cover["generated"] for cover in shown["cover_images"]]) == ([], [True])


@pytest.mark.req("EV-4")
async def test_what_cannot_be_published_says_so_before_it_asks_for_a_picture(admin: Client) -> None:
    event = await draft(admin, cover_image_ids=[])
    data(await move(admin, event, "archive"))
    assert refused(await move(admin, event, "publish")) == (409, "transition_not_allowed")


# --- what is over


@pytest.mark.req("EV-4", "EV-10")
@pytest.mark.parametrize("status", OVER)
async def test_what_is_over_is_not_edited_and_can_be_repeated(admin: Client, owner: Any, status: str) -> None:
    event = await show_in(admin, status)
    there = await make_venue(admin)
    wishes: list[dict[str, Any]] = [
        {"name": "Other"}, {"start_at": NEW_DATE, "end_at": "2090-09-01T21:00:00Z"}, {"capacity": 7},
        {"cover_image_ids": []}, {"settings": {"x": 1}}, {"venue_id": there["id"], "reason": "storm"},
    ]  # fmt: skip
    async with Counts(owner).unchanged():
        for wish in wishes:
            assert refused(await admin.patch(path(event), json=wish)) == (409, "event_is_over"), wish
        theirs = await admin.patch(f"/event/v1/events/{event['id']}", json={"title": "Other"})
        assert refused(theirs) == (409, "event_is_over")
    assert (await read(admin, event))["version"] == event["version"]
    copy = data(await admin.post(f"{path(event)}/duplicate", json={"start_at": NEW_DATE}), 201)
    assert (copy["status"], copy["recurrence_group_id"]) == ("draft", event["id"])
    assert (await read(admin, event))["status"] == status


@pytest.mark.req("EV-10")
async def test_a_show_is_not_replaced_by_itself(admin: Client) -> None:
    event = await draft(admin)
    answer = await admin.patch(path(event), json={"replaced_by_event_id": event["id"]})
    assert refused(answer) == (422, "replaced_by_itself")
    assert answer.json()["fields"][0]["path"] == "replaced_by_event_id"
    assert (await read(admin, event))["version"] == 1


@pytest.mark.req("EV-3")
async def test_a_show_whose_venue_is_gone_still_changes_its_capacity(admin: Client) -> None:
    venue = await make_venue(admin, max_capacity=100)
    event = await draft(admin, venue_id=venue["id"], capacity=100)
    assert refused(await admin.patch(path(event), json={"capacity": 101})) == (422, "capacity_above_venue")
    assert (await admin.delete(f"/api/venues/{venue['id']}")).status_code == 204
    assert data(await admin.patch(path(event), json={"capacity": 101}))["capacity"] == 101
    assert refused(await admin.patch(path(event), json={"capacity": 100_001})) == (422, "capacity_above_venue")


@pytest.mark.req("EV-10", "AUD-1")
async def test_the_first_of_a_series_is_audited_and_announced_when_it_becomes_one(
    staff: Client, owner: Any, tenant: Tenant
) -> None:
    source = await draft(staff)
    for start_at in (NEW_DATE, "2090-10-01T19:00:00Z"):
        data(await staff.post(f"{path(source)}/duplicate", json={"start_at": start_at}), 201)
    created, row = await trail(owner, tenant, source)  # the second copy changes nothing about it
    assert (created["action"], row["action"]) == ("event.created", "event.updated")
    assert (row["actor_type"], row["actor_id"]) == ("user", tenant.people["staff"].id)
    assert row["before"]["recurrence_group_id"] is None
    assert row["after"]["recurrence_group_id"] == source["id"]
    facts = await announced(owner, source)
    assert [fact["name"] for fact in facts] == ["event.created", "event.updated"]
    assert facts[1]["changed"] == ["recurrence_group_id"]


@pytest.mark.req("EV-10")
async def test_a_postponed_show_with_its_new_date_can_be_repeated(admin: Client) -> None:
    event = await show_in(admin, "postponed")
    copy = data(await admin.post(f"{path(event)}/duplicate", json={"start_at": "2090-10-01T19:00:00Z"}), 201)
    assert (copy["rescheduled_at"], copy["sale_end_at"]) == (None, "2090-10-01T19:00:00Z")


# --- who moves what is announced


@pytest.mark.req("EV-8", "EV-9", "RBAC-1")
async def test_staff_move_neither_the_times_nor_the_place_of_what_is_announced(admin: Client, staff: Client) -> None:
    event = await show_in(admin, "published")
    there = await make_venue(admin)
    for field in ("start_at", "end_at", "doors_at", "sale_start_at", "sale_end_at"):
        wish = {field: _later(event[field], timedelta(minutes=-1))}
        assert refused(await staff.patch(path(event), json=wish)) == (403, "times_are_fixed"), field
    moving = {"venue_id": there["id"], "reason": "storm"}
    assert refused(await staff.patch(path(event), json=moving)) == (403, "venue_is_fixed")
    assert (await read(admin, event))["version"] == event["version"]
    assert data(await staff.patch(path(event), json={"description": "Longer."}))["description"] == "Longer."


@pytest.mark.req("EV-8", "EV-9", "RBAC-1")
async def test_a_key_moves_what_is_announced_only_if_it_may_announce(
    admin: Client, client: Client, services: Services, tenant: Tenant
) -> None:
    writes = client.as_((await make_key(services, tenant, "events:write")).token)
    manages = client.as_((await make_key(services, tenant, "events:write", "events:manage")).token)
    event = await show_in(admin, "published")
    there = await make_venue(admin, name="Open Air")
    later = {"end_at": _later(event["end_at"], HOUR)}
    moving = {"venue_id": there["id"], "reason": "storm"}
    assert refused(await writes.patch(path(event), json=later)) == (403, "times_are_fixed")
    assert refused(await writes.patch(path(event), json=moving)) == (403, "venue_is_fixed")
    assert data(await manages.patch(path(event), json=later))["end_at"] == later["end_at"]
    assert data(await manages.patch(path(event), json=moving))["venue_name"] == "Open Air"
    only = client.as_((await make_key(services, tenant, "events:manage")).token)
    assert refused(await only.patch(path(event), json={"name": "Other"})) == (403, "forbidden")


def _later(moment: str, by: timedelta) -> str:
    return (datetime.fromisoformat(moment) + by).isoformat().replace("+00:00", "Z")


# --- the audit of one show


@pytest.mark.req("AUD-1", "RBAC-1", "TEN-2")
async def test_what_was_done_to_a_show_newest_first_and_page_by_page(
    admin: Client, client: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    event, other = await draft(admin), await draft(admin, name="Another")
    data(await admin.patch(path(event), json={"name": "King Lear"}))
    data(await move(admin, event, "publish"))
    data(await move(admin, event, "cancel", reason="ill"))
    rows = data(await admin.get(f"{path(event)}/audit"))
    assert [row["action"] for row in rows] == ["event.cancel", "event.publish", "event.updated", "event.created"]
    assert {row["entity_id"] for row in rows} == {event["id"]}
    assert {row["actor_id"] for row in rows} == {str(tenant.people["admin"].id)}
    assert rows[0]["reason"] == "ill"
    assert (rows[2]["before"]["name"], rows[2]["after"]["name"]) == ("The Tempest", "King Lear")
    first = (await admin.get(f"{path(event)}/audit", params={"limit": 3})).json()
    rest = (await admin.get(f"{path(event)}/audit", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    assert first["data"] + rest["data"] == rows
    assert rest["next_cursor"] is None
    elsewhere = await admin.get(f"{path(other)}/audit", params={"cursor": first["next_cursor"]})
    assert refused(elsewhere) == (422, "invalid_cursor")
    for role in ("staff", "scanner", "customer"):
        assert refused(await client.as_(tenant.tokens[role]).get(f"{path(event)}/audit")) == (403, "forbidden")
    stranger = client.as_(other_tenant.tokens["owner"])
    missing = await stranger.get(f"/api/events/{new_id()}/audit")
    assert refused(missing) == (404, "not_found")
    assert (await stranger.get(f"{path(event)}/audit")).content == missing.content
    tried = data(await client.as_(tenant.tokens["owner"]).get(f"{path(event)}/audit"))
    assert [row["action"] for row in tried] == ["access.denied"] * 3 + [row["action"] for row in rows]


# --- the next shows


async def coming(client: Client, **params: Any) -> list[str]:
    return [event["name"] for event in data(await client.get("/api/events/upcoming", params=params))]


@pytest.mark.req("EV-13")
async def test_the_next_shows_are_those_that_are_announced_and_not_over(admin: Client, client: Client) -> None:
    venue = (await make_venue(admin))["id"]
    for status in ("draft", "published", "live", "ended", "cancelled", "postponed", "archived"):
        await show_in(admin, status, name=status, venue_id=venue)
    assert sorted(await coming(admin)) == ["live", "postponed", "published"]
    first = data(await admin.get("/api/events/upcoming"))[0]
    assert first.keys() >= {
        "id",
        "name",
        "slug",
        "status",
        "start_at",
        "end_at",
        "sale_start_at",
        "sale_end_at",
        "rescheduled_at",
        "venue_id",
        "timezone",
        "capacity",
        "replaced_by_event_id",
    }


@pytest.mark.req("EV-13", "TEN-2")
async def test_the_next_shows_by_their_date_at_one_venue_and_never_anothers(
    admin: Client, client: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    here, there = (await make_venue(admin))["id"], (await make_venue(admin, name="Barn"))["id"]
    for day, venue_id in ((3, here), (1, there), (2, here)):
        times = {"start_at": f"2090-06-0{day}T19:00:00Z", "end_at": f"2090-06-0{day}T21:00:00Z"}
        await show_in(admin, "published", name=f"Day {day}", venue_id=venue_id, **times)
    stranger = client.as_(other_tenant.tokens["owner"])
    await show_in(stranger, "published", name="Theirs")
    assert await coming(admin) == ["Day 1", "Day 2", "Day 3"]
    assert await coming(admin, venue_id=here) == ["Day 2", "Day 3"]
    assert await coming(admin, venue_id=str(new_id())) == []
    assert await coming(stranger) == ["Theirs"]
    assert await coming(stranger, venue_id=here) == []
    assert await coming(client.as_(tenant.tokens["scanner"])) == ["Day 1", "Day 2", "Day 3"]
    assert refused(await admin.get("/api/events/upcoming", params={"venue_id": "here"})) == (422, "invalid")


@pytest.mark.req("EV-7", "EV-13")
async def test_a_postponed_show_is_to_come_until_its_new_date_is_over(
    services: Services, tenant: Tenant, admin: Client, clock: Callable[[timedelta], Any]
) -> None:
    """Its old dates pass meanwhile, and it is where its new one belongs."""
    now = datetime.fromisoformat(data(await admin.get("/api/org"))["created_at"])
    old, new = now + 10 * DAY, now + 60 * DAY

    def on(start: datetime) -> dict[str, str]:
        return {"start_at": start.isoformat(), "end_at": (start + HOUR).isoformat()}

    moved = await show_in(admin, "published", name="Moved", **on(old))
    undated = await show_in(admin, "published", name="Undated", **on(old))
    await show_in(admin, "published", name="Between", **on(now + 40 * DAY))
    data(await move(admin, moved, "postpone", rescheduled_at=new.isoformat()))
    data(await move(admin, undated, "postpone"))
    await clock(20 * DAY)
    found = [event.name for event in await reads.list_upcoming(services, tenant.id, None)]
    assert found[-2:] == ["Between", "Moved"]
    assert "Undated" in found  # nobody said that it is off


@pytest.mark.req("EV-13")
async def test_the_next_shows_are_two_hundred_at_most(admin: Client, owner: Any, tenant: Tenant) -> None:
    await owner.execute(
        "INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at,"
        " doors_at, sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key)"
        " SELECT gen_random_uuid(), $1, 's-' || n, 'Show ' || n, 'S', 's', 'published', now() + n * interval '1 day',"
        " now() + n * interval '1 day' + interval '1 hour', now() + n * interval '1 day', now(),"
        " now() + n * interval '1 day', 'V', 'C', 'BE', 'UTC', n FROM generate_series(1, 230) n",
        tenant.id,
    )
    assert await coming(admin) == [f"Show {n}" for n in range(1, 201)]
