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
from fullhouse.web.pages import AnyRequest, kept, public

URLS_MAX = 10_000
BEGUN_WITH = URLS_MAX // 2
COUNTED_S = 3600
_FIRST = UUID(int=0)
_XML = "application/xml; charset=utf-8"
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
_FILE = re.compile(r"(0|[1-9]\d{0,5})\.xml")


@public("/sitemap.xml")
async def sitemap(request: AnyRequest) -> Response[bytes]:
    services: Services = request.app.state.services
    files = range(len(await _boundaries(services)) + 2)
    return kept(request, _listing("sitemapindex", "sitemap", [(_file(services, n), None) for n in files]), _XML)


@public("/sitemaps/{name:str}")
async def sitemap_file(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    match = _FILE.fullmatch(name)
    if match is None:
        raise NotFound
    number = int(match[1])
    pages = await _houses(services) if number == 0 else await _shows(services, number)
    return kept(request, _listing("urlset", "url", pages), _XML)


@public("/robots.txt")
async def robots(request: AnyRequest) -> Response[bytes]:
    services: Services = request.app.state.services
    lines = ["User-agent: *", "Allow: /", "Disallow: /api/", "Disallow: /console"]
    text = "\n".join([*lines, "", f"Sitemap: {services.public_url}/sitemap.xml", ""])
    return kept(request, text.encode(), "text/plain")


Pages = list[tuple[str, datetime | None]]


async def _houses(services: Services) -> Pages:
    async with services.reads.nobody() as tx:
        slugs = await store.sitemap_organizations(tx, URLS_MAX - 1) or []
    return [(f"{services.public_url}/", None), *((f"{services.public_url}/o/{slug}", None) for slug in slugs)]


async def _shows(services: Services, number: int) -> Pages:
    ends = [_FIRST, *await _boundaries(services), None]
    if number >= len(ends):
        raise NotFound
    async with services.reads.nobody() as tx:
        found = await store.sitemap_shows(tx, after_id=ends[number - 1], last_id=ends[number], limit=URLS_MAX)
    return [(f"{services.public_url}/o/{it.organization}/{it.slug}", it.changed_at) for it in found]


async def _boundaries(services: Services) -> list[UUID]:
    async def load() -> list[UUID]:
        async with services.reads.nobody() as tx:
            return await store.sitemap_boundaries(tx, BEGUN_WITH) or []

    return await services.cache.get("public:sitemap", COUNTED_S, load, list[UUID])


def _file(services: Services, number: int) -> str:
    return f"{services.public_url}/sitemaps/{number}.xml"


def _listing(root: str, item: str, pages: Pages) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<{root} xmlns="{_SCHEMA}">']
    for address, changed_at in pages:
        changed = f"<lastmod>{changed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed_at else ""
        lines.append(f"<{item}><loc>{escape(address)}</loc>{changed}</{item}>")
    return "\n".join([*lines, f"</{root}>", ""]).encode()


handlers = [sitemap, sitemap_file, robots]
