"""An event's holds and seat states in Redis, for readers outside: the keys, the scripts that write them, the rebuild.

Under `{prefix}:org:{org}:event:{event}:`

    seat_holds           sorted set: `{seat or zone}:{hold}:{user}:{until}`, scored by when the hold ends
    seat:{seat}:hold     `{hold}:{user}:{unix}`; expires with the hold
    occupancy            hash of counts, with the people inside; expires a minute after the last change
    seats:bitmap         one bit for each ordinal: 1 is taken
    seats:versions       the version of each seat's row: 32 bits for each ordinal
    seats:availability   sorted set: `{seat}:{status}:{unix, if held}`, scored by version; only seats that ever changed
    seats:held           hash: a held seat's member of that set, by ordinal, so that it can be removed

and the layout's config (layout_cache.py). No decision reads any of it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import structlog

from fullhouse.holds import store
from fullhouse.holds.mirror import layout_cache
from fullhouse.kit.cache.optional_redis import Redis, ResponseError
from fullhouse.kit.services import Services
from fullhouse.seating.maps.seat_states import SeatStateCache, SeatStates
from fullhouse.seating.model import AVAILABLE, HELD
from fullhouse.seating.plans.chart import ordinal_of, seat_id

log = structlog.get_logger()
TTL_S, COUNTS_TTL_S = 1800, 60
FIRST_VERSION = 1  # the version of a seat that has never changed
STATUSES = (
    "available",
    "held",
    "sold",
    "blocked",
    "blocked",
)  # the last one is a reserved companion seat: shown as blocked
CHUNK = 1000
# Seats are written in any order: the highest version wins. Returns 0 if the event is not in Redis.
APPLY = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local place = 4
for _ = 1, tonumber(ARGV[3]) do
    local ordinal, version, status, seat, value, left_ms, member, score = unpack(ARGV, place, place + 7)
    place = place + 8
    local known = redis.call('BITFIELD', KEYS[1], 'GET', 'u32', '#' .. ordinal)[1]
    if tonumber(version) > known then
        redis.call('BITFIELD', KEYS[1], 'SET', 'u32', '#' .. ordinal, version)
        redis.call('SETBIT', KEYS[2], ordinal, status == 'available' and 0 or 1)
        local key = ARGV[1] .. seat .. ':hold'
        if value == '' then
            redis.call('DEL', key)
        else
            redis.call('SET', key, value, 'PX', left_ms)
            redis.call('ZADD', KEYS[3], score, member)
        end
        local held = redis.call('HGET', KEYS[5], ordinal) or seat
        redis.call('ZREM', KEYS[4], held, seat .. ':available:', seat .. ':sold:', seat .. ':blocked:')
        held = seat .. ':' .. status .. ':' .. (string.match(value, '[^:]+$') or '')
        redis.call('ZADD', KEYS[4], version, held)
        redis.call('HDEL', KEYS[5], ordinal)
        if status == 'held' then redis.call('HSET', KEYS[5], ordinal, held) end
    end
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[2])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 1800) end
return 1
"""
# Adds what was read from the database, unless a newer version was written meanwhile.
FILL = """
for place = 1, #ARGV, 4 do
    local ordinal, version, member, held = unpack(ARGV, place, place + 3)
    if redis.call('BITFIELD', KEYS[1], 'GET', 'u32', '#' .. ordinal)[1] == tonumber(version) then
        redis.call('ZADD', KEYS[2], version, member)
        if held == '1' then redis.call('HSET', KEYS[3], ordinal, member) end
    end
end
redis.call('EXPIRE', KEYS[2], 1800)
return redis.call('EXPIRE', KEYS[3], 1800)
"""
COUNT = """
if tonumber(redis.call('HGET', KEYS[1], 'version') or 0) < tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[1], 'version', ARGV[1], unpack(ARGV, 4))
end
redis.call('HSET', KEYS[1], 'live_attendees', ARGV[2], 'last_updated', ARGV[3])
return redis.call('EXPIRE', KEYS[1], 60)
"""


class Keys(NamedTuple):
    base: str

    @classmethod
    def of(cls, services: Services, organization_id: UUID, event_id: UUID) -> "Keys":
        return cls(services.redis.prefixed_key(f"org:{organization_id}:event:{event_id}"))

    @property
    def shared(self) -> list[str]:
        """Versions, bitmap, holds, availability and held members: the KEYS of APPLY."""
        names = ("seats:versions", "seats:bitmap", "seat_holds", "seats:availability", "seats:held")
        return [f"{self.base}:{name}" for name in names]

    @property
    def occupancy(self) -> str:
        return f"{self.base}:occupancy"

    @property
    def seats(self) -> str:
        return f"{self.base}:seat:"

    def seat(self, seat: Any) -> str:
        return f"{self.seats}{seat}:hold"


