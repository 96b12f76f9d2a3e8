"""A whole on-sale at real servers: hundreds of people for five hundred seats, while servers and the worker are killed.

The database's time runs faster than ours, so that holds, slots and payments come to their ends within the test.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from bench._log import ClientLog

from fullhouse.waiting_room import actions as queue
from fullhouse.waiting_room.model import RoomSettings
from tests.faults.buyers import Buyer, Rush
from tests.faults.theatre import ALONE, GENEROUS, PRICE, Child, Theatre, theatre
from tests.fixtures import soaking
from tests.holds.helpers import a_process, hall
from tests.kit.test_postgres import make_home

pytestmark = [pytest.mark.fault, pytest.mark.soak]
PEOPLE = 2000 if soaking() else 200
SEATS, SLOTS = 500, 40
FASTER = 6  # with more, a process that measures the time every 15 s would hear of a silence too late
DEADLINE_S = 1200 if soaking() else 240  # for a machine with much else to do; an idle one takes a sixth of it
KILLS = 24 if soaking() else 3
POLICY = {**GENEROUS, "default_hold_ttl_minutes": 1}
# What must not happen, made to happen; and what is said of it.
EVERYBODY = """
DO $$ BEGIN EXECUTE replace(pg_get_functiondef('app.queue_let_in'::regproc), 'room.slots', '10000'); END $$
"""
FORGETFUL = """
CREATE FUNCTION app.forget_seat() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
CREATE TRIGGER forget_seat BEFORE UPDATE ON event_seats FOR EACH ROW
    WHEN (NEW.status = 'sold' AND NEW.ordinal % 10 = 0) EXECUTE FUNCTION app.forget_seat();
