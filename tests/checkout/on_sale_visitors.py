"""People at an on-sale as rules: they queue, choose, check out and leave, while time passes and the worker comes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from fullhouse.checkout import actions, jobs
from fullhouse.checkout.model import Item, Session, StartCheckout
from fullhouse.holds import actions as holds
from fullhouse.holds import jobs as hold_jobs
from fullhouse.holds.model import Reserve
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewTicketType
from fullhouse.waiting_room import jobs as queue_jobs
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.checkout.on_sale_model import CHOOSING_S, HOLD_S, PRICE, SEATS, SESSION_S, SLOTS, Checkout, Hold, Model
from tests.holds.helpers import OnSale, hall, stage
from tests.queue.helpers import join, order, person, settle
from tests.queue.test_state_machine import COOLDOWN_S, PLACE_S, SILENT_S, WINDOW_S, Entry, Frozen

T = TypeVar("T")
PEOPLE = [new_id() for _ in range(4)]
people = st.sampled_from(PEOPLE)


class Visitors(RuleBasedStateMachine):
    """All that people do at an on-sale but pay."""

    house: ClassVar[Frozen]
    taken: ClassVar[Counter[str]] = Counter()
    began: ClassVar[int] = 0

    def do(self, work: Awaitable[T], name: str) -> T:
        async def quiet() -> T:
            try:
                return await work
            finally:
                while self.queue._admitting:  # who heard of a free slot is at it
                    await asyncio.sleep(0.001)

        self.taken[name] += 1
        return self.house.run(quiet())

    def refused(self, work: Awaitable[Any], code: str) -> None:
        with pytest.raises(Refusal) as refusal:
            self.do(work, code)
        assert refusal.value.code == code

    @initialize()
    def a_show_goes_on_sale(self) -> None:
        house, self.model = self.house, Model()
        type(self).began += 1_000_000  # far from the last one's times
        house.run(house.set_clock(self.began))
        house.run(hold_jobs.sweep_holds(house.finder, house.process.database))
        house.run(jobs.expire_sessions(house.finder, house.process.database))
        self.sale: OnSale = house.run(stage(house.process, house.tenant, hall(1, SEATS), orphan_avoidance_strict=False))
        self.queue = house.process.part(WaitingRooms)
        self.do(settle(*self.at, mode="on", slots=SLOTS, admit_window_s=WINDOW_S), "open")

        async def price() -> UUID:
            async with house.process.database.tenant(house.tenant.id) as tx:
                wish = NewTicketType(name="seat", kind="seated", price=PRICE, currency="EUR")
                return (await types.create_type(tx, self.sale.event_id, wish)).id

        self.kind = house.run(price())
        for user in PEOPLE[:3]:
            self.somebody_joins(user)
        for seat, user in enumerate(PEOPLE[:SLOTS]):
            self.somebody_chooses(user, seat)
            self._begins(user)

    @property
    def at(self) -> tuple[Any, Any, OnSale]:
        return self.house.process, self.house.tenant, self.sale

    # --- the line

    def _joined(self, user: UUID) -> Entry | None:
        """What joining does to the model; None if they must wait first."""
        model = self.model
        entry = model.of(user)
        if entry and entry.until <= model.now:
            entry.status, entry = "expired", None
        if entry is None and any(old.user == user and old.cooldown > model.now for old in model.line):
            return None
        if entry is None and self.model.sold_out:
            return None
        if entry is None:
            entry = model.stand(user)
            if not model.paused:
                model.let_in()
        elif entry.status == "waiting":
            entry.is_heard(model.now)
        return entry

    def _no_place(self, user: UUID) -> str:
        cooling = any(old.user == user and old.cooldown > self.model.now for old in self.model.line)
        return "queue_cooldown" if cooling else "sold_out"

    @rule(user=people)
    def somebody_joins(self, user: UUID) -> None:
        self._is_there(self.model.of(user))
        entry = self._joined(user)
        if entry is None:
            self.refused(join(*self.at, user), self._no_place(user))
            return
        place = self.do(join(*self.at, user), "join")
        assert place.seq == self.model.line.index(entry) + 1
        assert place.status == ("sold_out" if self.model.sold_out and entry.status == "waiting" else entry.status)

    @precondition(lambda self: self.model.some("waiting"))
    @rule(data=st.data())
    def somebody_is_heard_of(self, data: st.DataObject) -> None:
        model = self.model
        self._hear(data.draw(st.sampled_from(model.some("waiting"))))

    def _hear(self, entry: Entry) -> None:
        """A sign of life. Who was missed until now may have a turn to catch up on."""
        model = self.model

        async def beat() -> None:
            standing = await self.queue.load(self.house.tenant.id, self.sale.event_id)
            await self.queue.heartbeat(standing, model.line.index(entry) + 1, SILENT_S // 2)

        missed = entry.seen <= model.now - SILENT_S
        self.do(beat(), "heartbeat")
        if entry.until > model.now:
            entry.seen, entry.until = model.now, model.now + PLACE_S
            if missed:
                model.let_in()

    def _is_there(self, entry: Entry | None) -> None:
        """Whoever comes again after a while polls first, so that what they are told next does not hang on a moment."""
        if entry and entry.status == "waiting" and entry.seen <= self.model.now - SILENT_S < entry.until - SILENT_S:
            self._hear(entry)

    # --- inside

    @rule(user=people, seat=st.integers(0, SEATS - 1))
    def somebody_chooses(self, user: UUID, seat: int) -> None:
        model, mine = self.model, self.model.holds.get(user)
        if mine and (model.is_live(mine) or (mine.for_payment and mine.status == "active")):
            return
        wanted = UUID(self.sale.seat(seat))
        work = holds.reserve(self.house.process, person(self.house.tenant, user), self.sale.event_id, wanted, Reserve())
        entry = model.slot(user)
        if entry is None or entry.until <= model.now:
            self.refused(work, "admission_required")
            return
        since: int = entry.since  # type: ignore[attr-defined]
        entry.until = max(entry.until, min(model.now + HOLD_S, since + CHOOSING_S))
        row = model.rows[seat]
        if row == "sold":
            self.refused(work, "seat_not_available")
        elif isinstance(row, Hold) and (row.for_payment or row.until > model.now):
            self.refused(work, "seat_held_by_another_user")
        else:
            reserved, fresh = self.do(work, "hold")
            assert fresh
            if isinstance(row, Hold):
                row.status = "expired"
            model.holds[user] = model.rows[seat] = Hold(reserved.hold_id, user, seat, model.now + HOLD_S)

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data())
    def somebody_begins_a_checkout(self, data: st.DataObject) -> None:
        self._begins(data.draw(st.sampled_from(sorted(self.model.holds))))

    def _begins(self, user: UUID) -> None:
        model = self.model
        hold, before = model.holds[user], model.checkouts.get(user)
        wish = StartCheckout(items=[Item(hold_id=hold.id, ticket_type_id=self.kind)])
        work = actions.start(self.house.process, person(self.house.tenant, user), self.sale.event_id, wish)
        if before and before.status == "paying":
            self.refused(work, "payment_running")
            return
        if not model.is_live(hold):
            self.refused(work, "hold_expired")
            return
        self._is_there(model.of(user))
        entry = self._joined(user)
        if entry is None:
            self.refused(work, self._no_place(user))
            return
        begun = self.do(work, "begin" if entry.status == "admitted" else "begin too early")
        if entry.status != "admitted":
            assert not isinstance(begun, Session)
            return
        assert isinstance(begun, Session)
        keeps = before.expires if before and before.status == "open" and before.expires > model.now else None
        if before and before.status == "open":
            before.status = "left"
        model.checkouts[user] = Checkout(begun.id, hold, keeps or model.now + SESSION_S)
        hold.enter(model.checkouts[user].expires)
        entry.until = max(entry.until, int(model.checkouts[user].expires))

    @precondition(lambda self: self.model.checkouts)
    @rule(data=st.data())
    def somebody_leaves_a_checkout(self, data: st.DataObject) -> None:
        user, model = data.draw(st.sampled_from(sorted(self.model.checkouts))), self.model
        checkout = model.checkouts[user]

        async def leave() -> None:
            async with self.house.process.database.tenant(self.house.tenant.id) as tx:
                await actions.leave(tx, person(self.house.tenant, user), checkout.id)

        if checkout.status == "paying":
            self.refused(leave(), "payment_running")
            return
        self.do(leave(), "leave")
        if checkout.status == "open":
            checkout.status = "left"
            model.end(checkout.hold, "cancelled")
            model.finish(user, "left")

    # --- time

    @rule(seconds=st.sampled_from([30, 61, 119, 299, 301, 601, 1801, COOLDOWN_S]))
    def time_passes(self, seconds: int) -> None:
        self.model.now += seconds
        self.do(self.house.set_clock(self.began + self.model.now), "time")

    @rule()
    def the_worker_comes(self) -> None:
        """What is over is ended: holds, checkouts with their slots, places in the line."""
        house, model = self.house, self.model
        self.do(hold_jobs.sweep_holds(house.finder, house.process.database), "sweep")
        for row in model.rows:
            if isinstance(row, Hold) and row.until <= model.now:
                model.end(row, "expired")
        self.do(jobs.expire_sessions(house.finder, house.process.database), "sweep")
        over = [(u, c) for u, c in model.checkouts.items() if c.status == "open" and c.expires <= model.now]
        for user, checkout in sorted(over, key=lambda each: each[1].expires):
            checkout.status = "expired"
            model.finish(user, "left")
        self.do(queue_jobs.advance_waiting_rooms(house.process, house.finder), "sweep")
        model.end_overdue("waiting", "admitted")
        model.let_in()

    @rule()
    def the_organiser_pauses_or_resumes(self) -> None:
        self.do(order(*self.at, "resume" if self.model.paused else "pause"), "pause")
        self.model.state = "open" if self.model.paused else "paused"
        self.model.let_in()
