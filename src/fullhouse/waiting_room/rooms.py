"""The waiting rooms in this process: batches joins and heartbeats, and serves positions from memory.

The database is the source of truth; the copies here follow the bus, and are reloaded when messages were lost. A poll is
served from the virtual queue in memory without I/O; once in a few minutes it writes a heartbeat, batched with others.
Other domains use `entry_actions` and `actions`.
"""

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, cast
from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.kit import tasks
from fullhouse.kit.batching import RETRY, Batcher, Retry
from fullhouse.kit.db.database import DATABASE_ERRORS, PreparedStatementPool
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, draw, store
from fullhouse.waiting_room.admission_rate import HALF_LIFE_S, AdmissionRate
from fullhouse.waiting_room.live_room import LiveRoom
from fullhouse.waiting_room.model import Room
from fullhouse.waiting_room.queue_tokens import QueueTokens
from fullhouse.waiting_room.virtual_queue import STATUS

TOPIC = "queue:"
CONNECTIONS, BATCH_MAX = 2, 512
ADMITTED_MAX = 200  # app.queue_let_in admits so many at once; there may be more
MARKED_MAX = 100  # and so many are marked as absent, or as buyers, at once
CHUNK = 100_000
RELOAD_S = 30.0  # states are reloaded so often, in case a message was lost
EVICT_AFTER_S = 600.0  # a closed room that is not used for so long is evicted
JOINED = Counter("fullhouse_queue_joins_total", "Requests to join a queue, by outcome", ["outcome"])
ADMITTED_TOTAL = Counter("fullhouse_queue_admissions_total", "People who were admitted by this process")
log = structlog.get_logger()


class Joined(NamedTuple):
    outcome: str
    seq: int | None
    until: Any
    wait_s: int | None
    room: str


