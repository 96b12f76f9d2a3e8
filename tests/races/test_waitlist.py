"""Waiting lists that meet: several workers, whoever wants the place at the same moment, and sudden death."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.holds import actions as holds
from fullhouse.kit.ids import new_id
from fullhouse.waitlist import actions as waitlist
from fullhouse.waitlist.model import JoinWaitlist
from tests.fixtures import soaking
from tests.holds.helpers import places, seats, wish
from tests.kit.helpers import until
from tests.races.arena import Arena, arena
from tests.races.test_checkout import Shop, buyer_of, shop

pytestmark = pytest.mark.req("BUY-6")
ROUNDS = 40 if soaking() else 8
# A guard is a piece of a function's text, and what is left of it without.
ONE_SERVES = ("app.offer_places", "w.event_id = show FOR UPDATE", "w.event_id = show")
IN_TURN = ("app.hold_in_turn", "IF waited <> '{}' THEN", "IF false THEN")
ELSEWHERE_THEN = ("app.offer_places", "busy := busy || taken;", "vain := vain || next_one.wish;")
SHARED_LIMIT = ("app.asked_for", "found.anywhere OR app.shares_a_limit(org, show, asked)", "found.anywhere")


async def full(at: Arena, *, pit: int, row: bool = False) -> tuple[Shop, list[UUID]]:
    """Everything is held; returns the holds of the pit's places, one each, or of the seats of a row."""
    to = await shop(at, rows=1, pit=pit)
    taken = await at.hold(wish(to.sale, new_id(), *seats(to.sale, *range(20)), ttl_s=9000))
    stands = await at.hold(wish(to.sale, new_id(), *(places(to.sale, "pit", 1) for _ in range(pit)), ttl_s=9000))
    assert all(result.is_granted for result in (*taken, *stands))
    return to, [result.hold_id for result in (taken if row else stands) if result.hold_id]


async def wait(to: Shop, people: int, **more: Any) -> None:
    services = to.services(0)
    for n in range(people):
        who = buyer_of(to.at)
        async with services.database.tenant(to.at.tenant.id, who.actor) as tx:
            entry = JoinWaitlist(email=f"p{n}-{who.id}@example.org", **more)
            await waitlist.join(tx, services.keyring, who, to.sale.event_id, entry)


async def give_back(to: Shop, ids: list[UUID], n: int = 0) -> None:
    async with to.services(n).database.tenant(to.at.tenant.id) as tx:
        assert await holds.end(tx, ids, "cancelled") == len(ids)


async def serve(to: Shop, n: int) -> int:
    async with to.services(n).database.tenant(to.at.tenant.id) as tx:
        return await waitlist.serve(tx, to.sale.event_id)


async def offered(at: Arena) -> list[int]:
    """In the order of joining, those who have something."""
    rows = await at.owner.fetch("SELECT seq FROM waitlist_entries WHERE status = 'offered' ORDER BY seq")
    return [row["seq"] for row in rows]


async def two_workers(to: Shop, held: list[UUID]) -> list[int]:
    """Four places, three people. The second begins before the first has committed."""
    await wait(to, 3, zone_id=UUID(to.sale.zones["pit"]))
    await give_back(to, held)
    async with to.services(0).database.tenant(to.at.tenant.id) as tx:
        made = await waitlist.serve(tx, to.sale.event_id)
        second = asyncio.create_task(serve(to, 1))
        mine = await tx.fetchval("SELECT pg_backend_pid()")
        waits = "SELECT true FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) LIMIT 1"
        await until(lambda: to.at.owner.fetchval(waits, mine), 20)
    return [made, await second]


async def test_each_return_leads_to_one_offer(tmp_path: Path) -> None:
    async with arena(tmp_path, 2) as at:
        to, held = await full(at, pit=4)
        assert await two_workers(to, held) == [3, 0]
        assert await offered(at) == [1, 2, 3]
        assert await at.wrong() == {}


async def test_without_the_lists_lock_two_workers_serve_the_same_person(tmp_path: Path) -> None:
    """Even then the table forbids it: the second one fails, and nothing of what it did stays."""
    async with arena(tmp_path, 2) as at:
        await at.remove(ONE_SERVES)
        to, held = await full(at, pit=4)
        with pytest.raises(asyncpg.RestrictViolationError):
            await two_workers(to, held)
        assert await offered(at) == [1, 2, 3]
        assert await at.wrong() == {}


