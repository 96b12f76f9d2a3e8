"""The Redis layer, if Redis is configured. It saves work; nothing depends on it.

Unavailable or hung, it costs a caller one short timeout, then nothing (the breaker is open), and never an error.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError as RedisError
from redis.exceptions import ResponseError as ResponseError

from fullhouse.kit.cache.breaker import CircuitBreaker
from fullhouse.kit.tasks import timeout

T = TypeVar("T")
Redis = redis.asyncio.Redis
TIMEOUT_S = 0.05
CONNECT_S = 1.0


def make_client(url: str) -> Redis:
    # No retries inside the client: the breaker decides when to try again.
    return redis.asyncio.from_url(url, socket_connect_timeout=CONNECT_S, retry=Retry(NoBackoff(), 0))


class OptionalRedis:
    def __init__(self, url: str | None, *, prefix: str = "fullhouse", timeout_s: float | None = None) -> None:
        self._client = make_client(url) if url else None
        self._breaker = CircuitBreaker("redis", timeout_s=timeout_s or TIMEOUT_S)
        self._prefix = prefix
        self._reconnecting: asyncio.Task[None] | None = None

    @property
    def configured(self) -> bool:
        return self._client is not None

    def prefixed_key(self, key: str) -> str:
        return f"{self._prefix}:{key}"

    async def call(self, command: Callable[[Redis], Awaitable[T]], otherwise: T) -> T:
        """The command's result, or `otherwise` if Redis is unavailable or not configured."""
        redis_client = self._client
        if redis_client is None:
            return otherwise

        async def run() -> T:
            try:
                return await command(redis_client)
            except RedisError as error:
                raise ConnectionError(str(error)) from error

        result = await self._breaker.call(run, otherwise)
        if self._breaker.tripped and (self._reconnecting is None or self._reconnecting.done()):
            self._reconnecting = asyncio.create_task(self._reconnect(redis_client), name="redis:heal")
        return result

    async def _reconnect(self, redis_client: Redis) -> None:
        """Reconnects with a longer timeout than callers have. The connection is kept, so later calls are fast."""
        while self._breaker.tripped:
            try:
                async with timeout(CONNECT_S):
                    await redis_client.ping()
            except (OSError, RedisError):
                await asyncio.sleep(CONNECT_S)
            else:
                self._breaker.close()

    async def close(self) -> None:
        if self._reconnecting:
            self._reconnecting.cancel()
        if self._client is not None:
            await self._client.aclose()
