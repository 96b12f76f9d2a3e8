"""Timeouts for slow request bodies, at almost no cost for the others.

An event-loop timer for every body costs more than the rest of the fast lane (measured: a third fewer requests). So all
waits share one periodic timer.
"""

import asyncio
from time import monotonic

from fullhouse.kit.errors import Malformed


class Patience:
    """The time limit for receiving a body. Belongs to one event loop."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._waits: set[_Wait] = set()
        self._clock: asyncio.TimerHandle | None = None

    def wait(self) -> "_Wait":
        """A context manager around an await; raises Malformed at the time limit."""
        return _Wait(self)

    def begin(self, wait: "_Wait") -> None:
        self._waits.add(wait)
        if self._clock is None:
            self._wind()

    def end(self, wait: "_Wait") -> None:
        self._waits.remove(wait)

    def _wind(self) -> None:
        self._clock = asyncio.get_running_loop().call_later(min(1.0, self.seconds / 4), self._tick)

    def _tick(self) -> None:
        self._clock = None
        now = monotonic()
        for wait in self._waits:
            if now > wait.until:
                wait.give_up()
        if self._waits:
            self._wind()


class _Wait:
    __slots__ = ("_over", "_patience", "_task", "until")

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._over = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self.until = monotonic() + self._patience.seconds
        self._patience.begin(self)

    def give_up(self) -> None:
        if not self._over and self._task is not None:
            self._over = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, _exc: object, _trace: object) -> None:
        self._patience.end(self)
        # If the task was cancelled from elsewhere too, it stays cancelled.
        if self._over and self._task and self._task.uncancel() == 0 and kind is asyncio.CancelledError:
            raise Malformed("The body did not arrive in time. Send it again.") from None