"""
MUTANTS = {"everybody is let in": (EVERYBODY, "are inside"), "a sold seat is free again": (FORGETFUL, "seats are sold")}


@pytest.fixture(scope="module")
def house() -> Iterator[Theatre]:
    with theatre(make_home(), PEOPLE + ALONE, hall(SEATS // 25, 25), POLICY) as at:
        yield at


async def open_sale(at: Theatre) -> str:
    """A waiting room, and a clock that runs. Returns the ticket type."""
    async with at.owner() as owner:
        row = await owner.fetchrow("SELECT organization_id, now() AS zero FROM events WHERE id = $1", at.sale.event_id)
        await owner.execute(
            "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
            f" RETURN now() + {FASTER - 1} * (now() - '{row['zero'].isoformat()}'::timestamptz)"
        )
    async with (
        a_process(at.urls.serving, at.home) as services,
        services.database.tenant(row["organization_id"]) as tx,
    ):
        room = RoomSettings(mode="on", slots=SLOTS, admit_window_s=120)
        await queue.change_settings(tx, services.keyring, at.sale.event_id, room)
    return at.types["seat"]


class Watch:
    """Looks all the time: in no moment is anybody inside above the limit, or anything sold that is not there."""

    def __init__(self, rush: Rush, owner: Any) -> None:
        self.rush, self.owner, self.inside, self.looks, self.sold = rush, owner, 0, 0, 0

    async def look(self) -> None:
        while True:
            row = await self.owner.fetchrow(
                "SELECT (SELECT count(*) FROM queue_entries WHERE status = 'admitted') AS inside,"
                " (SELECT count(*) FROM event_seats WHERE status = 'sold') AS sold,"
                " (SELECT count(*) FROM tickets WHERE status = 'valid') AS tickets"
            )
            self.looks, self.inside, self.sold = self.looks + 1, max(self.inside, row["inside"]), row["sold"]
            if row["inside"] > SLOTS:
                self.rush.wrong.append(f"{row['inside']} are inside, and there are {SLOTS} slots")
            if row["sold"] != row["tickets"]:
                self.rush.wrong.append(f"{row['sold']} seats are sold, and there are {row['tickets']} tickets")
            if row["sold"] >= SEATS:
                self.rush.over.set()
                return
            await asyncio.sleep(0.1)


async def kill_now_and_then(watch: Watch, children: list[Child]) -> None:
    """One at a time, each in its turn, whenever some more is sold; and it comes back."""
    dice = random.Random(7)
    for n in range(KILLS):
        while watch.sold < SEATS * (n + 0.5) / (KILLS + 1):
            await asyncio.sleep(0.05)
        await asyncio.sleep(dice.random())
        victim = children[n % len(children)]
        victim.kill()
        await asyncio.sleep(dice.random())
        await victim.start()


@asynccontextmanager
async def running(at: Theatre) -> AsyncIterator[tuple[list[int], list[Child]]]:
    async with at.serving() as one, at.serving() as other, at.working() as worker:
        yield [one.port, other.port], [one, worker, other, worker]


@pytest.mark.req("QUEUE-1", "QUEUE-2", "CHK-1", "BUY-1", "BUY-2", "HOLD-2")
def test_everything_is_sold_once_whatever_people_do_and_whoever_dies(
    house: Theatre, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def run(log: ClientLog) -> None:
        kind = await open_sale(house)
        async with (
            asyncio.timeout(DEADLINE_S),
            running(house) as (ports, children),
            house.owner() as owner,
        ):
            rush = Rush(house.sale.event_id, kind, ports, log)
            people = [Buyer(rush, person, n) for n, person in enumerate(house.crowd)]
            watch = Watch(rush, owner)
            looking = asyncio.create_task(watch.look())
            killing = asyncio.create_task(kill_now_and_then(watch, children))
            try:
                await asyncio.gather(looking, killing, *(person.live() for person in people))
                await until_settled(owner)
            finally:
                print(f"{watch.sold} sold, {watch.looks} looks, {dict(rush.happened)}")
            record_property("happened", dict(rush.happened))
            assert rush.wrong == []
            assert 0 < watch.inside <= SLOTS
            await all_is_sold_once(owner)
            await everybody_has_what_they_were_told(owner, people)
            await nobody_lost_a_place(owner)
            assert set(rush.happened) >= {"reconnected", "joined again", "walked away", "left the checkout"}

    with ClientLog(tmp_path / "log", sync=False) as log:  # nobody cuts the client's own power
        asyncio.run(run(log))
    assert asyncio.run(house.wrong(log.path)) == {}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_same_people_see_it_if_a_guard_is_gone(mutant: str, tmp_path: Path) -> None:
    """Fewer of them, and nobody is killed: it must be the guard that is missed."""
    change, said = MUTANTS[mutant]

    async def run(at: Theatre, log: ClientLog) -> None:
        kind = await open_sale(at)
        async with (
            asyncio.timeout(DEADLINE_S),
            running(at) as (ports, _),
            at.owner() as owner,
        ):
            await owner.execute(change)
            rush = Rush(at.sale.event_id, kind, ports, log)
            watch = Watch(rush, owner)
            doing = [Buyer(rush, person, n).live() for n, person in enumerate(at.crowd)]
            tasks = [asyncio.create_task(work) for work in (watch.look(), *doing)]
            try:
                while not any(said in sentence for sentence in rush.wrong):
                    assert not tasks[0].done(), "all was sold, and nobody has seen anything"
                    await asyncio.sleep(0.05)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    with (
        ClientLog(tmp_path / "log", sync=False) as log,
        theatre(make_home(), 2 * SLOTS + ALONE, hall(SEATS // 25, 25), POLICY) as at,
    ):
        asyncio.run(run(at, log))


async def until_settled(owner: Any) -> None:
    """Until nothing is open any more: the worker asks about payments, ends what is over, gives money back."""
    open_now = (
        "SELECT (SELECT count(*) FROM payment_attempts WHERE status IN ('started', 'pending', 'unknown'))"
        " + (SELECT count(*) FROM refunds WHERE status IN ('requested', 'unknown'))"
        " + (SELECT count(*) FROM seat_holds WHERE status = 'active' AND held_until <= app.clock())"
    )
    while await owner.fetchval(open_now):
        await asyncio.sleep(0.2)


async def all_is_sold_once(owner: Any) -> None:
    seats = await owner.fetch("SELECT status, count(*) FROM event_seats GROUP BY 1")
    assert {row["status"]: row["count"] for row in seats} == {"sold": SEATS}
    row = await owner.fetchrow(
        "SELECT count(*) AS tickets, count(DISTINCT seat_id) AS seats, count(DISTINCT number) AS numbers"
        " FROM tickets WHERE status = 'valid'"
    )
    assert dict(row) == {"tickets": SEATS, "seats": SEATS, "numbers": SEATS}
    # Nobody was charged for anything else: what was captured and not given back is what the seats cost.
    taken = await owner.fetchval("SELECT sum(amount) FROM test_charges WHERE kind = 'charge' AND status = 'captured'")
    back = await owner.fetchval("SELECT coalesce(sum(amount), 0) FROM test_charges WHERE kind = 'refund'")
    assert taken - back == PRICE * SEATS
    earned = await owner.fetchval("SELECT -sum(amount) FROM ledger_entries WHERE account = 'organizer'")
    assert earned == PRICE * SEATS


async def everybody_has_what_they_were_told(owner: Any, people: list[Buyer]) -> None:
    rows = await owner.fetch(
        "SELECT o.user_id, o.id, count(t.id) AS tickets FROM orders o"
        " JOIN tickets t ON t.organization_id = o.organization_id AND t.order_id = o.id"
        " WHERE o.status = 'paid' GROUP BY 1, 2"
    )
    there = {(row["user_id"], str(row["id"])): row["tickets"] for row in rows}
    told = {(person.me.id, order): tickets for person in people for order, tickets in person.orders.items()}
    assert there == told


async def nobody_lost_a_place(owner: Any) -> None:
    """Whoever waited and asked was never dropped; and nobody who came later was let in much earlier: a statement's time
    is that of its beginning, and it may have waited for the room."""
    assert (
        await owner.fetchval("SELECT count(*) FROM queue_entries WHERE status = 'expired' AND admitted_at IS NULL") == 0
    )
    overtaken = await owner.fetch(
        "SELECT a.seq, b.seq AS by FROM queue_entries a"
        " JOIN queue_entries b ON b.event_id = a.event_id AND b.seq > a.seq WHERE a.status <> 'left'"
        " AND b.admitted_at < coalesce(a.admitted_at, a.ended_at, app.clock()) - interval '30 seconds'"
    )
    assert [tuple(row) for row in overtaken] == []
