"""The embedded server when things are killed, full, stale or started at once."""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from fullhouse.kit.postgres import Cluster, PostgresError, postgres_errors
from fullhouse.kit.postgres.locks import wait_until
from fullhouse.kit.postgres.os_account import find_service_account
from fullhouse.kit.postgres.postmaster import find_postmaster
from tests.kit.test_postgres import ask, make_home
from tests.services.mounts import small_disk

pytestmark = [pytest.mark.fault, pytest.mark.req("OBS-2")]

KILLS = 50 if os.environ.get("FULLHOUSE_SOAK") else 10
CLIENTS = 4

# Starts, says how, and stops when its stdin closes.
USER = """
import sys
from pathlib import Path
from fullhouse.kit.postgres import Cluster
cluster = Cluster(Path(sys.argv[1]))
cluster.start()
print(cluster.how, flush=True)
sys.stdin.read()
print(cluster.stop(), flush=True)
"""


class User:
    """Another process that uses the server of a home."""

    def __init__(self, home: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", USER, str(home)], stdin=pipe, stdout=pipe, text=True)

    def how(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def leave(self) -> str:
        said, _ = self.process.communicate(timeout=60)
        return said.strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def made() -> Path:
    return make_home()


@pytest.fixture
def server(made: Path) -> Iterator[Cluster]:
    cluster = Cluster(made)
    yield cluster
    cluster.stop()


def kill_server(server: Cluster) -> None:
    assert server.pid
    os.kill(server.pid, signal.SIGKILL)


def test_four_starts_at_once_make_one_server(server_home: Path) -> None:
    users = [User(server_home) for _ in range(4)]
    how = {user: user.how() for user in users}
    assert sorted(how.values()) == ["adopted", "adopted", "adopted", "initdb+started"]
    # The one that launched it leaves last: the server lives no longer than that process.
    users.sort(key=lambda user: how[user])
    assert [user.leave() for user in users] == ["left running", "left running", "left running", "stopped"]


def test_when_the_launching_process_is_killed_the_server_goes_and_comes_back(server: Cluster) -> None:
    launcher = User(server.home)
    assert launcher.how() == "started"
    server.start()
    assert server.how == "adopted"
    ask(server.url(), "CREATE TABLE kept AS SELECT 42 AS n")
    launcher.kill()
    assert wait_until(lambda: find_postmaster(server.data) is None, 10)
    assert b"received fast shutdown request" in server.log.read_bytes()
    server.start()
    assert server.how == "started"
    assert ask(server.url(), "SELECT n FROM kept") == 42


@pytest.mark.req("OPS-1")
def test_a_child_that_never_hears_of_its_servers_end_keeps_nobody_out(server: Cluster) -> None:
    """Such as one that waits for a lock which another had; here it is stopped. Mutant: it is waited for in vain."""
    server.start()
    ask(server.url(), "CREATE TABLE heard AS SELECT 42 AS n")

    async def stop_one() -> int:
        connection = await asyncpg.connect(server.url())
        pid: int = await connection.fetchval("SELECT pg_backend_pid()")
        os.kill(pid, signal.SIGSTOP)
        connection.terminate()
        return pid

    child = asyncio.run(stop_one())
    kill_server(server)
    server.start()
    assert server.how == "started"
    assert not Path(f"/proc/{child}/cwd").exists()  # of what has ended and was not buried yet there is none
    assert ask(server.url(), "SELECT n FROM heard") == 42


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(server: Cluster) -> None:
    server.start()
    ask(server.url(), "CREATE TABLE sold (n bigint PRIMARY KEY)")
    acknowledged: set[int] = set()
    numbers = itertools.count()

    async def sell() -> None:
        while True:
            with suppress(Exception):  # whatever the driver makes of a server that vanishes, it is no receipt
                connection = await asyncpg.connect(server.url())
                while True:
                    n = next(numbers)
                    await connection.execute("INSERT INTO sold VALUES ($1)", n)
                    acknowledged.add(n)
            await asyncio.sleep(0.01)

    async def kill_again_and_again() -> None:
        async with asyncio.TaskGroup() as group:
            clients = [group.create_task(sell()) for _ in range(CLIENTS)]
            for _ in range(KILLS):
                before = len(acknowledged)
                while len(acknowledged) < before + 50:
                    await asyncio.sleep(0.005)
                kill_server(server)
                await asyncio.to_thread(server.start)
                assert server.how == "started"
            for client in clients:
                client.cancel()

    asyncio.run(asyncio.wait_for(kill_again_and_again(), 60 + 10 * KILLS))
    kept = set(ask(server.url(), "SELECT array_agg(n) FROM sold"))
    assert len(acknowledged) >= 50 * KILLS
    assert acknowledged <= kept


def test_a_first_start_may_be_killed_at_any_moment(server_home: Path) -> None:
    server = Cluster(server_home)
    draft = server.folder / "data.new"
    moments: list[Callable[[], bool]] = [
        (server.folder / "start.lock").exists,
        draft.exists,
        (draft / "global" / "pg_control").exists,
        (draft / "base" / "5").exists,  # the last database is being copied
        server.data.exists,
        (server.data / "postmaster.pid").exists,
    ]
    for moment in moments:
        launcher = User(server.home)
        # On a busy machine a kill may come too late, and the folder is complete.
        assert wait_until(lambda: moment() or server.data.exists(), 30, pause_s=0.001)  # noqa: B023
        launcher.kill()
    server.start()
    assert ask(server.url(), "SELECT count(*) FROM pg_database") == 3
    server.stop()


def test_a_process_number_that_was_given_out_again_is_not_believed(
    server: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.start()
    pid_file, lock_file = server.data / "postmaster.pid", server.sockets / ".s.PGSQL.5432.lock"
    traces = {pid_file: pid_file.read_text(), lock_file: lock_file.read_text()}
    old, _ = str(server.pid), server.stop()
    with subprocess.Popen(["sleep", "60"], **find_service_account().credentials()) as stranger:
        for file, text in traces.items():
            file.write_text(text.replace(old, str(stranger.pid), 1))
        with monkeypatch.context() as patch:  # without the guard, PostgreSQL takes the stranger for a server
            patch.setattr(server, "_remove_stale_files", lambda account: None)
            with pytest.raises(PostgresError, match=r'lock file ".*" already exists'):
                server.start()
        server.start()
        assert (server.how, stranger.poll()) == ("started", None)
        server.stop()
        assert stranger.poll() is None
        stranger.kill()


def test_a_start_waits_for_the_last_process_of_a_killed_server(server: Cluster) -> None:
    server.start()

    async def freeze_a_backend_and_kill_the_server() -> int:
        connection = await asyncpg.connect(server.url())
        backend = connection.get_server_pid()
        os.kill(backend, signal.SIGSTOP)
        kill_server(server)
        connection.terminate()
        return backend

    backend = asyncio.run(freeze_a_backend_and_kill_the_server())
    thaw = threading.Timer(0.5, os.kill, (backend, signal.SIGCONT))
    try:
        with pytest.raises(PostgresError, match="neither ready nor gone"):
            server.start(timeout_s=0.5)
    finally:  # or it stays behind for ever
        thaw.start()
    began = time.monotonic()
    server.start()
    assert time.monotonic() - began > 0.4
    assert server.how == "started"


@pytest.fixture
def small(server_home: Path) -> Iterator[Path]:
    with small_disk(server_home, 160) as disk:
        yield disk


def fill(disk: Path, leave_bytes: int) -> Path:
    filler = disk / "filler"
    room = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_bsize - leave_bytes)
    return filler


def test_a_full_disk_is_said_in_a_sentence_and_loses_nothing(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Cluster(small)
    filler = fill(small, leave_bytes=10 << 20)
    sentence = rf"The disk of {small}.* is full: free at least"
    with pytest.raises(PostgresError, match=sentence):
        server.start()
    with monkeypatch.context() as patch:
        patch.setattr(postgres_errors, "FREE_BYTES_MIN", 0)  # as if it filled while initdb is at work
        with pytest.raises(PostgresError, match=sentence):
            server.start()
    filler.unlink()
    server.start()
    ask(server.url(), "CREATE TABLE sold AS SELECT 42 AS n")
    filler = fill(small, leave_bytes=1 << 20)
    with pytest.raises((asyncpg.PostgresError, OSError)):
        ask(server.url(), "CREATE TABLE much AS SELECT repeat('x', 1000) FROM generate_series(1, 100000)")
    assert server.stop() == "stopped"
    with pytest.raises(PostgresError, match=sentence):
        server.start()
    filler.unlink()
    server.start()
    assert ask(server.url(), "SELECT n FROM sold") == 42
    server.stop()
