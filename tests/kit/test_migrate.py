"""Migrations on databases of their own: once, in order, whole or not at all, and never backwards."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.migrate import FOLDER, MigrationError, in_words, known, migrate, pending

ALL = [migration.name for migration in known()]


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
    """A copy of the migrations, to be altered."""
    return Path(shutil.copytree(FOLDER, tmp_path / "migrations", ignore=shutil.ignore_patterns("__*")))


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
        assert await pending(connection) == ALL
        assert await migrate(empty_database) == ALL
        assert await pending(connection) == []
    assert await migrate(empty_database) == []
    assert await applied(empty_database) == ALL


async def test_two_at_once_share_the_work(empty_database: str) -> None:
    first, second = await asyncio.gather(migrate(empty_database), migrate(empty_database))
    assert sorted([first, second]) == [[], ALL]
    assert await applied(empty_database) == ALL


async def test_a_new_migration_is_applied_to_an_old_database(empty_database: str, folder: Path) -> None:
    await migrate(empty_database)
    name = f"{len(ALL) + 1:04}_more"
    (folder / f"{name}.sql").write_text("CREATE TABLE more ();")
    assert await migrate(empty_database, folder=folder) == [name]
    assert await applied(empty_database) == [*ALL, name]


async def test_a_changed_file_is_refused(empty_database: str, folder: Path) -> None:
    await migrate(empty_database, folder=folder)
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text(first.read_text() + "-- an afterthought\n")
    with pytest.raises(MigrationError, match=rf"{first.stem} was changed after it had been applied\. Restore the file"):
        await migrate(empty_database, folder=folder)


async def test_a_newer_database_is_refused_with_a_way_out(empty_database: str, folder: Path) -> None:
    name = f"{len(ALL) + 1:04}_future"
    (folder / f"{name}.sql").write_text("SELECT 1;")
    await migrate(empty_database, folder=folder)
    with pytest.raises(MigrationError, match=rf"written by a newer fullhouse \(it has {name};.*Update fullhouse"):
        await migrate(empty_database)
    assert await applied(empty_database) == [*ALL, name]


async def test_a_failing_migration_leaves_nothing_and_can_be_repeated(empty_database: str, folder: Path) -> None:
    bad = folder / f"{len(ALL) + 1:04}_bad.sql"
    bad.write_text("CREATE TABLE half (); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert await applied(empty_database) == ALL
    async with looking_at(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('half')") is None
    bad.write_text("CREATE TABLE half ();")
    assert await migrate(empty_database, folder=folder) == [bad.stem]


async def test_a_first_migration_that_fails_leaves_an_empty_database(empty_database: str, folder: Path) -> None:
    first = sorted(folder.glob("*.sql"))[0]
    first.write_text(first.read_text() + "SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database, folder=folder)
    assert await migrate(empty_database) == ALL


def test_numbers_have_no_gap(folder: Path) -> None:
    (folder / f"{len(ALL) + 2:04}_too_far.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationError, match="without a gap"):
        known(folder)


async def test_an_owner_needs_no_special_right_once_the_roles_exist(empty_database: str, plain_owner: str) -> None:
    await migrate(empty_database, folder=Path("/nowhere"))  # makes the roles, and nothing else
    assert await migrate(plain_owner) == ALL


async def test_an_owner_without_special_rights_migrates_what_is_there(
    empty_database: str, plain_owner: str, folder: Path
) -> None:
    """Row-level security binds the owner too. What is public before there are ranks has one afterwards."""
    await migrate(empty_database, folder=Path("/nowhere"))
    later = [path for path in sorted(folder.glob("*.sql")) if path.name >= "0007"]
    texts = {path: path.read_text() for path in later}
    for path in later:
        path.unlink()
    await migrate(plain_owner, folder=folder)
    async with looking_at(empty_database) as connection:
        await connection.execute(_PUBLIC_SHOW)
    for path, text in texts.items():
        path.write_text(text)
    assert await migrate(plain_owner, folder=folder) == [path.stem for path in later]
    async with looking_at(empty_database) as connection:
        rows = await connection.fetch("SELECT heat, rank FROM event_stats JOIN public_ranks USING (event_id)")
        assert len(rows) == 1
        unforced = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
        assert await connection.fetch(unforced) == []


_PUBLIC_SHOW = """
INSERT INTO organizations (id, slug, name) VALUES ('00000000-0000-7000-8000-000000000001', 'house', 'House');
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key, published_at)
SELECT '00000000-0000-7000-9000-000000000001', id, 'show', 'Show', 'A show.', 'theatre', 'published', later,
       later + interval '2 hours', later, app.clock(), later, 'Hall', 'Gent', 'BE', 'UTC', 'key', app.clock()
FROM organizations, (SELECT app.clock() + interval '9 days' AS later) AS moment;
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, timezone, start_at, end_at, first_start_at, sale_start_at, sale_end_at,
                           capacity, published_at, search)
SELECT id, organization_id, slug, name, description, category, status, venue_name, city, 'gent', country, timezone,
       start_at, end_at, start_at, sale_start_at, sale_end_at, capacity, published_at, to_tsvector('simple', name)
FROM events;
"""


async def test_an_owner_who_may_not_create_roles_is_told_what_to_do(plain_owner: str) -> None:
    with pytest.raises(MigrationError, match=r"may not create the roles .* Give it CREATEROLE, or create them"):
        await migrate(plain_owner, serving_login=f"login_{new_id().hex}")


async def test_a_strange_log_in_is_refused(empty_database: str) -> None:
    with pytest.raises(MigrationError, match="not supported"):
        await migrate(empty_database, serving_login='x"; DROP ROLE fullhouse_app --')


def test_a_new_database_is_told_in_one_line() -> None:
    assert in_words(ALL) == f"{len(ALL)} migrations, {ALL[0]} to {ALL[-1]}"
    assert in_words(ALL[:2]) == f"{ALL[0]}, {ALL[1]}"
