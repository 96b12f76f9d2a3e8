"""The server: listens, serves each request, in a task of its own once it has to wait, and closes after the last."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

import structlog
import uvloop

from fullhouse.kit import tasks
from fullhouse.kit.http.request import Request
from fullhouse.kit.http.wire import Connection, Outbox

BACKLOG = 2048
TICK_S = 1.0
GRACE_S = 15.0  # for what is in flight when the server closes
log = structlog.get_logger()


class App(Protocol):
    """What is served. `serve` is started without a task (kit/tasks.py): many requests are answered before they wait."""

    async def open(self) -> None: ...
    def end_streams(self) -> None: ...
    async def serve(self, request: Request) -> None: ...
    async def close(self) -> None: ...


class Server:
    """Connections, with one timer for all of them: a timer for each would cost more than the request."""

    def __init__(self, serve: Callable[[Request], Awaitable[None]]) -> None:
        self._serve = serve
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()  # they may outlive their connections
        self._listener: asyncio.Server | None = None
        self._clock: asyncio.TimerHandle | None = None

    async def listen(self, host: str, port: int, *, bound: socket.socket | None = None) -> None:
        """Listens on a socket that is bound already, or on one of its own."""
        outbox = Outbox()
        where: dict[str, Any] = {"sock": bound} if bound else {"host": host, "port": port}
        self._listener = await self._loop.create_server(
            lambda: Connection(self._begin, self._connections, outbox), backlog=BACKLOG, **where
        )
        self._tick()

    @property
    def port(self) -> int:
        assert self._listener
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    def _tick(self) -> None:
        now = self._loop.time()
        for connection in list(self._connections):
            connection.tick(now)
        self._clock = self._loop.call_later(TICK_S, self._tick)

    def _begin(self, connection: Connection, request: Request) -> asyncio.Task[None] | None:
        task = tasks.start_eagerly(self._run(connection, request), self._loop)
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(partial(self._end, request))
        return task

    def _end(self, request: Request, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        request.finish()

    async def _run(self, connection: Connection, request: Request) -> None:
        try:
            await self._serve(request)
        except Exception:
            log.exception("http.request_failed")
            if request.answered:
                connection.abort()  # half of an answer is out, and must not be taken for all of it

    async def close(self, grace_s: float = GRACE_S) -> None:
        """Stops accepting, and finishes the requests in flight within the grace period."""
        if self._listener:
            self._listener.close()
        deadline = self._loop.time() + grace_s
        for connection in list(self._connections):
            connection.retire()
        while (self._connections or self._tasks) and self._loop.time() < deadline:
            await asyncio.sleep(0.02)
        for connection in list(self._connections):
            connection.abort()
        if self._clock:
            self._clock.cancel()


def run(
    make: Callable[[], App],
    host: str,
    port: int,
    *,
    bound: socket.socket | None = None,
    opened: Callable[[], None] = lambda: None,
) -> None:
    """Serves until the process is told to stop. `make` is called inside the event loop, `opened` once it listens."""
    uvloop.run(_run(make, host, port, bound, opened))


async def _run(
    make: Callable[[], App], host: str, port: int, bound: socket.socket | None, opened: Callable[[], None]
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    app = make()
    await app.open()
    try:
        server = Server(app.serve)
        await server.listen(host, port, bound=bound)
        opened()
        await stop.wait()
        app.end_streams()
        await server.close()
    finally:
        await app.close()
