"""HTTP/1.1 on a connection: parses bytes to a `Request`, which its handler reads and answers.

llhttp parses (by httptools, strictly: no request is ambiguous). The rest is decided here:
- Requests of one connection are answered in their order, one at a time. Others wait, and nothing more is read.
- Nobody sends more than is taken: a body that is not read stops being received, an answer that is not read by the other
  side stops being written.
- Everything has an end: a head that does not come, silence between requests, a reader who takes nothing.
- A body that was not read to its end ends the connection, after the other side had time to read why.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from math import inf
from socket import SO_LINGER, SOL_SOCKET
from struct import pack
from typing import Any, NoReturn, cast

import httptools
import structlog

from fullhouse.kit.http import grammar
from fullhouse.kit.http.request import Request

PIECE = 16_384  # bytes that are read before those who asked are served, and others get their turn
TOGETHER = 65_536  # bytes of answers that leave together
HEAD_S, IDLE_S, READ_S, LINGER_S = 20.0, 75.0, 30.0, 2.0
_TORN = pack("ii", 1, 0)
_FRAMING = ("content-length", "transfer-encoding")
log = structlog.get_logger()


@lru_cache(maxsize=512)
def _name(name: bytes) -> str:
    return name.lower().decode("latin-1")


class Outbox:
    """Answers that were given in one turn of the loop leave together. One by one, each would wake whoever reads it, and
    on a machine with few processors that takes longer than the answer."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Connection] = []

    def add(self, connection: "Connection") -> None:
        if not self._waiting:
            self._loop.call_soon(self._empty)
        self._waiting.append(connection)

    def _empty(self) -> None:
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            try:
                connection.flush()
            except Exception:  # nobody else's answer waits for that
                log.exception("http.response_failed")
                connection.abort()


class _Body:
    """The parser callbacks for reading a body alone."""

    def __init__(self, connection: "Connection") -> None:
        self.on_body, self.on_message_complete = connection.on_body, connection.on_message_complete
        self.on_header = connection.on_header


