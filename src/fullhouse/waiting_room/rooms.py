"""The waiting rooms of this process: joins and signs of life in batches, positions from memory.

The database has the truth; what is here is fed by the bus and read anew when something was missed. A poll asks nobody:
it is answered from the line in memory, and once in a few minutes its sign of life is written down, with many others.
Other rooms come in by `entry_actions` and `actions`.
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
from fullhouse.kit.batching import AGAIN, Again, Coalescer
from fullhouse.kit.db.database import LOST, HotLine
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, draw, store
from fullhouse.waiting_room.line import STATUS
from fullhouse.waiting_room.model import Room
from fullhouse.waiting_room.pace import HALF_LIFE_S, Pace
from fullhouse.waiting_room.passes import Passes
from fullhouse.waiting_room.standing import Standing

TOPIC = "queue:"
LINES, BATCH_MAX = 2, 512
AT_ONCE = 200  # as many are let in by one statement; there may be more
TOLD_AT_ONCE = 100  # and of as many is told that they are missed, or that they are buyers
PIECE = 100_000
LOOK_AGAIN_S = 30.0  # what a lost message could have made wrong is right again then
FORGET_S = 600.0  # a closed room that nobody asks for leaves the memory
JOINED = Counter("fullhouse_queue_joins_total", "Who wanted to join a line, by how it ended", ["outcome"])
ADMITTED_TOTAL = Counter("fullhouse_queue_admissions_total", "People who were let in by this process")
log = structlog.get_logger()


class Joined(NamedTuple):
    outcome: str
    seq: int | None
    until: Any
    wait_s: int | None
    room: str


class Queue:
    def __init__(self, services: Services) -> None:
        self._services = services
        self.bus = services.bus
        self.passes = Passes(services.keyring)
        settings = {"enable_seqscan": "off"}  # plans are made while the tables are small, and kept
        self._join_line = HotLine(services.url, store.join.query.text, lines=LINES, settings=settings)
        self._heartbeat_line = HotLine(services.url, store.heartbeats.query.text, lines=1, settings=settings)
        self._admit_line = HotLine(services.url, store.admit.query.text, lines=1, settings=settings)
        self._joins: Coalescer[tuple[UUID, str | None], Joined] = Coalescer(
            "queue joins", self._join_all, lines=LINES, most=BATCH_MAX
        )
        self._heartbeats: Coalescer[tuple[int, int], Any] = Coalescer(
            "queue heartbeats", self._hear_all, lines=1, most=BATCH_MAX
        )
        self.states: dict[UUID, str] = {}
        """By show, as far as anybody has asked: what every hold looks at first."""
        self._rooms: dict[UUID, Standing] = {}
        self.by_key: dict[bytes, Standing] = {}
        """Lines that are read, by the show's id as tokens have it: a poll finds its own by this."""
        self._reading = asyncio.Semaphore(2)  # many rooms read anew at once leave connections for those who sell
        self._changes = 0
        self._admitting: dict[UUID, bool] = {}  # by show: somebody is at it; and whether to look once more
        self._tasks: set[asyncio.Task[None]] = set()
        self._leave = [
            self.bus.subscribe(f"{TOPIC}*", self._hear),
            self.bus.subscribe(RESYNC, lambda _topic, _none: self._look_at_everything()),
            self.bus.subscribe(actions.FREE, lambda _topic, room: self.let_in(*room)),
        ]

    async def start(self) -> None:
        self._spawn(self._keep_house())

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        await self._joins.close()
        await self._heartbeats.close()
        await tasks.stop(*self._tasks)
        for line in (self._join_line, self._heartbeat_line, self._admit_line):
            await line.close()

    def now_s(self) -> float:
        return self._services.clock.seconds()

    # --- is it open

    def is_open(self, event_id: UUID) -> bool | None:
        """From memory; None where nobody has looked yet."""
        state = self.states.get(event_id)
        return None if state is None else state != "closed"

    async def state(self, organization_id: UUID, event_id: UUID) -> str:
        """As the database has it; known from then on."""
        while True:
            before = self._changes
            async with self._services.database.tenant(organization_id) as tx:
                room = await store.room(tx, event_id)
            state = room.state if room else "closed"
            if before == self._changes:  # nothing was said while we looked
                self.states[event_id] = state
                return state

    # --- joining

    async def join(self, organization_id: UUID, event_id: UUID, user_id: UUID, promo_code: str | None = None) -> Joined:
        """With others who come at the same time; one person is in a batch once."""
        return await self._joins.submit((organization_id, event_id), (user_id, promo_code), (user_id,))

    async def _join_all(
        self, key: Hashable, people: Sequence[tuple[UUID, str | None]], last: Sequence[bool]
    ) -> list[Joined | Again]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        users, codes = [user_id for user_id, _ in people], [code for _, code in people]
        rows = await store.join(
            self._join_line.tenant(organization_id),
            sender=self.bus.sender,
            event_id=event_id,
            user_ids=users,
            promo_codes=codes,
        )
        room = "closed"
        if rows[0]["req"] == 0:
            first = rows.pop(0)
            room = first["outcome"]
            self._told(event_id, first["change"])
            if {"b", "s"} & (first["change"] or {}).keys():  # it may be their turn
                self.let_in(organization_id, event_id)
        answers = [Joined(row["outcome"], row["seq"], row["until"], row["wait_s"], room) for row in rows]
        for outcome, count in Tally(answer.outcome for answer in answers).items():
            JOINED.labels(outcome).inc(count)
        if any(answer.outcome == "full" for answer in answers):
            async with self._services.database.tenant(organization_id) as tx:
                await actions.open_when_full(tx, self._services.keyring, event_id)
        return [
            AGAIN if answer.outcome in ("again", "full") and not final else answer
            for answer, final in zip(answers, last, strict=True)
        ]

    def _told(self, event_id: UUID, change: dict[str, Any] | None) -> None:
        if change:
            ADMITTED_TOTAL.inc(len(change.get("a", ())))
            self.bus.told([(f"{TOPIC}{event_id}", change)])

    # --- signs of life

    async def heartbeat(self, standing: Standing, seq: int, every_s: int) -> None:
        """Writes it down, with when the next is due, and takes the database's word for how it stands. Away, it leaves
        us with what we know. Who was missed until now may have a turn to catch up on."""
        room = standing.room
        try:
            found = await self._heartbeats.submit((room.organization_id, room.event_id), (seq, every_s))
        except (TimeoutError, *LOST) as error:
            log.warning("a sign of life was not written down", error=repr(error))
            return
        if found is None:
            return
        if found["status"] == "waiting":
            standing.line.join(seq, seq, found["seen_s"])
            if found["back"]:
                self.let_in(room.organization_id, room.event_id)
        elif found["status"] == "admitted":
            standing.line.admit(seq, int(found["until"].timestamp() * 1000))
        else:
            standing.line.move_on(seq, STATUS.index(found["status"]))

    async def _hear_all(self, key: Hashable, signs: Sequence[tuple[int, int]], _last: Sequence[bool]) -> list[Any]:
        organization_id, event_id = cast(tuple[UUID, UUID], key)
        due = dict(signs)  # of somebody who asks twice at once, one is enough
        rows = await store.heartbeats(
            self._heartbeat_line.tenant(organization_id),
            sender=self.bus.sender,
            event_id=event_id,
            seqs=list(due),
            every_s=list(due.values()),
        )
        found = {row["seq"]: row for row in rows}
        if back := [seq for seq, row in found.items() if row["back"]]:
            self._told(event_id, {"b": back})
        return [found.get(seq) for seq, _every_s in signs]

    # --- letting in

    def let_in(self, organization_id: UUID, event_id: UUID) -> None:
        """A slot is free: the next come in, by one statement at a time."""
        if self.states.get(event_id) == "closed":
            return
        if event_id in self._admitting:
            self._admitting[event_id] = True
            return
        self._admitting[event_id] = False
        self._spawn(self._let_in(organization_id, event_id))

    async def _let_in(self, organization_id: UUID, event_id: UUID) -> None:
        try:
            while True:
                self._admitting[event_id] = False
                line = self._admit_line.tenant(organization_id)
                change = await store.admit(line, sender=self.bus.sender, event_id=event_id) or {}
                self._told(event_id, change)
                if not self._admitting[event_id] and not is_more(change):
                    return
        except (TimeoutError, *LOST) as error:
            log.warning("nobody could be let in; the worker tries again", error=repr(error))
        finally:
            del self._admitting[event_id]

    # --- the memory

    def known(self, event_id: UUID) -> Standing | None:
        """A line that is read already."""
        found = self._rooms.get(event_id)
        return found if found and found.ready is None else None

    async def standing(self, organization_id: UUID, event_id: UUID) -> Standing:
        """A room's line, read at first use. News that come meanwhile are in it too."""
        found = self._rooms.get(event_id)
        if found is None:
            found = Standing(Room(organization_id=organization_id, event_id=event_id), self.now_s())
            found.ready = self._spawn(self._read(found))
            self._rooms[event_id] = found
        found.used_s = time.monotonic()
        if found.ready is not None:
            try:
                await asyncio.shield(found.ready)
            except BaseException:
                if found.ready is not None and found.ready.done():
                    self._forget(event_id)
                raise
        return found

    async def fresh(self, standing: Standing) -> None:
        """Reads the room's row now: whoever asks knows that it has changed."""
        standing.stale = True
        self._renew(standing)
        assert standing.renewing
        await asyncio.shield(standing.renewing)

    async def _read(self, standing: Standing) -> None:
        organization_id, event_id = standing.room.organization_id, standing.room.event_id
        standing.line.begin_reading()
        await self._read_room(standing)
        low = 1
        while low < standing.room.next_seq or low <= standing.line.last:
            async with self._services.database.tenant(organization_id) as tx:
                piece = await store.line(tx, event_id=event_id, first_seq=low, end_seq=low + PIECE)
            if piece and piece.seqs and piece.codes and piece.seen:
                standing.line.load(piece.seqs, piece.codes, piece.seen, piece.away, piece.buyers)
            low += PIECE
        async with self._services.database.tenant(organization_id) as tx:
            for slot in await store.slots_taken(tx, event_id):
                standing.line.admit(slot.seq, int(slot.expires_at.timestamp() * 1000))
            lately = await store.let_in_lately(tx, event_id)
        if lately and standing.pace.seen == 0:
            standing.pace = Pace(max(lately[0].at_s, self.now_s() - 3 * HALF_LIFE_S))
            for at_s, people in lately:
                standing.pace.count(people, at_s)
        standing.ready = None
        if self._rooms.get(event_id) is standing:
            self.by_key[event_id.bytes] = standing

    def _forget(self, event_id: UUID) -> None:
        self._rooms.pop(event_id, None)
        self.by_key.pop(event_id.bytes, None)

    async def _read_room(self, standing: Standing) -> None:
        room = standing.room
        async with self._services.database.tenant(room.organization_id) as tx:
            fresh = await store.room(tx, room.event_id)
        if fresh is None:
            return
        if fresh.drawn and fresh.seed and fresh.tickets and not (room.drawn and room.seed):
            standing.line.redraw(await asyncio.to_thread(draw.places, fresh.seed, fresh.tickets))
        standing.take(fresh)

    def _hear(self, topic: str, change: dict[str, Any]) -> None:
        event_id = UUID(topic.removeprefix(TOPIC))
        standing = self._rooms.get(event_id)
        if change.get("r"):
            self._changes += 1
            self.states.pop(event_id, None)
            if standing:
                standing.stale = True
                self._renew(standing)
        if standing:
            standing.apply(change, self.now_s())

    def _look_at_everything(self) -> None:
        self._changes += 1
        self.states.clear()
        for standing in self._rooms.values():
            standing.stale = standing.missed = True
            self._renew(standing)

    def _renew(self, standing: Standing) -> None:
        if standing.renewing is None:
            standing.renewing = self._spawn(self._keep_renewing(standing))

    async def _keep_renewing(self, standing: Standing) -> None:
        try:
            while standing.stale:
                async with self._reading:
                    missed, standing.stale, standing.missed = standing.missed, False, False
                    await (self._read(standing) if missed else self._read_room(standing))
        except (TimeoutError, *LOST) as error:
            log.warning("a line could not be read anew", error=repr(error))
            self._forget(standing.room.event_id)  # whoever asks next reads it
        finally:
            standing.renewing = None

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            self.states.clear()
            for event_id, standing in list(self._rooms.items()):
                if standing.room.state == "closed" and time.monotonic() - standing.used_s > FORGET_S:
                    self._forget(event_id)
                else:
                    await self.fresh(standing)

    def _spawn(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def is_more(change: dict[str, Any]) -> bool:
    """Whether one statement could not let in, or tell of, all that there were."""
    return len(change.get("a", ())) >= AT_ONCE or any(len(change.get(what, ())) >= TOLD_AT_ONCE for what in "gs")
