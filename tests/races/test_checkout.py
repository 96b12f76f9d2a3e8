"""Purchases that meet: each other, the clock, whoever gives a hold back, and whoever cancels the show."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from fullhouse.checkout import actions
from fullhouse.checkout.model import Buyer, Item, Purchase, Session, StartCheckout
from fullhouse.checkout.orders import actions as order_actions
from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.holds import actions as holds
from fullhouse.holds import jobs as hold_jobs
from fullhouse.holds import payment_actions as sales
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import jobs as payment_jobs
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewTicketType, PromoUnknown
from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import RoomSettings
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, places, seats, stage, wish
from tests.kit.helpers import until
from tests.races.arena import Arena, arena

BUYERS = 120 if soaking() else 24
# A guard is a piece of a function's text, and what is left of it without.
STILL_FROZEN = ("app.settle_orders", "AND h.status = 'active' AND h.attempt_id = w.attempt", "")
FROZEN_STAYS = ("app.keep_frozen", "RETURN NULL;", "RETURN NEW;")
ONE_PAYMENT = (
    ("app.place_order", "WHEN chosen.status = 'paying' THEN 'payment_running'", ""),
    ("app.place_order", "WHEN chosen.status <> 'open' OR chosen.expires_at", "WHEN chosen.expires_at"),
    ("app.freeze_holds", "AND h.attempt_id IS NULL", ""),
    ("app.keep_frozen", "RETURN NULL;", "RETURN NEW;"),
)


class Shop(NamedTuple):
    at: Arena
    sale: OnSale
    seat_type: UUID
    pit_type: UUID

    def services(self, n: int) -> Services:
        return self.at.processes[n % len(self.at.processes)]


def buyer_of(at: Arena) -> Principal:
    """Somebody new. Nothing in the sale asks who they are."""
    known = at.tenant.principal("customer")
    actor = known.actor.__class__(type="user", id=new_id(), name="Guest")
    return Principal(organization_id=known.organization_id, actor=actor, role="customer", allowed=known.allowed)


async def shop(at: Arena, *, rows: int, pit: int, quantity: int | None = None) -> Shop:
    services = at.processes[0]
    sale = await stage(services, at.tenant, hall(rows, 20, pit=pit))
    owner = at.tenant.principal("owner")
    async with services.database.tenant(at.tenant.id, owner.actor) as tx:
        await queue.change_settings(tx, services.keyring, sale.event_id, RoomSettings(slots=1000))
        common: dict[str, Any] = {"price": 1000, "currency": "EUR", "quantity": quantity}
        seat = await types.create_type(tx, sale.event_id, NewTicketType(name="seat", kind="seated", **common))
        pit_type = await types.create_type(tx, sale.event_id, NewTicketType(name="pit", kind="ga", **common))
    return Shop(at, sale, seat.id, pit_type.id)


async def begin(to: Shop, n: int, *, ttl_s: int = 300) -> tuple[Principal, Session]:
    """A seat and a place, in a checkout."""
    who, services = buyer_of(to.at), to.services(n)
    wants = (*seats(to.sale, n), places(to.sale, "pit", 1))
    held = await to.at.hold(wish(to.sale, who.id, *wants, ttl_s=ttl_s))
    assert all(result.is_granted for result in held)
    kinds = (to.seat_type, to.pit_type)
    items = [Item(hold_id=r.hold_id, ticket_type_id=k) for r, k in zip(held, kinds, strict=True) if r.hold_id]
    begun = await actions.start(services, who, to.sale.event_id, StartCheckout(items=items))
    assert isinstance(begun, Session)
    return who, begun


async def buy(
    to: Shop,
    n: int,
    who: Principal,
    session: Session,
    method: str | None = "approve",
    key: str = "k",
    provider: str = "test",
) -> str:
    purchase = Purchase(provider=provider, buyer=Buyer(name="A", email="a@example.org"), method=method)
    try:
        bought = await order_actions.purchase(to.services(n), who, session.id, purchase, key)
    except Refusal as refusal:
        return refusal.code
    return bought.order.status


@pytest.mark.soak
@pytest.mark.req("HOLD-5", "BUY-1")
async def test_buying_expiring_and_giving_back_have_one_winner(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        to = await shop(at, rows=BUYERS // 20 + 1, pit=BUYERS, quantity=BUYERS)
        begun = [await begin(to, n) for n in range(BUYERS)]
        # Their time is over in this very moment: half of them is overdue when the sweep looks.
        await at.owner.execute(
            "UPDATE seat_holds SET held_until = now() + (random() - 0.3) * interval '300 ms'"
            " WHERE organization_id = $1",
            at.tenant.id,
        )
        await at.owner.execute(
            "UPDATE event_seats s SET held_until = h.held_until FROM seat_holds h WHERE h.id = s.hold_id"
        )
        few = asyncio.Semaphore(8)

        async def buys(n: int) -> str:
            async with few:
                return await buy(to, n, *begun[n])

        async def gives_back(n: int) -> str:
            who, session = begun[n]
            async with few, to.services(n + 1).database.tenant(at.tenant.id, who.actor) as tx:
                ended = await holds.end(tx, [item.hold_id for item in session.items], "cancelled")
            return f"given back {ended}"

        async def sweeps() -> list[str]:
            finder = await Database.open(at.url, WORKER, size=1)
            for _ in range(10):
                await hold_jobs.sweep_holds(finder, at.processes[2].database)
                await asyncio.sleep(0.03)
            await finder.close()
            return []

        sweeping = asyncio.create_task(sweeps())
        chosen = [work(n) for n in range(BUYERS) for work in (buys, gives_back) if work is buys or n % 3 == 0]
        ends = Counter(await asyncio.gather(*chosen))
        await sweeping
        assert set(ends) <= {"paid", "hold_expired", "given back 0", "given back 1", "given back 2"}, ends
        sold = await at.owner.fetchval("SELECT count(*) FROM event_seats WHERE status = 'sold'")
        issued = await at.owner.fetchval("SELECT count(*) FROM tickets")
        assert (sold, issued) == (ends["paid"], 2 * ends["paid"])
        assert await at.wrong() == {}


@pytest.mark.req("BUY-2")
async def test_one_key_in_three_processes_is_one_purchase(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        answers = await asyncio.gather(*(buy(to, n, who, session) for n in range(30)))
        assert set(answers) == {"paid"}
        assert await at.owner.fetchval("SELECT sum(calls) FROM test_charges") == 1
        assert await at.owner.fetchval("SELECT count(*) FROM orders") == 1
        assert await at.wrong() == {}


@pytest.mark.req("BUY-2")
async def test_one_key_for_two_checkouts_at_once_is_refused_the_second_time(tmp_path: Path) -> None:
    """By another process in the same moment: the table knows of it before the statement does."""
    async with arena(tmp_path) as at:
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        elsewhere = at.owner.transaction()
        await elsewhere.start()
        first, first_session = await begin(to, 1)
        assert await buy(to, 0, first, first_session) == "paid"
        await at.owner.execute(
            "INSERT INTO orders SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'user_id',"
            " $1::uuid, 'code', '22222222', 'secret_hash', '\\x00', 'purchase_key', 'one'))).* FROM orders o",
            who.id,
        )
        buying = asyncio.create_task(buy(to, 0, who, session, key="one"))
        behind_us = "SELECT true FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)) LIMIT 1"
        await until(lambda: at.owner.fetchval(behind_us))
        await elsewhere.commit()
        assert await buying == "idempotency_key_reused"
        assert await at.owner.fetchval("SELECT count(*) FROM payment_attempts") == 1


@pytest.mark.req("CHK-1")
async def test_a_window_that_is_refused_leaves_the_other_one_its_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody begins in two windows. The one whose code is wrong has the slot before the other one begins."""
    real, begun = actions._begin_checkout, asyncio.Event()

    async def later(tx: Any, who: Principal, event_id: UUID, wish: StartCheckout) -> Any:
        if wish.promo_code:
            await begun.wait()
        return await real(tx, who, event_id, wish)

    monkeypatch.setattr(actions, "_begin_checkout", later)
    async with arena(tmp_path, 2) as at:
        to = await shop(at, rows=1, pit=5)
        who = buyer_of(at)
        (held,) = await at.hold(wish(to.sale, who.id, *seats(to.sale, 0)))
        assert held.hold_id
        items = [Item(hold_id=held.hold_id, ticket_type_id=to.seat_type)]
        wrong = StartCheckout(items=items, promo_code="NO-SUCH")
        refused = asyncio.create_task(actions.start(to.services(0), who, to.sale.event_id, wrong))
        await until(lambda: at.owner.fetchval("SELECT count(*) FROM queue_entries"))
        session = await actions.start(to.services(1), who, to.sale.event_id, StartCheckout(items=items))
        begun.set()
        with pytest.raises(PromoUnknown):
            await refused
        assert isinstance(session, Session)
        assert await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'") == 1
        async with to.services(0).database.tenant(at.tenant.id, who.actor) as tx:
            await actions.leave(tx, who, session.id)
        assert await at.owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'admitted'") == 0


