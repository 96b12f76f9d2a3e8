"""Reports count a show's holds and checkouts by their indexes, and a notice finds its people by theirs: by plan, on
filled tables, under row-level security.

Beside the shows of one house stand as many of another: whoever reads a table whole, or a house whole, is seen.
"""

import os
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.kit.db.database import APP
from fullhouse.kit.ids import new_id
from fullhouse.mail.notices import store as notice_store
from fullhouse.reports import store
from tests.events.test_indexes import used
from tests.services.client import ask

pytestmark = pytest.mark.req("OBS-3")
SHOWS, HOLDS, CHECKOUTS = 60, 1_000, 250  # of each house; of each show
HOUSE = UUID("0000e57b-0000-7000-8000-000000000001")
SHOW = UUID("0000e57b-0000-7000-9000-000000000003")
TABLES = (
    "audit_log",
    "tickets",
    "users",
    "order_lines",
    "orders",
    "checkout_items",
    "checkout_sessions",
    "seat_holds",
    "events",
)
BY_SHOW = {"seat_holds_ended", "seat_holds_due", "checkout_sessions_show", "checkout_items_pkey", "orders_event"}
BY_SHOW |= {"order_lines_pkey"}

# One hold in fifty counts down, the others have ended. Two are in each checkout; half of these are bought.
_FILL = f"""
SET session_replication_role = replica;
INSERT INTO organizations (id, slug, name)
SELECT ('0000e57b-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'report-house-' || n, 'House'
FROM generate_series(1, 2) n;
CREATE TEMP TABLE shows AS
SELECT ('0000e57b-0000-7000-8000-' || lpad(to_hex(1 + n % 2), 12, '0'))::uuid AS house,
       ('0000e57b-0000-7000-9000-' || lpad(to_hex(n + 1), 12, '0'))::uuid AS id, n
FROM generate_series(1, {2 * SHOWS}) n;
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key)
SELECT id, house, 'show-' || n, 'Show', 'A show.', 'theatre', 'published', app.clock() + n * interval '1 day',
       app.clock() + n * interval '1 day' + interval '2 hours', app.clock() + n * interval '1 day',
       app.clock() - interval '1 day', app.clock() + n * interval '1 day', 'Hall', 'Liège', 'BE', 'UTC', n FROM shows;
CREATE TEMP TABLE held AS
SELECT s.house, s.id AS show, h,
       ('0000e57b-' || lpad(to_hex(s.n), 4, '0') || '-7000-a000-' || lpad(to_hex(h), 12, '0'))::uuid AS id
FROM shows s, generate_series(1, {HOLDS}) h;
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, status, held_until, source,
                        created_at, updated_at)
SELECT id, house, show, id, id, id, id,
       CASE WHEN h % 50 = 0 THEN 'active' ELSE (ARRAY['converted', 'expired', 'cancelled'])[1 + h % 3] END,
       app.clock() + interval '5 minutes', 'web', app.clock() - h * interval '1 hour', app.clock() FROM held;
INSERT INTO checkout_sessions (id, organization_id, event_id, user_id, status, expires_at, currency, total, quote)
SELECT id, house, show, id, CASE h % 2 WHEN 0 THEN 'completed' ELSE 'left' END, app.clock(), 'EUR', 1, '{{}}'
FROM held WHERE h <= {CHECKOUTS};
INSERT INTO checkout_items (organization_id, session_id, position, hold_id, ticket_type_id, name, quantity, unit, net,
                            counted)
SELECT s.house, s.id, p, h.id, s.id, 'Seat', 1, 1, 1, false
FROM held s JOIN generate_series(0, 1) p ON true JOIN held h ON h.show = s.show AND h.h = 2 * s.h + p
WHERE s.h <= {CHECKOUTS};
INSERT INTO orders (id, organization_id, event_id, user_id, session_id, attempt_id, code, secret_hash, status, provider,
                    currency, total, quote, buyer_name, buyer_email, purchase_key, body_hash, paid_at)
SELECT id, house, show, id, id, id, translate(upper(right(id::text, 4) || substr(id::text, 10, 4)), '01', 'XY'),
       decode(md5(id::text), 'hex'), 'paid', 'test', 'EUR', 1, '{{}}', 'Ada', 'ada@example.org', id::text, '\\x00',
       app.clock() FROM held WHERE h <= {CHECKOUTS} AND h % 2 = 0;
INSERT INTO order_lines (organization_id, order_id, position, hold_id, ticket_type_id, name, quantity, unit, net,
                         counted)
SELECT house, id, 0, id, id, 'Seat', 1, 1, 1, false FROM held WHERE h <= {CHECKOUTS} AND h % 2 = 0;
INSERT INTO users (id, organization_id, email, name, role)
SELECT id, house, id || '@example.org', 'Holder', 'customer' FROM held WHERE h <= 100;
INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, number, code, nonce, holder_name,
                     holder_email)
SELECT id, organization_id, event_id, id, id, code, code, decode(repeat('00', 8), 'hex'), 'Fay', 'fay@example.org'
FROM orders;
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, entity_id)
SELECT gen_random_uuid(), house, 'system', 'seat_reserved', 'seat_hold', id FROM held
UNION ALL SELECT gen_random_uuid(), house, 'system', 'hold.cancelled', 'seat_hold', id FROM held WHERE h % 3 = 2;
SET session_replication_role = origin;
"""


