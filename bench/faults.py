"""Reserving while Redis is well, dead or hung: one server process, loopback, the three in turn.

    python bench/faults.py [seconds per measurement]

Redis breaks while the load runs, so that the moment in which it is noticed counts. Trust the ratios. What the buyers
were told is written down, and is there in the end.
"""

import asyncio
import os
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._log import ClientLog
from bench._sale import Ground, House, Told, ground, open_house, open_shows, ready, seats
from tests.services import servers

ROUNDS, CONNECTIONS, WARM_S = 3, 32, 0.5


class Redis:
    """Killed, hung, and as it was."""

    def __init__(self, home: Path) -> None:
        self._home, self.port = home, servers.free_port()
        self._start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def _start(self) -> None:
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self._home)]
        self._process = servers.spawn([servers.program("redis-server"), *words], self._home)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def hang(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def mend(self) -> None:
        if self._process.poll() is not None:
            self._start()
        os.kill(self._process.pid, signal.SIGCONT)


def measure(
    server: _load.Server, requests: _load.Source, told: Told, seconds: float, fault: Callable[[], None] | None
) -> _load.Measured:
    strike = threading.Timer(WARM_S + 0.1, fault or (lambda: None))
    strike.start()
    try:
        found = _load.load(server.port, requests, connections=CONNECTIONS, seconds=seconds, warm_s=WARM_S, witness=told)
    finally:
        strike.cancel()
        strike.join()
    assert set(found.statuses) == {201}, found.statuses
    return found


def measure_all(here: Ground, house: House, log: ClientLog, seconds: float) -> dict[str, list[_load.Measured]]:
    home = Path(here.home, "redis")
    home.mkdir()
    redis, told = Redis(home), Told(log, house)
    faults = {"well": None, "dead": redis.kill, "hung": redis.hang}
    found: dict[str, list[_load.Measured]] = {name: [] for name in faults}
    try:
        with here.serving(REDIS_URL=redis.url) as server:
            for _ in range(ROUNDS):
                for name, fault in faults.items():
                    (show,) = asyncio.run(open_shows(here.urls.owner, house))
                    requests = ready(server, seats(house, [show.event]), seconds, told)
                    found[name].append(measure(server, requests, told, seconds, fault))
                    redis.mend()
                    time.sleep(2.5)  # it is noticed that it is back
    finally:
        redis.mend()
        redis.kill()
    return found


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with ground() as here:
        house = asyncio.run(open_house(here.urls))
        with ClientLog(Path(here.home, "told"), sync=False) as log:
            found = measure_all(here, house, log, seconds)
        here.prove(log.path)
        report(
            {name: [m.percentile(0.99) for m in measured] for name, measured in found.items()},
            {name: max(max(m.times_ms) for m in measured) for name, measured in found.items()},
        )


def report(p99s: dict[str, list[float]], worst: dict[str, float]) -> None:
    well = statistics.median(p99s["well"])
    print(f"Redis is well, c={CONNECTIONS}: p99 {well:.1f} ms, the slowest {worst['well']:.0f} ms")
    for name, most in (("dead", 2.0), ("hung", 2.0)):
        p99 = statistics.median(p99s[name])
        print(
            f"Redis is {name}: p99 {p99:.1f} ms = {p99 / well:.2f} of that (at most {most:.0f}), {p99 - well:+.0f} ms"
            f" (at most +100), the slowest {worst[name]:.0f} ms"
        )


if __name__ == "__main__":
    main()
