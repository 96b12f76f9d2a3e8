"""Forward-only migrations: numbered SQL files, one transaction each, applied once, under a lock.

A file that was released never changes. `checksums.txt` beside the files says what they were when they were released
(`sha256sum -c` reads it; `make requirements` adds new files, scripts/checksums.py), and the database keeps the checksum
of what was applied to it. Where a release did change a file, `former_checksums.txt` has what it was before, with why
that made no difference: such a database goes on as it is. A database that knows more migrations than this program is
refused: it was written by a newer version.
"""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import asyncpg
import structlog

from fullhouse.kit.db import ROLES
from fullhouse.kit.errors import OperatorError

log = structlog.get_logger()
FOLDER = Path(__file__).parents[1] / "migrations"
_LOCK = 0x66_68_6D_69  # "fhmi"


CHECKSUMS, FORMER = "checksums.txt", "former_checksums.txt"


class MigrationError(OperatorError):
    """The database cannot be brought up to date as it is."""


class Migration(NamedTuple):
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def known(folder: Path = FOLDER) -> list[Migration]:
    found = [Migration(int(path.name[:4]), path.stem, path.read_text()) for path in sorted(folder.glob("[0-9]*.sql"))]
    if [m.number for m in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"The migrations in {folder} are not numbered 1, 2, 3, … without a gap.")
    released = dict(listed(folder / CHECKSUMS))
    for m in found:
        if released.get(m.name, m.checksum) != m.checksum:
            raise MigrationError(
                f"{folder / m.name}.sql is not the file that was released: its checksum is not the one in {CHECKSUMS}. "
                "Nothing was applied. Install fullhouse again, or restore the file; a change belongs into a new one."
            )
    return found


def listed(path: Path) -> list[tuple[str, str]]:
    """Names and checksums, as `sha256sum` writes them. A folder without the list has none."""
    if not path.exists():
        return []
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return [(Path(line[1]).stem, line[0]) for line in lines if line]


@cache
def newest() -> int:
    """The number that an up-to-date database has."""
    return known()[-1].number


async def migrate(owner_url: str, *, serving_login: str = "fullhouse_server", folder: Path = FOLDER) -> list[str]:
    """Brings the database up to date and returns the names of what was applied."""
    connection = await asyncpg.connect(owner_url, timeout=10, command_timeout=600)
    try:
        await _take_lock(connection)
        await _make_roles(connection, serving_login)
        waiting = await _pending(connection, known(folder), listed(folder / FORMER))
        return [m.name for m in waiting if await _apply(connection, m)]
    finally:
        await connection.close(timeout=5)


def in_words(names: Sequence[str]) -> str:
    """A handful by name; of a new database's all, from which to which."""
    return ", ".join(names) if len(names) <= 5 else f"{len(names)} migrations, {names[0]} to {names[-1]}"


async def _take_lock(connection: asyncpg.Connection) -> None:
    """One at a time. Polled, so that whoever waits can be interrupted, and says what for."""
    waiting = False
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):
        if not waiting:
            log.warning("another process migrates this database; waiting for it")
            waiting = True
        await asyncio.sleep(0.2)


async def pending(connection: asyncpg.Connection) -> list[str]:
    """What `migrate` would apply, by name."""
    return [m.name for m in await _pending(connection, known(), listed(FOLDER / FORMER))]


async def accept(owner_url: str, name: str, folder: Path = FOLDER) -> None:
    """Takes what was applied under this name for what the file says now: an operator has compared them."""
    found = [m for m in known(folder) if m.name == name]
    connection = await asyncpg.connect(owner_url, timeout=10)
    try:
        change = "UPDATE app.migrations SET checksum = $2 WHERE name = $1"
        if not found or await connection.execute(change, name, found[0].checksum) != "UPDATE 1":
            raise MigrationError(f"{name} is no migration that was applied to this database.")
    finally:
        await connection.close(timeout=5)


async def _pending(
    connection: asyncpg.Connection, migrations: list[Migration], former: Sequence[tuple[str, str]]
) -> list[Migration]:
    if await connection.fetchval("SELECT to_regclass('app.migrations')") is None:
        return migrations
    applied = {
        row["number"]: row for row in await connection.fetch("SELECT number, name, checksum FROM app.migrations")
    }
    if applied and max(applied) > len(migrations):
        newest = applied[max(applied)]["name"]
        raise MigrationError(
            f"This database was written by a newer fullhouse (it has {newest}; this version knows "
            f"{len(migrations)} migrations). Update fullhouse, or point it at another database."
        )
    for m in migrations:
        if m.number in applied and not _is_as_applied(m, applied[m.number]["checksum"], former):
            raise MigrationError(
                f"{m.name} was changed after it had been applied to this database "
                f"(applied {applied[m.number]['checksum'][:12]}…, shipped {m.checksum[:12]}…). Nothing was applied. "
                "If the file was edited here, restore it and write a new one. If another build of fullhouse made this "
                f"database, run that build, or accept what it applied with `fullhouse migrate --accept {m.name}`, and "
                "then `fullhouse doctor`, which compares the schema with the shipped one."
            )
    return [m for m in migrations if m.number not in applied]


def _is_as_applied(m: Migration, checksum: str, former: Sequence[tuple[str, str]]) -> bool:
    return checksum == m.checksum or (m.name, checksum) in former


async def _apply(connection: asyncpg.Connection, m: Migration) -> bool:
    async with connection.transaction():
        await connection.execute(m.sql)
        if m.number == 1:
            await connection.execute(
                "CREATE TABLE app.migrations (number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
                " applied_at timestamptz NOT NULL DEFAULT now());"
                f"GRANT SELECT ON app.migrations TO {', '.join(ROLES)}"
            )
        await connection.execute("INSERT INTO app.migrations VALUES ($1, $2, $3)", m.number, m.name, m.checksum)
    return True


async def _make_roles(connection: asyncpg.Connection, serving_login: str) -> None:
    """The three roles, and the log-in that may become each of them but has no right of its own."""
    if not re.fullmatch(r"[\w.-]+", serving_login):
        raise MigrationError(f"The database log-in {serving_login!r} has characters that are not supported.")
    missing = "IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{0}') THEN CREATE ROLE \"{0}\" {1}; END IF;"
    # Since PostgreSQL 16 the creator of a role is its member without the right to become it.
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
