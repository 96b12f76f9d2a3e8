"""`fullhouse doctor` knows the guards that were shipped, and says which one a database has lost."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from scripts import schema as schema_script

from fullhouse.kit.db import migrate, schema
from fullhouse.kit.postgres import Cluster, binaries
from tests.test_operators import Run, run, scratch

__all__ = ["run", "scratch"]  # fixtures
pytestmark = pytest.mark.req("TEN-1", "PROVE-3")


@pytest.fixture
async def theirs(scratch: dict[str, str]) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(scratch["DATABASE_OWNER_URL"])
    yield connection
    await connection.close()


async def test_the_shipped_file_is_what_the_migrations_make(theirs: Any) -> None:
    shipped = schema.read_shipped_guards()
    assert shipped.newest == migrate.newest_number(), "run `make schema`"
    assert shipped.guards == await schema.read_guards(theirs), "run `make schema`"
    assert await schema.find_disagreements(theirs) == []


async def test_the_text_for_readers_is_what_the_migrations_make(scratch: dict[str, str]) -> None:
    assert schema_script.TEXT.read_text() == schema_script.dump(scratch["DATABASE_OWNER_URL"]), "run `make schema`"


async def test_every_version_of_postgresql_reads_the_same(server_home: Path) -> None:
    """Those that this machine has: the one that comes with us, and the system's."""
    for install in binaries.find_installs():
        home = server_home / install.version
        home.mkdir(mode=0o755)
        cluster = Cluster(home, install=install, settings={"fsync": "off"})
        cluster.start()
        try:
            await migrate.migrate(cluster.url())
            connection = await asyncpg.connect(cluster.url())
            assert await schema.find_disagreements(connection) == [], install.version
            await connection.close()
        finally:
            cluster.stop()


