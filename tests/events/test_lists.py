"""Lists of shows: filters, pages, cursors."""

from typing import Any
from uuid import UUID

import pytest

from tests.accounts.helpers import data, refused
from tests.events.helpers import NEW_DATE, SHOW, draft, make_venue, show_in
from tests.fixtures import Client, Tenant

START = SHOW["start_at"]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.mark.req("EV-2")
async def test_lists_by_status_venue_and_date(admin: Client, client: Client, other_tenant: Tenant) -> None:
    await draft(client.as_(other_tenant.tokens["owner"]))
    hall, garden = await make_venue(admin), await make_venue(admin)
    june = await show_in(admin, "published", venue_id=hall["id"])
    times = {"start_at": "2090-08-01T19:00:00Z", "end_at": "2090-08-01T21:00:00Z"}
    august = await draft(admin, venue_id=garden["id"], **times)
    may = await draft(admin, venue_id=hall["id"], start_at="2090-05-01T19:00:00Z")

    async def listed(**filters: str) -> list[str]:
        return [event["id"] for event in data(await admin.get("/api/events", params=filters))]

    assert await listed() == [may["id"], june["id"], august["id"]]
    assert await listed(status="published") == [june["id"]]
    assert await listed(status="archived") == []
    over = await show_in(admin, "cancelled", venue_id=hall["id"], start_at="2090-04-01T19:00:00Z")
    assert await listed(status="ahead") == [may["id"], june["id"], august["id"]]
    assert await listed(status="cancelled") == [over["id"]]
    assert await listed(venue_id=hall["id"]) == [over["id"], may["id"], june["id"]]
    assert await listed(venue_id=hall["id"], status="draft") == [may["id"]]
    assert await listed(since=START) == [june["id"], august["id"]]
    assert await listed(until=START) == [over["id"], may["id"]]
    assert await listed(since="2090-06-01T21:00:00+02:00", until="2090-08-01T00:00:00") == [june["id"]]
    for wrong in ({"status": "gone"}, {"venue_id": "x"}, {"since": "0.5"}, {"until": "2090-13-01T00:00:00Z"}):
        assert refused(await admin.get("/api/events", params=wrong))[0] in (400, 422)


@pytest.mark.req("EV-13")
async def test_an_event_is_found_by_its_slug(admin: Client, client: Client, other_tenant: Tenant) -> None:
    await draft(client.as_(other_tenant.tokens["owner"]), slug="the-one")
    await draft(admin, name="Another")
    one = await show_in(admin, "published", slug="the-one", name="The one")

    async def found(**asked: str) -> list[str]:
        return [event["id"] for event in data(await admin.get("/api/events", params=asked))]

    assert await found(slug="the-one") == [one["id"]]
    assert await found(slug="the-one", status="draft") == []
    assert await found(slug="the-on") == []
    assert refused(await admin.get("/api/events", params={"slug": "x" * 101}))[0] in (400, 422)


@pytest.mark.req("EV-13")
async def test_events_are_listed_by_several_statuses(admin: Client) -> None:
    """As in the queries of the domain: what is published, live or postponed; what is cancelled or postponed."""
    venue = await make_venue(admin)
    made = {
        status: (await show_in(admin, status, venue_id=venue["id"], name=status))["id"]
        for status in ("draft", "published", "live", "postponed", "cancelled")
    }

    async def listed(*statuses: str) -> set[str]:
        page = data(await admin.get("/api/events", params=[("status", status) for status in statuses]))
        return {event["id"] for event in page}

    def those(*statuses: str) -> set[str]:
        return {made[status] for status in statuses}

    assert await listed("published", "live", "postponed") == those("published", "live", "postponed")
    assert await listed("cancelled,postponed") == those("cancelled", "postponed")
    assert await listed("draft, live", "cancelled") == those("draft", "live", "cancelled")
    assert await listed("ahead") == those("draft", "published", "live", "postponed")
    assert await listed("ahead", "cancelled") == set(made.values())
    assert refused(await admin.get("/api/events", params={"status": "published,gone"})) == (422, "invalid")
    first = (await admin.get("/api/events", params={"status": "draft,live", "limit": "1"})).json()
    same = [("status", "live"), ("status", "draft"), ("cursor", first["next_cursor"])]
    assert len(data(await admin.get("/api/events", params=same))) == 1  # the same question in other words
    paths = (await admin.get("/api/openapi.json")).json()["paths"]
    [asked] = [it for it in paths["/api/events"]["get"]["parameters"] if it["name"] == "status"]
    assert "live" in str(asked["schema"])


