"""Each question that is asked often runs on its index: by its plan, on a filled table, under row-level security.

A plan is named by what it reads when it runs, from the outside in: an index, `Sort` where the index does not give the
order, and `Seq Scan` where a table is read from end to end. The directory of organisations is left out: it is small.
"""

import os
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

from fullhouse.events import queries, store
from fullhouse.events.images.actions import UNUSED_FOR
from fullhouse.events.jobs import LONG_AGO
from fullhouse.events.public import reads
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import APP, WORKER, Database, PreparedStatementPool, connect
from tests.events.helpers import DAY
from tests.services.client import ask

pytestmark = pytest.mark.req("EV-13")
HOUSES, SHOWS, HALLS, VENUES, GATES = 1_000, 100_000, 4, 2_000, 40
HOUSE = UUID("0000e57a-0000-7000-8000-000000000001")  # the one with a history: every twentieth show is its own
TABLES = ("events", "venues", "gates", "images", "event_stats", "public_events", "public_ranks")

# In one go and without triggers: a hundred thousand in a few seconds. Words are drawn by a hash: all shows are an
# evening, one in ten a matinee, and most words are rare.
_FILL = f"""
SET session_replication_role = replica;
INSERT INTO organizations (id, slug, name)
SELECT ('0000e57a-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'index-house-' || n, 'House'
FROM generate_series(1, {HOUSES}) n;
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, city, country)
SELECT ('0000e57a-0000-7000-a000-' || lpad(to_hex(n), 12, '0'))::uuid, '{HOUSE}', 'hall-' || n, 'Hall', 'virtual',
       CASE WHEN n % 200 = 0 THEN 'Asia/Tokyo' ELSE 'UTC' END, 'city' || n % 100, 'BE'
FROM generate_series(1, {VENUES}) n;
INSERT INTO gates (id, organization_id, venue_id, gate_code, name)
SELECT gen_random_uuid(), '{HOUSE}', venues.id, 'G' || n, 'Gate' FROM venues, generate_series(1, {GATES}) n
WHERE organization_id = '{HOUSE}' AND slug <= 'hall-2';
INSERT INTO images (id, organization_id, digest, width, height, bytes, attached_at, created_at)
SELECT gen_random_uuid(), '{HOUSE}', repeat(md5(n::text), 2), 1, 1, 1, CASE WHEN n % 100 > 0 THEN app.clock() END,
       app.clock() - interval '1 hour' * n FROM generate_series(1, 20000) n;
CREATE TEMP TABLE made AS
SELECT n, ('0000e57a-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid AS id,
       CASE WHEN n % 20 = 0 THEN '{HOUSE}'
            ELSE ('0000e57a-0000-7000-8000-' || lpad(to_hex(2 + n % {HOUSES - 1}), 12, '0'))::uuid END AS house,
       CASE WHEN n % 20 = 0
            THEN ('0000e57a-0000-7000-a000-' || lpad(to_hex(1 + n / 20 % {HALLS}), 12, '0'))::uuid END AS venue_id,
       -- Half of the house with a history is over; of what the scheduler moves, only a few have come due.
       app.clock() + CASE WHEN n % 20 = 0 THEN interval '6 hours' * (n / 20 - {SHOWS // 40})
                          ELSE interval '1 hour' + interval '37 seconds' * (hashint4(n) & 1048575) END AS start_at,
       CASE WHEN n % 20 > 0 THEN CASE WHEN n % 1000 = 1 THEN 'postponed' ELSE 'published' END
            WHEN n / 20 < {SHOWS // 40} - 10 THEN 'ended'
            ELSE (ARRAY['draft', 'published', 'live', 'postponed', 'published', 'live'])[1 + n / 20 % 6] END AS status,
       'city' || (hashint4(n + 1) & 2047) % 500 AS city,
       (ARRAY['theatre', 'concert', 'comedy', 'dance', 'talk'])[1 + n % 5] AS category,
       'evening' || CASE WHEN n % 10 = 0 THEN ' matinee' ELSE '' END || ' word' || (hashint4(n * 31) & 1048575) % 20000
       || ' word' || (hashint4(n * 57) & 1048575) % 20000 AS title
FROM generate_series(1, {SHOWS}) n;
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, status, start_at, end_at,
                    doors_at, sale_start_at, sale_end_at, rescheduled_at, venue_name, city, country, timezone,
                    dedupe_key, published_at, created_by, postponement_reason)
SELECT id, house, venue_id, 'show-' || n, title, 'A show.', category, status, start_at, start_at + interval '2 hours',
       start_at, start_at - interval '900 days', start_at,
       CASE WHEN status = 'postponed' AND n % 20 = 0 THEN start_at + interval '1 day' END, 'Hall', city, 'BE', 'UTC', n,
       app.clock(), ('0000e57a-0000-7000-b000-' || lpad(to_hex(n / 20 % 50), 12, '0'))::uuid,
       CASE WHEN status = 'postponed' THEN 'Storm' END FROM made;
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, timezone, start_at, end_at, first_start_at, sale_start_at, sale_end_at,
                           sold_out, capacity, published_at, search)
SELECT id, house, 'show-' || n, title, 'A show.', category, status, 'Hall', city, city, 'BE', 'UTC', start_at,
       start_at + interval '2 hours', start_at,
       CASE WHEN n % 1000 = 2 THEN start_at - interval '1 minute' ELSE app.clock() - interval '1 day' END,
       CASE WHEN n % 1000 = 4 THEN app.clock() - interval '1 hour' ELSE start_at END, n % 1000 = 3, 100,
       app.clock() - interval '1 second' * n,
       setweight(to_tsvector('simple', title), 'A')
       || array_to_tsvector(ARRAY['§city:' || city, '§category:' || category])
FROM made WHERE status IN ('published', 'live', 'postponed');
INSERT INTO public_ranks (event_id, organization_id, since_epoch, rank, start_at, city_norm, category)
SELECT id, house, 0, (hashint4(n * 7) & 1048575) / 1000.0, start_at, city, category FROM made
WHERE status IN ('published', 'live', 'postponed');
INSERT INTO event_stats (organization_id, event_id, heat, unranked) SELECT house, id, 1, n % 5000 = 0 FROM made;
SET session_replication_role = origin;
"""


