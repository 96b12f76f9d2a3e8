"""Rows of every table, counted before and after: a refused request changes none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

_TABLES = """
SELECT oid::regclass::text AS name FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition
  AND relnamespace IN ('public'::regnamespace, 'jobs'::regnamespace)
"""


class Counts:
    def __init__(self, owner: Any) -> None:
        self._owner = owner

    async def take(self) -> dict[str, int]:
        tables = [row["name"] for row in await self._owner.fetch(_TABLES)]
        return {table: await self._owner.fetchval(f"SELECT count(*) FROM {table}") for table in tables}

    @asynccontextmanager
    async def unchanged(self, besides: str = "") -> AsyncIterator[None]:
        before = await self.take()
        yield
        after = await self.take()
        changed = {table for table in after if after[table] != before.get(table)} - {besides}
        assert not changed, f"a refused request changed {changed}"
