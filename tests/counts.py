"""Rows of every table, counted before and after: a refused request changes none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

# One statement that counts them all: a round trip for each table would take longer than what is tested.
_ASK = """
SELECT string_agg(format('SELECT %L, count(*) FROM %s%s', oid::regclass, oid::regclass, CASE WHEN $1 AND EXISTS (
           SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id'
       ) THEN ' WHERE organization_id = ANY ($1)' END), ' UNION ALL ')
FROM pg_class c
WHERE relkind IN ('r', 'p') AND NOT relispartition
  AND relnamespace IN ('public'::regnamespace, 'jobs'::regnamespace)
"""


class Counts:
    """Of everybody; or of these organisations and of what is nobody's: others have left thousands of rows there."""

    def __init__(self, owner: Any, *organizations: UUID) -> None:
        self._owner, self._organizations = owner, organizations

    async def take(self) -> dict[str, int]:
        ask = await self._owner.fetchval(_ASK, bool(self._organizations))
        return dict(await self._owner.fetch(ask, *([self._organizations] if self._organizations else [])))

    @asynccontextmanager
    async def unchanged(self, besides: str = "") -> AsyncIterator[None]:
        before = await self.take()
        yield
        after = await self.take()
        changed = {table for table in after if after[table] != before.get(table)} - {besides}
        assert not changed, f"a refused request changed {changed}"
