"""The feed, the search and single shows with a million shows of a thousand organisations.

    python bench/feed.py [shows] [organisations]

On a PostgreSQL of its own, filled by SQL in a few minutes. Pages by keyset stand beside pages by OFFSET, a cached show
beside an endpoint that does nothing: trust the ratios, not the absolute figures.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load

from fullhouse import config
from fullhouse.events import store
from fullhouse.events.public import actions, cities, reads
from fullhouse.events.public.model import CitySuggestion
from fullhouse.events.public.routes import SaleStatus
from fullhouse.kit.db.database import APP, Database, Tx
from fullhouse.kit.text import to_tsquery
from fullhouse.processes import serve

PAGE, DEEP = 20, 1000
CITIES, WORDS = 2_000, 20_000
NO_FILTERS: dict[str, Any] = dict.fromkeys(("organization_id", "city", "category", "since", "until", "sale_status"))
NO_SEARCH = dict.fromkeys(("filters", "since", "until", "sale_status"))
FIRST: dict[str, dict[str, Any]] = {
    "latest": dict.fromkeys(("after_start_time", "after_id")),
    "trending": {"epoch": 1} | dict.fromkeys(("after_rank", "after_start", "after_id")),
}
LISTS = {"latest": store.public_feed, "trending": store.public_trending}

# A show's words are drawn by a hash of its number: the same house every time. All are an evening, one in ten a matinee,
# one in a hundred a gala; a jubilee is one of the last. Few are sold out, postponed, or not on sale at the moment.
FILL = """
SET session_replication_role = replica;
INSERT INTO organizations (id, slug, name)
SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'house-' || n, 'House ' || n
FROM generate_series(1, {houses}) n;
CREATE TEMP TABLE made AS
SELECT ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid AS id,
       ('00000000-0000-7000-8000-' || lpad(to_hex(1 + n % {houses}), 12, '0'))::uuid AS house,
       n, app.clock() + interval '1 hour' + interval '37 seconds' * (hashint4(n) & 1048575) AS start_at,
       'city' || (hashint4(n + 1) & 2047) % {cities} AS city,
       (ARRAY['theatre', 'concert', 'comedy', 'dance', 'talk'])[1 + n % 5] AS category,
       'evening' || CASE WHEN n % 10 = 0 THEN ' matinee' ELSE '' END || CASE WHEN n % 100 = 0 THEN ' gala' ELSE '' END
       || CASE WHEN hashint4(n) & 1048575 > 1038000 THEN ' jubilee ' ELSE ' ' END
       || (SELECT string_agg('word' || (hashint4(n * 31 + k) & 1048575) % {words}, ' ') FROM generate_series(1, 4) k)
       AS title,
       (SELECT string_agg('word' || (hashint4(n * 57 + k) & 1048575) % {words}, ' ') FROM generate_series(1, 12) k)
       AS text,
       CASE WHEN n % 1000 = 1 THEN 'postponed' ELSE 'published' END AS status,
       n % 1000 = 3 AS sold_out
FROM generate_series(1, {shows}) n;
ALTER TABLE made ADD COLUMN sale_start_at timestamptz;
UPDATE made SET sale_start_at = CASE WHEN n % 1000 = 2 THEN start_at - interval '1 minute'
                                     ELSE app.clock() - interval '1 day' END;
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key, published_at,
                    postponement_reason)
SELECT id, house, 'show-' || n, title, text, category, status, start_at, start_at + interval '2 hours', start_at,
       sale_start_at, start_at, 'Hall', city, 'ZZ', 'UTC', n, app.clock(),
       CASE WHEN status = 'postponed' THEN 'Storm' END FROM made;
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, timezone, start_at, end_at, first_start_at, sale_start_at, sale_end_at,
                           sold_out, capacity, published_at, search)
SELECT id, house, 'show-' || n, title, text, category, status, 'Hall', city, city, 'ZZ', 'UTC', start_at,
       start_at + interval '2 hours', start_at, sale_start_at,
       CASE WHEN n % 1000 = 4 THEN app.clock() - interval '1 hour' ELSE start_at END, sold_out, 100,
       app.clock() - interval '1 second' * (n % 1000000),
       setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', text), 'D')
       || array_to_tsvector(ARRAY['§city:' || city, '§category:' || category]) FROM made;
