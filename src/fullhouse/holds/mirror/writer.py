"""Writes the changes that this process has committed to Redis (the keys are described in redis_state.py).

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
from fullhouse.holds import actions, engine, guest_actions, payment_actions
from fullhouse.holds.mirror import redis_state
from fullhouse.holds.mirror.redis_state import Keys, MirroredHold
from fullhouse.holds.system_hold_actions import SYSTEM_PLACED, SystemHold
from fullhouse.kit import tasks
from fullhouse.kit.cache.optional_redis import Redis
from fullhouse.kit.db.database import is_unavailable
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.services import Services
from fullhouse.kit.throttling import Throttle
from fullhouse.seating.maps.seat_states import SEATS_TOPIC, SeatStateCache
from fullhouse.seating.model import SeatChange

QUEUE_MAX = 2_000  # batches
WRITE_MAX = 400  # seats written by one call
RETRY_S, RETRY_MAX_S, SLOW_S = 0.5, 60.0, 0.1
SCANS_TOPIC = "scans:"  # topic of the gates' counts of an event
PEOPLE_TTL_S, RECOUNT_S = 30.0, 1.0  # how long a count of people is cached, and how often it is written at most
WRITE_SECONDS = Histogram("fullhouse_mirror_write_seconds", "Writing changes of seats to Redis")
LOST_CHANGES = Counter(
    "fullhouse_mirror_lost_total", "Changes that were not written to Redis; the event is rewritten", ["why"]
)
FAILED_EVENTS = Gauge(
    "fullhouse_mirror_failed_events",
    "Events that the last round could not write to Redis",
    multiprocess_mode="mostrecent",
)
REBUILDS = Counter("fullhouse_mirror_rebuilds_total", "Events rewritten to Redis from the database", ["outcome"])
INFINITY = datetime.max.replace(tzinfo=UTC)  # how the driver reads infinity
log = structlog.get_logger()

EventKey = tuple[UUID, UUID]  # organisation and event
K = TypeVar("K")
V = TypeVar("V")


class Attempts(NamedTuple):
    """Failed attempts to rewrite an event, and when the next one is due."""

    tries: int
    again_at: float


NO_ATTEMPTS = Attempts(0, -inf)


class Changes(NamedTuple):
    """The pending changes of one event."""

    seats: dict[int, tuple[int, int]]  # ordinal to state and version
    held: dict[UUID, tuple[MirroredHold, int]]  # by seat, with the seat's version
    without_seat: list[MirroredHold]  # holds without a seat
    ended: list[MirroredHold]


class RedisMirror:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._queue: deque[Callable[[dict[EventKey, Changes]], None]] = deque()
        self._to_rebuild: set[EventKey] = set()  # events to be rewritten from the database
        self._attempts: dict[EventKey, Attempts] = {}
        self._to_rebuild_unowned: set[UUID] = set()  # the same, if the organisation is not known yet
        self._inside: dict[UUID, tuple[float, int]] = {}  # by event: when the people inside were read, and how many
        self._scanned: set[UUID] = set()  # events whose people inside have changed
        self._throttle = Throttle(RECOUNT_S, self._recount)
        self._wake = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._unsubscribes: list[Callable[[], None]] = []

    async def start(self) -> None:
        if not self._services.redis.configured:
            return
        bus = self._services.bus
        self._unsubscribes = [
            bus.subscribe(
                f"{LOCAL}{SEATS_TOPIC}*",
                lambda topic, message: self._enqueue(lambda pending: self._collect_seats(pending, topic, message)),
            ),
            bus.subscribe(
                engine.PLACED, lambda _topic, batch: self._enqueue(lambda pending: _collect_placed(pending, *batch))
            ),
            bus.subscribe(
                SYSTEM_PLACED,
                lambda _topic, batch: self._enqueue(lambda pending: _collect_system_holds(pending, *batch)),
            ),
            bus.subscribe(
                actions.ENDED, lambda _topic, batch: self._enqueue(lambda pending: _collect_ended(pending, *batch))
            ),
            bus.subscribe(
                payment_actions.PROLONGED,
                lambda _topic, batch: self._enqueue(lambda pending: _collect_prolonged(pending, *batch)),
            ),
            bus.subscribe(
                guest_actions.HANDED_OVER,
                lambda _topic, batch: self._enqueue(lambda pending: _collect_handed_over(pending, *batch)),
            ),
            bus.subscribe(
                f"{SCANS_TOPIC}*", lambda topic, _none: self._forget_people(UUID(topic.removeprefix(SCANS_TOPIC)))
            ),
            bus.subscribe(
                f"{LOCAL}{SCANS_TOPIC}*",
                lambda topic, _none: self._throttle.request(UUID(topic.removeprefix(LOCAL + SCANS_TOPIC))),
            ),
        ]
        self._writing = asyncio.create_task(self._run(), name="holds:warm")

    async def stop(self) -> None:
        for unsubscribe in self._unsubscribes:
            unsubscribe()
        self._throttle.stop()
        await tasks.stop(self._writing)

    def is_settled(self) -> bool:
        """Whether all changes are written."""
        return not (self._queue or self._to_rebuild or self._to_rebuild_unowned or self._scanned or self._wake.is_set())

    # --- receiving: called within requests, so it only queues

    def _enqueue(self, work: Callable[[dict[EventKey, Changes]], None]) -> None:
        self._queue.append(work)
        if len(self._queue) > QUEUE_MAX:
            self._schedule_rebuild(self._drain(), "overflow")
        self._wake.set()

    def _forget_people(self, event_id: UUID) -> None:
        self._inside.pop(event_id, None)

    def _recount(self, event_id: UUID) -> None:
        self._scanned.add(event_id)
        self._wake.set()

    def _drain(self) -> dict[EventKey, Changes]:
        """The holder of a seat is queued right before the seat's state: both are in the same batch."""
        pending: dict[EventKey, Changes] = defaultdict(lambda: Changes({}, {}, [], []))
        while self._queue and sum(len(changes.seats) for changes in pending.values()) < WRITE_MAX:
            self._queue.popleft()(pending)
        return pending

    def _collect_seats(self, pending: dict[EventKey, Changes], topic: str, message: Any) -> None:
        event_id = UUID(topic.removeprefix(LOCAL + SEATS_TOPIC))
        if message is None:
            self._to_rebuild_unowned.add(event_id)
            return
        change = SeatChange(*message)
        seats = pending[change.organization_id, event_id].seats
        for ordinal, state, version in zip(change.ordinals, change.states, change.versions, strict=True):
            _keep_newest(seats, ordinal, state, version)

    def _schedule_rebuild(self, pending: dict[EventKey, Changes], why: str) -> None:
        LOST_CHANGES.labels(why).inc(sum(len(c.seats) + len(c.without_seat) + len(c.ended) for c in pending.values()))
        self._to_rebuild.update(pending)

    # --- writing

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            try:
                await self._write_queue()
                await self._write_people()
                settled = await self._rebuild_pending()
                if settled and not (self._queue or self._scanned):
                    self._wake.clear()
                elif not settled:
                    await asyncio.sleep(RETRY_S)
            except Exception:
                log.exception("redis.mirror_write_failed", detail="the changed events are rewritten from the database")
                await asyncio.sleep(RETRY_S)

    async def _write_queue(self) -> None:
        while self._queue:
            pending = self._drain()
            try:
                written = await self._write(pending)
            except Exception:
                self._schedule_rebuild(pending, "failed")
                raise
            if written is None:
                self._schedule_rebuild(pending, "away")
            else:
                self._to_rebuild |= {event for event, there in zip(pending, written, strict=True) if not there}

    async def _write(self, pending: dict[EventKey, Changes]) -> list[bool] | None:
        """For each event whether it was in Redis to be changed; None if Redis is unavailable."""
        services, now = self._services, self._services.clock.now()
        cached = [await services.part(SeatStateCache).get(*event) for event in pending]
        inside = [
            await self._count_people(*event) if seats else 0 for event, seats in zip(pending, cached, strict=True)
        ]

        async def run(client: Redis) -> list[bool]:
            pipe = client.pipeline(transaction=False)
            positions = []
            for (event, changes), seats, people in zip(pending.items(), cached, inside, strict=True):
                names = Keys.of(services, *event)
                rows = [(ordinal, *rest) for ordinal, rest in changes.seats.items()]
                held = {seat: hold for seat, (hold, _) in changes.held.items()}
                arguments = redis_state.to_apply_arguments(seats.seat_index.layout_id, rows, held, now) if seats else []
                positions.append(len(pipe))
                redis_state.add_seat_changes(pipe, names, arguments, now)
                redis_state.add_hold_changes(pipe, names, changes.without_seat, changes.ended)
                if seats:
                    redis_state.add_counts(pipe, names, seats, people, now)
            replies = await pipe.execute(raise_on_error=False)
            good = [not isinstance(answer, Exception) for answer in replies]
            # Errors: a key has another type, for example. Zero from APPLY: the event is not in Redis.
            return [
                all(good) and (replies[n] == 1 or seats is None) for n, seats in zip(positions, cached, strict=True)
            ]

        began = asyncio.get_running_loop().time()
        with WRITE_SECONDS.time():
            written = await services.redis.call(run, None)
        if (took_s := asyncio.get_running_loop().time() - began) > SLOW_S:
            log.warning("redis.slow_write", seconds=round(took_s, 3), events=len(pending))
        return written

    async def _count_people(self, organization_id: UUID, event_id: UUID) -> int:
        """Cached, and read again after each count of a gate: seats change far more often than people enter."""
        at, count = self._inside.get(event_id, (-inf, 0))
        if monotonic() - at > PEOPLE_TTL_S:
            pending = self._inside[event_id] = (-inf, 0)
            count = await redis_state.count_people_inside(self._services, organization_id, event_id)
            if self._inside.get(event_id) is pending:  # no gate has counted meanwhile
                self._inside[event_id] = monotonic(), count
        return count

    async def _write_people(self) -> None:
        """Lost if Redis is unavailable: the next write has the count, and the key expires after a minute."""
        services = self._services
        for event_id in list(self._scanned):
            self._scanned.discard(event_id)
            organization_id = await events.find_organization(services, event_id)
            seats = await services.part(SeatStateCache).get(organization_id, event_id) if organization_id else None
            if organization_id and seats:
                people = await self._count_people(organization_id, event_id)
                await redis_state.write_counts(services, organization_id, seats, people)

    async def _rebuild_pending(self) -> bool:
        if (self._to_rebuild or self._to_rebuild_unowned) and not await is_redis_available(self._services):
            return False  # do not read the database for nothing
        for event_id in list(self._to_rebuild_unowned):
            if organization_id := await events.find_organization(self._services, event_id):
                self._to_rebuild.add((organization_id, event_id))
            self._to_rebuild_unowned.discard(event_id)
        due = [event for event in self._to_rebuild if self._attempts.get(event, NO_ATTEMPTS).again_at <= monotonic()]
        for event in due:
            if await self._rebuild_event(event):
                self._attempts.pop(event, None)
                continue
            if not await is_redis_available(self._services):
                return False
            tries = self._attempts.get(event, NO_ATTEMPTS).tries + 1
            self._attempts[event] = Attempts(tries, monotonic() + min(RETRY_S * 2**tries, RETRY_MAX_S))
        return not self._to_rebuild

    async def _rebuild_event(self, event: EventKey) -> bool:
        """Changes that are lost during the rewrite schedule another one."""
        self._to_rebuild.discard(event)
        done = False
        try:
            done = await rebuild(self._services, *event)
        finally:
            if not done:
                self._to_rebuild.add(event)
        return done


