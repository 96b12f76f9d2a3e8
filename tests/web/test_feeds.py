"""Atom, RSS, sitemap and robots.txt, read by an XML parser."""

from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from fullhouse.kit.services import Services
from fullhouse.web import feeds, sitemaps
from tests.events.helpers import move, show_in
from tests.events.listed import HOUSE, ID, listed
from tests.fixtures import PUBLIC_URL, Client, Tenant
from tests.web.helpers import HOSTILE

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


async def xml(client: Client, path: str, kind: str) -> Xml.Element:
    answer = await client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.headers["cache-control"] == "no-cache"
    return Xml.fromstring(answer.content)


def text(element: Xml.Element, name: str) -> str:
    found = element.findtext(name)
    assert found is not None, name
    return found


# --- feeds


@pytest.mark.req("FEED-1")
async def test_atom(client: Client, admin: Client, tenant: Tenant, home: str) -> None:
    first = await show_in(admin, "published", name="First")
    second = await show_in(admin, "live", name="Second", venue_id=first["venue_id"])
    await show_in(admin, "draft", name="Draft", venue_id=first["venue_id"])
    await show_in(admin, "cancelled", name="Gone", venue_id=first["venue_id"])
    feed = await xml(client, f"{home}/feed.atom", feeds.ATOM)
    assert text(feed, f"{ATOM}id") == f"urn:uuid:{tenant.id}"
    assert text(feed, f"{ATOM}title") == "New events: Test House"
    assert {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")} == {
        "self": f"{PUBLIC_URL}{home}/feed.atom",
        "alternate": f"{PUBLIC_URL}{home}",
    }
    entries = feed.findall(f"{ATOM}entry")
    assert [text(e, f"{ATOM}id") for e in entries] == [f"urn:uuid:{second['id']}", f"urn:uuid:{first['id']}"]
    for entry in entries:
        assert text(entry, f"{ATOM}author/{ATOM}name") == "Test House"
        published, updated = (datetime.fromisoformat(text(entry, ATOM + n)) for n in ("published", "updated"))
        assert published <= updated
    link = entries[1].find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"{PUBLIC_URL}{home}/{first['slug']}"
    assert text(feed, f"{ATOM}updated") == max(text(e, f"{ATOM}updated") for e in entries)


