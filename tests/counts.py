"""Rows of every table, counted before and after: a refused request changes none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

# One statement that counts them all: a round trip for each table would take longer than what is tested.
_ASK = """
SELECT string_agg(format('SELECT %L, count(*) FROM %s', oid::regclass, oid::regclass), ' UNION ALL ') FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition
  AND relnamespace IN ('public'::regnamespace, 'jobs'::regnamespace)
"""


class Counts:
    def __init__(self, owner: Any) -> None:
        self._owner = owner

    async def take(self) -> dict[str, int]:
        return dict(await self._owner.fetch(await self._owner.fetchval(_ASK)))

    @asynccontextmanager
    async def unchanged(self, besides: str = "") -> AsyncIterator[None]:
        before = await self.take()
        yield
        after = await self.take()
        changed = {table for table in after if after[table] != before.get(table)} - {besides}
        assert not changed, f"a refused request changed {changed}"