@pytest.fixture(scope="session")
def _database() -> dict[str, str]:
    """A database of its own: how many shows other tests have left would be a part of every plan."""
    return ask("database", f"indexes_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_database: dict[str, str]) -> str:
    return _database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_database: dict[str, str]) -> str:
    return _database["server_url"]


@pytest.fixture(scope="session")
async def values(owner_url: str) -> dict[str, Any]:
    """A hundred thousand shows. What the questions below name is in here."""
    owner = await asyncpg.connect(owner_url)
    # By all rows, and not by the sample that the database takes by itself meanwhile: the same plan in every run.
    await owner.execute("; ".join(f"ALTER TABLE {table} SET (autovacuum_enabled = false)" for table in TABLES))
    await owner.execute("SET default_statistics_target = 1000")
    await owner.execute(_FILL)
    await owner.execute(f"ANALYZE {', '.join(TABLES)}, organizations")
    now: datetime = await owner.fetchval("SELECT app.clock()")
    await owner.close()
    ids = {"house": HOUSE, "event": UUID("0000e57a-0000-7000-9000-000000000014"), "no id": UUID(int=0)}
    ids |= {"venue": UUID("0000e57a-0000-7000-a000-000000000001"), "user": UUID("0000e57a-0000-7000-b000-000000000007")}
    return ids | {
        "now": now,
        "soon": now + 30 * DAY,
        "later": now + 100 * DAY,
        "much later": now + 300 * DAY,
        "a day": UNUSED_FOR,
    }


# A statement, what it is asked for, and what it reads. A word that names a value above stands for it.
Question = tuple[str, dict[str, Any], list[str]]