@pytest.mark.req("FEED-1")
async def test_news_is_new_and_the_id_stays(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")

    async def entry() -> Xml.Element:
        found = (await xml(client, f"{home}/feed.atom", feeds.ATOM)).find(f"{ATOM}entry")
        assert found is not None
        return found

    before = await entry()
    await move(admin, event, "postpone")
    after = await entry()
    assert text(after, f"{ATOM}id") == text(before, f"{ATOM}id")
    assert text(after, f"{ATOM}published") == text(before, f"{ATOM}published")
    assert text(after, f"{ATOM}updated") > text(before, f"{ATOM}updated")
    assert text(after, f"{ATOM}summary").startswith("This event is postponed.")
    await move(admin, event, "reschedule")
    assert text(await entry(), f"{ATOM}summary").startswith("New date: Friday 1 September 2090, 21:00.")


@pytest.mark.req("FEED-1")
async def test_rss(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published")
    feed = await xml(client, f"{home}/feed.rss", feeds.RSS)
    assert (feed.tag, feed.get("version")) == ("rss", "2.0")
    assert text(feed, "channel/link") == f"{PUBLIC_URL}{home}"
    assert text(feed, "channel/description")
    item = feed.find("channel/item")
    assert item is not None
    guid = item.find("guid")
    assert guid is not None
    assert (guid.text, guid.get("isPermaLink")) == (f"urn:uuid:{event['id']}", "false")
    assert text(item, "link") == f"{PUBLIC_URL}{home}/{event['slug']}"
    assert parsedate_to_datetime(text(item, "pubDate")).tzinfo
    itself = feed.find(f"channel/{ATOM}link")
    assert itself is not None
    assert itself.get("href") == f"{PUBLIC_URL}{home}/feed.rss"


@pytest.mark.req("FEED-1")
async def test_the_feed_of_all_has_the_newest_of_every_house(client: Client, admin: Client, owner: Any) -> None:
    event = await show_in(admin, "published")
    # Other tests move the clock: theirs may be of tomorrow.
    await owner.execute("UPDATE public_events SET published_at = '2095-01-01' WHERE event_id::text = $1", event["id"])
    feed = await xml(client, "/feed.atom", feeds.ATOM)
    entries = feed.findall(f"{ATOM}entry")
    assert text(entries[0], f"{ATOM}id") == f"urn:uuid:{event['id']}"
    assert len(entries) <= feeds.NEWEST
    published = [text(entry, f"{ATOM}published") for entry in entries]
    assert published == sorted(published, reverse=True)
    assert text(feed, f"{ATOM}id") == text(await xml(client, "/feed.atom", feeds.ATOM), f"{ATOM}id")
    items = (await xml(client, "/feed.rss", feeds.RSS)).findall("channel/item")
    assert text(items[0], "guid") == f"urn:uuid:{event['id']}"


@pytest.mark.parametrize("title", [*HOSTILE, "]]>", "a\x01b\x1bc\ufffe", "x\r\ny"])
def test_hostile_titles_are_text(title: str) -> None:
    show = listed(title=title, description=title, organization_name=title)
    feed = feeds.Feed("urn:uuid:x", title, "https://example.org", "/o/x", [show])
    told = "".join(c for c in title if c not in "\x01\x1b\ufffe").replace("\r\n", "\n")
    entry = Xml.fromstring(feeds.render_atom(feed)).find(f"{ATOM}entry")
    assert entry is not None
    assert text(entry, f"{ATOM}title") == told
    assert text(entry, f"{ATOM}summary").endswith(told)
    item = Xml.fromstring(feeds.render_rss(feed)).find("channel/item")
    assert item is not None
    assert text(item, "title") == told
    # What a reader takes for HTML has no element in it but our own.
    assert text(item, "description").count("<") == 2 * text(item, "description").count("<p>")


def test_an_empty_feed_is_a_feed() -> None:
    feed = feeds.Feed("urn:uuid:x", "Empty", "https://example.org", "", [])
    read = Xml.fromstring(feeds.render_atom(feed))
    assert text(read, f"{ATOM}updated") == "1970-01-01T00:00:00Z"
    assert [link.get("href") for link in read.findall(f"{ATOM}link")] == [
        "https://example.org/feed.atom",
        "https://example.org/",
    ]
    assert Xml.fromstring(feeds.render_rss(feed)).find("channel/item") is None


@pytest.mark.parametrize("path", ["/feed.atom", "/feed.rss", "/o/{}/feed.atom", "/o/{}/feed.rss", "/sitemap.xml"])
async def test_who_has_it_gets_304(client: Client, tenant: Tenant, path: str) -> None:
    path = path.format(tenant.organization.slug)
    first = await client.get(path)
    again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (await client.get(path, headers={"if-none-match": '"another"'})).status_code == 200


@pytest.mark.parametrize("name", ["feed.atom", "feed.rss", "calendar.ics"])
async def test_no_such_house(client: Client, name: str) -> None:
    assert (await client.get(f"/o/no-such-house/{name}")).status_code == 404


# --- sitemap


async def files(client: Client) -> list[str]:
    index = await xml(client, "/sitemap.xml", "application/xml; charset=utf-8")
    assert index.tag == f"{SITEMAP}sitemapindex"
    return [text(entry, f"{SITEMAP}loc").removeprefix(PUBLIC_URL) for entry in index]


async def pages(client: Client, path: str) -> dict[str, str | None]:
    listing = await xml(client, path, "application/xml; charset=utf-8")
    assert listing.tag == f"{SITEMAP}urlset"
    assert len(listing) <= sitemaps.URLS_MAX
    return {text(entry, f"{SITEMAP}loc"): entry.findtext(f"{SITEMAP}lastmod") for entry in listing}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of two, up to four."""
    monkeypatch.setattr(sitemaps, "URLS_AT_FIRST", 2)
    monkeypatch.setattr(sitemaps, "URLS_MAX", 4)


@pytest.mark.req("FEED-1")
async def test_the_sitemap_has_every_public_page_once(client: Client, admin: Client, home: str) -> None:
    event = await show_in(admin, "published", name="Public")
    hidden = await show_in(admin, "draft", name="Hidden", venue_id=event["venue_id"])
    listed_at = await files(client)
    assert listed_at[0] == "/sitemaps/0.xml"
    houses = await pages(client, listed_at[0])
    assert f"{PUBLIC_URL}/" in houses
    assert f"{PUBLIC_URL}{home}" in houses
    found = [page for path in listed_at[1:] for page in (await pages(client, path)).items()]
    assert len(dict(found)) == len(found)
    changed = dict(found)[f"{PUBLIC_URL}{home}/{event['slug']}"]
    assert changed
    assert datetime.fromisoformat(changed).tzinfo
    assert f"{PUBLIC_URL}{home}/{hidden['slug']}" not in dict(found)


@pytest.mark.usefixtures("small")
async def test_files_are_ranges_of_ids_and_have_room_for_what_comes_later(
    client: Client, admin: Client, home: str
) -> None:
    shows = [await show_in(admin, "published", name="Show 0")]
    hall = shows[0]["venue_id"]
    shows += [await show_in(admin, "published", name=f"Show {n}", venue_id=hall) for n in range(1, 5)]
    before = await files(client)
    assert len(before) >= 4
    late = await show_in(admin, "published", name="Late", venue_id=hall)
    assert await files(client) == before  # counted once; the last file is open
    found = [page for path in before[1:] for page in await pages(client, path)]
    wanted = [f"{PUBLIC_URL}{home}/{show['slug']}" for show in [*shows, late]]
    assert [page for page in found if page in wanted] == wanted
    assert (await client.get(f"/sitemaps/{len(before)}.xml")).status_code == 404


@pytest.mark.parametrize("name", ["x.xml", "-1.xml", "01.xml", "1", "9999999.xml", "1.xml.gz", "999999.xml"])
async def test_no_such_file(client: Client, name: str) -> None:
    assert (await client.get(f"/sitemaps/{name}")).status_code == 404


async def test_robots(client: Client) -> None:
    answer = await client.get("/robots.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lines = answer.text.splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /api/", "Disallow: /console", f"Sitemap: {PUBLIC_URL}/sitemap.xml"} <= set(lines)


# --- indexes


async def test_each_list_can_walk_an_index(services: Services) -> None:
    """That there is one of the right order; what the planner makes of it depends on how full the table is."""
    from fullhouse.events import store

    wanted: dict[str, tuple[str, dict[str, Any]]] = {
        "list_newest_events": ("public_events_newest", {"organization_id": None, "limit": 50}),
        "list_sitemap_events": ("public_events_pkey", {"after_id": ID, "last_id": HOUSE, "limit": 10}),
        "find_public_event_by_slug": ("public_events_slug", {"organization": "grand-house", "slug": "the-tempest"}),
        "public_categories": ("public_events_category", {}),
    }
    async with services.database.without_tenant() as tx:
        await tx.execute("SET LOCAL enable_seqscan = off")
        await tx.execute("SET LOCAL enable_sort = off")
        await tx.execute("SET LOCAL enable_bitmapscan = off")
        for name, (index, asked) in wanted.items():
            query = getattr(store, name).query
            rows = await tx.fetch(f"EXPLAIN {query.text}", *query.arguments(None, **asked))
            plan = "\n".join(row[0] for row in rows)
            assert index in plan, f"{name}:\n{plan}"
