"""How to start a private Redis and RabbitMQ. Fault tests start their own here, to kill it as they please."""

import asyncio
import contextlib
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import time
import unittest
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class Missing(unittest.SkipTest):
    """A program is not installed. A test that lets this pass is skipped, with the reason."""


def missing(what: str) -> Exception:
    """A reason to skip; but with CI=true a failure: a run that says that all went well must have tried all."""
    return (
        RuntimeError(f"{what}, and with CI=true nothing is skipped")
        if os.environ.get("CI") == "true"
        else Missing(what)
    )


@dataclass(frozen=True)
class Server:
    url: str
    processes: tuple[subprocess.Popen[bytes], ...]

    def stop(self) -> None:
        """At once: the data is worth nothing."""
        for process in self.processes:
            process.kill()
            process.wait()


async def redis(home: Path) -> Server:
    port = free_port()
    options = {"--port": port, "--bind": "127.0.0.1", "--save": "", "--appendonly": "no", "--dir": home}
    arguments = [str(word) for option in options.items() for word in option]
    server = Server(f"redis://127.0.0.1:{port}/0", (spawn([program("redis-server"), *arguments], home),))
    await _listening(server, port, home, timeout_s=20)
    return server


async def rabbitmq(home: Path) -> Server:
    # Debian's wrapper in the PATH insists on being root or rabbitmq; the real script does not.
    script = program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
    port, names_port = free_port(), free_port()
    environment = _rabbitmq_environment(home, port=port, dist_port=free_port(), names_port=names_port)
    # Erlang would start its name server as a daemon that outlives everything: ours is a child like the others.
    names = spawn([program("epmd"), "-port", str(names_port)], home, environment)
    server = Server(f"amqp://guest:guest@127.0.0.1:{port}/", (spawn([script], home, environment), names))
    await _listening(server, port, home, timeout_s=90)
    return server


def _rabbitmq_environment(home: Path, *, port: int, dist_port: int, names_port: int) -> Mapping[str, str]:
    nothing, plugins = home / "nothing.conf", home / "plugins"
    nothing.touch()
    plugins.write_text("[].")
    values = {
        "HOME": home,
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": names_port,
        "RABBITMQ_NODENAME": f"fullhouse-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": port,
        "RABBITMQ_DIST_PORT": dist_port,
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        "RABBITMQ_CONF_ENV_FILE": nothing,
        "RABBITMQ_CONFIG_FILE": nothing,
        "RABBITMQ_ENABLED_PLUGINS_FILE": plugins,
        "RABBITMQ_PID_FILE": home / "pid",
        "RABBITMQ_MNESIA_BASE": home / "mnesia",
        "RABBITMQ_LOG_BASE": home,
        "RABBITMQ_LOGS": "-",
        # Makes the script become the server instead of starting it as a child, so that its pid is the server's.
        "RUNNING_UNDER_SYSTEMD": "true",
    }
    return {name: str(value) for name, value in values.items()}


def program(name: str, *folders: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", os.defpath), "/usr/sbin"]))
    if found is None:
        raise missing(f"{name} is not installed")
    return found


def free_port() -> int:
    """Below the range from which outgoing connections take theirs, so that nobody grabs it before the server does."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
            port: int = probe.getsockname()[1]
            return port


def spawn(command: list[str], home: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """A child that does not hear Ctrl-C and, on Linux, dies with the thread that started it. Its output is home/log."""
    with (home / "log").open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_die_with_parent if hasattr(_libc, "prctl") else None,
        )


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


async def _listening(server: Server, port: int, home: Path, *, timeout_s: float) -> None:
    """Returns when the server accepts connections. If it never does, stops it and shows the end of its log."""
    deadline = time.monotonic() + timeout_s
    with contextlib.ExitStack() as otherwise:
        otherwise.callback(server.stop)
        while not await _accepts(port):
            if time.monotonic() > deadline or any(process.poll() is not None for process in server.processes):
                log = (home / "log").read_text(errors="replace")
                raise RuntimeError(f"{server.processes[0].args!r} does not listen on port {port}:\n{log[-3000:]}")
            await asyncio.sleep(0.05)
        otherwise.pop_all()


async def _accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