async def test_without_its_guards_a_checkout_is_paid_twice(tmp_path: Path) -> None:
    """The mutant: two keys, and both get as far as the provider. Each of the guards alone would have been enough."""
    async with arena(tmp_path, 2) as at:
        for guard in ONE_PAYMENT:
            await at.remove(guard)
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        answers = [await buy(to, 0, who, session, "drop", "one"), await buy(to, 1, who, session, "approve", "two")]
        assert answers == ["pending", "paid"]
        assert await at.owner.fetchval("SELECT count(*) FROM test_charges WHERE status = 'captured'") == 2


async def test_without_the_trigger_a_frozen_hold_is_given_back(tmp_path: Path) -> None:
    """The mutant of "nobody takes away what is being paid for": the money comes, and the seat is gone."""
    async with arena(tmp_path, 1) as at:
        await at.remove(FROZEN_STAYS)
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        assert await buy(to, 0, who, session, "drop") == "pending"
        async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
            assert await holds.end(tx, [item.hold_id for item in session.items], "cancelled") == 2


async def test_with_the_trigger_it_is_not(tmp_path: Path) -> None:
    async with arena(tmp_path, 1) as at:
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        assert await buy(to, 0, who, session, "drop") == "pending"
        async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
            assert await holds.end(tx, [item.hold_id for item in session.items], "cancelled") == 0
        assert await at.wrong() == {}


