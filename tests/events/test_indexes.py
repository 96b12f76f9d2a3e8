"""Each question that is asked often runs on its index: by its plan, on a filled table, under row-level security."""

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

from fullhouse.events import store
from fullhouse.events.jobs import LONG_AGO
from fullhouse.kit.db import APP, WORKER, connect
from fullhouse.kit.ids import new_id
from tests.events.helpers import DAY

pytestmark = pytest.mark.req("EV-13")
HOUSES, SHOWS, HALLS, GATES = 4, 5_000, 25, 40
_HOUSE = "INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'House')"
_HALLS = """
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, city, country)
SELECT gen_random_uuid(), $1, 'hall-' || n, 'Hall', 'virtual', 'UTC', 'Gent', 'BE' FROM generate_series(1, $2) n
"""
_GATES = """
INSERT INTO gates (id, organization_id, venue_id, gate_code, name)
SELECT gen_random_uuid(), $1, venues.id, 'G' || n, 'Gate' FROM venues, generate_series(1, $2) n
WHERE organization_id = $1
"""
# Half of them are over, as in a house with a history; of what the scheduler moves, only a few have come due.
_SHOWS = """
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, status, start_at, end_at,
                    doors_at, sale_start_at, sale_end_at, rescheduled_at, venue_name, city, country, timezone,
                    dedupe_key)
SELECT gen_random_uuid(), $1, halls[1 + n % cardinality(halls)], 'show-' || n, 'Show', 'A show.', 'theatre', status,
       start_at, start_at + interval '2 hours', start_at, start_at - interval '90 days', start_at,
       CASE WHEN status = 'postponed' THEN start_at + interval '1 day' END, 'Hall', 'Gent', 'BE', 'UTC', n
FROM (SELECT n, app.clock() + interval '6 hours' * (n - $2 / 2) AS start_at,
             CASE WHEN n < $2 / 2 - 10 THEN 'ended'
                  ELSE (ARRAY['draft', 'published', 'live', 'postponed', 'published', 'live'])[1 + n % 6] END AS status
      FROM generate_series(1, $2::int) n) AS made,
     (SELECT array_agg(id) AS halls FROM venues WHERE organization_id = $1) AS found
"""


class Filled(msgspec.Struct):
    house: UUID
    values: dict[str, Any]  # what the questions below ask for


@pytest.fixture(scope="module")
async def filled(owner_url: str) -> AsyncIterator[Filled]:
    """Twenty thousand shows in houses of their own; taken away again."""
    owner = await asyncpg.connect(owner_url)
    houses = [new_id() for _ in range(HOUSES)]
    for house in houses:
        await owner.execute(_HOUSE, house, f"t-{house.hex}")
        await owner.execute(_HALLS, house, HALLS)
        await owner.execute(_GATES, house, GATES)
        await owner.execute(_SHOWS, house, SHOWS)
    await owner.execute("ANALYZE events, venues, gates")
    some = "SELECT id FROM {} WHERE organization_id = $1 LIMIT 1"
    now = await owner.fetchval("SELECT app.clock()")
    yield Filled(
        houses[0],
        {
            "venue": await owner.fetchval(some.format("venues"), houses[0]),
            "event": await owner.fetchval(some.format("events"), houses[0]),
            "now": now,
            "later": now + 100 * DAY,
        },
    )
    for table in ("events", "venues"):
        await owner.execute(f"DELETE FROM {table} WHERE organization_id = ANY ($1)", houses)
    await owner.execute("ANALYZE events, venues, gates")
    await owner.close()


# status, venue, since, until, after (start, id), limit: a name stands for its value in `Filled`.
QUESTIONS: dict[str, tuple[str, list[Any], str]] = {
    "by slug": ("event_by_slug", ["show-77"], "events_slug"),
    "by id": ("event_by_id", ["event"], "events_id_key"),
    "upcoming": ("list_events", [None, None, "now", None, None, None, 51], "events_start"),
    "the next page": ("list_events", [None, None, "now", None, "later", "event", 51], "events_start"),
    "postponed ones": ("list_events", ["postponed", None, None, None, None, None, 51], "events_status"),
    "cancelled ones": ("list_events", ["cancelled", None, None, None, None, None, 51], "events_status"),
    "at a venue": ("list_events", [None, "venue", None, None, None, None, 51], "events_venue"),
    "coming to a venue": ("list_events", [None, "venue", "now", None, None, None, 51], "events_venue"),
    "open gates": ("list_gates", ["venue", "open", None, None, 51], "gates_venue"),
}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_houses_question_uses_its_index(question: str, filled: Filled, server_url: str) -> None:
    name, asked, index = QUESTIONS[question]
    arguments = [filled.values.get(argument, argument) for argument in asked]
    assert await used(server_url, APP, filled.house, store.statements.texts[name], filled.house, *arguments) == [index]


async def test_the_scheduler_uses_an_index_for_each_kind_of_work(filled: Filled, server_url: str) -> None:
    text = store.statements.texts["due_events"]
    indexes = await used(server_url, WORKER, None, text, LONG_AGO, UUID(int=0))
    assert sorted(indexes) == ["events_doors", "events_ending", "events_resuming"]


async def test_deleting_a_show_finds_those_that_it_replaces_by_an_index(filled: Filled, server_url: str) -> None:
    """What the foreign key asks at every deletion."""
    text = "SELECT FROM events WHERE organization_id = $1 AND replaced_by_event_id = $2"
    used_ones = await used(server_url, APP, filled.house, text, filled.house, filled.values["event"])
    assert used_ones == ["events_replaced"]


async def test_a_question_without_an_index_would_be_seen(filled: Filled, server_url: str) -> None:
    text = "SELECT id FROM events WHERE capacity = 7"
    assert await used(server_url, WORKER, None, text) == ["Seq Scan"]


async def used(server_url: str, role: str, house: UUID | None, text: str, *arguments: Any) -> list[str]:
    """The indexes of the plan, in its order; a table that is read from end to end says so."""
    connection = await connect(server_url, role)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('app.org', $1, true)", str(house or ""))
            plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) {text}", *arguments)
    finally:
        await connection.close()
    return list(_scans(msgspec.json.decode(plan)[0]["Plan"]))


def _scans(node: dict[str, Any]) -> Iterator[str]:
    if node["Node Type"] == "Seq Scan":
        yield "Seq Scan"
    elif "Index Name" in node:
        yield node["Index Name"]
    for child in node.get("Plans", ()):
        yield from _scans(child)
