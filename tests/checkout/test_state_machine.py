"""Any sequence of queueing, choosing, checking out, paying and waiting against a small model of an on-sale, on a real
database whose clock stands still. Payments are declined, or wait; their news comes late, twice, or after a failure.

The model knows people, seats, times and money, and none of our statements. After each step the database is where the
model is; in the end the invariants hold.
"""

from collections.abc import Awaitable
from math import inf
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from fullhouse import prove
from fullhouse.checkout.model import Buyer, Purchase
from fullhouse.checkout.orders import actions, settle
from fullhouse.kit.ids import new_id
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured, Failed, Outcome
from tests.checkout.on_sale_model import PRICE, SEATS, SLOTS, Hold, Sale
from tests.checkout.on_sale_visitors import Visitors, people
from tests.fixtures import soaking
from tests.lives import live
from tests.queue.helpers import entries, person
from tests.queue.test_state_machine import Frozen

# What is late is another matter: nobody sweeps until a rule does. And these people never signed up.
PROOFS = {check.name: check.find for check in prove.CHECKS if check.name not in ("on time", "parents")}


class LifeOfAnOnSale(Visitors):
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
        work = actions.purchase(self.house.process, who, checkout.id, wish, key)
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
        checkout.hold.freeze(sale.attempt)
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
                await payments.record_outcome(tx, sale.attempt, outcome)

        return hear()

    @precondition(lambda self: self.model.sales)
    @rule(data=st.data(), came=st.booleans(), twice=st.booleans())
    def news_of_a_payment(self, data: st.DataObject, came: bool, twice: bool) -> None:
        """Of any payment at any time, also after it has failed: money is money."""
        sale, model = data.draw(st.sampled_from(self.model.sales)), self.model
        outcome = Captured(str(sale.attempt), PRICE) if came else Failed("card_declined", "The card was declined.")
        was = sale.money
        self.do(self._hears(sale, outcome), f"{was}, then {outcome.status}")
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
            sale.hold.freeze(sale.attempt)
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
                await settle.answer_proposal(tx, sale.id, accept=accept, now=now)
                return bool(await tx.fetchval("SELECT status = 'paid' FROM orders WHERE id = $1", sale.id))

        if self.do(answer(), "consent" if accept else "no consent"):
            assert accept
            model.sell(sale)
            return
        sale.status, sale.hold.for_payment = "cancelled", None
        model.end(sale.hold, "cancelled")

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
                " WHERE e.event_id = $1 ORDER BY e.ordinal",
                self.sale.event_id,
            )
        )
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
