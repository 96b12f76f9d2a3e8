"""Writes the changes that this process has committed to Redis (the keys are described in mirror.py).

No request waits for it: changes are queued, and one task writes them in batches. If Redis rejects a change, or the
queue overflows, the event is rewritten from the database as soon as Redis is available.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import inf
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import structlog
from prometheus_client import Counter, Gauge, Histogram

from fullhouse.events.live import reads as events
from fullhouse.holds import actions, engine, guest_actions, sale_actions
from fullhouse.holds.made_facts import MADE, Made
from fullhouse.holds.mirror import mirror
from fullhouse.holds.mirror.mirror import Held, Names
from fullhouse.kit import tasks
from fullhouse.kit.cache.warm import Redis
from fullhouse.kit.db.database import is_gone
from fullhouse.kit.live.bus import HERE
from fullhouse.kit.pace import Pace
from fullhouse.kit.services import Services
from fullhouse.seating.maps.halls import TOPIC, Halls
from fullhouse.seating.model import SeatChange

QUEUE_MAX = 2_000  # batches
TOGETHER_MAX = 400  # seats written by one call
AGAIN_S, AGAIN_MAX_S, SLOW_S = 0.5, 60.0, 0.1
SCANS = "scans:"  # topic of the gates' counts of an event
PEOPLE_S, RECOUNT_S = 30.0, 1.0  # how long a count of people is cached, and how often it is written at most
WROTE = Histogram("fullhouse_warm_write_seconds", "Writing changes of seats to Redis")
LOST = Counter("fullhouse_warm_lost_total", "Changes that were not written to Redis; the event is rewritten", ["why"])
FAILED = Gauge(
    "fullhouse_warm_failed_shows", "Events that the last round could not write to Redis", multiprocess_mode="mostrecent"
)
REBUILT = Counter("fullhouse_warm_rebuilds_total", "Events rewritten to Redis from the database", ["outcome"])
INFINITY = datetime.max.replace(tzinfo=UTC)  # how the driver reads infinity
log = structlog.get_logger()

Show = tuple[UUID, UUID]  # organisation and event
K = TypeVar("K")
V = TypeVar("V")


class Refused(NamedTuple):
    """Failed attempts to rewrite an event, and when the next one is due."""

    tries: int
    again_at: float


NEVER = Refused(0, -inf)


class Changes(NamedTuple):
    """The pending changes of one event."""

    seats: dict[int, tuple[int, int]]  # ordinal to state and version
    held: dict[UUID, tuple[Held, int]]  # by seat, with the seat's version
    places: list[Held]  # holds without a seat
    gone: list[Held]


class WarmHolds:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._queue: deque[Callable[[dict[Show, Changes]], None]] = deque()
        self._owed: set[Show] = set()  # events to be rewritten from the database
        self._refused: dict[Show, Refused] = {}
        self._nameless: set[UUID] = set()  # the same, if the organisation is not known yet
        self._inside: dict[UUID, tuple[float, int]] = {}  # by event: when the people inside were read, and how many
        self._scanned: set[UUID] = set()  # events whose people inside have changed
        self._recounting = Pace(RECOUNT_S, self._recount)
        self._wake = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._leave: list[Callable[[], None]] = []

    async def start(self) -> None:
        if not self._services.warm.configured:
            return
        bus = self._services.bus
        self._leave = [
            bus.subscribe(
                f"{HERE}{TOPIC}*",
                lambda topic, message: self._put(lambda pending: self._seats(pending, topic, message)),
            ),
            bus.subscribe(engine.PLACED, lambda _topic, batch: self._put(lambda pending: _placed(pending, *batch))),
            bus.subscribe(MADE, lambda _topic, batch: self._put(lambda pending: _made(pending, *batch))),
            bus.subscribe(actions.ENDED, lambda _topic, batch: self._put(lambda pending: _ended(pending, *batch))),
            bus.subscribe(
                sale_actions.PROLONGED, lambda _topic, batch: self._put(lambda pending: _prolonged(pending, *batch))
            ),
            bus.subscribe(
                guest_actions.HANDED_OVER, lambda _topic, batch: self._put(lambda pending: _handed(pending, *batch))
            ),
            bus.subscribe(f"{SCANS}*", lambda topic, _none: self._forget_people(UUID(topic.removeprefix(SCANS)))),
            bus.subscribe(
                f"{HERE}{SCANS}*", lambda topic, _none: self._recounting.ask(UUID(topic.removeprefix(HERE + SCANS)))
            ),
        ]
        self._writing = asyncio.create_task(self._keep_writing(), name="holds:warm")

    async def stop(self) -> None:
        for unsubscribe in self._leave:
            unsubscribe()
        self._recounting.stop()
        await tasks.stop(self._writing)

    def is_settled(self) -> bool:
        """Whether all changes are written."""
        return not (self._queue or self._owed or self._nameless or self._scanned or self._wake.is_set())

    # --- receiving: called within requests, so it only queues

    def _put(self, work: Callable[[dict[Show, Changes]], None]) -> None:
        self._queue.append(work)
        if len(self._queue) > QUEUE_MAX:
            self._owe(self._take(), "overflow")
        self._wake.set()

    def _forget_people(self, event_id: UUID) -> None:
        self._inside.pop(event_id, None)

    def _recount(self, event_id: UUID) -> None:
        self._scanned.add(event_id)
        self._wake.set()

    def _take(self) -> dict[Show, Changes]:
        """The holder of a seat is queued right before the seat's state: both are in the same batch."""
        pending: dict[Show, Changes] = defaultdict(lambda: Changes({}, {}, [], []))
        while self._queue and sum(len(changes.seats) for changes in pending.values()) < TOGETHER_MAX:
            self._queue.popleft()(pending)
        return pending

    def _seats(self, pending: dict[Show, Changes], topic: str, message: Any) -> None:
        event_id = UUID(topic.removeprefix(HERE + TOPIC))
        if message is None:
            self._nameless.add(event_id)
            return
        change = SeatChange(*message)
        seats = pending[change.organization_id, event_id].seats
        for ordinal, state, version in zip(change.ordinals, change.states, change.versions, strict=True):
            _keep_newest(seats, ordinal, state, version)

    def _owe(self, pending: dict[Show, Changes], why: str) -> None:
        LOST.labels(why).inc(sum(len(c.seats) + len(c.places) + len(c.gone) for c in pending.values()))
        self._owed.update(pending)

    # --- writing

    async def _keep_writing(self) -> None:
        while True:
            await self._wake.wait()
            try:
                await self._write_queue()
                await self._write_people()
                settled = await self._write_owed()
                if settled and not (self._queue or self._scanned):
                    self._wake.clear()
                elif not settled:
                    await asyncio.sleep(AGAIN_S)
            except Exception:
                log.exception("redis.mirror_write_failed", detail="the changed events are rewritten from the database")
                await asyncio.sleep(AGAIN_S)

    async def _write_queue(self) -> None:
        while self._queue:
            pending = self._take()
            try:
                written = await self._write(pending)
            except Exception:
                self._owe(pending, "failed")
                raise
            if written is None:
                self._owe(pending, "away")
            else:
                self._owed |= {event for event, there in zip(pending, written, strict=True) if not there}

    async def _write(self, pending: dict[Show, Changes]) -> list[bool] | None:
        """For each event whether it was in Redis to be changed; None if Redis is unavailable."""
        services, now = self._services, self._services.clock.now()
        cached = [await services.part(Halls).get(*event) for event in pending]
        inside = [await self._people(*event) if seats else 0 for event, seats in zip(pending, cached, strict=True)]

        async def run(client: Redis) -> list[bool]:
            pipe = client.pipeline(transaction=False)
            positions = []
            for (event, changes), seats, people in zip(pending.items(), cached, inside, strict=True):
                names = Names.of(services, *event)
                rows = [(ordinal, *rest) for ordinal, rest in changes.seats.items()]
                held = {seat: hold for seat, (hold, _) in changes.held.items()}
                arguments = mirror.seat_words(seats.house.layout_id, rows, held, now) if seats else []
                positions.append(len(pipe))
                mirror.apply(pipe, names, arguments, now)
                mirror.move(pipe, names, changes.places, changes.gone)
                if seats:
                    mirror.count(pipe, names, seats, people, now)
            replies = await pipe.execute(raise_on_error=False)
            good = [not isinstance(answer, Exception) for answer in replies]
            # Errors: a key has another type, for example. Zero from APPLY: the event is not in Redis.
            return [
                all(good) and (replies[n] == 1 or seats is None) for n, seats in zip(positions, cached, strict=True)
            ]

        began = asyncio.get_running_loop().time()
        with WROTE.time():
            written = await services.warm.call(run, None)
        if (took_s := asyncio.get_running_loop().time() - began) > SLOW_S:
            log.warning("redis.slow_write", seconds=round(took_s, 3), events=len(pending))
        return written

    async def _people(self, organization_id: UUID, event_id: UUID) -> int:
        """Cached, and read again after each count of a gate: seats change far more often than people enter."""
        at, count = self._inside.get(event_id, (-inf, 0))
        if monotonic() - at > PEOPLE_S:
            pending = self._inside[event_id] = (-inf, 0)
            count = await mirror.people_inside(self._services, organization_id, event_id)
            if self._inside.get(event_id) is pending:  # no gate has counted meanwhile
                self._inside[event_id] = monotonic(), count
        return count

    async def _write_people(self) -> None:
        """Lost if Redis is unavailable: the next write has the count, and the key expires after a minute."""
        services = self._services
        for event_id in list(self._scanned):
            self._scanned.discard(event_id)
            organization_id = await events.owner_of(services, event_id)
            seats = await services.part(Halls).get(organization_id, event_id) if organization_id else None
            if organization_id and seats:
                people = await self._people(organization_id, event_id)
                await mirror.recount(services, organization_id, seats, people)

    async def _write_owed(self) -> bool:
        if (self._owed or self._nameless) and not await is_there(self._services):
            return False  # do not read the database for nothing
        for event_id in list(self._nameless):
            if organization_id := await events.owner_of(self._services, event_id):
                self._owed.add((organization_id, event_id))
            self._nameless.discard(event_id)
        due = [event for event in self._owed if self._refused.get(event, NEVER).again_at <= monotonic()]
        for event in due:
            if await self._paid(event):
                self._refused.pop(event, None)
                continue
            if not await is_there(self._services):
                return False
            tries = self._refused.get(event, NEVER).tries + 1
            self._refused[event] = Refused(tries, monotonic() + min(AGAIN_S * 2**tries, AGAIN_MAX_S))
        return not self._owed

    async def _paid(self, event: Show) -> bool:
        """Changes that are lost during the rewrite schedule another one."""
        self._owed.discard(event)
        done = False
        try:
            done = await rebuild(self._services, *event)
        finally:
            if not done:
                self._owed.add(event)
        return done