async def crowd(at: Arena, servers: int = 2) -> int:
    """Seats come back one by one, while strangers ask for them all the time and workers serve. Returns how many seats
    the strangers got."""
    to, held = await full(at, pit=1, row=True)
    await wait(to, ROUNDS)
    over = asyncio.Event()

    async def stranger(n: int) -> int:
        got = 0
        while not over.is_set():
            results = await at.hold(wish(to.sale, new_id(), *seats(to.sale, n % min(ROUNDS, 20))), n % 3)
            got += results[0].is_granted
            n += 1
        return got

    async def worker(n: int) -> None:
        while not over.is_set():
            await serve(to, n)
            await asyncio.sleep(0.05)

    work = [asyncio.create_task(stranger(n)) for n in range(6)]
    workers = [asyncio.create_task(worker(n)) for n in range(servers)]
    for hold_id in held[: min(ROUNDS, 20)]:
        await give_back(to, [hold_id], 2)
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)
    over.set()
    got = sum(await asyncio.gather(*work))
    await asyncio.gather(*workers)
    return got


@pytest.mark.soak
@pytest.mark.parametrize("servers", [0, 2])
async def test_nobody_is_faster_than_who_waits(tmp_path: Path, servers: int) -> None:
    async with arena(tmp_path, 3) as at:
        assert await crowd(at, servers) == 0
        assert await offered(at) == list(range(1, min(ROUNDS, 20) + 1))
        assert await at.wrong() == {}


async def test_without_their_turn_strangers_would_be(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        await at.remove(IN_TURN)
        assert await crowd(at, 0) > 0  # a worker that is quick enough would hide it


async def beside_a_locked_seat(at: Arena) -> bool:
    """Two single seats come back to one who waits. One of them is locked, and a stranger wants the other: does he get
    it?"""
    to, held = await full(at, pit=1, row=True)
    await wait(to, 1)
    await give_back(to, [held[0], held[3]])
    async with at.owner.transaction():
        await at.owner.execute("SELECT FROM event_seats WHERE ordinal = 0 FOR UPDATE")
        (result,) = await at.hold(wish(to.sale, new_id(), *seats(to.sale, 3)))
    return result.is_granted


async def test_who_waits_is_seated_elsewhere_if_a_seat_is_locked(tmp_path: Path) -> None:
    async with arena(tmp_path) as at:
        assert not await beside_a_locked_seat(at)
        assert await offered(at) == [1]
        assert await at.wrong() == {}


async def test_without_another_try_a_stranger_has_the_seat(tmp_path: Path) -> None:
    async with arena(tmp_path) as at:
        await at.remove(ELSEWHERE_THEN)
        assert await beside_a_locked_seat(at)


async def last_tickets(at: Arena) -> list[int]:
    """Two rows of twenty, thirty tickets. Two come back in the first row, where a pair fits; a stranger wants a single
    seat of the second row, and would leave one ticket."""
    to = await shop(at, rows=2, pit=1, quantity=30)
    taken = await at.hold(wish(to.sale, new_id(), *seats(to.sale, *range(20), *range(20, 40, 2)), ttl_s=9000))
    assert all(result.is_granted for result in taken)
    await wait(to, 1, party=2)
    await give_back(to, [result.hold_id for result in taken[:2] if result.hold_id])
    await at.hold(wish(to.sale, new_id(), *seats(to.sale, 21)))
    await serve(to, 0)
    return await offered(at)


async def test_nobody_takes_the_last_tickets_in_another_row(tmp_path: Path) -> None:
    async with arena(tmp_path) as at:
        assert await last_tickets(at) == [1]
        assert await at.wrong() == {}


async def test_if_only_the_row_counted_he_would(tmp_path: Path) -> None:
    async with arena(tmp_path) as at:
        await at.remove(SHARED_LIMIT)
        assert await last_tickets(at) == []


@pytest.mark.fault
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_killed_worker_has_offered_all_or_nothing(tmp_path: Path, when: str) -> None:
    async with arena(tmp_path, 1) as at:
        to, held = await full(at, pit=4)
        await wait(to, 3, zone_id=UUID(to.sale.zones["pit"]), party=2)
        await give_back(to, held)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.races.killed_worker",
            at.url,
            str(tmp_path),
            when,
            str(at.tenant.id),
            str(to.sale.event_id),
        )
        async with asyncio.timeout(60):
            assert await process.wait() == -signal.SIGKILL
        assert await serve(to, 0) == (2 if when == "before" else 0)
        assert await offered(at) == [1, 2]
        told = await at.owner.fetchval("SELECT count(*) FROM outbox WHERE name = 'waitlist.offered'")
        assert told == 2
        assert await at.wrong() == {}