INSERT INTO public_ranks (event_id, organization_id, since_epoch, rank, start_at, city_norm, category)
SELECT id, house, 0, (hashint4(n * 7) & 1048575) / 1000.0, start_at, city, category FROM made;
"""
OFFSETS = {
    "latest": "SELECT id FROM public_shows ORDER BY start_time, id LIMIT $1 OFFSET $2",
    "trending": "SELECT s.id FROM public_ranks r JOIN public_shows s ON s.id = r.event_id"
    " ORDER BY r.rank, r.start_at, r.event_id LIMIT $1 OFFSET $2",
}


async def fill(url: str, shows: int, houses: int) -> None:
    owner = await asyncpg.connect(url)
    dropped = await owner.fetch(
        "SELECT indexdef, indexrelid::regclass::text AS name FROM pg_index JOIN pg_indexes ON indexname ="
        " (indexrelid::regclass)::text WHERE NOT indisprimary AND NOT EXISTS (SELECT FROM pg_constraint c WHERE"
        " c.conindid = indexrelid) AND tablename IN ('events', 'public_events', 'public_ranks')"
    )
    began = time.perf_counter()
    for index in dropped:
        await owner.execute(f"DROP INDEX {index['name']}")
    await owner.execute(FILL.format(shows=shows, houses=houses, cities=CITIES, words=WORDS))
    for index in dropped:
        await owner.execute(index["indexdef"])
    for table in ("events", "public_events", "public_ranks", "organizations"):
        await owner.execute(f"VACUUM ANALYZE {table}")
    print(f"{shows:,} shows of {houses:,} organisations, filled in {time.perf_counter() - began:.0f} s")
    await owner.close()


async def medians_ms(runs: int, *works: Callable[[], Awaitable[Any]]) -> list[float]:
    """In turn, so that whatever else the machine does meets all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for work, took in zip(works, times, strict=True):
            began = time.perf_counter()
            await work()
            took.append((time.perf_counter() - began) * 1000)
    return [statistics.median(took) for took in times]


async def pages(database: Database, url: str) -> None:
    owner = await asyncpg.connect(url)  # asks where page 1,000 begins
    for sort in ("latest", "trending"):
        key = "start_at, event_id" if sort == "latest" else "rank, start_at, event_id"
        table = "public_events" if sort == "latest" else "public_ranks"
        deep = await owner.fetchrow(
            f"SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET $1", PAGE * (DEEP - 1) - 1
        )
        assert deep

        async def by_key(after: Any, sort: str = sort) -> None:
            async with database.without_tenant() as tx:
                keys = [name for name in FIRST[sort] if name != "epoch"]
                begun = FIRST[sort] | (dict(zip(keys, after, strict=True)) if after else {})
                await LISTS[sort](tx, **NO_FILTERS, **begun, limit=PAGE + 1, words=None)

        async def by_offset(page: int, sort: str = sort) -> None:
            async with database.without_tenant() as tx:
                await tx.fetch(OFFSETS[sort], PAGE + 1, PAGE * (page - 1))

        await by_key(None)
        first, far = await medians_ms(100, partial(by_key, None), partial(by_key, tuple(deep)))
        near_offset, far_offset = await medians_ms(20, partial(by_offset, 1), partial(by_offset, DEEP))
        print(
            f"{sort:<9} page 1 {first:6.2f} ms, page {DEEP:,} {far:6.2f} ms: ratio {far / first:.2f} by keyset, "
            f"{far_offset / near_offset:.1f} by OFFSET ({far_offset:.1f} ms)"
        )
    await owner.close()


async def questions(database: Database) -> None:
    """Whatever the public may ask that is not a page of everything: the slowest matters."""
    house = UUID("00000000-0000-7000-8000-" + f"{1:012x}")
    words = [
        "evening", "matinee", "gala", "jubilee", "word5", "nosuchword", "-evening", "gala -matinee",
        "evening gala", "gala word1", "word1234 wor", "evening word1234",
    ]  # fmt: skip
    filters: dict[str, tuple[dict[str, Any], str | None]] = {word: ({}, to_tsquery(word)) for word in words}
    filters |= {status: ({"sale_status": status}, None) for status in get_args(SaleStatus)}
    filters |= {f"{status} gala": ({"sale_status": status}, "gala") for status in get_args(SaleStatus)}
    filters |= {
        "gala in a city": ({"city": "city7"}, "gala"),
        "a house": ({"organization_id": house}, None),
    }
    filters |= {"gala of a house": ({"organization_id": house}, "gala")}
    asked: dict[str, Callable[[Any], Awaitable[Any]]] = {}
    for name, (wanted, word) in filters.items():
        for sort, find in LISTS.items():
            page = NO_FILTERS | wanted | FIRST[sort]
            asked[f"{sort}, {name}"] = partial(_ask, partial(_listed, find, word), **page, limit=PAGE + 1)
    for word in words:
        asked[f"search, {word}"] = partial(
            _ask, reads.search, words=to_tsquery(word), stemmer="english", **NO_SEARCH, limit=20
        )
    asked |= {
        "by slug": partial(_ask, store.find_public_event_by_slug, organization="house-1", slug="show-1000"),
        "newest": partial(_ask, store.list_newest_events, organization_id=None, limit=50),
        "newest of a house": partial(_ask, store.list_newest_events, organization_id=house, limit=50),
        "calendar of a house": partial(_ask, store.list_coming_events, organization_id=house, limit=500),
        "categories": partial(_ask, store.public_categories),
        "a file of the sitemap": partial(
            _ask, store.list_sitemap_events, after_id=UUID(int=0), last_id=None, limit=10_000
        ),
        "houses of the sitemap": partial(_ask, store.sitemap_organizations, 9_999),
        "cities, once an hour": partial(_ask, store.public_cities),
        "sitemap, once an hour": partial(_ask, store.sitemap_boundaries, 5_000),
    }
    took: list[tuple[float, str]] = []
    for name, ask in asked.items():
        async with database.without_tenant() as tx:
            await ask(tx)
            (ms,) = await medians_ms(5, partial(ask, tx))
            took.append((ms, name))
    slowest = sorted(took, reverse=True)[:12]
    print(f"of {len(took)} public questions the slowest: " + "; ".join(f"{name} {ms:.1f} ms" for ms, name in slowest))


