"""A circuit breaker: after a few failures in a row it opens, and lets one trial call through at intervals.

A dependency that hangs costs each caller its timeout; an open breaker costs nothing.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from fullhouse.kit.tasks import timeout

T = TypeVar("T")
log = structlog.get_logger()


class CircuitBreaker:
    def __init__(self, name: str, *, timeout_s: float, failures: int = 3, rest_s: float = 1.0) -> None:
        self.name = name
        self._timeout_s, self._failures, self._retry_after_s = timeout_s, failures, rest_s
        self._failed = 0
        self._retry_at = 0.0  # monotonic time from which the next trial call is let through

    @property
    def open(self) -> bool:
        return self._failed >= self._failures and time.monotonic() < self._retry_at

    async def call(self, work: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """The result, or `otherwise` if the call fails or times out, or the breaker is open."""
        if self.open:
            return otherwise
        if self._failed >= self._failures:
            self._retry_at = time.monotonic() + self._retry_after_s  # one caller tries; the others get `otherwise`
        try:
            async with timeout(self._timeout_s):
                result = await work()
        except (TimeoutError, OSError, ConnectionError) as error:
            self._record_failure(error)
            return otherwise
        self.close()
        return result

    @property
    def tripped(self) -> bool:
        """Open, or waiting for a trial call to succeed."""
        return self._failed >= self._failures

    def close(self) -> None:
        """The dependency works."""
        if self.tripped:
            log.info("dependency.restored", dependency=self.name)
        self._failed = 0

    def _record_failure(self, error: BaseException) -> None:
        self._failed += 1
        if self._failed == self._failures:
            detail = "calls are skipped until it responds"
            log.warning("dependency.unavailable", dependency=self.name, detail=detail, error=repr(error))
        if self._failed >= self._failures:
            self._retry_at = time.monotonic() + self._retry_after_s