@pytest.fixture(scope="session")
def _own_database() -> dict[str, str]:
    """Nobody else's rows: to fill tables and to empty them again would move what others look at."""
    return ask("database", f"reports_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture(scope="session")
def owner_url(_own_database: dict[str, str]) -> str:
    return _own_database["owner_url"]


@pytest.fixture(scope="session")
def server_url(_own_database: dict[str, str]) -> str:
    return _own_database["server_url"]


@pytest.fixture(scope="session", autouse=True)
async def _filled(owner_url: str) -> None:
    owner = await asyncpg.connect(owner_url)
    await owner.execute(_FILL)
    await owner.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")
    await owner.close()


async def _read(server_url: str, name: str, **asked: Any) -> list[str]:
    query = getattr(store, name).query
    given = dict.fromkeys(query.parameters) | asked
    return await used(server_url, APP, HOUSE, query.text, *query.arguments(HOUSE, **given))


async def test_a_page_of_reports_reads_its_own_shows_alone(server_url: str) -> None:
    read = await _read(server_url, "list_reports", limit=3)
    assert set(read) - {"Sort"} == BY_SHOW | {"events_start"}


async def test_a_shows_report_reads_that_show_alone(server_url: str) -> None:
    read = set(await _read(server_url, "find_report", event_id=SHOW))
    assert read - {"Sort", "Seq Scan", "events_id_key"} == BY_SHOW  # of few shows, one is found either way


async def test_its_days_are_counted_the_same_way(server_url: str) -> None:
    assert set(await _read(server_url, "report_days", event_id=SHOW, timezone="UTC")) - {"Sort"} == BY_SHOW


async def test_the_time_to_a_sale_and_who_ended_a_hold(server_url: str) -> None:
    read = await _read(server_url, "time_to_sale", event_id=SHOW)
    assert set(read) - {"Sort"} <= {"seat_holds_ended", "seat_holds_sold"}
    read = await _read(server_url, "released_by_house", event_id=SHOW)
    assert "seat_holds_ended" in read
    assert not {"Seq Scan", "seat_holds_person", "seat_holds_pkey"} & set(read)


async def test_a_notice_reads_the_people_of_its_show_alone(server_url: str) -> None:
    query = notice_store.insert_recipients.query
    text = query.text
    found = text[text.index("SELECT") : text.index("ON CONFLICT")]  # to write them down takes a notice
    asked = query.arguments(HOUSE, notice_id=new_id(), event_id=SHOW, updated_at=datetime.now(UTC))
    read = await used(server_url, APP, HOUSE, found, *asked)
    assert "seat_holds_ended" in read
    assert "orders_event" in read or "orders_pkey" in read
    assert "tickets_organization_id_event_id_number_key" in read
    assert not {"Seq Scan", "seat_holds_person", "seat_holds_pkey", "orders_newest"} & set(read)
