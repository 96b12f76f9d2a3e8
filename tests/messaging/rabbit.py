"""A RabbitMQ of a test's own, to be killed, hung, blocked, and started again on what it had written."""

import os
import signal
import subprocess
from pathlib import Path

from tests.services.servers import Server, _listening, _rabbitmq_environment, free_port, program, spawn


class Rabbit:
    def __init__(self, home: Path) -> None:
        self._home, self.port, self._names_port = home, free_port(), free_port()
        self._environment = _rabbitmq_environment(
            home, port=self.port, dist_port=free_port(), names_port=self._names_port
        )
        self._names: subprocess.Popen[bytes] | None = None
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}/"

    async def start(self) -> None:
        if self._names is None:
            self._names = spawn([program("epmd"), "-port", str(self._names_port)], self._home, self._environment)
        script = program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
        self._server = spawn([script], self._home, self._environment)
        await _listening(Server(self.url, (self._server,)), self.port, self._home, timeout_s=90)

    def kill(self) -> None:
        """With -9: nothing is flushed, nobody is told."""
        if self._server and self._server.poll() is None:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()

    def hang(self) -> None:
        assert self._server
        os.kill(self._server.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._server
        os.kill(self._server.pid, signal.SIGCONT)

    def block(self) -> None:
        """Every publisher is made to wait, as if the memory were full."""
        self._control("set_vm_memory_high_watermark", "0")

    def unblock(self) -> None:
        self._control("set_vm_memory_high_watermark", "0.6")

    def _control(self, *words: str) -> None:
        script = program("rabbitmqctl", "/usr/lib/rabbitmq/bin")
        environment = {**os.environ, **self._environment}
        done = subprocess.run([script, *words], env=environment, capture_output=True, timeout=90, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def stop(self) -> None:
        self.kill()
        if self._names:
            self._names.kill()
            self._names.wait()
