"""kill -9 of PostgreSQL under load: nothing acknowledged is lost, and the same processes serve again by themselves."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from bench._log import ClientLog

from tests.faults.crowd import Crowd
from tests.faults.theatre import Server, Theatre, theatre
from tests.fixtures import soaking
from tests.kit.test_postgres import make_home

pytestmark = [pytest.mark.fault, pytest.mark.req("HOLD-2", "OBS-2", "PROVE-2")]
ROUNDS = 50 if soaking() else 3
# Whoever obeys `Retry-After` (a second) is served at the fifth try at the latest. On a busy machine each try takes
# longer, which is no failure. The seconds, beside those of a bare connection, are measured by bench/recovery.py.
TRIES = 5


async def tries_until_served(at: Theatre, server: Server) -> int:
    """Of somebody who reserves a seat, and comes back when they are told to."""
    me, seat = at.people[0], at.sale.seat(0)
    headers = {"authorization": f"Bearer {me.token}"}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", headers=headers, timeout=60) as client:
        for tries in range(1, 10 * TRIES):
            answer = await client.post(at.sale.path(f"seats/{seat}/reserve"), json={})
            if answer.status_code < 500:
                return tries
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
            await asyncio.sleep(int(answer.headers["retry-after"]))
    raise AssertionError(f"not served in {tries} tries")


async def killed_and_started(at: Theatre, server: Server) -> int:
    """Returns how often somebody asks from the moment in which the database takes connections."""
    assert at.cluster.pid
    os.kill(at.cluster.pid, signal.SIGKILL)
    await asyncio.to_thread(at.cluster.start)
    assert at.cluster.how == "started"
    return await tries_until_served(at, server)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost(
    house: Theatre, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def run() -> None:
        tries: list[int] = []
        with ClientLog(tmp_path / "log") as log:
            async with house.serving(FULLHOUSE_LOG="error") as server, Crowd(house, log, server.port).buying() as crowd:
                for _ in range(ROUNDS):
                    await crowd.more_of_each(1)
                    tries.append(await killed_and_started(house, server))
                await crowd.more_of_each(1)
        assert await house.wrong(tmp_path / "log") == {}
        assert max(tries) <= TRIES, tries
        record_property("tries", tries)
        print(f"{ROUNDS} kills: {dict(crowd.ends)}, acknowledged {dict(crowd.done)}; tries until served again {tries}")

    asyncio.run(run())


# What is said of an acknowledgement of each kind that was forgotten.
FORGOTTEN = {
    "hold": "but hold",
    "release": "gave hold",
    "purchase": "but order",
    "refund": "but refund",
    "transfer": "but ticket",
    "scan": "but scan",
}


def children(pid: int, *names: str) -> list[int]:
    """Of the database's processes, those that write behind everybody's back."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found if any(name in cmdline(child) for name in names)]


def cmdline(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""  # it has ended meanwhile


def test_a_database_that_does_not_wait_for_its_disk_is_seen_to_forget(tmp_path: Path) -> None:
    """The mutant: acknowledged before it is written; and the processes that would write it soon stand still."""

    async def run(at: Theatre) -> list[str]:
        async with at.owner() as owner:
            await owner.execute("CHECKPOINT")  # the house itself stays
        assert at.cluster.pid
        writers = children(at.cluster.pid, "walwriter", "checkpointer", "background writer")
        assert len(writers) == 3
        with ClientLog(tmp_path / "log") as log:
            async with at.serving(FULLHOUSE_LOG="error") as server, Crowd(at, log, server.port).buying() as crowd:
                for pid in writers:
                    os.kill(pid, signal.SIGSTOP)
                await crowd.more_of_each(2)
                for pid in (at.cluster.pid, *writers):
                    os.kill(pid, signal.SIGKILL)
                await asyncio.to_thread(at.cluster.start)
        return (await at.wrong(tmp_path / "log"))["client log"]

    with theatre(make_home(), synchronous_commit="off", wal_buffers="64MB") as at:
        lost = asyncio.run(run(at))
    unsaid = {kind for kind, words in FORGOTTEN.items() if not any(words in sentence for sentence in lost)}
    assert not unsaid, lost
