"""The files through which processes share their metrics, safe against a full disk.

prometheus_client maps sparse files into memory: if the disk has no block for a hole, the kernel kills the process that
writes there (SIGBUS). Here a file's blocks are allocated before it is mapped. Without space, metrics are still counted
in memory, and written once there is space. A process continues the counts of its predecessor of the same name.
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
HEAD_BYTES = 40  # the most that an entry takes besides its key


def make_folder(home: Path, port: int) -> Path:
    """An empty folder for the processes of one `serve`: in /dev/shm if available, otherwise in the state folder."""
    name = f"fullhouse-{sha256(os.fsencode(home)).hexdigest()[:12]}-{port}"
    for folder in (IN_MEMORY / name, home / f"metrics-{port}"):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # it does not exist, or another user's folder is there
            folder.mkdir(mode=0o700)
            return folder
    raise OSError(f"no folder for metrics can be made in {home}")


def use_files_of(process: str, folder: str) -> None:
    """Must be called before any metric is created. `process` is a name that no other running process has."""
    for old in Path(folder).glob(f"gauge_live*_{process}.db"):
        old.unlink(missing_ok=True)  # the predecessor's live gauges no longer apply
    values.MmapedDict = ReservedFile  # type: ignore[assignment, attr-defined]
    values.ValueClass = values.MultiProcessValue(lambda: process)  # type: ignore[no-untyped-call]


class ReservedFile(MmapedDict):
    """Skips writes while the disk is full. The writer keeps the total in memory and writes it the next time."""

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
        """Renames the file into place once it is allocated, so that a reader never sees an incomplete one."""
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