async def is_there(services: Services) -> bool:
    """Whether Redis is available."""
    return await services.warm.call(_ping, False)


async def _ping(client: Redis) -> bool:
    await client.ping()
    return True


def _keep_newest(known: dict[K, tuple[V, int]], key: K, value: V, version: int) -> None:
    """Notifications of two transactions may arrive in another order than their commits."""
    if key not in known or known[key][1] < version:
        known[key] = value, version


def _placed(pending: dict[Show, Changes], organization_id: UUID, requests: Any, rows: Any) -> None:
    """The holds of an engine batch."""
    for row in rows:
        if row["outcome"] == "held":
            request = requests[row["req"] - 1]
            item = request.wants[row["line"] - 1]
            hold = Held(row["hold_id"], request.user_id, item.seat_id or item.ref_id, row["held_until"])
            changes = pending[organization_id, request.event_id]
            if item.seat_id:
                _keep_newest(changes.held, item.seat_id, hold, row["version"])
            else:
                changes.places.append(hold)


def _made(pending: dict[Show, Changes], organization_id: UUID, made: Sequence[Made]) -> None:
    """Holds that were placed without a request."""
    for row in made:
        changes = pending[organization_id, row.event_id]
        if row.seat_id:
            _keep_newest(
                changes.held, row.seat_id, Held(row.hold_id, row.user_id, row.seat_id, row.held_until), row.version
            )
        elif row.ref_id:
            changes.places.append(Held(row.hold_id, row.user_id, row.ref_id, row.held_until))