OF_A_HOUSE: dict[str, Question] = {
    "by slug": ("event_by_slug", {"slug": "show-7000"}, ["events_slug"]),
    "by id": ("event_by_id", {"event_id": "event"}, ["events_id_key"]),
    "from now on": ("list_events", {"since": "now", "limit": 51}, ["events_start"]),
    "the next page": (
        "list_events",
        {"since": "now", "after_at": "later", "after_id": "event", "limit": 51},
        ["events_start"],
    ),
    "postponed ones": ("list_events", {"statuses": ["postponed"], "limit": 51}, ["Sort", "events_status"]),
    "cancelled ones": ("list_events", {"statuses": ["cancelled"], "limit": 51}, ["events_status"]),
    "at a venue": ("list_events", {"venue_id": "venue", "limit": 51}, ["events_venue"]),
    "from now on at a venue": ("list_events", {"venue_id": "venue", "since": "now", "limit": 51}, ["events_venue"]),
    "upcoming": ("upcoming_events", {"limit": 200}, ["events_coming"]),
    "upcoming at a venue": ("upcoming_events", {"venue_id": "venue", "limit": 200}, ["Sort", "events_coming_there"]),
    "my own": ("list_own_events", {"created_by": "user", "limit": 21}, ["events_mine", "event_stats_pkey"]),
    "more of my own": (
        "list_own_events",
        {"created_by": "user", "after_at": "now", "after_id": "event", "limit": 21},
        ["events_mine", "event_stats_pkey"],
    ),
    "venues": ("list_venues", {"limit": 51}, ["venues_newest"]),
    "venues in a city": ("list_venues", {"city": "city7", "limit": 51}, ["Sort", "venues_city"]),
    "venues by time zone": ("list_venues", {"timezone": "Asia/Tokyo", "limit": 51}, ["venues_timezone"]),
    "open gates": ("list_gates", {"venue_id": "venue", "status": "open", "limit": 51}, ["Sort", "gates_venue"]),
}

