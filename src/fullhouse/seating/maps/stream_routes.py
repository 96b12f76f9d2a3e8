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
from fullhouse.kit.live.broadcast import Channel, News
from fullhouse.kit.services import Services
from fullhouse.seating.maps.halls import Halls
from fullhouse.seating.maps.live import HELD_SEATS, OccupancyNews, occupancy_news


class LiveSeats(msgspec.Struct, frozen=True):
    """The seats that a stream is about; their states are at `/availability`."""

    layout_id: UUID
    version: str
    occupancy: OccupancyNews


class LiveShow(PublicEvent, frozen=True, kw_only=True):
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
        return {"events": await events.running(services, organization_id)}

    changes, counts = f"events:org:{organization_id}", f"occupancy:{organization_id}"
    held = f"{HELD_SEATS}{organization_id}"
    return Channel(changes, {changes: events.told, counts: _counted, held: _held}, snapshot)


@get("/api/events/{event_id:uuid}/stream", public=True, limit=events.OPENINGS)
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

    async def snapshot() -> LiveShow:
        event = await events.show_now(services, event_id)
        seat_states = await services.part(Halls).get(event.organization_id, event_id)
        seats = (
            LiveSeats(seat_states.house.layout_id, seat_states.version, occupancy_news(services, seat_states))
            if seat_states
            else None
        )
        return LiveShow(**msgspec.structs.asdict(event), seats=seats)

    topic = f"events:event:{event_id}"
    return Channel(topic, {topic: events.told_in_public, f"live:{event_id}": _as_it_is}, snapshot)


def _counted(counts: OccupancyNews) -> News:
    return News("occupancy", counts)


def _held(seat: Any) -> News:
    return News("seat_held", seat)


def _as_it_is(news: News) -> News:
    return news


handlers = [stream_organization, stream_event]
