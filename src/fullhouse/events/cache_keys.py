"""Cache keys and TTLs of events, and the keys that a change invalidates. The TTLs are those of the event service."""

from uuid import UUID

import msgspec

from fullhouse.events.model import Event
from fullhouse.events.policy import is_visible

EVENT_S, PAGE_S, CITIES_S = 300.0, 15.0, 3600.0
SUMMARY_MEMORY_S, SUMMARY_REDIS_S = 60.0, 900.0

FEED = "public:feed"  # holds a random generation, part of every page's key: deleting it invalidates all pages
CITIES = "public:cities"
CATEGORIES = "public:categories"


def organization(organization_id: UUID) -> str:
    return f"org:{organization_id}:open"


def public_event(event_id: UUID) -> str:
    return f"public:event:{event_id}"


def feed_page(generation: str, *arguments: object) -> str:
    """The arguments are JSON, so that no two queries share a key, whatever text they contain."""
    return f"{FEED}:{generation}:{msgspec.json.encode(arguments).decode()}"


def summary(organization_id: UUID, event_id: UUID) -> str:
    return f"org:{organization_id}:events:summary:{event_id}"


def upcoming(organization_id: UUID, venue_id: UUID | None) -> str:
    """The organisation's list, or a venue's."""
    return f"org:{organization_id}:events:list" + (f":venue:{venue_id}" if venue_id else "")


def stale_without_venue(organization_id: UUID | None, venue_id: UUID, event_ids: list[UUID]) -> list[str]:
    """The keys to invalidate when a venue is deleted: its events have no venue any more."""
    assert organization_id
    lists = [upcoming(organization_id, None), upcoming(organization_id, venue_id)]
    return lists + [summary(organization_id, event_id) for event_id in event_ids]


def stale_after_change(organization_id: UUID, before: Event, after: Event) -> list[str]:
    """The keys to invalidate when an event has changed."""
    names = {public_event(after.id), summary(organization_id, after.id), upcoming(organization_id, None)}
    names |= {upcoming(organization_id, event.venue_id) for event in (before, after)}
    if is_visible(before.status) or is_visible(after.status):
        names.add(FEED)
    return sorted(names)
