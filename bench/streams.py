"""Live streams: many readers of one channel, ten messages a second. The hub beside a queue for every reader.

    python bench/streams.py [readers] [seconds per measurement]

One API process over loopback, without a database. The readers share the machine with it, so trust the ratios.
"""

import asyncio
import os
import re
import select
import socket
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import structlog
from litestar import Litestar, get
from litestar.datastructures import State
from litestar.params import FromQuery
from litestar.response import Stream

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load

from fullhouse.kit.http import endpoints
from fullhouse.kit.http.guard import FastGuard, guard
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.http.middleware import Middleware
from fullhouse.kit.http.wide_lane import WidePlugin
from fullhouse.kit.live.broadcast import Channel, StreamLimits, StreamMessage
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.live.hub import StreamHub

TOPIC = "bench"
RATE = 10
ROUNDS = 3
NEWS = {"seats": list(range(20)), "state": "held", "version": 123_456}


async def _snapshot() -> Any:
    return {}


@endpoints.get("/api/hub", public=True)
async def hub(services: Any) -> Channel:
    return Channel(TOPIC, {TOPIC: lambda news: StreamMessage("delta", news)}, _snapshot)


@get("/api/queues", opt={"public": True})
async def queues(state: State) -> Stream:
    """What one would write first: a queue for each reader, and each encodes for itself."""
    queue: asyncio.Queue[Any] = asyncio.Queue()

    async def frames() -> AsyncIterator[bytes]:
        leave = state.services.bus.subscribe(TOPIC, lambda _, news: queue.put_nowait(news))
        try:
            yield b":\n\n"
            while True:
                news = await queue.get()
                yield b"event: delta\ndata: " + msgspec.json.encode(news) + b"\n\n"
        finally:
            leave()

    return Stream(frames(), media_type="text/event-stream")


@get("/api/publish", opt={"public": True})
async def publish(state: State, seconds: FromQuery[float]) -> dict[str, int]:
    count = int(seconds * RATE)
    begun = time.monotonic()
    for n in range(count):
        await asyncio.sleep(max(0.0, begun + n / RATE - time.monotonic()))
        state.services.bus.deliver([(TOPIC, {"at": time.monotonic_ns(), **NEWS})])
    return {"published": count}


@asynccontextmanager
async def _open(app: Litestar) -> AsyncIterator[None]:
    bus = Bus("postgresql://unused/unused")
    limits = StreamLimits(streams_per_network=20_000, stream_bytes=10_000_000, stream_s=600)
    app.state.services = SimpleNamespace(bus=bus, streams=StreamHub(bus, limits))
    app.state.authenticate = None
    yield


def lane() -> LaneRouter:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40), cache_logger_on_first_use=True)
    edge = Middleware()
    app = Litestar([hub, queues, publish], guards=[guard], lifespan=[_open], plugins=[WidePlugin(edge)])
    return LaneRouter(app, edge, FastGuard())


class Measured(NamedTuple):
    p50_ms: float
    p99_ms: float
    cpu: float  # of one core
    lost: int


def listen(port: int, path: str) -> socket.socket:
    reader = socket.create_connection(("127.0.0.1", port))
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = b""
    while b"\n\n" not in head:
        head += reader.recv(65_536)
    assert head.startswith(b"HTTP/1.1 200"), head
    return reader


def measure(server: _load.Server, path: str, readers: int, seconds: float) -> Measured:
    port, pids = server
    with ExitStack() as open_now:
        sockets = {s.fileno(): s for s in (open_now.enter_context(listen(port, path)) for _ in range(readers))}
        poll = open_now.enter_context(select.epoll())
        for number, reader in sockets.items():
            reader.setblocking(False)
            poll.register(number, select.EPOLLIN)
        teller = open_now.enter_context(socket.create_connection(("127.0.0.1", port)))
        teller.sendall(f"GET /api/publish?seconds={seconds} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        used, began, got = _load.cpu_s(*pids), time.monotonic(), []
        until = began + seconds + 2
        while (now := time.monotonic()) < until:
            for number, _ in poll.poll(until - now):
                got.append((sockets[number].recv(65_536), time.monotonic_ns()))
        cpu = (_load.cpu_s(*pids) - used) / seconds
    delays = sorted((at - int(sent)) / 1e6 for data, at in got for sent in re.findall(rb'"at":(\d+)', data))
    expected = readers * int(seconds * RATE)
    p50, p99 = (delays[int(len(delays) * share)] for share in (0.5, 0.99))
    return Measured(p50, p99, cpu, expected - len(delays))


def main(readers: int = 5000, seconds: float = 4) -> None:
    print(f"{readers} readers × {RATE} messages/s, {seconds:g} s, median of {ROUNDS} interleaved rounds")
    results: dict[str, list[Measured]] = {"/api/hub": [], "/api/queues": []}
    for _ in range(ROUNDS):
        for path, measured in results.items():
            with _load.serving("bench.streams:lane", dict(os.environ)) as server:
                measured.append(measure(server, path, readers, seconds))
    middle = {path: Measured(*map(statistics.median, zip(*rounds, strict=True))) for path, rounds in results.items()}
    for path, m in middle.items():
        print(f"{path:12}  p50 {m.p50_ms:8.1f} ms  p99 {m.p99_ms:8.1f} ms  CPU {m.cpu:5.0%} of a core  lost {m.lost}")
    ours, theirs = middle["/api/hub"], middle["/api/queues"]
    print(f"queues ÷ hub: p99 {theirs.p99_ms / ours.p99_ms:.1f}, CPU {theirs.cpu / ours.cpu:.1f}")


if __name__ == "__main__":
    main(*(kind(value) for kind, value in zip((int, float), sys.argv[1:], strict=False)))
