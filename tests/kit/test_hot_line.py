"""Dedicated connections: few, shared, replaced when they break, kept when only the statement failed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.db.database import DATABASE_ERRORS, PreparedStatementPool
from tests.kit.helpers import end_backends, frozen, until

QUERY = "SELECT pg_backend_pid() AS pid, 100 / $1::int AS share, pg_sleep($2::float) IS NULL AS slept"


@pytest.fixture
async def line(server_url: str) -> AsyncIterator[PreparedStatementPool]:
    opened = PreparedStatementPool(server_url, QUERY, lines=2, deadline_s=5)
    yield opened
    await opened.close()


async def pid_of(line: PreparedStatementPool) -> int:
    return int((await line.fetch(1, 0.0))[0]["pid"])


async def test_many_callers_share_the_lines_and_get_their_own_answers(line: PreparedStatementPool) -> None:
    answers = await asyncio.gather(*(line.fetch(n, 0.001) for n in range(1, 41)))
    assert [rows[0]["share"] for rows in answers] == [100 // n for n in range(1, 41)]
    assert len({rows[0]["pid"] for rows in answers}) <= 2


async def test_a_failed_statement_keeps_the_line(line: PreparedStatementPool) -> None:
    pid = await pid_of(line)
    with pytest.raises(asyncpg.DivisionByZeroError):
        await line.fetch(0, 0.0)
    assert await pid_of(line) == pid


async def test_a_line_that_broke_while_idle_costs_nobody_an_error(line: PreparedStatementPool, owner: Any) -> None:
    pid = await pid_of(line)
    assert await end_backends(owner, f"pid = {pid}") == 1
    await until(lambda: all(idle.connection.is_closed() for idle in line._idle._queue if idle))  # type: ignore[attr-defined]
    assert await pid_of(line) != pid


async def test_a_line_that_breaks_at_work_is_replaced(line: PreparedStatementPool, owner: Any) -> None:
    pid = await pid_of(line)
    at_work = asyncio.create_task(line.fetch(1, 60.0))
    await until(
        lambda: owner.fetchval("SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $1", pid),
    )
    await end_backends(owner, f"pid = {pid}")
    with pytest.raises(DATABASE_ERRORS):
        await at_work
    assert await pid_of(line) != pid


async def test_callers_who_give_up_leave_the_lines_in_order(line: PreparedStatementPool) -> None:
    callers = [asyncio.create_task(line.fetch(1, 60.0)) for _ in range(6)]
    await asyncio.sleep(0)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    answers = await asyncio.gather(*(line.fetch(n, 0.0) for n in range(1, 11)))
    assert [rows[0]["share"] for rows in answers] == [100 // n for n in range(1, 11)]
    assert len({rows[0]["pid"] for rows in answers}) <= 2


@pytest.mark.fault
async def test_a_silent_line_costs_the_deadline_and_is_replaced(server_url: str) -> None:
    line = PreparedStatementPool(server_url, QUERY, lines=1, deadline_s=0.5)
    pid = await until(lambda: pid_of(line))
    async with asyncio.timeout(20):
        with frozen(pid):
            with pytest.raises(TimeoutError):
                await line.fetch(1, 0.0)
            assert await until(lambda: pid_of(line)) != pid
    await line.close()


async def test_without_a_server_the_caller_hears_of_it(empty_database: str) -> None:
    nowhere = empty_database.replace("port=", "port=1")
    line = PreparedStatementPool(nowhere, QUERY, lines=1)
    for _ in range(3):  # and the line is not used up by it
        with pytest.raises(OSError):
            await line.fetch(1, 0.0)
    await line.close()
