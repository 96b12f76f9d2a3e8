"""Server processes: starting one that ends with this process, and recognising one that runs."""

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

from fullhouse.kit.postgres.locks import FileLock
from fullhouse.kit.postgres.os_account import Account
from fullhouse.kit.postgres.server_config import PORT

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

# The kernel signals a child when the *thread* that started it ends. This thread ends with the process, so
# `Cluster.start` may be called from any other.
LAUNCHER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="postgres-launcher")


def spawn(
    program: Path, arguments: Sequence[str], account: Account, folder: Path, heirloom: FileLock, output: int
) -> subprocess.Popen[str]:
    """Starts a program as the account. It inherits the lock, and gets SIGINT when this process dies."""
    ask_for_signal = _signal_on_parent_death(os.getpid())

    def launch() -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603
            [program, *arguments],
            cwd=folder,
            # None of our environment; messages in English, because they are parsed.
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": str(folder)},
            umask=0o077,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C in a terminal reaches this process only, which stops the server
            pass_fds=[heirloom.fd],
            preexec_fn=ask_for_signal,
            **account.credentials(),
        )

    return LAUNCHER.submit(launch).result()


def _signal_on_parent_death(parent: int) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None

    def ask_for_signal() -> None:  # runs last in the child: a change of user would reset it
        LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGINT), 0, 0, 0)
        if os.getppid() != parent:  # the parent died before prctl
            os._exit(1)

    return ask_for_signal


@dataclass(frozen=True)
class Postmaster:
    """The server that runs on a data folder, as its postmaster.pid describes it."""

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
    if pid <= 0 or not _runs_on(pid, data):
        return None
    if len(lines) < 8:  # the server adds lines as it comes up; the eighth is its state
        return Postmaster(pid, ready=False)
    return Postmaster(pid, lines[7].strip() == "ready", Path(lines[4]), int(lines[3]))


def kill_orphans(data: Path) -> None:
    """Kills processes that still run on the folder though the postmaster is gone. They exit when they notice that, but
    one that waits for a lock of a dead one never does. They can be identified on Linux only."""
    if sys.platform == "linux" and find_postmaster(data) is None:
        for pid in (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()):
            if _runs_on(pid, data):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _runs_on(pid: int, data: Path) -> bool:
    """Whether the process is a server of this folder, and not another one with a reused process id."""
    try:
        if sys.platform == "linux":
            here = Path(f"/proc/{pid}")
            return (here / "comm").read_text().strip() == "postgres" and (here / "cwd").samefile(data)
        os.kill(pid, 0)
    except OSError:
        return False
    return True