async def _listed(statement: Callable[..., Awaitable[Any]], words: str | None, tx: Tx, **wanted: Any) -> None:
    by = await reads.choose_indexed_words(tx, words, None) if words else None
    await statement(tx, **wanted, words=words, by=by)


async def _ask(statement: Callable[..., Awaitable[Any]], *arguments: Any, **named: Any) -> None:
    *wanted, tx = arguments
    await statement(tx, *wanted, **named)


async def searches(database: Database) -> None:
    dice = random.Random(7)
    kinds = (("one word", 1, False), ("two words", 2, False), ("one word in a city", 1, True), ("any word", 0, False))
    for name, count, filtered in kinds:
        times = []
        for _ in range(200):
            # Of "any", one in four is very common.
            words = " ".join(f"word{dice.randrange(WORDS)}" for _ in range(max(count, 1)))
            if not count and dice.random() < 0.25:
                words = dice.choice(("evening", "matinee", "gala", "jubilee"))
            lexemes = actions.filter_lexemes(city=f"city{dice.randrange(CITIES)}") if filtered else []
            filters = " & ".join(f"'{lexeme}'" for lexeme in lexemes) or None
            began = time.perf_counter()
            async with database.without_tenant() as tx:
                await reads.search(tx, to_tsquery(words), "english", filters, None, None, None, 20)
            times.append((time.perf_counter() - began) * 1000)
        ordered = sorted(times)
        print(f"search, {name:<19} p50 {ordered[100]:6.2f} ms, p95 {ordered[190]:6.2f} ms")


def suggestions() -> None:
    dice = random.Random(7)
    letters = ("bcdfgklmnprstv", "aeiou")
    names = {"".join(dice.choice(letters[k % 2]) for k in range(dice.randrange(5, 12))).title() for _ in range(6000)}
    index = cities.CityIndex([CitySuggestion(name, "ZZ", dice.randrange(500)) for name in sorted(names)[:5000]])
    typed = [dice.choice(sorted(names))[: dice.randrange(2, 8)] for _ in range(500)]
    slips = [word[:2] + word[3:] + "x" for word in typed]
    for what, asked in (("typed right", typed), ("with slips", slips)):
        times = []
        for word in asked:
            began = time.perf_counter()
            index.suggest(word, 10)
            times.append((time.perf_counter() - began) * 1000)
        ordered = sorted(times)
        print(f"city suggestions of 5,000, {what:<12} p50 {ordered[250]:.3f} ms, p95 {ordered[475]:.3f} ms")


def _itself(request: bytes) -> bytes:
    return request


def cached_reads(urls: serve.Urls, home: str) -> None:
    environment = {**os.environ, "DATABASE_URL": urls.serving, "DATABASE_OWNER_URL": urls.owner, "FULLHOUSE_HOME": home}
    event_id = UUID("00000000-0000-7000-9000-" + f"{1:012x}")
    requests = {"nothing": _load.get("/health/live"), "a cached show": _load.get(f"/event/v1/events/{event_id}")}
    rates: dict[str, list[float]] = {name: [] for name in requests}
    with _load.serving("fullhouse.processes.app:create", environment) as server:
        for _ in range(3):
            for name, request in requests.items():
                measured = _load.load(server.port, partial(_itself, request), connections=64, seconds=2)
                assert set(measured.statuses) == {200}, measured.statuses
                rates[name].append(measured.rate)
    nothing, show = (statistics.median(rates[name]) for name in requests)
    print(
        f"a cached show {show:,.0f} req/s ÷ an endpoint that does nothing {nothing:,.0f} req/s = {show / nothing:.2f}"
    )


async def measure(urls: serve.Urls, shows: int, houses: int) -> None:
    await serve.migrate_database(urls)
    await fill(urls.owner, shows, houses)
    database = await Database.open(urls.serving, APP, size=2)
    await pages(database, urls.owner)
    await searches(database)
    await questions(database)
    await database.close()


def main() -> None:
    shows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    houses = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"FULLHOUSE_HOME": home})
        with serve.open_database(settings) as (urls, _):
            asyncio.run(measure(urls, shows, houses))
            suggestions()
            cached_reads(urls, home)


if __name__ == "__main__":
    main()