class MirroredHold(NamedTuple):
    """A live hold, in the form that Redis has."""

    hold_id: UUID
    user_id: UUID
    place: UUID  # the seat, the zone or the ticket type
    held_until: datetime

    @property
    def is_suspended(self) -> bool:
        return self.held_until.year == 9999  # how the driver reads infinity

    @property
    def member(self) -> str:
        until = "infinity" if self.is_suspended else self.held_until.isoformat()
        return f"{self.place}:{self.hold_id}:{self.user_id}:{until}"

    @property
    def score(self) -> str:
        return "+inf" if self.is_suspended else f"{self.held_until.timestamp():.3f}"

    @property
    def until(self) -> str:
        return self.score.split(".")[0]

    @property
    def value(self) -> str:
        return f"{self.hold_id}:{self.user_id}:{self.until}"

    def left_ms(self, now: datetime) -> int:
        if self.is_suspended:
            return TTL_S * 1000
        return max(1, int((self.held_until - now).total_seconds() * 1000))


class Snapshot(NamedTuple):
    """An event's state in one layer: the database, this process's memory or Redis."""

    taken: list[int]  # ordinals
    seats: dict[str, str]  # seat to value
    holds: dict[str, float]  # member to score
    counts: dict[str, str]
    availability: dict[str, float]  # member to version


class DatabaseState(NamedTuple):
    seats: SeatStates | None
    held: dict[UUID, MirroredHold]
    inside: int = 0  # people, as counted at the gates

    def availability_members(self) -> list[tuple[int, int, str, bool]]:
        """Members of seats:availability: ordinal, version, member, and whether the seat is held."""
        if self.seats is None:
            return []
        layout_id, states, versions = self.seats.seat_index.layout_id, self.seats.states, self.seats.versions
        until = {hold.place: hold.until for hold in self.held.values()}
        changed = np.flatnonzero(
            (versions > FIRST_VERSION) | ((versions == FIRST_VERSION) & (states != AVAILABLE))
        ).tolist()
        found = []
        for n in changed:
            seat, held = seat_id(layout_id, n), int(states[n]) == HELD
            member = f"{seat}:{STATUSES[states[n]]}:{until.get(seat, '') if held else ''}"
            found.append((n, int(versions[n]), member, held))
        return found

    def to_snapshot(self) -> Snapshot:
        seats: dict[str, str] = {}
        if self.seats:
            layout_id = self.seats.seat_index.layout_id
            seats = {str(h.place): h.value for h in self.held.values() if ordinal_of(layout_id, h.place) is not None}
        return Snapshot(
            np.flatnonzero(self.seats.states != AVAILABLE).tolist() if self.seats else [],
            seats,
            {h.member: float(h.score) for h in self.held.values()},
            to_counts(self.seats) | {"live_attendees": str(self.inside)} if self.seats else {},
            {member: float(version) for _, version, member, _ in self.availability_members()},
        )


def to_counts(seat_states: SeatStates) -> dict[str, str]:
    found = seat_states.occupancy()
    return {
        "available_count": str(found.available),
        "held_count": str(found.held),
        "sold_count": str(found.sold),
        "blocked_count": str(found.blocked),
        "total": str(found.capacity),
    }


def counts_version(seat_states: SeatStates) -> int:
    """A version of the counts: it grows with every change, in all processes alike."""
    return int(seat_states.versions.sum()) + sum(version for _, _, version in seat_states.zone_counts.values())


async def read_database(services: Services, organization_id: UUID, event_id: UUID) -> DatabaseState:
    """Reads the event's state from the database."""
    seat_states = await services.part(SeatStateCache).read_fresh(organization_id, event_id)
    async with services.database.tenant(organization_id) as tx:
        rows = await store.list_live_holds(tx, event_id)
        inside = await store.count_people_inside(tx, event_id) or 0
    held = {row.hold_id: MirroredHold(row.hold_id, row.user_id, row.place, row.held_until) for row in rows}
    return DatabaseState(seat_states, held, inside)


async def count_people_inside(services: Services, organization_id: UUID, event_id: UUID) -> int:
    async with services.database.tenant(organization_id) as tx:
        return await store.count_people_inside(tx, event_id) or 0


# --- writing


def to_apply_arguments(
    hall_layout: UUID, changes: Iterable[tuple[int, int, int]], held: Mapping[UUID, MirroredHold], now: datetime
) -> list[Any]:
    """The ARGV of APPLY. `changes` are (ordinal, state, version), `held` are the holds by seat."""
    arguments: list[Any] = []
    for ordinal, state, version in changes:
        seat = seat_id(hall_layout, ordinal)
        hold = held.get(seat) if state == HELD else None
        arguments += [ordinal, version, STATUSES[state], str(seat)]
        arguments += [hold.value, hold.left_ms(now), hold.member, hold.score] if hold else ["", 0, "", 0]
    return arguments


