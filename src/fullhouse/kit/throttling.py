"""Throttling: the first call runs immediately, later ones at most once per interval, and the last one always runs."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Throttle(Generic[K]):
    """`request(key)` calls `run(key)` now, or when `every_s` seconds have passed since the last time."""

    def __init__(self, every_s: float, run: Callable[[K], None]) -> None:
        self._every_s, self._run = every_s, run
        self._pending: set[K] = set()
        self._timers: dict[K, asyncio.TimerHandle] = {}

    def request(self, key: K) -> None:
        if key in self._timers:
            self._pending.add(key)
            return
        self._timers[key] = asyncio.get_running_loop().call_later(self._every_s, self._on_timer, key)
        self._run(key)

    def _on_timer(self, key: K) -> None:
        del self._timers[key]
        if key in self._pending:
            self._pending.remove(key)
            self.request(key)

    def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._pending.clear()
