"""One data folder and the server on it: start, adopt, stop.

Three locks, always taken in this order:
    start.lock    held by a process that starts or stops the server: one at a time
    users.lock    shared by every process that uses the server: the last one to leave stops it
    server.lock   inherited by every server process: free means that none is alive
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from fullhouse.kit.postgres import server_config
from fullhouse.kit.postgres.binaries import Install, find_install, find_matching_install, read_data_major
from fullhouse.kit.postgres.locks import PAUSE_S, FileLock, wait_until
from fullhouse.kit.postgres.os_account import Account, caller_name, find_service_account
from fullhouse.kit.postgres.postgres_errors import PostgresError, check_free_space, explain_failure, explain_os_errors
from fullhouse.kit.postgres.postmaster import Postmaster, find_postmaster, kill_orphans, spawn

LOG_BYTES_MAX = 20 << 20
RECHECK_S = 0.05
KILL_ORPHANS_AFTER_S = 5.0  # after so long without a postmaster its children are killed
QUIT_S = 15  # after SIGQUIT the postmaster itself kills, after 5 s, children that do not exit


def default_home() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/fullhouse")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "fullhouse"


class Cluster:
    """A PostgreSQL server in `home/pg`. Start and stop block; they may be called from any thread, one at a time.

    `start` may be called again at any time: it finds the server running, or starts it again.
    """

    def __init__(
        self, home: Path, *, install: Install | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self.home = home.resolve()
        self.folder = self.home / "pg"
        self.data = self.folder / "data"
        self.log = self.folder / "postgres.log"
        self.sockets = server_config.socket_folder(self.folder)
        self.port = server_config.PORT
        self.pid: int | None = None
        self.how = ""  # "initdb+started", "started" or "adopted"
        self._install = install
        self._settings = settings or {}
        self._users: FileLock | None = None
        self._process: subprocess.Popen[str] | None = None

    @property
    def version(self) -> int:
        """The major version of the data folder, and so of its server."""
        return read_data_major(self.data)

    @property
    def running(self) -> bool:
        """Whether a server works on the data folder. It may still be coming up, or going down."""
        return find_postmaster(self.data) is not None

    def url(self, user: str = server_config.SUPERUSER, database: str = "postgres") -> str:
        host = quote(str(self.sockets), safe="")
        return f"postgresql://{quote(user)}@/{quote(database)}?host={host}&port={self.port}"

    def start(self, timeout_s: float = 60) -> None:
        """Returns when the server accepts connections. `timeout_s` is how long it may show no progress."""
        with explain_os_errors(self.home):
            account = find_service_account()
            self._prepare_folders(account)
            with self._open_lock(account, "start.lock") as gate:
                if not wait_until(gate.try_lock_exclusive, timeout_s):
                    raise PostgresError(
                        f"Another process has been starting or stopping the database in {self.home} for "
                        f"{timeout_s:.0f} s: wait for it, or read {self.log}."
                    )
                self._users = self._users or self._open_lock(account, "users.lock")
                self._users.lock_shared()
                try:
                    self._adopt_or_launch(account, timeout_s)
                except BaseException:
                    self._release_users_lock()
                    raise

    def stop(self, timeout_s: float = 60) -> str:
        """Call it after closing the pools. Returns "stopped", or "left running" if another process still uses it.

        A server left running by the process that launched it shuts down when that process ends; processes that
        still need it call `start` again.
        """
        if self._users is None:
            return "stopped"
        with explain_os_errors(self.home):
            account = find_service_account()
            with self._open_lock(account, "start.lock") as gate, self._open_lock(account, "server.lock") as server:
                last = wait_until(gate.try_lock_exclusive, timeout_s) and self._users.try_lock_exclusive()
                self._release_users_lock()
                if not last:
                    return "left running"
                self._shut_down(server, timeout_s)
        return "stopped"

    def _prepare_folders(self, account: Account) -> None:
        if not self.home.exists():
            self.home.mkdir(parents=True)
            self.home.chmod(0o755 if account.drops_privileges else 0o700)
        elif account.drops_privileges and (found := self.home.stat()).st_uid == os.geteuid():
            self.home.chmod(found.st_mode | 0o011)  # the account may pass through; it still cannot list the folder
        account.make_folder(self.folder)
        if account.drops_privileges and not account.can_enter(self.folder):
            raise PostgresError(
                f"The user {account.name}, which runs the database, cannot enter {self.folder}, because a folder "
                "above it is private: choose another with FULLHOUSE_HOME, for example /var/lib/fullhouse."
            )

    def _open_lock(self, account: Account, name: str) -> FileLock:
        return FileLock(account.open(self.folder / name, os.O_RDWR))

    def _release_users_lock(self) -> None:
        if self._users is not None:
            self._users.close()
        self._users = self.pid = None

    def _adopt_or_launch(self, account: Account, timeout_s: float) -> None:
        with self._open_lock(account, "server.lock") as server:
            deadline, orphaned_at = time.monotonic() + timeout_s, time.monotonic() + KILL_ORPHANS_AFTER_S
            while not server.try_lock_exclusive():
                if running := self._find_ready():
                    self.pid, self.port, self.how = running.pid, running.port, "adopted"
                    self.sockets = running.sockets or self.sockets
                    return
                if time.monotonic() > orphaned_at:
                    kill_orphans(self.data)
                    orphaned_at += KILL_ORPHANS_AFTER_S
                if time.monotonic() > deadline:
                    raise PostgresError(
                        f"A server on {self.data} is neither ready nor gone after {timeout_s:.0f} s: read "
                        f"{self.log}, end the processes named postgres that work there, and start again."
                    )
                time.sleep(PAUSE_S)
            self._launch(account, server, timeout_s)

    def _find_ready(self) -> Postmaster | None:
        """The server that is ready, checked twice: one that is about to die says "ready" for some milliseconds."""
        first = find_postmaster(self.data)
        if first is None or not first.ready:
            return None
        time.sleep(RECHECK_S)
        return first if find_postmaster(self.data) == first else None

    def _launch(self, account: Account, server: FileLock, timeout_s: float) -> None:
        """Starts a server. None runs on the data folder, and none can start while we hold `server`."""
        if self._process is not None:
            self._process.wait()
        install = self._install or find_install()
        fresh = not self.data.exists()
        if not fresh:
            if not (self.data / "PG_VERSION").exists():
                raise PostgresError(f"{self.data} is not a PostgreSQL data folder: move it away and start again.")
            install = find_matching_install(install, self.data)
            account.chown_tree(self.data)
        check_free_space(self.folder)
        install = install.make_accessible(account, self.folder)
        if fresh:
            self._initdb(account, install, server, timeout_s)
        # The calling user may have changed since the last start. Root is included: it could become any user anyway.
        account.write(self.data / "pg_hba.conf", server_config.pg_hba())
        account.write(self.data / "pg_ident.conf", server_config.pg_ident({account.name, caller_name(), "root"}))
        self._remove_stale_files(account)
        self._run(account, install, server, timeout_s)
        self.how = "initdb+started" if fresh else "started"

    def _initdb(self, account: Account, install: Install, server: FileLock, timeout_s: float) -> None:
        draft = self.folder / "data.new"
        if draft.exists():  # left by a killed first start
            shutil.rmtree(draft)
        arguments = [f"--pgdata={draft}", *server_config.initdb_options(install.major)]
        process = spawn(install.program("initdb"), arguments, account, self.folder, server, subprocess.PIPE)
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        if process.returncode != 0:
            raise explain_failure("initdb", output, self.log)
        draft.rename(self.data)
        _sync(self.folder)

    def _remove_stale_files(self, account: Account) -> None:
        """Removes files of a killed server. PostgreSQL would trust them if their process id were in use again."""
        account.make_folder(self.sockets)
        self.port = server_config.PORT
        socket = self.sockets / f".s.PGSQL.{self.port}"
        for trace in (self.data / "postmaster.pid", socket, socket.with_name(socket.name + ".lock")):
            trace.unlink(missing_ok=True)

    def _run(self, account: Account, install: Install, server: FileLock, timeout_s: float) -> None:
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES_MAX:
            self.log.replace(self.log.with_name(self.log.name + ".1"))
        arguments = ["-D", str(self.data), *server_config.options(self._settings, self.sockets)]
        log = account.open(self.log, os.O_RDWR | os.O_APPEND)
        try:
            start = size = os.fstat(log).st_size
            self._process = spawn(install.program("postgres"), arguments, account, self.folder, server, log)
            deadline = time.monotonic() + timeout_s
            while self._process.poll() is None and time.monotonic() < deadline:
                now = find_postmaster(self.data)
                if now is not None and now.ready and now.pid == self._process.pid:
                    self.pid = now.pid
                    return
                if os.fstat(log).st_size > size:  # a long recovery logs its progress
                    size, deadline = os.fstat(log).st_size, time.monotonic() + timeout_s
                time.sleep(PAUSE_S / 2)
            self._process.kill()
            self._process.wait()
            output = os.pread(log, os.fstat(log).st_size - start, start)
            raise explain_failure("PostgreSQL", output.decode(errors="replace"), self.log)
        finally:
            os.close(log)

    def _shut_down(self, server: FileLock, timeout_s: float) -> None:
        """Fast shutdown, which is clean; if it hangs, immediate shutdown, from which the next start recovers."""
        for signal_number, within_s in ((signal.SIGINT, timeout_s), (signal.SIGQUIT, QUIT_S)):
            if running := find_postmaster(self.data):
                os.kill(running.pid, signal_number)
            if wait_until(server.try_lock_exclusive, within_s):
                break
        else:
            raise PostgresError(f"The server on {self.data} does not stop: end its processes by hand.")
        if self._process is not None:
            self._process.wait()
            self._process = None
        if self.sockets.parent != self.folder:
            with suppress(OSError):
                self.sockets.rmdir()


def _sync(folder: Path) -> None:
    """Makes a rename in the folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
