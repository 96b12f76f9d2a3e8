"""Identifiers. UUIDv7: made by us, ordered by time, kind to indexes.

They are of the database driver's own kind: UUIDs like all others, made, compared and written in a fraction of the time.
"""

from uuid import UUID

import uuid_utils
from asyncpg.pgproto import pgproto


def new_id() -> UUID:
    made: UUID = pgproto.UUID(uuid_utils.uuid7().bytes)
    return made


def read_id(text: str) -> UUID:
    """What was sent to us; a ValueError if it is none."""
    found: UUID = pgproto.UUID(text)
    return found