ALL = dict.fromkeys(("organization_id", "city", "category", "since", "until", "sale_status"))
SELLING = "public_events_selling_from|public_events_selling_until"
OF_THE_PUBLIC: dict[str, Question] = {
    "feed": ("public_feed", {"limit": 21}, ["public_events_latest"]),
    "feed, next page": (
        "public_feed",
        {"after_start_time": "later", "after_id": "event", "limit": 21},
        ["public_events_latest"],
    ),
    "feed, city": ("public_feed", {"city": "city7", "limit": 21}, ["public_events_city"]),
    "feed, city, next page": (
        "public_feed",
        {"city": "city7", "after_start_time": "later", "after_id": "event", "limit": 21},
        ["public_events_city"],
    ),
    "feed, category": ("public_feed", {"category": "dance", "limit": 21}, ["public_events_category"]),
    "feed, since": ("public_feed", {"since": "later", "limit": 21}, ["public_events_latest"]),
    "feed, until": ("public_feed", {"since": "later", "until": "much later", "limit": 21}, ["public_events_latest"]),
    "feed, on sale": ("public_feed", {"sale_status": "on_sale", "limit": 21}, ["public_events_latest"]),
    "feed, sold out": ("public_feed", {"sale_status": "sold_out", "limit": 21}, ["public_events_sold_out"]),
    "feed, suspended": ("public_feed", {"sale_status": "suspended", "limit": 21}, ["public_events_suspended"]),
    "feed, upcoming": (
        "public_feed",
        {"sale_status": "upcoming", "limit": 21},
        [
            "Sort",
            "public_events_sale_start",
            "public_events_no_tickets",
            SELLING,
        ],
    ),
    "feed, closed": ("public_feed", {"sale_status": "closed", "limit": 21}, ["Sort", "public_events_sale_end"]),
    "feed, how long its filters hold": (
        "next_sale_change",
        {},
        [
            "public_events_sale_start",
            "public_events_sale_end",
            SELLING,
            SELLING,
            "public_events_gaps",
        ],
    ),
    "feed, rare word": (
        "public_feed_words",
        {"limit": 21, "words": "word77", "indexed_words": "word77"},
        ["public_events_latest", "Sort", "public_events_search"],
    ),
    "feed, unknown word": (
        "public_feed_words",
        {"limit": 21, "words": "nosuch", "indexed_words": "nosuch"},
        ["public_events_latest", "Sort", "public_events_search"],
    ),
    "feed, common word": (
        "public_feed_words",
        {"limit": 21, "words": "evening", "indexed_words": "evening"},
        ["public_events_latest", "Sort"],
    ),
    "feed, no word": ("public_feed_words", {"limit": 21, "words": "!evening", "indexed_words": "!evening"}, ["Sort"]),
    "house": ("public_feed", {"organization_id": "house", "limit": 21}, ["public_events_organization"]),
    "house, next page": (
        "public_feed",
        {"organization_id": "house", "after_start_time": "later", "after_id": "event", "limit": 21},
        ["public_events_organization"],
    ),
    "trending": ("public_trending", {"epoch": 1, "limit": 21}, ["public_ranks_hottest", "public_events_pkey"]),
    "trending, next page": (
        "public_trending",
        {"epoch": 1, "after_rank": 500.0, "after_start": "later", "after_id": "event", "limit": 21},
        ["public_ranks_hottest", "public_events_pkey"],
    ),
    "trending, city": (
        "public_trending",
        {"city": "city7", "epoch": 1, "limit": 21},
        ["public_ranks_city", "public_events_pkey"],
    ),
    "trending, category": (
        "public_trending",
        {"category": "dance", "epoch": 1, "limit": 21},
        ["public_ranks_category", "public_events_pkey"],
    ),
    "trending, on sale": (
        "public_trending",
        {"sale_status": "on_sale", "epoch": 1, "limit": 21},
        ["public_ranks_hottest", "public_events_pkey"],
    ),
    "trending, sold out": (
        "public_trending",
        {"sale_status": "sold_out", "epoch": 1, "limit": 21},
        ["Sort", "public_events_sold_out", "public_ranks_pkey"],
    ),
    "trending, rare word": (
        "public_trending_words",
        {"epoch": 1, "limit": 21, "words": "word77", "indexed_words": "word77"},
        ["public_ranks_hottest", "public_events_pkey", "Sort", "public_events_search", "public_ranks_pkey"],
    ),
    "trending, unknown word": (
        "public_trending_words",
        {"epoch": 1, "limit": 21, "words": "nosuch", "indexed_words": "nosuch"},
        ["public_ranks_hottest", "public_events_pkey", "Sort", "public_events_search"],
    ),
    "trending, common word": (
        "public_trending_words",
        {"epoch": 1, "limit": 21, "words": "evening", "indexed_words": "evening"},
        ["public_ranks_hottest", "public_events_pkey", "Sort"],
    ),
    "trending, no word": (
        "public_trending_words",
        {"epoch": 1, "limit": 21, "words": "!evening", "indexed_words": "!evening"},
        ["Sort"],
    ),
    "search, common word": (
        "search_next",
        {"words": "evening", "language": "english", "limit": 20},
        ["Sort", "public_events_latest", "public_events_pkey"],
    ),
    "search, no word": ("search_next", {"words": "!evening", "language": "english", "limit": 20}, ["Sort"]),
    "search, rare word": (
        "search_by_words",
        {"words": "word77", "language": "english", "limit": 20, "indexed_words": "word77"},
        ["Sort", "public_events_search", "public_events_pkey"],
    ),
    "search, two": (
        "search_by_words",
        {"words": "word77 & word5", "language": "english", "limit": 20, "indexed_words": "word77 & word5"},
        ["Sort", "public_events_search"],
    ),
    "search, unfinished": (
        "search_by_words",
        {"words": "word77 & e:*", "language": "english", "limit": 20, "indexed_words": "word77"},
        ["Sort", "public_events_search", "public_events_pkey"],
    ),
    "search, soon": (
        "search_by_words",
        {"words": "matinee", "language": "english", "limit": 20, "indexed_words": "matinee", "horizon": "soon"},
        [
            "Sort",
            "public_events_search|public_events_latest",
            "public_events_search|public_events_latest",
            "public_events_pkey",
        ],
    ),
    "search, filters": (
        "search_by_words",
        {
            "words": "word77",
            "language": "english",
            "filters": "'\u00a7city:city7' & '\u00a7category:dance'",
            "sale_status": "on_sale",
            "limit": 20,
            "indexed_words": "word77",
        },
        ["Sort", "public_events_search"],
    ),
    "search, horizon": ("find_search_horizon", {"since": "now"}, ["public_events_latest"]),
    "search, sample": ("sample_words", {"words": "word77", "prefixes": "evening"}, ["public_events_latest"]),
    "by slug": (
        "find_public_event_by_slug",
        {"organization": "index-house-1", "slug": "show-7000"},
        ["public_events_slug"],
    ),
    "by id": ("find_public_event", {"event_id": "event"}, ["public_events_pkey"]),
    "calendar": ("list_coming_events", {"organization_id": "house", "limit": 50}, ["public_events_organization"]),
    "newest": ("list_newest_events", {"limit": 50}, ["public_events_newest"]),
    "newest of a house": (
        "list_newest_events",
        {"organization_id": "house", "limit": 50},
        ["public_events_newest_here"],
    ),
    "alone in its city": (
        "is_alone_in_its_city",
        {"city_norm": "city7", "event_id": "event"},
        ["public_events_city|public_events_places"],
    ),
    "categories": ("public_categories", {}, ["public_events_category", "public_events_category"]),
    "a file of the sitemap": ("list_sitemap_events", {"after_id": "event", "limit": 10_000}, ["public_events_pkey"]),
    "files of the sitemap": ("sitemap_boundaries", {"size": 5000}, ["public_events_pkey"]),
}

