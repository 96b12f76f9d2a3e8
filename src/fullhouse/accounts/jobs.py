"""Periodic work of this room: what is long past is swept away."""

from fullhouse.accounts import queries
from fullhouse.kit.db import sql
from fullhouse.kit.db.database import Database, sweep

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
    """Sessions, links, invitations and mails whose end lies well behind. Returns how many rows went."""
    return sum([await sweep(finder, statement) for statement in SWEEPS])
