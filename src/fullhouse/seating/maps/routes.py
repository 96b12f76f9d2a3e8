"""The map over HTTP: the geometry (cacheable permanently), the seat states, seats and counts.

Public for events that the public may see; under `/layout/` for the organisation's team, for any of its events.
"""

import asyncio
import gzip
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.events import actions as event_actions
from fullhouse.events.public import reads as events
from fullhouse.kit.actors import Actor
from fullhouse.kit.cache.limits import Limit, network_of
from fullhouse.kit.db.cursors import LIMIT, Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import DataEnvelope, get
from fullhouse.kit.http.parameters import After, IfNoneMatch, PageSize
from fullhouse.kit.http.response import Response
from fullhouse.kit.http.versions import matches_etag
from fullhouse.kit.services import Services
from fullhouse.seating import actions, store
from fullhouse.seating.maps import geometry
from fullhouse.seating.maps.seat_states import SeatStateCache, SeatStates
from fullhouse.seating.model import NoLayout, Occupancy, Seat, Seating, SeatNotFound
from fullhouse.seating.overlay import actions as overlay_actions
from fullhouse.seating.plans.chart import build_chart

BYTES = "application/octet-stream"
DRAWINGS = Limit(30, 60)  # JSON maps for one network: each is built from the whole plan, a second's work for an arena
_IMMUTABLE = "public, max-age=31536000, immutable"
MapFormat = Literal["binary", "json"]
KnownLayout = Annotated[
    UUID | None, QueryParameter(description="The layout's id. With it the response may be cached permanently.")
]
AcceptEncoding = Annotated[str | None, HeaderParameter(name="Accept-Encoding")]


async def require_public_seat_states(services: Services, event_id: UUID) -> SeatStates:
    """The seats of a public event; 404 for all others, and for events without a layout."""
    event = (await events.require_public_event(services, event_id)).event
    seat_states = await services.part(SeatStateCache).get(event.organization_id, event_id)
    if seat_states is None:
        raise NoLayout()
    return seat_states


async def require_own_seat_states(tx: Tx, services: Services, event_id: UUID) -> SeatStates:
    """The seats of any event of the caller's organisation. The owner is checked before the cache is read."""
    overlay = await overlay_actions.get_event_layout(tx, event_id)
    assert tx.organization_id
    seat_states = await services.part(SeatStateCache).get(tx.organization_id, overlay.event_id)
    if seat_states is None:
        raise NoLayout()
    return seat_states


@get("/api/events/{event_id:uuid}/seatmap", public=True, media_type=BYTES, also=("application/json",))
async def get_seatmap(
    services: Services,
    actor: Actor,
    event_id: UUID,
    format: MapFormat = "binary",
    layout: KnownLayout = None,
    if_none_match: IfNoneMatch = None,
    accept_encoding: AcceptEncoding = None,
) -> Response:
    """The map's geometry: compact (docs/seatmap-format.md), or as JSON. It never changes for one layout version."""
    seat_states = await require_public_seat_states(services, event_id)
    if format == "json":
        await services.limiter.check(f"drawings:{network_of(actor.ip)}", DRAWINGS)
    cache_control = _IMMUTABLE if layout == seat_states.seat_index.layout_id else "no-cache"
    return await _seatmap_response(services, seat_states, format, cache_control, if_none_match, accept_encoding)


@get("/api/events/{event_id:uuid}/layout/seatmap", "seating.read", media_type=BYTES, also=("application/json",))
async def get_own_seatmap(
    tx: Tx,
    services: Services,
    event_id: UUID,
    format: MapFormat = "binary",
    if_none_match: IfNoneMatch = None,
    accept_encoding: AcceptEncoding = None,
) -> Response:
    """The map's geometry of any event of the organisation, drafts included."""
    seat_states = await require_own_seat_states(tx, services, event_id)
    return await _seatmap_response(services, seat_states, format, "private, no-cache", if_none_match, accept_encoding)


async def _seatmap_response(
    services: Services,
    seat_states: SeatStates,
    format: str,
    cache_control: str,
    if_none_match: str | None,
    accept_encoding: str | None,
) -> Response:
    layout_id = seat_states.seat_index.layout_id
    tag = f'"{layout_id}-{format}"'
    headers = (
        ("etag", tag),
        ("x-layout-id", str(layout_id)),
        ("cache-control", cache_control),
        ("vary", "accept-encoding"),
    )
    if matches_etag(if_none_match or "", tag):
        return Response(304, b"", headers)
    if format == "json":
        async with services.database.tenant(seat_states.organization_id) as tx:
            plan = await actions.get_plan(tx, layout_id)
        drawn = await asyncio.to_thread(
            lambda: msgspec.json.encode(DataEnvelope(geometry.to_geometry_json(plan, build_chart(plan))))
        )
        return Response(200, drawn, headers)
    packed = seat_states.seat_index.geometry
    if "gzip" in (accept_encoding or ""):
        return Response(200, packed, (*headers, ("content-encoding", "gzip")), BYTES)
    return Response(200, gzip.decompress(packed), headers, BYTES)


