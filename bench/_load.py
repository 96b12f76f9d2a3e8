"""The load client of the benches: loopback only, bounded, and it counts answers by status."""

import asyncio
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

HERE = Path(__file__).parents[1]


@contextmanager
def serving(target: str, environment: dict[str, str], *, interface: str = "rsgi") -> Iterator[int]:
    """One server process of ours on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", interface, "--factory", "--no-log"]
    command += ["--host", "127.0.0.1", "--port", str(port), target]
    server = subprocess.Popen(command, cwd=HERE, env=environment)
    try:
        for _ in range(400):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


class Measured(NamedTuple):
    rate: float  # answers a second
    statuses: Counter[int]
    times_ms: list[float]

    def percentile(self, share: float) -> float:
        ordered = sorted(self.times_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class _Caller(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered, until it is told to stop or has none left."""

    def __init__(self, next_request: Callable[[], bytes | None]) -> None:
        self._next = next_request
        self._buffer = b""
        self._sent = 0.0
        self.statuses: Counter[int] = Counter()
        self.times_ms: list[float] = []
        self.stopped = False
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length :]
            self.statuses[int(head[9:12])] += 1
            self.times_ms.append((time.perf_counter() - self._sent) * 1000)
            self._send()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.over.done():
            self.over.set_result(None)

    def _send(self) -> None:
        request = None if self.stopped else self._next()
        if request is None:
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)


async def load(
    port: int, next_request: Callable[[], bytes | None], *, connections: int, seconds: float, warm_s: float = 0.3
) -> Measured:
    """Requests from `connections` callers for so many seconds, or until there are none left."""
    loop = asyncio.get_running_loop()
    callers = [_Caller(next_request) for _ in range(connections)]
    for caller in callers:
        await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.sleep(warm_s)
    for caller in callers:
        caller.statuses.clear()
        caller.times_ms.clear()
    began = time.perf_counter()
    await asyncio.wait([caller.over for caller in callers], timeout=seconds)
    took = time.perf_counter() - began
    statuses = sum((caller.statuses for caller in callers), Counter())
    times = [ms for caller in callers for ms in caller.times_ms]
    for caller in callers:
        caller.stopped = True
    await asyncio.wait([caller.over for caller in callers], timeout=5)
    return Measured(sum(statuses.values()) / took, statuses, times)


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