SHIFTED = "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now()"
OLDER = "CREATE OR REPLACE FUNCTION app.org() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE RETURN gen_random_uuid()"
OPENED = {
    "a policy opened": (
        "ALTER POLICY tenant ON orders USING (true)",
        "policy tenant on public.orders is not the shipped one: changed by hand, or older",
    ),
    "a policy dropped": ("DROP POLICY tenant ON orders", "policy tenant on public.orders is missing"),
    "a policy added": (
        "CREATE POLICY more ON orders FOR SELECT TO fullhouse_app USING (true)",
        "policy more on public.orders is not shipped: somebody has added it",
    ),
    "row security off": (
        "ALTER TABLE orders DISABLE ROW LEVEL SECURITY",
        "row security public.orders is not the shipped one: changed by hand, or older",
    ),
    "a trigger dropped": (
        "DROP TRIGGER append_only ON audit_log",
        "trigger append_only on public.audit_log is missing",
    ),
    "a trigger switched off": (
        "ALTER TABLE ledger_entries DISABLE TRIGGER append_only",
        "trigger append_only on ledger_entries is switched off",
    ),
    "keys switched off": (
        "ALTER TABLE tickets DISABLE TRIGGER ALL",
        "trigger RI_ConstraintTrigger",
    ),
    "a trigger added": (
        "CREATE TRIGGER more BEFORE DELETE ON orders FOR EACH ROW EXECUTE FUNCTION app.refuse_change()",
        "trigger more on public.orders is not shipped: somebody has added it",
    ),
    "a check dropped": (
        "ALTER TABLE pools DROP CONSTRAINT pools_never_oversold",
        "constraint pools_never_oversold on public.pools is missing",
    ),
    "a check opened": (
        "ALTER TABLE pools DROP CONSTRAINT pools_never_oversold, ADD CONSTRAINT pools_never_oversold CHECK (true)",
        "constraint pools_never_oversold on public.pools is not the shipped one: changed by hand, or older",
    ),
    "a check for new rows only": (
        "ALTER TABLE pools DROP CONSTRAINT pools_never_oversold,"
        " ADD CONSTRAINT pools_never_oversold CHECK ((held + sold) <= capacity) NOT VALID",
        "constraint pools_never_oversold on public.pools is not the shipped one: changed by hand, or older",
    ),
    "a foreign key dropped": (
        "ALTER TABLE tickets DROP CONSTRAINT tickets_organization_id_order_id_fkey",
        "constraint tickets_organization_id_order_id_fkey on public.tickets is missing",
    ),
    "a unique index dropped": ("DROP INDEX mails_once", "unique index public.mails_once on public.mails is missing"),
    "a unique index opened": (
        "DROP INDEX mails_once; CREATE UNIQUE INDEX mails_once ON mails (organization_id, about, template, id)",
        "unique index public.mails_once on public.mails is not the shipped one: changed by hand, or older",
    ),
    "a unique index broken": (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'mails_once'::regclass",
        "unique index mails_once is not valid",
    ),
    "a view opened": (
        "ALTER VIEW event_outbox RESET (security_invoker)",
        "view options public.event_outbox is not the shipped one: changed by hand, or older",
    ),
    "a view rewritten": (
        "CREATE OR REPLACE VIEW event_outbox WITH (security_invoker = true) AS SELECT seq AS id, id AS message_id,"
        " name AS routing_key, payload AS body, created_at, sent_at, attempts, last_error FROM outbox WHERE seq > 9",
        "view public.event_outbox is not the shipped one: changed by hand, or older",
    ),
    "a view of another table's column": (  # both tables have it
        "DO $$ BEGIN EXECUTE 'CREATE OR REPLACE VIEW shows_of_any_house WITH (security_invoker = true) AS '"
        " || replace(pg_get_viewdef('shows_of_any_house'::regclass), 'p.created_at', 'o.created_at'); END $$",
        "view public.shows_of_any_house is not the shipped one: changed by hand, or older",
    ),
    "a rule added": (
        "CREATE RULE kept AS ON DELETE TO tickets DO INSTEAD NOTHING",
        "rule kept on public.tickets is not shipped: somebody has added it",
    ),
    "a rule added to a partition": (
        "CREATE RULE kept AS ON UPDATE TO audit_log_default DO INSTEAD NOTHING",
        "rule kept on public.audit_log_default is not shipped: somebody has added it",
    ),
    "a partition opened": (
        "ALTER TABLE audit_log_default NO FORCE ROW LEVEL SECURITY",
        "partition public.audit_log_default does not force row security",
    ),
    "a partition's policy": (
        "CREATE POLICY more ON audit_log_default FOR SELECT TO fullhouse_app USING (true)",
        "policy more on partition public.audit_log_default is not shipped: somebody has added it",
    ),
    "a partition's trigger": (
        "CREATE TRIGGER more BEFORE INSERT ON audit_log_default FOR EACH ROW EXECUTE FUNCTION app.refuse_change()",
        "trigger more on partition public.audit_log_default is not shipped: somebody has added it",
    ),
    "a right on a partition": (
        "GRANT SELECT, DELETE ON audit_log_default TO fullhouse_app",
        "grant fullhouse_app on partition public.audit_log_default is not shipped: somebody has added it",
    ),
    "a right on a partition's column": (
        "GRANT UPDATE (reason) ON audit_log_default TO PUBLIC",
        "grant PUBLIC on partition public.audit_log_default.reason is not shipped: somebody has added it",
    ),
    "a column opened": (
        "ALTER TABLE orders ALTER COLUMN total DROP NOT NULL",
        "columns public.orders is not the shipped one: changed by hand, or older",
    ),
    "a function changed": (OLDER, "function app.org() is not the shipped one: changed by hand, or older"),
    "a function dropped": ("DROP FUNCTION app.make_audit_months()", "function app.make_audit_months() is missing"),
    "a right given": (
        "GRANT DELETE ON orders TO fullhouse_app",
        "grant fullhouse_app on table public.orders is not the shipped one: changed by hand, or older",
    ),
    "a right given on a column": (
        "GRANT UPDATE (amount) ON ledger_entries TO fullhouse_worker",
        "grant fullhouse_worker on column public.ledger_entries.amount is not shipped: somebody has added it",
    ),
    "a right given to all": (
        "GRANT EXECUTE ON FUNCTION app.make_audit_months() TO PUBLIC",
        "grant PUBLIC on function app.make_audit_months() is not shipped: somebody has added it",
    ),
    "a right taken": (
        "REVOKE SELECT ON orders FROM fullhouse_auditor",
        "grant fullhouse_auditor on table public.orders is missing",
    ),
    "the clock moved": (f"{SHIFTED} + interval '1 hour'", "app.clock() is 01:00:00 away from now()"),
}


TWICE = ("the clock moved", "a function dropped")  # a guard with two sides


@pytest.mark.parametrize("name", OPENED)
async def test_doctor_sees(name: str, run: Run, scratch: dict[str, str], theirs: Any) -> None:
    opened, says = OPENED[name]
    await theirs.execute(opened)
    told = await run("doctor", **scratch)
    assert told.code == 1
    [line] = [line for line in told.out.splitlines() if line.split()[1] == "schema"]
    assert line.startswith("fail")
    assert says in line, line
    if name != "keys switched off":  # there are many of them
        assert len(line.split("; ")) == (2 if name in TWICE else 1), line


async def test_what_an_operator_has_added_is_theirs(theirs: Any) -> None:
    await theirs.execute("CREATE TABLE reports (id integer PRIMARY KEY); CREATE INDEX mine ON orders (total)")
    assert await schema.find_disagreements(theirs) == []


async def test_a_database_with_migrations_to_apply_is_not_compared(
    run: Run, scratch: dict[str, str], theirs: Any
) -> None:
    await theirs.execute("DELETE FROM app.migrations WHERE number = (SELECT max(number) FROM app.migrations)")
    told = await run("doctor", **scratch)
    assert "not compared: migrations have not been applied" in told.out
