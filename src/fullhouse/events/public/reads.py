"""Cached reads: public events, pages of the feed, cities, and an organisation's upcoming events.

Values that depend on the current time (is it on sale?) are computed at every read and never cached.
"""

import hashlib
import math
import re
import secrets
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events import cache_keys, policy, store
from fullhouse.events.model import EventSummary
from fullhouse.events.public.cities import CityIndex
from fullhouse.events.public.model import CitySuggestion, EventNotFound, PublicEvent, PublicOrganization
from fullhouse.events.sale import policy as sale_policy
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.cache.redis_codecs import FIELDS, ITEMS
from fullhouse.kit.db.cursors import BadCursor, Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services

UPCOMING_MAX = 200
SEARCH_LIMIT = Limit(120, 60)  # per network: full-text queries cost more than cached reads
RANKED_MIN = 100  # matches to rank at least, if there are as many
HORIZON_MATCHES_MIN = 8  # so many matches in the next two thousand events promise a hundred in the next twenty thousand
_INCOMPLETE = re.compile(r"([^!]+) & ('[^']*':\*)")


class Filters(NamedTuple):
    """The filters of the feed; texts are folded."""

    city: str | None
    category: str | None
    since: datetime | None
    until: datetime | None
    sale_status: str | None
    words: str | None


class EncodedEvent(NamedTuple):
    """An encoded response for a public event; valid while its sources stay cached and no sale begins or ends."""

    event: PublicEvent
    response: Response  # `{"data": …}`
    not_modified: Response
    tag: str
    source_keys: tuple[str, str]
    sources: tuple[PublicEvent, PublicOrganization]
    since: float  # seconds, by the database's clock
    until: float


class FeedPage(Page[PublicEvent], frozen=True):
    """A cached page. With a filter by sale status it is valid `until` the next sale begins or ends."""

    until: datetime | None = None


ENCODED_MAX = 5_000
_encoded: dict[int, EncodedEvent] = {}


async def require_public_event(services: Services, event_id: UUID) -> EncodedEvent:
    """The response for a public event; 404 if the event is not public."""
    return peek_public_event(services, event_id) or await encode_public_event(services, event_id)


def peek_public_event(services: Services, event_id: UUID) -> EncodedEvent | None:
    """The same, if it is in memory and still valid, which is nearly always."""
    ready, cache = _encoded.get(event_id.int), services.cache
    if (
        ready is None
        or cache.peek(ready.source_keys[0]) is not ready.sources[0]
        or cache.peek(ready.source_keys[1]) is not ready.sources[1]
        or not ready.since <= services.clock.seconds() < ready.until
    ):
        return None
    return ready


async def encode_public_event(services: Services, event_id: UUID) -> EncodedEvent:
    found = await _load_listed_event(services, event_id)
    organization = await _load_organization(services, found.organization_id) if found else None
    if found is None or organization is None or not organization.is_open:
        raise EventNotFound()
    now = services.clock.now()
    event = sale_policy.refresh_sale_status(msgspec.structs.replace(found, organization_name=organization.name), now)
    changes_at = sale_policy.next_sale_change(found, now)
    body = msgspec.json.encode({"data": event})
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = (("etag", tag), ("cache-control", "no-cache"))
    _encoded[event_id.int] = ready = EncodedEvent(
        event=event,
        response=Response(200, body, headers),
        not_modified=Response(304, b"", headers),
        tag=tag,
        source_keys=(cache_keys.public_event(event_id), cache_keys.organization(found.organization_id)),
        sources=(found, organization),
        since=now.timestamp(),
        until=changes_at.timestamp() if changes_at else math.inf,
    )
    if len(_encoded) > ENCODED_MAX:
        del _encoded[next(iter(_encoded))]
    return ready


async def _load_listed_event(services: Services, event_id: UUID) -> PublicEvent | None:
    async def load() -> PublicEvent | None:
        async with services.reads.without_tenant() as tx:
            return await store.find_listed_event(tx, event_id)

    return await services.cache.get(cache_keys.public_event(event_id), cache_keys.EVENT_S, load, PublicEvent)


