"""Writes the schema of a newly migrated database: `db/schema.sql` for readers, `db/schema.json` for `fullhouse doctor`.

python scripts/schema.py --write      with a PostgreSQL of its own in a temporary folder
python scripts/schema.py --release    for a release: also the parts that its program uses, `db/released.json`

`schema.sql` is pg_dump's output without the functions, which have their own files: tables with their columns,
constraints, indexes, triggers, policies and grants. tests/kit/test_schema.py compares both with a database.

While a new version is deployed, processes of the last release run on the new schema (docs/adr/0042). So everything that
the release used must still be there: tests/kit/test_two_versions.py compares `released.json` with a database.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from fullhouse.kit.db import migrate, schema
from fullhouse.kit.postgres import Cluster, binaries

TEXT, RELEASED = migrate.FOLDER / "schema.sql", migrate.FOLDER / "released.json"
Interface = dict[str, dict[str, str]]
HEAD = """-- The schema as a migrated database has it: written by `make schema`, compared by a test. Functions stand in
-- functions/, one file each; why a table is as it is stands in baseline/ and migrations/.
"""
_OBJECT = re.compile(r"^--\n-- Name: (?P<name>.*?); Type: (?P<type>.*?); Schema: .*?; Owner: .*\n--\n", re.M)
_ELSEWHERE = {"FUNCTION", "PROCEDURE"}
_BY_MONTH = re.compile(r"audit_log_\d{4}_\d\d")  # created as time passes
# Composite types among the tables: their attributes are columns.
_INTERFACE = """
WITH tables AS (
    SELECT c.*, n.nspname || '.' || c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('public', 'app', 'jobs') AND c.relkind IN ('r', 'p', 'v', 'c') AND NOT c.relispartition
), columns AS (
    SELECT t.name || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS text,
           a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS is_needed
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
)
SELECT 'column' AS kind, name, text FROM columns
UNION ALL
SELECT 'needed column', name, '' FROM columns WHERE is_needed
UNION ALL
SELECT 'function', p.oid::regprocedure::text,
       format('(%s) %s', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname IN ('app', 'jobs') AND p.prorettype <> 'trigger'::regtype
"""
_OWNER = re.compile(r"^ALTER .* OWNER TO .*;\n", re.M)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)  # PostgreSQL's account needs to enter it
        cluster = Cluster(home, settings={"fsync": "off"})
        cluster.start()
        try:
            shipped, used = asyncio.run(_read(cluster.url()))
            text = dump(cluster.url())
        finally:
            cluster.stop()
    schema.FILE.write_bytes(encode(shipped))
    TEXT.write_text(text)
    if "--release" in arguments:
        RELEASED.write_bytes(encode(used))
    return 0


async def _read(url: str) -> tuple[schema.ShippedGuards, Interface]:
    await migrate.migrate(url)
    connection = await asyncpg.connect(url)
    try:
        return schema.ShippedGuards(migrate.newest_number(), await schema.read_guards(connection)), await interface(
            connection
        )
    finally:
        await connection.close()


def encode(what: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(what, order="sorted"), indent=1) + b"\n"


async def interface(connection: Any) -> Interface:
    """The parts of the schema that a program uses, by kind and name."""
    found: Interface = {}
    for row in await connection.fetch(_INTERFACE):
        found.setdefault(row["kind"], {})[row["name"]] = row["text"]
    return found


def not_for_both(released: Interface, there: Interface) -> list[str]:
    """Lists, in sentences, why a program of the last release would fail on this database."""
    wrong = []
    for kind in ("column", "function"):
        things, now = released[kind], there[kind]
        wrong += [f"{kind} {name} is gone" for name in things if name not in now]
        wrong += [
            f"{kind} {name} was {text}, and is {now[name]}"
            for name, text in things.items()
            if now.get(name, text) != text
        ]
    tables = {name.rpartition(".")[0] for name in released["column"]}
    wrong += [
        f"column {name} must be given, and the last release does not know it"
        for name in there["needed column"].keys() - released["needed column"].keys()
        if name.rpartition(".")[0] in tables
    ]
    return sorted(wrong)


def dump(url: str) -> str:
    """Uses the newest installed pg_dump: an older one refuses a newer server."""
    program = max(binaries.find_installs(), key=lambda install: install.major).program("pg_dump")
    said = subprocess.run([program, "--schema-only", url], capture_output=True, text=True, check=True).stdout  # noqa: S603
    objects = list(_OBJECT.finditer(said))
    ends = [match.start() for match in objects[1:]] + [said.index("--\n-- PostgreSQL database dump complete")]
    kept = [
        _OWNER.sub("", said[match.end() : end]).strip()
        for match, end in zip(objects, ends, strict=True)
        if match["type"] not in _ELSEWHERE and not _BY_MONTH.search(match["name"])
    ]
    return HEAD + "".join(f"\n{text}\n" for text in kept if text)


if __name__ == "__main__":
    if not {"--write", "--release"} & {*sys.argv}:
        sys.exit(__doc__)
    sys.exit(main(sys.argv))
