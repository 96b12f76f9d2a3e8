"""Live streams: an organisation's shows for its team, and one show with its seats for everybody.

They carry hints for screens. No holds, no people: a seat's state is what everybody may know.
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
    """Which seats a stream speaks of; their states are at `/availability`."""

    layout_id: UUID
    version: str
    occupancy: OccupancyNews


class LiveShow(PublicEvent, frozen=True, kw_only=True):
    seats: LiveSeats | None


@get("/api/org/stream", "events.read")
async def stream_organization(services: Services, who: Principal) -> Channel:
    """The organisation's shows, live.

    Server-Sent Events. `snapshot` has the shows that are published, live or postponed: at most 200, the next one first.
    `event` tells a change of any show, `venue` and `gate` of where they are, `occupancy` how full one is: at most four
    times a second for each. `seat_held` names a seat that somebody reserved, its hold, and the counts. A stream ends
    after about a minute; a browser comes back by itself, and says with `Last-Event-ID` what it has seen.
    """
    organization_id = who.organization_id

    async def snapshot() -> dict[str, Any]:
        return {"events": await events.running(services, organization_id)}

    shows, counts = f"events:org:{organization_id}", f"occupancy:{organization_id}"
    held = f"{HELD_SEATS}{organization_id}"
    return Channel(shows, {shows: events.told, counts: _counted, held: _held}, snapshot)


@get("/api/events/{event_id:uuid}/stream", public=True, limit=events.OPENINGS)
async def stream_event(services: Services, event_id: UUID) -> Channel:
    """One public show and its seats, live.

    Server-Sent Events. `snapshot` has the show as the public sees it and, under `seats`, the layout, the version of the
    seats' states and how full it is; the states are at `/availability`, whose `ETag` is their version. `delta` has the
    new states of some seats (0 available, 1 held, 2 sold, 3 blocked) and the version that they make: take it if that is
    higher than what you have. `occupancy` has the counts, at most four times a second. `offers` has what can be
    bought, as at `/offers`, at most once a second, if a buyer sees a difference; `least`, what a place costs at least,
    if that is another now. `event` tells a change of the show's status, dates or details. When the public may not see
    it any more, the stream says so and ends for good.

    A version is `epoch-number`. If the epochs of stream and states differ, take every delta, and ask for the states
    again a second later.
    """

    async def snapshot() -> LiveShow:
        show = await events.show_now(services, event_id)
        hall = await services.part(Halls).get(show.organization_id, event_id)
        seats = LiveSeats(hall.house.layout_id, hall.version, occupancy_news(services, hall)) if hall else None
        return LiveShow(**msgspec.structs.asdict(show), seats=seats)

    topic = f"events:event:{event_id}"
    return Channel(topic, {topic: events.told_in_public, f"live:{event_id}": _as_it_is}, snapshot)


def _counted(counts: OccupancyNews) -> News:
    return News("occupancy", counts)


def _held(seat: Any) -> News:
    return News("seat_held", seat)


def _as_it_is(news: News) -> News:
    return news


handlers = [stream_organization, stream_event]
