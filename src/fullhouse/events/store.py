"""Runs `queries.sql`, row to model."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events import queries
from fullhouse.events.images.model import StoredImage, poster_urls, urls
from fullhouse.events.model import AddressParts, Event, EventSummary, Gate, Venue
from fullhouse.events.public.model import UNDATED, CitySuggestion, House, OwnEvent, Picture, PublicEvent, SalePeriod
from fullhouse.kit.db import sql


def _venue(**row: Any) -> Venue:
    return Venue(**{**row, "address_parts": msgspec.convert(row["address_parts"], AddressParts)})


free_number = sql.value(queries.free_number, int)
insert_venue = sql.one(queries.insert_venue, _venue)
venue_by_id = sql.one(queries.venue_by_id, _venue)
keep_venue = sql.one(queries.keep_venue, _venue)
lock_venue = sql.one(queries.lock_venue, _venue)
city_venue = sql.one(queries.city_venue, _venue)
update_venue = sql.one(queries.update_venue, _venue)
delete_venue = sql.count(queries.delete_venue)
list_venues = sql.many(queries.list_venues, _venue)

insert_gate = sql.one(queries.insert_gate, Gate)
gate_by_id = sql.one(queries.gate_by_id, Gate)
lock_gate = sql.one(queries.lock_gate, Gate)
update_gate = sql.one(queries.update_gate, Gate)
delete_gate = sql.count(queries.delete_gate)
list_gates = sql.many(queries.list_gates, Gate)


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


class Named(NamedTuple):
    name: str
    id: UUID


class DueEvent(NamedTuple):
    organization_id: UUID
    id: UUID
    due_at: datetime


def _periods(selling: Sequence[Any] | None) -> list[SalePeriod] | None:
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


def _sales(**row: Any) -> Sales:
    return Sales(periods=_periods(row.pop("selling")), **row)


insert_event = sql.one(queries.insert_event, Event)
event_by_id = sql.one(queries.event_by_id, Event)
event_by_slug = sql.one(queries.event_by_slug, Event)
active_participants = sql.value(queries.active_participants, int)
lock_event = sql.one(queries.lock_event, Event)
share_event = sql.one(queries.share_event, Event)
update_event = sql.one(queries.update_event, Event)
delete_event = sql.count(queries.delete_event)
list_events = sql.many(queries.list_events, Event)
sales_among = sql.many(queries.sales_among, _sales)
events_to_stop = sql.many(queries.events_to_stop, Event)
lock_events = sql.count(queries.lock_events)
is_replaced_by = sql.value(queries.is_replaced_by, bool)
lock_events_at = sql.many(queries.lock_events_at, Event)
lock_open_events_at = sql.value(queries.lock_open_events_at, list[UUID])
leave_venue = sql.many(queries.leave_venue, Event)
too_large_for = sql.many(queries.too_large_for, Named)
upcoming_events = sql.many(queries.upcoming_events, EventSummary)
due_events = sql.many(queries.due_events, DueEvent)
organization_of_event = sql.value(queries.organization_of_event, UUID)


class Ranked(NamedTuple):
    """An event in the order of `trending`, with the two sort keys before its id."""

    rank: float
    start_at: datetime
    show: PublicEvent


def _pictures(id: UUID, organization_id: UUID, cover_image_ids: list[UUID], **_: Any) -> list[Picture]:
    if not cover_image_ids:
        return [_picture(id, poster_urls(id), generated=True)]
    return [_picture(image_id, urls(organization_id, image_id)) for image_id in cover_image_ids]


def _picture(id: UUID, at: dict[str, str], *, generated: bool = False) -> Picture:
    return Picture(id, at["small"], at["medium"], at["large"], generated)


def _show(**row: Any) -> PublicEvent:
    if row["start_time"] == UNDATED:  # the API names the original date
        first, length = row["first_start_time"], row["end_time"] - row["start_time"]
        row |= {"start_time": first, "end_time": first + length}
    return PublicEvent(cover_images=_pictures(**row), sale_periods=_periods(row.pop("selling")), **row)


class Found(NamedTuple):
    """An event found by a search, and how many candidates were ranked."""

    compared: int
    show: PublicEvent


class Sampled(NamedTuple):
    said: int
    begun: int


def _found(compared: int, **row: Any) -> Found:
    return Found(compared, _show(**row))


def _ranked(rank: float, ranked_start: datetime, **row: Any) -> Ranked:
    return Ranked(rank, ranked_start, _show(**row))


begin_stats = sql.count(queries.begin_stats)
rank_event = sql.count(queries.rank_event)
record_activity = sql.count(queries.record_activity)
unranked_organizations = sql.value(queries.unranked_organizations, list[UUID])
take_unranked = sql.value(queries.take_unranked, list[UUID])
hide_event = sql.count(queries.hide_event)
show_event = sql.count(queries.show_event)
house = sql.one(queries.house, House)
show_of_any_house = sql.one(queries.show_of_any_house, _show)
lock_stats = sql.count(queries.lock_stats)
follow_stock = sql.value(queries.follow_stock, bool)
next_sale_change = sql.value(queries.next_sale_change, datetime)
is_alone_in_its_city = sql.value(queries.is_alone_in_its_city, bool)
is_alone_in_its_category = sql.value(queries.is_alone_in_its_category, bool)
public_event = sql.one(queries.public_event, _show)
_feed = sql.many(queries.public_feed, _show)
_feed_words = sql.many(queries.public_feed_words, _show)
_trending = sql.many(queries.public_trending, _ranked)
_trending_words = sql.many(queries.public_trending_words, _ranked)
search_next = sql.many(queries.search_next, _found)
search_by_words = sql.many(queries.search_by_words, _found)
horizon = sql.value(queries.horizon, datetime)
sample_words = sql.one(queries.sample_words, Sampled)
public_cities = sql.many(queries.public_cities, CitySuggestion)
cities_of_house = sql.value(queries.cities_of_house, list[str])
my_events = sql.many(queries.my_events, OwnEvent)

insert_image = sql.one(queries.insert_image, StoredImage)
renew_image = sql.one(queries.renew_image, StoredImage)
attach_images = sql.count(queries.attach_images)
lock_images = sql.count(queries.lock_images)
detach_images = sql.count(queries.detach_images)
lock_pictures = sql.value(queries.lock_pictures, str)
image_bytes = sql.value(queries.image_bytes, int)
unused_images = sql.many(queries.unused_images, Due)
delete_unused_image = sql.count(queries.delete_unused_image)


async def public_feed(tx: sql.Runs, *, words: str | None, by: str | None = None, **filters: Any) -> list[PublicEvent]:
    """`by` is the query for the full-text index, if it is not all of `words`."""
    if words is None:
        return await _feed(tx, **filters)
    return await _feed_words(tx, **filters, words=words, indexed_words=by or words)


async def public_trending(tx: sql.Runs, *, words: str | None, by: str | None = None, **filters: Any) -> list[Ranked]:
    if words is None:
        return await _trending(tx, **filters)
    return await _trending_words(tx, **filters, words=words, indexed_words=by or words)


FORGET_RANKS = sql.text(queries.forget_ranks)


class SitemapEntry(NamedTuple):
    organization: str
    slug: str
    changed_at: datetime


public_show_at = sql.one(queries.public_show_at, _show)
replacement_at = sql.value(queries.replacement_at, str)
coming_shows = sql.many(queries.coming_shows, _show)
newest_shows = sql.many(queries.newest_shows, _show)
public_categories = sql.value(queries.public_categories, list[str])
sitemap_boundaries = sql.value(queries.sitemap_boundaries, list[UUID])
sitemap_shows = sql.many(queries.sitemap_shows, SitemapEntry)
sitemap_organizations = sql.value(queries.sitemap_organizations, list[str])
