"""A request on our own server, and the ways to answer it: at once, or as a stream."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import Protocol

from fullhouse.kit.errors import Malformed

Header = tuple[str, str]

BODY_AHEAD = 131_072  # bytes of a body that are buffered before the handler reads them
LISTS = {"cookie": "; ", "x-forwarded-for": ", "}
"""Headers that may come in several lines, and how to read them as one. Of others, the first line counts."""

STATUS = {int(each): f"HTTP/1.1 {int(each)} {each.phrase}\r\n".encode() for each in HTTPStatus}
CLOSE = b"connection: close\r\n"
_NO_BODY = frozenset({204, 304})
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"


class Wire(Protocol):
    """The connection of a request (wire.py)."""

    client: tuple[str, int]
    is_over: bool  # the client sends no more
    is_full: bool  # the write buffer is full
    on_free: Callable[[], None] | None

    @property
    def is_last(self) -> bool: ...
    def send(self, data: bytes) -> None: ...
    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...
    def work(self) -> None: ...
    def finish(self, request: "Request") -> None: ...
    def abort(self) -> None: ...


class ClientGone(OSError):
    """The client has disconnected."""


class Request:
    """One request, and the ways to answer it: at once, or as a stream."""

    __slots__ = (
        "_expects", "_full", "_left", "_parts", "_size", "_waiting", "answered", "complete", "connection", "headers",
        "is_bare", "is_broken", "keep_alive", "method", "path", "query", "raw_path", "repeated", "version",
    )  # fmt: skip

    def __init__(self, connection: Wire) -> None:
        self.connection = connection
        self._parts: list[bytes] = []
        self._size = 0
        self._waiting: asyncio.Future[None] | None = None
        self._left: Callable[[], None] | None = None
        self._full = self._expects = False
        self.complete = self.answered = False
        self.keep_alive = True
        self.is_broken = False  # begun as a stream, and not ended
        self.is_bare = False  # a HEAD request: handled as GET, without the body
        self.headers: dict[str, str] = {}
        self.repeated: list[Header] = []
        self.method = self.path = self.query = self.version = ""
        self.raw_path = b""

    def header(self, name: str) -> str | None:
        """A header's value, by its name in lower case."""
        first = self.headers.get(name)
        if self.repeated and name in LISTS and first is not None:
            return LISTS[name].join([first, *(value for other, value in self.repeated if other == name)])
        return first

    @property
    def lines(self) -> list[Header]:
        return [*self.headers.items(), *self.repeated]

    @property
    def client(self) -> tuple[str, int]:
        return self.connection.client

    # --- the body

    def take(self) -> bytes:
        """What has arrived of the body."""
        taken = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        if self._full:
            self._full = False
            self.connection.work()
        return taken

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives."""
        while chunk := await self.chunk():
            yield chunk

    async def chunk(self) -> bytes:
        """The next piece of the body; nothing at its end."""
        while not self._parts and not self.complete:
            if self.connection.is_over:
                raise Malformed("The body ended early.")
            await self._more()
        return self.take() if self._parts else b""

    async def _more(self) -> None:
        if self._expects and not self.answered:
            self._expects = False
            self.connection.write(_CONTINUE)
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def arrive(self, chunk: bytes) -> None:
        self._parts.append(chunk)
        self._size += len(chunk)
        self._full = self._size > BODY_AHEAD
        self.wake()

    def wake(self) -> None:
        """There is more, or there will be none."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    @property
    def is_full(self) -> bool:
        """The body buffer is full: nothing more is received until the handler reads, or has responded."""
        return self._full and not self.answered

    def expect(self) -> None:
        """The client sends its body only after a 100 Continue."""
        self._expects = True

    # --- who asked

    def on_left(self, act: Callable[[], None] | None) -> None:
        """Calls `act` when the other side hangs up."""
        self._left = act
        if act and self.connection.is_over:
            act()

    @property
    def is_left(self) -> bool:
        return self.connection.is_over

    def leave(self) -> None:
        self.wake()
        if self._left:
            self._left()

    # --- the answer

    def respond(self, status: int, head: bytes, body: bytes) -> None:
        """All of it. `head` has whole lines (see `encode_headers`), without those that say where an answer ends."""
        bare = status in _NO_BODY
        length = b"" if bare else b"content-length: %d\r\n" % len(body)
        shown = b"" if bare or self.is_bare else body
        self.connection.send(b"".join((self._begin(status), head, length, b"\r\n", shown)))

    def finish(self) -> None:
        """The request is done: the next one on this connection may be served."""
        self.connection.finish(self)

    def stream(self, status: int, head: bytes, *, length: int | None = None) -> "Stream":
        """An answer in pieces. Its `length` may be known; otherwise its end is marked, or is the connection's."""
        bare = status in _NO_BODY
        framed = not bare and length is None and self.version == "1.1"
        size = b"" if bare or length is None else b"content-length: %d\r\n" % length
        self.connection.write(b"".join((self._begin(status), head, size, _CHUNKED if framed else b"", b"\r\n")))
        silent = bare or self.is_bare
        self.is_broken = not silent
        return Stream(self, framed=framed and not silent, owed=None if silent else length, silent=silent)

    def _begin(self, status: int) -> bytes:
        assert not self.answered, "a request is answered once"
        self.answered = True
        if self.keep_alive and (not self.complete or self.connection.is_last):
            self.keep_alive = False
        line = STATUS.get(status) or f"HTTP/1.1 {status} \r\n".encode()
        return line + _date(int(time())) if self.keep_alive else line + _date(int(time())) + CLOSE


class Stream:
    """An answer in pieces: as long as it is not `full`, more may be written."""

    __slots__ = ("_connection", "_framed", "_owed", "_request", "_silent")

    def __init__(self, request: Request, *, framed: bool, owed: int | None, silent: bool) -> None:
        self._request, self._connection = request, request.connection
        self._framed, self._owed, self._silent = framed, owed, silent

    @property
    def is_full(self) -> bool:
        return self._connection.is_full

    def write(self, data: bytes) -> None:
        if data and not self._silent:
            if self._owed is not None:
                self._owed -= len(data)
                if self._owed < 0:
                    self.break_off()
                    return
            self._connection.write(_chunk(data) if self._framed else data)

    def end(self) -> None:
        if self._owed:  # not the announced length: the next response would be misread
            self.break_off()
            return
        self._request.is_broken = False
        if self._framed:
            self._connection.write(b"0\r\n\r\n")

    def on_free(self, act: Callable[[], None] | None) -> None:
        """Calls `act` when the write buffer has room again."""
        self._connection.on_free = act

    async def drain(self) -> None:
        await self._connection.drain()

    def break_off(self) -> None:
        """Aborts the connection, so that the client does not take a partial response for a whole one."""
        self._connection.abort()


@lru_cache(maxsize=4)
def _chunk(data: bytes) -> bytes:
    """Thousands of readers get the same one."""
    return b"%x\r\n%b\r\n" % (len(data), data)


@lru_cache(maxsize=2)
def _date(second: int) -> bytes:
    return f"date: {formatdate(second, usegmt=True)}\r\n".encode()


def encode_headers(headers: Sequence[Header]) -> bytes:
    """Header lines. A line's end inside a value would begin another header, or the body."""
    text = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if text.count("\n") != len(headers) or text.count("\r") != len(headers) or "\0" in text:
        raise ValueError("A header has a line break in it.")
    return text.encode("latin-1")