@pytest.mark.req("EV-2")
async def test_pages_neither_skip_nor_repeat_while_shows_come_and_go(admin: Client) -> None:
    venue = await make_venue(admin)
    starts = [f"2090-05-{day:02}T19:00:00Z" for day in (1, 1, 1, 2, 2, 3, 4, 5)]
    made = [await draft(admin, venue_id=venue["id"], name=f"No. {n}", start_at=at) for n, at in enumerate(starts)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await admin.get("/api/events", params=params)).json()
        seen += [event["id"] for event in page["data"]]
        if (cursor := page["next_cursor"]) is None:
            break
        # Behind the reader: one goes that was shown, one comes that sorts before it.
        assert (await admin.delete(f"/api/events/{seen[-2]}")).status_code == 204
        await draft(admin, venue_id=venue["id"], name=f"Early {len(seen)}", start_at="2090-04-01T19:00:00Z")
    assert seen == [event["id"] for event in sorted(made, key=lambda event: (event["start_at"], event["id"]))]


@pytest.mark.req("EV-2", "EV-8")
async def test_a_show_that_was_moved_stands_at_its_new_date(admin: Client) -> None:
    moved = await show_in(admin, "postponed")
    times = {"start_at": "2090-08-01T19:00:00Z", "end_at": "2090-08-01T21:00:00Z"}
    august = await draft(admin, **times)
    october = await draft(admin, start_at="2090-10-01T19:00:00Z", end_at="2090-10-01T21:00:00Z")
    assert moved["start_at"] < times["start_at"] < NEW_DATE
    seen, cursor = [], None
    while True:
        page = (await admin.get("/api/events", params={"limit": "1"} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [event["id"] for event in page["data"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == [august["id"], moved["id"], october["id"]]
    late = data(await admin.get("/api/events", params={"since": NEW_DATE}))
    assert [event["id"] for event in late] == [moved["id"], october["id"]]


@pytest.mark.req("EV-2", "TEN-2")
async def test_a_cursor_is_good_for_its_own_list_only(admin: Client, client: Client, other_tenant: Tenant) -> None:
    for _ in range(2):
        await draft(admin)
    cursor = (await admin.get("/api/events", params={"limit": "1"})).json()["next_cursor"]
    elsewhere = client.as_(other_tenant.tokens["owner"])
    for caller, params in (
        (admin, {"cursor": cursor, "status": "draft"}),
        (admin, {"cursor": cursor[:-2] + "AA"}),
        (elsewhere, {"cursor": cursor}),
    ):
        assert refused(await caller.get("/api/events", params=params)) == (422, "invalid_cursor")


@pytest.mark.req("EV-5")
async def test_staff_see_that_a_show_is_sold_out(admin: Client, owner: Any) -> None:
    gone, other = [await show_in(admin, "published", tickets=True) for _ in range(2)]
    await owner.execute("UPDATE public_events SET sold_out = true WHERE event_id = $1", UUID(gone["id"]))
    listed = {show["id"]: show["sale_status"] for show in data(await admin.get("/api/events"))}
    assert listed[gone["id"]] == "sold_out"
    assert listed[other["id"]] == other["sale_status"] != "sold_out"
    assert data(await admin.get(f"/api/events/{gone['id']}"))["sale_status"] == "sold_out"
