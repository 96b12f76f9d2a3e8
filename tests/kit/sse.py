"""Reading a stream that is still open: the application is driven by hand, message by message."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import msgspec

from fullhouse.kit.http import asgi


class Message(NamedTuple):
    id: str
    event: str
    data: Any


class Listener:
    """One open stream, as a browser sees it. While `takes` is not set, nothing is taken from the server."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.retry = 0
        self.comments = 0
        self.whole = b""
        self.takes = asyncio.Event()
        self.takes.set()
        self.hung_up = asyncio.Event()
        self.ended = asyncio.Event()
        self._began = asyncio.Event()
        self._rest = b""
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._asked = False

    async def began(self) -> None:
        async with asyncio.timeout(20):
            await self._began.wait()

    async def next(self) -> Message:
        async with asyncio.timeout(20):
            message = await self._messages.get()
        assert message is not None, "the stream has ended"
        return message

    async def rest(self) -> list[Message]:
        """What still comes, until the server ends the stream."""
        messages = []
        async with asyncio.timeout(20):
            while (message := await self._messages.get()) is not None:
                messages.append(message)
        return messages

    def waiting(self) -> int:
        return self._messages.qsize()

    async def receive(self) -> asgi.Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: asgi.Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        await self.takes.wait()
        self.whole += message.get("body", b"")
        *frames, self._rest = (self._rest + message.get("body", b"")).split(b"\n\n")
        if self.status == 200:
            for frame in frames:
                self._take(frame.decode())
        self._began.set()

    def _take(self, frame: str) -> None:
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if not line.startswith(":"))
        if not fields:
            self.comments += 1
        elif "retry" in fields:
            self.retry = int(fields["retry"])
        else:
            data = msgspec.json.decode(fields["data"])
            self._messages.put_nowait(Message(fields["id"], fields["event"], data))

    def over(self, _task: object) -> None:
        self.ended.set()
        self._began.set()
        self._messages.put_nowait(None)


@asynccontextmanager
async def listening(
    app: Any, path: str, *, token: str | None = None, last: str | None = None, ip: str = "198.51.100.7"
) -> AsyncIterator[Listener]:
    """The answer has begun: either the first frames are there or a refusal is. Leaving hangs up."""
    given = {"authorization": token and f"Bearer {token}", "last-event-id": last}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": path,
        "raw_path": path.encode(), "root_path": "", "query_string": b"", "scheme": "http", "client": (ip, 4711),
        "server": ("testserver", 80),
        "headers": [(b"host", b"testserver"), *((n.encode(), v.encode()) for n, v in given.items() if v)],
    }  # fmt: skip
    listener = Listener()
    task = asyncio.create_task(app(scope, listener.receive, listener.send))
    task.add_done_callback(listener.over)
    try:
        await listener.began()
        yield listener
    finally:
        listener.hung_up.set()
        listener.takes.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(20):
                await task
