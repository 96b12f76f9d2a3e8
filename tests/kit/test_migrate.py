"""Migrations on databases of their own: once, in order, whole or not at all, and never backwards."""

import asyncio
import gzip
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from scripts import checksums

from fullhouse.kit.db import migrate as module
from fullhouse.kit.db import schema
from fullhouse.kit.db.migrate import (
    BASELINE,
    CHECKSUMS,
    FOLDER,
    MigrationError,
    accept_checksum,
    list_pending,
    load_released_migrations,
    migrate,
    read_functions,
    read_migrations,
    render_script,
    summarise_names,
)
from fullhouse.kit.ids import new_id
from tests.kit.helpers import until

ALL = [migration.name for migration in load_released_migrations()]
EVERYTHING = sorted([*ALL, *(function.name for function in read_functions())])
NEXT = BASELINE + len(ALL)


@asynccontextmanager
async def looking_at(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def applied(url: str) -> list[str]:
    async with looking_at(url) as connection:
        return [row["name"] for row in await connection.fetch("SELECT name FROM app.migrations ORDER BY number")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the schema's files, to be altered: as if no migration had been released yet."""
    copy = Path(shutil.copytree(FOLDER, tmp_path / "db", ignore=shutil.ignore_patterns(CHECKSUMS)))
    (copy / "migrations").mkdir(exist_ok=True)
    return copy


@pytest.fixture
async def plain_owner(empty_database: str) -> AsyncIterator[str]:
    """An address of the same database for its owner, who is no superuser and may not create roles."""
    name = f"owner_{new_id().hex}"
    async with looking_at(empty_database) as connection:
        database = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"CREATE ROLE {name}; ALTER DATABASE {database} OWNER TO {name}")
        yield f"{empty_database}&role={name}"
        await connection.execute(f"ALTER DATABASE {database} OWNER TO CURRENT_USER; DROP OWNED BY {name} CASCADE")
        await connection.execute(f"DROP ROLE {name}")


async def test_an_empty_database_gets_everything_once(empty_database: str) -> None:
    async with looking_at(empty_database) as connection:
        assert sorted(await list_pending(connection)) == EVERYTHING
        assert sorted(await migrate(empty_database)) == EVERYTHING
        assert await list_pending(connection) == []
    assert await migrate(empty_database) == []
    assert await applied(empty_database) == ALL


async def test_two_at_once_share_the_work(empty_database: str) -> None:
    first, second = await asyncio.gather(migrate(empty_database), migrate(empty_database))
    assert sorted([*first, *second]) == EVERYTHING
    assert [] in (first, second)
    assert await applied(empty_database) == ALL


async def test_what_is_printed_makes_the_same_database(empty_database: str, plain_owner: str) -> None:
    """`fullhouse migrate --sql`, for whoever applies it by other means. The program finds nothing left to do."""
    await migrate(empty_database, folder=Path("/nowhere"))  # the roles
    async with looking_at(plain_owner) as connection:
        await connection.execute(render_script())
        assert await schema.read_guards(connection) == schema.read_shipped_guards().guards
    assert await migrate(plain_owner) == []


async def test_a_new_migration_is_applied_to_an_old_database(empty_database: str, folder: Path) -> None:
    await migrate(empty_database)
    name = f"{NEXT:04}_more"
    (folder / "migrations" / f"{name}.sql").write_text("CREATE TABLE more ();")
    assert await migrate(empty_database, folder=folder) == [name]
    assert await applied(empty_database) == [*ALL, name]


# --- functions


@pytest.mark.req("OPS-2")
async def test_a_function_is_applied_when_its_text_has_changed(empty_database: str, folder: Path) -> None:
    """And after the migration that brings what it needs, in the same transaction."""
    await migrate(empty_database, folder=folder)
    text = folder / "functions" / "ground" / "answer.sql"
    text.write_text("CREATE OR REPLACE FUNCTION app.answer() RETURNS integer LANGUAGE sql AS $$ SELECT 41 $$;")
    assert await migrate(empty_database, folder=folder) == ["ground/answer"]
    more = folder / "migrations" / f"{NEXT:04}_more.sql"
    more.write_text("CREATE TABLE more AS SELECT 42 AS n;")
    text.write_text(text.read_text().replace("41", "n FROM more"))
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT app.answer()") == 41
        assert await migrate(empty_database, folder=folder) == [more.stem, "ground/answer"]
        assert await connection.fetchval("SELECT app.answer()") == 42
    assert await migrate(empty_database, folder=folder) == []
    text.write_text("-- A better comment.\n" + text.read_text())
    assert await migrate(empty_database, folder=folder) == []


@pytest.mark.req("OPS-2")
async def test_an_older_program_does_not_put_its_functions_back(
    empty_database: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a process of the release before starts while the next one is deployed."""
    text = folder / "functions" / "ground" / "answer.sql"
    text.write_text("CREATE OR REPLACE FUNCTION app.answer() RETURNS integer LANGUAGE sql AS $$ SELECT 2 $$;")
    monkeypatch.setattr(module, "VERSION", "0.10.1")
    await migrate(empty_database, folder=folder)
    monkeypatch.setattr(module, "VERSION", "0.9.3")
    text.write_text(text.read_text().replace("2", "1"))
    with pytest.raises(MigrationError, match=r"written by a newer fullhouse \(0\.10\.1; this is 0\.9\.3\)"):
        await migrate(empty_database, folder=folder)
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT app.answer()") == 2
    monkeypatch.setattr(module, "VERSION", "0.10.2")
    assert await migrate(empty_database, folder=folder) == ["ground/answer"]


async def test_a_function_that_was_changed_by_hand_is_applied_again(empty_database: str) -> None:
    await migrate(empty_database)
    async with looking_at(empty_database) as connection:
        await connection.execute(
            "CREATE OR REPLACE FUNCTION app.event_limit(org uuid, event uuid) RETURNS integer LANGUAGE sql"
            " AS $$ SELECT 7 $$"
        )
        assert await schema.find_disagreements(connection)
        assert await migrate(empty_database) == []
        assert len(await migrate(empty_database, again=True)) == len(read_functions())
        assert await schema.find_disagreements(connection) == []


@pytest.mark.req("OPS-2")
async def test_under_sale_nobody_waits_for_a_migration(empty_database: str, folder: Path) -> None:
    """A table in use is let go before somebody else could find a circle, and then tried again. Mutant: without a limit
    the buyer's statement waits for the migration, which waits for the buyer's transaction."""
    await migrate(empty_database, folder=folder)
    for name in ("checkout/keep_frozen", "holds/fit_pool_of_event"):  # of seat_holds, then of events
        text = folder / "functions" / f"{name}.sql"
        text.write_text(text.read_text() + "SELECT 1;\n")
    async with looking_at(empty_database) as buyer:
        await buyer.execute("BEGIN; LOCK TABLE events IN ROW SHARE MODE")
        migrating = asyncio.create_task(migrate(empty_database, folder=folder))
        async with looking_at(empty_database) as looker:
            waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass"
            await until(lambda: looker.fetchval(waits))
        await buyer.execute("LOCK TABLE seat_holds IN ROW EXCLUSIVE MODE; COMMIT")
    assert await migrating == ["checkout/keep_frozen", "holds/fit_pool_of_event"]


async def test_functions_with_triggers_follow_a_migration_that_has_set_them_off(
    empty_database: str, folder: Path
) -> None:
    """Mutant: with events of deferred triggers pending, the table can be changed no more."""
    await migrate(empty_database, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_SOLD)
    name = f"{NEXT:04}_smaller"
    (folder / "migrations" / f"{name}.sql").write_text("UPDATE events SET capacity = 9;")
    text = folder / "functions" / "holds" / "fit_pool_of_event.sql"
    text.write_text(text.read_text() + "SELECT 1;\n")
    assert await migrate(empty_database, folder=folder) == [name, "holds/fit_pool_of_event"]


async def test_a_function_that_cannot_be_applied_takes_the_migrations_back(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    (folder / "migrations" / f"{NEXT:04}_more.sql").write_text("CREATE TABLE more ();")
    (folder / "functions" / "ground" / "bad.sql").write_text("CREATE FUNCTION app.bad() RETURNS nothing;")
    with pytest.raises(asyncpg.PostgresError) as failed:
        await migrate(empty_database, folder=folder)
    assert failed.value.__notes__ == ["while ground/bad was applied"]
    assert await applied(empty_database) == ALL
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('more')") is None


async def test_each_function_stands_in_the_file_of_its_name(owner: Any) -> None:
    rows = await owner.fetch(
        "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace IN ('app'::regnamespace, 'jobs'::regnamespace)"
    )
    assert sorted(row["proname"] for row in rows) == sorted(text.name.rpartition("/")[2] for text in read_functions())


async def test_functions_are_sound_in_any_order(owner: Any) -> None:
    """They are made without a look at what they name; here PostgreSQL looks at each, and each can be applied again."""
    transaction = owner.transaction()
    await transaction.start()
    try:
        for text in reversed(read_functions()):
            await owner.execute(text.sql)
    finally:
        await transaction.rollback()


# --- what was released


@pytest.mark.req("OPS-2")
async def test_a_database_from_before_the_baseline_goes_on(empty_database: str, plain_owner: str) -> None:
    """What the 57 migrations made is the baseline: with its rows, its owner and its rights."""
    await migrate(empty_database, folder=Path("/nowhere"))
    async with looking_at(plain_owner) as connection:
        await connection.execute(gzip.decompress(_BEFORE.read_bytes()).decode())
    async with looking_at(empty_database) as connection:
        await connection.execute(_SOLD)
    assert sorted(await migrate(plain_owner)) == [name for name in EVERYTHING if name != ALL[0]]
    assert await migrate(plain_owner) == []
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT count(*) FROM events") == 1
        assert await schema.read_guards(connection) == schema.read_shipped_guards().guards
        assert await schema.find_disagreements(connection) == []


_BEFORE = Path(__file__).parent / "schema_0057.sql.gz"  # pg_dump of a database that migration 57 was the last of
_SOLD = """
INSERT INTO organizations (id, slug, name) VALUES ('00000000-0000-7000-8000-000000000001', 'house', 'House');
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key, published_at)
SELECT '00000000-0000-7000-9000-000000000001', id, 'show', 'Show', 'A show.', 'theatre', 'published', later,
       later + interval '2 hours', later, app.clock(), later, 'Hall', 'Gent', 'BE', 'UTC', 'key', app.clock()
FROM organizations, (SELECT app.clock() + interval '9 days' AS later) AS moment;
"""


@pytest.mark.req("OPS-2")
async def test_an_older_database_is_told_the_way(empty_database: str) -> None:
    async with looking_at(empty_database) as connection:
        await connection.execute(
            "CREATE SCHEMA app; CREATE TABLE app.migrations (number integer, name text, checksum text);"
            "INSERT INTO app.migrations VALUES (1, '0001_ground', 'x'), (45, '0045_embedding_sites', 'x')"
        )
    with pytest.raises(MigrationError, match=r"its last migration is 0045_embedding_sites.* Nothing was applied"):
        await migrate(empty_database)


@pytest.mark.req("OPS-2")
async def test_a_changed_migration_is_refused(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    first = sorted((folder / "baseline").glob("*.sql"))[0]
    first.write_text(first.read_text() + "-- an afterthought\n")
    assert await migrate(empty_database, folder=folder) == []  # comments may always be put better
    first.write_text(first.read_text() + "SELECT 1;\n")
    with pytest.raises(MigrationError, match=rf"{ALL[0]} was changed after it had been applied .*restore it"):
        await migrate(empty_database, folder=folder)


@pytest.mark.req("OPS-2")
async def test_whoever_knows_better_accepts_what_was_applied(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    first = sorted((folder / "baseline").glob("*.sql"))[0]
    first.write_text(first.read_text() + "SELECT 1;\n")
    with pytest.raises(MigrationError, match=rf"fullhouse migrate --accept {ALL[0]}`, and then `fullhouse doctor`"):
        await migrate(empty_database, folder=folder)
    with pytest.raises(MigrationError, match="0099_none is not a migration that was applied"):
        await accept_checksum(empty_database, "0099_none", folder)
    await accept_checksum(empty_database, ALL[0], folder)
    assert await migrate(empty_database, folder=folder) == []


@pytest.mark.req("OPS-2")
async def test_a_file_that_is_not_the_released_one_is_not_applied(empty_database: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "as released"))
    assert checksums.main([], folder) == 0
    path = folder / "baseline" / "02_accounts.sql"
    path.write_text(path.read_text() + "SELECT 1;\n")
    with pytest.raises(MigrationError, match=rf"{ALL[0]} in .* is not what was released"):
        await migrate(empty_database, folder=folder)
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('app.migrations')") is None


@pytest.mark.req("OPS-2")
def test_released_files_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list in the repository has every migration; a new one is added to it, a changed one never."""
    assert checksums.main([]) == 0
    folder = Path(shutil.copytree(FOLDER, tmp_path / "copied"))
    (folder / "migrations").mkdir(exist_ok=True)
    (folder / "migrations" / f"{NEXT:04}_more.sql").write_text("SELECT 1;")
    assert checksums.main([], folder) == 1
    assert checksums.main(["--write"], folder) == 0 == checksums.main([], folder)
    first = sorted((folder / "baseline").glob("*.sql"))[0]
    first.write_text("SELECT 2;")
    assert checksums.main(["--write"], folder) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        f"{ALL[0]}: changed after release. Restore it, and write a new migration."
    )


