"""What each database role may do: the application its tenant's rows, workers a named few, the auditor only reads.

None of them owns anything, and the log-in behind them has no right until it becomes one of them.
"""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.db.database import APP, AUDITOR, ROLES, WORKER, connect
from tests.fixtures import Tenant
from tests.kit.test_isolation import tenant_tables, undone

pytestmark = pytest.mark.req("TEN-1")

LOGIN = "fullhouse_server"
DEFINERS = {"app.make_audit_months()"}
# Where workers look for work, across organisations, and what they may do there. The effect itself runs in the
# organisation's own transaction.
WORKERS_MAY = {
    "app.functions": {"SELECT"},
    "app.migrations": {"SELECT"},
    "checkout_sessions": {"SELECT"},
    "event_outbox": {"SELECT"},  # a view of the outbox
    "event_stats": {"SELECT"},
    "events": {"SELECT"},
    "idempotency_keys": {"SELECT", "DELETE"},
    "images": {"SELECT"},
    "invitations": {"SELECT", "DELETE"},
    "jobs.history": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "jobs.queue": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "jobs.schedules": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "jobs.statistics": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "magic_links": {"SELECT", "DELETE"},
    "mails": {"SELECT", "DELETE"},
    "orders": {"SELECT"},
    "organizations": {"SELECT"},
    "outbox": {"SELECT", "UPDATE", "DELETE"},
    "owed_reactions": {"SELECT", "UPDATE", "DELETE"},
    "participations": {"SELECT"},
    "payment_attempts": {"SELECT"},
    "platform_sessions": {"SELECT", "DELETE"},
    "processed_messages": {"SELECT", "DELETE"},
    "public_ranks": {"SELECT", "DELETE"},
    "queue_entries": {"SELECT"},
    "queue_rooms": {"SELECT"},
    "refund_batches": {"SELECT"},
    "refunds": {"SELECT"},
    "ticket_moves": {"SELECT"},
    "tickets": {"SELECT"},
    "seat_holds": {"SELECT"},
    "sessions": {"SELECT", "DELETE"},
    "waitlist_entries": {"SELECT"},
    "waitlists": {"SELECT"},
    "webhook_deliveries": {"SELECT", "DELETE"},
}

_RIGHTS = """
SELECT c.oid::regclass::text AS name, v.verb
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS v (verb)
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND has_table_privilege($1, c.oid, v.verb)
"""


async def rights_of(owner: Any, role: str) -> dict[str, set[str]]:
    rights: dict[str, set[str]] = {}
    for row in await owner.fetch(_RIGHTS, role):
        rights.setdefault(row["name"], set()).add(row["verb"])
    return rights


@pytest.fixture
async def server(server_url: str) -> AsyncIterator[Any]:
    """A session of a serving process, in the application's role, as an attacker with SQL in hand would have it."""
    connection = await connect(server_url, APP)
    yield connection
    await connection.close()


async def test_no_role_has_a_special_power(owner: Any) -> None:
    rows = await owner.fetch("SELECT * FROM pg_roles WHERE rolname = ANY ($1)", [*ROLES, LOGIN])
    assert len(rows) == 4
    for row in rows:
        powers = ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb", "rolreplication")
        assert not any(row[power] for power in powers), row["rolname"]
        assert row["rolcanlogin"] == (row["rolname"] == LOGIN)


async def test_no_role_owns_anything(owner: Any) -> None:
    for catalogue, column in (("class", "rel"), ("proc", "pro"), ("namespace", "nsp"), ("type", "typ")):
        owned = await owner.fetch(
            f"SELECT {column}name FROM pg_{catalogue} WHERE {column}owner::regrole::text = ANY ($1)", [*ROLES, LOGIN]
        )
        assert owned == []


async def test_the_log_in_may_become_the_three_roles_and_nobody_else(server: Any) -> None:
    rows = await server.fetch("SELECT rolname FROM pg_roles WHERE pg_has_role($1, oid, 'MEMBER')", LOGIN)
    assert {row["rolname"] for row in rows} == {*ROLES, LOGIN}
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await server.execute("SET ROLE fullhouse")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await server.execute("SET SESSION AUTHORIZATION fullhouse")


