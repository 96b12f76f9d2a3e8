"""A client that knows nothing but the event service's own document: its paths, its bodies, its words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from tests.accounts.helpers import PASSWORD, data, make_platform_user, refused
from tests.events.helpers import announced, move, show_in
from tests.fixtures import Client, Tenant

SERVICE = "/event/v1/events"


def body(tenant: Tenant, **more: Any) -> dict[str, Any]:
    """Exactly the columns of the document's `events` that a client may choose."""
    start = (datetime.now(UTC) + timedelta(days=20)).replace(microsecond=0)
    return {
        "title": "Picnic by the river",
        "description": "Bring a blanket.",
        "city": f"Stad {tenant.id.hex[-10:]}",
        "category": "outdoors",
        "start_time": start.isoformat().replace("+00:00", "Z"),
        "end_time": (start + timedelta(hours=3)).isoformat().replace("+00:00", "Z"),
        "capacity": 30,
    } | more


@pytest.fixture
def organiser(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def root(client: Client, owner: Any) -> Client:
    """The platform's super_admin."""
    wish = {"email": await make_platform_user(owner, "super_admin"), "password": PASSWORD}
    return client.as_(data(await client.post("/api/platform/login", json=wish), 201)["token"])


@pytest.mark.req("FEED-1", "EV-2", "MSG-2", "EV-15", "WIRE-1")
async def test_create_publish_list_get_patch_cancel(
    organiser: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    wish = body(tenant)
    made = await organiser.post(SERVICE, json=wish)
    event = data(made, 201)
    path = f"{SERVICE}/{event['id']}"
    assert made.headers["location"] == path
    assert {name: event[name] for name in wish} == wish
    assert (event["status"], event["active_participants"], event["published_at"]) == ("draft", 0, None)
    assert event["owner_id"] == str(tenant.people["admin"].id)
    assert data(await organiser.get(path)) == event  # its maker reads the draft where it was made
    assert refused(await client.get(path)) == (404, "event_not_found")
    assert data(await client.get(SERVICE, params={"city": wish["city"]})) == []

    published = data(await organiser.post(f"{path}/publish"))
    assert (published["status"], published["published_at"] is None) == ("published", False)
    [listed] = data(await client.get(SERVICE, params={"city": wish["city"]}))
    got = data(await client.get(path))
    assert got == listed
    assert {name: got[name] for name in wish} == wish
    for name in ("id", "owner_id", "created_at", "active_participants", "cover_image_ids"):
        assert got[name] == event[name], name
    assert data(await client.get("/event/v1/meta/cities", params={"q": wish["city"]}))[0]["city"] == wish["city"]

    changed = data(await organiser.patch(path, json={"title": "Picnic in the park", "capacity": 40}))
    assert (changed["title"], changed["capacity"]) == ("Picnic in the park", 40)
    assert data(await client.get(path))["title"] == "Picnic in the park"
    assert data(await organiser.post(f"{path}/unpublish"))["status"] == "draft"
    assert data(await organiser.post(f"{path}/publish"))["status"] == "published"

    canceled = data(await organiser.post(f"{path}/cancel"))
    assert (canceled["status"], canceled["canceled_at"] is None) == ("canceled", False)
    assert refused(await client.get(path)) == (404, "event_not_found")
    assert data(await organiser.get(path)) == canceled
    assert [mine["id"] for mine in data(await organiser.get("/event/v1/me/events"))] == [event["id"]]
    kept = await owner.fetchval("SELECT cancellation_reason FROM events WHERE id::text = $1", event["id"])
    assert kept == "canceled through the event service"

    told = await announced(owner, event)
    first = next(fact for fact in told if fact["name"] == "event.published")
    assert {name: first[name] for name in wish} == wish
    assert (first["subject_id"], first["owner_id"]) == (event["id"], event["owner_id"])
    again = next(fact for fact in told if fact["name"] == "event.updated")
    assert (again["title"], again["capacity"]) == ("Picnic in the park", 40)
    assert told[-1]["name"] == "event.canceled"


@pytest.mark.req("FEED-1", "TEN-2", "RBAC-1")
@pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
async def test_a_draft_is_read_by_its_maker_alone(
    client: Client, tenant: Tenant, other_tenant: Tenant, suffix: str
) -> None:
    staff = client.as_(tenant.tokens["staff"])
    event = data(await staff.post(SERVICE, json=body(tenant)), 201)
    path = f"{SERVICE}/{event['id']}{suffix}"
    answer = await staff.get(path)
    assert data(answer) == event
    assert (answer.headers["cache-control"], answer.headers["etag"]) == ("private, no-store", '"1"')
    others = [token for role, token in tenant.tokens.items() if role != "staff"]
    others += [*other_tenant.tokens.values(), "fh_not_a_token"]
    for token in others:
        assert refused(await client.as_(token).get(path)) == (404, "event_not_found"), token
    theirs = data(await client.as_(tenant.tokens["admin"]).post(SERVICE, json=body(tenant, title="Theirs")), 201)
    assert refused(await staff.get(f"{SERVICE}/{theirs['id']}{suffix}")) == (404, "event_not_found")


@pytest.mark.req("FEED-2")
async def test_a_page_has_twenty_unless_asked_for_others(organiser: Client, client: Client, tenant: Tenant) -> None:
    city = body(tenant)["city"]
    for n in range(21):
        event = data(await organiser.post(SERVICE, json=body(tenant, title=f"Picnic {n}")), 201)
        data(await organiser.post(f"{SERVICE}/{event['id']}/publish"))
    for who, path, params in ((client, SERVICE, {"city": city}), (organiser, "/event/v1/me/events", {})):
        page = (await who.get(path, params=params)).json()
        assert (len(page["data"]), page["next_cursor"] is None) == (20, False), path
        rest = (await who.get(path, params=params | {"cursor": page["next_cursor"]})).json()
        assert (len(rest["data"]), rest["next_cursor"]) == (1, None), path
        assert len((await who.get(path, params=params | {"limit": 50})).json()["data"]) == 21, path


@pytest.mark.req("EV-4", "AUD-1", "EV-14")
@pytest.mark.parametrize("reason", ["", " ", "\n\t"])
@pytest.mark.parametrize("verb", ["cancel", "postpone"])
async def test_a_blank_reason_is_refused_everywhere(
    organiser: Client, owner: Any, root: Client, verb: str, reason: str
) -> None:
    event = await show_in(organiser, "published")
    asked = [(organiser, f"/api/events/{event['id']}/{verb}"), (root, f"/api/platform/events/{event['id']}/{verb}")]
    asked += [(organiser, f"{SERVICE}/{event['id']}/cancel")] if verb == "cancel" else []
    for who, path in asked:
        assert refused(await who.post(path, json={"reason": reason})) == (422, "invalid"), path
    assert await owner.fetchval("SELECT status FROM events WHERE id::text = $1", event["id"]) == "published"


@pytest.mark.req("EV-4", "AUD-1", "EV-14")
@pytest.mark.parametrize("verb", ["cancel", "postpone"])
async def test_nobody_stops_an_event_without_saying_why(organiser: Client, owner: Any, root: Client, verb: str) -> None:
    event = await show_in(organiser, "published")
    for who, path in ((organiser, f"/api/events/{event['id']}"), (root, f"/api/platform/events/{event['id']}")):
        for said in ({}, {"reason": None}):
            answer = await who.post(f"{path}/{verb}", json=said)
            assert refused(answer) == (422, "invalid"), (path, said)
        assert (await who.post(f"{path}/{verb}")).status_code in (400, 422)
    assert await owner.fetchval("SELECT status FROM events WHERE id::text = $1", event["id"]) == "published"
    stopped = data(await move(organiser, event, verb, reason="Storm"))
    assert "Storm" in (stopped["cancellation_reason"], stopped["postponement_reason"])
    trail = data(await organiser.get(f"/api/events/{event['id']}/audit"))
    assert (trail[0]["action"], trail[0]["reason"]) == (f"event.{verb}", "Storm")


@pytest.mark.req("EV-4", "AUD-1", "EV-14")
@pytest.mark.parametrize(
    ("status", "reason"), [("cancelled", "cancellation_reason"), ("postponed", "postponement_reason")]
)
async def test_the_table_forbids_a_stopped_event_without_a_reason(
    organiser: Client, owner: Any, status: str, reason: str
) -> None:
    event = await show_in(organiser, "published")
    for said in (None, "", " \n"):
        with pytest.raises(asyncpg.CheckViolationError, match=f"events_{status}_with_reason"):
            change = f"UPDATE events SET status = $2, {reason} = $3 WHERE id::text = $1"
            await owner.execute(change, event["id"], status, said)
