"""The power of the database's disk is cut under load, or the disk is slow: nothing acknowledged is lost.

kill -9 does not show this: what a process has written and not synchronised survives it in the kernel's memory.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from bench._log import ClientLog

from fullhouse.kit.postgres import PostgresError
from tests.faults.crowd import Crowd
from tests.faults.disks import Disk, disk_of
from tests.faults.test_database_kills import TRIES, tries_until_served
from tests.faults.theatre import Theatre, theatre
from tests.fixtures import soaking
from tests.kit.helpers import until
from tests.kit.test_postgres import make_home
from tests.services.servers import program, spawn

pytestmark = [pytest.mark.fault, pytest.mark.soak, pytest.mark.req("HOLD-2", "BUY-1", "OBS-2", "OPS-1")]
ROUNDS = 20 if soaking() else 1
DELAYS: tuple[tuple[float, Literal["ok", "unknown"]], ...] = ((0.2, "ok"), (5.0, "unknown"))


def processes(at: Theatre) -> list[int]:
    """The database's, the first of all first."""
    assert at.cluster.pid
    children = Path(f"/proc/{at.cluster.pid}/task/{at.cluster.pid}/children").read_text().split()
    return [at.cluster.pid, *map(int, children)]


async def cut(at: Theatre, disk: Disk) -> None:
    """Everything stops in one moment; then the database recovers on what its disk has.

    The children too: one that waits for a lock of another never hears that their parent is gone, and keeps the disk.
    """
    disk.cut_power()
    for pid in processes(at):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    await disk.give_power()
    await asyncio.to_thread(at.cluster.start)


def test_nothing_acknowledged_is_lost_with_the_power(tmp_path: Path) -> None:
    async def run(at: Theatre, disk: Disk) -> None:
        with ClientLog(tmp_path / "log") as log:
            async with at.serving(FULLHOUSE_LOG="error") as server, Crowd(at, log, server.port).buying() as crowd:
                for _ in range(ROUNDS):
                    await crowd.more_of_each(1)
                    await cut(at, disk)
                    assert await tries_until_served(at, server) <= TRIES
                await crowd.more_of_each(1)
        assert await at.wrong(tmp_path / "log") == {}
        print(f"{ROUNDS} cuts: {dict(crowd.ends)}, acknowledged {dict(crowd.done)}")

    home = make_home()
    with disk_of(home / "pg" / "data") as disk, theatre(home) as at:
        asyncio.run(run(at, disk))


def test_a_database_that_never_asks_its_disk_is_seen_to_forget(tmp_path: Path) -> None:
    """The mutant: fsync is off. Either it cannot even start again, or it has forgotten what was acknowledged."""

    async def run(at: Theatre, disk: Disk) -> bool:
        with ClientLog(tmp_path / "log") as log:
            async with at.serving(FULLHOUSE_LOG="error") as server, Crowd(at, log, server.port).buying() as crowd:
                await asyncio.to_thread(os.sync)  # the house itself stays
                await crowd.more("ok", 60)
                try:
                    await cut(at, disk)
                except PostgresError as error:
                    print(error)
                    return True
        return any("was acknowledged, but" in said for said in (await at.wrong(tmp_path / "log"))["client log"])

    home = make_home()
    with disk_of(home / "pg" / "data") as disk, theatre(home, fsync="off") as at:
        assert asyncio.run(run(at, disk))


@contextmanager
def slow_disk(at: Theatre, delay_s: float, home: Path) -> Iterator[Path]:
    """Every wait of the database for its disk takes so long. Yields the list of them."""
    waits = home / f"waits-{delay_s}"
    waits.touch()
    command = [program("strace"), "-f", "-qq", "-o", str(waits), "-e", "trace=fdatasync,fsync"]
    command += [f"--inject={call}:delay_enter={int(delay_s * 1e6)}" for call in ("fdatasync", "fsync")]
    command += [word for pid in processes(at) for word in ("-p", str(pid))]
    strace = spawn(command, home)
    try:
        yield waits
    finally:
        strace.terminate()
        strace.wait(30)


def is_slow(waits: Path) -> bool:
    return "DELAYED" in waits.read_text()


def test_a_slow_disk_loses_nothing_and_is_said_to_be_away_at_worst(house: Theatre, tmp_path: Path) -> None:
    """With the shorter delay people are served; the longer is more than anybody waits for, and they get 503."""

    async def run() -> None:
        with ClientLog(tmp_path / "log") as log:
            async with house.serving(FULLHOUSE_LOG="error") as server, Crowd(house, log, server.port).buying() as crowd:
                for delay_s, end in DELAYS:
                    await crowd.more_of_each(1)
                    with slow_disk(house, delay_s, tmp_path) as waits:
                        await until(partial(is_slow, waits))
                        await crowd.more(end, 10)
                    assert await tries_until_served(house, server) <= TRIES
                await crowd.more_of_each(1)
        assert await house.wrong(tmp_path / "log") == {}
        assert crowd.codes["unavailable"], "nobody was told to come again"
        print(f"{dict(crowd.ends)} {dict(crowd.codes)}")

    asyncio.run(run())
