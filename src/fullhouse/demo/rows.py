"""History, written directly into the tables: the API cannot create rows of the past, because every domain takes its
time from the database's clock.

Writers must insert every row that the domains would have written, in one transaction, under the same constraints, keys
and triggers, and as the same role; `fullhouse prove` finds no violation afterwards (tests/test_demo.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fullhouse.kit.db.database import Tx

BATCH_SIZE = 1_000

Row = Mapping[str, Any]


async def insert_rows(tx: Tx, table: str, rows: Sequence[Row]) -> None:
    """Inserts rows that all have the columns of the first; other columns get their defaults."""
    if not rows:
        return
    columns = ", ".join(rows[0])
    # COPY FROM is not supported with row-level security. Table and column names are constants of ours, never input.
    statement = (
        f"INSERT INTO {table} (organization_id, {columns})"  # noqa: S608
        f" SELECT $2::uuid, {columns} FROM jsonb_populate_recordset(NULL::{table}, $1)"
    )
    for first in range(0, len(rows), BATCH_SIZE):
        await tx.execute(statement, rows[first : first + BATCH_SIZE], tx.organization_id)


def to_hex_bytea(value: bytes) -> str:
    """A bytea value in PostgreSQL's hex format, for JSON."""
    return f"\\x{value.hex()}"
