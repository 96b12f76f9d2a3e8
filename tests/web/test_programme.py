"""The programme as people search it: the form finds, pages follow each other, and a search in vain is not the end."""

import pytest

from tests.events.helpers import show_in
from tests.fixtures import Client, Tenant
from tests.web.helpers import Seen, in_city, seen


@pytest.mark.req("FEED-3")
async def test_the_form_finds(client: Client, admin: Client, city: str) -> None:
    early = await in_city(admin, city, name="Early storm", venue={"slug": "one"})
    late = await in_city(
        admin,
        city,
        name="Late calm",
        category="opera_buffa",
        venue={"slug": "two"},
        start_at="2090-07-01T19:00:00Z",
        end_at="2090-07-01T20:00:00Z",
    )

    async def found(**params: str) -> list[str]:
        page = await seen(client, "/", city=city, **params)
        paths = {f"/o/{e['slug']}": e["name"] for e in (early, late)}
        return [paths[f"/o/{link.rpartition('/')[2]}"] for link in page.links() if link.count("/") == 3]

    assert await found() == ["Early storm", "Late calm"]
    assert await found(q="éarly") == ["Early storm"]
    assert await found(category="opera_buffa") == ["Late calm"]
    assert await found(since="2090-06-02") == ["Late calm"]
    assert await found(until="2090-06-01") == ["Early storm"]
    assert await found(since="2090-06-01", until="2090-07-01") == ["Early storm", "Late calm"]
    assert set(await found(sort="trending")) == {"Early storm", "Late calm"}
    assert await found(sort="by magic") == ["Early storm", "Late calm"]
    page = await seen(client, "/", city=city, q="nothing like it")
    assert "No events match your search" in page.text
    assert page.meta("robots") == "noindex, follow"
    page = await seen(client, "/", city=city.upper(), category="opera_buffa")
    assert page.all("input", name="city")[0]["value"] == city.upper()
    assert [option["value"] for option in page.all("option") if "selected" in option] == ["opera_buffa"]


@pytest.mark.req("FEED-3")
async def test_a_day_is_the_venues_day(client: Client, admin: Client, city: str) -> None:
    """Nine in the evening in New York is the next day in UTC."""
    zone = {"timezone": "America/New_York"}
    event = await in_city(admin, city, venue=zone, start_at="2090-06-02T01:00:00Z", end_at="2090-06-02T03:00:00Z")
    for day, there in (("2090-05-31", False), ("2090-06-01", True), ("2090-06-02", False)):
        answer = await client.get("/", params={"city": city, "since": day, "until": day})
        found = answer.text.partition("No events match your search")[0]  # what comes after it is what there is instead
        assert (event["slug"] in found) is there, day


@pytest.mark.parametrize(
    "params",
    [
        {"since": "yesterday"},
        {"since": "0001-01-01", "until": "9999-12-31"},
        {"category": "' OR 1=1"},
        {"cursor": "forged"},
        {"q": "a:* & !b <-> 'c'"},
        {"q": "x" * 5000},
        {"city": "\u202e\u0301"},
    ],
)
async def test_nonsense_is_left_out(client: Client, params: dict[str, str]) -> None:
    await seen(client, "/", **params)


@pytest.mark.req("FEED-2")
async def test_pages_by_cursor(client: Client, admin: Client, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.web.pages.events.PAGE_SIZE", 2)
    slugs = []
    for n in range(5):
        day = f"2090-06-0{n + 1}"
        times = {"start_at": f"{day}T19:00:00Z", "end_at": f"{day}T20:00:00Z"}
        event = await in_city(admin, "Gent", name=f"Show {n}", venue={"slug": f"hall-{n}"}, **times)
        slugs.append(f"{home}/{event['slug']}")
    found, path = [], f"{home}?q=show"
    while path:
        page = await seen(client, path)
        found.append([link for link in page.links() if link in slugs])
        path = next((a["href"] or "" for a in page.all("a", rel="next")), "")
        assert not path or "q=show" in path
    assert found == [slugs[:2], slugs[2:4], slugs[4:]]
    assert "Back to the first page" in page.text
    assert page.meta("robots") == "noindex, follow"


async def test_an_empty_house(client: Client, home: str) -> None:
    page = await seen(client, home)
    assert "No events yet" in page.text
    assert page.meta("robots") is None


async def test_a_search_in_vain_shows_what_comes_next(client: Client, admin: Client, tenant: Tenant) -> None:
    await show_in(admin, "published")
    house = f"/o/{tenant.organization.slug}"
    vain, found = Seen(await client.get(f"{house}?q=zebra")), Seen(await client.get(f"{house}?q=tempest"))
    assert "No events match your search" in vain.text
    assert "Coming up next" in vain.text
    assert f"{house}/the-tempest" in vain.links()
    assert house in found.links()  # the way back to everything
    assert "Coming up next" not in found.text