OF_WORKERS: dict[str, Question] = {
    "due shows": (
        "due_events",
        {"since": LONG_AGO, "since_id": "no id"},
        ["events_doors", "events_resuming", "events_ending"],
    ),
    "unused pictures": ("unused_images", {"age": "a day"}, ["images_unused"]),
    "houses to rank": ("unranked_organizations", {}, ["Sort", "event_stats_unranked"]),
}


@pytest.mark.parametrize("question", OF_A_HOUSE)
async def test_a_houses_question_uses_its_index(question: str, values: dict[str, Any], server_url: str) -> None:
    name, asked, expected = OF_A_HOUSE[question]
    ask = partial(explain, server_url, APP, HOUSE, name, asked, values)
    read = await ask()
    if "Sort" in read:  # of few rows: by the statistics that may cost less than reading in order, if that can be done
        read = await ask(sorts=False)
    _check(read, expected)


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({"slug": "show-7000"}, "events_slug"),
        ({"statuses": ["cancelled", "ended", "archived"]}, "events_status|events_start"),
    ],
    ids=["by slug", "several statuses"],
)
async def test_a_list_of_few_events_is_found_and_then_sorted(
    asked: dict[str, Any], index: str, values: dict[str, Any], server_url: str
) -> None:
    read = await explain(server_url, APP, HOUSE, "list_events", {**asked, "limit": 51}, values)
    assert read[-1] in index.split("|")


@pytest.mark.req("FEED-2", "FEED-3", "SEARCH-1")
@pytest.mark.parametrize("question", OF_THE_PUBLIC)
async def test_the_publics_question_uses_its_index(question: str, values: dict[str, Any], server_url: str) -> None:
    name, asked, expected = OF_THE_PUBLIC[question]
    _check(await explain(server_url, APP, None, name, asked, values), expected)


