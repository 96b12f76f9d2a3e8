"""Any sequence of people and hours against a small model of a line, on a real database whose clock stands still.

The model knows people, numbers and times, and none of our statements; some of its lines begin as a pre-queue, whose
order it computes as anybody may. After each step the database and the line in memory are where the model is, and the
invariants hold.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from fullhouse import prove
from fullhouse.kit.ids import new_id
from fullhouse.waiting_room import draw, jobs
from fullhouse.waiting_room.model import NotInQueue, QueueCooldown
from fullhouse.waiting_room.rooms import WaitingRooms
from fullhouse.waiting_room.virtual_queue import STATUS
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, stage
from tests.holds.test_state_machine import House
from tests.lives import live
from tests.queue.helpers import entries, finish, join, leave, order, settle
from tests.queue.test_draw import recomputed

T = TypeVar("T")
PEOPLE = [new_id() for _ in range(4)]
people = st.sampled_from(PEOPLE)
WINDOW_S, SILENT_S, PLACE_S, COOLDOWN_S = 120, 30, 1800, 3600
SALE_S, OPENS_S = 60, 1860  # of a line that begins before its sale
[PROOF] = [check.find for check in prove.CHECKS if check.name == "queued"]


class Entry:
    def __init__(self, user: UUID, place: int | None, now: int) -> None:
        self.user, self.status, self.place, self.cooldown = user, "waiting", place, 0
        self.until: float = now + PLACE_S if place else inf
        self.seen = now

    def is_heard(self, now: int) -> None:
        """To be there keeps a place; before the draw there is nothing to lose."""
        self.seen = now
        self.until = now + PLACE_S if self.until < inf else inf

    @property
    def live(self) -> bool:
        return self.status in ("waiting", "admitted")


class Model:
    def __init__(self) -> None:
        self.now, self.slots, self.state = 0, 1, "open"
        self.line: list[Entry] = []

    def stand(self, user: UUID) -> Entry:
        """At the end of the line, or where a draw will say."""
        self.line.append(Entry(user, None if self.state == "pre" else len(self.line) + 1, self.now))
        return self.line[-1]

    @property
    def ordered(self) -> bool:
        return self.state in ("open", "paused") and all(entry.place for entry in self.line)

    @property
    def paused(self) -> bool:
        return self.state == "paused"

    def draw(self, places: dict[int, int]) -> None:
        """Everybody who has come so far has a place now, also who has left; whoever is not there is not heard of by
        that."""
        for seq, place in places.items():
            self.line[seq - 1].place, self.line[seq - 1].until = place, self.now + PLACE_S

    def of(self, user: UUID) -> Entry | None:
        return next((entry for entry in self.line if entry.user == user and entry.live), None)

    def some(self, status: str) -> list[Entry]:
        return [entry for entry in self.line if entry.status == status]

    def end_overdue(self, *statuses: str) -> None:
        for entry in self.line:
            if entry.status in statuses and entry.until <= self.now:
                entry.status = "expired"

    def let_in(self) -> None:
        self.end_overdue("admitted")
        free = self.slots - sum(entry.status == "admitted" for entry in self.line)
        for entry in sorted(self.some("waiting"), key=lambda entry: entry.place or 0):
            if entry.seen > self.now - SILENT_S and entry.until > self.now:
                if free <= 0 or self.state != "open" or not self.ordered:
                    return
                free -= 1
                entry.status, entry.until = "admitted", self.now + WINDOW_S


class Frozen(House):
    """The clock stands where the model's does: nothing depends on how fast the test runs."""

    async def _open(self) -> None:
        await super()._open()
        await self.owner.execute(
            "CREATE TABLE frozen AS SELECT now() AS zero, now() AS at; GRANT SELECT ON frozen TO PUBLIC"
        )
        await self.owner.execute(
            "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
            " RETURN (SELECT at FROM public.frozen)"
        )

    async def set_clock(self, seconds: int) -> None:
        await self.owner.execute("UPDATE frozen SET at = zero + make_interval(secs => $1)", seconds)
        await self.process.clock.measure()


