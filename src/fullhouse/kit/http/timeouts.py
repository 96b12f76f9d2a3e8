"""Timeouts for slow request bodies, at almost no cost for the others.

An event-loop timer for every body costs more than the rest of the fast lane (measured: a third fewer requests). So all
waits share one periodic timer.
"""

import asyncio
from time import monotonic

from fullhouse.kit.errors import Malformed


class Timeouts:
    """The time limit for receiving a body. Belongs to one event loop."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._waits: set[_Wait] = set()
        self._timer: asyncio.TimerHandle | None = None

    def wait(self) -> "_Wait":
        """A context manager around an await; raises Malformed at the time limit."""
        return _Wait(self)

    def begin(self, wait: "_Wait") -> None:
        self._waits.add(wait)
        if self._timer is None:
            self._schedule_tick()

    def end(self, wait: "_Wait") -> None:
        self._waits.remove(wait)

    def _schedule_tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(min(1.0, self.seconds / 4), self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = monotonic()
        for wait in self._waits:
            if now > wait.until:
                wait.cancel()
        if self._waits:
            self._schedule_tick()


class _Wait:
    __slots__ = ("_task", "_timed_out", "_timeouts", "until")

    def __init__(self, patience: Timeouts) -> None:
        self._timeouts = patience
        self._timed_out = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self.until = monotonic() + self._timeouts.seconds
        self._timeouts.begin(self)

    def cancel(self) -> None:
        if not self._timed_out and self._task is not None:
            self._timed_out = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, _exc: object, _trace: object) -> None:
        self._timeouts.end(self)
        # If the task was cancelled from elsewhere too, it stays cancelled.
        if self._timed_out and self._task and self._task.uncancel() == 0 and kind is asyncio.CancelledError:
            raise Malformed("The body did not arrive in time. Send it again.") from None
