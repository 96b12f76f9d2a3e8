"""Process lifetime, priority and signals."""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress
from typing import Any

NICENESS = 10
_PR_SET_PDEATHSIG = 1


def exit_with_parent(parent: int) -> None:
    """Asks the kernel to send this process SIGTERM when `parent` ends, even by kill -9. Does nothing outside Linux."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call
        os.kill(os.getpid(), signal.SIGTERM)


def lower_priority() -> None:
    """Lowers this process's CPU priority, so that API processes run first where cores are few."""
    os.nice(max(0, NICENESS - os.nice(0)))  # a process that already has a lower priority keeps it


class SignalEvent:
    """An event that signal handlers can set. A threading.Event would deadlock: a signal handler that runs in the thread
    holding the event's lock waits for that lock for ever.
    """

    def __init__(self) -> None:
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)

    def set(self, *_: Any) -> None:
        """Accepts a signal handler's arguments."""
        with suppress(BlockingIOError):  # the pipe is full, so the event is set already
            os.write(self._write_fd, b".")

    def clear(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._read_fd, 4096):
                pass

    def is_set(self) -> bool:
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> bool:
        return bool(select.select([self._read_fd], [], [], timeout)[0])
