"""The storefront's pages: all events, an organisation's events, one event. They work without JavaScript."""

import asyncio
import re
from collections import ChainMap
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from litestar import Response
from litestar.params import FromPath
from markupsafe import Markup

from fullhouse.accounts import store as accounts
from fullhouse.accounts.model import Organization
from fullhouse.events import cache_keys, store
from fullhouse.events.public import json_ld
from fullhouse.events.public import reads as public_reads
from fullhouse.events.public.model import EventNotFound, PublicEvent
from fullhouse.events.public.view_counter import ViewCounter
from fullhouse.kit.db.cursors import BadCursor, Page
from fullhouse.kit.errors import NotFound
from fullhouse.kit.languages import Words
from fullhouse.kit.services import Services
from fullhouse.kit.text import fold, to_tsquery
from fullhouse.kit.times import to_local
from fullhouse.payments.providers.actions import Providers
from fullhouse.seating.plans.plan import RESERVED
from fullhouse.seating.reads import SeatingConfigCache
from fullhouse.tickets.types import actions as types
from fullhouse.web import content_security, event_views, words
from fullhouse.web.rendering import AnyRequest, cacheable_page, public

PAGE_SIZE = 24
CATEGORIES_CACHE_S = 60
CITIES_MAX = 200
ALTERNATIVES, ALTERNATIVE_CANDIDATES = 3, 24  # alternatives to a sold-out event, and among how many they are chosen
SORTS = ("latest", "trending")  # the first is the default
# The largest offset of a time zone from UTC.
_UTC_OFFSET_MAX = timedelta(hours=14)
_CATEGORY = re.compile(r"[a-z0-9](_?[a-z0-9]){0,39}")


class Filters(NamedTuple):
    """The search form. Invalid values are ignored: a visitor gets events, not an error."""

    q: str = ""
    city: str = ""
    category: str = ""
    since: date | None = None
    until: date | None = None
    sort: str = ""

    @classmethod
    def from_request(cls, request: AnyRequest) -> "Filters":
        params = request.query_params
        category = params.get("category", "")
        return cls(
            q=" ".join(params.get("q", "").split())[:200],
            city=" ".join(params.get("city", "").split())[:50],
            category=category if _CATEGORY.fullmatch(category) else "",
            since=_parse_day(params.get("since", "")),
            until=_parse_day(params.get("until", "")),
            sort=params.get("sort", "") if params.get("sort") in SORTS[1:] else "",
        )

    @property
    def query(self) -> dict[str, str]:
        return {name: str(value) for name, value in self._asdict().items() if value}

    @property
    def narrow(self) -> bool:
        """Whether the filters exclude events; another order excludes none."""
        return any(self._replace(sort=""))

    def window(self) -> tuple[datetime | None, datetime | None]:
        """A day's start depends on the time zone: this is wide enough for every zone, and `covers` is exact."""
        return (
            datetime.combine(self.since, time(), UTC) - _UTC_OFFSET_MAX if self.since else None,
            datetime.combine(self.until, time(), UTC) + timedelta(days=1) + _UTC_OFFSET_MAX if self.until else None,
        )

    def covers(self, show: PublicEvent) -> bool:
        there = to_local(show.start_time, show.timezone).date()
        return (self.since or there) <= there <= (self.until or there)


def _parse_day(text: str) -> date | None:
    """Without the first and last years, for which `window` would overflow."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 2 <= found.year <= 9998 else None


@public("/")
async def all_events(request: AnyRequest) -> Response[bytes]:
    services: Services = request.app.state.services
    return await _list_page(request, None, await _list_cities(services))


async def _find_alternatives(services: Services, show: PublicEvent) -> list[PublicEvent]:
    """For a sold-out event: others of the same category that are on sale, of the same organisation first, then in the
    same city, then elsewhere."""
    if show.sale_status != "sold_out":
        return []
    alike = public_reads.Filters(None, show.category, None, None, "on_sale", None)
    found = await public_reads.feed(services, alike, SORTS[0], None, ALTERNATIVE_CANDIDATES)
    near = sorted(
        (other for other in found.data if other.id != show.id),
        key=lambda other: (other.organization_id != show.organization_id, other.city != show.city, other.start_time),
    )
    return near[:ALTERNATIVES]


@public("/o/{org:str}")
async def organization_events(request: AnyRequest, org: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    organization = await require_organization(services, org)
    async with services.reads.without_tenant() as tx:
        cities = await store.list_cities_of_organization(tx, organization_id=organization.id, limit=CITIES_MAX) or []
    return await _list_page(request, organization, cities)


@public("/o/{org:str}/{slug:str}")
async def event_page(request: AnyRequest, org: FromPath[str], slug: FromPath[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    async with services.reads.without_tenant() as tx:
        show = await store.find_public_event_by_slug(tx, organization=org, slug=slug)
    if show is None:
        return await _redirect_to_replacement(services, org, slug)
    services.part(ViewCounter).record_view(
        show.organization_id, show.id, request.client.host if request.client else None
    )
    t = await words.choose_language(request, show.organization_id)
    least = await types.lowest_prices(services, show.organization_id)
    view = event_views.to_view(show, t, least.get(show.id), services.clock.now())
    pictures = [services.public_url + picture.large for picture in show.cover_images]
    about = json_ld.render_event(
        show,
        url=services.public_url + view.path,
        organizer_url=f"{services.public_url}/o/{show.organization}",
        images=pictures,
        least=least.get(show.id),
    )
    return cacheable_page(
        request,
        "show.html",
        t=t,
        policy=content_security.policy(stripe=view.sells and services.part(Providers).has_card_fields),
        it=view,
        office=await load_box_office(services, view),
        origin=services.public_url,
        picture=pictures[0],
        instead=await _to_views(services, await _find_alternatives(services, show), t),
        json_ld=Markup(json_ld.render_script(about)),  # noqa: S704 - escaped for this very place
    )


class BoxOffice(NamedTuple):
    """What the box office starts with: the layout whose seats it requests first, and the limits of one booking."""

    layout: UUID | None
    has_seats: bool  # at least one zone with numbered seats
    most_seats: int
    most_wheelchairs: int


async def load_box_office(services: Services, view: event_views.EventView) -> BoxOffice | None:
    """For an event that is sold here; it saves the page's script a round trip."""
    if not view.sells:
        return None
    # Not the seat states: a crawler that reads the page must not make us load 20,000 seats.
    rules = await services.part(SeatingConfigCache).get_rules(view.show.organization_id, view.show.id)
    most = [rules.policy.number(f"max_{kind}_per_booking") for kind in ("seats", "wheelchair_seats")]
    has_seats = any(zone.zone_type in RESERVED for zone in rules.seating.zones.values())
    return BoxOffice(rules.seating.layout_id, has_seats, *most)