@pytest.mark.parametrize("question", OF_WORKERS)
async def test_a_workers_question_uses_its_index(question: str, values: dict[str, Any], server_url: str) -> None:
    name, asked, expected = OF_WORKERS[question]
    _check(await explain(server_url, WORKER, None, name, asked, values), expected)


@pytest.mark.req("FEED-2", "FEED-3")
@pytest.mark.parametrize("words", ["evening", "matinee", "word77", "nosuch", "matinee & !word77", "word77 | matinee"])
async def test_words_are_found_alike_by_either_way(words: str, values: dict[str, Any], server_url: str) -> None:
    """Near by along the order, or far away through the index of words: the same shows in the same order."""
    plain = "SELECT id FROM public_shows {} WHERE search @@ to_tsquery('simple', $1) {} ORDER BY {} LIMIT 21"
    later = "AND (start_time, id) > ($2, $3)"
    by_rank = plain.format("JOIN public_ranks r ON event_id = id", "", "rank, start_at, event_id")
    connection = await connect(server_url, APP)
    try:
        found = await store.public_feed(connection, **ALL, after_start_time=None, after_id=None, limit=21, words=words)
        assert [show.id for show in found] == await _ids(connection, plain.format("", "", "start_time, id"), words)
        after = values["later"], values["event"]
        found = await store.public_feed(
            connection, **ALL, after_start_time=after[0], after_id=after[1], limit=21, words=words
        )
        assert [show.id for show in found] == await _ids(
            connection, plain.format("", later, "start_time, id"), words, *after
        )
        ranked = await store.public_trending(
            connection, **ALL, epoch=1, after_rank=None, after_start=None, after_id=None, limit=21, words=words
        )
        assert [row.event.id for row in ranked] == await _ids(connection, by_rank, words)
    finally:
        await connection.close()


@pytest.mark.req("SEARCH-1")
@pytest.mark.usefixtures("values")
@pytest.mark.parametrize(
    "words",
    [
        "word77", "nosuch", "word77 | word78", "'word77' & 'e':*", "'word77' & 'word':*", "'evening' & 'word77':*",
        "'matinee' & 'word77':*", "matinee", "evening",
    ],
)  # fmt: skip
async def test_a_search_finds_the_best_by_any_way(words: str, server_url: str) -> None:
    """However few or many say it: what is found says it, nothing is missing, and the best match is the first."""
    plain = (
        "SELECT id FROM (SELECT * FROM public_shows WHERE search @@ to_tsquery('simple', $1) ORDER BY start_time, id"
        " LIMIT $2) AS next ORDER BY ts_rank(search, to_tsquery('simple', $1)) DESC, start_time, id LIMIT 20"
    )
    connection = await connect(server_url, APP)
    try:
        found = await reads.search(connection, words, "simple", None, None, None, None, 20)
        soon = "SELECT count(*) FROM public_shows WHERE search @@ to_tsquery('simple', $1) AND start_time < $2"
        within = await connection.fetchval(soon, words, await store.find_search_horizon(connection, None))
        # Those of a short walk; of the next twenty thousand shows; of all.
        ways = {"evening": 100, "matinee": 100, "'evening' & 'word77':*": within}
        compared = ways.get(words, 500)
        assert 100 <= compared <= 500
        assert [show.id for show in found] == await _ids(connection, plain, words, compared)
    finally:
        await connection.close()


@pytest.mark.req("SEARCH-1")
@pytest.mark.usefixtures("values")
@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("'word77' & 'e':*", "'word77'"),  # the whole house says something with e; few say word77
        ("'word77' & 'word5' & 'e':*", "'word77' & 'word5'"),
        ("'evening' & 'word77':*", "'evening' & 'word77':*"),
        ("'e':*", "'e':*"),
        ("!'word77' & 'e':*", "!'word77' & 'e':*"),  # without the last word, no word would be left to look up
        ("'word77' & 'a & e':*", "'word77' & 'a & e':*"),  # nobody says that
    ],
)
async def test_an_unfinished_word_is_looked_up_only_if_it_is_rare(words: str, by: str, server_url: str) -> None:
    connection = await connect(server_url, APP)
    try:
        assert await reads.choose_indexed_words(connection, words, None) == by
    finally:
        await connection.close()


