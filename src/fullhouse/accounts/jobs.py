"""Periodic work of this room: what is long past is swept away."""

from fullhouse.accounts import store
from fullhouse.kit.db import Database


async def sweep(finder: Database) -> int:
    """Sessions and links whose end lies well behind. Returns how many rows went."""
    async with finder.nobody() as tx:
        return await store.sweep_sessions(tx) + await store.sweep_magic_links(tx)