class WaitingRooms:
    def __init__(self, services: Services) -> None:
        self._services = services
        self.bus = services.bus
        self.tokens = QueueTokens(services.keyring)
        settings = {"enable_seqscan": "off"}  # plans are cached from when the tables are small
        self._join_pool = PreparedStatementPool(
            services.url, store.join_queue.query.text, lines=CONNECTIONS, settings=settings
        )
        self._heartbeat_pool = PreparedStatementPool(
            services.url, store.write_heartbeats.query.text, lines=1, settings=settings
        )
        self._admit_pool = PreparedStatementPool(
            services.url, store.admit_people.query.text, lines=1, settings=settings
        )
        self._joins: Batcher[tuple[UUID, str | None], Joined] = Batcher(
            "queue joins", self._join_batch, lines=CONNECTIONS, most=BATCH_MAX
        )
        self._heartbeats: Batcher[tuple[int, int], Any] = Batcher(
            "queue heartbeats", self._heartbeat_batch, lines=1, most=BATCH_MAX
        )
        self.states: dict[UUID, str] = {}
        """By event, of rooms that were asked for: every request to hold checks it first."""
        self._rooms: dict[UUID, LiveRoom] = {}
        self.by_raw_id: dict[bytes, LiveRoom] = {}
        """Loaded rooms by the raw event id that queue tokens contain: a poll finds its room by this."""
        self._reading = asyncio.Semaphore(2)  # reloading many rooms must not use up the connections of the sale
        self._changes = 0
        self._admitting: dict[UUID, bool] = {}  # by event: admission is running; the value: run it once more
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsubscribes = [
            self.bus.subscribe(f"{TOPIC}*", self._receive),
            self.bus.subscribe(RESYNC, lambda _topic, _none: self._reload_all()),
            self.bus.subscribe(actions.SLOT_FREED, lambda _topic, room: self.admit_next(*room)),
        ]

    async def start(self) -> None:
        self._spawn(self._reload_periodically())

    async def stop(self) -> None:
        for unsubscribe in self._unsubscribes:
            unsubscribe()
        await self._joins.close()
        await self._heartbeats.close()
        await tasks.stop(*self._tasks)
        for pool in (self._join_pool, self._heartbeat_pool, self._admit_pool):
            await pool.close()

    def now_s(self) -> float:
        return self._services.clock.seconds()

    # --- state

    def is_open(self, event_id: UUID) -> bool | None:
        """From memory; None if not in memory."""
        state = self.states.get(event_id)
        return None if state is None else state != "closed"

    async def read_state(self, organization_id: UUID, event_id: UUID) -> str:
        """Reads the state from the database, and caches it."""
        while True:
            before = self._changes
            async with self._services.database.tenant(organization_id) as tx:
                room = await store.find_room(tx, event_id)
            state = room.state if room else "closed"
            if before == self._changes:  # no change was published during the read
                self.states[event_id] = state
                return state

    # --- joining

    async def join(self, organization_id: UUID, event_id: UUID, user_id: UUID, promo_code: str | None = None) -> Joined:
        """Joins in a batch with others; a batch contains a person at most once."""
        return await self._joins.submit((organization_id, event_id), (user_id, promo_code), (user_id,))

    async def _join_batch(
        self, key: Hashable, people: Sequence[tuple[UUID, str | None]], last: Sequence[bool]
    ) -> list[Joined | Retry]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        users, codes = [user_id for user_id, _ in people], [code for _, code in people]
        rows = await store.join_queue(
            self._join_pool.tenant(organization_id),
            sender=self.bus.sender,
            event_id=event_id,
            user_ids=users,
            promo_codes=codes,
        )
        room = "closed"
        if rows[0]["req"] == 0:
            first = rows.pop(0)
            room = first["outcome"]
            self._publish(event_id, first["change"])
            if {"b", "s"} & (first["change"] or {}).keys():  # it may be the turn of these people
                self.admit_next(organization_id, event_id)
        results = [Joined(row["outcome"], row["seq"], row["until"], row["wait_s"], room) for row in rows]
        for outcome, count in Tally(result.outcome for result in results).items():
            JOINED.labels(outcome).inc(count)
        if any(result.outcome == "full" for result in results):
            async with self._services.database.tenant(organization_id) as tx:
                await actions.open_when_full(tx, self._services.keyring, event_id)
        return [
            RETRY if result.outcome in ("again", "full") and not final else result
            for result, final in zip(results, last, strict=True)
        ]

    def _publish(self, event_id: UUID, change: dict[str, Any] | None) -> None:
        if change:
            ADMITTED_TOTAL.inc(len(change.get("a", ())))
            self.bus.publish_committed([(f"{TOPIC}{event_id}", change)])

    # --- heartbeats

    async def heartbeat(self, live: LiveRoom, seq: int, every_s: int) -> None:
        """Writes a heartbeat, with when the next is due, and adopts the status that the database returns; if the
        database is unavailable, the status in memory stays. A person who is present again may be due for admission."""
        room = live.room
        try:
            found = await self._heartbeats.submit((room.organization_id, room.event_id), (seq, every_s))
        except (TimeoutError, *DATABASE_ERRORS) as error:
            log.warning("queue.heartbeat_lost", detail="the next poll writes one", error=repr(error))
            return
        if found is None:
            return
        if found["status"] == "waiting":
            live.queue.join(seq, seq, found["seen_s"])
            if found["back"]:
                self.admit_next(room.organization_id, room.event_id)
        elif found["status"] == "admitted":
            live.queue.admit(seq, int(found["until"].timestamp() * 1000))
        else:
            live.queue.advance(seq, STATUS.index(found["status"]))

    async def _heartbeat_batch(
        self, key: Hashable, signs: Sequence[tuple[int, int]], _last: Sequence[bool]
    ) -> list[Any]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        due = dict(signs)  # of two heartbeats of the same number one is enough
        rows = await store.write_heartbeats(
            self._heartbeat_pool.tenant(organization_id),
            sender=self.bus.sender,
            event_id=event_id,
            seqs=list(due),
            every_s=list(due.values()),
        )
        found = {row["seq"]: row for row in rows}
        if back := [seq for seq, row in found.items() if row["back"]]:
            self._publish(event_id, {"b": back})
        return [found.get(seq) for seq, _every_s in signs]

    # --- admission

    def admit_next(self, organization_id: UUID, event_id: UUID) -> None:
        """A slot is free: admits the next people, with one statement at a time for each event."""
        if self.states.get(event_id) == "closed":
            return
        if event_id in self._admitting:
            self._admitting[event_id] = True
            return
        self._admitting[event_id] = False
        self._spawn(self._admit_next(organization_id, event_id))

    async def _admit_next(self, organization_id: UUID, event_id: UUID) -> None:
        try:
            while True:
                self._admitting[event_id] = False
                statement = self._admit_pool.tenant(organization_id)
                change = await store.admit_people(statement, sender=self.bus.sender, event_id=event_id) or {}
                self._publish(event_id, change)
                if not self._admitting[event_id] and not has_more(change):
                    return
        except (TimeoutError, *DATABASE_ERRORS) as error:
            log.warning("queue.admission_failed", detail="the worker's loop retries", error=repr(error))
        finally:
            del self._admitting[event_id]

    # --- rooms in memory

    def peek(self, event_id: UUID) -> LiveRoom | None:
        """The room, if it is loaded."""
        found = self._rooms.get(event_id)
        return found if found and found.loading is None else None

    async def load(self, organization_id: UUID, event_id: UUID) -> LiveRoom:
        """The room, loaded at first use. Messages that arrive while it is loading are applied, too."""
        found = self._rooms.get(event_id)
        if found is None:
            found = LiveRoom(Room(organization_id=organization_id, event_id=event_id), self.now_s())
            found.loading = self._spawn(self._load_room(found))
            self._rooms[event_id] = found
        found.used_s = time.monotonic()
        if found.loading is not None:
            try:
                await asyncio.shield(found.loading)
            except BaseException:
                if found.loading is not None and found.loading.done():
                    self._evict(event_id)
                raise
        return found

    async def refresh(self, live: LiveRoom) -> None:
        """Reads the room's row now: the caller knows that it has changed."""
        live.is_stale = True
        self._reload_soon(live)
        assert live.reloading
        await asyncio.shield(live.reloading)

    async def _load_room(self, live: LiveRoom) -> None:
        organization_id, event_id = live.room.organization_id, live.room.event_id
        live.queue.begin_loading()
        await self._read_room(live)
        first_seq = 1
        while first_seq < live.room.next_seq or first_seq <= live.queue.last:
            async with self._services.database.tenant(organization_id) as tx:
                piece = await store.load_chunk(tx, event_id=event_id, first_seq=first_seq, end_seq=first_seq + CHUNK)
            if piece and piece.seqs and piece.codes and piece.seen:
                live.queue.load(piece.seqs, piece.codes, piece.seen, piece.away, piece.buyers)
            first_seq += CHUNK
        async with self._services.database.tenant(organization_id) as tx:
            for slot in await store.list_slots(tx, event_id):
                live.queue.admit(slot.seq, int(slot.expires_at.timestamp() * 1000))
            lately = await store.count_recent_admissions(tx, event_id)
        if lately and live.rate.counted == 0:
            live.rate = AdmissionRate(max(lately[0].at_s, self.now_s() - 3 * HALF_LIFE_S))
            for at_s, people in lately:
                live.rate.count(people, at_s)
        live.loading = None
        if self._rooms.get(event_id) is live:
            self.by_raw_id[event_id.bytes] = live

    def _evict(self, event_id: UUID) -> None:
        self._rooms.pop(event_id, None)
        self.by_raw_id.pop(event_id.bytes, None)

    async def _read_room(self, live: LiveRoom) -> None:
        room = live.room
        async with self._services.database.tenant(room.organization_id) as tx:
            fresh = await store.find_room(tx, room.event_id)
        if fresh is None:
            return
        if fresh.drawn and fresh.seed and fresh.tickets and not (room.drawn and room.seed):
            live.queue.apply_draw(await asyncio.to_thread(draw.draw_places, fresh.seed, fresh.tickets))
        live.set_room(fresh)

    def _receive(self, topic: str, change: dict[str, Any]) -> None:
        event_id = UUID(topic.removeprefix(TOPIC))
        live = self._rooms.get(event_id)
        if change.get("r"):
            self._changes += 1
            self.states.pop(event_id, None)
            if live:
                live.is_stale = True
                self._reload_soon(live)
        if live:
            live.apply(change, self.now_s())

    def _reload_all(self) -> None:
        self._changes += 1
        self.states.clear()
        for live in self._rooms.values():
            live.is_stale = live.is_incomplete = True
            self._reload_soon(live)

    def _reload_soon(self, live: LiveRoom) -> None:
        if live.reloading is None:
            live.reloading = self._spawn(self._reload(live))

    async def _reload(self, live: LiveRoom) -> None:
        try:
            while live.is_stale:
                async with self._reading:
                    missed, live.is_stale, live.is_incomplete = live.is_incomplete, False, False
                    await (self._load_room(live) if missed else self._read_room(live))
        except (TimeoutError, *DATABASE_ERRORS) as error:
            log.warning("queue.reload_failed", detail="the next request loads it", error=repr(error))
            self._evict(live.room.event_id)
        finally:
            live.reloading = None

    async def _reload_periodically(self) -> None:
        while True:
            await asyncio.sleep(RELOAD_S)
            self.states.clear()
            for event_id, live in list(self._rooms.items()):
                if live.room.state == "closed" and time.monotonic() - live.used_s > EVICT_AFTER_S:
                    self._evict(event_id)
                else:
                    await self.refresh(live)

    def _spawn(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def has_more(change: dict[str, Any]) -> bool:
    """Whether the statement reached one of its limits, so that it should run again."""
    return len(change.get("a", ())) >= ADMITTED_MAX or any(len(change.get(what, ())) >= MARKED_MAX for what in "gs")
