"""HTTP routes of the waiting room."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter

from fullhouse.events.live import reads as live_reads
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import delete, get, post, put
from fullhouse.kit.http.response import Response
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, draw, entry_actions, store
from fullhouse.waiting_room.model import Draw, JoinQueue, NotInQueue, Place, Room, RoomSettings, RoomView

_JOIN = msgspec.json.Decoder(JoinQueue)
Token = Annotated[str | None, HeaderParameter(name="X-Queue-Token", description="The `token` that joining returned.")]
Bearer = Annotated[str | None, HeaderParameter(name="Authorization", description="The session that joined.")]
Cookies = Annotated[str | None, HeaderParameter(name="Cookie", description="Or the cookie of that session.")]


@post("/api/events/{event_id:uuid}/queue", "queue.join", status=200, answers={200: Place}, hot=True)
async def join_queue(services: Services, who: Principal, event_id: UUID, data: JoinQueue) -> Response:
    """Join the queue, or get a slot at once if one is free.

    Joining again returns the same place. Store the `token`: polls send it in `X-Queue-Token`. When the event is sold
    out (409 `sold_out`), only people who hold tickets, or have a promo code for a hidden type with tickets left, can
    join.
    """
    return Response(200, entry_actions.to_response(await entry_actions.join(services, who, event_id, data.promo_code)))


@get("/api/events/{event_id:uuid}/queue", public=True, answers={200: Place}, hot=True)
async def poll_queue(
    services: Services, event_id: UUID, queue_token: Token = None, authorization: Bearer = None, cookie: Cookies = None
) -> Response:
    """My place in the queue: position, people ahead, estimated wait. Poll again after `next_poll_s` seconds.

    The queue token is valid only together with the session that joined. A person who does not poll for half an hour
    loses the place; an admitted person loses the slot at `expires_at` unless a checkout has begun.
    """
    if text := entry_actions.poll_from_memory(services, event_id, queue_token, authorization):
        return Response(200, text)
    session_cookie = None if authorization else cookie
    position = await entry_actions.poll(services, event_id, queue_token, authorization, session_cookie)
    return Response(200, entry_actions.to_response(position))


@delete("/api/events/{event_id:uuid}/queue", "queue.join")
async def leave_queue(tx: Tx, who: Principal, event_id: UUID) -> None:
    """Leave the queue, or give up the slot. A person who leaves while waiting can join again after an hour. A slot that
    is used by a checkout ends with the checkout."""
    await actions.leave_queue(tx, event_id, who.id)


@get("/api/events/{event_id:uuid}/queue/draw", public=True)
async def get_draw(services: Services, event_id: UUID) -> Draw:
    """What is needed to recompute the order of a pre-queue: the seed's hash before the room opens, then the seed."""
    event = await live_reads.require_public_event(services, event_id)
    organization_id = await live_reads.find_organization(services, event.id)
    if organization_id is None:
        raise EventNotFound()
    async with services.database.tenant(organization_id) as tx:
        room = await store.find_room(tx, event_id)
    if room is None or room.seed_hash is None:
        raise NotInQueue("This event has no pre-queue.")
    return Draw(
        event_id=event_id,
        state=room.state,
        opens_at=room.opens_at,
        seed_hash=room.seed_hash.hex(),
        seed=room.seed.hex() if room.seed else None,
        tickets=room.tickets,
        rule=draw.RULE,
    )


# --- for organisers


@get("/api/events/{event_id:uuid}/queue/settings", "queue.read")
async def get_queue(tx: Tx, services: Services, event_id: UUID) -> RoomView:
    """The waiting room and its figures: people waiting, admitted and gone, and the rate of admissions."""
    return await _to_view(services, await actions.get_room(tx, event_id))


@put("/api/events/{event_id:uuid}/queue/settings", "queue.manage")
async def change_queue(tx: Tx, services: Services, event_id: UUID, data: RoomSettings) -> RoomView:
    """Set when the room opens, how many people can choose and buy at a time, and how long an admitted person has to
    begin."""
    return await _to_view(services, await actions.change_settings(tx, services.keyring, event_id, data))


@post("/api/events/{event_id:uuid}/queue/open", "queue.manage", status=200)
async def open_queue(tx: Tx, services: Services, event_id: UUID) -> RoomView:
    """Open the room now: people are admitted in the order of the queue. A pre-queue is drawn."""
    return await _to_view(services, await actions.move(tx, services.keyring, event_id, "open"))


@post("/api/events/{event_id:uuid}/queue/pause", "queue.manage", status=200)
async def pause_queue(tx: Tx, services: Services, event_id: UUID) -> RoomView:
    """Pause admissions. People can still join, and those who were admitted go on."""
    return await _to_view(services, await actions.move(tx, services.keyring, event_id, "pause"))


@post("/api/events/{event_id:uuid}/queue/resume", "queue.manage", status=200)
async def resume_queue(tx: Tx, services: Services, event_id: UUID) -> RoomView:
    """Resume admissions."""
    return await _to_view(services, await actions.move(tx, services.keyring, event_id, "resume"))


@post("/api/events/{event_id:uuid}/queue/drain", "queue.manage", status=200)
async def drain_queue(tx: Tx, services: Services, event_id: UUID) -> RoomView:
    """Let nobody join any more. When the people who wait are served, the room closes."""
    return await _to_view(services, await actions.move(tx, services.keyring, event_id, "drain"))


async def _to_view(services: Services, room: Room) -> RoomView:
    return RoomView(
        event_id=room.event_id,
        mode=room.mode,
        state=room.state,
        slots=room.slots,
        admit_window_s=room.admit_window_s,
        opens_at=room.opens_at,
        sold_out=room.sold_out,
        seed_hash=room.seed_hash.hex() if room.seed_hash else None,
        now=await entry_actions.read_figures(services, room.organization_id, room.event_id),
    )


handlers = [
    join_queue,
    poll_queue,
    leave_queue,
    get_draw,
    get_queue,
    change_queue,
    open_queue,
    pause_queue,
    resume_queue,
    drain_queue,
]
