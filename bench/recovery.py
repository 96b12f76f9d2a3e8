"""How long until the house serves again after its database was killed, beside a bare connection.

    python bench/recovery.py [kills]

Each kill comes while people buy. From that moment a new connection is tried, and then a seat reserved, again and again.
Trust the ratio; the goal is five seconds. What people were told is there in the end.
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import asyncpg
import httpx
from bench._log import ClientLog
from tests.faults.crowd import Crowd
from tests.faults.theatre import PATIENCE_S, Server, Theatre, theatre
from tests.kit.helpers import until

GOAL_S = 5.0


class Away(NamedTuple):
    bare_s: float
    house_s: float


async def connects(at: Theatre) -> bool:
    try:
        connection = await asyncpg.connect(at.urls.owner, timeout=PATIENCE_S)
    except (OSError, TimeoutError, asyncpg.PostgresError):
        return False
    connection.terminate()
    return True


async def reserves(at: Theatre, server: Server) -> bool:
    path = at.sale.path(f"seats/{at.sale.seat(0)}/reserve")
    headers = {"authorization": f"Bearer {at.people[0].token}"}
    async with httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as client:
        try:
            answer = await client.post(f"http://127.0.0.1:{server.port}{path}", json={})
        except httpx.HTTPError:
            return False
    return answer.status_code < 500


async def kill(at: Theatre, server: Server) -> Away:
    assert at.cluster.pid
    os.kill(at.cluster.pid, signal.SIGKILL)
    began, starting = time.monotonic(), asyncio.create_task(asyncio.to_thread(at.cluster.start))
    await until(lambda: connects(at))  # sessions of before may answer once more: the house is asked after that
    bare = time.monotonic()
    await until(lambda: reserves(at, server))
    await starting
    return Away(bare - began, time.monotonic() - began)


async def measure(at: Theatre, log: ClientLog, kills: int) -> list[Away]:
    async with at.serving(FULLHOUSE_LOG="error") as server, Crowd(at, log, server.port).buying() as crowd:
        found = []
        for _ in range(kills):
            await crowd.more_of_each(1)
            found.append(await kill(at, server))
        return found


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        with theatre(home) as at:
            with ClientLog(home / "told", sync=False) as log:
                found = asyncio.run(measure(at, log, kills))
            assert asyncio.run(at.wrong(log.path)) == {}
    bare, house = (statistics.median(column) for column in zip(*found, strict=True))
    longest = max(each.house_s for each in found)
    print(
        f"{kills} kills: a bare connection after {bare:.2f} s, the house after {house:.2f} s = {house / bare:.2f} of it"
    )
    print(f"at most {longest:.2f} s (goal {GOAL_S:.0f} s)")


if __name__ == "__main__":
    main()