@pytest.mark.req("OPS-2")
async def test_a_newer_database_is_refused_with_a_way_out(empty_database: str, folder: Path) -> None:
    name = f"{NEXT:04}_future"
    (folder / "migrations" / f"{name}.sql").write_text("SELECT 1;")
    await migrate(empty_database, folder=folder)
    with pytest.raises(MigrationError, match=rf"written by a newer fullhouse \(it has {name};.*Update fullhouse"):
        await migrate(empty_database)
    assert await applied(empty_database) == [*ALL, name]


async def test_a_failing_migration_leaves_nothing_and_can_be_repeated(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    bad = folder / "migrations" / f"{NEXT:04}_bad.sql"
    bad.write_text("CREATE TABLE half (); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert await applied(empty_database) == ALL
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('half')") is None
    bad.write_text("CREATE TABLE half ();")
    assert await migrate(empty_database, folder=folder) == [bad.stem]


async def test_a_baseline_that_fails_leaves_an_empty_database(empty_database: str, folder: Path) -> None:
    first = sorted((folder / "baseline").glob("*.sql"))[0]
    first.write_text(first.read_text() + "SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert sorted(await migrate(empty_database)) == EVERYTHING


def test_numbers_have_no_gap(folder: Path) -> None:
    (folder / "migrations" / f"{NEXT + 1:04}_too_far.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationError, match="without a gap"):
        read_migrations(folder)


async def test_an_owner_needs_no_special_right_once_the_roles_exist(empty_database: str, plain_owner: str) -> None:
    await migrate(empty_database, folder=Path("/nowhere"))  # makes the roles, and nothing else
    assert sorted(await migrate(plain_owner)) == EVERYTHING
    async with looking_at(empty_database) as connection:
        unforced = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
        assert await connection.fetch(unforced) == []


async def test_an_owner_who_may_not_create_roles_is_told_what_to_do(plain_owner: str) -> None:
    with pytest.raises(MigrationError, match=r"may not create the roles .* Give it CREATEROLE, or create them"):
        await migrate(plain_owner, serving_login=f"login_{new_id().hex}")


async def test_a_strange_log_in_is_refused(empty_database: str) -> None:
    with pytest.raises(MigrationError, match="not supported"):
        await migrate(empty_database, serving_login='x"; DROP ROLE fullhouse_app --')


def test_many_are_told_in_one_line() -> None:
    assert summarise_names(["0057_baseline", *(f"holds/{n}" for n in range(9))]) == "0057_baseline, 9 functions"
    assert summarise_names(["0059_more", "holds/hold"]) == "0059_more, holds/hold"
    assert summarise_names([f"holds/{n}" for n in range(9)]) == "9 functions"
