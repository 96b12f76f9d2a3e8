"""Compares a database's guards with those that the migrations make.

`db/schema.json` has, for each guard, a hash of its definition in the catalogue of a freshly migrated database:
row-level security and its policies, triggers, rules, CHECK, foreign-key and unique constraints, unique indexes,
columns, views and functions by their text, and the privileges of the serving roles and PUBLIC. `make schema` writes it
(scripts/schema.py) and tests/kit/test_schema.py compares it with a database. `fullhouse doctor` reports what was added,
dropped or changed.

An operator's additions are not reported, except where they could widen access: a policy, a trigger, a rule, a grant,
and anything of the kind on a partition.
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from fullhouse.kit.db import migrate, sql
from fullhouse.kit.db.database import ROLES

FILE = migrate.FOLDER / "schema.json"
REPORTED_IF_ADDED = ("policy", "trigger", "rule", "grant")  # kinds of which an additional one is reported
_QUERIES = sql.load(Path(__file__).with_suffix(".sql"))
_GUARDS, _SWITCHED_OFF = _QUERIES["guards"].text, _QUERIES["switched_off"].text


class ShippedGuards(msgspec.Struct, frozen=True):
    """`newest` is the number of the last migration in it; `guards` has hashes by kind and name."""

    newest: int
    guards: dict[str, dict[str, str]]


async def read_guards(connection: Any) -> dict[str, dict[str, str]]:
    """The database's guards, in the form of the file."""
    found: dict[str, dict[str, str]] = {}
    async with connection.transaction(readonly=True):
        await connection.execute("SET LOCAL search_path = pg_catalog")  # so that all other names are schema-qualified
        rows = await connection.fetch(_GUARDS, list(ROLES))
    for row in rows:
        text = " ".join(row["text"].split())
        found.setdefault(row["kind"], {})[row["name"]] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def read_shipped_guards() -> ShippedGuards:
    return msgspec.json.decode(FILE.read_bytes(), type=ShippedGuards)


async def find_disagreements(connection: Any) -> list[str]:
    """As sentences. A database with other migrations than the file's is not compared: migrate reports those."""
    shipped = read_shipped_guards()
    if await connection.fetchval("SELECT max(number) FROM app.migrations") != shipped.newest:
        return []
    there = await read_guards(connection)
    wrong = []
    for kind in dict.fromkeys((*shipped.guards, *REPORTED_IF_ADDED)):
        guards, now = shipped.guards.get(kind, {}), there.get(kind, {})
        wrong += [f"{kind} {name} is missing" for name in guards if name not in now]
        wrong += [
            f"{kind} {name} is not the shipped one: changed by hand, or older"
            for name, seen in guards.items()
            if now.get(name, seen) != seen
        ]
        if kind in REPORTED_IF_ADDED:
            wrong += [f"{kind} {name} is not shipped: somebody has added it" for name in now if name not in guards]
    return wrong + [row["sentence"] for row in await connection.fetch(_SWITCHED_OFF, list(ROLES))]
