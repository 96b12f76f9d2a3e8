"""Any sequence of queueing, choosing, checking out, paying and waiting against a small model of an on-sale, on a real
database whose clock stands still. Payments are declined, or wait; their news comes late, twice, or after a failure.

The model knows people, seats, times and money, and none of our statements. After each step the database is where the
model is; in the end the invariants hold.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable
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
from fullhouse.checkout import actions, jobs, order_actions, settle_actions
from fullhouse.checkout.model import Buyer, Item, Purchase, Session, StartCheckout
from fullhouse.holds import actions as holds
from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured, Failed, Outcome
from fullhouse.queue import jobs as queue_jobs
from fullhouse.queue.rooms import Queue
from fullhouse.tickets import type_actions as types
from fullhouse.tickets.type_model import NewTicketType
from tests.checkout.on_sale_model import (
    CHOOSING_S,
    HOLD_S,
    PRICE,
    SEATS,
    SESSION_S,
    SLOTS,
    Checkout,
    Hold,
    Model,
    Sale,
)
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, stage
from tests.lives import live
from tests.queue.helpers import entries, join, order, person, settle
from tests.queue.test_state_machine import COOLDOWN_S, PLACE_S, WINDOW_S, Entry, Frozen

T = TypeVar("T")
PEOPLE = [new_id() for _ in range(4)]
people = st.sampled_from(PEOPLE)
# What is late is another matter: nobody sweeps until a rule does.
PROOFS = {check.name: check.find for check in prove.CHECKS if check.name != "on time"}


class LifeOfAnOnSale(RuleBasedStateMachine):
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
        house.run(jobs.sweep_sessions(house.finder, house.process.database))
        self.sale: OnSale = house.run(stage(house.process, house.tenant, hall(1, SEATS), orphan_avoidance_strict=False))
        self.queue = house.process.part(Queue)
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
        entry = data.draw(st.sampled_from(model.some("waiting")))

        async def beat() -> None:
            standing = await self.queue.standing(self.house.tenant.id, self.sale.event_id)
            await self.queue.heartbeat(standing, model.line.index(entry) + 1)

        if entry.until > model.now:
            entry.seen, entry.until = model.now, model.now + PLACE_S
        self.do(beat(), "heartbeat")

    # --- inside

    @rule(user=people, seat=st.integers(0, SEATS - 1))
    def somebody_chooses(self, user: UUID, seat: int) -> None:
        model, mine = self.model, self.model.holds.get(user)
        if mine and (model.is_live(mine) or (mine.for_payment and mine.status == "active")):
            return
        wanted = UUID(self.sale.seat(seat))
        work = holds.reserve(self.house.process, person(self.house.tenant, user), self.sale.event_id, wanted, "web")
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

    # --- money

    @rule(user=people, seat=st.integers(0, SEATS - 1))
    def somebody_buys(self, user: UUID, seat: int) -> None:
        self._buys(user, seat, "approve")

    @rule(user=people, seat=st.integers(0, SEATS - 1))
    def somebody_is_declined(self, user: UUID, seat: int) -> None:
        self._buys(user, seat, "decline")

    @rule(user=people, seat=st.integers(0, SEATS - 1))
    def somebody_pays_slowly(self, user: UUID, seat: int) -> None:
        self._buys(user, seat, "delay")

    def _buys(self, user: UUID, seat: int, method: str) -> None:
        """From wherever they stand: in line, with a seat, or in a checkout."""
        if self.model.slot(user) is None:
            self.somebody_joins(user)
        if user not in self.model.checkouts:
            self.somebody_chooses(user, seat)
            if user in self.model.holds:
                self._begins(user)
        if user in self.model.checkouts:
            self._pays(user, method)

    def _pays(self, user: UUID, method: str) -> None:
        model = self.model
        checkout = model.checkouts[user]
        wish = Purchase(provider="test", method=method, buyer=Buyer(name="A", email="a@example.org"))
        who, key = person(self.house.tenant, user), new_id().hex
        work = order_actions.purchase(self.house.process, who, checkout.id, wish, key)
        words = {"paying": "payment_running", "completed": "checkout_completed"}
        if checkout.status in words:
            self.refused(work, words[checkout.status])
            return
        if checkout.status != "open" or checkout.expires <= model.now:
            self.refused(work, "checkout_expired")
            return
        if not model.is_live(checkout.hold):
            self.refused(work, "hold_expired")
            return
        if method == "decline":
            self.refused(work, "payment_declined")
        else:
            self.do(work, method)
        row = self.house.run(
            self.house.owner.fetchrow("SELECT id, attempt_id FROM orders WHERE purchase_key = $1", key)
        )
        sale = Sale(row["id"], row["attempt_id"], checkout)
        model.sales.append(sale)
        checkout.hold.freeze(sale.attempt, model.now)
        checkout.status = "paying"
        if method == "approve":
            sale.money = "captured"
            model.sell(sale)
        elif method == "decline":
            sale.money = "failed"
            model.fail(sale)

    @precondition(lambda self: any(sale.money == "pending" for sale in self.model.sales))
    @rule(data=st.data())
    def a_payment_outlasts_its_slot_and_fails(self, data: st.DataObject) -> None:
        """Rare by chance: it takes its ten minutes, the worker comes, then the news."""
        sale = data.draw(st.sampled_from([sale for sale in self.model.sales if sale.money == "pending"]))
        self.time_passes(601)
        self.the_worker_comes()
        self.do(self._hears(sale, Failed("card_declined", "The card was declined.")), "too slow, then failed")
        sale.money = "failed"
        self.model.fail(sale)

    def _hears(self, sale: Sale, outcome: Outcome) -> Awaitable[None]:
        async def hear() -> None:
            async with self.house.process.database.tenant(self.house.tenant.id) as tx:
                await payments.record(tx, sale.attempt, outcome)

        return hear()

    @precondition(lambda self: self.model.sales)
    @rule(data=st.data(), came=st.booleans(), twice=st.booleans())
    def news_of_a_payment(self, data: st.DataObject, came: bool, twice: bool) -> None:
        """Of any payment at any time, also after it has failed: money is money."""
        sale, model = data.draw(st.sampled_from(self.model.sales)), self.model
        outcome = Captured(str(sale.attempt), PRICE) if came else Failed("card_declined", "The card was declined.")
        was = sale.money
        self.do(self._hears(sale, outcome), f"{was}, then {outcome.word}")
        if twice:
            self.do(self._hears(sale, outcome), "twice")
        if was == "pending" and not came:
            sale.money = "failed"
            model.fail(sale)
        elif was == "pending":
            sale.money = "captured"
            model.sell(sale)
        elif was == "failed" and came:
            sale.money = "captured"
            self._too_late(sale)

    def _too_late(self, sale: Sale) -> None:
        """Money after a failure: the same seat if it can be had, otherwise another to consent to, or it goes back. Back
        it goes too if the seat was bought by another order meanwhile: nobody wants it twice."""
        model, row = self.model, self.model.rows[sale.hold.seat]
        free = [seat for seat in range(SEATS) if model.rows[seat] is None]
        others = [one for one in model.sales if one is not sale and one.status != "cancelled"]
        if any(one.hold is sale.hold for one in others):
            self.taken["late, bought otherwise"] += 1
        elif row is None or (row is sale.hold and sale.hold.for_payment is None):
            if not model.is_live(sale.hold):  # it was over: the seat is held anew
                model.end(sale.hold, "cancelled")
                sale.hold = Hold(new_id(), sale.hold.user, sale.hold.seat, inf)
            model.sell(sale)
            self.taken["late, the same seat"] += 1
        elif free:
            seat = self._seat_of(sale)
            assert seat in free
            sale.hold = Hold(new_id(), sale.hold.user, seat, inf)
            sale.hold.freeze(sale.attempt, model.now)
            sale.status, model.rows[seat] = "needs_consent", sale.hold
            model.complete(sale)
            self.taken["late, another seat"] += 1
        else:
            self.taken["late, money back"] += 1

    def _seat_of(self, sale: Sale) -> int:
        query = "SELECT seat_id FROM order_lines WHERE order_id = $1"
        found = self.house.run(self.house.owner.fetchval(query, sale.id))
        return next(seat for seat in range(SEATS) if self.sale.seat(seat) == str(found))

    @precondition(lambda self: any(sale.status == "needs_consent" for sale in self.model.sales))
    @rule(data=st.data(), accept=st.booleans())
    def somebody_answers(self, data: st.DataObject, accept: bool) -> None:
        model = self.model
        sale = data.draw(st.sampled_from([sale for sale in model.sales if sale.status == "needs_consent"]))

        async def answer() -> bool:
            async with self.house.process.database.tenant(self.house.tenant.id) as tx:
                now = await tx.now()
                await settle_actions.answer(tx, sale.id, accept=accept, now=now)
                return bool(await tx.fetchval("SELECT status = 'paid' FROM orders WHERE id = $1", sale.id))

        if self.do(answer(), "consent" if accept else "no consent"):
            assert accept
            model.sell(sale)
            return
        sale.status, sale.hold.for_payment = "cancelled", None
        model.end(sale.hold, "cancelled")

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
        self.do(jobs.sweep_sessions(house.finder, house.process.database), "sweep")
        over = [(u, c) for u, c in model.checkouts.items() if c.status == "open" and c.expires <= model.now]
        for user, checkout in sorted(over, key=lambda each: each[1].expires):
            checkout.status = "expired"
            model.finish(user, "left")
        self.do(queue_jobs.keep_queues(house.process, house.finder), "sweep")
        model.end_overdue("waiting", "admitted")
        model.let_in()

    @rule()
    def the_organiser_pauses_or_resumes(self) -> None:
        self.do(order(*self.at, "resume" if self.model.paused else "pause"), "pause")
        self.model.state = "open" if self.model.paused else "paused"
        self.model.let_in()

    # --- what holds

    @invariant()
    def the_line_is_where_it_should_be(self) -> None:
        """A slot that is given back and one that is over are the same here: of two who end it either may be first."""
        if not hasattr(self, "kind"):
            return
        ended = {"left": "over", "expired": "over"}
        rows = self.house.run(entries(self.house.owner, self.sale))
        found = [(row["user_id"], ended.get(row["status"], row["status"])) for row in rows]
        assert found == [(entry.user, ended.get(entry.status, entry.status)) for entry in self.model.line]
        assert sum(status == "admitted" for _, status in found) <= SLOTS

    @invariant()
    def seats_and_orders_are_where_they_should_be(self) -> None:
        if not hasattr(self, "kind"):
            return
        owner, model = self.house.owner, self.model
        rows = self.house.run(
            owner.fetch(
                "SELECT e.status, h.user_id, h.attempt_id FROM event_seats e LEFT JOIN seat_holds h ON h.id = e.hold_id"
                " WHERE e.event_id = $1 ORDER BY e.ordinal", self.sale.event_id,
            )
        )  # fmt: skip
        for row, said in zip(rows, model.rows, strict=True):
            if isinstance(said, Hold):
                assert (row["status"], row["user_id"], row["attempt_id"]) == ("held", said.user, said.for_payment)
            else:
                assert row["status"] == (said or "available")
        orders = self.house.run(
            owner.fetch(
                "SELECT o.id, o.status, a.status AS money,"
                " (SELECT count(*) FROM tickets t WHERE t.order_id = o.id AND t.status = 'valid') AS tickets,"
                " (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.order_id = o.id) AS back"
                " FROM orders o JOIN payment_attempts a ON a.id = o.attempt_id WHERE o.event_id = $1 ORDER BY o.id",
                self.sale.event_id,
            )
        )
        expected = [
            (
                sale.id,
                sale.status,
                sale.money,
                int(sale.status == "paid"),
                PRICE if (sale.money, sale.status) == ("captured", "cancelled") else 0,
            )
            for sale in sorted(model.sales, key=lambda sale: sale.id)
        ]
        assert [tuple(row) for row in orders] == expected

    def teardown(self) -> None:
        """All that `fullhouse prove` knows, at the end of each life."""
        for name, find in PROOFS.items():
            assert self.house.run(find(self.house.auditor)) == [], name


@pytest.mark.soak
@pytest.mark.req("QUEUE-1", "CHK-1", "CHK-2", "BUY-1", "BUY-2", "BUY-3", "BUY-4")
def test_any_life_of_an_on_sale(tmp_path: Path) -> None:
    LifeOfAnOnSale.house = house = Frozen(tmp_path)
    examples, steps = (250, 50) if soaking() else (20, 30)
    wanted = ("join", "hold", "begin", "approve", "payment_declined", "delay", "leave", "time", "sweep", "twice")
    try:
        live(LifeOfAnOnSale, LifeOfAnOnSale.taken, examples=examples, steps=steps, wanted=wanted)
    finally:
        house.close()
