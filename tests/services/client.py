"""How a test run starts its keeper, and how a test asks it for a server."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.servers import missing

MEMORY, ROOM = Path("/dev/shm"), 8 << 30  # bytes: a whole run takes less than half of it
# Where the keeper listens. Workers inherit it, and so does every process that the run starts: it is the run's mark.
ADDRESS = "FULLHOUSE_TEST_KEEPER"


class Run:
    """The keeper of this test run and its folder, owned by the one process that workers report to."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="fh-", dir=_where()))
        self.home.chmod(0o755)
        os.environ[ADDRESS] = str(self.home / "keeper")
        with socket.socket(socket.AF_UNIX) as listener, (self.home / "log").open("wb") as log:
            # Bound here and served there: who asks before the keeper is up waits for it.
            listener.bind(os.environ[ADDRESS])
            listener.listen()
            self.keeper = subprocess.Popen(
                [sys.executable, "-m", "tests.services.keeper", str(listener.fileno()), str(self.home)],
                cwd=Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=[listener.fileno()],
                start_new_session=True,
            )

    def stop(self) -> list[str]:
        """Stops all servers. Answers which processes of this run are still there, and ends no others."""
        assert self.keeper.stdin
        self.keeper.stdin.close()
        try:
            self.keeper.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.keeper.kill()
        shutil.rmtree(self.home, ignore_errors=True)
        deadline = time.monotonic() + 5
        while (left := list(self._left())) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def _left(self) -> Iterator[str]:
        """PostgreSQL's children overwrite their environment, so a process in the run's folder counts too."""
        mark = f"{ADDRESS}={self.home}/".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                ours = mark in (process / "environ").read_bytes()
                ours = ours or Path(os.readlink(process / "cwd")).is_relative_to(self.home)
                if ours and process.name != str(os.getpid()):
                    command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    yield f"{process.name}: {command[:150]}"
            except OSError:
                continue  # it ended meanwhile, or belongs to somebody else


def _where() -> Path:
    """In memory where there is much of it: on a disk, making and removing files takes a tenth of the tests' time.
    Else in /tmp whatever TMPDIR says: a socket's path must be short, and PostgreSQL's user must get there."""
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = min(shutil.disk_usage(MEMORY).free, int(lines["MemAvailable"].split()[0]) << 10)
        runs = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC  # PostgreSQL's programs may be copied there for its user
    except OSError:
        return Path("/tmp")
    return MEMORY if runs and free >= ROOM and os.access(MEMORY, os.W_OK) else Path("/tmp")


def ask(*question: str) -> dict[str, str]:
    """Asks the keeper for a server. The test is skipped if its program is not installed; with CI=true it fails."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(150)
        try:
            line.connect(os.environ[ADDRESS])
            line.sendall(" ".join(question).encode() + b"\n")
            answer: dict[str, str] = json.load(line.makefile("rb"))
        except (OSError, ValueError) as error:
            log = Path(os.environ[ADDRESS]).with_name("log")
            raise RuntimeError(f"the keeper of the test servers is gone:\n{log.read_text()}") from error
    if "missing" in answer:
        raise missing(answer["missing"])
    if "failed" in answer:
        pytest.fail(f"{' '.join(question)} could not be started: {answer['failed']}", pytrace=False)
    return answer
