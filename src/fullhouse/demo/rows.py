"""History, written straight into the tables: what would take weeks through the front door, because every room takes its
time from the database's clock and none can be told another.

Whoever writes here writes all that the rooms would have written, in one transaction, under the same constraints, keys
and triggers, and as the same role; `fullhouse prove` finds nothing wrong afterwards (tests/test_demo.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fullhouse.kit.db.database import Tx

AT_ONCE = 1_000

Row = Mapping[str, Any]


async def insert(tx: Tx, table: str, rows: Sequence[Row]) -> None:
    """All rows have the columns of the first; the others get their defaults."""
    if not rows:
        return
    columns = ", ".join(rows[0])
    # COPY does not do row-level security. The names are this house's own, never somebody's words.
    statement = (
        f"INSERT INTO {table} (organization_id, {columns})"  # noqa: S608
        f" SELECT $2::uuid, {columns} FROM jsonb_populate_recordset(NULL::{table}, $1)"
    )
    for first in range(0, len(rows), AT_ONCE):
        await tx.execute(statement, rows[first : first + AT_ONCE], tx.organization_id)


def bytea(value: bytes) -> str:
    """As JSON has it."""
    return f"\\x{value.hex()}"
