"""A show in Redis, for those who look in from outside: what lies there, how it is written, and whether it is right.

Under `{prefix}:org:{org}:event:{event}:`

    seat_holds         sorted set: `{seat or zone}:{hold}:{user}:{until}`, by when it ends
    seat:{seat}:hold   `{hold}:{user}:{unix}`, gone when the hold is
    occupancy          hash of counts
    seats:bitmap       a bit for each ordinal: 1 is taken
    seats:versions     which change of each seat that was: 32 bits for each ordinal

and the layout at `{prefix}:org:{org}:layout:{layout}:config`. Nothing is ever decided by any of it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import structlog

from fullhouse.holds import store
from fullhouse.kit.services import Services
from fullhouse.kit.warm import Redis
from fullhouse.seating import reads
from fullhouse.seating.chart import ordinal_of, seat_id
from fullhouse.seating.halls import Hall, Halls
from fullhouse.seating.model import AVAILABLE

log = structlog.get_logger()
KEPT_S, LAYOUT_S = 1800, 86_400
CHUNK = 1000
LAYOUT_MAX_BYTES = 1_000_000  # a stadium's plan would hold up whatever else is asked of Redis
CONFIGS_MAX = 16
_configs: dict[UUID, bytes] = {}  # a layout version never changes

# Of two writers the one with the newer version of a seat is right, whoever comes last. 0: there is nothing to change.
APPLY = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local place = 4
for _ = 1, tonumber(ARGV[3]) do
    local ordinal, version, bit, seat, value, left_ms, member, score = unpack(ARGV, place, place + 7)
    place = place + 8
    local known = redis.call('BITFIELD', KEYS[1], 'GET', 'u32', '#' .. ordinal)[1]
    if tonumber(version) > known then
        redis.call('BITFIELD', KEYS[1], 'SET', 'u32', '#' .. ordinal, version)
        redis.call('SETBIT', KEYS[2], ordinal, bit)
        local key = ARGV[1] .. seat .. ':hold'
        if value == '' then
            redis.call('DEL', key)
        else
            redis.call('SET', key, value, 'PX', left_ms)
            redis.call('ZADD', KEYS[3], score, member)
        end
    end
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[2])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 1800) end
return 1
"""
COUNT = """
if tonumber(redis.call('HGET', KEYS[1], 'version') or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', unpack(ARGV))
return redis.call('EXPIRE', KEYS[1], 1800)
"""


class Names(NamedTuple):
    base: str

    @classmethod
    def of(cls, services: Services, organization_id: UUID, event_id: UUID) -> "Names":
        return cls(services.warm.name(f"org:{organization_id}:event:{event_id}"))

    @property
    def shared(self) -> list[str]:
        """Versions, bitmap, holds: as APPLY takes them."""
        return [f"{self.base}:seats:versions", f"{self.base}:seats:bitmap", f"{self.base}:seat_holds"]

    @property
    def occupancy(self) -> str:
        return f"{self.base}:occupancy"

    @property
    def seats(self) -> str:
        return f"{self.base}:seat:"

    def seat(self, seat: Any) -> str:
        return f"{self.seats}{seat}:hold"


class Held(NamedTuple):
    """A live hold, as Redis has it."""

    hold_id: UUID
    user_id: UUID
    place: UUID  # the seat, the zone or the ticket type
    held_until: datetime

    @property
    def is_suspended(self) -> bool:
        return self.held_until.year == 9999  # the driver's infinity

    @property
    def member(self) -> str:
        until = "infinity" if self.is_suspended else self.held_until.isoformat()
        return f"{self.place}:{self.hold_id}:{self.user_id}:{until}"

    @property
    def score(self) -> str:
        return "+inf" if self.is_suspended else f"{self.held_until.timestamp():.3f}"

    @property
    def value(self) -> str:
        return f"{self.hold_id}:{self.user_id}:{self.score.split('.')[0]}"

    def left_ms(self, now: datetime) -> int:
        if self.is_suspended:
            return KEPT_S * 1000
        return max(1, int((self.held_until - now).total_seconds() * 1000))


class Picture(NamedTuple):
    """A show as one of the layers has it."""

    taken: list[int]  # ordinals
    seats: dict[str, str]  # seat to value
    holds: dict[str, float]  # member to score
    counts: dict[str, str]


class Truth(NamedTuple):
    hall: Hall | None
    held: dict[UUID, Held]

    def picture(self) -> Picture:
        seats: dict[str, str] = {}
        if self.hall:
            layout_id = self.hall.house.layout_id
            seats = {str(h.place): h.value for h in self.held.values() if ordinal_of(layout_id, h.place) is not None}
        return Picture(
            np.flatnonzero(self.hall.states != AVAILABLE).tolist() if self.hall else [],
            seats,
            {h.member: float(h.score) for h in self.held.values()},
            counts_of(self.hall) if self.hall else {},
        )


