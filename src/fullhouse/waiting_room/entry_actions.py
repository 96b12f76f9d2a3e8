"""The waiting room's hot path, for many thousands of people: join, poll, and check that a person may choose seats."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec

from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import normalise
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, policy, response_templates, store
from fullhouse.waiting_room.live_room import LiveRoom, count_ahead, is_heartbeat_due
from fullhouse.waiting_room.model import AdmissionRequired, Figures, Place, QueueTokenInvalid
from fullhouse.waiting_room.queue_tokens import QueueToken, parse_credentials
from fullhouse.waiting_room.rooms import WaitingRooms
from fullhouse.waiting_room.virtual_queue import ADMITTED, STATUS, WAITING

# A person's number: the room, the number, the time of the request, and the token if the response has it. A plain tuple:
# thousands a second are made.
QueuePosition = tuple[LiveRoom, int, float, str | None]


async def join(services: Services, who: Principal, event_id: UUID, promo_code: str | None = None) -> QueuePosition:
    """A slot if one is free and nobody waits, otherwise a place in the queue; a repeat returns the same one. When the
    event is sold out, only people who hold tickets, or have a code for a hidden type with tickets left, can join."""
    rooms = services.part(WaitingRooms)
    joined = await rooms.join(who.organization_id, event_id, who.id, promo_code and normalise(promo_code))
    if joined.seq is None:
        raise policy.to_refusal(joined.outcome, joined.wait_s, services.clock.now())
    live = await rooms.load(who.organization_id, event_id)
    if live.room.state != joined.room:
        await rooms.refresh(live)
    if joined.outcome == "admitted" and live.queue.code(joined.seq) < ADMITTED:
        live.queue.admit(joined.seq, int(joined.until.timestamp() * 1000))
    elif is_heartbeat_due(live, joined.seq, rooms.now_s()):  # joining again counts as a heartbeat
        await rooms.heartbeat(
            live, joined.seq, policy.heartbeat_due_s(count_ahead(live, joined.seq), policy.FIRST_POLL_S)
        )
    now_s = rooms.now_s()
    token = rooms.tokens.mint(QueueToken.of(who.organization_id, event_id, joined.seq), who.credential, int(now_s))
    return live, joined.seq, now_s, token


async def poll(
    services: Services, event_id: UUID, token: str | None, authorization: str | None, cookie: str | None
) -> QueuePosition:
    """From memory. A poll counts as a heartbeat."""
    rooms = services.part(WaitingRooms)
    now_s = rooms.now_s()
    found = rooms.tokens.read(token or "", parse_credentials(authorization, cookie), now_s)
    if found is None or found[1] != event_id.bytes:
        raise QueueTokenInvalid()
    organization, _, seq = found
    live = rooms.peek(event_id) or await rooms.load(UUID(bytes=organization), event_id)
    if is_heartbeat_due(live, seq, now_s):
        await rooms.heartbeat(live, seq, _heartbeat_due_s(live, seq, now_s))
    return live, seq, now_s, None


def _heartbeat_due_s(live: LiveRoom, seq: int, now_s: float) -> int:
    """When the next heartbeat of a person who polls now is due."""
    ahead, pulse = count_ahead(live, seq), live.summary(now_s)
    eta = policy.eta_s(ahead, pulse.rate, pulse.confidence) if pulse.is_ordered else None
    known = ahead if pulse.is_ordered else None
    return policy.heartbeat_due_s(ahead, policy.next_poll_s(seq, known, pulse.waiting, eta[0] if eta else None))


def poll_from_memory(services: Services, event_id: UUID, token: str | None, authorization: str | None) -> bytes | None:
    """Serves nearly every poll, in as few steps as possible: of a person who waits and whose heartbeat is recent. None
    for all others, refused ones included: `poll` handles these."""
    if token is None or authorization is None or not authorization.startswith("Bearer "):
        return None
    rooms: WaitingRooms = services.parts[WaitingRooms]
    now_s = rooms.now_s()
    found = rooms.tokens.read_cached(token, authorization[7:], now_s)
    live = rooms.by_raw_id.get(found[1]) if found else None
    if found is None or live is None or live.event_number != event_id.int:
        return None
    seq, pulse = found[2], live.summary(now_s)
    found_place = live.queue.find_waiting(seq)
    if found_place is None or pulse.template is None:
        return None
    ahead, seen_s = found_place
    if now_s - seen_s > policy.heartbeat_after_s(ahead):
        return None
    eta = policy.eta_s(ahead, pulse.rate, pulse.confidence)
    next_s = pulse.next_s or policy.next_poll_s(seq, ahead, pulse.waiting, eta[0] if eta else None)
    return response_templates.fill_template(
        pulse.template, seq, ahead, pulse.waiting, eta, seen_s + policy.PLACE_S, now_s, next_s, None
    )


def to_response(position: QueuePosition) -> bytes:
    """The response body. For people who wait, nearly all, it is a template filled with their numbers."""
    live, seq, now_s, token = position
    queue, pulse = live.queue, live.summary(now_s)
    if pulse.template is None or queue.code(seq) != WAITING:
        return msgspec.json.encode({"data": to_place(*position)})
    ahead = queue.ahead(seq)
    eta = policy.eta_s(ahead, pulse.rate, pulse.confidence)
    poll_s = policy.first_poll_s if token else policy.next_poll_s
    next_s = poll_s(seq, ahead, pulse.waiting, eta[0] if eta else None)
    until_s = queue.seen_s(seq) + policy.PLACE_S
    return response_templates.fill_template(
        pulse.template, seq, ahead, pulse.waiting, eta, until_s, now_s, next_s, token
    )


async def check_admitted(services: Services, who: Principal, event_id: UUID, seconds: int) -> None:
    """While the room is open, choosing seats needs a slot, and extends it."""
    rooms = services.part(WaitingRooms)
    if (rooms.states.get(event_id) or await rooms.read_state(who.organization_id, event_id)) == "closed":
        return
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        if await actions.extend_choosing(tx, event_id, who.id, seconds) is None:
            await _check_still_open(tx, rooms, event_id)


async def _check_still_open(tx: Tx, rooms: WaitingRooms, event_id: UUID) -> None:
    """The state in memory may be stale: before refusing, checks in the database that the room is still open."""
    room = await store.find_room(tx, event_id)
    if room is not None and room.state != "closed":
        raise AdmissionRequired()
    rooms.states.pop(event_id, None)


def to_place(live: LiveRoom, seq: int, now_s: float, token: str | None = None) -> Place:
    room, queue, pulse = live.room, live.queue, live.summary(now_s)
    code = queue.code(seq)
    status: str = STATUS[code]
    ahead = low = high = until_ms = None
    waiting = pulse.waiting
    if code <= WAITING:
        status = pulse.status
        is_buyer = status == "sold_out" and seq in queue.buyers
        if is_buyer:
            status, waiting = "waiting", queue.waiting_buyers
        if pulse.is_ordered:
            until_ms = (queue.seen_s(seq) + policy.PLACE_S) * 1000 if code == WAITING else None
            if status == "waiting":
                ahead = queue.ahead_of_buyer(seq) if is_buyer else queue.ahead(seq)
            if ahead is not None and (eta := policy.eta_s(ahead, pulse.rate, pulse.confidence)):
                low, high = eta
    elif code == ADMITTED:
        until_ms = queue.until_ms.get(seq)
        if until_ms is not None and until_ms <= now_s * 1000:
            status = "expired"
    opens_at = room.opens_at if room.state == "pre" else None
    next_s = policy.next_poll_s(seq, ahead, pulse.waiting, low)
    if token and ahead is not None:
        next_s = policy.first_poll_s(seq, ahead, pulse.waiting, low)
    return Place(
        event_id=room.event_id,
        status=status,  # type: ignore[arg-type]
        room=room.state,
        seq=seq,
        position=None if ahead is None else ahead + 1,
        ahead=ahead,
        total=None if ahead is None else response_templates.total_waiting(waiting, ahead),
        eta_low_s=low,
        eta_high_s=high,
        expires_at=None if until_ms is None else datetime.fromtimestamp(until_ms / 1000, UTC),
        expires_at_unix_ms=until_ms,
        opens_at=opens_at,
        opens_at_unix_ms=int(opens_at.timestamp() * 1000) if opens_at else None,
        seed_hash=pulse.seed_hash,
        server_time_unix_ms=int(now_s * 1000),
        next_poll_s=next_s,
        token=token,
    )


async def read_figures(services: Services, organization_id: UUID, event_id: UUID) -> Figures:
    rooms = services.part(WaitingRooms)
    live = await rooms.load(organization_id, event_id)
    queue, pace = live.queue, live.rate
    rate = pace.per_second(rooms.now_s()) if pace.counted >= policy.ADMISSIONS_MIN else None
    counts = {status: queue.count(code) for code, status in enumerate(STATUS)}
    return Figures(
        waiting=queue.waiting,
        admitted=queue.admitted,
        admitted_per_minute=None if rate is None else round(60 * rate, 2),
        joined_in_all=queue.last,
        expired_in_all=counts["expired"],
        left_in_all=counts["left"],
        bought_in_all=counts["done"],
    )
