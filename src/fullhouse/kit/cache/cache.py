"""Three layers with one interface: this process, Redis if configured, the database.

    user = await cache.get(key, ttl_s, load, User)

Write, then invalidate: `invalidate(tx, key)` drops the key here and, through the bus, in every other process after the
commit. If the bus loses the message, a stale value lives for at most one `ttl_s` (or `warm_s`, in Redis).
Absence (`None`) is cached too: in this process only, briefly, and in a table of its own so that it evicts no values.
Keys contain the organisation: `org:{id}:…`, or `public:…`.
"""

import asyncio
import itertools
import math
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import structlog

from fullhouse.kit.cache.optional_redis import OptionalRedis, Redis
from fullhouse.kit.cache.redis_codecs import PACKED, RedisCodec
from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.bus import RESYNC, Bus

T = TypeVar("T")
TOPIC = "cache"
ABSENT_S, ABSENT_MAX = 10.0, 2_000
_MISS = object()
_EVENT = re.compile(r"\bevent:([0-9a-f]{8}-[0-9a-f-]{27})\b")
log = structlog.get_logger()
_ttl_limit_s: ContextVar[float] = ContextVar("longest_s")


def limit_ttl(seconds: float) -> None:
    """Limits the TTL of the value being loaded. `load` calls it if the value may be stale (read from a replica)."""
    _ttl_limit_s.set(seconds)


class _RedisOptions(NamedTuple):
    """How a value is stored in Redis."""

    of: Any
    ttl_s: float
    shape: RedisCodec
    is_good: Callable[[Any], bool] | None


