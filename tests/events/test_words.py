"""Searching: what has no word finds nothing, and nobody searches without end."""

from typing import Any

import pytest

from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.services import Services
from tests.accounts.helpers import data, refused
from tests.events.helpers import make_show
from tests.fixtures import Client, Tenant


@pytest.fixture
async def word(services: Services, tenant: Tenant) -> str:
    """One that three shows of this test have, and no other."""
    word = f"w{tenant.id.hex[-12:]}"
    for name in ("First", "Second", "Third"):
        await make_show(services, tenant, Move.PUBLISH, name=f"{name} {word}", slug=name.lower())
    return word


@pytest.mark.req("FEED-2", "FEED-3")
@pytest.mark.parametrize("sort", ["latest", "trending"])
@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_a_word_is_paged_through(client: Client, word: str, sort: str, limit: int) -> None:
    pages: list[list[str]] = []
    asked: dict[str, Any] = {"q": word, "sort": sort, "limit": limit}
    while "cursor" not in asked or asked["cursor"]:
        answer = (await client.get("/event/v1/events", params=asked)).json()
        pages.append([show["slug"] for show in answer["data"]])
        asked["cursor"] = answer["next_cursor"]
    assert sorted(slug for page in pages for slug in page) == ["first", "second", "third"]
    assert all(len(page) == limit for page in pages[:-1])


@pytest.mark.req("SEARCH-1", "FEED-3")
async def test_without_a_word_nothing_is_found(client: Client, word: str) -> None:
    assert len(data(await client.get("/api/search", params={"q": word}))) == 3
    for q in (f"-{word}x", "-nothing", "-a -b", f"{word} or -b", "!", "-"):
        assert data(await client.get("/api/search", params={"q": q})) == [], q
        for sort in ("latest", "trending"):
            assert data(await client.get("/event/v1/events", params={"q": q, "sort": sort})) == [], q
        assert word not in (await client.get("/", params={"q": q})).text.replace(q, "")


@pytest.mark.req("SEARCH-1")
@pytest.mark.usefixtures("word")
async def test_searches_are_counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "SEARCH_LIMIT", Limit(2, 3600))
    for _ in range(2):
        data(await client.get("/event/v1/events", params={"q": "x"}))
    assert refused(await client.get("/event/v1/events", params={"q": "x"})) == (429, "rate_limited")
    assert (await client.get("/", params={"q": "x"})).status_code == 429
    data(await client.get("/event/v1/events"))  # what is cached is not counted
    answers = [
        (await client.get("/api/search", params={"q": "x"})).status_code for _ in range(241)
    ]  # two minutes' worth
    assert answers[0] == 200
    assert 429 in answers
