"""Each question that is asked often runs on its index: by its plan, on a filled table, under row-level security."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

from fullhouse.events import store
from fullhouse.kit.db import APP, WORKER, connect
from fullhouse.kit.ids import new_id

pytestmark = pytest.mark.req("EV-13")
HOUSES, SHOWS, HALLS = 4, 5_000, 25
_HOUSE = "INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'House')"
_HALLS = """
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, city, country)
SELECT gen_random_uuid(), $1, 'hall-' || n, 'Hall', 'virtual', 'UTC', 'Gent', 'BE' FROM generate_series(1, $2) n
"""
# A year around now. A few of what the scheduler moves have come due; most shows are over or still drafts.
_SHOWS = """
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, rescheduled_at, venue_name, city, country, timezone, dedupe_key)
SELECT gen_random_uuid(), $1, halls[1 + n % cardinality(halls)], 'show-' || n, 'Show', 'A show.', 'theatre', status,
       start_at, start_at + interval '2 hours', start_at, start_at - interval '90 days', start_at,
       CASE WHEN status = 'postponed' THEN start_at + interval '1 day' END, 'Hall', 'Gent', 'BE', 'UTC', n
FROM (SELECT n, app.clock() + interval '6 hours' * (n - 1000) AS start_at,
             CASE WHEN n < 990 THEN 'ended' ELSE (ARRAY['draft', 'published', 'live', 'postponed', 'draft'])[1 + n % 5] END
                 AS status
      FROM generate_series(1, $2) n) AS made,
     (SELECT array_agg(id) AS halls FROM venues WHERE organization_id = $1) AS found
"""


class Filled(msgspec.Struct):
    houses: list[UUID]
    venue_id: UUID
    now: datetime


@pytest.fixture(scope="module")
async def filled(owner_url: str) -> AsyncIterator[Filled]:
    """Twenty thousand shows in houses of their own; taken away again."""
    owner = await asyncpg.connect(owner_url)
    houses = [new_id() for _ in range(HOUSES)]
    for house in houses:
        await owner.execute(_HOUSE, house, f"t-{house.hex}")
        await owner.execute(_HALLS, house, HALLS)
        await owner.execute(_SHOWS, house, SHOWS)
    await owner.execute("ANALYZE events")
    venue_id = await owner.fetchval("SELECT id FROM venues WHERE organization_id = $1 LIMIT 1", houses[0])
    yield Filled(houses, venue_id, await owner.fetchval("SELECT app.clock()"))
    for table in ("events", "venues"):
        await owner.execute(f"DELETE FROM {table} WHERE organization_id = ANY ($1)", houses)
    await owner.execute("ANALYZE events")
    await owner.close()
