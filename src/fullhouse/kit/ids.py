"""Identifiers: UUIDv7, generated here, ordered by time, which suits B-tree indexes.

They are instances of asyncpg's own UUID subclass: created, compared and encoded in a fraction of the time.
"""

from uuid import UUID

import uuid_utils
from asyncpg.pgproto import pgproto


def new_id() -> UUID:
    new: UUID = pgproto.UUID(uuid_utils.uuid7().bytes)
    return new


def parse_id(text: str) -> UUID:
    """Parses an id. Raises ValueError if the text is not a UUID."""
    parsed: UUID = pgproto.UUID(text)
    return parsed