def counts_of(hall: Hall) -> dict[str, str]:
    found = hall.occupancy()
    return {
        "available_count": str(found.available),
        "held_count": str(found.held),
        "sold_count": str(found.sold),
        "blocked_count": str(found.blocked),
        "total": str(found.capacity),
    }


def stamp(hall: Hall) -> int:
    """Grows with every change, in whichever process it is heard of."""
    return int(hall.versions.sum()) + sum(version for _, _, version in hall.places.values())


async def truth(services: Services, organization_id: UUID, event_id: UUID) -> Truth:
    """What the database says."""
    hall = await services.part(Halls).read(organization_id, event_id)
    async with services.database.tenant(organization_id) as tx:
        rows = await store.live_holds(tx, organization_id, event_id)
    return Truth(hall, {row.hold_id: Held(row.hold_id, row.user_id, row.place, row.held_until) for row in rows})


# --- writing


def seat_words(
    hall_layout: UUID, changes: Iterable[tuple[int, int, int]], held: Mapping[UUID, Held], now: datetime
) -> list[Any]:
    """As APPLY takes them: changes are (ordinal, state, version), holds are found by their seats."""
    words: list[Any] = []
    for ordinal, state, version in changes:
        seat = seat_id(hall_layout, ordinal)
        hold = held.get(seat) if state == 1 else None
        words += [ordinal, version, int(state != AVAILABLE), str(seat)]
        words += [hold.value, hold.left_ms(now), hold.member, hold.score] if hold else ["", 0, "", 0]
    return words