@pytest.mark.parametrize("guarded", [True, False])
async def test_what_ended_meanwhile_is_not_sold(tmp_path: Path, *, guarded: bool) -> None:
    """Whatever ended it. Without the condition only the tables themselves stand in the way, and nothing is settled."""
    async with arena(tmp_path, 1) as at:
        if not guarded:
            await at.remove(STILL_FROZEN)
        to = await shop(at, rows=1, pit=5)
        who, session = await begin(to, 0)
        assert await buy(to, 0, who, session, "drop") == "pending"
        ids = [item.hold_id for item in session.items]
        async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
            await sales.detach_payment(tx, ids)
            assert await holds.end(tx, ids, "cancelled") == 2
        (other,) = await at.hold(wish(to.sale, new_id(), *seats(to.sale, 0)))
        assert other.is_granted
        await at.owner.execute("UPDATE payment_attempts SET ask_at = now()")
        finder = await Database.open(at.url, WORKER, size=1)
        try:
            await payment_jobs.poll_attempts(finder, at.processes[0])
            status = await at.owner.fetchval("SELECT status FROM orders")
            if guarded:
                assert status == "needs_consent"  # there are other seats
                assert await at.owner.fetchval("SELECT count(*) FROM tickets") == 0
                assert await at.wrong() == {}
            else:
                assert status == "pending"
        finally:
            await finder.close()


@pytest.mark.req("BUY-1", "BUY-3")
async def test_cancelling_meets_purchases(tmp_path: Path) -> None:
    """Whoever was first: tickets, or the money back. Nothing in between."""
    async with arena(tmp_path, 3) as at:
        to = await shop(at, rows=1, pit=20)
        begun = [await begin(to, n) for n in range(12)]

        async def cancels() -> str:
            await asyncio.sleep(0.05)
            async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
                await events.move_event(tx, to.sale.event_id, Move.CANCEL, reason="storm")
            return "cancelled"

        methods = ("approve", "drop", "delay")
        buying = [buy(to, n, *begun[n], methods[n % 3]) for n in range(12)]
        ends = Counter(await asyncio.gather(*buying, cancels()))
        assert set(ends) <= {"paid", "pending", "event_not_available", "checkout_expired", "cancelled"}, ends
        await at.owner.execute("UPDATE payment_attempts SET ask_at = now()")
        finder = await Database.open(at.url, WORKER, size=1)
        await payment_jobs.poll_attempts(finder, at.processes[1])
        await payment_jobs.pay_refunds(finder, at.processes[1])
        await finder.close()
        states = await at.owner.fetch("SELECT status, count(*) AS n FROM orders GROUP BY 1")
        assert {row["status"] for row in states} <= {"paid", "cancelled"}
        charged = await at.owner.fetchval("SELECT coalesce(sum(amount), 0) FROM test_charges WHERE status = 'captured'")
        paid = await at.owner.fetchval("SELECT coalesce(sum(total), 0) FROM orders WHERE status = 'paid'")
        back = await at.owner.fetchval("SELECT coalesce(sum(amount), 0) FROM refunds WHERE status = 'done'")
        assert charged == paid + back
        assert {row["held"] for row in await at.owner.fetch("SELECT held FROM pools")} == {0}
        assert await at.wrong() == {}
