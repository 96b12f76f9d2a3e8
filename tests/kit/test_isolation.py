"""Every tenant table is under row-level security, by the catalogue and by trying.

A table without an organisation stands outside: OUTSIDE names every one, and why. A new table is in one of the two, or
these tests fail. Each check here is shown a hole and must see it.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse import prove
from fullhouse.accounts import actions
from fullhouse.accounts.model import CreateApiKey, GrantMembership, Invite
from fullhouse.kit.db.database import APP
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Client, Tenant

pytestmark = pytest.mark.req("TEN-1")

OUTSIDE = {
    "app.functions": "which text of each was applied",
    "app.migrations": "what was applied",
    "jobs.history": "deferred work; a payload names its organisation, and only workers read it",
    "jobs.queue": "the same",
    "jobs.schedules": "the same",
    "jobs.statistics": "the same",
    "organizations": "slug to id, for those who are not signed in yet; writable from inside only",
    "parked_payments": "news of money that may be no organisation's; the application only adds to it",
    "platform_sessions": "staff of the platform, who are in no organisation",
    "platform_users": "the same",
}
# They name an organisation and are readable by everybody: each column of theirs is public. Writable from inside only.
PUBLIC = {
    "event_directory": {"event_id", "organization_id"},
    "public_events": {
        "event_id", "organization_id", "slug", "title", "description", "category", "status", "venue_name", "city",
        "city_norm", "country", "address", "timezone", "start_at", "end_at", "first_start_at", "rescheduled_at",
        "sale_start_at", "sale_end_at", "sold_out", "capacity", "published_at", "search", "cover_image_ids",
        "changed_at", "owner_id", "created_at", "active_participants", "selling", "has_tickets",
    },
    "public_ranks": {
        "event_id", "organization_id", "since_epoch", "until_epoch", "rank", "start_at", "city_norm", "category",
    },
}  # fmt: skip
OWN = "(organization_id = app.org())"

_TABLES = """
SELECT c.oid::regclass::text AS name, c.relispartition AS part,
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id'
               AND NOT a.attisdropped) AS of_tenants
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
"""
_OPEN_TO_APP = """
SELECT p.polrelid::regclass::text AS name, p.polname AS policy,
       coalesce(pg_get_expr(p.polqual, p.polrelid), '') AS reads,
       coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '') AS writes
FROM pg_policy p WHERE p.polroles = '{0}' OR 'fullhouse_app'::regrole = ANY (p.polroles)
"""


async def tenant_tables(connection: Any, *, parts: bool = False) -> list[str]:
    rows = await connection.fetch(_TABLES)
    return sorted(
        row["name"] for row in rows if row["of_tenants"] and row["name"] not in PUBLIC and (parts or not row["part"])
    )


async def unforced(connection: Any) -> list[str]:
    """The check that operators run."""
    [check] = [check for check in prove.CHECKS if check.name == "row security"]
    return [re.split(" ", sentence)[0] for sentence in await check.find(connection)]


async def too_open(connection: Any) -> list[str]:
    """Policies that show the application more than its own organisation, or let it write there."""
    tables = await tenant_tables(connection, parts=True)
    return sorted(
        f"{row['name']}.{row['policy']}"
        for row in await connection.fetch(_OPEN_TO_APP)
        if row["name"] in tables and {row["reads"], row["writes"]} != {OWN}
    )


async def without_policy(connection: Any) -> list[str]:
    named = {row["name"] for row in await connection.fetch(_OPEN_TO_APP)}
    return [table for table in await tenant_tables(connection) if table not in named]


@asynccontextmanager
async def undone(connection: Any, *statements: str) -> AsyncIterator[None]:
    """What the statements change holds inside the block only."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        for statement in statements:
            await connection.execute(statement)
        yield
    finally:
        await transaction.rollback()


@asynccontextmanager
async def as_app(connection: Any, organization_id: UUID | None) -> AsyncIterator[None]:
    async with undone(connection, f"SET LOCAL ROLE {APP}"):
        await connection.execute("SELECT set_config('app.org', $1, true)", str(organization_id or ""))
        yield


