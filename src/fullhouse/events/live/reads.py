"""Streams of events: the initial state, and the message for a change. The routes are in the seating domain."""

from typing import Any
from uuid import UUID

import msgspec

from fullhouse.events import policy, store
from fullhouse.events.model import EventSummary
from fullhouse.events.public.model import EventNotFound, PublicEvent
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.broadcast import StreamMessage
from fullhouse.kit.services import Services

LISTED_MAX = 200
OPENING_LIMIT = Limit(600, 60)  # per network; a stream lasts about a minute
_MESSAGE_FIELDS = {
    "event": ("fact", "event_id", "old_status", "new_status", "rescheduled_at", "replaced_by_event_id"),
    "venue": ("fact", "venue_id", "deleted"),
    "gate": ("fact", "gate_id", "venue_id", "status"),
}


async def list_upcoming(services: Services, organization_id: UUID) -> list[EventSummary]:
    """Published, live and postponed events that are not over, the next one first."""
    async with services.database.tenant(organization_id) as tx:
        return await store.upcoming_events(tx, venue_id=None, limit=LISTED_MAX)


async def require_public_event(services: Services, event_id: UUID) -> PublicEvent:
    """A public event, read from the primary: a cache or replica may lag behind the bus. Streams carry no personal data,
    so `owner_id` is left out.
    """
    async with services.database.without_tenant() as tx:
        event = await store.find_public_event(tx, event_id)
    if event is None:
        raise EventNotFound()
    return msgspec.structs.replace(event, owner_id=None)


async def find_organization(services: Services, event_id: UUID) -> UUID | None:
    """The organisation of an event, for messages that do not carry it."""
    async with services.database.without_tenant() as tx:
        return await organization_of(tx, event_id)


async def organization_of(tx: Tx, event_id: UUID) -> UUID | None:
    """From `event_directory`, which is readable without a tenant."""
    return await store.organization_of_event(tx, event_id)


def to_stream_message(message: Any) -> StreamMessage:
    kind = message["fact"].partition(".")[0]
    return StreamMessage(kind, {name: message[name] for name in _MESSAGE_FIELDS[kind]})


def to_public_stream_message(message: Any) -> StreamMessage | None:
    """Only for changes that were or are public; one that hides the event ends the stream. Messages may come late, so a
    message about a draft is dropped and ends nothing."""
    was, is_now = policy.is_visible(message["old_status"]), policy.is_visible(message["new_status"])
    return to_stream_message(message)._replace(last=not is_now) if was or is_now else None
