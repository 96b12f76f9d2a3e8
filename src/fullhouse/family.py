"""Processes of ours that run side by side: what ends by itself is started again."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping

from fullhouse.kit.errors import OperatorError
from fullhouse.terminal import say

DRAIN_S = 20.0
RESTARTS_MAX, RESTARTS_WITHIN_S = 5, 60.0


class KeepsEnding(OperatorError):
    """Starting it again does not help."""


class Family:
    """Children by name, each with the words of its command, in sessions of their own: Ctrl-C reaches us only."""

    def __init__(self, commands: Mapping[str, list[str]], environment: Mapping[str, str]) -> None:
        self._commands, self._environment = commands, environment
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._restarts: list[float] = []

    def start(self) -> None:
        for name in self._commands:
            self._spawn(name)

    def mend(self) -> None:
        """Starts again what has ended by itself; gives up if it keeps ending."""
        for name, child in self._children.items():
            if child.poll() is None:
                continue
            now = time.monotonic()
            self._restarts = [t for t in self._restarts if now - t < RESTARTS_WITHIN_S] + [now]
            if len(self._restarts) > RESTARTS_MAX:
                raise KeepsEnding(f"The {name} process keeps ending; its last words are above.")
            say(f"the {name} process ended ({child.returncode}); starting it again")
            self._spawn(name)

    @property
    def ended(self) -> str | None:
        return next((name for name, child in self._children.items() if child.poll() is not None), None)

    def stop(self, *, together: bool = False) -> None:
        """One after the other, in their order: whoever takes requests first. Or all at once, where they are equals."""
        if together:
            for child in self._children.values():
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
        self._children[name] = subprocess.Popen(command, env=self._environment, start_new_session=True)  # noqa: S603
