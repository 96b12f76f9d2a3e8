"""What operators and sweeps ask of messages is found by indexes: by plan, on filled tables."""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from fullhouse.accounts import jobs as accounts_jobs
from fullhouse.accounts import queries as account_queries
from fullhouse.broker import jobs, store
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import WORKER, Database
from tests.events.test_indexes import used
from tests.services.client import ask

FACTS, MAILS, JOBS = 60_000, 20_000, 20_000

HOUSE = "0000e57c-0000-7000-8000-000000000001"

# A week of facts in the order in which they came; mails of 91 days that were sent, and a few that never were.
_FILL = f"""
SET session_replication_role = replica;
INSERT INTO organizations (id, slug, name) VALUES ('{HOUSE}', 'index-post', 'House');
INSERT INTO outbox (id, organization_id, name, subject_id, payload, created_at, sent_at, handled_at)
SELECT gen_random_uuid(), '{HOUSE}', 'event.updated', gen_random_uuid(), '{{"version": 1}}',
       at, at, at
FROM (SELECT now() - ({FACTS} - n) * interval '10 seconds' AS at FROM generate_series(1, {FACTS}) n) x;
INSERT INTO mails (id, organization_id, recipient, subject, body, template, created_at, sent_at)
SELECT gen_random_uuid(), '{HOUSE}', 'a@example.org', 'Hello', 'text', template, at,
       CASE WHEN n % 200 > 0 AND template <> 'sign_in_link' THEN at END
FROM (SELECT n, now() - n * interval '393 seconds' AS at,
             CASE WHEN n % 400 < 2 THEN 'sign_in_link' ELSE 'order_confirmed' END AS template
      FROM generate_series(1, {MAILS}) n) x;
INSERT INTO jobs.queue (priority, status, entrypoint)
SELECT 0, CASE WHEN n % 5000 = 0 THEN 'failed' ELSE 'queued' END::jobs.status, 'mail.deliver'
FROM generate_series(1, {JOBS}) n;
SET session_replication_role = origin;
"""


@pytest.fixture(scope="module")
async def urls() -> dict[str, str]:
    """Nobody else's rows: to fill tables and to empty them again would move what others look at."""
    found: dict[str, str] = ask("database", f"post_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
    owner = await asyncpg.connect(found["owner_url"])
    await owner.execute(_FILL)
    await owner.execute("VACUUM ANALYZE outbox, mails, jobs.queue")
    await owner.close()
    return found


@pytest.fixture
async def finder(urls: dict[str, str]) -> Any:
    database = await Database.open(urls["server_url"], WORKER, size=1)
    yield database
    await database.close()


async def test_facts_are_found_by_when_they_were_made(urls: dict[str, str]) -> None:
    since = datetime.now(UTC) - timedelta(hours=30)
    query = store.resend.query
    asked = query.arguments(None, since=since, until=since + timedelta(minutes=15), pattern=None)
    read = await used(urls["server_url"], WORKER, None, query.text, *asked)
    assert read == ["outbox_created"]


async def test_given_up_jobs_are_counted_among_many_that_wait(urls: dict[str, str], finder: Database) -> None:
    assert "queue_failed" in await used(urls["server_url"], WORKER, None, store.count_backlog.query.text)
    assert (await jobs.read_backlog(finder)).failed_jobs == JOBS // 5000
    await jobs.update_gauges(finder, broker=False)
    assert jobs.WAITING.labels("operator")._value.get() == JOBS // 5000


async def test_mails_that_never_left_are_forgotten_and_ways_in_after_a_day(
    urls: dict[str, str], finder: Database
) -> None:
    links = await used(urls["server_url"], WORKER, None, sql.text(account_queries.sweep_unsent_links))
    assert "mails_unsent_links" in links
    everything = await used(urls["server_url"], WORKER, None, sql.text(account_queries.sweep_mails))
    assert {"mails_sent", "mails_unsent", "mails_refused"} <= set(everything)
    await accounts_jobs.sweep_all(finder)
    owner = await asyncpg.connect(urls["owner_url"])
    try:
        old = "created_at < now() - interval '90 days 1 minute'"
        assert not await owner.fetchval(f"SELECT count(*) FROM mails WHERE {old}")
        link = "template = 'sign_in_link' AND created_at"
        assert not await owner.fetchval(f"SELECT count(*) FROM mails WHERE {link} < now() - interval '1 day 1 minute'")
        assert await owner.fetchval(f"SELECT count(*) FROM mails WHERE {link} > now() - interval '1 day'")
        assert await owner.fetchval("SELECT count(*) FROM mails WHERE sent_at IS NULL AND template = 'order_confirmed'")
    finally:
        await owner.close()