# --- the catalogue


async def test_the_tables_outside_are_the_named_ones(owner: Any) -> None:
    assert {row["name"] for row in await owner.fetch(_TABLES) if not row["of_tenants"]} == OUTSIDE.keys()


async def test_public_tables_hold_only_public_columns_and_are_written_from_inside(
    owner: Any, services: Services, tenant: Tenant
) -> None:
    for table, columns in PUBLIC.items():
        found = await owner.fetch(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped", table
        )
        assert {row["attname"] for row in found} == columns
        policies = [row for row in await owner.fetch(_OPEN_TO_APP) if row["name"] == table]
        assert {(row["reads"], row["writes"]) for row in policies} <= {("true", ""), ("", OWN), (OWN, OWN), (OWN, "")}
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with services.database.tenant(tenant.id) as tx:
            await tx.execute("INSERT INTO event_directory VALUES ($1, $2)", new_id(), new_id())


async def test_row_security_is_forced_on_every_tenant_table_and_partition(owner: Any) -> None:
    tables = await tenant_tables(owner, parts=True)
    assert {"users", "audit_log", "audit_log_default"} < set(tables)
    assert await unforced(owner) == []


async def test_the_application_has_one_policy_a_table_and_it_names_the_organisation(owner: Any) -> None:
    assert await without_policy(owner) == []
    assert await too_open(owner) == []


async def test_every_key_between_tenant_tables_carries_the_organisation(owner: Any) -> None:
    tables = await tenant_tables(owner)
    keys = await owner.fetch(
        "SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent, conname,"
        " (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS"
        " columns FROM pg_constraint WHERE contype = 'f'"
    )
    between = [key for key in keys if key["child"] in tables and key["parent"] in tables]
    assert between
    assert [key["conname"] for key in between if "organization_id" not in key["columns"]] == []


async def test_every_function_sets_the_organisation_for_its_transaction_only(owner: Any) -> None:
    """A connection goes back to the pool without a reset (kit/db/database.py)."""
    functions = await owner.fetch("SELECT prosrc FROM pg_proc WHERE pronamespace = 'app'::regnamespace")
    calls = [call for row in functions for call in re.findall(r"set_config\s*\(.*?;", row["prosrc"])]
    assert set(calls) == {"set_config('app.org', org::text, true);"}


async def test_no_view_looks_past_row_security(owner: Any) -> None:
    views = await owner.fetch(
        "SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind = 'v' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
        " AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)"
    )
    assert [row["name"] for row in views] == []


@pytest.mark.parametrize(
    ("hole", "seen_by", "as_"),
    [
        ("ALTER TABLE users NO FORCE ROW LEVEL SECURITY", unforced, "users"),
        ("ALTER TABLE audit_log_default DISABLE ROW LEVEL SECURITY", unforced, "audit_log_default"),
        ("CREATE TABLE forgotten (organization_id uuid)", unforced, "forgotten"),
        ("CREATE TABLE forgotten (organization_id uuid)", without_policy, "forgotten"),
        ("DROP POLICY tenant ON users", without_policy, "users"),
        ("CREATE POLICY hole ON users FOR SELECT USING (true)", too_open, "users.hole"),
        ("ALTER POLICY tenant ON users WITH CHECK (true)", too_open, "users.tenant"),
    ],
)
async def test_the_checks_see_a_hole(owner: Any, hole: str, seen_by: Any, as_: str) -> None:
    assert as_ not in await seen_by(owner)
    async with undone(owner, hole):
        assert as_ in await seen_by(owner)


# --- by trying


@pytest.fixture
async def furnished(services: Services, other_tenant: Tenant) -> Tenant:
    """Somebody else's organisation, with something in every table of accounts."""
    who = other_tenant.principal("owner")
    async with services.database.tenant(other_tenant.id, who.actor) as tx:
        await actions.create_api_key(tx, who, CreateApiKey(name="key", scopes=["org:read"]))
        await actions.invite(tx, who, Invite(email="new@example.org", role="staff"))
        await actions.grant_membership(tx, GrantMembership(email="m@example.org", name="M", tier="gold", number="1"))
    return other_tenant


