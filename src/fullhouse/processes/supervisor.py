"""Supervision of child processes: one that ends is restarted, with a growing pause, without a limit of tries."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack

from fullhouse.kit.terminal import print_message
from fullhouse.processes.listener import Listener

DRAIN_S = 20.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
STEADY_S = 60.0  # a process that ran for so long is restarted without a pause


class Backoff:
    """The pause before the next try: none, then doubling up to a limit."""

    def __init__(self) -> None:
        self._tries = 0
        self._due = self._last = 0.0

    def record_failure(self) -> float:
        """Records a failure; returns the pause before the next try."""
        now = time.monotonic()
        if now - self._last > STEADY_S + LONGEST_PAUSE_S:
            self._tries = 0
        pause_s = min(FIRST_PAUSE_S * 2 ** (self._tries - 1), LONGEST_PAUSE_S) if self._tries else 0.0
        self._tries += 1
        self._due, self._last = now + pause_s, now
        return pause_s

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._due


class Supervisor:
    """Child processes by name, each with the arguments of its command, in a session of its own: Ctrl-C reaches only the
    supervisor. Those that the listener knows inherit a socket."""

    def __init__(
        self, commands: Mapping[str, list[str]], environment: Mapping[str, str], listener: Listener | None = None
    ) -> None:
        self._commands, self._environment, self._listener = commands, environment, listener
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._backoffs = {name: Backoff() for name in commands}
        self._ended: set[str] = set()  # and not restarted yet

    def start(self) -> None:
        self._ended.clear()
        for name in self._commands:
            self._spawn(name)

    def restart_dead(self) -> None:
        """Restarts children that ended, each after a pause that grows as long as it keeps ending."""
        for name, child in list(self._children.items()):
            if child.poll() is None:
                continue
            if name not in self._ended:
                self._ended.add(name)
                pause_s = self._backoffs[name].record_failure()
                when = f"in {pause_s:g} s" if pause_s else "now"
                print_message(f"the {name} process ended ({_describe_exit(child.returncode)}); restarting it {when}")
            if self._backoffs[name].is_due:
                self._ended.discard(name)
                self._spawn(name)

    @property
    def ended(self) -> str | None:
        return next((name for name, child in self._children.items() if child.poll() is not None), None)

    def stop(self) -> None:
        """First the processes that serve requests, then the others, in their order."""
        for name, child in self._children.items():
            if self._listener and name in self._listener:
                child.terminate()
        for child in self._children.values():
            child.terminate()
            try:
                child.wait(DRAIN_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _spawn(self, name: str) -> None:
        command = [sys.executable, "-m", "fullhouse", *self._commands[name], "--parent", str(os.getpid())]
        command += ["--process", name.replace(" ", "-")]
        with ExitStack() as stack:
            fds: tuple[int, ...] = ()
            if self._listener and name in self._listener:
                fds = stack.enter_context(self._listener.hand_over(name))
                command += ["--socket", str(fds[0]), "--ready", str(fds[1])]
            self._children[name] = subprocess.Popen(  # noqa: S603
                command, env=self._environment, start_new_session=True, pass_fds=fds
            )


def _describe_exit(code: int) -> str:
    if code >= 0:
        return str(code)
    try:
        return f"{code}, {signal.Signals(-code).name}"
    except ValueError:
        return str(code)