def apply(pipe: Any, names: Names, words: list[Any], now: datetime) -> None:
    pipe.eval(APPLY, 3, *names.shared, names.seats, f"{now.timestamp():.3f}", len(words) // 8, *words)


def count(pipe: Any, names: Names, hall: Hall, now: datetime) -> None:
    words = [word for pair in counts_of(hall).items() for word in pair]
    pipe.eval(COUNT, 1, names.occupancy, stamp(hall), *words, "last_updated", now.isoformat())


def move(pipe: Any, names: Names, new: Iterable[Held], gone: Iterable[Held]) -> None:
    """Holds without a seat, and those that are over."""
    if members := {hold.member: hold.score for hold in new}:
        pipe.zadd(names.shared[2], members)
    if over := [hold.member for hold in gone]:
        pipe.zrem(names.shared[2], *over)


async def rebuild(services: Services, organization_id: UUID, event_id: UUID) -> bool:
    """As the database has it, whatever lay there; False if Redis was not to be had.

    What is written meanwhile by others may be overwritten with what was read before: a second look at the database
    finds it, and what happens later is written later.
    """
    names = Names.of(services, organization_id, event_id)
    before = await truth(services, organization_id, event_id)
    if not (await _overwrite(services, names, before) and await _write_seats(services, names, before)):
        return False
    after = await truth(services, organization_id, event_id)
    if not await _catch_up(services, names, before, after):
        return False
    return await _keep_layout(services, organization_id, after.hall)


async def _do(services: Services, fill: Callable[[Any], None], *, whole: bool = False) -> bool:
    async def run(client: Redis) -> bool:
        pipe = client.pipeline(transaction=whole)
        fill(pipe)
        wrong = [answer for answer in await pipe.execute(raise_on_error=False) if isinstance(answer, Exception)]
        if wrong:  # it is there, and says no: that is for us to mend
            log.error("Redis refused what was to be written", error=repr(wrong[0]))
        return not wrong

    return await services.warm.call(run, False)


def _overwrite(services: Services, names: Names, found: Truth) -> Awaitable[bool]:
    now, hall = services.clock.now(), found.hall

    def fill(pipe: Any) -> None:
        pipe.delete(*names.shared, names.occupancy)
        versions, bitmap, holds = names.shared
        if hall:
            pipe.set(versions, hall.versions.astype(">u4").tobytes(), ex=KEPT_S)
            pipe.set(bitmap, np.packbits(hall.states != AVAILABLE).tobytes(), ex=KEPT_S)
            count(pipe, names, hall, now)
        if members := {h.member: h.score for h in found.held.values()}:
            pipe.zadd(holds, members)
            pipe.expire(holds, KEPT_S)

    return _do(services, fill, whole=True)


async def _write_seats(services: Services, names: Names, found: Truth) -> bool:
    """Each seat's own key: right where it is held, absent everywhere else. Nobody knows what was put there."""
    if found.hall is None:
        return True
    layout_id, size, now = found.hall.house.layout_id, len(found.hall.states), services.clock.now()
    held = {h.place: h for h in found.held.values()}
    for start in range(0, size, CHUNK):
        seats = [seat_id(layout_id, n) for n in range(start, min(start + CHUNK, size))]

        def fill(pipe: Any, seats: list[UUID] = seats) -> None:
            if free := [names.seat(seat) for seat in seats if seat not in held]:
                pipe.unlink(*free)
            for seat in seats:
                if hold := held.get(seat):
                    pipe.set(names.seat(seat), hold.value, px=hold.left_ms(now))

        if not await _do(services, fill):
            return False
    return True


def _catch_up(services: Services, names: Names, before: Truth, after: Truth) -> Awaitable[bool]:
    now = services.clock.now()
    gone = [hold for hold_id, hold in before.held.items() if after.held.get(hold_id) != hold]
    new = [hold for hold_id, hold in after.held.items() if before.held.get(hold_id) != hold]

    def fill(pipe: Any) -> None:
        pipe.ping()
        move(pipe, names, new, gone)
        if before.hall and after.hall:
            changed = np.flatnonzero(before.hall.versions != after.hall.versions).tolist()
            rows = [(n, int(after.hall.states[n]), int(after.hall.versions[n])) for n in changed]
            held = {hold.place: hold for hold in after.held.values()}
            apply(pipe, names, seat_words(after.hall.house.layout_id, rows, held, now), now)
            count(pipe, names, after.hall, now)

    return _do(services, fill)


async def _keep_layout(services: Services, organization_id: UUID, hall: Hall | None) -> bool:
    if hall is None:
        return True
    layout_id = hall.house.layout_id
    name = services.warm.name(f"org:{organization_id}:layout:{layout_id}:config")
    config = _configs.get(layout_id)
    if config is None:
        async with services.database.tenant(organization_id) as tx:
            config = await reads.layout_config(tx, layout_id)
        if len(_configs) >= CONFIGS_MAX:
            _configs.clear()
        _configs[layout_id] = config = config if len(config) <= LAYOUT_MAX_BYTES else b""
    return not config or await _do(services, lambda pipe: pipe.set(name, config, ex=LAYOUT_S))


# --- looking


async def look(services: Services, organization_id: UUID, event_id: UUID, size: int, layout_id: UUID) -> Picture | None:
    """What Redis says; None if it says nothing. A key of another kind is as good as none."""
    names = Names.of(services, organization_id, event_id)

    async def ask(client: Redis) -> Picture | None:
        pipe = client.pipeline(transaction=True)
        pipe.get(names.shared[1])
        pipe.zrange(names.shared[2], 0, -1, withscores=True)
        pipe.hgetall(names.occupancy)
        answers = await pipe.execute(raise_on_error=False)
        bitmap, holds, counts = [None if isinstance(answer, Exception) else answer for answer in answers]
        seats: dict[str, str] = {}
        for start in range(0, size, CHUNK):
            ids = [str(seat_id(layout_id, n)) for n in range(start, min(start + CHUNK, size))]
            values = await client.mget([names.seat(seat) for seat in ids])
            seats |= {seat: _text(value) for seat, value in zip(ids, values, strict=True) if value}
        bits = np.unpackbits(np.frombuffer(bitmap or b"", np.uint8))
        return Picture(
            np.flatnonzero(bits).tolist(),
            seats,
            {_text(member): score for member, score in holds or ()},
            {_text(name): _text(value) for name, value in (counts or {}).items()},
        )

    return await services.warm.call(ask, None)


def _text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode(errors="replace")


def differences(layer: str, right: Picture, found: Picture) -> list[str]:
    """What one layer has wrong, in sentences."""
    taken = set(right.taken) ^ set(found.taken)
    wrong = [f"{layer}: seat {n} is {'taken' if n in found.taken else 'free'}" for n in sorted(taken)]
    wrong += [
        f"{layer}: seat {seat} has {found.seats.get(seat)}, not {right.seats.get(seat)}"
        for seat in sorted({*right.seats, *found.seats})
        if right.seats.get(seat) != found.seats.get(seat)
    ]
    holds = sorted({*right.holds} ^ {*found.holds})
    wrong += [f"{layer}: hold {member} is {'missing' if member in right.holds else 'over'}" for member in holds]
    return wrong + [
        f"{layer}: {name} is {found.counts.get(name)}, not {value}"
        for name, value in right.counts.items()
        if found.counts.get(name) != value
    ]


async def check(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    """Compares what is in memory here, in Redis and in the database. A show that is selling changes while one looks:
    what is wrong twice in a row is wrong.
    """
    first = set(await _check(services, organization_id, event_id))
    return [w for w in await _check(services, organization_id, event_id) if w in first] if first else []


async def _check(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    right = await truth(services, organization_id, event_id)
    wanted, wrong = right.picture(), []
    if right.hall and (here := services.part(Halls).known(event_id)):
        mine = Picture(np.flatnonzero(here.states != AVAILABLE).tolist(), wanted.seats, wanted.holds, counts_of(here))
        wrong += differences("memory", wanted, mine)
        off = np.flatnonzero(here.states != right.hall.states).tolist()
        wrong += [f"memory: seat {n} is in state {here.states[n]}, not {right.hall.states[n]}" for n in off]
    if not services.warm.configured:
        return wrong
    size = len(right.hall.states) if right.hall else 0
    layout_id = right.hall.house.layout_id if right.hall else event_id
    found = await look(services, organization_id, event_id, size, layout_id)
    return [*wrong, "redis: it does not answer"] if found is None else wrong + differences("redis", wanted, found)
