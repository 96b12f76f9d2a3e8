"""The names under which shows are cached, and which of them a change makes wrong. TTLs are the event service's own."""

from uuid import UUID

import msgspec

from fullhouse.events.model import Event
from fullhouse.events.policy import is_visible

SHOW_S, PAGE_S, CITIES_S = 300.0, 15.0, 3600.0
SUMMARY_HOT_S, SUMMARY_WARM_S = 60.0, 900.0

FEED = "public:feed"  # a random word that is part of every page's name: dropping it drops them all
CITIES = "public:cities"
CATEGORIES = "public:categories"


def house(organization_id: UUID) -> str:
    return f"org:{organization_id}:open"


def show(event_id: UUID) -> str:
    return f"public:event:{event_id}"


def page(word: str, *asked: object) -> str:
    """What was asked is written so that no two questions look alike, whatever a caller types."""
    return f"{FEED}:{word}:{msgspec.json.encode(asked).decode()}"


def summary(organization_id: UUID, event_id: UUID) -> str:
    return f"org:{organization_id}:events:summary:{event_id}"


def upcoming(organization_id: UUID, venue_id: UUID | None) -> str:
    """The organisation's list, or a venue's."""
    return f"org:{organization_id}:events:list" + (f":venue:{venue_id}" if venue_id else "")


def of_venue(organization_id: UUID | None, venue_id: UUID, event_ids: list[UUID]) -> list[str]:
    """What must be forgotten when a venue is gone: its shows have none any more."""
    assert organization_id
    lists = [upcoming(organization_id, None), upcoming(organization_id, venue_id)]
    return lists + [summary(organization_id, event_id) for event_id in event_ids]


def stale(organization_id: UUID, before: Event, after: Event) -> list[str]:
    """What must be forgotten when a show has changed."""
    names = {show(after.id), summary(organization_id, after.id), upcoming(organization_id, None)}
    names |= {upcoming(organization_id, event.venue_id) for event in (before, after)}
    if is_visible(before.status) or is_visible(after.status):
        names.add(FEED)
    return sorted(names)
