"""The port of `serve`, which stays bound while API processes come and go.

Each API process inherits a socket that the supervisor has bound, accepts on it, and reports that through a pipe. When
the process ends, however it ends, the pipe closes. While no API process accepts, a thread of the supervisor does, and
responds with 503: connections are never refused. While others accept, the socket of a process that ended is shut down,
so that the kernel does not choose it.
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
from fullhouse.kit.tasks import timeout
from fullhouse.kit.terminal import print_message

BACKLOG = 2048
CONNECTIONS_MAX = 1000  # connections that the supervisor handles at once; the others wait in the kernel's queue
TIMEOUT_S = 5.0
REQUEST_BYTES_MAX = 1 << 16
RETRY_AFTER_S = 2


def _render_unavailable() -> bytes:
    refusal = Unavailable("The server is restarting. Try again in a moment.", retry_after_s=RETRY_AFTER_S)
    body = msgspec.json.encode(refusal.to_problem())
    head = (
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n"
        f"content-length: {len(body)}\r\nretry-after: {RETRY_AFTER_S}\r\ncache-control: no-store\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body


@dataclass
class _Slot:
    """The socket of one API process, and whether that process runs and accepts."""

    socket: socket.socket
    pipe: int | None = None
    alive: bool = False
    ready: bool = False
    accepting: bool = False  # this thread accepts on it


class Listener:
    """Sockets by the names of the API processes. Everything but `__init__` and `close` runs in a thread with a loop."""

    def __init__(self, host: str, port: int, names: Sequence[str]) -> None:
        self._slots = {name: _Slot(_bind(host, port, shared=len(names) > 1)) for name in names}
        self._open = False  # no 503 before the first process is ready
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="listener", daemon=True)
        self._thread.start()

    def __contains__(self, name: str) -> bool:
        return name in self._slots

    @contextmanager
    def hand_over(self, name: str) -> Iterator[tuple[int, int]]:
        """The descriptors that a process inherits: its socket, and the pipe through which it reports that it is ready.
        Start the process inside the block, during which the listener does not use the socket."""
        reading, writing = os.pipe()
        self._run_in_thread(self._watch_pipe, name, reading)
        try:
            yield self._slots[name].socket.fileno(), writing
        finally:
            os.close(writing)

    def close(self) -> None:
        """Closes the listener's sockets; the port closes with the last API process."""
        self._run_in_thread(self._stop)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        for slot in self._slots.values():
            slot.socket.close()

    def _run_in_thread(self, work: object, *values: object) -> None:
        done: threading.Event = threading.Event()

        def run() -> None:
            try:
                work(*values)  # type: ignore[operator]
            finally:
                done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait()

    # --- in the thread

    def _watch_pipe(self, name: str, pipe: int) -> None:
        slot = self._slots[name]
        if slot.pipe is not None:
            self._close_pipe(slot)
        slot.pipe, slot.alive, slot.ready = pipe, True, False
        self._loop.add_reader(pipe, self._read_pipe, slot)

    def _read_pipe(self, slot: _Slot) -> None:
        assert slot.pipe is not None
        if os.read(slot.pipe, 64):
            slot.ready = self._open = True
        else:
            self._close_pipe(slot)
        self._assign_sockets()

    def _close_pipe(self, slot: _Slot) -> None:
        assert slot.pipe is not None
        self._loop.remove_reader(slot.pipe)
        os.close(slot.pipe)
        slot.pipe, slot.alive, slot.ready = None, False, False

    def _assign_sockets(self) -> None:
        """Decides which sockets this thread accepts on, after a process became ready or ended."""
        served = any(slot.ready for slot in self._slots.values())
        if not served and not any(slot.accepting for slot in self._slots.values()) and self._open:
            print_message("no API process is running: requests get 503")
        for slot in self._slots.values():
            if not served and self._open:
                self._start_accepting(slot)
                continue
            self._stop_accepting(slot)  # connections in its queue wait for the process that starts
            if not slot.alive:
                self._accept(slot)
                with suppress(OSError):  # stops listening, and stays bound
                    slot.socket.shutdown(socket.SHUT_RD)

    def _start_accepting(self, slot: _Slot) -> None:
        if not slot.accepting:
            slot.accepting = True
            slot.socket.listen(BACKLOG)
            self._loop.add_reader(slot.socket, self._accept, slot)

    def _stop_accepting(self, slot: _Slot) -> None:
        if slot.accepting:
            slot.accepting = False
            self._loop.remove_reader(slot.socket)

    def _accept(self, slot: _Slot) -> None:
        while len(self._connections) < CONNECTIONS_MAX:
            try:
                caller, _ = slot.socket.accept()
            except OSError:  # no connection is waiting, or no descriptor is free
                return
            task = self._loop.create_task(_send_unavailable(caller))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    def _stop(self) -> None:
        self._open = False
        for slot in self._slots.values():
            self._stop_accepting(slot)
            if slot.pipe is not None:
                self._close_pipe(slot)


async def _send_unavailable(caller: socket.socket) -> None:
    """Sends 503, then reads the rest of the request: closing earlier would reset the connection and lose the 503."""
    with suppress(OSError, EOFError, TimeoutError, ValueError):
        reader, writer = await asyncio.open_connection(sock=caller, limit=REQUEST_BYTES_MAX)
        try:
            async with timeout(TIMEOUT_S):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(_render_unavailable())
                await writer.drain()
                writer.write_eof()
                while await reader.read(REQUEST_BYTES_MAX):
                    pass
        finally:
            writer.close()


def _bind(host: str, port: int, *, shared: bool) -> socket.socket:
    """Bound, and not listening yet. `shared`: the kernel distributes connections among our sockets (SO_REUSEPORT)."""
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
