"""Any ASGI application, on our own server: its lifespan, and each request as `receive` and `send`."""

import asyncio
from typing import Any

from fullhouse.kit.errors import Malformed
from fullhouse.kit.http.asgi import App, Message
from fullhouse.kit.http.request import ClientGone, Request, Stream, encode_headers


class AsgiMount:
    """Runs the application's lifespan once, and each request as an `_Exchange`."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._state: dict[str, Any] = {}
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._outbox: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def startup(self) -> None:
        """Start the application, or raise what it failed with: then the server does not start either."""
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

    async def serve(self, request: Request) -> None:
        exchange = _Exchange(request)
        await self.app(asgi_scope(request, self._state.copy()), exchange.receive, exchange.send)


def asgi_scope(request: Request, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": request.version,
        "server": None,
        "client": request.client,
        "scheme": "http",
        "method": request.method,
        "root_path": "",
        "path": request.path,
        "raw_path": request.raw_path,
        "query_string": request.query.encode(),
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.lines],
        "state": state,
        "extensions": {},
    }


class _Exchange:
    """One request and its answer."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._unread = True
        self._status = 0
        self._headers: list[tuple[str, str]] = []
        self._stream: Stream | None = None
        self._over = asyncio.Event()

    async def receive(self) -> Message:
        if self._unread:
            try:
                chunk = await self._request.chunk()
            except Malformed:
                return {"type": "http.disconnect"}
            self._unread = bool(chunk)
            return {"type": "http.request", "body": chunk, "more_body": self._unread}
        self._request.on_left(self._over.set)
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            given = message.get("headers", ())
            self._headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in given]
        elif message["type"] == "http.response.body":
            await self._send_body(bytes(message.get("body", b"")), message.get("more_body", False))

    async def _send_body(self, body: bytes, more: bool) -> None:
        if self._stream and self._over.is_set() and not self._request.is_broken:
            raise RuntimeError("The answer was over already.")
        if self._stream is None:
            self._stream = self._begin(None if more else len(body))
        elif self._request.is_left:
            raise ClientGone("The client went away.")
        self._stream.write(body)
        if more:
            await self._stream.drain()
        else:
            self._stream.end()
            self._over.set()

    def _begin(self, length: int | None) -> Stream:
        assert self._status, "the answer's body came before its start"
        own = [header for header in self._headers if header[0].lower() != "content-length"]
        if len(own) < len(self._headers):
            length = next(int(value) for name, value in self._headers if name.lower() == "content-length")
        return self._request.stream(self._status, encode_headers(own), length=length)
