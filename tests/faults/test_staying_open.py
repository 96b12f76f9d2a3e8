"""`fullhouse serve` after each fault: open again by itself, callers got 503 at worst, and nothing acknowledged is lost.

One installation on a small disk of its own, with Redis and RabbitMQ, goes through all of them, one after the other.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from bench._log import ClientLog

from fullhouse.kit.db.database import DATABASE_ERRORS
from fullhouse.kit.postgres import Cluster
from fullhouse.kit.postgres.postmaster import find_postmaster
from fullhouse.processes import supervisor as processes
from fullhouse.processes.supervisor import Backoff, Supervisor
from tests.faults.crowd import Crowd
from tests.faults.theatre import ALONE, GENEROUS, IN_A_ROW, PIT, ROWS, Theatre, open_sale
from tests.fixtures import soaking
from tests.holds.helpers import hall
from tests.kit.helpers import until
from tests.kit.test_postgres import make_home
from tests.services import servers
from tests.services.mounts import small_disk
from tests.services.servers import free_port
from tests.test_serve import House, command_of, filled, gone, parent_of

pytestmark = [pytest.mark.fault, pytest.mark.req("OBS-2", "HOLD-2", "OPS-1")]
PEOPLE = 6
LOOK_S = 0.03
LITTLE = 1 << 20  # bytes: more than a line of ours needs, and less than a database
TIMES = 6 if soaking() else 1
BACK_WITHIN_S = (
    60.0  # on a machine with other work; what is asserted is that it happens, and what callers get until then
)


class Installation(NamedTuple):
    house: House
    at: Theatre
    redis: servers.Server
    broker: "Hung"
    no_disk: Exception | None  # why it is not on a small disk of its own
    log: ClientLog  # one for all tests: it is proven against all that its people have done

    def pids(self, name: str) -> set[int]:
        ours = self.house.process.pid
        return {
            pid for pid in self.house.family() if command_of(pid)[2:4] == ["fullhouse", name] and parent_of(pid) == ours
        }


class Hung:
    """What is at RabbitMQ's address: somebody who takes connections and never answers; or nobody."""

    def __init__(self) -> None:
        self.port = free_port()
        self._socket: socket.socket | None = None

    def listen(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", self.port), backlog=256)

    def go(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    home = make_home()
    disk, no_disk = ExitStack(), None
    try:
        disk.enter_context(small_disk(home, 700))
    except (servers.Missing, RuntimeError) as error:  # of all faults, one alone needs it
        no_disk = error
    redis_home, broker = make_home(), Hung()
    redis = asyncio.run(servers.redis(redis_home))
    house = None
    try:
        subprocess.run(["cp", "-a", f"{filled()}/.", str(home)], check=True)
        amqp = f"amqp://guest:guest@127.0.0.1:{broker.port}/"
        house = House(home, free_port(), FULLHOUSE_PROCESSES="2", REDIS_URL=redis.url, AMQP_URL=amqp)
        house.wait_until_ready()
        house.wait_until_announced()
        with ClientLog(tmp_path_factory.mktemp("told") / "log") as log:
            yield Installation(house, asyncio.run(sale_of(home)), redis, broker, no_disk, log)
        everybody = house.family()
        assert house.stop() == 0, house.text[-3000:]
        assert gone(everybody)
    finally:
        if house:
            house.stop(signal.SIGTERM)
        broker.go()
        redis.stop()
        disk.close()


async def sale_of(home: Path) -> Theatre:
    """In the database that `serve` runs."""
    return await open_sale(home, Cluster(home), PEOPLE + ALONE, hall(ROWS, IN_A_ROW, pit=PIT), GENEROUS)


# --- what callers get


class Watch:
    """A caller with a new connection each time."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/health/ready"
        self.answers: Counter[str] = Counter()
        self.last = ""

    @asynccontextmanager
    async def looking(self) -> AsyncIterator["Watch"]:
        task = asyncio.create_task(self._look())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def seen(self, answer: str) -> None:
        before = self.answers[answer]
        await until(lambda: self.answers[answer] > before, deadline_s=BACK_WITHIN_S)

    async def _look(self) -> None:
        while True:
            async with httpx.AsyncClient(timeout=3) as client:
                try:
                    found = await client.get(self._address)
                    self.last = str(found.status_code)
                    if self.last == "503":
                        assert found.headers["content-type"].startswith("application/problem+json") or found.json()
                except httpx.ConnectError:
                    self.last = "refused"
                except httpx.HTTPError as error:
                    self.last = type(error).__name__  # it was being answered when the process died, or hangs
            self.answers[self.last] += 1
            await asyncio.sleep(LOOK_S)


# --- faults: each returns when it is over


async def postgres_killed(its: Installation, watch: Watch) -> None:
    found = find_postmaster(its.at.cluster.data)
    assert found
    os.kill(found.pid, signal.SIGKILL)
    await watch.seen("503")


async def postgres_hung(its: Installation, watch: Watch) -> None:
    """As with a disk that takes nothing for a while: every process stands still."""
    found = find_postmaster(its.at.cluster.data)
    assert found
    pids = [found.pid, *(pid for pid in its.house.family() if parent_of(pid) == found.pid)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        await watch.seen("503")
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def one_api_killed(its: Installation, watch: Watch) -> None:
    before = watch.answers["200"]
    os.kill(min(its.pids("api")), signal.SIGKILL)
    await until(lambda: watch.answers["200"] > before + 5, deadline_s=BACK_WITHIN_S)  # by the other one
    await until(lambda: len(its.pids("api")) == 2, deadline_s=BACK_WITHIN_S)


async def every_api_killed(its: Installation, watch: Watch) -> None:
    """Again and again: `serve` waits longer each time, and never gives up."""
    for _ in range(TIMES):
        for pid in its.pids("api"):
            os.kill(pid, signal.SIGKILL)
        await watch.seen("503")  # by the supervisor
        assert "no API process is running: requests get 503" in its.house.text
        await watch.seen("200")
        await until(lambda: len(its.pids("api")) == 2, deadline_s=BACK_WITHIN_S)
    assert its.house.text.count("process ended (-9, SIGKILL); restarting it") >= 2 * TIMES


async def worker_killed(its: Installation, watch: Watch) -> None:
    (before,) = its.pids("worker")
    os.kill(before, signal.SIGKILL)
    await until(lambda: its.pids("worker") not in (set(), {before}), deadline_s=BACK_WITHIN_S)


async def redis_hung_and_killed(its: Installation, watch: Watch) -> None:
    os.kill(its.redis.processes[0].pid, signal.SIGSTOP)
    await asyncio.sleep(0.5)
    its.redis.stop()
    await asyncio.sleep(0.5)


async def broker_hung_and_away(its: Installation, watch: Watch) -> None:
    its.broker.listen()
    await asyncio.sleep(0.5)
    its.broker.go()
    await asyncio.sleep(0.5)


def fill_up(filler: Path) -> None:
    """To the last byte; or again, where there is room."""
    with filler.open("ab") as file:
        for size in (1 << 24, 1 << 16, 1 << 12):
            with suppress(OSError):
                while True:
                    os.posix_fallocate(file.fileno(), file.tell(), size)
                    file.seek(size, os.SEEK_CUR)


async def disk_full(its: Installation, watch: Watch) -> None:
    """Not a byte is left: neither for the database and its log, nor for our output."""
    if its.no_disk:
        raise its.no_disk
    before = its.pids("api")
    filler = its.at.home / "filler"
    fill_up(filler)
    try:
        with suppress(*DATABASE_ERRORS):  # until the segments that it had reserved are used up, and the database panics
            async with asyncio.timeout(BACK_WITHIN_S), its.at.owner() as owner:
                while True:
                    await owner.execute("SELECT pg_logical_emit_message(true, 'full', 'disk'), pg_switch_wal()")
                    fill_up(filler)  # a checkpoint that ends meanwhile gives segments back
        await watch.seen("503")
        os.truncate(filler, filler.stat().st_size - LITTLE)  # for our words, not for the database
        await until(lambda: "is full: free at least" in its.house.text, deadline_s=BACK_WITHIN_S)
        await watch.seen("503")
        assert its.house.process.poll() is None
    finally:
        filler.unlink()
    await until(lambda: "the database runs again" in its.house.text.rpartition("is full: free at least")[2])
    assert its.pids("api") == before, "an API process did not outlive the full disk"


FAULTS: dict[str, Callable[[Installation, Watch], Awaitable[None]]] = {
    fault.__name__: fault
    for fault in (
        postgres_killed,
        postgres_hung,
        one_api_killed,
        every_api_killed,
        worker_killed,
        redis_hung_and_killed,
        broker_hung_and_away,
        disk_full,
    )
}
# By callers. (Of those who waited for an API process that is killed, the supervisor takes leave with a 503.)
UNSEEN = ("worker_killed", "redis_hung_and_killed", "broker_hung_and_away")


@pytest.mark.parametrize("fault", FAULTS)
def test_it_is_open_again_by_itself_and_nothing_acknowledged_is_lost(fault: str, open_house: Installation) -> None:
    its = open_house

    async def run() -> None:
        watch = Watch(its.house.port)
        async with watch.looking(), Crowd(its.at, its.log, its.house.port).buying() as crowd:
            await crowd.more_of_each(1)
            await FAULTS[fault](its, watch)
            await watch.seen("200")
            await crowd.more_of_each(1)
        print(f"{fault}: {dict(watch.answers)}, calls {dict(crowd.ends)}")
        assert not watch.answers["refused"], watch.answers
        if fault in UNSEEN:
            assert not watch.answers["503"], watch.answers
        assert await its.at.wrong(its.log.path) == {}

    asyncio.run(run())


# --- one that keeps ending


def test_a_process_that_keeps_ending_is_started_again_for_as_long_as_it_takes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(processes, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(processes, "LONGEST_PAUSE_S", 0.05)
    once = tmp_path / "once"
    monkeypatch.setattr(sys, "executable", str(once))
    once.write_text(
        f"#!/bin/sh\necho . >> {tmp_path}/starts\n[ -e {tmp_path}/mended ] && exec sleep 60\nkill -BUS $$\n"
    )
    once.chmod(0o755)
    crashing = Supervisor({"api": ["api"]}, os.environ)
    crashing.start()

    def starts() -> int:
        file = tmp_path / "starts"
        return len(file.read_text().splitlines()) if file.exists() else 0

    deadline = time.monotonic() + 30
    while starts() < 12 and time.monotonic() < deadline:
        crashing.restart_dead()
        time.sleep(0.005)
    (tmp_path / "mended").touch()
    while crashing.ended and time.monotonic() < deadline:
        crashing.restart_dead()
        time.sleep(0.005)
    time.sleep(0.1)
    assert crashing.ended is None
    assert starts() >= 12
    crashing.stop()
    said = capfd.readouterr().err
    assert "the api process ended (-7, SIGBUS); restarting it now" in said
    assert "restarting it in 0.05 s" in said


def test_pauses_grow_up_to_a_bound_and_begin_anew_after_a_steady_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("fullhouse.processes.supervisor.time.monotonic", lambda: now)
    backoff = Backoff()
    assert [backoff.record_failure() for _ in range(8)] == [0, 0.5, 1, 2, 4, 8, 8, 8]
    assert not backoff.is_due
    now += 8
    assert backoff.is_due
    now += processes.STEADY_S + 1
    assert backoff.record_failure() == 0
