"""Periodic work of this room: what is long past is swept away."""

from fullhouse.accounts.store import statements
from fullhouse.kit.db import Database, sweep

SWEEPS = (
    "sweep_sessions", "sweep_magic_links", "sweep_invitations", "sweep_platform_sessions", "sweep_mails",
    "sweep_unsent_links",
)  # fmt: skip


async def sweep_all(finder: Database) -> int:
    """Sessions, links, invitations and mails whose end lies well behind. Returns how many rows went."""
    return sum([await sweep(finder, statements.texts[name]) for name in SWEEPS])
