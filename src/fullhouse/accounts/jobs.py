"""Periodic work of this domain: deletes rows that expired long ago."""

from fullhouse.accounts import queries
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import Database, delete_in_batches

SWEEPS = [
    sql.text(query)
    for query in (
        queries.sweep_sessions,
        queries.sweep_magic_links,
        queries.sweep_invitations,
        queries.sweep_platform_sessions,
        queries.sweep_mails,
        queries.sweep_unsent_links,
    )
]


async def sweep_all(finder: Database) -> int:
    """Deletes old sessions, links, invitations and mails. Returns the number of rows."""
    return sum([await delete_in_batches(finder, statement) for statement in SWEEPS])
