"""Live streams: an organisation's events for its team, and one public event with its seats.

They carry hints for screens, no personal data. The public stream has no holds: a seat's state is the public one.
"""

from typing import Any
from uuid import UUID

import msgspec

from fullhouse.events.live import reads as events
from fullhouse.events.public.model import PublicEvent
from fullhouse.kit.actors import Principal
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.live.broadcast import Channel, StreamMessage
from fullhouse.kit.services import Services
from fullhouse.seating.maps.live import HELD_SEATS_TOPIC, OccupancyUpdate, to_occupancy_update
from fullhouse.seating.maps.seat_states import SeatStateCache


class LiveSeats(msgspec.Struct, frozen=True):
    """The seats that a stream is about; their states are at `/availability`."""

    layout_id: UUID
    version: str
    occupancy: OccupancyUpdate


class LiveEvent(PublicEvent, frozen=True, kw_only=True):
    seats: LiveSeats | None


@get("/api/org/stream", "events.read")
async def stream_organization(services: Services, who: Principal) -> Channel:
    """The organisation's events, live.

    Server-Sent Events. `snapshot` has the events that are published, live or postponed: at most 200, the next one
    first. `event` reports a change of an event, `venue` and `gate` a change of a venue or gate, `occupancy` the counts
    of an event: at most four times a second for each. `seat_held` names a seat that was held, its hold, and the counts.
    A stream ends after about a minute; a browser reconnects by itself and resumes with `Last-Event-ID`.
    """
    organization_id = who.organization_id

    async def snapshot() -> dict[str, Any]:
        return {"events": await events.list_upcoming(services, organization_id)}

    changes, counts = f"events:org:{organization_id}", f"occupancy:{organization_id}"
    held = f"{HELD_SEATS_TOPIC}{organization_id}"
    return Channel(
        changes,
        {changes: events.to_stream_message, counts: _to_occupancy_message, held: _to_seat_held_message},
        snapshot,
    )


@get("/api/events/{event_id:uuid}/stream", public=True, limit=events.OPENING_LIMIT)
async def stream_event(services: Services, event_id: UUID) -> Channel:
    """One public event and its seats, live.

    Server-Sent Events. `snapshot` has the event as the public sees it and, under `seats`, the layout, the version of
    the seat states and the counts; the states are at `/availability`, whose `ETag` is their version. `delta` has the
    new states of some seats (0 available, 1 held, 2 sold, 3 blocked) and the version that results: apply it if that is
    higher than yours. `occupancy` has the counts, at most four times a second. `offers` has what can be bought, as at
    `/offers`, at most once a second and only if buyers see a difference; `least` has the lowest price of a ticket, if
    it changed. `event` reports a change of the event's status, dates or details. When the event is no longer public,
    the stream says so and ends permanently.

    A version is `epoch-number`. If the epochs of stream and states differ, apply every delta, and request the states
    again a second later.
    """

    async def snapshot() -> LiveEvent:
        event = await events.require_public_event(services, event_id)
        seat_states = await services.part(SeatStateCache).get(event.organization_id, event_id)
        seats = (
            LiveSeats(seat_states.seat_index.layout_id, seat_states.version, to_occupancy_update(services, seat_states))
            if seat_states
            else None
        )
        return LiveEvent(**msgspec.structs.asdict(event), seats=seats)

    topic = f"events:event:{event_id}"
    return Channel(topic, {topic: events.to_public_stream_message, f"live:{event_id}": _pass_through}, snapshot)


def _to_occupancy_message(counts: OccupancyUpdate) -> StreamMessage:
    return StreamMessage("occupancy", counts)


def _to_seat_held_message(seat: Any) -> StreamMessage:
    return StreamMessage("seat_held", seat)


def _pass_through(news: StreamMessage) -> StreamMessage:
    return news


handlers = [stream_organization, stream_event]
