"""For search engines: the sitemap and robots.txt.

The sitemap is an index of files. File 0 has the front page and the organisations; the others have the events, in the
order of their ids. The boundaries between files are computed once an hour, along the primary key; in between, a file is
a range of ids. A file starts half full, so that events announced within the hour fit in, and the last one has no upper
bound.
"""

import re
from datetime import UTC, datetime
from uuid import UUID
from xml.sax.saxutils import escape

from litestar import Response
from litestar.params import FromPath

from fullhouse.events import store
from fullhouse.kit.errors import NotFound
from fullhouse.kit.services import Services
from fullhouse.web.rendering import AnyRequest, cacheable_response, public

URLS_MAX = 10_000
URLS_AT_FIRST = URLS_MAX // 2
BOUNDARIES_CACHE_S = 3600
_FIRST = UUID(int=0)
_XML = "application/xml; charset=utf-8"
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
_FILE = re.compile(r"(0|[1-9]\d{0,5})\.xml")


@public("/sitemap.xml")
async def sitemap(request: AnyRequest) -> Response[bytes]:
    services: Services = request.app.state.services
    files = range(len(await _load_boundaries(services)) + 2)
    return cacheable_response(
        request, _render_xml("sitemapindex", "sitemap", [(_file_url(services, n), None) for n in files]), _XML
    )


@public("/sitemaps/{name:str}")
async def sitemap_file(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    match = _FILE.fullmatch(name)
    if match is None:
        raise NotFound
    number = int(match[1])
    pages = await _list_organization_pages(services) if number == 0 else await _list_event_pages(services, number)
    return cacheable_response(request, _render_xml("urlset", "url", pages), _XML)


@public("/robots.txt")
async def robots(request: AnyRequest) -> Response[bytes]:
    services: Services = request.app.state.services
    lines = ["User-agent: *", "Allow: /", "Disallow: /api/", "Disallow: /console"]
    text = "\n".join([*lines, "", f"Sitemap: {services.public_url}/sitemap.xml", ""])
    return cacheable_response(request, text.encode(), "text/plain")


Pages = list[tuple[str, datetime | None]]


async def _list_organization_pages(services: Services) -> Pages:
    async with services.reads.without_tenant() as tx:
        slugs = await store.sitemap_organizations(tx, URLS_MAX - 1) or []
    return [(f"{services.public_url}/", None), *((f"{services.public_url}/o/{slug}", None) for slug in slugs)]


async def _list_event_pages(services: Services, number: int) -> Pages:
    ends = [_FIRST, *await _load_boundaries(services), None]
    if number >= len(ends):
        raise NotFound
    async with services.reads.without_tenant() as tx:
        found = await store.list_sitemap_events(tx, after_id=ends[number - 1], last_id=ends[number], limit=URLS_MAX)
    return [(f"{services.public_url}/o/{it.organization}/{it.slug}", it.changed_at) for it in found]


async def _load_boundaries(services: Services) -> list[UUID]:
    async def load() -> list[UUID]:
        async with services.reads.without_tenant() as tx:
            return await store.sitemap_boundaries(tx, URLS_AT_FIRST) or []

    return await services.cache.get("public:sitemap", BOUNDARIES_CACHE_S, load, list[UUID])


def _file_url(services: Services, number: int) -> str:
    return f"{services.public_url}/sitemaps/{number}.xml"


def _render_xml(root: str, item: str, pages: Pages) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<{root} xmlns="{_SCHEMA}">']
    for address, changed_at in pages:
        changed = f"<lastmod>{changed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed_at else ""
        lines.append(f"<{item}><loc>{escape(address)}</loc>{changed}</{item}>")
    return "\n".join([*lines, f"</{root}>", ""]).encode()


handlers = [sitemap, sitemap_file, robots]
