"""kill -9 of PostgreSQL under load: nothing acknowledged is lost, and the same processes serve again by themselves."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from bench._log import ClientLog

from tests.faults.theatre import Crowd, Theatre, theatre
from tests.fixtures import soaking
from tests.kit.test_postgres import make_home

pytestmark = [pytest.mark.fault, pytest.mark.req("HOLD-2", "OBS-2")]
ROUNDS = 50 if soaking() else 3
SERVING_AGAIN_S = 5.0  # the target, asserted where the machine has nothing else to do
ANSWERING_WITHIN_S = 60.0  # beside other tests, a busy machine is no failure


class Away(NamedTuple):
    """For how many seconds: the database itself, and then still the house."""

    database_s: float
    house_s: float

    def __str__(self) -> str:
        return f"{self.database_s:.1f}+{self.house_s:.1f}"


async def killed_and_started(at: Theatre, crowd: Crowd) -> Away:
    assert at.cluster.pid
    began = time.monotonic()
    os.kill(at.cluster.pid, signal.SIGKILL)
    await asyncio.to_thread(at.cluster.start)
    assert at.cluster.how == "started"
    started = time.monotonic()
    async with asyncio.timeout(ANSWERING_WITHIN_S):
        await crowd.more("ok", 1)
    return Away(started - began, time.monotonic() - started)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost(
    house: Theatre, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def run() -> None:
        took: list[Away] = []
        with ClientLog(tmp_path / "log") as log:
            async with house.serving(FULLHOUSE_LOG="error") as server, Crowd(house, log, server.port).buying() as crowd:
                for _ in range(ROUNDS):
                    await crowd.more("ok", 60)
                    took.append(await killed_and_started(house, crowd))
                await crowd.more("ok", 60)
        assert await house.wrong(tmp_path / "log") == {}
        longest = max(took, key=sum)
        if soaking():
            assert max(away.house_s for away in took) <= SERVING_AGAIN_S, took
            assert sum(sorted(took, key=sum)[ROUNDS // 2]) <= SERVING_AGAIN_S, took
        record_property("seconds", [sum(away) for away in took])
        usual = sorted(took, key=sum)[ROUNDS // 2]
        print(f"{ROUNDS} kills: {dict(crowd.ends)}; the database and the house away for {usual} s, at most {longest}")

    asyncio.run(run())


def test_a_database_that_does_not_wait_for_its_disk_is_seen_to_forget(tmp_path: Path) -> None:
    """The mutant: acknowledged before it is written."""

    async def run(at: Theatre) -> list[str]:
        async with at.owner() as owner:
            await owner.execute("CHECKPOINT")  # the house itself stays
        with ClientLog(tmp_path / "log") as log:
            async with at.serving(FULLHOUSE_LOG="error") as server, Crowd(at, log, server.port).buying() as crowd:
                for _ in range(10):  # one is enough, nearly always
                    await crowd.more("ok", 60)
                    await killed_and_started(at, crowd)
                    if lost := (await at.wrong(tmp_path / "log")).get("told"):
                        return lost
        return []

    # The writer of the log behind everybody's back is made slow: what is lost is then a whole second.
    with theatre(make_home(), synchronous_commit="off", wal_writer_delay="10s") as at:
        lost = asyncio.run(run(at))
    assert any("was acknowledged, but hold" in sentence for sentence in lost), lost
