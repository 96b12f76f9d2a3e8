"""A cache as each process has it, with its bus, its database and a truth to load from."""

from typing import Any

from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.cache.optional_redis import OptionalRedis
from fullhouse.kit.db.database import Database
from fullhouse.kit.live.bus import Bus


class Process:
    """A cache with its bus and database, as each process has them, and a truth to load from."""

    def __init__(self, cache: Cache, bus: Bus, database: Database, warm: OptionalRedis) -> None:
        self.cache, self.bus, self.database, self.warm = cache, bus, database, warm
        self.loads = 0

    async def get(self, key: str, truth: Any, of: Any = int) -> Any:
        async def load() -> Any:
            self.loads += 1
            return truth

        return await self.cache.get(key, 60, load, of)

    async def invalidate(self, *keys: str) -> None:
        async with self.database.without_tenant() as tx:
            self.cache.invalidate(tx, *keys)
