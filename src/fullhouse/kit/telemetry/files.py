"""The files by which processes show each other their metrics, such that a full disk ends nobody.

prometheus_client maps files with holes into memory: where the disk has no block for one, the kernel ends the process
that writes there (SIGBUS). Here a file has its blocks before it is mapped. What finds no room is counted all the same,
and shown as soon as there is some. A process goes on where the one of the same name before it ended.
"""

import mmap
import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
IN_MEMORY = Path("/dev/shm")  # noqa: S108
FIRST_BYTES = 1 << 16
HEAD_BYTES = 40  # of an entry, at most, besides its key


def make_folder(home: Path, port: int) -> Path:
    """An empty folder for the processes of one `serve`: in memory if the system has a place for that, else at home."""
    name = f"fullhouse-{sha256(os.fsencode(home)).hexdigest()[:12]}-{port}"
    for folder in (IN_MEMORY / name, home / f"metrics-{port}"):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # no such place, or somebody else's folder is there
            folder.mkdir(mode=0o700)
            return folder
    raise OSError(f"no folder for metrics can be made in {home}")


def use_as(process: str, folder: str) -> None:
    """To be called before any metric is made. `process` is a name that no other one has now."""
    for old in Path(folder).glob(f"gauge_live*_{process}.db"):
        old.unlink(missing_ok=True)  # what was open there is not open any more
    values.MmapedDict = ReservedFile  # type: ignore[assignment, attr-defined]
    values.ValueClass = values.MultiProcessValue(lambda: process)  # type: ignore[no-untyped-call]


class ReservedFile(MmapedDict):
    """Whoever writes has the value as well, and writes it whole each time: a write that finds no room is left out."""

    _f: Any
    _m: Any

    def __init__(self, filename: str) -> None:
        self._fname, self._f, self._m = filename, None, None
        self._used = self._capacity = 0
        self._positions: dict[str, int] = {}
        with suppress(OSError):
            self._map()

    def read_value(self, key: str) -> tuple[float, float]:
        try:
            found: tuple[float, float] = super().read_value(key)  # type: ignore[no-untyped-call]
        except OSError:
            return 0.0, 0.0
        return found

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        with suppress(OSError):
            super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        if self._f:
            super().close()  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        if self._f is None:
            self._map()
            if key in self._positions:
                return
        wanted = self._used + len(key.encode()) + HEAD_BYTES
        if wanted > self._capacity:
            capacity = self._capacity
            while capacity < wanted:
                capacity *= 2
            _reserve(self._f.fileno(), capacity)
            self._m = mmap.mmap(self._f.fileno(), capacity)
            self._capacity = capacity
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def _map(self) -> None:
        """A reader never meets a file without its first entry's place: it appears under its name when it is whole."""
        if not os.path.exists(self._fname):
            draft = f"{self._fname}.new"
            try:
                with open(draft, "wb") as file:
                    _reserve(file.fileno(), FIRST_BYTES)
                os.rename(draft, self._fname)
            except OSError:
                with suppress(OSError):
                    os.unlink(draft)
                raise
        super().__init__(self._fname)  # type: ignore[no-untyped-call]


def _reserve(fd: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
    else:
        start = os.fstat(fd).st_size
        os.pwrite(fd, bytes(size - start), start)
