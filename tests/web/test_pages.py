"""The storefront's pages as a browser gets them: no stranger's script, nothing hidden in them, nobody else's shows."""

from html.parser import HTMLParser
from typing import Any

import httpx
import msgspec
import pytest

from fullhouse.kit.errors import Forbidden, RateLimited
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.web import posters, programme, words
from tests.events.helpers import NEW_DATE, move, show_in
from tests.events.listed import listed, moment, parsed, picture
from tests.fixtures import PUBLIC_URL, Client, Tenant

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></script><!-- ]]> & &amp;",
    "{{ 7 * 7 }} {% raw %}",
    "🎭 Großes Theater",
    "مسرحية العاصفة",
]


class Seen(HTMLParser):
    """What is on a page: its elements, its text, and what its script element says."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.script = "", ""
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.script += data
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.elements if t == tag and wanted.items() <= a.items()]

    def meta(self, name: str) -> str | None:
        found = [a["content"] for a in self.all("meta") if name in (a.get("name"), a.get("property"))]
        return found[0] if found else None

    def links(self) -> list[str]:
        return [a["href"] or "" for a in self.all("a")]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
def home(tenant: Tenant) -> str:
    return f"/o/{tenant.organization.slug}"


@pytest.fixture
def city(tenant: Tenant) -> str:
    """One that no other test's shows are in."""
    return f"Stad {tenant.id.hex[:12]}"


async def in_city(admin: Client, city: str, **more: Any) -> Any:
    hall = {"name": "Zaal", "city": city, "country": "BE", "timezone": "Europe/Brussels", "address": "Markt 1"}
    venue = await admin.post("/api/venues", json=hall | more.pop("venue", {}))
    assert venue.status_code == 201, venue.text
    return await show_in(admin, "published", venue_id=venue.json()["data"]["id"], **more)


async def seen(client: Client, path: str, **params: Any) -> Seen:
    answer = await client.get(path, params=params or None)
    assert answer.status_code == 200, answer.text
    return Seen(answer)


# --- a show


