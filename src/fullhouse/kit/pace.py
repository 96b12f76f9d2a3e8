"""Throttling: the first call runs immediately, later ones at most once per interval, and the last one always runs."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Pace(Generic[K]):
    """`ask(key)` calls `run(key)` now, or when `every_s` seconds have passed since the last time."""

    def __init__(self, every_s: float, run: Callable[[K], None]) -> None:
        self._every_s, self._run = every_s, run
        self._asked: set[K] = set()
        self._resting: dict[K, asyncio.TimerHandle] = {}

    def ask(self, key: K) -> None:
        if key in self._resting:
            self._asked.add(key)
            return
        self._resting[key] = asyncio.get_running_loop().call_later(self._every_s, self._rested, key)
        self._run(key)

    def _rested(self, key: K) -> None:
        del self._resting[key]
        if key in self._asked:
            self._asked.remove(key)
            self.ask(key)

    def stop(self) -> None:
        for timer in self._resting.values():
            timer.cancel()
        self._resting.clear()
        self._asked.clear()
