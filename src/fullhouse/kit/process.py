"""Processes that end together, and hear of it."""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress
from typing import Any

NICENESS = 10
_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Asks the kernel to end this process when `parent` is gone, even by kill -9. Elsewhere than on Linux: nothing."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGTERM)


def step_back() -> None:
    """Lets those who answer people go first where processors are few: what we do may wait a moment, and catches up."""
    os.nice(max(0, NICENESS - os.nice(0)))  # whoever is more modest already stays so


class Alarm:
    """As a threading.Event, for signals. That one would not do: a signal that meets its lock in the thread that has it
    waits for itself for ever.
    """

    def __init__(self) -> None:
        self._heard, self._rung = os.pipe()
        os.set_blocking(self._heard, False)
        os.set_blocking(self._rung, False)

    def set(self, *_: Any) -> None:
        """Takes what a signal's handler is given."""
        with suppress(BlockingIOError):  # full: it was rung often enough
            os.write(self._rung, b".")

    def clear(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._heard, 4096):
                pass

    def is_set(self) -> bool:
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> bool:
        return bool(select.select([self._heard], [], [], timeout)[0])
