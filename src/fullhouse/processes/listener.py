"""The port of `serve`, which stays bound while API processes come and go.

Each API process inherits a socket that the supervisor has bound, accepts on it, and says so through a pipe; the pipe's
end tells that the process is gone, however it ended. While no API process accepts, a thread of the supervisor does, and
answers 503: callers are never refused the connection. While others accept, the socket of one that is gone is taken out
of the kernel's choice.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import msgspec

from fullhouse.kit.errors import Unavailable
from fullhouse.kit.terminal import say

BACKLOG = 2048
AT_ONCE_MAX = 1000  # callers that the supervisor talks to; the others wait in the kernel's queue
PATIENCE_S = 5.0
REQUEST_BYTES_MAX = 1 << 16
RETRY_AFTER_S = 2


def _answer() -> bytes:
    refusal = Unavailable("The server is restarting. Try again in a moment.", retry_after_s=RETRY_AFTER_S)
    body = msgspec.json.encode(refusal.problem())
    head = (
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n"
        f"content-length: {len(body)}\r\nretry-after: {RETRY_AFTER_S}\r\ncache-control: no-store\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body


@dataclass
class _Slot:
    """The socket of one API process, and whether that process is there and accepts."""

    socket: socket.socket
    pipe: int | None = None
    alive: bool = False
    ready: bool = False
    answering: bool = False  # by this thread


class Listener:
    """Sockets by the names of the API processes. All but `__init__` and `close` happens in a thread with a loop."""

    def __init__(self, host: str, port: int, names: Sequence[str]) -> None:
        self._slots = {name: _Slot(_bind(host, port, shared=len(names) > 1)) for name in names}
        self._open = False  # before the first process is ready, nobody is answered
        self._talks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="listener", daemon=True)
        self._thread.start()

    def __contains__(self, name: str) -> bool:
        return name in self._slots

    @contextmanager
    def handed_over(self, name: str) -> Iterator[tuple[int, int]]:
        """The descriptors that a process is started with: of its socket, and of the pipe by which it says that it is
        ready. It must be started inside of the block, in which the socket is left alone."""
        heard, said = os.pipe()
        self._do(self._expect, name, heard)
        try:
            yield self._slots[name].socket.fileno(), said
        finally:
            os.close(said)

    def close(self) -> None:
        """From now on the processes alone have the port: it closes with the last of them."""
        self._do(self._stop)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        for slot in self._slots.values():
            slot.socket.close()

    def _do(self, work: object, *values: object) -> None:
        done: threading.Event = threading.Event()

        def run() -> None:
            try:
                work(*values)  # type: ignore[operator]
            finally:
                done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait()

    # --- in the thread

    def _expect(self, name: str, pipe: int) -> None:
        slot = self._slots[name]
        if slot.pipe is not None:
            self._forget(slot)
        slot.pipe, slot.alive, slot.ready = pipe, True, False
        self._loop.add_reader(pipe, self._hear, slot)

    def _hear(self, slot: _Slot) -> None:
        assert slot.pipe is not None
        if os.read(slot.pipe, 64):
            slot.ready = self._open = True
        else:
            self._forget(slot)
        self._arrange()

    def _forget(self, slot: _Slot) -> None:
        assert slot.pipe is not None
        self._loop.remove_reader(slot.pipe)
        os.close(slot.pipe)
        slot.pipe, slot.alive, slot.ready = None, False, False

    def _arrange(self) -> None:
        """Who accepts on which socket, after somebody came or went."""
        served = any(slot.ready for slot in self._slots.values())
        if not served and not any(slot.answering for slot in self._slots.values()) and self._open:
            say("no API process is up: callers get 503")
        for slot in self._slots.values():
            if not served and self._open:
                self._answer_here(slot)
                continue
            self._leave(slot)  # whoever waits there, waits for a process that comes up
            if not slot.alive:
                self._accept(slot)
                with suppress(OSError):  # listens no more, and stays bound
                    slot.socket.shutdown(socket.SHUT_RD)

    def _answer_here(self, slot: _Slot) -> None:
        if not slot.answering:
            slot.answering = True
            slot.socket.listen(BACKLOG)
            self._loop.add_reader(slot.socket, self._accept, slot)

    def _leave(self, slot: _Slot) -> None:
        if slot.answering:
            slot.answering = False
            self._loop.remove_reader(slot.socket)

    def _accept(self, slot: _Slot) -> None:
        while len(self._talks) < AT_ONCE_MAX:
            try:
                caller, _ = slot.socket.accept()
            except OSError:  # nobody is left, or no descriptor is
                return
            task = self._loop.create_task(_refuse(caller))
            self._talks.add(task)
            task.add_done_callback(self._talks.discard)

    def _stop(self) -> None:
        self._open = False
        for slot in self._slots.values():
            self._leave(slot)
            if slot.pipe is not None:
                self._forget(slot)


async def _refuse(caller: socket.socket) -> None:
    """503, and then all that the caller still sends is read: a socket that is closed before takes the answer back."""
    with suppress(OSError, EOFError, TimeoutError, ValueError):
        reader, writer = await asyncio.open_connection(sock=caller, limit=REQUEST_BYTES_MAX)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(_answer())
                await writer.drain()
                writer.write_eof()
                while await reader.read(REQUEST_BYTES_MAX):
                    pass
        finally:
            writer.close()


def _bind(host: str, port: int, *, shared: bool) -> socket.socket:
    """Bound, and not listening yet. `shared`: with others of ours, among which the kernel divides who comes."""
    [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if shared:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(address)
    bound.setblocking(False)
    return bound
