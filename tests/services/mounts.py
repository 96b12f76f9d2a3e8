"""Disks of a test's own, to fill or to lose."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.servers import missing


def mount(*words: str | Path) -> None:
    """Where only others may, the test is skipped; with CI=true it fails."""
    if os.geteuid() != 0:
        raise missing("only root can mount a disk")
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        [why, *_] = done.stderr.splitlines()
        raise missing(f"mounting is not permitted: {why}")


@contextmanager
def small_disk(at: Path, megabytes: int) -> Iterator[Path]:
    mount("-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", at)
    try:
        yield at
    finally:
        subprocess.run(["umount", at], check=True)
