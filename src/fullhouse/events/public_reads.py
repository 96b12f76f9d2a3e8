"""What is read all the time, from the nearest cache: public shows, the feed's pages, cities, a house's next shows.

What follows from the hour (is it on sale?) is worked out at every reading and never cached.
"""

import secrets
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events import keys, policy, store
from fullhouse.events.cities import CityIndex
from fullhouse.events.model import EventSummary
from fullhouse.events.public_model import CitySuggestion, EventNotFound, House, PublicEvent
from fullhouse.kit.cursors import BadCursor, Cursors, Page
from fullhouse.kit.services import Services
from fullhouse.kit.shapes import FIELDS, ITEMS

UPCOMING_MAX = 200


class Filters(NamedTuple):
    """What the feed may be asked for; texts are folded."""

    city: str | None
    category: str | None
    since: datetime | None
    until: datetime | None
    sale_status: str | None
    words: str | None


async def show(services: Services, event_id: UUID) -> PublicEvent | None:
    async def load() -> PublicEvent | None:
        async with services.reads.nobody() as tx:
            return await store.listed_event(tx, event_id)

    found = await services.cache.get(keys.show(event_id), keys.SHOW_S, load, PublicEvent | None)
    if found is None:
        return None
    house = await _house(services, found.organization_id)
    if house is None or not house.is_open:
        return None
    if found.organization_name != house.name:
        found = msgspec.structs.replace(found, organization_name=house.name)
    return policy.shown_at(found, services.clock.now())


async def public_show(services: Services, event_id: UUID) -> PublicEvent:
    """One that the public may see; 404 for all others."""
    found = await show(services, event_id)
    if found is None:
        raise EventNotFound()
    return found


async def _house(services: Services, organization_id: UUID) -> House | None:
    """One key for what all shows of an organisation say of it: that it is open, and how it is called."""

    async def load() -> House | None:
        async with services.reads.nobody() as tx:
            return await store.house(tx, organization_id)

    return await services.cache.get(keys.house(organization_id), keys.SHOW_S, load, House | None)


async def feed(services: Services, filters: Filters, sort: str, cursor: str | None, limit: int) -> Page[PublicEvent]:
    async def load() -> Page[PublicEvent]:
        return await _SORTS[sort](services, filters, cursor, limit)

    async def word() -> str:
        return secrets.token_hex(8)

    if filters.words or filters.since or filters.until:  # as many pages as there are askers
        return await load()
    generation = await services.cache.get(keys.FEED, keys.CITIES_S, word, str)
    name = keys.page(generation, sort, *filters, limit, cursor)
    page = await services.cache.get(name, keys.PAGE_S, load, Page[PublicEvent], weight=limit)
    now = services.clock.now()
    return Page([policy.shown_at(event, now) for event in page.data], page.next_cursor)


async def _latest(services: Services, filters: Filters, cursor: str | None, limit: int) -> Page[PublicEvent]:
    cursors = Cursors(services.keyring, "feed", *filters)
    after = cursors.read(cursor, datetime, UUID) or (None, None)
    async with services.reads.nobody() as tx:
        rows = await store.public_feed(tx, *filters, *after, limit + 1)
    return cursors.page(rows, limit, "start_time", "id")


async def _trending(services: Services, filters: Filters, cursor: str | None, limit: int) -> Page[PublicEvent]:
    """The order as it was when the first page was asked for; the cursor remembers when that was."""
    cursors = Cursors(services.keyring, "trending", *filters)
    now = policy.epoch(services.clock.now())
    epoch, *after = cursors.read(cursor, int, float, datetime, UUID) or (now, None, None, None)
    if epoch < now - policy.EPOCHS_KEPT:
        raise BadCursor("The order of an hour ago is forgotten. Start again without a cursor.")
    async with services.reads.nobody() as tx:
        rows = await store.public_trending(tx, *filters, epoch, *after, limit + 1)
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
            return await store.upcoming_events(tx, organization_id, venue_id, UPCOMING_MAX)

    name = keys.upcoming(organization_id, venue_id)
    warm_s = keys.SUMMARY_WARM_S
    return await services.cache.get(name, keys.SUMMARY_HOT_S, load, list[EventSummary], warm_s=warm_s, shape=ITEMS)


async def summary(services: Services, organization_id: UUID, event_id: UUID) -> EventSummary | None:
    """A show of any status, in short."""

    async def load() -> EventSummary | None:
        async with services.database.tenant(organization_id) as tx:
            event = await store.event_by_id(tx, organization_id, event_id)
        if event is None:
            return None
        fields = {name: getattr(event, name) for name in EventSummary.__struct_fields__ if name != "org_id"}
        return EventSummary(org_id=organization_id, **fields)

    name = keys.summary(organization_id, event_id)
    warm_s = keys.SUMMARY_WARM_S
    return await services.cache.get(name, keys.SUMMARY_HOT_S, load, EventSummary, warm_s=warm_s, shape=FIELDS)