@get("/api/events/{event_id:uuid}/availability", public=True, media_type=BYTES, hot=True)
async def get_availability(services: Services, event_id: UUID, if_none_match: IfNoneMatch = None) -> Response:
    """The state of every seat by ordinal, two bits each: available, held, sold, blocked. The ETag is its version."""
    return _availability_response(await require_public_seat_states(services, event_id), if_none_match)


@get("/api/events/{event_id:uuid}/layout/availability", "seating.read", media_type=BYTES)
async def get_own_availability(
    tx: Tx, services: Services, event_id: UUID, if_none_match: IfNoneMatch = None
) -> Response:
    """The state of every seat of any event of the organisation, as the public sees or will see it."""
    return _availability_response(
        await require_own_seat_states(tx, services, event_id), if_none_match, "private, no-cache"
    )


def _availability_response(
    seat_states: SeatStates, if_none_match: str | None, cache_control: str = "no-cache"
) -> Response:
    tag = f'"{seat_states.version}"'
    headers = (("etag", tag), ("x-layout-id", str(seat_states.seat_index.layout_id)), ("cache-control", cache_control))
    return (
        Response(304, b"", headers)
        if matches_etag(if_none_match or "", tag)
        else Response(200, seat_states.packed, headers, BYTES)
    )


@get("/api/events/{event_id:uuid}/seats", public=True)
async def list_seats(
    services: Services, event_id: UUID, zone_id: UUID | None = None, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Seat]:
    """An event's seats, by ordinal."""
    seat_states = await require_public_seat_states(services, event_id)
    async with services.database.tenant(seat_states.organization_id) as tx:
        return await _list_seats(tx, services, seat_states, zone_id, limit, cursor)


@get("/api/events/{event_id:uuid}/layout/seats", "seating.read")
async def list_own_seats(
    tx: Tx,
    services: Services,
    event_id: UUID,
    zone_id: UUID | None = None,
    limit: PageSize = LIMIT,
    cursor: After = None,
) -> Page[Seat]:
    """The seats of any event of the organisation, by ordinal."""
    return await _list_seats(
        tx, services, await require_own_seat_states(tx, services, event_id), zone_id, limit, cursor
    )


async def _list_seats(
    tx: Tx, services: Services, seat_states: SeatStates, zone_id: UUID | None, limit: int, cursor: str | None
) -> Page[Seat]:
    cursors = Cursors(services.keyring, "seats", seat_states.event_id, zone_id)
    (after,) = cursors.read(cursor, int) or (-1,)
    first, end = seat_states.seat_index.zone_range(zone_id)
    rows = await store.list_seats(
        tx, event_id=seat_states.event_id, first_ordinal=max(first, after + 1), end_ordinal=end, limit=limit + 1
    )
    return cursors.page(rows, limit, "ordinal")


@get("/api/events/{event_id:uuid}/seats/{seat_id:uuid}", public=True)
async def get_seat(services: Services, event_id: UUID, seat_id: UUID) -> Seat:
    """One seat of an event."""
    seat_states = await require_public_seat_states(services, event_id)
    async with services.database.tenant(seat_states.organization_id) as tx:
        seat = await store.seat_of_event(tx, event_id=event_id, seat_id=seat_id)
    if seat is None:
        raise SeatNotFound()
    return seat


@get("/api/events/{event_id:uuid}/occupancy", public=True)
async def get_occupancy(services: Services, event_id: UUID) -> Occupancy:
    """How many seats and standing places are available, held, sold and blocked: in each zone and in total."""
    return (await require_public_seat_states(services, event_id)).occupancy()


@get("/api/events/{event_id:uuid}/layout/occupancy", "seating.read")
async def get_own_occupancy(tx: Tx, services: Services, event_id: UUID) -> Occupancy:
    """The counts of any event of the organisation."""
    return (await require_own_seat_states(tx, services, event_id)).occupancy()


@get("/api/events/{event_id:uuid}/seating", "seating.read")
async def get_seating(tx: Tx, services: Services, event_id: UUID) -> Seating:
    """Whether an event of the organisation has a layout, and its counts if so."""
    await event_actions.require_event(tx, event_id)
    try:
        seat_states = await require_own_seat_states(tx, services, event_id)
    except NoLayout:
        return Seating(layout_id=None, occupancy=None)
    return Seating(layout_id=seat_states.seat_index.layout_id, occupancy=seat_states.occupancy())


handlers = [
    get_seating, get_seatmap, get_availability, list_seats, get_seat, get_occupancy, get_own_seatmap,
    get_own_availability, list_own_seats, get_own_occupancy,
]  # fmt: skip
