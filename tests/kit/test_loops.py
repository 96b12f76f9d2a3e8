"""Periodic work has one leader; when it falls, another leads; and a failed round is followed by the next."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.loops import Loop, run_in_each_process
from tests.kit.helpers import end_backends, until

Work = Callable[[], Awaitable[None]]
_LEADERS = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
LEADER = f"pid IN ({_LEADERS})"


@pytest.fixture
def name() -> str:
    return f"loop {new_id()}"


@pytest.fixture
async def start(server_url: str, name: str) -> AsyncIterator[Any]:
    """Starts the loop as another process would; it is stopped after the test."""
    async with AsyncExitStack() as stack:

        async def stop(task: asyncio.Task[None]) -> None:
            task.cancel()
            await asyncio.wait((task,), timeout=10)
            assert task.cancelled()

        def start(work: Work, every_s: float = 0.02) -> tuple[Loop, asyncio.Task[None]]:
            loop = Loop(name, every_s, work, url=server_url)
            task = asyncio.create_task(loop.run())
            stack.push_async_callback(stop, task)
            return loop, task

        yield start


class Rounds:
    """Work that writes down whose rounds they were, and that no two were at work at once."""

    def __init__(self) -> None:
        self.of: list[str] = []
        self.at_work = 0

    def by(self, who: str) -> Work:
        async def work() -> None:
            assert self.at_work == 0
            self.at_work += 1
            try:
                await asyncio.sleep(0)
                self.of.append(who)
            finally:
                self.at_work -= 1

        return work


async def test_of_many_processes_one_does_each_round(start: Any) -> None:
    rounds = Rounds()
    loops = [start(rounds.by(who))[0] for who in ("a", "b", "c")]
    await until(lambda: len(rounds.of) >= 20)
    assert len(set(rounds.of)) == 1
    assert sum(loop.leading.is_set() for loop in loops) == 1


async def test_what_only_looks_is_done_in_each_process_through_failures(name: str) -> None:
    seen: list[str] = []

    async def look(who: str) -> None:
        seen.append(who)
        if len(seen) < 3:
            raise ZeroDivisionError

    running = [asyncio.create_task(run_in_each_process(name, 0.01, partial(look, who))) for who in "ab"]
    await until(lambda: seen.count("a") > 3 and seen.count("b") > 3)
    for task in running:
        task.cancel()
    await asyncio.wait(running)


async def test_loops_of_different_names_lead_side_by_side(server_url: str) -> None:
    rounds = Rounds()
    loops = [Loop(f"{who} {new_id()}", 0.02, rounds.by(who), url=server_url) for who in ("a", "b")]
    tasks = [asyncio.create_task(loop.run()) for loop in loops]
    await until(lambda: set(rounds.of) == {"a", "b"})
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_when_the_leaders_connection_ends_another_leads(start: Any, owner: Any) -> None:
    rounds = Rounds()
    loops = [start(rounds.by(who))[0] for who in ("a", "b")]

    async def another_leads(than: int | None) -> bool:
        leaders = [row["pid"] for row in await owner.fetch(_LEADERS)]
        assert len(leaders) <= 1
        return leaders != [] and leaders != [than]

    async def fall() -> None:
        leader = await owner.fetchval(_LEADERS)
        assert await end_backends(owner, LEADER) == 1
        await until(lambda: another_leads(than=leader))
        done = len(rounds.of)
        await until(lambda: len(rounds.of) > done + 3)
        assert sum(loop.leading.is_set() for loop in loops) == 1

    await until(lambda: another_leads(than=None))
    for _ in range(3):
        await fall()


async def test_a_process_that_stops_hands_over(start: Any) -> None:
    rounds = Rounds()
    _, first = start(rounds.by("a"))
    await until(lambda: "a" in rounds.of)
    start(rounds.by("b"))
    first.cancel()
    await until(lambda: "b" in rounds.of)


async def test_a_leader_who_loses_its_connection_stops_its_round(start: Any, owner: Any) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    start(endless)
    await begun.wait()
    assert await end_backends(owner, LEADER) == 1
    await asyncio.wait_for(stopped.wait(), 10)


async def test_a_failed_round_is_followed_by_the_next(start: Any) -> None:
    tries = 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ZeroDivisionError

    loop, _ = start(work)
    await until(lambda: tries >= 5)
    assert loop.leading.is_set()


async def test_stopping_in_the_very_moment_of_a_lost_connection_stops(start: Any, owner: Any) -> None:
    """The round is being called off, and takes a moment to unwind, when the process is told to end."""
    begun, unwinding, unwound = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow_to_stop() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            unwinding.set()
            await asyncio.shield(unwound.wait())

    _, task = start(slow_to_stop)
    await begun.wait()
    assert await end_backends(owner, LEADER) == 1
    await unwinding.wait()
    task.cancel()
    unwound.set()
    done, _ = await asyncio.wait((task,), timeout=5)
    assert done == {task}