@pytest.mark.parametrize("way_out", ["SET ROLE NONE", "RESET ROLE; SET ROLE NONE", f"SET ROLE {LOGIN}"])
async def test_the_log_in_itself_has_no_right(server: Any, tenant: Tenant, way_out: str) -> None:
    await server.execute(f"SELECT set_config('app.org', '{tenant.id}', false)")
    assert await server.fetchval("SELECT count(*) FROM users") == 5
    await server.execute(way_out)
    assert await server.fetchval("SELECT current_user") == LOGIN
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await server.execute("SELECT FROM users")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await server.execute("SELECT app.clock()")


async def test_the_log_in_has_no_table_right_by_the_catalogue(owner: Any) -> None:
    assert await rights_of(owner, LOGIN) == {}


async def test_the_application_may_neither_truncate_nor_build(owner: Any, server: Any) -> None:
    rights = await rights_of(owner, APP)
    assert rights["users"] == {"SELECT", "INSERT", "UPDATE", "DELETE"}
    assert {verb for verbs in rights.values() for verb in verbs} == {"SELECT", "INSERT", "UPDATE", "DELETE"}
    for statement in (
        "CREATE TABLE mine ()",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION app.clock2() RETURNS int RETURN 1",
        "ALTER TABLE users DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant ON users",
        "SET session_replication_role = replica",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await server.execute(statement)


async def test_turning_row_security_off_refuses_instead_of_showing(server: Any) -> None:
    await server.execute("SET row_security = off")
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await server.execute("SELECT FROM users")


async def test_partitions_have_no_door_of_their_own(server: Any, owner: Any) -> None:
    tables = await tenant_tables(owner, parts=True)
    parts = sorted(set(tables) - set(await tenant_tables(owner)))
    assert "audit_log_default" in parts
    assert not rights_for(await rights_of(owner, APP), parts)
    assert not rights_for(await rights_of(owner, WORKER), parts)


def rights_for(rights: dict[str, set[str]], tables: list[str]) -> dict[str, set[str]]:
    return {table: verbs for table, verbs in rights.items() if table in tables}


async def test_workers_reach_the_named_tables_only(owner: Any) -> None:
    assert await rights_of(owner, WORKER) == WORKERS_MAY


async def test_a_worker_sees_rows_of_the_named_tables_only(server_url: str, owner: Any, tenant: Tenant) -> None:
    worker = await connect(server_url, WORKER)
    try:
        assert await worker.fetchval("SELECT count(*) FROM outbox WHERE organization_id = $1", tenant.id) > 0
        for table in set(await tenant_tables(owner)) - WORKERS_MAY.keys():
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await worker.execute(f"SELECT FROM {table}")
    finally:
        await worker.close()


@pytest.mark.req("TEN-3")
async def test_the_auditor_reads_every_tenant_table_and_writes_none(owner: Any, tenant: Tenant) -> None:
    rights = await rights_of(owner, AUDITOR)
    assert {verb for verbs in rights.values() for verb in verbs} == {"SELECT"}
    for table in await tenant_tables(owner):
        everything = await owner.fetchval(f"SELECT count(*) FROM {table}")
        async with undone(owner, f"SET LOCAL ROLE {AUDITOR}"):
            assert await owner.fetchval(f"SELECT count(*) FROM {table}") == everything
    assert rights.keys() & {"platform_users", "platform_sessions", "jobs.queue"} == set()


async def test_functions_with_their_owners_rights_are_the_named_ones(owner: Any) -> None:
    rows = await owner.fetch(
        "SELECT p.oid::regprocedure::text AS name, p.proconfig FROM pg_proc p JOIN pg_namespace n"
        " ON n.oid = p.pronamespace WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
    )
    assert {row["name"] for row in rows} == DEFINERS
    assert all(any(setting.startswith("search_path=") for setting in row["proconfig"] or ()) for row in rows)
    for role in (APP, AUDITOR, LOGIN):
        for function in DEFINERS:
            assert not await owner.fetchval("SELECT has_function_privilege($1, $2, 'EXECUTE')", role, function)


async def test_a_table_left_open_to_workers_would_have_been_seen(owner: Any) -> None:
    async with undone(owner, f"GRANT SELECT ON users TO {WORKER}"):
        assert await rights_of(owner, WORKER) == WORKERS_MAY | {"users": {"SELECT"}}
