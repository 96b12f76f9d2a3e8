"""Checks of all tenant tables that the database's catalogue lists: a new table needs no change here."""

from typing import Any

from fullhouse.kit.db import tenancy


async def find_foreign_rows(connection: Any) -> list[str]:
    return [
        f"{d.rows} rows of {d.child} refer to {d.parent} of another organisation"
        for d in await tenancy.find_disagreements(connection)
    ]


async def find_open_tables(connection: Any) -> list[str]:
    rows = await connection.fetch(
        "SELECT c.oid::regclass::text AS name FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped"
        " WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1"
    )
    return [f"{row['name']} is not under forced row-level security" for row in rows]
