"""Brings a database to this program's schema: numbered migrations, and functions whose text is edited in place.

`db/baseline` is the schema as of migration 57, by domain: a new database begins with it. `db/migrations` has the later
migrations, numbered, each applied once; a file that was released never changes. `db/functions` has one file for each
function or procedure, with its triggers: it is applied, after the migrations, whenever its text differs from the one
that the database has. Tables are made with those under `before_tables`, which come first. All of it is one transaction,
under a lock. A change of a function's signature or result is a migration that drops it (docs/adr/0042).

`checksums.txt` has the migrations' checksums as released (`make schema` adds new ones), and the database stores the
checksum of each one that was applied to it; comments do not count. A database that a newer version has written, by its
migrations or by its functions, is refused.

A migration does not block a running sale: if a lock is not granted within half a second, everything is rolled back and
tried again.
"""

import asyncio
import hashlib
import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import asyncpg
import structlog

import fullhouse
from fullhouse.kit.db.database import ROLES
from fullhouse.kit.errors import OperatorError

log = structlog.get_logger()
FOLDER = Path(__file__).parents[2] / "db"
CHECKSUMS = "checksums.txt"
VERSION = fullhouse.VERSION
BASELINE = 57  # the last of the migrations that the baseline contains
# The baseline's former checksum, with comments.
_FORMER_BASELINE_CHECKSUM = "e8f4538993ddd324697f989899260e63da86a3a9cf38a952e54b9e294a6dbb12"
_FIRST = "before_tables"
_LOCK = 0x66_68_6D_69  # "fhmi"
_BOOKKEEPING_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS app;
CREATE TABLE IF NOT EXISTS app.migrations (
    number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE app.functions (
    name text PRIMARY KEY, checksum text NOT NULL, program text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON app.migrations, app.functions TO {", ".join(ROLES)};
"""
_APPLIED_FUNCTION = """
INSERT INTO app.functions (name, checksum, program) VALUES ({}, {}, {})
ON CONFLICT (name) DO UPDATE
SET checksum = excluded.checksum, program = excluded.program, applied_at = excluded.applied_at
"""
_APPLIED_MIGRATION = "INSERT INTO app.migrations (number, name, checksum) VALUES ({}, {}, {})"
_LOCK_WITHIN_MS, _TRIES_S = 500, 300  # less than deadlock_timeout: no waiter detects a deadlock with us


class MigrationError(OperatorError):
    """The database cannot be migrated in its present state."""


class SqlScript(NamedTuple):
    """SQL that is applied as a whole: a migration, or a function if it has no number."""

    name: str
    sql: str
    number: int | None = None

    @property
    def checksum(self) -> str:
        """Of the statements without comments, which may be reworded at any time."""
        statements = " ".join(re.sub(r"--[^\n]*", "", self.sql).split())
        return hashlib.sha256(statements.encode()).hexdigest()

    @property
    def bookkeeping(self) -> tuple[str, tuple[object, ...]]:
        """The statement that records that this was applied, and its values."""
        if self.number is None:
            return _APPLIED_FUNCTION, (self.name, self.checksum, VERSION)
        return _APPLIED_MIGRATION, (self.number, self.name, self.checksum)


def read_migrations(folder: Path = FOLDER) -> list[SqlScript]:
    """The migrations in their order, read from the files: the baseline, and the later ones."""
    parts = [path.read_text() for path in sorted((folder / "baseline").glob("*.sql"))]
    baseline = [SqlScript(f"{BASELINE:04}_baseline", "\n".join(parts), BASELINE)] if parts else []
    files = sorted((folder / "migrations").glob("[0-9]*.sql"))
    later = [SqlScript(path.stem, path.read_text(), int(path.name[:4])) for path in files]
    if [m.number for m in later] != list(range(BASELINE + 1, BASELINE + 1 + len(later))):
        raise MigrationError(f"The migrations in {folder} are not numbered {BASELINE + 1}, … without a gap.")
    return baseline + later


def load_released_migrations(folder: Path = FOLDER) -> list[SqlScript]:
    """The migrations, after comparing their checksums with those that were released."""
    released = dict(read_checksums(folder / CHECKSUMS))
    migrations = read_migrations(folder)
    for m in migrations:
        if released.get(m.name, m.checksum) != m.checksum:
            raise MigrationError(
                f"{m.name} in {folder} is not what was released: its checksum is not the one in {CHECKSUMS}. "
                "Nothing was applied. Install fullhouse again, or restore the file; put changes into a new migration."
            )
    return migrations


def read_functions(folder: Path = FOLDER) -> list[SqlScript]:
    """By domain and name, as `holds/hold`."""
    root = folder / "functions"
    return [
        SqlScript(str(path.relative_to(root).with_suffix("")), path.read_text()) for path in sorted(root.rglob("*.sql"))
    ]


def render_script(folder: Path = FOLDER) -> str:
    """All that a new database gets, as one script for other tools."""
    texts = read_functions(folder)
    first = [text for text in texts if text.name.startswith(_FIRST)]
    parts = ["SET check_function_bodies = off;", _BOOKKEEPING_TABLES]
    for text in (*first, *load_released_migrations(folder), *(text for text in texts if text not in first)):
        record, values = text.bookkeeping
        parts += [f"-- {text.name}", text.sql, record.format(*(f"'{value}'" for value in values)) + ";"]
    return "\n".join(parts)


def read_checksums(path: Path) -> list[tuple[str, str]]:
    """Names and checksums; none if the file does not exist."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [(name, checksum) for checksum, name in map(str.split, lines)]


@cache
def newest_number() -> int:
    """The number of the last migration: an up-to-date database has it."""
    return load_released_migrations()[-1].number or 0


async def migrate(
    owner_url: str, *, serving_login: str = "fullhouse_server", folder: Path = FOLDER, again: bool = False
) -> list[str]:
    """Brings the database up to date, and returns the names of what was applied. `again`: unchanged functions too."""
    connection = await asyncpg.connect(owner_url, timeout=10, command_timeout=600)
    clock = asyncio.get_running_loop().time
    until = clock() + _TRIES_S
    try:
        await _take_lock(connection)
        await _make_roles(connection, serving_login)
        while True:
            try:
                return await _apply_all(connection, folder, again)
            except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as error:
                if clock() > until:
                    raise MigrationError(
                        f"The tables could not be locked within {_TRIES_S} s ({error}). Nothing was applied: "
                        "try again when fewer requests use them."
                    ) from None
                log.warning("migrate.lock_timeout", detail="a table is in use; rolled back, retrying", error=str(error))
                await asyncio.sleep(0.5)
    finally:
        await connection.close(timeout=5)


async def _apply_all(connection: asyncpg.Connection, folder: Path, again: bool) -> list[str]:
    async with connection.transaction():
        waiting = await _find_pending(connection, folder, again)
        if waiting and await connection.fetchval("SELECT to_regclass('app.functions')") is None:
            await connection.execute(_BOOKKEEPING_TABLES)
        await connection.execute(f"SET LOCAL lock_timeout = {_LOCK_WITHIN_MS}")
        await connection.execute("SET LOCAL check_function_bodies = off")  # they refer to each other, and to new tables
        for text in waiting:
            await _apply(connection, text)
        return [text.name for text in waiting]


def summarise_names(names: Sequence[str]) -> str:
    """Up to five by name; of more, the migrations by name and the number of functions."""
    if len(names) <= 5:
        return ", ".join(names)
    migrations = [name for name in names if "/" not in name]
    return ", ".join(filter(None, [", ".join(migrations), f"{len(names) - len(migrations)} functions"]))


async def _take_lock(connection: asyncpg.Connection) -> None:
    """One process at a time. Polled, so that a waiting one can be interrupted, and logs what it waits for."""
    waiting = False
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):
        if not waiting:
            log.warning("migrate.waiting_for_lock", detail="another process migrates this database")
            waiting = True
        await asyncio.sleep(0.2)


async def list_pending(connection: asyncpg.Connection) -> list[str]:
    """What `migrate` would apply, by name."""
    return [text.name for text in await _find_pending(connection, FOLDER)]


async def accept_checksum(owner_url: str, name: str, folder: Path = FOLDER) -> None:
    """Records the file's checksum for the applied migration of this name: an operator has compared the two."""
    found = [m for m in load_released_migrations(folder) if m.name == name]
    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        change = "UPDATE app.migrations SET checksum = $2 WHERE number = $1"
        if not found or await connection.execute(change, found[0].number, found[0].checksum) != "UPDATE 1":
            raise MigrationError(f"{name} is not a migration that was applied to this database.")
    finally:
        await connection.close(timeout=5)


async def _find_pending(connection: asyncpg.Connection, folder: Path, again: bool = False) -> list[SqlScript]:
    """In the order in which they are applied."""
    migrations = await _find_pending_migrations(connection, load_released_migrations(folder))
    applied: dict[str, str] = {}
    if await connection.fetchval("SELECT to_regclass('app.functions')") is not None:
        rows = await connection.fetch("SELECT name, checksum, program FROM app.functions")
        _check_not_newer({row["program"] for row in rows})
        applied = {row["name"]: row["checksum"] for row in rows}
    changed = [text for text in read_functions(folder) if again or applied.get(text.name) != text.checksum]
    first = [text for text in changed if text.name.startswith(_FIRST)]
    return [*first, *migrations, *(text for text in changed if text not in first)]


async def _find_pending_migrations(connection: asyncpg.Connection, migrations: list[SqlScript]) -> list[SqlScript]:
    if await connection.fetchval("SELECT to_regclass('app.migrations')") is None:
        return migrations
    applied = {
        row["number"]: row for row in await connection.fetch("SELECT number, name, checksum FROM app.migrations")
    }
    if not applied:
        return migrations
    newest = applied[max(applied)]
    if newest["number"] < BASELINE:
        raise MigrationError(
            f"This database is older than this fullhouse can read: its last migration is {newest['name']}, and the "
            f"schema begins at {BASELINE}. Start the last version that has the numbers up to {BASELINE} on it once, "
            "then this one. Nothing was applied."
        )
    if migrations and newest["number"] > (migrations[-1].number or 0):
        raise MigrationError(
            f"This database was written by a newer fullhouse (it has {newest['name']}; this version ends with "
            f"{migrations[-1].name}). Update fullhouse, or point it at another database."
        )
    for m in migrations:
        if m.number in applied and not _is_as_applied(m, applied[m.number]["checksum"]):
            raise MigrationError(
                f"{m.name} was changed after it had been applied to this database "
                f"(applied {applied[m.number]['checksum'][:12]}…, shipped {m.checksum[:12]}…). Nothing was applied. "
                "If the file was edited here, restore it and write a new one. If another build of fullhouse made this "
                f"database, run that build, or accept what it applied with `fullhouse migrate --accept {m.name}`, and "
                "then `fullhouse doctor`, which compares the schema with the shipped one."
            )
    return [m for m in migrations if m.number not in applied]


def _check_not_newer(programs: Collection[str]) -> None:
    """Otherwise a process of an older version that starts during a deployment would restore its own functions."""
    ours = _parse_version(VERSION)
    if newer := [program for program in programs if _parse_version(program) > ours]:
        raise MigrationError(
            f"This database was written by a newer fullhouse ({max(newer, key=_parse_version)}; this is {VERSION}). "
            "Update fullhouse, or point it at another database."
        )


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _is_as_applied(m: SqlScript, checksum: str) -> bool:
    return checksum == m.checksum or (m.number == BASELINE and checksum == _FORMER_BASELINE_CHECKSUM)


async def _apply(connection: asyncpg.Connection, text: SqlScript) -> None:
    try:
        await connection.execute(text.sql)
    except asyncpg.PostgresError as error:
        error.add_note(f"while {text.name} was applied")
        raise
    record, values = text.bookkeeping
    await connection.execute(record.format(*(f"${n}" for n in range(1, len(values) + 1))), *values)
    if text.number is not None:
        await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")  # pending trigger events would block ALTER TABLE


async def _make_roles(connection: asyncpg.Connection, serving_login: str) -> None:
    """Creates the three roles, and the log-in that may SET ROLE to each of them but has no privileges of its own."""
    if not re.fullmatch(r"[\w.-]+", serving_login):
        raise MigrationError(f"The database log-in {serving_login!r} has characters that are not supported.")
    missing = "IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{0}') THEN CREATE ROLE \"{0}\" {1}; END IF;"
    # Since PostgreSQL 16 the creator of a role is its member, but may not SET ROLE to it.
    member = "SET" if connection.get_server_version().major >= 16 else "MEMBER"
    granted = "IF NOT pg_has_role('{0}', '{1}', '{2}') THEN GRANT {1} TO \"{0}\"; END IF;"
    steps = [missing.format(role, "NOLOGIN") for role in ROLES]
    steps.append(missing.format(serving_login, "LOGIN NOINHERIT"))
    steps += [granted.format(serving_login, role, member) for role in ROLES]
    try:
        await connection.execute(f"DO $$ BEGIN {' '.join(steps)} END $$")
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationError(
            f"The owner's log-in may not create the roles {', '.join(ROLES)} ({error.args[0]}). Give it CREATEROLE, "
            f'or create them once by hand and GRANT them to "{serving_login}".'
        ) from None
