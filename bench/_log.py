"""The log of a client that wants to be proven: every call before it is sent, and how it ended. `fullhouse prove --log`
reads it (src/fullhouse/prove/client/log.py).
"""

import itertools
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from fullhouse.prove.client.log import Call, End


class ClientLog:
    """With `sync` it survives the client's own machine: each line is on the disk before the call leaves."""

    def __init__(self, path: Path, *, sync: bool = True) -> None:
        self.path = path
        self._file = path.open("ab")
        self._sync, self._numbers = sync, itertools.count()

    def call(self, **said: Any) -> str:
        """Writes down what will be asked; returns the call's name."""
        name = f"{os.getpid()}-{next(self._numbers)}"
        self._write(Call(call=name, **said))
        return name

    def end(self, name: str, end: End, **said: Any) -> None:
        self._write(Call(call=name, end=end, **said))

    def _write(self, line: Call) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")
        if self._sync:
            self._file.flush()
            os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def end_of(status: int) -> End:
    """By an answer's status: a refusal is certain, and what the server says of itself (5xx) is not."""
    return "ok" if status < 300 else "fail" if status < 500 else "unknown"
