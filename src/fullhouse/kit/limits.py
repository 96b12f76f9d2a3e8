"""Rate limits: so many calls in so many seconds for one key.

Counted in Redis when there is one, so that all processes share the count; otherwise in this process.
"""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple

from fullhouse.kit.errors import RateLimited
from fullhouse.kit.warm import Redis, Warm


class Limit(NamedTuple):
    calls: int
    per_s: int


def network_of(ip: str | None) -> str:
    """Whom an address stands for: one house has a whole /64 of IPv6 to come from."""
    if ip is None or ":" not in ip:
        return ip or "unknown"
    return str(ipaddress.ip_network((ip, 64), strict=False))


class Limiter:
    def __init__(self, warm: Warm, *, size: int = 50_000) -> None:
        self._warm = warm
        self._size = size
        self._windows: OrderedDict[tuple[Hashable, int], int] = OrderedDict()

    async def check(self, key: Hashable, limit: Limit) -> None:
        """Counts this call; raises RateLimited once the window is full."""
        window, passed_s = divmod(int(time.time()), limit.per_s)
        shared = await self._count_shared(key, window, limit) if self._warm.configured else 0
        if (shared or self._count_here(key, window)) > limit.calls:
            wait_s = limit.per_s - passed_s
            raise RateLimited(f"Too many requests. Try again in {wait_s} seconds.", retry_after_s=wait_s)

    async def _count_shared(self, key: Hashable, window: int, limit: Limit) -> int:
        words = ":".join(map(str, key)) if isinstance(key, tuple) else key
        name = self._warm.name(f"limit:{words}:{window}")

        async def increment(client: Redis) -> int:
            pipe = client.pipeline()
            pipe.incr(name)
            pipe.expire(name, limit.per_s + 1)
            return int((await pipe.execute())[0])

        return await self._warm.call(increment, 0)

    def _count_here(self, key: Hashable, window: int) -> int:
        slot = (key, window)
        self._windows[slot] = count = self._windows.get(slot, 0) + 1
        self._windows.move_to_end(slot)
        if len(self._windows) > self._size:
            self._windows.popitem(last=False)
        return count
