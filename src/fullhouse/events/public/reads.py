"""What is read all the time, from the nearest cache: public shows, the feed's pages, cities, a house's next shows.

What follows from the hour (is it on sale?) is worked out at every reading and never cached.
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

from fullhouse.events import keys, policy, store
from fullhouse.events.model import EventSummary
from fullhouse.events.public.cities import CityIndex
from fullhouse.events.public.model import CitySuggestion, EventNotFound, House, PublicEvent
from fullhouse.events.sale import policy as sale_policy
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.cache.redis_codecs import FIELDS, ITEMS
from fullhouse.kit.db.cursors import BadCursor, Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import NotFound
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.services import Services

UPCOMING_MAX = 200
SEARCHES = Limit(120, 60)  # from one network: words cost more than what is cached
COMPARED = 100  # as many shows at least, where there are as many
SCENT = 8  # so many of the next two thousand shows promise a hundred among the next twenty thousand
_UNFINISHED = re.compile(r"([^!]+) & ('[^']*':\*)")


class Filters(NamedTuple):
    """What the feed may be asked for; texts are folded."""

    city: str | None
    category: str | None
    since: datetime | None
    until: datetime | None
    sale_status: str | None
    words: str | None


class Ready(NamedTuple):
    """A show as it is sent, good for as long as what it was made of stays cached and no sale begins or ends."""

    show: PublicEvent
    answer: Answer  # `{"data": …}`
    unchanged: Answer
    tag: str
    names: tuple[str, str]
    made_of: tuple[PublicEvent, House]
    since: float  # seconds of the database's clock
    until: float


class FeedPage(Page[PublicEvent], frozen=True):
    """As it is cached. Where a sale status was asked for, time alone may let a show in or out."""

    until: datetime | None = None


READY_MAX = 5_000
_ready: dict[int, Ready] = {}


async def public_show(services: Services, event_id: UUID) -> Ready:
    """One that the public may see; 404 for all others."""
    return ready_show(services, event_id) or await make_ready(services, event_id)


def ready_show(services: Services, event_id: UUID) -> Ready | None:
    """The same, if it is in memory: nearly always."""
    kept, cache = _ready.get(event_id.int), services.cache
    if (
        kept is None
        or cache.peek(kept.names[0]) is not kept.made_of[0]
        or cache.peek(kept.names[1]) is not kept.made_of[1]
        or not kept.since <= services.clock.seconds() < kept.until
    ):
        return None
    return kept


async def make_ready(services: Services, event_id: UUID) -> Ready:
    found = await _listed(services, event_id)
    house = await _house(services, found.organization_id) if found else None
    if found is None or house is None or not house.is_open:
        raise EventNotFound()
    now = services.clock.now()
    shown = sale_policy.shown_at(msgspec.structs.replace(found, organization_name=house.name), now)
    changes_at = sale_policy.next_sale_change(found, now)
    body = msgspec.json.encode({"data": shown})
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = (("etag", tag), ("cache-control", "no-cache"))
    _ready[event_id.int] = made = Ready(
        show=shown,
        answer=Answer(200, body, headers),
        unchanged=Answer(304, b"", headers),
        tag=tag,
        names=(keys.show(event_id), keys.house(found.organization_id)),
        made_of=(found, house),
        since=now.timestamp(),
        until=changes_at.timestamp() if changes_at else math.inf,
    )
    if len(_ready) > READY_MAX:
        del _ready[next(iter(_ready))]
    return made


async def _listed(services: Services, event_id: UUID) -> PublicEvent | None:
    async def load() -> PublicEvent | None:
        async with services.reads.nobody() as tx:
            return await store.show_of_any_house(tx, event_id)

    return await services.cache.get(keys.show(event_id), keys.SHOW_S, load, PublicEvent)


async def _house(services: Services, organization_id: UUID) -> House | None:
    """One key for what all shows of an organisation say of it: that it is open, and how it is called."""

    async def load() -> House | None:
        async with services.reads.nobody() as tx:
            return await store.house(tx, organization_id)

    return await services.cache.get(keys.house(organization_id), keys.SHOW_S, load, House)


async def organization_of(services: Services, event_id: UUID) -> UUID:
    """Whose show it is, public or not: for the platform, which comes from outside."""
    async with services.database.nobody() as tx:
        organization_id = await store.organization_of_event(tx, event_id)
    if organization_id is None:
        raise NotFound
    return organization_id


async def check_searches(services: Services, ip: str | None) -> None:
    """For lists that are searched only if words are given."""
    await services.limiter.check(f"searches:{network_of(ip)}", SEARCHES)


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
    """The best matches among the next shows that say it: a hundred at least are compared, where there are as many.

    What many shows say is met on a short walk. What some say is looked up by words and by time together; what few say,
    by words alone: each way costs most where the next one is better.
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
    if met < COMPARED:
        by = await looked_up(tx, words, since)
        soon = await store.horizon(tx, since) if met >= SCENT else None
        found = await find(tx, indexed_words=by, horizon=soon)
        if soon and (not found or found[0].compared < COMPARED):
            found = await find(tx, indexed_words=by, horizon=None)
    return [each.show for each in found]


