"""How pages are served: kept and asked about, from this house alone, and for people whatever goes wrong."""

from typing import Any

import pytest

from fullhouse.kit.errors import Forbidden, RateLimited
from fullhouse.kit.ids import new_id
from fullhouse.web import words
from tests.events.helpers import move, show_in
from tests.fixtures import Client
from tests.web.helpers import Seen


async def test_pages_are_kept_and_asked_about(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    for path in ("/", home, f"{home}/{event['slug']}", f"/api/events/{event['id']}/calendar.ics"):
        first = await client.get(path)
        assert first.headers["cache-control"] == "no-cache"
        again = await client.get(path, headers={"if-none-match": f'"other", W/{first.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        # A browser keeps the later headers: they must not be stricter than the page was.
        assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
    path = f"{home}/{event['slug']}"
    known = (await client.get(path)).headers["etag"]
    await move(admin, event, "postpone")
    assert (await client.get(path, headers={"if-none-match": known})).status_code == 200


async def test_pages_load_nothing_from_elsewhere(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    for path in ("/", home, f"{home}/{event['slug']}", f"{home}/nothing-here"):
        answer = await client.get(path)
        page = Seen(answer)
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not page.all("style")
        loaded = [a.get("src") or "" for tag in ("img", "script") for a in page.all(tag) if "src" in a]
        loaded += [a["href"] or "" for a in page.all("link", rel="stylesheet")]
        assert all(place.startswith("/") and not place.startswith("//") for place in loaded)
        assert len(page.all("h1")) == 1


async def test_a_dead_link_is_a_page_for_people_and_a_problem_for_programs(client: Client) -> None:
    for path in (f"/o/{new_id().hex}", "/o/x/y"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert "Page not found" in Seen(answer).text
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert "Page not found" in (await client.get("/nowhere", headers=browser)).text
    for path in ("/nowhere", f"/event/v1/events/{new_id()}", f"/api/events/{new_id()}/calendar.ics"):
        answer = await client.get(path, headers=browser if path != "/nowhere" else {})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


# What goes wrong, and what a page says of it in either language.
WRONG: dict[str, tuple[Exception, int, str, str]] = {
    "often": (RateLimited(retry_after_s=7), 429, "Too many requests", "Te veel versoeke"),
    "away": (OSError("gone"), 503, "We’re very busy right now", "Ons is tans baie besig"),
    "a bug": (
        RuntimeError("a secret"),
        500,
        "Something went wrong on our side",
        "Iets het aan ons kant verkeerd geloop",
    ),
    "another refusal": (Forbidden(), 403, "This page is not available", "Hierdie bladsy is nie beskikbaar nie"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_whatever_goes_wrong_is_a_page_for_people(
    client: Client, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    error, status, said, gesê = WRONG[wrong]

    async def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(words, "choose_language", fail)
    browser = {"accept": "text/html,*/*;q=0.8", "x-request-id": "a-page-that-broke"}
    answer = await client.get("/my?at=x", headers=browser)
    page = Seen(answer)
    assert (answer.status_code, answer.headers["x-request-id"]) == (status, "a-page-that-broke")
    assert answer.headers.get("retry-after") == {429: "7", 503: "1"}.get(status)
    assert said in page.text
    assert "secret" not in page.text
    assert {"", "/"} <= set(page.links())  # try again, and what's on
    assert ("a-page-that-broke" in page.text) is (status == 500)
    assert gesê in Seen(await client.get("/my", headers=browser | {"accept-language": "af"})).text
    program = await client.get("/my")
    assert (program.status_code, program.headers["content-type"]) == (status, "application/problem+json")
    assert program.headers.get("retry-after") == answer.headers.get("retry-after")


async def test_a_full_house_says_so_on_a_page(lane: Any, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(lane.middleware), "is_full", True)
    for path in ("/", "/?%ff=%00&lang=af", "/o/x?lang"):
        answer = await client.get(path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert Seen(answer).all("a", href="")
    assert (await client.get("/api/me")).json()["code"] == "unavailable"
