"""Everybody at the door at once: exact admission, dense numbers, one place each; and what each guard is good for."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.waiting_room import actions, jobs
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, a_finder, hall, stage
from tests.kit.helpers import until
from tests.queue import joining
from tests.queue.helpers import entries, finish, join, settle, soon, statuses
from tests.races.arena import Arena, arena

PEOPLE, SLOTS = (2_000, 20) if soaking() else (150, 5)
ROOM_LOCK = ("app.queue_admit", "WHERE organization_id = org AND event_id = event FOR UPDATE;",
             "WHERE organization_id = org AND event_id = event;")  # fmt: skip
JOIN_LOCK = ("app.queue_join", "FROM queue_rooms WHERE organization_id = org AND event_id = event FOR UPDATE;",
             "FROM queue_rooms WHERE organization_id = org AND event_id = event;")  # fmt: skip
# The moment between counting the slots and filling them, made long enough for everybody to be in it.
SLOWLY = ("app.queue_let_in", "IF taken >= room.slots", "PERFORM pg_sleep(0.05); IF taken >= room.slots")
BY_THE_CLOCK = ("app.queue_let_in", "AND status = 'admitted';", "AND status = 'admitted' AND expires_at > clock;")
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1"


async def opened(at: Arena, **wish: Any) -> OnSale:
    sale = await stage(at.processes[0], at.tenant, hall(1, 10))
    await settle(at.processes[0], at.tenant, sale, mode="on", admit_window_s=1800, **wish)
    return sale


async def admit_everywhere(at: Arena, sale: OnSale, times: int) -> None:
    """As many statements as processes have lines, all at once."""
    lines = [await asyncpg.connect(at.url, server_settings={"role": "fullhouse_app"}) for _ in range(times)]
    try:
        await asyncio.gather(
            *(line.fetchval("SELECT app.queue_admit($1, NULL, $2)", at.tenant.id, sale.event_id) for line in lines)
        )
    finally:
        await asyncio.gather(*(line.close() for line in lines))


async def waiting_room(at: Arena, people: int, slots: int) -> OnSale:
    """So many wait, and as many slots have just become free, which nobody has noticed."""
    sale = await opened(at, slots=1)
    for _ in range(people):
        await join(at.processes[0], at.tenant, sale)
    await at.owner.execute("UPDATE queue_entries SET status = 'done' WHERE status = 'admitted'")
    await at.owner.execute("UPDATE queue_rooms SET slots = $1", slots)
    return sale


@pytest.mark.soak
@pytest.mark.req("QUEUE-1", "QUEUE-2", "CHK-1")
async def test_a_crowd_is_served_by_three_processes_and_never_too_many_at_once(tmp_path: Path) -> None:
    """Everybody comes at once, some twice; whoever is inside finishes at some time; all are served, in their order."""
    async with arena(tmp_path, 3) as at, a_finder(at.url) as finder:
        sale = await opened(at, slots=SLOTS)
        people = [new_id() for _ in range(PEOPLE)]
        comers = [*people, *random.Random(7).sample(people, PEOPLE // 5)]
        places = await asyncio.gather(
            *(join(random.choice(at.processes), at.tenant, sale, user_id) for user_id in comers)
        )
        seqs: dict[UUID, set[int]] = {}
        for user_id, place in zip(comers, places, strict=True):
            seqs.setdefault(user_id, set()).add(place.seq)
        assert sorted(seq for own in seqs.values() for seq in own) == list(range(1, PEOPLE + 1))
        most, over = 0, asyncio.Event()

        async def watch() -> None:
            nonlocal most
            while not over.is_set():
                row = await watching.fetchrow(
                    "SELECT count(*) FILTER (WHERE status = 'admitted') AS inside,"
                    " max(seq) FILTER (WHERE status <> 'waiting') AS served,"
                    " min(seq) FILTER (WHERE status = 'waiting') AS next FROM queue_entries"
                )
                assert row
                most = max(most, row["inside"])
                assert row["next"] is None or row["served"] < row["next"]

        async def work() -> None:
            """Whoever is inside buys; the worker's loop looks too."""
            while rows := await at.owner.fetch("SELECT user_id FROM queue_entries WHERE status = 'admitted'"):
                await asyncio.gather(
                    *(finish(random.choice(at.processes), at.tenant, sale, row["user_id"]) for row in rows),
                    jobs.advance_waiting_rooms(at.processes[0], finder),
                )

        watching = await asyncpg.connect(at.url, server_settings={"role": "fullhouse_auditor"})
        watcher = asyncio.create_task(watch())
        async with asyncio.timeout(300):
            while set(await statuses(at.owner, sale)) != {"done"}:
                await work()
                await jobs.advance_waiting_rooms(at.processes[0], finder)
        over.set()
        await watcher
        await watching.close()
        assert 0 < most <= SLOTS
        assert await at.wrong() == {}


@pytest.mark.req("QUEUE-2", "CHK-1")
@pytest.mark.parametrize("guarded", [True, False])
async def test_admission_is_exact_because_of_the_rooms_lock(tmp_path: Path, guarded: bool) -> None:
    async with arena(tmp_path) as at:
        sale = await waiting_room(at, 40, 3)
        await at.remove(SLOWLY)
        if not guarded:
            await at.remove(ROOM_LOCK)
        await admit_everywhere(at, sale, 8)
        inside = Counter(await statuses(at.owner, sale))["admitted"]
        assert inside == 3 if guarded else inside > 3
        assert ("queued" in await at.wrong()) is (not guarded)


