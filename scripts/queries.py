"""Writes the parameters of each domain's statements, with types: for every `queries.sql` a `queries.py` for mypy.

python scripts/queries.py --write     with a PostgreSQL of its own in a temporary folder

The types are those that the database reports when it prepares the statement. tests/kit/test_sql.py compares.
"""

import asyncio
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import asyncpg

import fullhouse
from fullhouse.kit.db import migrate, sql
from fullhouse.kit.postgres import Cluster

PRODUCT = Path(fullhouse.__file__).parent
# PostgreSQL's type, Python's, and the module of that one.
TYPES = {
    "uuid": ("UUID", "uuid"),
    "text": ("str", ""),
    "bpchar": ("str", ""),
    "varchar": ("str", ""),
    "bool": ("bool", ""),
    "int2": ("int", ""),
    "int4": ("int", ""),
    "int8": ("int", ""),
    "float8": ("float", ""),
    "numeric": ("Decimal", "decimal"),
    "bytea": ("bytes", ""),
    "date": ("date", "datetime"),
    "timestamptz": ("datetime", "datetime"),
    "interval": ("timedelta", "datetime"),
    "jsonb": ("object", ""),
    "record": ("object", ""),
    "regconfig": ("str", ""),
}
COLUMNS = """
SELECT a.attname::text AS name, t.typname::text AS type, n.nspname::text AS schema
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE a.attrelid = (SELECT typrelid FROM pg_type WHERE oid = $1::regtype) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
OURS = "fullhouse.kit.db.sql"
WIDTH = 120


def files() -> list[Path]:
    return [path for path in sorted(PRODUCT.rglob("*queries.sql")) if sql.load(path)]


async def written(connection: Any, path: Path) -> str:
    """The text of the module for a file of statements."""
    module = Module(connection)
    functions = [await module.function(name, query) for name, query in sql.load(path).items()]
    head = f'"""What {path.name} takes: written by `make schema`."""\n\n{module.imports()}'
    return "\n\n\n".join([head, *module.rows.values(), *functions]) + "\n"


class Module:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._used: dict[str, set[str]] = defaultdict(set)  # names to import, by module
        self.rows: dict[str, str] = {}  # composite types, for arrays of rows

    async def function(self, name: str, query: sql.Query) -> str:
        asked = (await self._connection.prepare(query.text)).get_parameters()[query.is_tenants :]
        first = "Tenant" if query.is_tenants else "Runs"
        self._used[OURS].add(first)
        takes = [
            f"{parameter}: {await self._type(type_, query.nullable.get(parameter))}"
            for parameter, type_ in zip(query.parameters, asked, strict=True)
        ]
        arguments = [f"tx: {first}", "/", *(["*"] if len(takes) > 1 else []), *takes]
        line = f"def {name}({', '.join(arguments)}) -> None: ..."
        if len(line) <= WIDTH:
            return line
        inner = f"    {', '.join(arguments)}"
        if len(inner) <= WIDTH:
            return f"def {name}(\n{inner}\n) -> None: ..."
        return f"def {name}(\n" + "".join(f"    {each},\n" for each in arguments) + ") -> None: ..."

    async def _type(self, of: Any, nullable: str | None) -> str:
        if of.name.endswith("[]"):
            inner = await self._name(of.name.removesuffix("[]"), of.schema)
            self._used["collections.abc"].add("Sequence")
            found = f"Sequence[{inner}{' | None' if nullable == '[?]' else ''}]"
        else:
            found = await self._name(of.name, of.schema)
        return f"{found} | None" if nullable == "?" else found

    async def _name(self, type_: str, schema: str) -> str:
        if schema == "app":
            return await self._row(type_)
        name, module = TYPES[type_]
        if module:
            self._used[module].add(name)
        return name

    async def _row(self, type_: str) -> str:
        """A class for a composite type. Any of its columns may be null."""
        name = type_.title().replace("_", "")
        if name not in self.rows:
            self._used["typing"].add("NamedTuple")
            columns = await self._connection.fetch(COLUMNS, f"app.{type_}")
            lines = [f"    {row['name']}: {await self._name(row['type'], row['schema'])} | None" for row in columns]
            self.rows[name] = "\n".join([f"class {name}(NamedTuple):", *lines])
        return name

    def imports(self) -> str:
        others = sorted(self._used.keys() - {OURS})
        lines = [f"from {module} import {', '.join(sorted(self._used[module]))}" for module in [*others, OURS]]
        return "\n".join([*lines[:-1], *([""] if others else []), lines[-1]])


async def write(url: str) -> None:
    await migrate.migrate(url)
    connection = await asyncpg.connect(url)
    try:
        for path in files():
            path.with_suffix(".py").write_text(await written(connection, path))
    finally:
        await connection.close()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)  # PostgreSQL's account needs to enter it
        cluster = Cluster(home, settings={"fsync": "off"})
        cluster.start()
        try:
            asyncio.run(write(cluster.url()))
        finally:
            cluster.stop()
    return 0


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit(__doc__)
    sys.exit(main())
