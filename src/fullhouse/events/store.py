"""Runs `queries.sql`, row to model."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events import queries
from fullhouse.events.images.model import StoredImage, image_urls, poster_urls
from fullhouse.events.model import AddressParts, Event, EventSummary, Gate, Venue
from fullhouse.events.public.model import (
    UNDATED,
    CitySuggestion,
    OwnEvent,
    Picture,
    PublicEvent,
    PublicOrganization,
    SalePeriod,
)
from fullhouse.kit.db import sql


def _to_venue(**row: Any) -> Venue:
    return Venue(**{**row, "address_parts": msgspec.convert(row["address_parts"], AddressParts)})


free_number = sql.value(queries.free_number, int)
insert_venue = sql.one(queries.insert_venue, _to_venue)
venue_by_id = sql.one(queries.venue_by_id, _to_venue)
lock_venue_shared = sql.one(queries.lock_venue_shared, _to_venue)
lock_venue = sql.one(queries.lock_venue, _to_venue)
find_city_venue = sql.one(queries.find_city_venue, _to_venue)
update_venue = sql.one(queries.update_venue, _to_venue)
delete_venue = sql.count(queries.delete_venue)
list_venues = sql.many(queries.list_venues, _to_venue)

insert_gate = sql.one(queries.insert_gate, Gate)
gate_by_id = sql.one(queries.gate_by_id, Gate)
lock_gate = sql.one(queries.lock_gate, Gate)
update_gate = sql.one(queries.update_gate, Gate)
delete_gate = sql.count(queries.delete_gate)
list_gates = sql.many(queries.list_gates, Gate)


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


class NamedEvent(NamedTuple):
    name: str
    id: UUID


class DueEvent(NamedTuple):
    organization_id: UUID
    id: UUID
    due_at: datetime


def _to_periods(selling: Sequence[Any] | None) -> list[SalePeriod] | None:
    """From PostgreSQL ranges of timestamps; both ends are set and inclusive."""
    return None if selling is None else [SalePeriod(period.lower, period.upper) for period in selling]


class Sales(NamedTuple):
    """Sales figures of an event; `places` is the capacity of its zones or ticket types, if it has any. The sale window
    (`opens_at` to `periods`) is read from `public_events`, and null for an event that is not public."""

    event_id: UUID
    opens_at: datetime | None
    closes_at: datetime | None
    has_tickets: bool
    sold_out: bool
    periods: list[SalePeriod] | None
    sold: int
    places: int | None


def _to_sales(**row: Any) -> Sales:
    return Sales(periods=_to_periods(row.pop("selling")), **row)


insert_event = sql.one(queries.insert_event, Event)
event_by_id = sql.one(queries.event_by_id, Event)
event_by_slug = sql.one(queries.event_by_slug, Event)
active_participants = sql.value(queries.active_participants, int)
lock_event = sql.one(queries.lock_event, Event)
lock_event_shared = sql.one(queries.lock_event_shared, Event)
update_event = sql.one(queries.update_event, Event)
delete_event = sql.count(queries.delete_event)
list_events = sql.many(queries.list_events, Event)
list_sales = sql.many(queries.list_sales, _to_sales)
list_unfinished_events = sql.many(queries.list_unfinished_events, Event)
lock_events = sql.count(queries.lock_events)
is_replaced_by = sql.value(queries.is_replaced_by, bool)
lock_events_at = sql.many(queries.lock_events_at, Event)
lock_open_events_at = sql.value(queries.lock_open_events_at, list[UUID])
clear_venue = sql.many(queries.clear_venue, Event)
list_events_above_capacity = sql.many(queries.list_events_above_capacity, NamedEvent)
upcoming_events = sql.many(queries.upcoming_events, EventSummary)
due_events = sql.many(queries.due_events, DueEvent)
organization_of_event = sql.value(queries.organization_of_event, UUID)


class RankedEvent(NamedTuple):
    """An event in the order of `trending`, with the two sort keys before its id."""

    rank: float
    start_at: datetime
    event: PublicEvent


def _to_pictures(id: UUID, organization_id: UUID, cover_image_ids: list[UUID], **_: Any) -> list[Picture]:
    if not cover_image_ids:
        return [_to_picture(id, poster_urls(id), generated=True)]
    return [_to_picture(image_id, image_urls(organization_id, image_id)) for image_id in cover_image_ids]


def _to_picture(id: UUID, at: dict[str, str], *, generated: bool = False) -> Picture:
    return Picture(id, at["small"], at["medium"], at["large"], generated)


def _to_public_event(**row: Any) -> PublicEvent:
    if row["start_time"] == UNDATED:  # the API names the original date
        first, length = row["first_start_time"], row["end_time"] - row["start_time"]
        row |= {"start_time": first, "end_time": first + length}
    return PublicEvent(cover_images=_to_pictures(**row), sale_periods=_to_periods(row.pop("selling")), **row)


class SearchMatch(NamedTuple):
    """An event found by a search, and how many candidates were ranked."""

    compared: int
    event: PublicEvent


class WordSample(NamedTuple):
    said: int
    begun: int


def _to_search_match(compared: int, **row: Any) -> SearchMatch:
    return SearchMatch(compared, _to_public_event(**row))


def _to_ranked_event(rank: float, ranked_start: datetime, **row: Any) -> RankedEvent:
    return RankedEvent(rank, ranked_start, _to_public_event(**row))


insert_stats = sql.count(queries.insert_stats)
update_ranks = sql.count(queries.update_ranks)
record_activity = sql.count(queries.record_activity)
unranked_organizations = sql.value(queries.unranked_organizations, list[UUID])
claim_unranked = sql.value(queries.claim_unranked, list[UUID])
delete_public_event = sql.count(queries.delete_public_event)
upsert_public_event = sql.count(queries.upsert_public_event)
find_public_organization = sql.one(queries.find_public_organization, PublicOrganization)
find_listed_event = sql.one(queries.find_listed_event, _to_public_event)
lock_stats = sql.count(queries.lock_stats)
update_stock = sql.value(queries.update_stock, bool)
next_sale_change = sql.value(queries.next_sale_change, datetime)
is_alone_in_its_city = sql.value(queries.is_alone_in_its_city, bool)
is_alone_in_its_category = sql.value(queries.is_alone_in_its_category, bool)
find_public_event = sql.one(queries.find_public_event, _to_public_event)
_feed = sql.many(queries.public_feed, _to_public_event)
_feed_words = sql.many(queries.public_feed_words, _to_public_event)
_trending = sql.many(queries.public_trending, _to_ranked_event)
_trending_words = sql.many(queries.public_trending_words, _to_ranked_event)
search_next = sql.many(queries.search_next, _to_search_match)
search_by_words = sql.many(queries.search_by_words, _to_search_match)
find_search_horizon = sql.value(queries.find_search_horizon, datetime)
sample_words = sql.one(queries.sample_words, WordSample)
public_cities = sql.many(queries.public_cities, CitySuggestion)
list_cities_of_organization = sql.value(queries.list_cities_of_organization, list[str])
list_own_events = sql.many(queries.list_own_events, OwnEvent)

insert_image = sql.one(queries.insert_image, StoredImage)
renew_image = sql.one(queries.renew_image, StoredImage)
attach_images = sql.count(queries.attach_images)
lock_images = sql.count(queries.lock_images)
detach_images = sql.count(queries.detach_images)
lock_image_quota = sql.value(queries.lock_image_quota, str)
sum_image_bytes = sql.value(queries.sum_image_bytes, int)
unused_images = sql.many(queries.unused_images, Due)
delete_unused_image = sql.count(queries.delete_unused_image)


async def public_feed(tx: sql.Runs, *, words: str | None, by: str | None = None, **filters: Any) -> list[PublicEvent]:
    """`by` is the query for the full-text index, if it is not all of `words`."""
    if words is None:
        return await _feed(tx, **filters)
    return await _feed_words(tx, **filters, words=words, indexed_words=by or words)


async def public_trending(
    tx: sql.Runs, *, words: str | None, by: str | None = None, **filters: Any
) -> list[RankedEvent]:
    if words is None:
        return await _trending(tx, **filters)
    return await _trending_words(tx, **filters, words=words, indexed_words=by or words)


DELETE_OLD_RANKS = sql.text(queries.delete_old_ranks)


class SitemapEntry(NamedTuple):
    organization: str
    slug: str
    changed_at: datetime


find_public_event_by_slug = sql.one(queries.find_public_event_by_slug, _to_public_event)
find_replacement_slug = sql.value(queries.find_replacement_slug, str)
list_coming_events = sql.many(queries.list_coming_events, _to_public_event)
list_newest_events = sql.many(queries.list_newest_events, _to_public_event)
public_categories = sql.value(queries.public_categories, list[str])
sitemap_boundaries = sql.value(queries.sitemap_boundaries, list[UUID])
list_sitemap_events = sql.many(queries.list_sitemap_events, SitemapEntry)
sitemap_organizations = sql.value(queries.sitemap_organizations, list[str])