class Connection(asyncio.Protocol):
    """One connection: what arrives on it, whose turn it is, and until when something has to happen."""

    def __init__(
        self, begin: Callable[["Connection", Request], Any], members: set["Connection"], outbox: Outbox
    ) -> None:
        """`begin` starts serving a request and returns what must be kept until `finish`; None if it has answered."""
        self._start, self._members, self._outbox = begin, members, outbox
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser: Any = httptools.HttpRequestParser(self)
        self._coming = Request(self)
        self._target = b""
        self._in_head = self._begins_here = False
        self._head_bytes = 0
        self._refusal = 0
        self._current: Request | None = None
        self._kept: Any = None
        self._later: deque[Request] = deque()
        self._deaf = False  # nothing more is read
        self._rest = b""  # arrived, and not yet read
        self._working = self._closing = False
        self._reading = True
        self._ready: list[bytes] = []  # in the outbox
        self._unsent = self._held = 0
        self._drained: list[asyncio.Future[None]] = []
        self.client = ("", 0)
        self._retired = self.is_full = False
        self.is_over = self._hung_up = False  # nothing more is expected of the other side; it has said so itself
        self.on_free: Callable[[], None] | None = None
        self.until = inf

    # --- from the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        if isinstance(peer, tuple):
            self.client = (peer[0], peer[1])
        self._members.add(self)
        self.until = self._loop.time() + HEAD_S

    def data_received(self, data: bytes) -> None:
        if not self._deaf:
            self._rest += data
            self.work()

    def work(self) -> None:
        """Reads and serves by turns, a piece at a time, as long as bodies are read and answers are taken."""
        if self._working:
            return
        self._working = True
        try:
            self._go_on()
            if self._rest and not self._is_held:
                self._read_piece()
        finally:
            self._working = False
        self._look_up()

    def _read_piece(self) -> None:
        piece, self._rest = (self._rest, b"") if len(self._rest) <= PIECE else (self._rest[:PIECE], self._rest[PIECE:])
        self._begins_here = False
        refusal = self._read(piece)
        self._go_on()
        if refusal:
            self._refuse(refusal)
        elif self._rest:
            self._loop.call_soon(self.work)

    @property
    def _is_held(self) -> bool:
        """Reading is paused until a handler or the client makes progress."""
        return bool(self._later) or self._coming.is_full or (self.is_full and self._current is None)

    def _read(self, data: bytes) -> int:
        """The status of a refusal, if this is no HTTP."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as pause:  # another protocol is hoped for: we speak this one only
            return self._read_body(data[pause.args[0] :])
        except httptools.HttpParserInvalidMethodError:
            return 501
        except httptools.HttpParserError:
            return self._refusal or 400
        if not self._begins_here and (self._in_head or not self._coming.complete):  # of a head, or nothing of a body
            self._head_bytes += len(data)
            return 431 if self._head_bytes > grammar.HEAD_MAX else 0
        return 0

    def _read_body(self, data: bytes) -> int:
        """llhttp reads no body where another protocol is offered, though it belongs to the request."""
        request = self._coming
        lines = [f"{name}: {request.headers[name]}" for name in _FRAMING if name in request.headers]
        self._parser = httptools.HttpRequestParser(_Body(self))
        request.complete = False
        self._parser.feed_data("\r\n".join(["POST / HTTP/1.1", *lines, "", ""]).encode())
        self._deaf = request.complete
        return 0 if request.complete or not data else self._read(data)

    def eof_received(self) -> bool:
        """The other side may have said all and still listen. While nobody answers it, there is nothing to wait for."""
        self._deaf = self.is_over = self._hung_up = True
        if self._current is None:
            self.flush()
            return False
        for request in (self._current, *self._later):
            request.leave()
        return True

    def connection_lost(self, _error: Exception | None) -> None:
        self._members.discard(self)
        self._deaf = self.is_over = True
        self._transport = None
        self._later.clear()
        self._rest = b""
        self.resume_writing()
        if self._current:
            self._current.leave()
        self._parser = None  # it holds on to us

    def pause_writing(self) -> None:
        assert self._transport
        self.is_full = True
        self._unsent = self._transport.get_write_buffer_size()
        self.until = self._loop.time() + READ_S

    def resume_writing(self) -> None:
        self.is_full = False
        if not self._closing:
            self.until = inf if self._current else self._loop.time() + (HEAD_S if self._in_head else IDLE_S)
        waiting, self._drained = self._drained, []
        for each in waiting:
            if not each.done():
                each.set_result(None)
        if self.on_free:
            self.on_free()
        if self._transport:
            self.work()

    # --- from the parser

    def on_message_begin(self) -> None:
        self._coming = Request(self)
        self._target = b""
        self._in_head = self._begins_here = True
        self._head_bytes = 0
        if self._current is None:
            self.until = self._loop.time() + HEAD_S

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:  # a trailer: what a body is followed by changes nothing
            return
        key, text = _name(name), value.strip(b" \t").decode("latin-1")
        headers = self._coming.headers
        if key not in headers:
            headers[key] = text
        elif key in ("host", "transfer-encoding"):
            self._stop(400)
        else:
            self._coming.repeated.append((key, text))

    def on_headers_complete(self) -> None:
        self._in_head = False
        request, parser = self._coming, self._parser
        method = parser.get_method().decode("latin-1")
        request.is_bare = method == "HEAD"
        request.method = "GET" if request.is_bare else method
        request.version = parser.get_http_version()
        request.keep_alive = (
            request.version == "1.1" and parser.should_keep_alive() and "upgrade" not in request.headers
        )
        if refusal := grammar.find_refusal_status(method, request):
            self._stop(refusal)
        if (target := grammar.read_target(method, self._target)) is None:
            self._stop(400)
        request.raw_path, request.path, request.query = target
        if request.version == "1.1" and "expect" in request.headers:
            request.expect()
        self._later.append(request)

    def on_body(self, chunk: bytes) -> None:
        self._begins_here, self._head_bytes = True, 0
        self._coming.arrive(chunk)

    def on_message_complete(self) -> None:
        self._coming.complete = True
        self._coming.wake()

    def _stop(self, status: int) -> NoReturn:
        """Ends the parser's work from within."""
        self._refusal = status
        raise ValueError

    # --- requests, one after the other

    def _go_on(self) -> None:
        while self._later and self._current is None and not self.is_full:
            self._current = request = self._later.popleft()
            self.until = inf
            self._kept = self._start(self, request)
            if self._kept is None:
                self._end(request)

    def finish(self, request: Request) -> None:
        """It was served: the next one may begin."""
        if request is self._current:
            self._end(request)
            if self._later or self._rest or not self._reading:
                self.work()

    def _end(self, request: Request) -> None:
        if not request.answered:
            request.respond(500, b"", b"")
        request.on_left(None)
        self.on_free = None
        self._current = self._kept = None
        if self._transport is None:
            return
        if request.is_broken:
            self.abort()
        elif not request.keep_alive or self.is_last:
            self._last_word()
            self._close(linger=not request.complete)
        elif not self.is_full:
            self.until = self._loop.time() + (HEAD_S if self._in_head else IDLE_S)

    def _look_up(self) -> None:
        """Listens on, or not for now. Who is not heard any more may still talk: otherwise the answer would be lost."""
        wanted = self._deaf or not (self._rest or self._is_held)
        if wanted != self._reading and self._transport and not self._transport.is_closing():
            self._reading = wanted
            self._transport.resume_reading() if wanted else self._transport.pause_reading()

    @property
    def is_last(self) -> bool:
        """No further request is served on this connection."""
        return self._retired or (self.is_over and not self._later)

    def _last_word(self) -> None:
        self._deaf = self._retired = True
        self._later.clear()
        self._rest = b""

    def _refuse(self, status: int) -> None:
        """Refuses invalid or oversized HTTP. A response in progress is finished first."""
        self._last_word()
        if self._current is None:
            self.write(grammar.render_refusal(status))
            self._close(linger=True)
        elif not self._current.complete:
            self.is_over = True
            self._current.leave()

    def _close(self, *, linger: bool) -> None:
        """Closing with unread data would reset the connection and lose the response, so the client closes first."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        self.flush()
        self._closing = True
        if linger and not self._hung_up and transport.can_write_eof():
            if not self._reading:
                self._reading = True
                transport.resume_reading()
            transport.write_eof()
            self.until = self._loop.time() + LINGER_S
        else:
            transport.close()
            self.until = self._loop.time() + READ_S

    # --- the server's own

    def send(self, data: bytes) -> None:
        """At the end of this turn."""
        if not self._ready:
            self._outbox.add(self)
        self._ready.append(data)
        self._held += len(data)
        if self._held > TOGETHER:
            self.flush()

    def write(self, data: bytes) -> None:
        """Now."""
        self._ready.append(data)
        self.flush()

    def flush(self) -> None:
        ready, self._ready, self._held = self._ready, [], 0
        if ready and self._transport and not self._transport.is_closing():
            self._transport.write(ready[0] if len(ready) == 1 else b"".join(ready))

    async def drain(self) -> None:
        if self.is_full and self._transport:
            waiting = self._loop.create_future()
            self._drained.append(waiting)
            await waiting

    def abort(self) -> None:
        """Resets the connection, so that the client does not take a partial response for a whole one."""
        if self._transport:
            if socket := self._transport.get_extra_info("socket"):
                socket.setsockopt(SOL_SOCKET, SO_LINGER, _TORN)
            self._transport.abort()

    def retire(self) -> None:
        """No request after this one."""
        self._retired = True
        if self._current is None and not self._in_head:
            self._close(linger=False)

    def tick(self, now: float) -> None:
        """Enforces the deadline. A client that reads at least part of the response gets more time."""
        if now <= self.until or self._transport is None:
            return
        unsent = self._transport.get_write_buffer_size()
        if self.is_full and unsent < self._unsent:
            self._unsent, self.until = unsent, now + READ_S
        elif unsent or self._current:
            self.abort()
        else:
            self._transport.abort()
