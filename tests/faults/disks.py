"""Disks for a database to lose: a file that is mounted, and whose power can be cut."""

import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.kit.helpers import until
from tests.services.mounts import mount

SIZE = 3 << 30  # of the file, which takes as much room as was written
# linux/fs/ext4: _IOR('X', 125, __u32). What was not written by now never is, nor is the journal's end: as if the power
# went. Copying the file while the kernel still writes to it would be neither before nor after.
SHUT_DOWN, WITHOUT_THE_LOG = 0x8004587D, 2


class Disk(NamedTuple):
    image: Path
    at: Path

    @property
    def words(self) -> tuple[str | Path, ...]:
        """For `mount`."""
        return "-o", "loop", self.image, self.at

    def is_free(self) -> bool:
        return subprocess.run(["umount", self.at], capture_output=True).returncode == 0

    def cut_power(self) -> None:
        """From here on every read and write fails."""
        folder = os.open(self.at, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(folder, SHUT_DOWN, struct.pack("I", WITHOUT_THE_LOG))
        finally:
            os.close(folder)

    def mount_again(self) -> None:
        subprocess.run(["mount", *self.words], check=True)

    async def give_power(self) -> None:
        """Once nobody has a file open there. What the disk had been told to keep is there again."""
        await until(self.is_free)
        self.mount_again()


@contextmanager
def disk_of(folder: Path) -> Iterator[Disk]:
    """What is in the folder is on a disk of its own."""
    disk, owner = Disk(folder.with_name("disk.img"), folder), folder.stat()
    with disk.image.open("wb"):
        os.truncate(disk.image, SIZE)
    subprocess.run(["mkfs.ext4", "-q", "-d", folder, disk.image], check=True)
    mount(*disk.words)
    (folder / "lost+found").rmdir()
    os.chown(folder, owner.st_uid, owner.st_gid)  # of the folder itself mkfs takes neither owner nor mode
    folder.chmod(owner.st_mode & 0o777)
    os.sync()
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        disk.image.unlink()