def add_seat_changes(pipe: Any, names: Keys, arguments: list[Any], now: datetime) -> None:
    pipe.eval(APPLY, 5, *names.shared, names.seats, f"{now.timestamp():.3f}", len(arguments) // 8, *arguments)


def add_counts(pipe: Any, names: Keys, seat_states: SeatStates, inside: int, now: datetime) -> None:
    arguments = [value for pair in to_counts(seat_states).items() for value in pair]
    pipe.eval(COUNT, 1, names.occupancy, counts_version(seat_states), inside, now.isoformat(), *arguments)


def write_counts(services: Services, organization_id: UUID, seat_states: SeatStates, inside: int) -> Awaitable[bool]:
    """Writes only the counts."""
    names, now = Keys.of(services, organization_id, seat_states.event_id), services.clock.now()
    return _execute(services, lambda pipe: add_counts(pipe, names, seat_states, inside, now))


def add_hold_changes(pipe: Any, names: Keys, new: Iterable[MirroredHold], gone: Iterable[MirroredHold]) -> None:
    """Adds holds without a seat, and removes those that have ended."""
    if members := {hold.member: hold.score for hold in new}:
        pipe.zadd(names.shared[2], members)
    if over := [hold.member for hold in gone]:
        pipe.zrem(names.shared[2], *over)


async def rebuild(services: Services, organization_id: UUID, event_id: UUID) -> bool:
    """Replaces the event's keys with the state in the database. False if Redis is unavailable.

    This may overwrite newer changes of other processes with the older state: a second read of the database finds these,
    and changes after that are written by their own processes.
    """
    names = Keys.of(services, organization_id, event_id)
    before = await read_database(services, organization_id, event_id)
    if not (await _overwrite(services, names, before) and await _write_seats(services, names, before)):
        return False
    after = await read_database(services, organization_id, event_id)
    if not await _catch_up(services, names, before, after):
        return False
    return after.seats is None or await layout_cache.store_config(
        services, organization_id, after.seats.seat_index.layout_id
    )


async def _execute(services: Services, fill: Callable[[Any], None], *, whole: bool = False) -> bool:
    async def run(client: Redis) -> bool:
        pipe = client.pipeline(transaction=whole)
        fill(pipe)
        try:
            replies = await pipe.execute(raise_on_error=False)
        except ResponseError as error:  # the transaction as a whole was rejected
            replies = [error]
        errors = [reply for reply in replies if isinstance(reply, Exception)]
        if errors:  # not an outage: the command itself is wrong
            log.error("redis.write_rejected", error=repr(errors[0]))
        return not errors

    return await services.redis.call(run, False)


def _overwrite(services: Services, names: Keys, found: DatabaseState) -> Awaitable[bool]:
    now, seat_states = services.clock.now(), found.seats

    def fill(pipe: Any) -> None:
        pipe.delete(*names.shared, names.occupancy)
        versions, bitmap, holds, *_ = names.shared
        if seat_states:
            pipe.set(versions, seat_states.versions.astype(">u4").tobytes(), ex=TTL_S)
            pipe.set(bitmap, np.packbits(seat_states.states != AVAILABLE).tobytes(), ex=TTL_S)
            add_counts(pipe, names, seat_states, found.inside, now)
        if members := {h.member: h.score for h in found.held.values()}:
            pipe.zadd(holds, members)
            pipe.expire(holds, TTL_S)

    return _execute(services, fill, whole=True)


async def _write_seats(services: Services, names: Keys, found: DatabaseState) -> bool:
    """Sets the keys of held seats and deletes those of all others, whatever was written there before."""
    if found.seats is None:
        return True
    layout_id, size, now = found.seats.seat_index.layout_id, len(found.seats.states), services.clock.now()
    held = {h.place: h for h in found.held.values()}
    for start in range(0, size, CHUNK):
        seats = [seat_id(layout_id, n) for n in range(start, min(start + CHUNK, size))]

        def fill(pipe: Any, seats: list[UUID] = seats) -> None:
            if free := [names.seat(seat) for seat in seats if seat not in held]:
                pipe.unlink(*free)
            for seat in seats:
                if hold := held.get(seat):
                    pipe.set(names.seat(seat), hold.value, px=hold.left_ms(now))

        if not await _execute(services, fill):
            return False
    members = found.availability_members()
    versions, _, _, *filled = names.shared
    for start in range(0, len(members), CHUNK):
        rows = members[start : start + CHUNK]
        arguments = [value for n, version, member, held in rows for value in (n, version, member, int(held))]

        def add(pipe: Any, arguments: list[Any] = arguments) -> None:
            pipe.eval(FILL, 3, versions, *filled, *arguments)

        if not await _execute(services, add):
            return False
    return True


def _catch_up(services: Services, names: Keys, before: DatabaseState, after: DatabaseState) -> Awaitable[bool]:
    now = services.clock.now()
    gone = [hold for hold_id, hold in before.held.items() if after.held.get(hold_id) != hold]
    new = [hold for hold_id, hold in after.held.items() if before.held.get(hold_id) != hold]

    def fill(pipe: Any) -> None:
        pipe.ping()
        add_hold_changes(pipe, names, new, gone)
        if before.seats and after.seats:
            changed = np.flatnonzero(before.seats.versions != after.seats.versions).tolist()
            rows = [(n, int(after.seats.states[n]), int(after.seats.versions[n])) for n in changed]
            held = {hold.place: hold for hold in after.held.values()}
            add_seat_changes(pipe, names, to_apply_arguments(after.seats.seat_index.layout_id, rows, held, now), now)
            add_counts(pipe, names, after.seats, after.inside, now)

    return _execute(services, fill)