async def is_redis_available(services: Services) -> bool:
    """Whether Redis is available."""
    return await services.redis.call(_ping, False)


async def _ping(client: Redis) -> bool:
    await client.ping()
    return True


def _keep_newest(known: dict[K, tuple[V, int]], key: K, value: V, version: int) -> None:
    """Notifications of two transactions may arrive in another order than their commits."""
    if key not in known or known[key][1] < version:
        known[key] = value, version


def _collect_placed(pending: dict[EventKey, Changes], organization_id: UUID, requests: Any, rows: Any) -> None:
    """The holds of an engine batch."""
    for row in rows:
        if row["outcome"] == "held":
            request = requests[row["req"] - 1]
            item = request.items[row["line"] - 1]
            hold = MirroredHold(row["hold_id"], request.user_id, item.seat_id or item.ref_id, row["held_until"])
            changes = pending[organization_id, request.event_id]
            if item.seat_id:
                _keep_newest(changes.held, item.seat_id, hold, row["version"])
            else:
                changes.without_seat.append(hold)


def _collect_system_holds(pending: dict[EventKey, Changes], organization_id: UUID, made: Sequence[SystemHold]) -> None:
    """Holds that were placed without a request."""
    for row in made:
        changes = pending[organization_id, row.event_id]
        if row.seat_id:
            _keep_newest(
                changes.held,
                row.seat_id,
                MirroredHold(row.hold_id, row.user_id, row.seat_id, row.held_until),
                row.version,
            )
        elif row.ref_id:
            changes.without_seat.append(MirroredHold(row.hold_id, row.user_id, row.ref_id, row.held_until))


