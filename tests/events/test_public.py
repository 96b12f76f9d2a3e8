"""The public feed, the search and the event service's nine endpoints."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.events.public import cities
from fullhouse.events.public.model import CitySuggestion
from fullhouse.kit.services import Services
from tests.events.helpers import BODIES, ENTRY, poster
from tests.fixtures import Client, Tenant

SHOW: dict[str, Any] = {"description": "Een avond aan zee.", "category": "theatre", "city": "Oostende"}


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


async def make(
    who: Client, services: Services, title: str, *, days: int = 10, publish: bool = True, **more: Any
) -> str:
    async with services.database.without_tenant() as tx:
        start = (await tx.now()) + timedelta(days=days)
    times = {"start_time": start.isoformat(), "end_time": (start + timedelta(hours=2)).isoformat()}
    cover = {"cover_image_ids": [await poster(who)]}
    answer = await who.post("/event/v1/events", json=SHOW | {"title": title} | cover | times | more)
    assert answer.status_code == 201, answer.text
    event_id: str = answer.json()["data"]["id"]
    if publish:
        assert (await who.post(f"/event/v1/events/{event_id}/publish")).status_code == 200
    return event_id


async def feed(client: Client, **params: Any) -> list[dict[str, Any]]:
    """All pages, two at a time."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        if cursor:
            params["cursor"] = cursor
        answer = await client.get("/event/v1/events", params={"limit": 2, **params})
        assert answer.status_code == 200, answer.text
        found += answer.json()["data"]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return found


@pytest.mark.req("FEED-1", "FEED-2", "FEED-3")
async def test_the_feed_pages_through_what_is_public_by_start(
    client: Client, admin: Client, services: Services, tenant: Tenant
) -> None:
    city = f"Stad {tenant.id.hex[-10:]}"
    late = await make(admin, services, "Later", days=20, city=city)
    soon = await make(admin, services, "Soon", days=5, city=city)
    await make(admin, services, "Draft", publish=False, city=city)
    mid = await make(admin, services, "Between", days=9, city=city, category="concert")
    assert [e["id"] for e in await feed(client, city=city.upper())] == [soon, mid, late]
    assert [e["id"] for e in await feed(client, city=city, category="concert")] == [mid]
    assert [e["id"] for e in await feed(client, city=city, q="between")] == [mid]
    assert await feed(client, city=city, sale_status="on_sale") == []  # there is nothing to buy yet
    assert [e["id"] for e in await feed(client, city=city, sale_status="upcoming")] == [soon, mid, late]
    for event_id in (soon, late):
        assert (await admin.post(f"/api/events/{event_id}/ticket-types", json=ENTRY)).status_code == 201
    assert [e["id"] for e in await feed(client, city=city, sale_status="on_sale")] == [soon, late]
    assert [e["id"] for e in await feed(client, city=city, sale_status="upcoming")] == [mid]
    assert await feed(client, city=city, sale_status="closed") == []


@pytest.mark.req("FEED-1", "EV-5")
@pytest.mark.parametrize(
    ("moves", "visible", "phase"),
    [
        ([], False, None),
        (["publish"], True, "published"),
        (["publish", "start"], True, "live"),
        (["publish", "postpone"], True, "postponed"),
        (["publish", "start", "end"], False, None),
        (["publish", "cancel"], False, None),
        (["archive"], False, None),
        (["publish", "unpublish"], False, None),
    ],
)
async def test_only_what_the_storefront_shows_is_public(
    client: Client, admin: Client, services: Services, moves: list[str], visible: bool, phase: str | None
) -> None:
    event_id = await make(admin, services, "Show", publish=False)
    for move in moves:
        answer = await admin.post(f"/api/events/{event_id}/{move}", json=BODIES.get(move, {}))
        assert answer.status_code == 200, answer.text
    answer = await client.get(f"/event/v1/events/{event_id}")
    if visible:
        assert (answer.json()["data"]["status"], answer.json()["data"]["phase"]) == ("published", phase)
    else:
        assert (answer.status_code, answer.json()["code"]) == (404, "event_not_found")


@pytest.mark.req("FEED-2")
async def test_pages_neither_skip_nor_repeat_while_shows_come_and_go(
    client: Client, admin: Client, services: Services, tenant: Tenant
) -> None:
    city = f"Stad {tenant.id.hex[-10:]}"
    shows = [await make(admin, services, f"Show {n}", days=10 + n, city=city) for n in range(6)]
    first = (await client.get("/event/v1/events", params={"city": city, "limit": 3})).json()
    assert [e["id"] for e in first["data"]] == shows[:3]
    await make(admin, services, "Before", days=2, city=city)
    await admin.post(f"/event/v1/events/{shows[1]}/cancel", json={})
    after = await make(admin, services, "After", days=40, city=city)
    rest = await client.get("/event/v1/events", params={"city": city, "limit": 9, "cursor": first["next_cursor"]})
    assert [e["id"] for e in rest.json()["data"]] == [*shows[3:], after]