@pytest.mark.req("QUEUE-2")
@pytest.mark.parametrize("guarded", [True, False])
async def test_a_slot_that_is_being_prolonged_is_not_given_away(tmp_path: Path, guarded: bool) -> None:
    """Its time is over, but its owner is just about to pay: until that has ended, one way or the other, it is taken."""
    async with arena(tmp_path) as at:
        sale = await waiting_room(at, 3, 1)
        await admit_everywhere(at, sale, 1)
        (inside,) = [row["user_id"] for row in await entries(at.owner, sale) if row["status"] == "admitted"]
        await at.owner.execute(
            "UPDATE queue_entries SET expires_at = now() - interval '1 s' WHERE user_id = $1", inside
        )
        if not guarded:
            await at.remove(BY_THE_CLOCK)
        async with at.processes[0].database.tenant(at.tenant.id) as tx:
            assert await actions.extend_slot(tx, sale.event_id, inside, await tx.now() + timedelta(minutes=10))
            await admit_everywhere(at, sale, 1)
        found = Counter(await statuses(at.owner, sale))["admitted"]
        assert found == (1 if guarded else 2)


@pytest.mark.req("QUEUE-1")
async def test_one_person_at_every_door_has_one_place(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        sale, me = await opened(at, slots=1), new_id()
        await join(at.processes[0], at.tenant, sale)
        places = await asyncio.gather(*(join(at.processes[n % 3], at.tenant, sale, me) for n in range(30)))
        assert {(place.seq, place.status, place.position) for place in places} == {(2, "waiting", 1)}
        assert await at.wrong() == {}


@pytest.mark.req("QUEUE-1")
async def test_without_the_lock_the_table_still_refuses_a_number_twice(tmp_path: Path) -> None:
    """Behind the lock stand the keys: a batch fails, but nobody has another's number, or two places."""
    async with arena(tmp_path, 3) as at:
        sale = await opened(at, slots=1)
        await join(at.processes[0], at.tenant, sale)
        await at.remove(JOIN_LOCK)
        refused = 0
        for _ in range(30):
            answers = await asyncio.gather(
                *(join(process, at.tenant, sale) for process in at.processes), return_exceptions=True
            )
            refused += sum(isinstance(answer, asyncpg.UniqueViolationError) for answer in answers)
        assert refused > 0
        rows = await at.owner.fetch("SELECT seq FROM queue_entries")
        assert len({row["seq"] for row in rows}) == len(rows)


@pytest.mark.fault
@pytest.mark.req("QUEUE-1")
async def test_who_was_told_a_place_has_it_though_the_server_was_killed(tmp_path: Path) -> None:
    rounds = 10 if soaking() else 2
    async with arena(tmp_path) as at, a_finder(at.url) as finder:
        sale = await opened(at, slots=1)
        for _ in range(rounds):
            told = await until_killed(at, sale, after=400)
            rows = {row["user_id"]: row for row in await entries(at.owner, sale)}
            for user_id, seq in told.items():
                assert rows[user_id]["seq"] == seq
            assert sorted(row["seq"] for row in rows.values()) == list(range(1, len(rows) + 1))
        assert await at.wrong() == {}
        last = await join(at.processes[0], at.tenant, sale)  # and the next one goes on where they were
        assert (last.seq, last.position) == (len(rows) + 1, len(rows))
        await keeps_going(at, sale, finder)


async def until_killed(at: Arena, sale: OnSale, after: int) -> dict[UUID, int]:
    """Whom a server of our own has told a place before it was killed in the middle of its work. What it had sent to the
    database by then is done or undone when this returns."""

    async def none_is_left() -> bool:
        return bool(await at.owner.fetchval(SESSIONS, joining.NAME) == 0)

    command = [sys.executable, "-m", "tests.queue.joining", at.url, str(at.tenant.id), str(sale.event_id)]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert server.stdout
    lines: list[bytes] = []
    async with asyncio.timeout(60):
        while len(lines) < after:
            lines.append(await server.stdout.readline())
        assert await at.owner.fetchval(SESSIONS, joining.NAME)
        os.kill(server.pid, signal.SIGKILL)
        lines += (await server.stdout.read()).splitlines(keepends=True)
        await server.wait()
    await until(none_is_left)
    whole = [line.split() for line in lines if line.startswith(b"place ") and line.endswith(b"\n")]
    return {UUID(user_id.decode()): int(seq) for _, user_id, seq in whole}


async def keeps_going(at: Arena, sale: OnSale, finder: Database) -> None:
    async def someone_else() -> bool:
        await jobs.advance_waiting_rooms(at.processes[0], finder)
        return [row["seq"] for row in await entries(at.owner, sale) if row["status"] == "admitted"] == [2]

    (first,) = [row["user_id"] for row in await entries(at.owner, sale) if row["status"] == "admitted"]
    await finish(at.processes[0], at.tenant, sale, first)
    await soon(someone_else)
    assert at.processes[0].part(WaitingRooms).is_open(sale.event_id) is not False
