"""What streams of shows begin with, and what they say of a change. The routes are where seats are known too."""

from typing import Any
from uuid import UUID

import msgspec

from fullhouse.events import policy, store
from fullhouse.events.model import EventSummary
from fullhouse.events.public.model import EventNotFound, PublicEvent
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.broadcast import News
from fullhouse.kit.services import Services

LISTED_MAX = 200
OPENINGS = Limit(600, 60)  # from one network; a stream lasts about a minute
_SHOWN = {
    "event": ("fact", "event_id", "old_status", "new_status", "rescheduled_at", "replaced_by_event_id"),
    "venue": ("fact", "venue_id", "deleted"),
    "gate": ("fact", "gate_id", "venue_id", "status"),
}


async def running(services: Services, organization_id: UUID) -> list[EventSummary]:
    """The shows that are published, live or postponed, the next one first."""
    async with services.database.tenant(organization_id) as tx:
        return await store.upcoming_events(tx, venue_id=None, limit=LISTED_MAX)


async def show_now(services: Services, event_id: UUID) -> PublicEvent:
    """A public show from the primary: a cache, or a replica, may not know yet what the bus has told. Streams name no
    people: not its maker either.
    """
    async with services.database.nobody() as tx:
        event = await store.public_event(tx, event_id)
    if event is None:
        raise EventNotFound()
    return msgspec.structs.replace(event, owner_id=None)


async def owner_of(services: Services, event_id: UUID) -> UUID | None:
    """Whose show it is, where a message did not say."""
    async with services.database.nobody() as tx:
        return await organization_of(tx, event_id)


async def organization_of(tx: Tx, event_id: UUID) -> UUID | None:
    """By the directory of all events, which everybody may ask."""
    return await store.organization_of_event(tx, event_id)


def told(news: Any) -> News:
    kind = news["fact"].partition(".")[0]
    return News(kind, {name: news[name] for name in _SHOWN[kind]})


def told_in_public(news: Any) -> News | None:
    """News may come late: how a draft was made is not for the public, and ends nothing."""
    was, is_now = policy.is_visible(news["old_status"]), policy.is_visible(news["new_status"])
    return told(news)._replace(last=not is_now) if was or is_now else None