def _ended(pending: dict[Show, Changes], organization_id: UUID, ending: str, _reason: str | None, rows: Any) -> None:
    for row in rows:
        if row.hold_id:
            place = row.seat_id or row.zone_id or row.ticket_type_id
            hold = Held(row.hold_id, row.user_id, place, row.held_until)
            gone = pending[organization_id, row.event_id].gone
            gone.append(hold)
            if ending == "converted":  # frozen for its payment, it may have been written without a deadline
                gone.append(hold._replace(held_until=INFINITY))


def _handed(pending: dict[Show, Changes], organization_id: UUID, guest_id: UUID, user_id: UUID, rows: Any) -> None:
    for row in rows:
        _rewritten(pending[organization_id, row.event_id], row, (guest_id, row.held_until), (user_id, row.held_until))


def _prolonged(pending: dict[Show, Changes], organization_id: UUID, rows: Any) -> None:
    for row in rows:
        _rewritten(
            pending[organization_id, row.event_id], row, (row.user_id, row.held_before), (row.user_id, row.held_until)
        )


def _rewritten(changes: Changes, row: Any, before: tuple[UUID, datetime], after: tuple[UUID, datetime]) -> None:
    """A hold with another holder or another deadline."""
    place = row.seat_id or row.zone_id or row.ticket_type_id
    hold = Held(row.hold_id, after[0], place, after[1])
    if before != after:
        changes.gone.append(Held(row.hold_id, before[0], place, before[1]))
        changes.gone[:] = [gone for gone in changes.gone if gone != hold]  # frozen and thawed: it is unchanged
    if row.seat_id:
        _keep_newest(changes.held, row.seat_id, hold, row.version)
    else:
        changes.places.append(hold)


async def rebuild(services: Services, organization_id: UUID, event_id: UUID) -> bool:
    """Whether the event was written. If it cannot be read, it counts as rejected by Redis: other events go on."""
    try:
        done = await mirror.rebuild(services, organization_id, event_id)
    except Exception as error:
        if is_gone(error):
            raise
        REBUILT.labels("failed").inc()
        log.exception("redis.mirror_rebuild_failed", org_id=str(organization_id), event_id=str(event_id))
        return False
    REBUILT.labels("done" if done else "away").inc()
    if done:
        names = Names.of(services, organization_id, event_id)
        log.info(
            "cache.invalidated",
            org_id=str(organization_id),
            event_id=str(event_id),
            keys_invalidated=[*names.shared, names.occupancy],
            reason="rebuilt",
        )
    return done
