"""The map over HTTP, for everybody: the geometry once and for good, the states again and again, seats and counts."""

import asyncio
import gzip
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter, QueryParameter

from fullhouse.events import public_reads as events
from fullhouse.kit.cursors import LIMIT, Cursors, Page
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.http.endpoints import Data, get
from fullhouse.kit.http.lane import Call
from fullhouse.kit.http.parameters import After, PageSize
from fullhouse.kit.services import Services
from fullhouse.seating import actions, geometry, store
from fullhouse.seating.chart import compile
from fullhouse.seating.halls import Hall, Halls
from fullhouse.seating.model import NoLayout, Occupancy, Seat, SeatNotFound

BYTES = "application/octet-stream"
_FOR_GOOD = "public, max-age=31536000, immutable"
IfNoneMatch = Annotated[
    str | None, HeaderParameter(name="If-None-Match", max_length=200, description="The ETag that the caller has.")
]
AcceptEncoding = Annotated[str | None, HeaderParameter(name="Accept-Encoding", max_length=200)]


async def hall_of(services: Services, event_id: UUID) -> Hall:
    """The seats of a public show; 404 for all others, and for shows without a layout."""
    show = (await events.public_show(services, event_id)).show
    hall = await services.part(Halls).get(show.organization_id, event_id)
    if hall is None:
        raise NoLayout()
    return hall


@get("/api/events/{event_id:uuid}/seatmap", public=True, media_type=BYTES)
async def get_seatmap(
    services: Services,
    event_id: UUID,
    format: Literal["binary", "json"] = "binary",
    layout: Annotated[UUID | None, QueryParameter(description="Named, the answer may be kept for good.")] = None,
    if_none_match: IfNoneMatch = None,
    accept_encoding: AcceptEncoding = None,
) -> Answer:
    """The map's geometry: compact (docs/seatmap-format.md), or as JSON. It never changes for one layout version."""
    hall = await hall_of(services, event_id)
    layout_id = hall.house.layout_id
    tag = f'"{layout_id}-{format}"'
    kept = _FOR_GOOD if layout == layout_id else "no-cache"
    headers = (("etag", tag), ("x-layout-id", str(layout_id)), ("cache-control", kept), ("vary", "accept-encoding"))
    if _has(if_none_match, tag):
        return Answer(304, b"", headers)
    if format == "json":
        async with services.database.tenant(hall.organization_id) as tx:
            plan = await actions.get_plan(tx, layout_id)
        drawn = await asyncio.to_thread(lambda: msgspec.json.encode(Data(geometry.geometry_json(plan, compile(plan)))))
        return Answer(200, drawn, headers)
    packed = hall.house.geometry
    if "gzip" in (accept_encoding or ""):
        return Answer(200, packed, (*headers, ("content-encoding", "gzip")), BYTES)
    return Answer(200, gzip.decompress(packed), headers, BYTES)


async def get_availability_fast(call: Call) -> Answer:
    return await _availability(call.state.services, call.params[0], call.header("if-none-match"))


@get("/api/events/{event_id:uuid}/availability", public=True, media_type=BYTES, fast=get_availability_fast)
async def get_availability(services: Services, event_id: UUID, if_none_match: IfNoneMatch = None) -> Answer:
    """The state of every seat by ordinal, two bits each: available, held, sold, blocked. The ETag is its version."""
    return await _availability(services, event_id, if_none_match)


async def _availability(services: Services, event_id: UUID, if_none_match: str | None) -> Answer:
    hall = await hall_of(services, event_id)
    tag = f'"{hall.version}"'
    headers = (("etag", tag), ("x-layout-id", str(hall.house.layout_id)), ("cache-control", "no-cache"))
    return Answer(304, b"", headers) if _has(if_none_match, tag) else Answer(200, hall.packed, headers, BYTES)


def _has(header: str | None, tag: str) -> bool:
    """A proxy may have weakened the tag, or a client keep several."""
    return header is not None and tag in (part.strip().removeprefix("W/") for part in header.split(","))


@get("/api/events/{event_id:uuid}/seats", public=True)
async def list_seats(
    services: Services, event_id: UUID, zone_id: UUID | None = None, limit: PageSize = LIMIT, cursor: After = None
) -> Page[Seat]:
    """A show's seats, by ordinal."""
    hall = await hall_of(services, event_id)
    cursors = Cursors(services.keyring, "seats", event_id, zone_id)
    (after,) = cursors.read(cursor, int) or (-1,)
    first, end = hall.house.span(zone_id)
    async with services.database.tenant(hall.organization_id) as tx:
        rows = await store.list_seats(tx, tx.organization_id, event_id, max(first, after + 1), end, limit + 1)
    return cursors.page(rows, limit, "ordinal")


@get("/api/events/{event_id:uuid}/seats/{seat_id:uuid}", public=True)
async def get_seat(services: Services, event_id: UUID, seat_id: UUID) -> Seat:
    """One seat of a show."""
    hall = await hall_of(services, event_id)
    async with services.database.tenant(hall.organization_id) as tx:
        seat = await store.seat_of_event(tx, tx.organization_id, event_id, seat_id)
    if seat is None:
        raise SeatNotFound()
    return seat


@get("/api/events/{event_id:uuid}/occupancy", public=True)
async def get_occupancy(services: Services, event_id: UUID) -> Occupancy:
    """How many places are available, held, sold and blocked: in each zone, and in all."""
    return (await hall_of(services, event_id)).occupancy()


handlers = [get_seatmap, get_availability, list_seats, get_seat, get_occupancy]
