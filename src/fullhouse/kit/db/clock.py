"""The database's time without asking it: how far it is from our own, measured now and then.

For what is shown (is it on sale, how long until then) and read from memory. What decides anything asks the database.
"""

import asyncio
import time
from datetime import UTC, datetime

import structlog

from fullhouse.kit.db.database import LOST, HotLine

EVERY_S = 5.0
log = structlog.get_logger()


class Clock:
    def __init__(self, pulse: HotLine) -> None:
        self._pulse = pulse
        self._ahead_s = time.time() - time.monotonic()  # until the first answer: our own time
        self._measuring: asyncio.Task[None] | None = None

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds(), UTC)

    def seconds(self) -> float:
        """Since 1970, for those who ask very often."""
        return time.monotonic() + self._ahead_s

    async def measure(self) -> None:
        """The answer was true about half-way between question and arrival."""
        asked = time.monotonic()
        there = (await self._pulse.fetch())[0]["now"].timestamp()
        self._ahead_s = there - (asked + time.monotonic()) / 2

    async def start(self) -> None:
        await self._try()
        self._measuring = asyncio.create_task(self._keep_measuring(), name="clock")

    async def stop(self) -> None:
        if self._measuring:
            self._measuring.cancel()

    async def _keep_measuring(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            await self._try()

    async def _try(self) -> None:
        try:
            await self.measure()
        except LOST as error:
            log.warning("the database's time was not to be had", error=repr(error))