@pytest.mark.req("FEED-1")
async def test_the_page_of_a_show(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    page = await seen(client, f"{home}/{event['slug']}")
    assert "Thursday 1 June 209021:00–23:30" in page.text  # on two lines
    assert "Local time in Liège (Europe/Brussels, UTC+2)" in page.text
    assert "Place Xavier-Neujean 7, Liège" in page.text
    assert "On sale until Thursday 1 June 2090, 21:00." in page.text
    assert "An island, a storm, a duke." in page.text
    assert f"/api/events/{event['id']}/calendar.ics" in page.links()
    address = f"{PUBLIC_URL}{home}/{event['slug']}"
    assert page.all("link", rel="canonical") == [{"rel": "canonical", "href": address}]
    assert (page.meta("og:title"), page.meta("og:url")) == ("The Tempest", address)
    assert page.meta("twitter:card") == "summary_large_image"
    image = page.meta("og:image")
    assert image
    assert image.startswith(f"{PUBLIC_URL}/images/")
    assert image.endswith("/large.jpg")
    about = msgspec.json.decode(page.script)
    assert (about["@type"], about["startDate"], about["url"]) == ("Event", "2090-06-01T21:00:00+02:00", address)
    assert about["image"] == [image]


@pytest.mark.req("FEED-1")
@pytest.mark.parametrize("title", HOSTILE)
async def test_a_title_is_only_a_title(client: Client, admin: Client, home: str, title: str) -> None:
    event = await show_in(admin, "published", name=title, description=title)
    for path in (f"{home}/{event['slug']}", home):
        page = await seen(client, path)
        assert title in page.text
        kinds = [a.get("type") for a in page.all("script")]
        assert kinds == ([None, "module", "application/ld+json"] if path != home else [None])
        assert {a["src"] for a in page.all("script") if "type" not in a} == {"/static/house.js"}
        assert all(
            (a["src"] or "").startswith("/built/assets/") for a in page.all("script") if a.get("type") == "module"
        )
        assert not [a for _, a in page.elements if any(name.startswith("on") or name == "style" for name in a)]
    assert msgspec.json.decode((await seen(client, f"{home}/{event['slug']}")).script)["name"] == title


@pytest.mark.req("FEED-1")
async def test_a_postponed_show_says_so_and_then_its_new_date(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    path = f"{home}/{event['slug']}"
    await move(admin, event, "postpone")
    page = await seen(client, path)
    assert "This show is postponed" in page.text
    assert "The new date is not known yet. It was to be on Thursday 1 June 2090, 21:00." in page.text
    assert "Nothing is sold until there is a new date." in page.text
    assert msgspec.json.decode(page.script)["eventStatus"].endswith("/EventPostponed")
    assert "Postponed" in (await seen(client, home)).text

    await move(admin, event, "reschedule", rescheduled_at=NEW_DATE)
    page = await seen(client, path)
    assert "New date: Friday 1 September 2090, 21:00" in page.text
    assert "It was to be on Thursday 1 June 2090, 21:00." in page.text
    about = msgspec.json.decode(page.script)
    assert about["eventStatus"].endswith("/EventRescheduled")
    assert (about["startDate"], about["previousStartDate"]) == (
        "2090-09-01T21:00:00+02:00",
        "2090-06-01T21:00:00+02:00",
    )


PUBLIC_IN = {"published": True, "live": True, "postponed": True}


@pytest.mark.req("FEED-1", "EV-5")
@pytest.mark.parametrize("status", ["draft", "published", "live", "ended", "cancelled", "postponed", "archived"])
async def test_what_is_not_public_has_no_page(client: Client, admin: Client, home: str, status: str) -> None:
    event = await show_in(admin, status)
    expected = 200 if PUBLIC_IN.get(status) else 404
    page = await client.get(f"{home}/{event['slug']}")
    ics = await client.get(f"/api/events/{event['id']}/calendar.ics")
    assert (page.status_code, ics.status_code) == (expected, expected)
    assert (event["slug"] in (await client.get(home)).text) == (expected == 200)
    if expected == 404:
        assert "This seat is empty" in page.text
        assert event["name"] not in page.text
        assert ics.json()["code"] == "event_not_found"


@pytest.mark.req("TEN-2", "FEED-1")
async def test_a_show_is_found_at_its_own_house_only(
    client: Client, admin: Client, tenant: Tenant, other_tenant: Tenant, owner: Any
) -> None:
    event = await show_in(admin, "published")
    elsewhere = f"/o/{other_tenant.organization.slug}"
    assert (await client.get(f"{elsewhere}/{event['slug']}")).status_code == 404
    assert event["slug"] not in (await client.get(elsewhere)).text
    here = f"/o/{tenant.organization.slug}"
    await owner.execute("UPDATE organizations SET status = 'suspended' WHERE id = $1", tenant.id)
    for path in (here, f"{here}/{event['slug']}", f"{here}/calendar.ics", f"{here}/feed.atom"):
        assert (await client.get(path)).status_code == 404


# --- lists


@pytest.mark.req("FEED-3")
async def test_the_form_finds(client: Client, admin: Client, city: str) -> None:
    early = await in_city(admin, city, name="Early storm", venue={"slug": "one"})
    late = await in_city(
        admin, city, name="Late calm", category="opera_buffa", venue={"slug": "two"},
        start_at="2090-07-01T19:00:00Z", end_at="2090-07-01T20:00:00Z",
    )  # fmt: skip

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
    assert "No show fits" in page.text
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
        found = answer.text.partition("No show fits")[0]  # what comes after it is what there is instead
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
    monkeypatch.setattr("fullhouse.web.shows.PAGE", 2)
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
    assert "Nothing on the programme yet" in page.text
    assert page.meta("robots") is None


# --- calendars


@pytest.mark.req("FEED-1")
async def test_a_calendar_of_a_show_and_of_a_house(client: Client, admin: Client, home: str, owner: Any) -> None:
    event = await show_in(admin, "published")
    await in_city(admin, "Gent", name="Another", venue={"slug": "gent"})
    answer = await client.get(f"/api/events/{event['id']}/calendar.ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="{event["slug"]}.ics"'
    assert answer.headers["cache-control"] == "no-cache"
    first = parsed(answer.content).one("VEVENT")
    assert (first["UID"], first["SUMMARY"]) == (event["id"], "The Tempest")
    assert first["URL"] == f"{PUBLIC_URL}{home}/{event['slug']}"

    await admin.patch(f"/api/events/{event['id']}", json={"name": "The Storm"})
    second = parsed((await client.get(f"/api/events/{event['id']}/calendar.ics")).content).one("VEVENT")
    assert (second["UID"], second["SUMMARY"]) == (event["id"], "The Storm")
    assert int(second["SEQUENCE"]) > int(first["SEQUENCE"])

    whole = parsed((await client.get(f"{home}/calendar.ics")).content)
    assert whole["NAME"] == "Test House"
    assert {e["SUMMARY"] for e in whole.all("VEVENT")} == {"The Storm", "Another"}
    assert moment(whole, whole.all("VEVENT")[0], "DTSTART").isoformat() == "2090-06-01T19:00:00+00:00"
    await owner.execute(
        "UPDATE public_events SET start_at = '2020-01-01', end_at = '2020-01-02' WHERE event_id::text = $1", event["id"]
    )
    gone = parsed((await client.get(f"{home}/calendar.ics")).content)
    assert {e["SUMMARY"] for e in gone.all("VEVENT")} == {"Another"}


async def test_a_change_that_changes_nothing_is_no_news(admin: Client, owner: Any) -> None:
    event = await show_in(admin, "published")
    news = "SELECT changed_at FROM public_events WHERE event_id::text = $1"
    before = await owner.fetchval(news, event["id"])
    await owner.execute("UPDATE public_events SET title = title WHERE event_id::text = $1", event["id"])
    assert await owner.fetchval(news, event["id"]) == before
    await owner.execute("UPDATE public_events SET title = 'New' WHERE event_id::text = $1", event["id"])
    assert await owner.fetchval(news, event["id"]) > before


# --- how they are served


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
        assert "This seat is empty" in Seen(answer).text
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert "This seat is empty" in (await client.get("/nowhere", headers=browser)).text
    for path in ("/nowhere", f"/event/v1/events/{new_id()}", f"/api/events/{new_id()}/calendar.ics"):
        answer = await client.get(path, headers=browser if path != "/nowhere" else {})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


# What goes wrong, and what a page says of it in either language.
WRONG: dict[str, tuple[Exception, int, str, str]] = {
    "often": (RateLimited(retry_after_s=7), 429, "Not so fast", "Nie so vinnig nie"),
    "away": (OSError("gone"), 503, "The house is full for a moment", "Die huis is vir ’n oomblik vol"),
    "a bug": (RuntimeError("a secret"), 500, "Something broke on our side", "Iets het aan ons kant gebreek"),
    "another refusal": (Forbidden(), 403, "That does not work here", "Dit werk nie hier nie"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_whatever_goes_wrong_is_a_page_for_people(
    client: Client, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    error, status, said, gesê = WRONG[wrong]

    async def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(words, "of", fail)
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
    monkeypatch.setattr(type(lane.edge), "is_full", True)
    for path in ("/", "/?%ff=%00&lang=af", "/o/x?lang"):
        answer = await client.get(path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert Seen(answer).all("a", href="")
    assert (await client.get("/api/me")).json()["code"] == "unavailable"


async def test_a_look_at_the_page_counts(lane: Any, client: Client, admin: Client, home: str, owner: Any) -> None:
    from fullhouse.events.views import Views

    event = await show_in(admin, "published")
    await client.get(f"{home}/{event['slug']}")
    services: Services = lane.wide.state.services
    await services.part(Views).write()
    assert await owner.fetchval("SELECT views FROM event_stats WHERE event_id::text = $1", event["id"]) == 1


# --- in words


@pytest.mark.parametrize(
    ("more", "place", "venue"),
    [
        ({}, ["Grande Salle", "Place Xavier-Neujean 7, Liège, BE"], "Grande Salle, Liège"),
        ({"address": "Kouter 1"}, ["Grande Salle", "Kouter 1", "Liège, BE"], "Grande Salle, Liège"),
        ({"address": None, "venue_name": "Liège", "country": "ZZ"}, ["Liège"], "Liège"),
        ({"address": None, "venue_name": "The stream"}, ["The stream", "Online"], "Online · The stream"),
    ],
)
def test_places(more: dict[str, Any], place: list[str], venue: str) -> None:
    it = programme.printed(listed(**more))
    assert (it.place, it.venue) == (place, venue)


@pytest.mark.parametrize(
    ("more", "label", "sale"),
    [
        ({}, "", "On sale until Saturday 1 June 2030, 20:00."),
        ({"sale_status": "upcoming"}, "Not on sale yet", "Tickets go on sale on Tuesday 1 January 2030, 10:00."),
        ({"sale_status": "sold_out"}, "Sold out", "Sold out."),
        ({"sale_status": "closed"}, "Sale closed", "The sale is closed."),
        (
            {"phase": "postponed", "sale_status": "suspended"},
            "Postponed",
            "Nothing is sold until there is a new date.",
        ),
        ({"phase": "live"}, "Now on", "On sale until Saturday 1 June 2030, 20:00."),
    ],
)
def test_sale_in_words(more: dict[str, Any], label: str, sale: str) -> None:
    it = programme.printed(listed(**more))
    assert (it.label, it.sale) == (label, sale)


def test_a_night_that_ends_tomorrow() -> None:
    show = listed()
    late = listed(end_time=show.start_time.replace(hour=23, minute=30))
    assert programme.printed(late).when == ["Saturday 1 June 2030, 20:00", "until Sunday 2 June 2030, 01:30"]


def test_a_cover_or_a_poster_of_our_own() -> None:
    assert programme.printed(listed()).cover is None
    assert programme.printed(listed(cover_images=[picture()])).cover == picture()
    ids = [new_id() for _ in range(200)]
    for category in ("theatre", "concert", "other"):
        drawn = [posters.svg(it, category) for it in ids]
        assert drawn == [posters.svg(it, category) for it in ids]
        assert len(set(drawn)) > 150
        assert all(it.startswith("<svg") and it.endswith("</svg>") and "style" not in it for it in drawn)


async def test_a_search_in_vain_shows_what_comes_next(client: Client, admin: Client, tenant: Tenant) -> None:
    await show_in(admin, "published")
    house = f"/o/{tenant.organization.slug}"
    vain, found = Seen(await client.get(f"{house}?q=zebra")), Seen(await client.get(f"{house}?q=tempest"))
    assert "No show fits" in vain.text
    assert "Coming up next" in vain.text
    assert f"{house}/the-tempest" in vain.links()
    assert house in found.links()  # the way back to everything
    assert "Coming up next" not in found.text
