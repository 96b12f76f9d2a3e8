"""Any ASGI application inside a Granian RSGI worker, by Granian's public names only."""

import asyncio
import multiprocessing
import signal
from collections.abc import AsyncIterator, Callable
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Protocol
from urllib.parse import quote

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # its stubs do not re-export

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http.asgi import App, Message
from fullhouse.kit.process import die_with


class Headers(Protocol):
    def get(self, key: str) -> str | None: ...
    def get_all(self, key: str) -> list[str]: ...
    def items(self) -> list[tuple[str, str]]: ...


class Scope(Protocol):
    """A request as Granian describes it. The path is already percent-decoded; `client` is `host:port`."""

    proto: str
    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None

    @property
    def headers(self) -> Headers: ...


class Stream(Protocol):
    async def send_bytes(self, data: bytes) -> None: ...


class Connection(Protocol):
    """The other half: the body to read and the answer to give."""

    async def __call__(self) -> bytes: ...
    def __aiter__(self) -> AsyncIterator[bytes]: ...
    async def client_disconnect(self) -> None: ...
    def close(self, status: int) -> None: ...
    def response_empty(self, status: int, headers: list[tuple[str, str]]) -> None: ...
    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None: ...
    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> Stream: ...


class ClientGone(OSError):
    """Nobody is there to answer."""


def die_with_parent() -> None:
    """Make the kernel end this worker when the server's main process is killed.

    Without it, a worker whose parent died by `kill -9` keeps the port and serves on, unsupervised.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        die_with(parent.pid)


def on_stop(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Calls `act` too when the process is told to stop. The server has handlers of its own, and they stay.

    An event loop hears of signals through a file, whatever function `signal.signal` names: both are called.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        previous[number](number, frame)

    previous: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    if not all(map(callable, previous.values())) or current_thread() is not main_thread():
        return  # nobody stops gracefully here
    for number in previous:
        signal.signal(number, handle)
        signal.siginterrupt(number, False)


def split_address(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return (host.strip("[]"), int(port)) if port.isdigit() else (address, 0)


async def chunks(scope: Scope, connection: Connection) -> AsyncIterator[bytes]:
    """The body as it arrives.

    Granian ends the iteration over a body that was cut off as if it were complete. An announced length
    tells the difference; a chunked upload has none, and its sender is gone anyway.
    """
    length = int(scope.headers.get("content-length") or 0)
    if length or scope.http_version == "2" or scope.headers.get("transfer-encoding"):
        async for chunk in connection:
            length -= len(chunk)
            yield chunk
        if length > 0:
            raise Malformed("The body ended early.")


class AsgiMount:
    """Runs the application's lifespan once, and each request as an `_Exchange`."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._state: dict[str, Any] = {}
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._outbox: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def startup(self) -> None:
        """Start the application, or raise what it failed with: then the worker does not start either."""
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self._state,
        }
        self._task = asyncio.ensure_future(self.app(scope, self._inbox.get, self._outbox.put))
        await self._pass("startup", self._task)

    async def shutdown(self) -> None:
        if self._task is not None and not self._task.done():
            await self._pass("shutdown", self._task)
            await self._task

    async def _pass(self, phase: str, task: asyncio.Task[None]) -> None:
        self._inbox.put_nowait({"type": f"lifespan.{phase}"})
        reply = asyncio.ensure_future(self._outbox.get())
        await asyncio.wait((reply, task), return_when=asyncio.FIRST_COMPLETED)
        if not reply.done():
            reply.cancel()
            await task  # raises what ended it
            raise RuntimeError(f"The application ended its lifespan at {phase}.")
        if (await reply)["type"] != f"lifespan.{phase}.complete":
            raise RuntimeError(f"The application failed at {phase}: {reply.result().get('message', '')}")

    async def __call__(self, scope: Scope, connection: Connection) -> None:
        exchange = _Exchange(scope, connection)
        try:
            await self.app(asgi_scope(scope, self._state.copy()), exchange.receive, exchange.send)
        finally:
            exchange.finish()


def asgi_scope(scope: Scope, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": scope.http_version,
        "server": split_address(scope.server),
        "client": split_address(scope.client),
        "scheme": scope.scheme,
        "method": scope.method,
        "root_path": "",
        "path": scope.path,
        "raw_path": quote(scope.path).encode("ascii"),
        "query_string": scope.query_string.encode(),
        "headers": _asgi_headers(scope),
        "state": state,
        "extensions": {},
    }


def _asgi_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in scope.headers.items()]
    if scope.http_version != "2":
        return headers
    # HTTP/2 names the host elsewhere, and may split the cookies into a header each.
    if scope.authority and not scope.headers.get_all("host"):
        headers.append((b"host", scope.authority.encode("latin-1")))
    if len(cookies := scope.headers.get_all("cookie")) > 1:
        headers = [header for header in headers if header[0] != b"cookie"]
        headers.append((b"cookie", "; ".join(cookies).encode("latin-1")))
    return headers


class _Exchange:
    """One request and its answer, as ASGI's `receive` and `send`."""

    def __init__(self, scope: Scope, connection: Connection) -> None:
        self._connection = connection
        self._chunks: AsyncIterator[bytes] | None = chunks(scope, connection)
        self._status: int | None = None
        self._headers: list[tuple[str, str]] = []
        self._stream: Stream | None = None
        self._over = asyncio.Event()

    async def receive(self) -> Message:
        if self._chunks is not None:
            chunk = await anext(self._chunks, None)
            if chunk is None:
                self._chunks = None
            return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}
        await self._until_gone()
        return {"type": "http.disconnect"}

    async def _until_gone(self) -> None:
        """The client hangs up, or the answer is over."""
        waits = {asyncio.ensure_future(self._over.wait()), asyncio.ensure_future(self._hangup())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _hangup(self) -> None:
        await self._connection.client_disconnect()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = message.get("headers", ())
            self._headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        elif message["type"] == "http.response.body" and not self._over.is_set():
            try:
                await self._send_body(bytes(message.get("body", b"")), message.get("more_body", False))
            except ProtocolClosed:
                self._over.set()
                raise ClientGone("The client went away.") from None

    async def _send_body(self, body: bytes, more: bool) -> None:
        assert self._status is not None, "the answer's body came before its start"
        if self._stream is not None or more:
            if self._stream is None:
                self._stream = self._connection.response_stream(self._status, self._headers)
            if body:
                await self._stream.send_bytes(body)
        elif body:
            self._connection.response_bytes(self._status, self._headers, body)
        else:
            self._connection.response_empty(self._status, self._headers)
        if not more:
            self._over.set()

    def finish(self) -> None:
        """Leave nobody waiting, whether the application forgot to answer or broke off in the middle."""
        if self._stream is None and not self._over.is_set():
            self._connection.response_empty(500, [])
        self._over.set()
        self._stream = None  # Granian ends a stream when nothing holds it any more
