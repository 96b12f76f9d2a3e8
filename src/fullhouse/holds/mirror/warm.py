"""Keeps Redis up to date with what this process has committed (mirror.py says what lies there).

Never in anybody's way: the engine leaves a batch in a queue, and one task writes it down later, with others.
What Redis did not take, or the queue had no room for, is written anew from the database as soon as Redis answers.
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
SCANS = "scans:"  # what the gates tell of a show: that they counted somebody
PEOPLE_S, RECOUNT_S = 30.0, 1.0  # for how long a count is believed, and how often it is written
WROTE = Histogram("fullhouse_warm_write_seconds", "Writing changes of seats to Redis")
LOST = Counter("fullhouse_warm_lost_total", "Changes that Redis did not take; the show is written anew", ["why"])
FAILED = Gauge(
    "fullhouse_warm_failed_shows", "Shows that the last round could not write to Redis", multiprocess_mode="mostrecent"
)
REBUILT = Counter("fullhouse_warm_rebuilds_total", "Shows written to Redis anew", ["outcome"])
INFINITY = datetime.max.replace(tzinfo=UTC)  # as the driver reads it
log = structlog.get_logger()

Show = tuple[UUID, UUID]  # organisation and event
K = TypeVar("K")
V = TypeVar("V")


class Refused(NamedTuple):
    """A show that Redis does not take, or that cannot be read: how often, and when it is tried again."""

    tries: int
    again_at: float


NEVER = Refused(0, -inf)


class Changes(NamedTuple):
    """What is to be written of one show."""

    seats: dict[int, tuple[int, int]]  # ordinal to state and version
    held: dict[UUID, tuple[Held, int]]  # by seat, with the seat's version
    places: list[Held]  # held without a seat
    gone: list[Held]


class WarmHolds:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._queue: deque[Callable[[dict[Show, Changes]], None]] = deque()
        self._owed: set[Show] = set()  # shows to be written anew
        self._refused: dict[Show, Refused] = {}
        self._nameless: set[UUID] = set()  # the same, where it was not said whose they are
        self._inside: dict[UUID, tuple[float, int]] = {}  # people at shows, and when that was read
        self._scanned: set[UUID] = set()  # shows whose people were counted here
        self._recounting = Pace(RECOUNT_S, self._recount)
        self._wake = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._leave: list[Callable[[], None]] = []

    async def start(self) -> None:
        if not self._services.warm.configured:
            return
        bus = self._services.bus
        self._leave = [
            bus.subscribe(f"{HERE}{TOPIC}*", lambda topic, news: self._put(lambda to: self._seats(to, topic, news))),
            bus.subscribe(engine.PLACED, lambda _topic, batch: self._put(lambda to: _placed(to, *batch))),
            bus.subscribe(MADE, lambda _topic, batch: self._put(lambda to: _made(to, *batch))),
            bus.subscribe(actions.ENDED, lambda _topic, batch: self._put(lambda to: _ended(to, *batch))),
            bus.subscribe(sale_actions.PROLONGED, lambda _topic, batch: self._put(lambda to: _prolonged(to, *batch))),
            bus.subscribe(guest_actions.HANDED_OVER, lambda _topic, batch: self._put(lambda to: _handed(to, *batch))),
            bus.subscribe(f"{SCANS}*", lambda topic, _none: self._forget_people(UUID(topic.removeprefix(SCANS)))),
            bus.subscribe(
                f"{HERE}{SCANS}*", lambda topic, _none: self._recounting.ask(UUID(topic.removeprefix(HERE + SCANS)))
            ),
        ]
        self._writing = asyncio.create_task(self._keep_writing(), name="holds:warm")

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        self._recounting.stop()
        await tasks.stop(self._writing)

    def is_settled(self) -> bool:
        """Everything is written."""
        return not (self._queue or self._owed or self._nameless or self._scanned or self._wake.is_set())

    # --- hearing: as little as possible, on the way of a request

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
        """Who holds a seat is said right before that it is held: the two are never parted."""
        to: dict[Show, Changes] = defaultdict(lambda: Changes({}, {}, [], []))
        while self._queue and sum(len(changes.seats) for changes in to.values()) < TOGETHER_MAX:
            self._queue.popleft()(to)
        return to

    def _seats(self, to: dict[Show, Changes], topic: str, news: Any) -> None:
        event_id = UUID(topic.removeprefix(HERE + TOPIC))
        if news is None:
            self._nameless.add(event_id)
            return
        change = SeatChange(*news)
        seats = to[change.organization_id, event_id].seats
        for ordinal, state, version in zip(change.ordinals, change.states, change.versions, strict=True):
            _keep_newest(seats, ordinal, state, version)

    def _owe(self, shows: dict[Show, Changes], why: str) -> None:
        LOST.labels(why).inc(sum(len(c.seats) + len(c.places) + len(c.gone) for c in shows.values()))
        self._owed.update(shows)

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
                log.exception("the mirror in Redis could not be written")
                await asyncio.sleep(AGAIN_S)

    async def _write_queue(self) -> None:
        while self._queue:
            shows = self._take()
            try:
                written = await self._write(shows)
            except Exception:
                self._owe(shows, "failed")
                raise
            if written is None:
                self._owe(shows, "away")
            else:
                self._owed |= {show for show, there in zip(shows, written, strict=True) if not there}

    async def _write(self, shows: dict[Show, Changes]) -> list[bool] | None:
        """For each show whether it was there to be changed; None if Redis was not."""
        services, now = self._services, self._services.clock.now()
        halls = [await services.part(Halls).get(*show) for show in shows]
        inside = [await self._people(*show) if hall else 0 for show, hall in zip(shows, halls, strict=True)]

        async def run(client: Redis) -> list[bool]:
            pipe = client.pipeline(transaction=False)
            asked = []
            for (show, changes), hall, people in zip(shows.items(), halls, inside, strict=True):
                names = Names.of(services, *show)
                rows = [(ordinal, *rest) for ordinal, rest in changes.seats.items()]
                held = {seat: hold for seat, (hold, _) in changes.held.items()}
                words = mirror.seat_words(hall.house.layout_id, rows, held, now) if hall else []
                asked.append(len(pipe))
                mirror.apply(pipe, names, words, now)
                mirror.move(pipe, names, changes.places, changes.gone)
                if hall:
                    mirror.count(pipe, names, hall, people, now)
            answers = await pipe.execute(raise_on_error=False)
            good = [not isinstance(answer, Exception) for answer in answers]
            # An answer that is an error: somebody put something else there.
            return [all(good) and (answers[n] == 1 or hall is None) for n, hall in zip(asked, halls, strict=True)]

        began = asyncio.get_running_loop().time()
        with WROTE.time():
            written = await services.warm.call(run, None)
        if (took_s := asyncio.get_running_loop().time() - began) > SLOW_S:
            log.warning("Redis takes its time", seconds=round(took_s, 3), shows=len(shows))
        return written

    async def _people(self, organization_id: UUID, event_id: UUID) -> int:
        """Read once in a while, and whenever a gate has counted somebody: seats change far more often."""
        at, count = self._inside.get(event_id, (-inf, 0))
        if monotonic() - at > PEOPLE_S:
            asked = self._inside[event_id] = (-inf, 0)
            count = await mirror.people_inside(self._services, organization_id, event_id)
            if self._inside.get(event_id) is asked:  # nobody was counted meanwhile
                self._inside[event_id] = monotonic(), count
        return count

    async def _write_people(self) -> None:
        """Lost if Redis is away: what is written next says it, and nobody keeps it for longer than a minute."""
        services = self._services
        for event_id in list(self._scanned):
            self._scanned.discard(event_id)
            organization_id = await events.owner_of(services, event_id)
            hall = await services.part(Halls).get(organization_id, event_id) if organization_id else None
            if organization_id and hall:
                people = await self._people(organization_id, event_id)
                await mirror.recount(services, organization_id, hall, people)

    async def _write_owed(self) -> bool:
        if (self._owed or self._nameless) and not await is_there(self._services):
            return False  # before the database is read for nothing
        for event_id in list(self._nameless):
            if organization_id := await events.owner_of(self._services, event_id):
                self._owed.add((organization_id, event_id))
            self._nameless.discard(event_id)
        due = [show for show in self._owed if self._refused.get(show, NEVER).again_at <= monotonic()]
        for show in due:
            if await self._paid(show):
                self._refused.pop(show, None)
                continue
            if not await is_there(self._services):
                return False
            tries = self._refused.get(show, NEVER).tries + 1
            self._refused[show] = Refused(tries, monotonic() + min(AGAIN_S * 2**tries, AGAIN_MAX_S))
        return not self._owed

    async def _paid(self, show: Show) -> bool:
        """What is lost while it is written is owed anew."""
        self._owed.discard(show)
        done = False
        try:
            done = await rebuild(self._services, *show)
        finally:
            if not done:
                self._owed.add(show)
        return done


async def is_there(services: Services) -> bool:
    """Whether Redis answers."""
    return await services.warm.call(_ping, False)


async def _ping(client: Redis) -> bool:
    await client.ping()
    return True


def _keep_newest(known: dict[K, tuple[V, int]], key: K, value: V, version: int) -> None:
    """Two transactions may be heard of in the other order than they were committed in."""
    if key not in known or known[key][1] < version:
        known[key] = value, version


def _placed(to: dict[Show, Changes], organization_id: UUID, asks: Any, rows: Any) -> None:
    """What a batch of the engine got."""
    for row in rows:
        if row["outcome"] == "held":
            ask = asks[row["req"] - 1]
            want = ask.wants[row["line"] - 1]
            hold = Held(row["hold_id"], ask.user_id, want.seat_id or want.ref_id, row["held_until"])
            changes = to[organization_id, ask.event_id]
            if want.seat_id:
                _keep_newest(changes.held, want.seat_id, hold, row["version"])
            else:
                changes.places.append(hold)


def _made(to: dict[Show, Changes], organization_id: UUID, made: Sequence[Made]) -> None:
    """What was held for somebody who had not asked in this moment."""
    for row in made:
        changes = to[organization_id, row.event_id]
        if row.seat_id:
            _keep_newest(
                changes.held, row.seat_id, Held(row.hold_id, row.user_id, row.seat_id, row.held_until), row.version
            )
        elif row.ref_id:
            changes.places.append(Held(row.hold_id, row.user_id, row.ref_id, row.held_until))


def _ended(to: dict[Show, Changes], organization_id: UUID, ending: str, _reason: str | None, rows: Any) -> None:
    for row in rows:
        if row.hold_id:
            place = row.seat_id or row.zone_id or row.ticket_type_id
            hold = Held(row.hold_id, row.user_id, place, row.held_until)
            gone = to[organization_id, row.event_id].gone
            gone.append(hold)
            if ending == "converted":  # it may have been written while its payment was open
                gone.append(hold._replace(held_until=INFINITY))


def _handed(to: dict[Show, Changes], organization_id: UUID, guest_id: UUID, user_id: UUID, rows: Any) -> None:
    for row in rows:
        _rewritten(to[organization_id, row.event_id], row, (guest_id, row.held_until), (user_id, row.held_until))


def _prolonged(to: dict[Show, Changes], organization_id: UUID, rows: Any) -> None:
    for row in rows:
        _rewritten(
            to[organization_id, row.event_id], row, (row.user_id, row.held_before), (row.user_id, row.held_until)
        )


def _rewritten(changes: Changes, row: Any, before: tuple[UUID, datetime], after: tuple[UUID, datetime]) -> None:
    """The same hold, of somebody else or for another time."""
    place = row.seat_id or row.zone_id or row.ticket_type_id
    hold = Held(row.hold_id, after[0], place, after[1])
    if before != after:
        changes.gone.append(Held(row.hold_id, before[0], place, before[1]))
        changes.gone[:] = [gone for gone in changes.gone if gone != hold]  # frozen and thawed: it is as it was
    if row.seat_id:
        _keep_newest(changes.held, row.seat_id, hold, row.version)
    else:
        changes.places.append(hold)


async def rebuild(services: Services, organization_id: UUID, event_id: UUID) -> bool:
    """Whether the show was written. One that cannot be read is as one that Redis refuses: others are not to wait."""
    try:
        done = await mirror.rebuild(services, organization_id, event_id)
    except Exception as error:
        if is_gone(error):
            raise
        REBUILT.labels("failed").inc()
        log.exception("a show could not be mirrored", org_id=str(organization_id), event_id=str(event_id))
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
