"""`fullhouse serve` as its operator meets it: real processes, on a port and a state folder of the test's own."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.process_control import SignalEvent
from tests.services.client import ADDRESS
from tests.services.mounts import small_disk
from tests.services.servers import free_port

START_S = 300  # the demo is filled first, on machines that have other work


class House:
    """One `fullhouse serve` and its output."""

    def __init__(self, home: Path, port: int, *arguments: str, **environment: str) -> None:
        self.home, self.port = home, port
        self.output = home / f"output-{port}"
        clean = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR")}
        with self.output.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fullhouse", "serve", *arguments],
                env=clean | {"FULLHOUSE_HOME": str(home), "FULLHOUSE_PORT": str(port), **environment},
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return json.load(answer)

    def wait_until_ready(self) -> None:
        """One that does not get ready is ended, and its children with it: no fixture stops what it never had."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("/health/ready")
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
            else:
                return
        self.process.kill()
        raise AssertionError(self.text)

    def wait_until_announced(self) -> None:
        _wait_for(lambda: "Press Ctrl-C to stop." in self.text)

    def stop(self, number: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(40)

    @property
    def text(self) -> str:
        return self.output.read_text()

    def family(self) -> set[int]:
        """All processes of the tree, by the parent numbers in /proc."""
        parents: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(stat.parent.name)] = int(fields[1])
        found, new = {self.process.pid}, {self.process.pid}
        while new:
            new = {pid for pid, parent in parents.items() if parent in new} - found
            found |= new
        return found


def gone(pids: set[int], within_s: float = 30) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not any(_alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@cache
def filled() -> Path:
    """The state of a house that was opened once and closed: filling the demo is most of a first start. It is done once
    for all workers; whoever comes meanwhile waits."""
    home = Path(os.environ[ADDRESS]).with_name("filled")
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            _fill(draft := Path(tempfile.mkdtemp(dir=home.parent)))
            draft.rename(home)
    return home


def _fill(home: Path) -> None:
    home.chmod(0o755)
    first = House(home, free_port())
    first.wait_until_ready()
    first.wait_until_announced()
    assert first.stop() == 0, first.text
    first.output.unlink()


@pytest.fixture
def filled_home(server_home: Path) -> Path:
    """A copy of it, to be broken."""
    subprocess.run(["cp", "-a", f"{filled()}/.", str(server_home)], check=True)
    return server_home


@pytest.fixture
def house(filled_home: Path) -> Iterator[House]:
    opened = House(filled_home, free_port())
    opened.wait_until_ready()
    opened.wait_until_announced()
    yield opened
    family = opened.family()
    opened.stop()
    assert gone(family), opened.text


@pytest.mark.req("OBS-2")
def test_first_start_stop_and_second_start(server_home: Path) -> None:
    first = House(server_home, free_port())
    first.wait_until_ready()
    assert first.get("/health/ready")["data"]["checks"]["database"] == "ok"
    first.wait_until_announced()
    assert "owner@demo.example" in first.text
    assert first.get("/event/v1/events")["data"], "the demo's shows are public"
    family = first.family()
    assert len(family) > 4  # supervisor, API and its worker process, worker, database
    assert first.stop() == 0
    assert gone(family)
    assert "Traceback" not in first.text

    second = House(server_home, free_port())
    second.wait_until_ready()
    second.wait_until_announced()
    assert "owner@demo.example" in second.text
    assert "creating the demo" not in second.text  # the demo is filled once
    assert second.stop(signal.SIGTERM) == 0


@pytest.mark.req("OBS-2")
@pytest.mark.fault
def test_killed_supervisor_takes_its_children_along_and_the_next_start_recovers(filled_home: Path) -> None:
    first = House(filled_home, free_port())
    first.wait_until_ready()
    family = first.family()
    first.process.kill()
    first.process.wait()
    assert gone(family), "children outlived the supervisor"
    second = House(filled_home, free_port())
    second.wait_until_ready()
    assert second.stop() == 0


@pytest.mark.req("OBS-2")
@pytest.mark.fault
def test_what_dies_is_started_again(house: House) -> None:
    postmaster = int((house.home / "pg/data/postmaster.pid").read_text().splitlines()[0])
    os.kill(postmaster, signal.SIGKILL)
    _wait_for(lambda: "the database ended; restarting it" in house.text)
    house.wait_until_ready()

    for name in ("worker", "api"):
        (pid,) = [
            p for p in house.family() if command_of(p)[2:4] == ["fullhouse", name] and parent_of(p) == house.process.pid
        ]
        os.kill(pid, signal.SIGKILL)
        _wait_for(lambda: f"the {name} process ended (-9, SIGKILL)" in house.text)  # noqa: B023
    house.wait_until_ready()


def test_taken_port(server_home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        house = House(server_home, port)
        assert house.process.wait(30) == 1
    assert f"Port {port} on 127.0.0.1 is in use" in house.text
    assert f"FULLHOUSE_PORT={port + 1}" in house.text
    assert "Traceback" not in house.text


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("FULLHOUSE_PORT", "many", "FULLHOUSE_PORT must be a whole number"),
        ("DATABASE_URL", "mysql://x", "DATABASE_URL must begin with postgresql://"),
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none", "The database is unavailable or misconfigured"),
        ("FULLHOUSE_SECRET_KEY", "short", "at least 32 characters"),
    ],
)
def test_wrong_settings_are_sentences(server_home: Path, setting: str, value: str, sentence: str) -> None:
    house = House(server_home, free_port(), **{setting: value})
    assert house.process.wait(30) == 1
    assert sentence in house.text
    assert "Traceback" not in house.text


def test_data_of_a_newer_version(house: House) -> None:
    house.stop()
    home, port = house.home, free_port()
    _as_owner(home, "INSERT INTO app.migrations VALUES (9999, '9999_from_the_future', 'x')")
    newer = House(home, port)
    assert newer.process.wait(40) == 1
    assert "written by a newer fullhouse (it has 9999_from_the_future" in newer.text
    assert "Update fullhouse" in newer.text
    assert "Traceback" not in newer.text


@pytest.mark.fault
def test_full_disk_is_a_sentence(server_home: Path) -> None:
    small = server_home / "small"
    small.mkdir()
    with small_disk(small, 20):
        house = House.__new__(House)
        house.__init__(server_home, free_port(), FULLHOUSE_HOME=str(small))  # type: ignore[misc]
        assert house.process.wait(60) == 1
        assert "is full" in house.text
        assert "Traceback" not in house.text


def _as_owner(home: Path, statement: str) -> None:
    import asyncio

    import asyncpg

    from fullhouse.kit.postgres import Cluster

    async def run(url: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(statement)
        await connection.close()

    cluster = Cluster(home)
    cluster.start()
    try:
        asyncio.run(run(cluster.url(database="fullhouse")))
    finally:
        cluster.stop()


def command_of(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _wait_for(condition: Any, within_s: float = 30) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_any_number_of_signals_at_once_ask_it_to_stop() -> None:
    """As from a terminal and from whoever started it: a signal that meets the one before must not wait for it."""
    stop = SignalEvent()
    before = signal.signal(signal.SIGUSR1, stop.set)
    try:
        assert not stop.wait(0)
        for _ in range(100_000):  # more than a pipe holds
            signal.raise_signal(signal.SIGUSR1)
        assert stop.is_set()
        stop.clear()
        assert not stop.is_set()
    finally:
        signal.signal(signal.SIGUSR1, before)
