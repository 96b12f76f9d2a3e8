"""Newly announced events as Atom (RFC 4287) and RSS 2.0 feeds, of all organisations or of one."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as Xml

from litestar import Response
from litestar.params import FromPath

from fullhouse.events import store
from fullhouse.events.public.model import PublicEvent
from fullhouse.kit.services import Services
from fullhouse.web import programme
from fullhouse.web.pages import AnyRequest, kept, public
from fullhouse.web.shows import find_organization
from fullhouse.web.words import EN

NEWEST = 50
ATOM, RSS = "application/atom+xml; charset=utf-8", "application/rss+xml; charset=utf-8"
_ATOM = "http://www.w3.org/2005/Atom"
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# Characters that XML 1.0 cannot contain, not even escaped.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Feed(NamedTuple):
    id: str
    title: str
    origin: str
    path: str  # of the page with the same content
    shows: list[PublicEvent]

    @property
    def page(self) -> str:
        return f"{self.origin}{self.path}/" if self.path == "" else f"{self.origin}{self.path}"

    @property
    def updated(self) -> datetime:
        return max((show.changed_at for show in self.shows), default=_BEGINNING)


@public("/feed.atom")
async def atom_of_all(request: AnyRequest) -> Response[bytes]:
    return kept(request, atom(await _of_all(request)), ATOM)


@public("/feed.rss")
async def rss_of_all(request: AnyRequest) -> Response[bytes]:
    return kept(request, rss(await _of_all(request)), RSS)


@public("/o/{org:str}/feed.atom")
async def atom_of_organization(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    return kept(request, atom(await _of_organization(request, org)), ATOM)


@public("/o/{org:str}/feed.rss")
async def rss_of_organization(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    return kept(request, rss(await _of_organization(request, org)), RSS)


async def _of_all(request: AnyRequest) -> Feed:
    services: Services = request.app.state.services
    async with services.reads.nobody() as tx:
        shows = await store.newest_shows(tx, organization_id=None, limit=NEWEST)
    return Feed(uuid5(NAMESPACE_URL, services.public_url).urn, "New events", services.public_url, "", shows)


async def _of_organization(request: AnyRequest, slug: str) -> Feed:
    services: Services = request.app.state.services
    organization = await find_organization(services, slug)
    async with services.reads.nobody() as tx:
        shows = await store.newest_shows(tx, organization_id=organization.id, limit=NEWEST)
    title = f"New events: {organization.name}"
    return Feed(organization.id.urn, title, services.public_url, f"/o/{organization.slug}", shows)


def atom(feed: Feed) -> bytes:
    root = Xml.Element("feed", {"xmlns": _ATOM})
    add = _adder(root)
    add("id", feed.id)
    add("title", feed.title)
    add("updated", _rfc3339(feed.updated))
    add("link", rel="self", type="application/atom+xml", href=f"{feed.origin}{feed.path}/feed.atom")
    add("link", rel="alternate", type="text/html", href=feed.page)
    for show in feed.shows:
        it = programme.printed(show)
        entry = _adder(Xml.SubElement(root, "entry"))
        entry("id", show.id.urn)
        entry("title", show.title)
        entry("link", rel="alternate", type="text/html", href=feed.origin + it.path)
        entry("link", rel="enclosure", type="image/jpeg", href=feed.origin + it.cover.large)
        entry("published", _rfc3339(show.published_at))
        entry("updated", _rfc3339(show.changed_at))
        _adder(entry("author"))("name", show.organization_name)
        entry("category", term=show.category, label=EN.category(show.category))
        entry("summary", "\n\n".join(_told(it)))
    return _bytes(root)


def rss(feed: Feed) -> bytes:
    root = Xml.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
    channel = Xml.SubElement(root, "channel")
    add = _adder(channel)
    add("title", feed.title)
    add("link", feed.page)
    add("description", "Events in the order in which they were announced.")
    add("lastBuildDate", format_datetime(feed.updated))
    add("atom:link", rel="self", type="application/rss+xml", href=f"{feed.origin}{feed.path}/feed.rss")
    for show in feed.shows:
        it = programme.printed(show)
        item = _adder(Xml.SubElement(channel, "item"))
        item("title", show.title)
        item("link", feed.origin + it.path)
        item("guid", show.id.urn, isPermaLink="false")
        item("enclosure", url=feed.origin + it.cover.large, length="0", type="image/jpeg")  # 0: the length is unknown
        item("pubDate", format_datetime(show.published_at))
        item("category", EN.category(show.category))
        # Feed readers parse this as HTML, so the text is escaped for HTML first and then for XML.
        item("description", "".join(f"<p>{escape(part)}</p>" for part in _told(it)))
    return _bytes(root)


def _told(it: programme.Printed) -> list[str]:
    news = [f"{it.notice.title}. {it.notice.text}"] if it.notice else []
    when = [] if it.undated else [f"{', '.join(it.when)} · {it.zone}"]
    return [*news, *when, it.venue, it.show.description]


def _adder(parent: Xml.Element) -> Callable[..., Xml.Element]:
    def add(name: str, text: str | None = None, **attributes: str) -> Xml.Element:
        child = Xml.SubElement(parent, name, attributes)
        child.text = None if text is None else _UNSPEAKABLE.sub("", text)
        return child

    return add


def _bytes(root: Xml.Element) -> bytes:
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _rfc3339(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


handlers = [atom_of_all, rss_of_all, atom_of_organization, rss_of_organization]
