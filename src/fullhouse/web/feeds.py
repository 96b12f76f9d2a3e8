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
from fullhouse.web import event_views
from fullhouse.web.pages.events import require_organization
from fullhouse.web.rendering import AnyRequest, cacheable_response, public
from fullhouse.web.words import EN

NEWEST = 50
ATOM, RSS = "application/atom+xml; charset=utf-8", "application/rss+xml; charset=utf-8"
_ATOM = "http://www.w3.org/2005/Atom"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Characters that XML 1.0 cannot contain, not even escaped.
_INVALID_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Feed(NamedTuple):
    id: str
    title: str
    origin: str
    path: str  # of the page with the same content
    events: list[PublicEvent]

    @property
    def page(self) -> str:
        return f"{self.origin}{self.path}/" if self.path == "" else f"{self.origin}{self.path}"

    @property
    def updated(self) -> datetime:
        return max((show.changed_at for show in self.events), default=_EPOCH)


@public("/feed.atom")
async def atom_of_all(request: AnyRequest) -> Response[bytes]:
    return cacheable_response(request, render_atom(await _load_feed(request)), ATOM)


@public("/feed.rss")
async def rss_of_all(request: AnyRequest) -> Response[bytes]:
    return cacheable_response(request, render_rss(await _load_feed(request)), RSS)


@public("/o/{org:str}/feed.atom")
async def atom_of_organization(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    return cacheable_response(request, render_atom(await _load_organization_feed(request, org)), ATOM)


@public("/o/{org:str}/feed.rss")
async def rss_of_organization(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    return cacheable_response(request, render_rss(await _load_organization_feed(request, org)), RSS)


async def _load_feed(request: AnyRequest) -> Feed:
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        shows = await store.list_newest_events(tx, organization_id=None, limit=NEWEST)
    return Feed(uuid5(NAMESPACE_URL, services.public_url).urn, "New events", services.public_url, "", shows)


async def _load_organization_feed(request: AnyRequest, slug: str) -> Feed:
    services: Services = request.app.state.services
    organization = await require_organization(services, slug)
    async with services.reads.without_tenant() as tx:
        shows = await store.list_newest_events(tx, organization_id=organization.id, limit=NEWEST)
    title = f"New events: {organization.name}"
    return Feed(organization.id.urn, title, services.public_url, f"/o/{organization.slug}", shows)


def render_atom(feed: Feed) -> bytes:
    root = Xml.Element("feed", {"xmlns": _ATOM})
    add = _make_adder(root)
    add("id", feed.id)
    add("title", feed.title)
    add("updated", _format_rfc3339(feed.updated))
    add("link", rel="self", type="application/atom+xml", href=f"{feed.origin}{feed.path}/feed.atom")
    add("link", rel="alternate", type="text/html", href=feed.page)
    for show in feed.events:
        it = event_views.to_view(show)
        entry = _make_adder(Xml.SubElement(root, "entry"))
        entry("id", show.id.urn)
        entry("title", show.title)
        entry("link", rel="alternate", type="text/html", href=feed.origin + it.path)
        entry("link", rel="enclosure", type="image/jpeg", href=feed.origin + it.cover.large)
        entry("published", _format_rfc3339(show.published_at))
        entry("updated", _format_rfc3339(show.changed_at))
        _make_adder(entry("author"))("name", show.organization_name)
        entry("category", term=show.category, label=EN.category(show.category))
        entry("summary", "\n\n".join(_describe_event(it)))
    return _serialize(root)


def render_rss(feed: Feed) -> bytes:
    root = Xml.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
    channel = Xml.SubElement(root, "channel")
    add = _make_adder(channel)
    add("title", feed.title)
    add("link", feed.page)
    add("description", "Events in the order in which they were announced.")
    add("lastBuildDate", format_datetime(feed.updated))
    add("atom:link", rel="self", type="application/rss+xml", href=f"{feed.origin}{feed.path}/feed.rss")
    for show in feed.events:
        it = event_views.to_view(show)
        item = _make_adder(Xml.SubElement(channel, "item"))
        item("title", show.title)
        item("link", feed.origin + it.path)
        item("guid", show.id.urn, isPermaLink="false")
        item("enclosure", url=feed.origin + it.cover.large, length="0", type="image/jpeg")  # 0: the length is unknown
        item("pubDate", format_datetime(show.published_at))
        item("category", EN.category(show.category))
        # Feed readers parse this as HTML, so the text is escaped for HTML first and then for XML.
        item("description", "".join(f"<p>{escape(part)}</p>" for part in _describe_event(it)))
    return _serialize(root)


def _describe_event(it: event_views.EventView) -> list[str]:
    news = [f"{it.notice.title}. {it.notice.text}"] if it.notice else []
    when = [] if it.undated else [f"{', '.join(it.when)} · {it.zone}"]
    return [*news, *when, it.venue, it.show.description]


def _make_adder(parent: Xml.Element) -> Callable[..., Xml.Element]:
    def add(name: str, text: str | None = None, **attributes: str) -> Xml.Element:
        child = Xml.SubElement(parent, name, attributes)
        child.text = None if text is None else _INVALID_XML.sub("", text)
        return child

    return add


def _serialize(root: Xml.Element) -> bytes:
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _format_rfc3339(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


handlers = [atom_of_all, rss_of_all, atom_of_organization, rss_of_organization]
