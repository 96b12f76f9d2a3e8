"""What people do at the door, one of many thousands each: join, ask where they stand, and show that they may choose."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec

from fullhouse.kit.actors import Principal
from fullhouse.kit.codes import as_stored
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, policy, slips, store
from fullhouse.waiting_room.line import ADMITTED, STATUS, WAITING
from fullhouse.waiting_room.model import AdmissionRequired, Figures, Place, QueueTokenInvalid
from fullhouse.waiting_room.passes import Pass, credentials_in
from fullhouse.waiting_room.rooms import Queue
from fullhouse.waiting_room.standing import Standing, ahead_of, due_for_heartbeat

# Somebody who has a number: in which line, which, when it was asked, and the token if it is theirs to be told. A plain
# tuple: there are thousands a second.
Asking = tuple[Standing, int, float, str | None]


async def join(services: Services, who: Principal, event_id: UUID, promo_code: str | None = None) -> Asking:
    """A slot if one is free and nobody is before us, otherwise a place in the line. Again, it is the same one. Once all
    is sold, only who holds places, or has a code for a hidden type that is left, still has something to wait for."""
    queue = services.part(Queue)
    joined = await queue.join(who.organization_id, event_id, who.id, promo_code and as_stored(promo_code))
    if joined.seq is None:
        raise policy.refusal(joined.outcome, joined.wait_s, services.clock.now())
    standing = await queue.standing(who.organization_id, event_id)
    if standing.room.state != joined.room:
        await queue.fresh(standing)
    if joined.outcome == "admitted" and standing.line.code(joined.seq) < ADMITTED:
        standing.line.admit(joined.seq, int(joined.until.timestamp() * 1000))
    elif due_for_heartbeat(standing, joined.seq, queue.now_s()):  # to come again is a sign of life
        await queue.heartbeat(standing, joined.seq, policy.every_s(ahead_of(standing, joined.seq), policy.FIRST_POLL_S))
    now_s = queue.now_s()
    token = queue.passes.mint(Pass.of(who.organization_id, event_id, joined.seq), who.credential, int(now_s))
    return standing, joined.seq, now_s, token


async def poll(
    services: Services, event_id: UUID, token: str | None, authorization: str | None, cookie: str | None
) -> Asking:
    """From memory. To ask is a sign of life."""
    queue = services.part(Queue)
    now_s = queue.now_s()
    found = queue.passes.read(token or "", credentials_in(authorization, cookie), now_s)
    if found is None or found[1] != event_id.bytes:
        raise QueueTokenInvalid()
    organization, _, seq = found
    standing = queue.known(event_id) or await queue.standing(UUID(bytes=organization), event_id)
    if due_for_heartbeat(standing, seq, now_s):
        await queue.heartbeat(standing, seq, _due_in_s(standing, seq, now_s))
    return standing, seq, now_s, None


def _due_in_s(standing: Standing, seq: int, now_s: float) -> int:
    """When the next sign of life of somebody who is answered now must have come."""
    ahead, pulse = ahead_of(standing, seq), standing.pulse(now_s)
    eta = policy.eta_s(ahead, pulse.rate, pulse.sure) if pulse.ordered else None
    known = ahead if pulse.ordered else None
    return policy.every_s(ahead, policy.next_poll_s(seq, known, pulse.waiting, eta[0] if eta else None))


def poll_from_memory(services: Services, event_id: UUID, token: str | None, authorization: str | None) -> bytes | None:
    """Nearly every poll, in as few steps as it takes: somebody who waits, and was heard of lately. None for all others,
    the refused among them: `poll` sees to those."""
    if token is None or authorization is None or not authorization.startswith("Bearer "):
        return None
    queue: Queue = services.parts[Queue]
    now_s = queue.now_s()
    found = queue.passes.read_again(token, authorization[7:], now_s)
    standing = queue.by_key.get(found[1]) if found else None
    if found is None or standing is None or standing.number != event_id.int:
        return None
    seq, pulse = found[2], standing.pulse(now_s)
    here = standing.line.waits(seq)
    if here is None or pulse.slip is None or now_s - here[1] > policy.heartbeat_after_s(here[0]):
        return None
    ahead, seen_s = here
    eta = policy.eta_s(ahead, pulse.rate, pulse.sure)
    next_s = pulse.next_s or policy.next_poll_s(seq, ahead, pulse.waiting, eta[0] if eta else None)
    return slips.fill(pulse.slip, seq, ahead, pulse.waiting, eta, seen_s + policy.PLACE_S, now_s, next_s, None)


def told(asking: Asking) -> bytes:
    """The place as it is sent. Those who wait, and that is nearly everybody, have a slip with their numbers."""
    standing, seq, now_s, token = asking
    line, pulse = standing.line, standing.pulse(now_s)
    if pulse.slip is None or line.code(seq) != WAITING:
        return msgspec.json.encode({"data": place(*asking)})
    ahead = line.ahead(seq)
    eta = policy.eta_s(ahead, pulse.rate, pulse.sure)
    again = policy.first_poll_s if token else policy.next_poll_s
    next_s = again(seq, ahead, pulse.waiting, eta[0] if eta else None)
    until_s = line.seen_s(seq) + policy.PLACE_S
    return slips.fill(pulse.slip, seq, ahead, pulse.waiting, eta, until_s, now_s, next_s, token)


def is_open_to_all(services: Services, event_id: UUID) -> bool:
    """There is no line, as far as is known here: no needs another look."""
    state: str | None = services.parts[Queue].states.get(event_id)
    return state == "closed"


async def check_admitted(services: Services, who: Principal, event_id: UUID, seconds: int) -> None:
    """While the room is open, only who has a slot may choose; and whoever chooses keeps it a little longer."""
    queue = services.part(Queue)
    if (queue.states.get(event_id) or await queue.state(who.organization_id, event_id)) == "closed":
        return
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        if await actions.stay(tx, event_id, who.id, seconds) is None:
            await _check_still_open(tx, queue, event_id)


async def _check_still_open(tx: Tx, queue: Queue, event_id: UUID) -> None:
    """What is known here may be older than the database. Nobody is sent away for a room that has closed."""
    room = await store.room(tx, event_id)
    if room is not None and room.state != "closed":
        raise AdmissionRequired()
    queue.states.pop(event_id, None)


def place(standing: Standing, seq: int, now_s: float, token: str | None = None) -> Place:
    room, line, pulse = standing.room, standing.line, standing.pulse(now_s)
    code = line.code(seq)
    status: str = STATUS[code]
    ahead = low = high = until_ms = None
    waiting = pulse.waiting
    if code <= WAITING:
        status = pulse.status
        is_buyer = status == "sold_out" and seq in line.buyers
        if is_buyer:
            status, waiting = "waiting", line.waiting_buyers
        if pulse.ordered:
            until_ms = (line.seen_s(seq) + policy.PLACE_S) * 1000 if code == WAITING else None
            if status == "waiting":
                ahead = line.ahead_of_buyer(seq) if is_buyer else line.ahead(seq)
            if ahead is not None and (eta := policy.eta_s(ahead, pulse.rate, pulse.sure)):
                low, high = eta
    elif code == ADMITTED:
        until_ms = line.until_ms.get(seq)
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
        total=None if ahead is None else slips.total(waiting, ahead),
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


async def figures(services: Services, organization_id: UUID, event_id: UUID) -> Figures:
    queue = services.part(Queue)
    standing = await queue.standing(organization_id, event_id)
    line, pace = standing.line, standing.pace
    rate = pace.per_second(queue.now_s()) if pace.seen >= policy.ENOUGH else None
    counts = {status: line.count(code) for code, status in enumerate(STATUS)}
    return Figures(
        waiting=line.waiting,
        admitted=line.admitted,
        admitted_per_minute=None if rate is None else round(60 * rate, 2),
        joined_in_all=line.last,
        expired_in_all=counts["expired"],
        left_in_all=counts["left"],
        bought_in_all=counts["done"],
    )
