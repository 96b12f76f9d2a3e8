"""Server-Sent Events from a reader of the hub (kit/live/hub.py), on our own server or by ASGI."""

import asyncio
from contextlib import suppress
from typing import Any

from litestar import Response

from fullhouse.kit.http import asgi
from fullhouse.kit.http.request import Request
from fullhouse.kit.live.broadcast import Reader

MEDIA_TYPE = "text/event-stream"
HEADERS = [("content-type", MEDIA_TYPE), ("cache-control", "no-store"), ("x-accel-buffering", "no")]
_UNFINISHED = ("left", "slow", "failed")  # the connection cannot be ended cleanly
DRAIN_S = 2.0  # how long a pending write may take after the stream has ended


async def send_stream(reader: Reader, request: Request, head: bytes) -> None:
    """Writes directly to the connection, without a task per write. A full write buffer marks the reader busy."""
    stream = request.stream(200, head)
    if request.is_bare:
        reader.end("left")
        return

    def write(data: bytes) -> None:
        stream.write(data)
        if stream.is_full:
            reader.busy = True

    stream.on_free(reader.resume)
    request.on_left(lambda: reader.end("left"))
    try:
        reader.begin(write)
        why = await reader.over
    finally:
        reader.end("left")
    if why in _UNFINISHED:
        stream.break_off()
    else:
        stream.end()


class AsgiStream:
    """The same for ASGI, where `send` may block."""

    def __init__(self, reader: Reader, send: asgi.Send) -> None:
        self._reader, self._send = reader, send
        self._writing: asyncio.Task[None] | None = None

    async def run(self, receive: asgi.Receive, headers: list[tuple[str, str]]) -> None:
        watch = asyncio.ensure_future(self._watch_disconnect(receive))
        try:
            await self._send(asgi.start_message(200, [*HEADERS, *headers]))
            self._reader.begin(self._write)
            await self._finish(await self._reader.over)
        finally:
            self._reader.end("left")
            watch.cancel()
            if self._writing:
                self._writing.cancel()

    def _write(self, data: bytes) -> None:
        self._reader.busy = True
        self._writing = asyncio.ensure_future(self._send_chunk(data))

    async def _send_chunk(self, data: bytes) -> None:
        try:
            await self._send({"type": "http.response.body", "body": data, "more_body": True})
        except OSError:
            self._reader.end("left")
        else:
            self._reader.resume()

    async def _watch_disconnect(self, receive: asgi.Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._reader.end("left")

    async def _finish(self, why: str) -> None:
        """Ends the response cleanly, for clients that are still connected."""
        if why in _UNFINISHED:
            return
        if self._writing:
            await asyncio.wait({self._writing}, timeout=DRAIN_S)
            if not self._writing.done():
                return
        with suppress(OSError):
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class StreamResponse(Response[Any]):
    """A stream from the wide lane."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(None)
        self._reader = reader

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        async def respond(_scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
            await AsgiStream(self._reader, send).run(receive, [])

        return respond