async def _load_organization(services: Services, organization_id: UUID) -> PublicOrganization | None:
    """Name and status of an organisation, cached under one key for all of its events."""

    async def load() -> PublicOrganization | None:
        async with services.reads.without_tenant() as tx:
            return await store.find_public_organization(tx, organization_id)

    return await services.cache.get(
        cache_keys.organization(organization_id), cache_keys.EVENT_S, load, PublicOrganization
    )


async def require_organization(services: Services, event_id: UUID) -> UUID:
    """The organisation of an event, public or not: for platform staff, who act from outside of organisations."""
    async with services.database.without_tenant() as tx:
        organization_id = await store.organization_of_event(tx, event_id)
    if organization_id is None:
        raise NotFound
    return organization_id


async def check_search_limit(services: Services, ip: str | None) -> None:
    """Rate-limits lists that run a full-text query only if words are given."""
    await services.limiter.check(f"searches:{network_of(ip)}", SEARCH_LIMIT)


async def search(
    tx: Tx,
    words: str,
    stemmer: str,
    filters: str | None,
    since: datetime | None,
    until: datetime | None,
    sale_status: str | None,
    limit: int,
) -> list[PublicEvent]:
    """The best matches among the next matching events; at least a hundred are ranked, if there are as many.

    Common words are found by scanning the next events in order, less common ones by the full-text index up to a
    horizon, rare ones by the full-text index alone. Each plan is slow where the next one is fast.
    """
    find = partial(
        store.search_by_words,
        words=words,
        language=stemmer,
        filters=filters,
        since=since,
        until=until,
        sale_status=sale_status,
        limit=limit,
    )
    found = await store.search_next(
        tx,
        words=words,
        language=stemmer,
        filters=filters,
        since=since,
        until=until,
        sale_status=sale_status,
        limit=limit,
    )
    met = found[0].compared if found else 0
    if met < RANKED_MIN:
        by = await choose_indexed_words(tx, words, since)
        soon = await store.find_search_horizon(tx, since) if met >= HORIZON_MATCHES_MIN else None
        found = await find(tx, indexed_words=by, horizon=soon)
        if soon and (not found or found[0].compared < RANKED_MIN):
            found = await find(tx, indexed_words=by, horizon=None)
    return [each.event for each in found]


async def choose_indexed_words(tx: Tx, words: str, since: datetime | None) -> str:
    """The query for the full-text index. An incomplete last word may be the prefix of a thousand lexemes, which the
    index reads one by one: if the complete words are much rarer, only they use the index, and rows are rechecked.
    """
    if not (parts := _INCOMPLETE.fullmatch(words)):
        return words
    sample = await store.sample_words(tx, words=parts[1], prefixes=parts[2], since=since)
    return parts[1] if sample and sample.begun > 8 * sample.said else words


async def feed(services: Services, filters: Filters, sort: str, cursor: str | None, limit: int) -> Page[PublicEvent]:
    async def load() -> FeedPage:
        # Read before the page: if the moment passes meanwhile, the page is stale at once.
        until = await _next_sale_change(services) if filters.sale_status else None
        page = await list_page(services, None, filters, sort, cursor, limit)
        return FeedPage(page.data, page.next_cursor, until)

    def is_good(page: FeedPage) -> bool:
        return page.until is None or services.clock.now() < page.until

    async def new_generation() -> str:
        return secrets.token_hex(8)

    if filters.words or filters.since or filters.until:  # hardly two requests are alike: not worth caching
        return await load()
    generation = await services.cache.get(cache_keys.FEED, cache_keys.CITIES_S, new_generation, str)
    name = cache_keys.feed_page(generation, sort, *filters, limit, cursor)
    page = await services.cache.get(name, cache_keys.PAGE_S, load, FeedPage, weight=limit, is_good=is_good)
    now = services.clock.now()
    return Page([sale_policy.refresh_sale_status(event, now) for event in page.data], page.next_cursor)


