"""Runs `queries.sql`, row to model."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events.image_model import StoredImage, poster_urls, urls
from fullhouse.events.model import AddressParts, Event, EventSummary, Gate, Venue
from fullhouse.events.public_model import UNDATED, CitySuggestion, House, OwnEvent, Picture, PublicEvent, SalePeriod
from fullhouse.kit import sql

statements = sql.load(__file__)


def _venue(**row: Any) -> Venue:
    return Venue(**{**row, "address_parts": msgspec.convert(row["address_parts"], AddressParts)})


free_number = statements.value("free_number", int)
insert_venue = statements.one("insert_venue", _venue)
venue_by_id = statements.one("venue_by_id", _venue)
keep_venue = statements.one("keep_venue", _venue)
lock_venue = statements.one("lock_venue", _venue)
city_venue = statements.one("city_venue", _venue)
update_venue = statements.one("update_venue", _venue)
delete_venue = statements.count("delete_venue")
list_venues = statements.many("list_venues", _venue)

insert_gate = statements.one("insert_gate", Gate)
gate_by_id = statements.one("gate_by_id", Gate)
lock_gate = statements.one("lock_gate", Gate)
update_gate = statements.one("update_gate", Gate)
delete_gate = statements.count("delete_gate")
list_gates = statements.many("list_gates", Gate)


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
    """PostgreSQL's ranges of moments; the table's have both ends, and both belong to them."""
    return None if selling is None else [SalePeriod(period.lower, period.upper) for period in selling]


class Sales(NamedTuple):
    """How far a show is sold; `places` are those of its zones or ticket types, if it has any. When its tickets are sold
    is known of what the public sees."""

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


insert_event = statements.one("insert_event", Event)
event_by_id = statements.one("event_by_id", Event)
event_by_slug = statements.one("event_by_slug", Event)
active_participants = statements.value("active_participants", int)
lock_event = statements.one("lock_event", Event)
share_event = statements.one("share_event", Event)
update_event = statements.one("update_event", Event)
delete_event = statements.count("delete_event")
list_events = statements.many("list_events", Event)
sales_among = statements.many("sales_among", _sales)
events_to_stop = statements.many("events_to_stop", Event)
lock_events = statements.count("lock_events")
is_replaced_by = statements.value("is_replaced_by", bool)
lock_events_at = statements.many("lock_events_at", Event)
lock_open_events_at = statements.value("lock_open_events_at", list[UUID])
leave_venue = statements.many("leave_venue", Event)
too_large_for = statements.many("too_large_for", Named)
upcoming_events = statements.many("upcoming_events", EventSummary)
due_events = statements.many("due_events", DueEvent)
organization_of_event = statements.value("organization_of_event", UUID)


class Ranked(NamedTuple):
    """A show in the order of the heat; the two keys that it is ordered by before its id."""

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
    if row["start_time"] == UNDATED:  # people read when it was to be
        first, length = row["first_start_time"], row["end_time"] - row["start_time"]
        row |= {"start_time": first, "end_time": first + length}
    return PublicEvent(cover_images=_pictures(**row), sale_periods=_periods(row.pop("selling")), **row)


class Found(NamedTuple):
    """A show that a search has found, and with how many it was compared."""

    compared: int
    show: PublicEvent


class Sampled(NamedTuple):
    said: int
    begun: int


def _found(compared: int, **row: Any) -> Found:
    return Found(compared, _show(**row))


def _ranked(rank: float, ranked_start: datetime, **row: Any) -> Ranked:
    return Ranked(rank, ranked_start, _show(**row))


begin_stats = statements.count("begin_stats")
rank_event = statements.count("rank_event")
record_activity = statements.count("record_activity")
unranked_organizations = statements.value("unranked_organizations", list[UUID])
take_unranked = statements.value("take_unranked", list[UUID])
hide_event = statements.count("hide_event")
show_event = statements.count("show_event")
house = statements.one("house", House)
show_of_any_house = statements.one("show_of_any_house", _show)
lock_stats = statements.count("lock_stats")
follow_stock = statements.value("follow_stock", bool)
next_sale_change = statements.value("next_sale_change", datetime)
is_alone_in_its_city = statements.value("is_alone_in_its_city", bool)
is_alone_in_its_category = statements.value("is_alone_in_its_category", bool)
public_event = statements.one("public_event", _show)
_feed = statements.many("public_feed", _show)
_feed_words = statements.many("public_feed_words", _show)
_trending = statements.many("public_trending", _ranked)
_trending_words = statements.many("public_trending_words", _ranked)
search_next = statements.many("search_next", _found)
search_by_words = statements.many("search_by_words", _found)
horizon = statements.value("horizon", datetime)
sample_words = statements.one("sample_words", Sampled)
public_cities = statements.many("public_cities", CitySuggestion)
cities_of_house = statements.value("cities_of_house", list[str])
my_events = statements.many("my_events", OwnEvent)

insert_image = statements.one("insert_image", StoredImage)
renew_image = statements.one("renew_image", StoredImage)
attach_images = statements.count("attach_images")
lock_images = statements.count("lock_images")
detach_images = statements.count("detach_images")
lock_pictures = statements.value("lock_pictures", str)
image_bytes = statements.value("image_bytes", int)
unused_images = statements.many("unused_images", Due)
delete_unused_image = statements.count("delete_unused_image")


# organisation, city, category, since, until, sale status; where to go on, how many; with words or without, and what of
# them the index is asked for


async def public_feed(tx: sql.Runs, *asked: Any, words: str | None, by: str | None = None) -> list[PublicEvent]:
    return await (_feed(tx, *asked) if words is None else _feed_words(tx, *asked, words, by or words))


async def public_trending(tx: sql.Runs, *asked: Any, words: str | None, by: str | None = None) -> list[Ranked]:
    return await (_trending(tx, *asked) if words is None else _trending_words(tx, *asked, words, by or words))


class SitemapEntry(NamedTuple):
    organization: str
    slug: str
    changed_at: datetime


public_show_at = statements.one("public_show_at", _show)
replacement_at = statements.value("replacement_at", str)
coming_shows = statements.many("coming_shows", _show)
newest_shows = statements.many("newest_shows", _show)
public_categories = statements.value("public_categories", list[str])
sitemap_boundaries = statements.value("sitemap_boundaries", list[UUID])
sitemap_shows = statements.many("sitemap_shows", SitemapEntry)
sitemap_organizations = statements.value("sitemap_organizations", list[str])