class LifeOfALine(RuleBasedStateMachine):
    house: ClassVar[Frozen]
    taken: ClassVar[Counter[str]] = Counter()
    began: ClassVar[int] = 0
    seed: ClassVar[bytes]  # of the next draw

    def do(self, work: Coroutine[Any, Any, T], name: str) -> T:
        async def quiet() -> T:
            result = await work
            # Who heard of a free slot is at it, and who heard that the room has changed.
            while self.queue._admitting or any(one.reloading for one in self.queue._rooms.values()):
                await asyncio.sleep(0.001)
            return result

        self.taken[name] += 1
        return self.house.run(quiet())

    @initialize(early=st.booleans(), seed=st.binary(min_size=32, max_size=32))
    def people_come(self, early: bool, seed: bytes) -> None:
        """To a room that is open, or before it is. Whoever plays a life again sees the same draw."""
        house, self.model, type(self).seed = self.house, Model(), seed
        type(self).began += 1_000_000  # far from the last one's times
        house.run(house.set_clock(self.began))
        self.sale: OnSale = house.run(stage(house.process, house.tenant, hall(1, 4)))
        self.queue = house.process.part(WaitingRooms)
        wish: dict[str, Any] = {"mode": "on", "slots": 1, "admit_window_s": WINDOW_S}
        if early:
            now = house.run(house.owner.fetchval("SELECT at FROM frozen"))
            begins = "UPDATE events SET sale_start_at = $2 WHERE id = $1"
            house.run(house.owner.execute(begins, self.sale.event_id, now + timedelta(seconds=SALE_S)))
            wish["opens_at"] = now + timedelta(seconds=OPENS_S)
            self.model.state = "pre"
        self.do(settle(house.process, house.tenant, self.sale, **wish), "open")
        self.time_passes(SALE_S)
        for user in PEOPLE[:3]:
            self.somebody_joins(user)

    @property
    def at(self) -> tuple[Any, Any, OnSale]:
        return self.house.process, self.house.tenant, self.sale

    @rule(user=people)
    def somebody_joins(self, user: UUID) -> None:
        model = self.model
        entry = model.of(user)
        if entry and entry.until <= model.now:
            entry.status, entry = "expired", None
        cooling = any(old.user == user and old.cooldown > model.now for old in model.line)
        if entry is None and cooling:
            with pytest.raises(QueueCooldown):
                self.do(join(*self.at, user), "cooldown")
            return
        if entry is None:
            entry = model.stand(user)
            if model.state == "open":
                model.let_in()
        elif entry.status == "waiting":
            missed = entry.seen <= model.now - SILENT_S
            entry.is_heard(model.now)
            if missed:  # it may be their turn, of which the answer knows or not yet
                place = self.do(join(*self.at, user), "join")
                assert place.seq == model.line.index(entry) + 1
                model.let_in()
                return
        place = self.do(join(*self.at, user), "join")
        assert (place.seq, place.status) == (model.line.index(entry) + 1, entry.status)
        if not model.ordered:
            assert place.position is None
        elif entry.status == "waiting":
            # Somebody whose time is over may be known to be gone before the row says it (see all_agree), and whoever is
            # missed is counted by nobody, from the next time on that people are let in.
            assert entry.place
            before = [other for other in model.some("waiting") if other.place and other.place < entry.place]
            still = sum(other.until > model.now and other.seen > model.now - SILENT_S for other in before)
            assert place.ahead is not None
            assert still <= place.ahead <= len(before)

    @precondition(lambda self: self.model.line)
    @rule(user=people)
    def somebody_leaves(self, user: UUID) -> None:
        entry = self.model.of(user)
        if entry is None or entry.until <= self.model.now:
            with pytest.raises(NotInQueue):
                self.do(leave(*self.at, user), "not there")
            return
        self.do(leave(*self.at, user), "leave")
        was, entry.status = entry.status, "left"
        if was == "waiting":
            entry.cooldown = self.model.now + COOLDOWN_S
        else:
            self.model.let_in()

    @precondition(lambda self: self.model.line)
    @rule(user=people)
    def somebody_leaves_and_wants_to_come_back(self, user: UUID) -> None:
        self.somebody_leaves(user)
        self.somebody_joins(user)

    @precondition(lambda self: self.model.some("admitted"))
    @rule(data=st.data(), bought=st.booleans())
    def somebody_finishes(self, data: st.DataObject, bought: bool) -> None:
        entry = data.draw(st.sampled_from(self.model.some("admitted")))
        self.do(finish(*self.at, entry.user, bought=bought), "finish")
        entry.status = "done" if bought else "left"
        self.model.let_in()

    @precondition(lambda self: self.model.some("waiting"))
    @rule(data=st.data())
    def somebody_is_heard_of(self, data: st.DataObject) -> None:
        model = self.model
        entry = data.draw(st.sampled_from(model.some("waiting")))

        async def beat() -> None:
            standing = await self.queue.load(self.house.tenant.id, self.sale.event_id)
            await self.queue.heartbeat(standing, model.line.index(entry) + 1, SILENT_S // 2)

        missed = entry.seen <= model.now - SILENT_S
        if entry.until > model.now:
            entry.is_heard(model.now)
        self.do(beat(), "heard of early" if model.state == "pre" else "heartbeat")
        if missed and entry.until > model.now:
            model.let_in()  # it may be their turn

    @rule(seconds=st.sampled_from([11, 29, 30, 60, 119, 120, 300, 1799, 1800, 3600]))
    def time_passes(self, seconds: int) -> None:
        self.model.now += seconds
        self.do(self.house.set_clock(self.began + self.model.now), "time")

    @rule()
    def the_worker_looks(self) -> None:
        model = self.model
        self.do(jobs.advance_waiting_rooms(self.house.process, self.house.finder), "worker")
        model.end_overdue("waiting", "admitted")
        if model.state == "pre" and model.now >= OPENS_S:
            model.state = "open"
        if model.state != "pre" and not model.ordered:
            self.taken["draw"] += 1
            find = "SELECT encode(seed, 'hex') AS seed, tickets FROM queue_rooms WHERE event_id = $1"
            shown = self.house.run(self.house.owner.fetchrow(find, self.sale.event_id))
            assert shown["tickets"] == sum(entry.place is None for entry in model.line)
            model.draw(recomputed(shown["seed"], shown["tickets"]))
        model.let_in()

    @precondition(lambda self: self.model.state == "pre")
    @rule()
    def the_organiser_opens_it_early(self) -> None:
        """The worker draws."""
        self.do(order(*self.at, "open"), "early")
        self.model.state = "open"

    @precondition(lambda self: self.model.state != "pre")
    @rule(slots=st.integers(1, 3))
    def the_limit_is_changed(self, slots: int) -> None:
        if slots == self.model.slots:
            return
        wish: dict[str, Any] = {"mode": "on", "slots": slots, "admit_window_s": WINDOW_S}
        self.do(settle(*self.at, **wish), "limit")
        self.model.slots = slots
        self.model.let_in()

    @precondition(lambda self: self.model.state != "pre")
    @rule()
    def the_organiser_pauses_or_resumes(self) -> None:
        self.do(order(*self.at, "resume" if self.model.paused else "pause"), "pause")
        self.model.state = "open" if self.model.paused else "paused"
        self.model.let_in()

    @invariant()
    def all_agree(self) -> None:
        if not hasattr(self, "sale"):
            return
        house, expected = self.house, [(entry.user, entry.status) for entry in self.model.line]
        rows = house.run(entries(house.owner, self.sale))
        assert [(row["user_id"], row["status"]) for row in rows] == expected
        assert [row["place"] for row in rows] == [entry.place for entry in self.model.line]
        assert [row["seq"] for row in rows] == list(range(1, len(expected) + 1))
        assert house.run(PROOF(house.auditor)) == []
        standing = house.run(self.queue.load(house.tenant.id, self.sale.event_id))
        # A place whose time is over may be known to be so before the row says it: a heartbeat has asked.
        known = [STATUS[standing.queue.code(seq)] for seq in range(1, len(expected) + 1)]
        for entry, said in zip(self.model.line, known, strict=True):
            assert said == entry.status or (said == "expired" and entry.live and entry.until <= self.model.now)


@pytest.mark.soak
@pytest.mark.req("QUEUE-1", "QUEUE-2", "CHK-1")
def test_any_life_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "new_seed", lambda: LifeOfALine.seed)
    LifeOfALine.house = house = Frozen(tmp_path)
    examples, steps = (300, 60) if soaking() else (25, 40)
    wanted = (
        "join", "leave", "finish", "cooldown", "not there", "worker", "heartbeat", "time", "limit", "pause",
        "heard of early", "early", "draw",
    )  # fmt: skip
    try:
        live(LifeOfALine, LifeOfALine.taken, examples=examples, steps=steps, wanted=wanted)
    finally:
        house.close()
