"""Locks that the kernel releases when their last holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Callable
from typing import Self

PAUSE_S = 0.02


class FileLock:
    """An flock() on an open file. Processes that inherit the descriptor hold the same lock."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def lock_shared(self) -> None:
        fcntl.flock(self.fd, fcntl.LOCK_SH)

    def try_lock_exclusive(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Closes our descriptor; processes that inherited it still hold the lock."""
        os.close(self.fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def wait_until(done: Callable[[], bool], timeout_s: float, pause_s: float = PAUSE_S) -> bool:
    """Polls until `done()` is true; returns False after the timeout."""
    deadline = time.monotonic() + timeout_s
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
    return True