def _collect_ended(
    pending: dict[EventKey, Changes], organization_id: UUID, ending: str, _reason: str | None, rows: Any
) -> None:
    for row in rows:
        if row.hold_id:
            place = row.seat_id or row.zone_id or row.ticket_type_id
            hold = MirroredHold(row.hold_id, row.user_id, place, row.held_until)
            gone = pending[organization_id, row.event_id].ended
            gone.append(hold)
            if ending == "converted":  # frozen for its payment, it may have been written without a deadline
                gone.append(hold._replace(held_until=INFINITY))


def _collect_handed_over(
    pending: dict[EventKey, Changes], organization_id: UUID, guest_id: UUID, user_id: UUID, rows: Any
) -> None:
    for row in rows:
        _replace_hold(
            pending[organization_id, row.event_id], row, (guest_id, row.held_until), (user_id, row.held_until)
        )


def _collect_prolonged(pending: dict[EventKey, Changes], organization_id: UUID, rows: Any) -> None:
    for row in rows:
        _replace_hold(
            pending[organization_id, row.event_id], row, (row.user_id, row.held_before), (row.user_id, row.held_until)
        )


def _replace_hold(changes: Changes, row: Any, before: tuple[UUID, datetime], after: tuple[UUID, datetime]) -> None:
    """A hold with another holder or another deadline."""
    place = row.seat_id or row.zone_id or row.ticket_type_id
    hold = MirroredHold(row.hold_id, after[0], place, after[1])
    if before != after:
        changes.ended.append(MirroredHold(row.hold_id, before[0], place, before[1]))
        changes.ended[:] = [gone for gone in changes.ended if gone != hold]  # frozen and thawed: it is unchanged
    if row.seat_id:
        _keep_newest(changes.held, row.seat_id, hold, row.version)
    else:
        changes.without_seat.append(hold)


async def rebuild(services: Services, organization_id: UUID, event_id: UUID) -> bool:
    """Whether the event was written. If it cannot be read, it counts as rejected by Redis: other events go on."""
    try:
        done = await redis_state.rebuild(services, organization_id, event_id)
    except Exception as error:
        if is_unavailable(error):
            raise
        REBUILDS.labels("failed").inc()
        log.exception("redis.mirror_rebuild_failed", org_id=str(organization_id), event_id=str(event_id))
        return False
    REBUILDS.labels("done" if done else "away").inc()
    if done:
        names = Keys.of(services, organization_id, event_id)
        log.info(
            "cache.invalidated",
            org_id=str(organization_id),
            event_id=str(event_id),
            keys_invalidated=[*names.shared, names.occupancy],
            reason="rebuilt",
        )
    return done
