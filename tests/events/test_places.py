"""Venues that are deleted, shrink or stand for a city; shows that move, repeat and replace each other."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.events import actions, store
from fullhouse.events.model import Duplicate, NewEvent, NewGate, VenueNotFound
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.errors import NotFound
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import SHOW, announced, draft, make_show, make_venue, move, read, show_in, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall, on_sale
from tests.kit.helpers import until

NIGHTS = 60
CITY_SHOW = {
    "title": "A", "description": "b", "category": "x", "start_time": SHOW["start_at"], "end_time": SHOW["end_at"],
}  # fmt: skip


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def staff(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["staff"])


# --- many of one name


@pytest.mark.req("EV-10", "EV-2")
async def test_a_series_has_as_many_nights_as_it_likes(services: Services, tenant: Tenant) -> None:
    source, who = await make_show(services, tenant), tenant.principal("admin")
    slugs = {source.slug}
    async with services.database.tenant(tenant.id, who.actor) as tx:
        for night in range(1, NIGHTS + 1):
            wish = Duplicate(start_at=source.start_at + timedelta(days=night))
            slugs.add((await actions.duplicate_event(tx, who, source.id, wish)).slug)
    assert slugs == {"the-tempest"} | {f"the-tempest-{n}" for n in range(2, NIGHTS + 2)}


@pytest.mark.req("EV-1")
async def test_thirty_venues_may_have_one_name(admin: Client) -> None:
    assert len({(await make_venue(admin))["slug"] for _ in range(30)}) == 30


@pytest.mark.req("EV-10")
async def test_nights_that_are_added_at_once_all_find_a_slug(admin: Client) -> None:
    event = await draft(admin)
    starts = [f"2090-07-{day:02}T19:00:00Z" for day in range(1, 9)]
    path = f"/api/events/{event['id']}/duplicate"
    answers = await asyncio.gather(*(admin.post(path, json={"start_at": start}) for start in starts))
    assert len({data(answer, 201)["slug"] for answer in answers}) == 8


# --- a venue that goes


@pytest.mark.req("EV-1")
async def test_a_venue_that_is_being_used_waits_to_be_deleted(services: Services, tenant: Tenant, owner: Any) -> None:
    """Looked up for a show or a gate, it cannot go before they are written: the foreign key never breaks."""
    event, who = await make_show(services, tenant), tenant.principal("admin")
    assert event.venue_id
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    words = {name: SHOW[name] for name in ("name", "description", "category")}
    start = event.start_at + timedelta(days=1)
    async with services.database.tenant(tenant.id, who.actor) as tx:
        await venue_actions.create_gate(tx, who, event.venue_id, NewGate(gate_code="A", name="a"))

        async def delete() -> None:
            async with services.database.tenant(tenant.id, who.actor) as other:
                await venue_actions.delete_venue(other, event.venue_id, None)  # type: ignore[arg-type]

        deleting = asyncio.create_task(delete())

        async def waits() -> bool:
            return bool(await owner.fetchval(blocked))

        while not await waits():
            assert not deleting.done()
        wish = NewEvent(venue_id=event.venue_id, start_at=start, end_at=start + timedelta(hours=1), **words)
        made = await actions.create_event(tx, who, wish)
    await deleting
    async with services.database.tenant(tenant.id) as tx:
        assert (await actions.require_event(tx, made.id)).venue_id is None
        with pytest.raises(NotFound):
            await venue_actions.create_gate(tx, who, event.venue_id, NewGate(gate_code="B", name="b"))
        with pytest.raises(VenueNotFound):
            await actions.create_event(tx, who, wish)


@pytest.mark.req("EV-1", "EV-10")
async def test_deleting_a_venue_and_copying_its_show_do_not_wait_in_a_circle(
    services: Services, tenant: Tenant, owner: Any
) -> None:
    event, who = await make_show(services, tenant), tenant.principal("admin")
    venue_id = event.venue_id
    assert venue_id
    locked, go = asyncio.Event(), asyncio.Event()

    async def delete() -> None:
        async with services.database.tenant(tenant.id, who.actor) as tx:
            await store.lock_venue(tx, venue_id)
            locked.set()
            await go.wait()
            await venue_actions.delete_venue(tx, venue_id, None)

    async def copy() -> None:
        async with services.database.tenant(tenant.id, who.actor) as tx:
            await actions.duplicate_event(tx, who, event.id, Duplicate(start_at=event.start_at + timedelta(days=1)))

    deleting = asyncio.create_task(delete())
    await locked.wait()
    copying = asyncio.create_task(copy())
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while not await owner.fetchval(blocked):
        assert not copying.done()
    go.set()
    await deleting
    with pytest.raises((VenueNotFound, NotFound, Exception)) as refusal:
        await copying
    assert getattr(refusal.value, "code", None) in ("venue_not_found", "stale_version")


@pytest.mark.req("EV-3", "EV-12")
async def test_shows_are_told_that_their_venue_is_gone(admin: Client, owner: Any) -> None:
    event = await show_in(admin, "published")
    over = await show_in(admin, "cancelled", venue_id=event["venue_id"], name="Over")
    assert (await admin.delete(f"/api/venues/{event['venue_id']}")).status_code == 204
    left = await read(admin, event)
    assert (left["venue_id"], left["venue_name"]) == (None, "Grande Salle")
    assert left["version"] == event["version"] + 1
    told = (await announced(owner, event))[-1]
    assert (told["name"], told["changed"]) == ("event.updated", ["venue_id"])
    assert (await read(admin, over))["version"] == over["version"] + 1
    assert (await announced(owner, over))[-1]["name"] == "event.canceled"


@pytest.mark.req("EV-1", "EV-2")
async def test_a_venue_does_not_shrink_below_what_was_announced(admin: Client) -> None:
    venue = await make_venue(admin, max_capacity=500)
    event = await show_in(admin, "published", venue_id=venue["id"], capacity=400)
    later = await draft(admin, venue_id=venue["id"], capacity=450, name="Later")
    path = f"/api/venues/{venue['id']}"
    answer = await admin.patch(path, json={"max_capacity": 399})
    assert refused(answer) == (409, "venue_too_small")
    assert answer.json()["events"] == [event["id"]]
    assert "The Tempest" in answer.json()["detail"]
    data(await admin.patch(path, json={"max_capacity": 400}))
    assert refused(await move(admin, later, "publish")) == (422, "capacity_above_venue")
    data(await admin.patch(path, json={"max_capacity": 0}))
    assert data(await move(admin, later, "publish"))["status"] == "published"


@pytest.mark.req("EV-2")
async def test_an_organisation_may_raise_what_one_show_may_have(admin: Client, client: Client, tenant: Tenant) -> None:
    event = await draft(admin)
    path, more = f"/api/events/{event['id']}", {"capacity": 150_000}
    assert refused(await admin.patch(path, json=more)) == (422, "capacity_above_venue")
    ours = client.as_(tenant.tokens["owner"])
    assert data(await ours.patch("/api/org", json={"event_capacity_max": 150_000}))["event_capacity_max"] == 150_000
    assert data(await admin.patch(path, json=more))["capacity"] == 150_000
    assert refused(await admin.patch(path, json={"capacity": 150_001})) == (422, "capacity_above_venue")


# --- a city


@pytest.mark.req("EV-1", "FEED-1")
async def test_a_city_has_one_venue_however_many_ask(admin: Client, owner: Any, tenant: Tenant) -> None:
    for number in range(51):
        await make_venue(admin, name=f"Hall {number}", city="Liège")
    names = ["Liège", "liege", "LIÈGE ", "Liège", "Liege", "liège"]
    wishes = [CITY_SHOW | {"title": f"A {number}", "city": city} for number, city in enumerate(names)]
    answers = await asyncio.gather(*(admin.post("/event/v1/events", json=wish) for wish in wishes))
    assert [answer.status_code for answer in answers] == [201] * 6
    made = "SELECT count(*) FROM venues WHERE organization_id = $1 AND kind = 'virtual'"
    assert await owner.fetchval(made, tenant.id) == 1


@pytest.mark.req("EV-1", "RBAC-1")
async def test_staff_name_a_city_even_where_they_may_not_make_venues(
    staff: Client, client: Client, tenant: Tenant
) -> None:
    data(await client.as_(tenant.tokens["owner"]).patch("/api/org", json={"staff_may_edit_venues": False}))
    assert data(await staff.post("/event/v1/events", json=CITY_SHOW | {"city": "Gent"}), 201)["city"] == "Gent"


@pytest.mark.req("EV-1")
async def test_a_venue_that_is_renamed_stands_for_its_city_no_more(admin: Client) -> None:
    first = data(await admin.post("/event/v1/events", json=CITY_SHOW | {"city": "Gent"}), 201)
    venue_id = (await read(admin, first))["venue_id"]
    data(await admin.patch(f"/api/venues/{venue_id}", json={"name": "Online"}))
    second = data(await admin.post("/event/v1/events", json=CITY_SHOW | {"city": "Gent"}), 201)
    assert (await read(admin, second))["venue_id"] != venue_id


@pytest.mark.req("FEED-3")
async def test_a_city_is_suggested_once_with_its_commonest_country(
    admin: Client, client: Client, tenant: Tenant
) -> None:
    city = "Z" + tenant.id.hex[-9:]
    for number, country in enumerate(("Belgium", "be", "BE", "ZZ", "ZZ", "ZZ")):
        venue = await make_venue(admin, city=city, country=country)
        assert venue["country"] in ("Belgium", "BE", "ZZ")
        await show_in(admin, "published", venue_id=venue["id"], name=f"Show {number}")
    found = data(await client.get("/event/v1/meta/cities", params={"q": city}))
    assert [one for one in found if one["city"] == city] == [{"city": city, "country": "BE", "events": 6}]


# --- another place


@pytest.mark.req("EV-9")
async def test_a_show_that_sells_moves_with_a_reason_and_consent(
    client: Client, tenant: Tenant, owner: Any, admin: Client, staff: Client
) -> None:
    sale = await on_sale(client.as_(tenant.tokens["owner"]), hall())
    path, there = f"/api/events/{sale.event_id}", await make_venue(admin, name="Open Air")
    moving = {"venue_id": there["id"], "reason": "storm"}
    buyer = client.as_(tenant.tokens["customer"])
    data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 201)
    assert refused(await admin.patch(path, json=moving)) == (409, "venue_change_needs_consent")
    assert refused(await admin.patch(path, json={"venue_id": there["id"]})) == (409, "venue_change_needs_reason")
    note = {"consent_note": "buyers written to, 3 May"}
    assert refused(await staff.patch(path, json=moving | note)) == (403, "venue_is_fixed")
    assert data(await admin.patch(path, json=moving | note))["venue_name"] == "Open Air"
    row = [r for r in await trail(owner, tenant, {"id": sale.event_id}) if r["action"] == "event.updated"][-1]
    assert (row["reason"], row["after"]["consent_note"]) == ("storm", note["consent_note"])
    assert (await announced(owner, {"id": sale.event_id}))[-1]["consent_note"] == note["consent_note"]


@pytest.mark.req("EV-9")
async def test_what_nobody_holds_moves_without_consent(client: Client, tenant: Tenant, admin: Client) -> None:
    sale = await on_sale(client.as_(tenant.tokens["owner"]), hall())
    there = await make_venue(admin, name="Open Air")
    wish = {"venue_id": there["id"], "reason": "storm", "drop_layout": True}
    moved = await admin.patch(f"/api/events/{sale.event_id}", json=wish)
    assert data(moved)["venue_name"] == "Open Air"


# --- in place of another


@pytest.mark.req("EV-10")
async def test_shows_do_not_replace_each_other_in_a_circle(admin: Client) -> None:
    a, b, c = [await draft(admin, name=name) for name in "ABC"]

    async def replace(old: Any, new: Any) -> Any:
        return await admin.patch(f"/api/events/{old['id']}", json={"replaced_by_event_id": new["id"]})

    data(await replace(a, b))
    data(await replace(b, c))
    for first, second in ((b, a), (c, b), (c, a)):
        assert refused(await replace(first, second)) == (409, "replacement_cycle")
    assert refused(await replace(a, a)) == (422, "replaced_by_itself")
    both = await asyncio.gather(replace(c, d := await draft(admin, name="D")), replace(d, c))
    assert sorted(answer.status_code for answer in both) == [200, 409]


# --- the news


@pytest.mark.req("EV-12", "EV-11")
async def test_venues_and_gates_are_news_too(admin: Client, services: Services, tenant: Tenant) -> None:
    heard: list[dict[str, Any]] = []
    services.bus.subscribe(f"events:org:{tenant.id}", lambda _, news: heard.append(news))
    venue = await make_venue(admin)
    gate = data(await admin.post(f"/api/venues/{venue['id']}/gates", json={"gate_code": "A", "name": "a"}), 201)
    data(await admin.patch(f"/api/gates/{gate['id']}", json={"status": "closed"}))
    assert (await admin.delete(f"/api/venues/{venue['id']}")).status_code == 204
    await until(lambda: len(heard) >= 4)
    assert [(news["fact"], news["venue_id"], news.get("status"), news.get("deleted")) for news in heard] == [
        ("venue.changed", venue["id"], None, False),
        ("gate.changed", venue["id"], "open", None),
        ("gate.changed", venue["id"], "closed", None),
        ("venue.changed", venue["id"], None, True),
    ]
    assert {news["gate_id"] for news in heard if "gate_id" in news} == {gate["id"]}
    assert UUID(gate["id"])
    assert datetime.fromisoformat(venue["created_at"])
