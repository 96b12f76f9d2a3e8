"""The fast lane beside its twin in Litestar, over RSGI and over ASGI: no database, one worker, loopback.

    python bench/http_lanes.py [seconds per measurement]

The load client shares the machine with the server, so trust the ratios and not the absolute figures.
"""

import asyncio
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast
from uuid import UUID

import msgspec
import structlog
import uvloop
from litestar import Litestar, post
from litestar.params import FromPath, JSONBody

from fullhouse.kit.http.body import decode
from fullhouse.kit.http.edge import Edge
from fullhouse.kit.http.lane import Answer, Call, Lane
from fullhouse.kit.http.wide import WidePlugin

CONNECTIONS = 64
ROUNDS = 3
PATH = "/api/shops/0190f5a0-0000-7000-8000-000000000001/items"
BODY = b'{"items":[{"name":"a","quantity":2}]}'


class Item(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    quantity: int


class Basket(msgspec.Struct, forbid_unknown_fields=True):
    items: list[Item]


BASKET = msgspec.json.Decoder(Basket)


async def fast(call: Call) -> Answer:
    basket = decode(BASKET, await call.read())
    return Answer(201, msgspec.json.encode({"data": {"shop": call.params[0], "count": len(basket.items)}}))


@post("/api/shops/{shop:uuid}/items", opt={"fast": fast})
async def twin(shop: FromPath[UUID], data: JSONBody[Basket]) -> dict[str, dict[str, object]]:
    return {"data": {"shop": shop, "count": len(data.items)}}


def lane() -> Lane:
    wrapper = structlog.make_filtering_bound_logger(20)
    structlog.configure(wrapper_class=wrapper, cache_logger_on_first_use=True)
    edge = Edge()
    return Lane(Litestar([twin], plugins=[WidePlugin(edge)]), edge)


@contextmanager
def serving(interface: str) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", interface, "--factory", "--no-log"]
    command += ["--host", "127.0.0.1", "--port", str(port), "bench.http_lanes:lane"]
    server = subprocess.Popen(command, cwd=Path(__file__).parents[1])
    try:
        for _ in range(200):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


class Caller(asyncio.Protocol):
    """Sends a request as soon as the last one is answered. All answers are equally long."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.answered = 0
        self._length = 0
        self._got = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        if not self._length:
            assert data.startswith(b"HTTP/1.1 201"), data
            head, _, rest = data.partition(b"\r\n\r\n")
            self._length = len(data) - len(rest) + int(head.lower().partition(b"content-length: ")[2].split()[0])
        self._got += len(data)
        if self._got == self._length:
            self._got = 0
            self.answered += 1
            self._transport.write(self.request)


async def measure(port: int, path: str, seconds: float) -> float:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    loop = asyncio.get_running_loop()
    callers = [Caller(head.encode() + BODY) for _ in range(CONNECTIONS)]
    transports = []
    for caller in callers:
        transport, _ = await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)  # type: ignore[misc]
        transports.append(transport)
    await asyncio.sleep(0.3)  # warm
    before, began = sum(caller.answered for caller in callers), time.perf_counter()
    await asyncio.sleep(seconds)
    rate = (sum(caller.answered for caller in callers) - before) / (time.perf_counter() - began)
    for transport in transports:
        transport.abort()
    return rate


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    with ExitStack() as servers:
        ports = {interface: servers.enter_context(serving(interface)) for interface in ("rsgi", "asgi")}
        ways = {f"{name}, {face}": (port, path) for face, port in ports.items() for name, path in _PATHS.items()}
        rates: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, (port, path) in ways.items():
                rates[way].append(uvloop.run(measure(port, path, seconds)))
    base = statistics.median(rates["Litestar twin, asgi"])
    for way, measured in rates.items():
        rate = statistics.median(measured)
        print(f"{way:<22}{rate:>9,.0f} req/s   {rate / base:.2f} x Litestar over ASGI")
    ratio = statistics.median(rates["fast lane, rsgi"]) / statistics.median(rates["Litestar twin, rsgi"])
    print(f"fast lane / Litestar twin, both over RSGI: {ratio:.2f}")


# Litestar ignores the slash at the end; the fast lane's table does not know it.
_PATHS = {"fast lane": PATH, "Litestar twin": f"{PATH}/"}

if __name__ == "__main__":
    main()
