"""The database's time, known here without asking."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fullhouse.kit.db.clock import Clock
from fullhouse.kit.db.database import PreparedStatementPool
from fullhouse.kit.services import _HEALTH_SQL, Services
from tests.kit.helpers import until

pytestmark = pytest.mark.req("CACHE-1")
Move = Callable[[timedelta], Any]
DAY = timedelta(days=1)
NEAR = timedelta(seconds=5)  # a busy machine, not a wrong clock


@pytest.fixture
async def pulse(server_url: str) -> AsyncIterator[PreparedStatementPool]:
    line = PreparedStatementPool(server_url, _HEALTH_SQL, lines=1, deadline_s=2)
    yield line
    await line.close()


class Away(PreparedStatementPool):
    """A database that can be taken away, and says something else when it is back."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead, self.away, self.asked = ahead, False, 0

    async def fetch(self, *args: Any) -> list[Any]:
        self.asked += 1
        if self.away:
            raise ConnectionRefusedError
        return [{"now": datetime.now(UTC) + self.ahead}]


def ahead(clock: Clock) -> timedelta:
    return clock.now() - datetime.now(UTC)


async def test_before_the_first_answer_it_is_our_own_time() -> None:
    assert abs(ahead(Clock(Away(DAY)))) < NEAR


async def test_it_follows_the_databases_time(pulse: PreparedStatementPool, clock: Move) -> None:
    here = Clock(pulse)
    for shift in (DAY, -40 * DAY, timedelta()):
        await clock(shift)
        await here.measure()
        assert abs(ahead(here) - shift) < NEAR


async def test_it_is_measured_before_the_process_serves(services: Services, clock: Move) -> None:
    await clock(3 * DAY)
    other = Clock(services.health_query)
    await other.start()
    await other.stop()
    assert abs(ahead(other) - 3 * DAY) < NEAR


async def test_it_runs_on_between_two_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Clock(Away(DAY))
    await here.measure()
    before, monotonic = here.now(), time.monotonic
    monkeypatch.setattr("fullhouse.kit.db.clock.time.monotonic", lambda: monotonic() + 3600)
    assert abs(here.now() - before - timedelta(hours=1)) < NEAR


async def test_while_the_database_is_away_it_keeps_what_it_knew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.kit.db.clock.MEASURE_EVERY_S", 0.001)
    database = Away(DAY)
    here = Clock(database)
    await here.start()
    try:
        database.away, asked = True, database.asked
        await until(lambda: database.asked > asked + 3)  # it goes on asking
        assert abs(ahead(here) - DAY) < NEAR
        database.ahead, database.away = 2 * DAY, False
        await until(lambda: abs(ahead(here) - 2 * DAY) < NEAR)
    finally:
        await here.stop()


async def test_a_process_starts_without_the_database() -> None:
    database = Away(DAY)
    database.away = True
    here = Clock(database)
    await here.start()
    await here.stop()
    assert abs(ahead(here)) < NEAR


async def test_it_stops_asking_when_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullhouse.kit.db.clock.MEASURE_EVERY_S", 0.0)
    database = Away(DAY)
    here = Clock(database)
    await here.start()
    await until(lambda: database.asked > 3)
    await here.stop()
    await asyncio.sleep(0)
    asked = database.asked
    for _ in range(10):
        await asyncio.sleep(0)
    assert database.asked == asked
