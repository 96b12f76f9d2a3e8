"""The load client of the benches: loopback only, bounded, and it counts answers by status.

It shares the machine with what it measures, so it does as little as it can: requests are made beforehand, and one
process without an event loop asks the kernel who has an answer. What each side took of the processors is measured too:
on a busy machine that says more than the rate.
"""

import select
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

HERE = Path(__file__).parents[1]
Source = Callable[[], bytes | None]


class Server(NamedTuple):
    port: int
    pids: tuple[int, ...]


@contextmanager
def serving(target: str, environment: dict[str, str], processes: int = 1) -> Iterator[Server]:
    """The server on a free port, with what `module:function` makes, in so many processes. It logs to nobody."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    module, _, make = target.partition(":")
    run = (
        f"import socket; from fullhouse.kit.http.server import run; from {module} import {make};"
        " bound = socket.socket(); bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1);"
        f" bound.bind(('127.0.0.1', {port})); run({make}, '127.0.0.1', {port}, bound=bound)"
    )
    servers = [
        subprocess.Popen([sys.executable, "-c", run], cwd=HERE, env=environment, stderr=subprocess.DEVNULL)
        for _ in range(processes)
    ]
    try:
        for _ in range(400):
            if _listening(port) == processes:
                break
            time.sleep(0.05)
        yield Server(port, tuple(server.pid for server in servers))
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
        for server in servers:
            server.wait(30)


def _listening(port: int) -> int:
    """How many sockets listen there (Linux only)."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(line[1].endswith(f":{port:04X}") and line[3] == "0A" for line in lines)


class Measured(NamedTuple):
    rate: float  # answers a second
    statuses: Counter[int]
    times_ms: list[float]

    def percentile(self, share: float) -> float:
        ordered = sorted(self.times_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Witness(Protocol):
    """Writes down what is asked, before it is sent, and what was answered."""

    def asked(self, request: bytes) -> str: ...

    def answered(self, name: str, status: int, body: bytes) -> None: ...


class _Caller:
    """One connection: it asks again as soon as it has its answer."""

    __slots__ = ("buffer", "named", "recv", "send", "sent", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.recv, self.send = self.socket.recv, self.socket.send
        self.buffer = b""
        self.named = ""  # by the witness
        self.sent = 0.0


def made(requests: Iterable[bytes]) -> Source:
    """All of them, before anything is measured."""
    ready = iter(list(requests))
    return lambda: next(ready, None)


def load(
    port: int,
    next_request: Source,
    *,
    connections: int,
    seconds: float,
    warm_s: float = 0.3,
    witness: Witness | None = None,
) -> Measured:
    """Requests from so many connections for so many seconds, or until there are none left."""
    callers = {caller.socket.fileno(): caller for caller in (_Caller(port) for _ in range(connections))}
    statuses: Counter[bytes] = Counter()
    times: list[float] = []
    clock = time.perf_counter
    with closing(select.epoll()) as poll:
        waiting = 0
        for number, caller in callers.items():
            if (request := next_request()) is None:
                break
            poll.register(number, select.EPOLLIN)
            if witness:
                caller.named = witness.asked(request)
            caller.sent = clock()
            caller.send(request)
            waiting += 1
        began = clock()
        measuring, end = began + warm_s, began + warm_s + seconds
        while waiting:
            for number, _ in poll.poll(5):
                caller = callers[number]
                if (answer := _answered(caller)) is None:
                    continue
                now = clock()
                if now > measuring:
                    statuses[answer[9:12]] += 1
                    times.append(now - caller.sent)
                if witness:
                    witness.answered(caller.named, int(answer[9:12]), answer.partition(b"\r\n\r\n")[2])
                request = next_request() if now < end else None
                if request is None:
                    waiting -= 1
                    continue
                if witness:
                    caller.named, now = witness.asked(request), clock()
                caller.sent = now
                if caller.send(request) != len(request):
                    raise ConnectionError("the server does not read")
            if clock() > end + 10:
                raise TimeoutError("the server does not answer")
        took = clock() - measuring
    for caller in callers.values():
        caller.socket.close()
    by_status = Counter({int(status): count for status, count in statuses.items()})
    return Measured(len(times) / took, by_status, [each * 1000 for each in times])


def _answered(caller: _Caller) -> bytes | None:
    """The whole answer, once it is there."""
    data = caller.recv(65_536)
    if not data:
        raise ConnectionError("the server has closed the connection")
    if caller.buffer:
        data = caller.buffer + data
    end = data.find(b"\r\n\r\n")
    at = data.find(b"content-length: ", 0, end)
    length = int(data[at + 16 : data.index(b"\r\n", at)]) if at > 0 else 0
    if end < 0 or len(data) < end + 4 + length:
        caller.buffer = data
        return None
    caller.buffer = b""
    return data


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


# --- what it takes of the processors


def cpu_s(*pids: int) -> float:
    """What processes and all that they started have used (Linux only, elsewhere nothing)."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
        except OSError:  # it has ended
            continue
    found, used = list(pids), 0.0
    while found:
        process = found.pop()
        found += parents.get(process, ())
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                used += int(task.read_text().split()[0]) / 1e9
            except OSError:
                continue
    return used


class Meter:
    """How much of a processor each of these processes, and we ourselves, take for one answer."""

    def __init__(self, **pids: tuple[int, ...]) -> None:
        self._pids = pids
        self._began = self._read()

    def _read(self) -> dict[str, float]:
        return {**{name: cpu_s(*pids) for name, pids in self._pids.items()}, "client": time.process_time()}

    def per_answer(self, answers: int) -> str:
        used = {name: (now - self._began[name]) / max(answers, 1) * 1e6 for name, now in self._read().items()}
        return " + ".join(f"{name} {us:.0f}" for name, us in used.items()) + f" = {sum(used.values()):.0f} µs"