async def rows_of(connection: Any, table: str, organization_id: UUID) -> int:
    return int(await connection.fetchval(f"SELECT count(*) FROM {table} WHERE organization_id = $1", organization_id))


async def seen(connection: Any, tables: list[str]) -> list[str]:
    """The tables in which the current role and organisation see anything at all."""
    return [table for table in tables if await connection.fetchval(f"SELECT EXISTS (SELECT FROM {table})")]


async def test_an_unset_organisation_sees_nothing(owner: Any, furnished: Tenant) -> None:
    tables = await tenant_tables(owner)
    assert {"users", "sessions", "api_keys", "invitations", "memberships", "mails"} < set(await seen(owner, tables))
    async with as_app(owner, None):
        assert await seen(owner, tables) == []
    async with as_app(owner, new_id()):
        assert await seen(owner, tables) == []


async def test_an_open_policy_would_have_been_seen(owner: Any, furnished: Tenant) -> None:
    hole = "CREATE POLICY hole ON users TO fullhouse_app USING (true)"
    async with undone(owner, hole, f"SET LOCAL ROLE {APP}"):
        assert await seen(owner, await tenant_tables(owner)) == ["users"]


async def test_without_an_organisation_and_for_another_one_nothing_can_be_inserted(
    owner: Any, tenant: Tenant, furnished: Tenant
) -> None:
    for table in await tenant_tables(owner):
        for inside in (None, tenant.id):
            async with as_app(owner, inside):
                # Row security is asked before any constraint, so that a row with nothing else in it will do.
                with pytest.raises(asyncpg.InsufficientPrivilegeError, match=r"row-level security|permission denied"):
                    await owner.execute(f"INSERT INTO {table} (organization_id) VALUES ($1)", furnished.id)


async def test_another_organisations_rows_are_neither_seen_nor_touched(
    owner: Any, tenant: Tenant, furnished: Tenant
) -> None:
    tried = set()
    for table in await tenant_tables(owner):
        there = await rows_of(owner, table, furnished.id)
        for verb, statement in (
            ("SELECT", f"SELECT FROM {table}"),
            ("UPDATE", f"UPDATE {table} SET organization_id = organization_id"),
            ("DELETE", f"DELETE FROM {table}"),
        ):
            if await owner.fetchval("SELECT has_table_privilege($1, $2, $3)", APP, table, verb):
                async with as_app(owner, tenant.id):
                    touched = await owner.execute(f"{statement} WHERE organization_id = '{furnished.id}'")
                    assert touched == f"{verb} 0", table
                if there:
                    tried.add((verb, table))
    assert {("SELECT", "users"), ("UPDATE", "users"), ("DELETE", "users"), ("SELECT", "audit_log")} < tried


async def test_a_row_cannot_be_moved_to_another_organisation(owner: Any, tenant: Tenant, other_tenant: Tenant) -> None:
    async with as_app(owner, tenant.id):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await owner.execute("UPDATE organization_settings SET organization_id = $1", other_tenant.id)


async def test_another_organisations_name_can_be_read_but_not_written(
    owner: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    async with as_app(owner, tenant.id):
        assert await owner.fetchval("SELECT id FROM organizations WHERE slug = $1", other_tenant.organization.slug)
        assert await owner.execute("UPDATE organizations SET name = 'x' WHERE id = $1", other_tenant.id) == "UPDATE 0"
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await owner.execute("INSERT INTO organizations (id, slug, name) VALUES ($1, 'x-y', 'X')", new_id())


@pytest.mark.req("TEN-2")
async def test_another_organisations_things_answer_like_missing_ones(
    client: Client, tenant: Tenant, furnished: Tenant, owner: Any
) -> None:
    mine = client.as_(tenant.tokens["owner"])
    theirs = await owner.fetchval("SELECT id FROM memberships WHERE organization_id = $1", furnished.id)
    answers = [await mine.get(f"/api/org/memberships/{some}") for some in (theirs, new_id())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