async def _ids(connection: Any, text: str, *arguments: Any) -> list[UUID]:
    return [row["id"] for row in await connection.fetch(text, *arguments)]


async def test_deleting_a_show_finds_those_that_it_replaces_by_an_index(
    values: dict[str, Any], server_url: str
) -> None:
    """What the foreign key asks at every deletion."""
    text = "SELECT FROM events WHERE organization_id = $1 AND replaced_by_event_id = $2"
    assert await used(server_url, APP, HOUSE, text, HOUSE, values["event"]) == ["events_replaced"]


@pytest.mark.usefixtures("values")
async def test_a_question_without_an_index_would_be_seen(server_url: str) -> None:
    text = "SELECT id FROM events WHERE capacity = 7 ORDER BY name"
    assert await used(server_url, WORKER, None, text) == ["Sort", "Seq Scan"]


async def test_a_pool_plans_for_the_values_at_hand_and_a_hot_line_once(server_url: str) -> None:
    """However often a statement has run: one plan for all values would serve those of the first askers."""
    counted = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1"
    pool = await Database.open(server_url, size=1)
    line = PreparedStatementPool(server_url, "SELECT 1 WHERE $1::int IS NULL OR $1 = 7", lines=1)
    try:
        async with pool.without_tenant() as tx:
            for _ in range(8):
                await store.find_public_event_by_slug(tx, organization="no-house", slug="no-show")
            plans = await tx.fetchrow(counted, store.find_public_event_by_slug.query.text)
            assert tuple(plans) == (0, 8)
        for _ in range(8):
            await line.fetch(7)
        held = await line._idle.get()
        assert held
        assert tuple(await held.connection.fetchrow(counted, "SELECT 1 WHERE $1::int IS NULL OR $1 = 7")) == (8, 0)
        await held.connection.close()
    finally:
        await pool.close()
        await line.close()


async def explain(
    server_url: str,
    role: str,
    house: UUID | None,
    name: str,
    asked: dict[str, Any],
    values: dict[str, Any],
    **more: bool,
) -> list[str]:
    """What the plan of one of the store's statements reads. What is not asked for is null."""
    query = sql.find_query(getattr(queries, name))
    assert asked.keys() <= set(query.parameters)
    given = {parameter: asked.get(parameter) for parameter in query.parameters}
    named = {k: values.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    return await used(server_url, role, house, query.text, *query.arguments(house, **named), **more)


def _check(read: list[str], expected: list[str]) -> None:
    """Where a sort is expected, doing without is no fault; of two indexes that begin alike, either is right."""
    if "Sort" in expected:
        read, expected = ([part for part in parts if part != "Sort"] for parts in (read, expected))
    assert len(read) == len(expected), read
    assert all(part in either.split("|") for part, either in zip(read, expected, strict=True)), read


async def used(
    server_url: str, role: str, house: UUID | None, text: str, *arguments: Any, sorts: bool = True
) -> list[str]:
    """What the plan reads."""
    connection = await connect(server_url, role)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('app.org', $1, true)", str(house or ""))
            await connection.execute(f"SET LOCAL enable_sort = {sorts}")
            plan = await connection.fetchval(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {text}", *arguments)
    finally:
        await connection.close()
    return list(_reads(msgspec.json.decode(plan)[0]["Plan"]))


def _reads(node: dict[str, Any]) -> Iterator[str]:
    kind, index = node["Node Type"], node.get("Index Name", "")
    never = node["Actual Loops"] == 0
    if never or node.get("Relation Name") == "organizations" or index.startswith("organizations_"):
        return
    if kind in ("Seq Scan", "Sort"):
        yield kind
    elif index:
        yield index
    for child in node.get("Plans", ()):
        yield from _reads(child)
