"""The database's time without a query: its offset from the local clock, measured every few seconds.

For display (is it on sale, how long until then), read from memory. Decisions use the database's own clock.
"""

import asyncio
import time
from datetime import UTC, datetime

import structlog

from fullhouse.kit.db.database import DATABASE_ERRORS, PreparedStatementPool

MEASURE_EVERY_S = 5.0
log = structlog.get_logger()


class Clock:
    def __init__(self, pulse: PreparedStatementPool) -> None:
        self._time_query = pulse
        self._ahead_s = time.time() - time.monotonic()  # local time until the first measurement
        self._measuring: asyncio.Task[None] | None = None

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)

    def seconds(self) -> float:
        """Seconds since 1970, for callers in hot paths."""
        return time.monotonic() + self._ahead_s

    async def measure(self) -> None:
        """Assumes that the server read its clock half-way between the query and its response."""
        sent_at = time.monotonic()
        server_s = (await self._time_query.fetch())[0]["now"].timestamp()
        self._ahead_s = server_s - (sent_at + time.monotonic()) / 2

    async def start(self) -> None:
        await self._measure_or_log()
        self._measuring = asyncio.create_task(self._keep_measuring(), name="clock")

    async def stop(self) -> None:
        if self._measuring:
            self._measuring.cancel()

    async def _keep_measuring(self) -> None:
        while True:
            await asyncio.sleep(MEASURE_EVERY_S)
            await self._measure_or_log()

    async def _measure_or_log(self) -> None:
        try:
            await self.measure()
        except DATABASE_ERRORS as error:
            log.warning("clock.measurement_failed", detail="the last offset stays in use", error=repr(error))