async def _redirect_to_replacement(services: Services, org: str, slug: str) -> Response[bytes]:
    """Redirects the address of a cancelled or past event to its replacement, if it has one."""
    organization = await require_organization(services, org)
    async with services.database.tenant(organization.id) as tx:
        found = await store.find_replacement_slug(tx, slug)
    if found is None:
        raise EventNotFound
    headers = {"location": f"/o/{organization.slug}/{found}", "cache-control": "no-cache"}
    return Response(b"", status_code=307, headers=headers)


async def require_organization(services: Services, slug: str) -> Organization:
    """404 for a suspended organisation."""
    async with services.reads.without_tenant() as tx:
        found = await accounts.organization_by_slug(tx, slug)
    if found is None or found.status != "active":
        raise NotFound
    return found


async def _list_page(request: AnyRequest, organization: Organization | None, cities: list[str]) -> Response[bytes]:
    services: Services = request.app.state.services
    filters = Filters.from_request(request)
    t = await words.choose_language(request, organization.id if organization else None)
    listed = await _load_page(services, request, organization, filters)
    path = f"/o/{organization.slug}" if organization else "/"
    later = "cursor" in request.query_params
    query = filters.query
    shows = [show for show in listed.data if filters.covers(show)]
    # A search without a result shows upcoming events instead.
    next_up = [] if shows or later or not query else await _load_upcoming(services, organization)
    onward = query | {"cursor": listed.next_cursor} if listed.next_cursor else None
    return cacheable_page(
        request,
        "shows.html",
        t=t,
        organization=organization,
        cities=cities,
        categories=await _list_categories(services),
        sorts=SORTS,
        origin=services.public_url,
        path=path,
        feeds=path.rstrip("/"),
        filters=filters,
        shows=await _to_views(services, shows, t),
        next_up=await _to_views(services, next_up, t),
        onward=f"{path}?{urlencode(onward)}" if onward else None,
        first=(f"{path}?{urlencode(query)}" if query else path) if later else None,
        plain=not (query or later),  # search engines index only this
    )


async def _load_page(
    services: Services, request: AnyRequest, organization: Organization | None, filters: Filters
) -> Page[PublicEvent]:
    """One page of events. An invalid cursor gives the first page."""
    if filters.q:
        await public_reads.check_search_limit(services, request.client.host if request.client else None)
    where = public_reads.Filters(
        fold(filters.city) or None,
        filters.category or None,
        *filters.window(),
        None,
        to_tsquery(fold(filters.q)) if filters.q else None,
    )
    organization_id, sort = organization.id if organization else None, filters.sort or SORTS[0]
    try:
        cursor = request.query_params.get("cursor")
        return await public_reads.list_page(services, organization_id, where, sort, cursor, PAGE_SIZE)
    except BadCursor:
        return await public_reads.list_page(services, organization_id, where, sort, None, PAGE_SIZE)


async def _load_upcoming(services: Services, organization: Organization | None) -> list[PublicEvent]:
    everything = public_reads.Filters(None, None, None, None, None, None)
    organization_id = organization.id if organization else None
    return (await public_reads.list_page(services, organization_id, everything, SORTS[0], None, ALTERNATIVES)).data


async def _to_views(services: Services, shows: list[PublicEvent], t: Words) -> list[event_views.EventView]:
    organizations = {show.organization_id for show in shows}
    least = ChainMap(*await asyncio.gather(*(types.lowest_prices(services, each) for each in organizations)))
    now = services.clock.now()
    return [event_views.to_view(show, t, least.get(show.id), now) for show in shows]


async def _list_cities(services: Services) -> list[str]:
    busiest = (await public_reads.load_city_index(services)).suggest("", CITIES_MAX)
    return sorted({city.city for city in busiest})


async def _list_categories(services: Services) -> list[str]:
    async def load() -> list[str]:
        async with services.reads.without_tenant() as tx:
            return await store.public_categories(tx) or []

    return await services.cache.get(cache_keys.CATEGORIES, CATEGORIES_CACHE_S, load, list[str])


handlers = [all_events, organization_events, event_page]