async def _next_sale_change(services: Services) -> datetime | None:
    async with services.reads.without_tenant() as tx:
        return await store.next_sale_change(tx)


async def list_page(
    services: Services, organization_id: UUID | None, filters: Filters, sort: str, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    """One page of the public events of one organisation, or of all."""
    return await _SORTS[sort](services, organization_id, filters, cursor, limit)


async def _list_latest(
    services: Services, organization_id: UUID | None, filters: Filters, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    cursors = Cursors(services.keyring, "feed", organization_id, *filters)
    after_start, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    async with services.reads.without_tenant() as tx:
        by = await choose_indexed_words(tx, filters.words, filters.since) if filters.words else None
        rows = await store.public_feed(
            tx,
            organization_id=organization_id,
            **filters._asdict(),
            by=by,
            after_start_time=after_start,
            after_id=after_id,
            limit=limit + 1,
        )
    return cursors.page(rows, limit, "feed_position", "id")


async def _list_trending(
    services: Services, organization_id: UUID | None, filters: Filters, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    """Pages in the order of the epoch in which the first page was read; the cursor carries that epoch."""
    cursors = Cursors(services.keyring, "trending", organization_id, *filters)
    now = policy.epoch(services.clock.now())
    epoch, after_rank, after_start, after_id = cursors.read(cursor, int, float, datetime, UUID) or (
        now,
        None,
        None,
        None,
    )
    if epoch < now - policy.EPOCHS_KEPT:
        raise BadCursor("The cursor is older than an hour. Start again without a cursor.")
    async with services.reads.without_tenant() as tx:
        by = await choose_indexed_words(tx, filters.words, filters.since) if filters.words else None
        rows = await store.public_trending(
            tx,
            organization_id=organization_id,
            **filters._asdict(),
            by=by,
            epoch=epoch,
            after_rank=after_rank,
            after_start=after_start,
            after_id=after_id,
            limit=limit + 1,
        )
    page = rows[:limit]
    last = page[-1] if len(rows) > limit else None
    next_cursor = last and cursors.write(epoch, last.rank, last.start_at, last.event.id)
    return Page([row.event for row in page], next_cursor)


_SORTS = {"latest": _list_latest, "trending": _list_trending}


async def load_city_index(services: Services) -> CityIndex:
    """Rebuilt only when the cached list changes."""

    async def load() -> list[CitySuggestion]:
        async with services.reads.without_tenant() as tx:
            return await store.public_cities(tx)

    known = await services.cache.get(cache_keys.CITIES, cache_keys.CITIES_S, load, list[CitySuggestion])
    return CityIndex.of(known)


async def list_upcoming(services: Services, organization_id: UUID, venue_id: UUID | None) -> list[EventSummary]:
    """An organisation's announced events that are not over, the next one first."""

    async def load() -> list[EventSummary]:
        async with services.database.tenant(organization_id) as tx:
            return await store.upcoming_events(tx, venue_id=venue_id, limit=UPCOMING_MAX)

    name = cache_keys.upcoming(organization_id, venue_id)
    warm_s = cache_keys.SUMMARY_REDIS_S
    return await services.cache.get(
        name, cache_keys.SUMMARY_MEMORY_S, load, list[EventSummary], warm_s=warm_s, shape=ITEMS
    )


async def require_summary(services: Services, organization_id: UUID, event_id: UUID) -> EventSummary:
    """An event of any status, in short; 404 if there is none."""

    async def load() -> EventSummary | None:
        async with services.database.tenant(organization_id) as tx:
            event = await store.event_by_id(tx, event_id)
        if event is None:
            return None
        fields = {name: getattr(event, name) for name in EventSummary.__struct_fields__ if name != "org_id"}
        return EventSummary(org_id=organization_id, **fields)

    name = cache_keys.summary(organization_id, event_id)
    warm_s = cache_keys.SUMMARY_REDIS_S
    found = await services.cache.get(name, cache_keys.SUMMARY_MEMORY_S, load, EventSummary, warm_s=warm_s, shape=FIELDS)
    if found is None:
        raise NotFound
    return found