@pytest.mark.req("SEARCH-1")
async def test_search_ranks_titles_above_descriptions_and_knows_stems_and_accents(
    client: Client, admin: Client, services: Services, tenant: Tenant
) -> None:
    # Letters only: a word with digits has no stem.
    word = "zephyr" + tenant.id.hex.translate(str.maketrans("0123456789", "ghijklmnop"))[-8:] + "er"
    in_title = await make(admin, services, f"The {word}s of São Tomé", city="Liège")
    in_text = await make(admin, services, "Another", description=f"About a {word}.", city="Gent")
    await make(admin, services, f"Secret {word}", publish=False)

    async def ids(**params: Any) -> list[str]:
        answer = await client.get("/api/search", params=params)
        assert answer.status_code == 200, answer.text
        return [e["id"] for e in answer.json()["data"]]

    assert await ids(q=word) == [in_title, in_text]
    assert await ids(q=f"{word} sao tome") == [in_title]
    assert await ids(q=word, city="liege") == [in_title]
    assert await ids(q=word, category="concert") == []
    assert (await client.get("/api/search", params={"q": word, "limit": 101})).status_code == 422


@pytest.mark.req("TEN-2", "FEED-1")
async def test_a_suspended_organisation_is_not_in_the_feed(
    client: Client, admin: Client, services: Services, tenant: Tenant, owner: Any
) -> None:
    event_id = await make(admin, services, "Show")
    await owner.execute("UPDATE organizations SET status = 'suspended' WHERE id = $1", tenant.id)
    assert (await client.get(f"/event/v1/events/{event_id}")).status_code == 404


@pytest.mark.req("FEED-1", "RBAC-1")
async def test_staff_change_their_own_and_admins_any(client: Client, services: Services, tenant: Tenant) -> None:
    staff, admin = client.as_(tenant.tokens["staff"]), client.as_(tenant.tokens["admin"])
    mine = await make(staff, services, "Mine", publish=False)
    theirs = await make(admin, services, "Theirs", publish=False)
    assert (await staff.patch(f"/event/v1/events/{mine}", json={"title": "Ours"})).json()["data"]["title"] == "Ours"
    assert (await staff.patch(f"/event/v1/events/{theirs}", json={"title": "x"})).status_code == 403
    assert (await admin.patch(f"/event/v1/events/{mine}", json={"capacity": 50})).status_code == 200
    assert (await staff.post(f"/event/v1/events/{mine}/publish")).status_code == 403
    listed = await staff.get("/event/v1/me/events")
    assert [e["id"] for e in listed.json()["data"]] == [mine]
    cancelled = await admin.post(f"/event/v1/events/{mine}/cancel", json={"reason": "ill"})
    assert cancelled.json()["data"]["status"] == "canceled"


@pytest.mark.req("FEED-1")
async def test_a_city_is_one_virtual_venue_however_often_it_is_named(admin: Client, services: Services) -> None:
    for n in range(3):
        await make(admin, services, f"Show {n}", publish=False)
    venues = (await admin.get("/api/venues")).json()["data"]
    assert [(v["name"], v["kind"]) for v in venues] == [("Oostende", "virtual")]


@pytest.mark.req("FEED-3")
def test_city_suggestions_by_prefix_then_by_likeness() -> None:
    busy = {"Cape Town": 9, "Cambridge": 3, "São Paulo": 7, "Stellenbosch": 2, "Saarbrücken": 1}
    known = [CitySuggestion(name, "ZZ", events) for name, events in busy.items()]

    def names(typed: str) -> list[str]:
        return [city.city for city in cities.CityIndex(known).suggest(typed, 3)]

    assert names("ca")[:2] == ["Cape Town", "Cambridge"]
    assert names("sao")[0] == "São Paulo"
    assert names("SÃO P")[0] == "São Paulo"
    assert names("stelenbosh")[0] == "Stellenbosch"
    assert names("saarbrucken")[0] == "Saarbrücken"
    assert names("xyzzy") == []
    assert names("") == ["Cape Town", "São Paulo", "Cambridge"]


@pytest.mark.parametrize("suffix", ["", "/"], ids=["fast", "twin"])
async def test_a_show_that_has_not_changed_is_not_sent_again(
    client: Client, admin: Client, services: Services, suffix: str
) -> None:
    event_id = await make(admin, services, "Show")
    path = f"/event/v1/events/{event_id}{suffix}"
    first = await client.get(path)
    tag = first.headers["etag"]
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert (await client.get(path, headers={"if-none-match": '"other"'})).json() == first.json()
    assert (await admin.patch(f"/event/v1/events/{event_id}", json={"title": "Another"})).status_code == 200
    changed = await client.get(path, headers={"if-none-match": tag})
    assert (changed.status_code, changed.json()["data"]["title"]) == (200, "Another")
    assert changed.headers["etag"] != tag