async def looked_up(tx: Tx, words: str, since: datetime | None) -> str:
    """What the index is asked for. An unfinished word may begin a thousand others, which the index gathers one by one:
    where the finished ones are much rarer, their shows are asked for the unfinished one instead.
    """
    if not (parts := _UNFINISHED.fullmatch(words)):
        return words
    sample = await store.sample_words(tx, words=parts[1], prefixes=parts[2], since=since)
    return parts[1] if sample and sample.begun > 8 * sample.said else words


async def feed(services: Services, filters: Filters, sort: str, cursor: str | None, limit: int) -> Page[PublicEvent]:
    async def load() -> FeedPage:
        # Asked first: a moment that passes meanwhile makes the page old at once.
        until = await _next_sale_change(services) if filters.sale_status else None
        page = await listed(services, None, filters, sort, cursor, limit)
        return FeedPage(page.data, page.next_cursor, until)

    def is_good(page: FeedPage) -> bool:
        return page.until is None or services.clock.now() < page.until

    async def word() -> str:
        return secrets.token_hex(8)

    if filters.words or filters.since or filters.until:  # as many pages as there are askers
        return await load()
    generation = await services.cache.get(keys.FEED, keys.CITIES_S, word, str)
    name = keys.page(generation, sort, *filters, limit, cursor)
    page = await services.cache.get(name, keys.PAGE_S, load, FeedPage, weight=limit, is_good=is_good)
    now = services.clock.now()
    return Page([sale_policy.shown_at(event, now) for event in page.data], page.next_cursor)


async def _next_sale_change(services: Services) -> datetime | None:
    async with services.reads.nobody() as tx:
        return await store.next_sale_change(tx)


async def listed(
    services: Services, organization_id: UUID | None, filters: Filters, sort: str, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    """One page of one organisation's shows, or of all."""
    return await _SORTS[sort](services, organization_id, filters, cursor, limit)


async def _latest(
    services: Services, organization_id: UUID | None, filters: Filters, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    cursors = Cursors(services.keyring, "feed", organization_id, *filters)
    after_start, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    async with services.reads.nobody() as tx:
        by = await looked_up(tx, filters.words, filters.since) if filters.words else None
        rows = await store.public_feed(
            tx,
            organization_id=organization_id,
            **filters._asdict(),
            by=by,
            after_start_time=after_start,
            after_id=after_id,
            limit=limit + 1,
        )
    return cursors.page(rows, limit, "place_in_feed", "id")


async def _trending(
    services: Services, organization_id: UUID | None, filters: Filters, cursor: str | None, limit: int
) -> Page[PublicEvent]:
    """The order as it was when the first page was asked for; the cursor remembers when that was."""
    cursors = Cursors(services.keyring, "trending", organization_id, *filters)
    now = policy.epoch(services.clock.now())
    epoch, after_rank, after_start, after_id = cursors.read(cursor, int, float, datetime, UUID) or (
        now,
        None,
        None,
        None,
    )
    if epoch < now - policy.EPOCHS_KEPT:
        raise BadCursor("The order of an hour ago is forgotten. Start again without a cursor.")
    async with services.reads.nobody() as tx:
        by = await looked_up(tx, filters.words, filters.since) if filters.words else None
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
    shown = rows[:limit]
    more = len(rows) > limit
    last = shown[-1] if more else None
    next_cursor = last and cursors.write(epoch, last.rank, last.start_at, last.show.id)
    return Page([row.show for row in shown], next_cursor)


_SORTS = {"latest": _latest, "trending": _trending}


async def city_index(services: Services) -> CityIndex:
    """Made anew only when the list is."""

    async def load() -> list[CitySuggestion]:
        async with services.reads.nobody() as tx:
            return await store.public_cities(tx)

    known = await services.cache.get(keys.CITIES, keys.CITIES_S, load, list[CitySuggestion])
    return CityIndex.of(known)


async def upcoming(services: Services, organization_id: UUID, venue_id: UUID | None) -> list[EventSummary]:
    """An organisation's shows that are announced and not over, the next one first."""

    async def load() -> list[EventSummary]:
        async with services.database.tenant(organization_id) as tx:
            return await store.upcoming_events(tx, venue_id=venue_id, limit=UPCOMING_MAX)

    name = keys.upcoming(organization_id, venue_id)
    warm_s = keys.SUMMARY_WARM_S
    return await services.cache.get(name, keys.SUMMARY_HOT_S, load, list[EventSummary], warm_s=warm_s, shape=ITEMS)


async def summary(services: Services, organization_id: UUID, event_id: UUID) -> EventSummary:
    """A show of any status, in short; 404 if there is none."""

    async def load() -> EventSummary | None:
        async with services.database.tenant(organization_id) as tx:
            event = await store.event_by_id(tx, event_id)
        if event is None:
            return None
        fields = {name: getattr(event, name) for name in EventSummary.__struct_fields__ if name != "org_id"}
        return EventSummary(org_id=organization_id, **fields)

    name = keys.summary(organization_id, event_id)
    warm_s = keys.SUMMARY_WARM_S
    found = await services.cache.get(name, keys.SUMMARY_HOT_S, load, EventSummary, warm_s=warm_s, shape=FIELDS)
    if found is None:
        raise NotFound
    return found
