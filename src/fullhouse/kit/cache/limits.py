"""Rate limits: a number of calls per number of seconds for one key.

Counted in Redis if configured, so that all processes share the count; otherwise in this process.
"""

import ipaddress
import time
from collections.abc import Hashable
from typing import NamedTuple

from fullhouse.kit.cache.optional_redis import OptionalRedis, Redis
from fullhouse.kit.errors import RateLimited


class Limit(NamedTuple):
    calls: int
    per_s: int


def network_of(ip: str | None) -> str:
    """The network that an address is counted under: one household or site has a whole /64 of IPv6 addresses."""
    if ip is None or ":" not in ip:
        return ip or "unknown"
    return str(ipaddress.ip_network((ip, 64), strict=False))


LOCAL_SHARE = 8  # a caller that used less than 1/8 of a limit in this process passes without asking Redis


class Limiter:
    def __init__(self, warm: OptionalRedis, *, size: int = 50_000) -> None:
        self._redis = warm
        self._size = size
        # Calls by key and window: how many were counted here, and how many of those were reported to Redis.
        self._windows: dict[tuple[Hashable, int], tuple[int, int]] = {}

    async def check(self, key: Hashable, limit: Limit) -> None:
        """Counts this call; raises RateLimited once the window is full. Redis is asked once a caller has used a share
        of the limit in this process: it then gets all calls since. So a limit may be exceeded by this share for each
        process beyond the first."""
        window, passed_s = divmod(int(time.time()), limit.per_s)
        slot = (key, window)
        count, reported = self._windows.get(slot, (0, 0))
        count += 1
        self._count(slot, count, reported)
        if self._redis.configured and count > limit.calls // LOCAL_SHARE:
            count = await self._count_shared(slot, limit) or count
        if count > limit.calls:
            self._count(slot, count, count)  # other processes may have filled the window: `check_full` sees it then
            raise _make_refusal(limit.per_s - passed_s)

    def check_full(self, key: Hashable, limit: Limit) -> None:
        """Counts nothing; raises RateLimited where `check` would, as far as this process knows. For attempts of which
        only failures are counted: after too many, the caller must not learn whether the next one is right."""
        window, passed_s = divmod(int(time.time()), limit.per_s)
        if self._windows.get((key, window), (0, 0))[0] >= limit.calls:
            raise _make_refusal(limit.per_s - passed_s)

    def _count(self, slot: tuple[Hashable, int], count: int, reported: int) -> None:
        self._windows[slot] = (count, reported)
        if len(self._windows) > self._size:
            del self._windows[next(iter(self._windows))]  # the oldest, so nearly always of a past window

    async def _count_shared(self, slot: tuple[Hashable, int], limit: Limit) -> int:
        """The count of all processes, or 0 if Redis is unavailable: then these calls are reported with the next one."""
        key, window = slot
        count, reported = self._windows[slot]
        self._windows[slot] = (count, count)
        text = ":".join(map(str, key)) if isinstance(key, tuple) else key
        name = self._redis.prefixed_key(f"limit:{text}:{window}")

        async def increment(client: Redis) -> int:
            pipe = client.pipeline()
            pipe.incrby(name, count - reported)
            pipe.expire(name, limit.per_s + 1)
            return int((await pipe.execute())[0])

        shared = await self._redis.call(increment, 0)
        if not shared and slot in self._windows:
            now, known = self._windows[slot]
            self._windows[slot] = (now, known - (count - reported))
        return shared


def _make_refusal(wait_s: int) -> RateLimited:
    return RateLimited(f"Too many requests. Try again in {wait_s} seconds.", retry_after_s=wait_s)
