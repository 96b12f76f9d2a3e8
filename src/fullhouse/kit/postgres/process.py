"""Server processes: starting one that dies with us, and recognising one that runs."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fullhouse.kit.postgres.account import Account
from fullhouse.kit.postgres.config import PORT
from fullhouse.kit.postgres.locks import FileLock

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

# The kernel signals a child when the *thread* that started it ends. This thread ends with the process, so
# `Cluster.start` may be called from any other.
LAUNCHER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="postgres-launcher")


def spawn(
    program: Path, arguments: Sequence[str], account: Account, folder: Path, heirloom: FileLock, output: int
) -> subprocess.Popen[str]:
    """Starts a program as the account. It inherits the lock, and is told to stop when we die."""
    ask_for_signal = _die_with(os.getpid())

    def launch() -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603
            [program, *arguments],
            cwd=folder,
            # Nothing of ours leaks in; messages in English, because we read them.
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": str(folder)},
            umask=0o077,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C in a terminal is for us: we stop the server in our own time
            pass_fds=[heirloom.fd],
            preexec_fn=ask_for_signal,
            **account.credentials(),
        )

    return LAUNCHER.submit(launch).result()


def _die_with(parent: int) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None

    def ask_for_signal() -> None:  # runs last in the child: a change of user would take the request back
        LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGINT), 0, 0, 0)
        if os.getppid() != parent:  # died before we asked
            os._exit(1)

    return ask_for_signal


@dataclass(frozen=True)
class Postmaster:
    """The server at work on a data folder, as its postmaster.pid describes it."""

    pid: int
    ready: bool
    sockets: Path | None = None
    port: int = PORT


def find_postmaster(data: Path) -> Postmaster | None:
    try:
        lines = os.fsdecode((data / "postmaster.pid").read_bytes()).splitlines()
        pid = int(lines[0])  # negative: not a server, but one of initdb's short-lived helpers
    except (FileNotFoundError, ValueError, IndexError):  # none, or not written yet
        return None
    if pid <= 0 or not _works_on(pid, data):
        return None
    if len(lines) < 8:  # the server adds lines as it comes up; the eighth is its state
        return Postmaster(pid, ready=False)
    return Postmaster(pid, lines[7].strip() == "ready", Path(lines[4]), int(lines[3]))


def end_orphans(data: Path) -> None:
    """Processes that still work on the folder though the server itself is gone. They end when they hear of it, but one
    that waits for a lock which another had never does. Only Linux tells who they are."""
    if sys.platform == "linux" and find_postmaster(data) is None:
        for pid in (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()):
            if _works_on(pid, data):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _works_on(pid: int, data: Path) -> bool:
    """Whether the process is a server of this folder, and not another that was given an old number."""
    try:
        if sys.platform == "linux":
            here = Path(f"/proc/{pid}")
            return (here / "comm").read_text().strip() == "postgres" and (here / "cwd").samefile(data)
        os.kill(pid, 0)
    except OSError:
        return False
    return True