class Cache:
    def __init__(self, bus: Bus, warm: OptionalRedis, *, size: int = 20_000) -> None:
        self._redis = warm
        self._size = size
        self._local: OrderedDict[str, tuple[float, Any, int]] = OrderedDict()  # expiry, value, weight
        self._weight = 0
        self._absent: OrderedDict[str, float] = OrderedDict()  # expiry
        self._loading: dict[str, asyncio.Future[Any]] = {}
        self.invalidations = (
            0  # counts invalidations: what was derived from cached values is valid while it is unchanged
        )
        self._pending_deletes: dict[
            str, int
        ] = {}  # keys to be deleted in Redis, and the number of the latest invalidation
        self._delete_numbers = itertools.count()
        self._deleting: asyncio.Task[None] | None = None
        bus.subscribe(TOPIC, lambda _topic, keys: self._invalidate_keys(keys))
        bus.subscribe(RESYNC, lambda _topic, _none: self._clear())

    async def get(
        self,
        key: str,
        ttl_s: float,
        load: Callable[[], Awaitable[T]],
        of: Any,
        *,
        warm_s: float | None = None,
        shape: RedisCodec = PACKED,
        weight: int = 1,
        is_good: Callable[[T], bool] | None = None,
    ) -> T:
        """From the nearest layer that has it. Concurrent misses of a key load it once. Redis may keep it longer.

        `weight` counts against the size of this process's cache (a page of 50 events weighs more than one). A value for
        which `is_good` is false counts as a miss in every layer, so that it can expire by the database's clock.
        """
        found = self.peek(key)
        if found is not None and is_good is not None and not is_good(found):
            self._drop(key)
            found = None
        if found is not None or self._absent.get(key, 0) > time.monotonic():
            value: T = found
            return value
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = asyncio.ensure_future(
                self._load(key, ttl_s, load, _RedisOptions(of, warm_s or ttl_s, shape, is_good), weight)
            )
            loading.add_done_callback(lambda done: self._on_loaded(key, done))
        shared: T = await asyncio.shield(loading)
        return shared

    def peek(self, key: str) -> Any:
        """The value from this process's cache, if it is there. Does no I/O."""
        found = self._local.get(key)
        if found is None or found[0] <= time.monotonic():
            return None
        self._local.move_to_end(key)
        return found[1]

    @staticmethod
    def invalidate(tx: Tx, *keys: str) -> None:
        """Drops the keys in all processes and in Redis, once the transaction has committed."""
        tx.publish(TOPIC, keys)
        tx.after_commit.append(lambda: _log_invalidation(tx.organization_id, keys))

    async def close(self) -> None:
        if self._deleting:
            self._deleting.cancel()

    async def _load(
        self, key: str, ttl_s: float, load: Callable[[], Awaitable[T]], warmly: "_RedisOptions", weight: int
    ) -> Any:
        task = asyncio.current_task()  # no longer in `_loading` once the key was invalidated
        value, left_s = await self._from_redis(key, warmly), ttl_s
        if value is _MISS:
            _ttl_limit_s.set(math.inf)
            value = await load()
            left_s = _ttl_limit_s.get()
            if value is not None and self._loading.get(key) is task:
                await self._to_redis(key, warmly, value, min(left_s, warmly.ttl_s))
                if self._loading.get(key) is not task:  # invalidated meanwhile, perhaps deleted before our write
                    self._delete_from_redis([key])
        else:
            value, left_s = value  # part of its TTL has passed
        if self._loading.get(key) is task:
            self._store(key, min(left_s, ttl_s), value, weight)
        return value

    def _store(self, key: str, for_s: float, value: Any, weight: int) -> None:
        self._drop(key)
        now = time.monotonic()
        if value is None:
            self._absent[key] = now + min(for_s, ABSENT_S)
            if len(self._absent) > ABSENT_MAX:
                self._absent.popitem(last=False)
            return
        self._local[key] = (now + for_s, value, weight)
        self._weight += weight
        while self._weight > self._size:
            self._drop(next(iter(self._local)))

    def _drop(self, key: str) -> None:
        self._absent.pop(key, None)
        if found := self._local.pop(key, None):
            self._weight -= found[2]

    def _on_loaded(self, key: str, done: asyncio.Future[Any]) -> None:
        if self._loading.get(key) is done:
            del self._loading[key]

    # An invalidation also detaches loads in progress: they may have read the state from before the change.

    def _invalidate_keys(self, keys: Any) -> None:
        self.invalidations += 1
        for key in keys:
            self._drop(key)
            self._loading.pop(key, None)
        self._delete_from_redis(keys)

    def _clear(self) -> None:
        self.invalidations += 1
        self._local.clear()
        self._absent.clear()
        self._weight = 0
        self._loading.clear()

    # --- Redis

    async def _from_redis(self, key: str, warmly: "_RedisOptions") -> Any:
        name = self._redis.prefixed_key(key)
        if name in self._pending_deletes:  # Redis may still have the invalidated value
            return _MISS
        nothing: tuple[Any, int] = (None, 0)

        async def ask(client: Redis) -> tuple[Any, int]:
            pipe = client.pipeline(transaction=False)
            warmly.shape.add_read(pipe, name)
            pipe.pttl(name)
            # An error of one command (the key has another type) does not mean that Redis is unavailable.
            raw, left_ms = await pipe.execute(raise_on_error=False)
            return nothing if isinstance(raw, Exception) or isinstance(left_ms, Exception) else (raw, left_ms)

        raw, left_ms = await self._redis.call(ask, nothing)
        if not raw or left_ms <= 0:
            return _MISS
        try:
            value = warmly.shape.decode(raw, warmly.of)
        except (ValueError, RecursionError):  # written by another version of fullhouse, or by other software
            return _MISS
        return (value, left_ms / 1000) if warmly.is_good is None or warmly.is_good(value) else _MISS

    async def _to_redis(self, key: str, warmly: "_RedisOptions", value: Any, ttl_s: float) -> None:
        name = self._redis.prefixed_key(key)

        async def put(client: Redis) -> None:
            pipe = client.pipeline()  # a transaction: no reader sees it incomplete, or without its expiry
            warmly.shape.add_write(pipe, name, value)
            pipe.pexpire(name, int(ttl_s * 1000))
            await pipe.execute()

        await self._redis.call(put, None)

    def _delete_from_redis(self, keys: Iterable[str]) -> None:
        """Each process that receives an invalidation deletes the keys, and does not read them from Redis before."""
        if not self._redis.configured:
            return
        drop = next(self._delete_numbers)
        self._pending_deletes |= {self._redis.prefixed_key(key): drop for key in keys}
        if self._deleting is None or self._deleting.done():
            self._deleting = asyncio.create_task(self._delete_pending(), name="cache:drop")

    async def _delete_pending(self) -> None:
        """Retries while Redis is unavailable, so that it does not return with invalidated values."""

        async def delete(client: Redis) -> bool:
            await client.delete(*owed)
            return True

        while owed := dict(self._pending_deletes):
            if await self._redis.call(delete, False):
                # Keys that were invalidated again meanwhile are deleted again.
                self._pending_deletes = {
                    name: drop for name, drop in self._pending_deletes.items() if owed.get(name) != drop
                }
            else:
                await asyncio.sleep(0.5)


def _log_invalidation(organization_id: UUID | None, keys: tuple[str, ...]) -> None:
    """Logs one line per event whose keys are invalidated, and one for keys of no event."""
    by_event: dict[str | None, list[str]] = {}
    for key in keys:
        found = _EVENT.search(key)
        by_event.setdefault(found[1] if found else None, []).append(key)
    for event_id, of_event in by_event.items():
        log.info(
            "cache.invalidated",
            org_id=str(organization_id) if organization_id else None,
            event_id=event_id,
            keys_invalidated=of_event,
        )
