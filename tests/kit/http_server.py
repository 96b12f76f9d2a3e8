"""The server, with `http_app`, in a process of its own."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]


@dataclass
class Server:
    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)


@contextmanager
def serving(app: str = "tests.kit.http_app") -> Iterator[Server]:
    port = _free_port()
    run = f"from fullhouse.kit.http.server import run; from {app} import lane; run(lane, '127.0.0.1', {port})"
    server = Server(subprocess.Popen([sys.executable, "-c", run], cwd=ROOT, stdout=subprocess.DEVNULL), port)
    try:
        _until_live(server)
        yield server
    finally:
        server.process.send_signal(signal.SIGTERM)
        try:
            server.process.wait(20)
        except subprocess.TimeoutExpired:
            server.process.kill()
            server.process.wait()
            raise


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _until_live(server: Server) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            httpx.get(f"{server.url}/health/live", verify=False).raise_for_status()
        except httpx.TransportError:
            assert server.process.poll() is None, "the server ended before it was ready"
            assert time.monotonic() < deadline, "the server is not ready after 30 s"
            time.sleep(0.05)
        else:
            return


def gone(pid: int, within_s: float = 20) -> bool:
    """Wait until a process has ended; a zombie has."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False
