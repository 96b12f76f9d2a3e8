"""Periodic work: a loop per task, with one leader among all worker processes; or, for gauges, a task in each process.

Leadership is a session-level advisory lock on a connection of the loop's own: it ends with the process, the connection
or the database, without a timeout to tune. A round that fails is logged, and the next one runs as usual.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.kit.db.database import DATABASE_ERRORS, WORKER, connect, is_unavailable
from fullhouse.kit.tasks import timeout

log = structlog.get_logger()
ROUNDS = Counter("fullhouse_loop_rounds_total", "Rounds of periodic work", ["loop", "outcome"])


class Loop:
    """Runs `work` every `every_s` seconds wherever this loop is the leader."""

    def __init__(self, name: str, every_s: float, work: Callable[[], Awaitable[Any]], *, url: str) -> None:
        self.name = name
        self._every_s = every_s
        self._work = work
        self._url = url
        self._key = int.from_bytes(hashlib.sha256(f"loop:{name}".encode()).digest()[:8], signed=True)
        self.leading = asyncio.Event()

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            try:
                await self._lead()
            except DATABASE_ERRORS as error:
                log.warning("loop.database_lost", loop=self.name, error=repr(error))
            self.leading.clear()
            await asyncio.sleep(min(self._every_s, 2.0))

    async def _lead(self) -> None:
        connection = await connect(self._url, WORKER)
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", self._key):
                await asyncio.sleep(min(self._every_s, 2.0))
            self.leading.set()
            while not lost.is_set():
                await self._round(lost)
                with suppress(TimeoutError):
                    async with timeout(self._every_s):
                        await lost.wait()
                    return
                await connection.fetchval("SELECT 1")  # still the leader only if the connection still answers
        finally:
            connection.terminate()

    async def _round(self, lost: asyncio.Event) -> None:
        work = asyncio.ensure_future(self._work())
        ended = asyncio.ensure_future(lost.wait())
        try:
            await asyncio.wait((work, ended), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                return  # no longer the leader: the next one does it
            work.result()
            ROUNDS.labels(self.name, "ok").inc()
        except Exception:
            ROUNDS.labels(self.name, "failed").inc()
            log.exception("loop.round_failed", detail="the next round runs as usual", loop=self.name)
        finally:
            ended.cancel()
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)  # our own cancellation still gets through


async def run_in_each_process(name: str, every_s: float, work: Callable[[], Awaitable[Any]]) -> None:
    """Runs until cancelled, for work that only sets gauges: a former leader would export stale values for ever."""
    while True:
        try:
            await work()
            ROUNDS.labels(name, "ok").inc()
        except Exception:
            ROUNDS.labels(name, "failed").inc()
            log.exception("loop.round_failed", detail="the next round runs as usual", loop=name)
        await asyncio.sleep(every_s)


async def process_each(
    due: Iterable[tuple[UUID, UUID]], work: Callable[[UUID, UUID], Awaitable[int]], event: str
) -> int:
    """Does `work` for each item that a sweep has found, by organisation and id, and returns the sum of the results. One
    that fails blocks no other: it stays due, and is logged as `event`."""
    done = 0
    for organization_id, found_id in due:
        try:
            done += await work(organization_id, found_id)
        except Exception as error:
            if is_unavailable(error):
                raise
            log.exception(event, organization_id=str(organization_id), id=str(found_id))
    return done
