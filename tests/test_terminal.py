"""What `serve` says while its error stream takes nothing is said once there is room."""

import errno
import io
import sys
from typing import Any

import pytest

from fullhouse.kit.postgres import PostgresError
from fullhouse.processes.serve import DatabaseSupervisor


class Disk(io.RawIOBase):
    """A file on a disk that is full until it is not."""

    def __init__(self) -> None:
        self.is_full, self.text = True, ""

    def writable(self) -> bool:
        return True

    def write(self, text: Any) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.text += bytes(text).decode()
        return len(text)


class Cluster:
    """A database that does not start."""

    running = False

    def start(self) -> None:
        raise PostgresError("The disk is full: free at least 64 MB.")


@pytest.mark.req("OPS-1")
def test_a_sentence_that_the_disk_did_not_take_is_said_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BufferedWriter(disk)))
    keeper = DatabaseSupervisor(Cluster())  # type: ignore[arg-type]
    monkeypatch.setattr(keeper._backoff, "record_failure", lambda: None)  # without its pauses
    keeper.restart_dead()
    keeper.restart_dead()
    assert disk.text == ""
    disk.is_full = False
    keeper.restart_dead()  # the same sentence again, which is not said twice
    assert disk.text.count("free at least 64 MB") == 1
    keeper.restart_dead()
    assert disk.text.count("free at least 64 MB") == 1
