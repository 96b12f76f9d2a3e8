"""Processes of ours that run side by side: what ends by itself is started again, for as long as it takes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack

from fullhouse.kit.terminal import say
from fullhouse.processes.listener import Listener

DRAIN_S = 20.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
STEADY_S = 60.0  # what has run for so long starts anew without a pause


class Backoff:
    """How long to wait before the next try: not at all, then twice as long each time, up to a bound."""

    def __init__(self) -> None:
        self._tries = 0
        self._due = self._last = 0.0

    def failed(self) -> float:
        """Notes a failure; returns the pause after it."""
        now = time.monotonic()
        if now - self._last > STEADY_S + LONGEST_PAUSE_S:
            self._tries = 0
        pause_s = min(FIRST_PAUSE_S * 2 ** (self._tries - 1), LONGEST_PAUSE_S) if self._tries else 0.0
        self._tries += 1
        self._due, self._last = now + pause_s, now
        return pause_s

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._due


class Family:
    """Children by name, each with the words of its command, in sessions of their own: Ctrl-C reaches us only.
    Those that the listener knows inherit a socket."""

    def __init__(
        self, commands: Mapping[str, list[str]], environment: Mapping[str, str], listener: Listener | None = None
    ) -> None:
        self._commands, self._environment, self._listener = commands, environment, listener
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._backoffs = {name: Backoff() for name in commands}
        self._ended: set[str] = set()  # and not started again yet

    def start(self) -> None:
        self._ended.clear()
        for name in self._commands:
            self._spawn(name)

    def mend(self) -> None:
        """Starts again what has ended by itself, each after a pause that grows as long as it keeps ending."""
        for name, child in list(self._children.items()):
            if child.poll() is None:
                continue
            if name not in self._ended:
                self._ended.add(name)
                pause_s = self._backoffs[name].failed()
                when = f"in {pause_s:g} s" if pause_s else "now"
                say(f"the {name} process ended ({_status(child.returncode)}); starting it again {when}")
            if self._backoffs[name].due:
                self._ended.discard(name)
                self._spawn(name)

    @property
    def ended(self) -> str | None:
        return next((name for name, child in self._children.items() if child.poll() is not None), None)

    def stop(self) -> None:
        """First all that take requests, then the others, in their order."""
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
        with ExitStack() as held:
            fds: tuple[int, ...] = ()
            if self._listener and name in self._listener:
                fds = held.enter_context(self._listener.handed_over(name))
                command += ["--socket", str(fds[0]), "--ready", str(fds[1])]
            self._children[name] = subprocess.Popen(  # noqa: S603
                command, env=self._environment, start_new_session=True, pass_fds=fds
            )


def _status(code: int) -> str:
    if code >= 0:
        return str(code)
    try:
        return f"{code}, {signal.Signals(-code).name}"
    except ValueError:
        return str(code)
