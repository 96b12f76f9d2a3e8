"""Identifiers. UUIDv7: made by us, ordered by time, kind to indexes."""

from uuid import UUID

import uuid_utils.compat


def new_id() -> UUID:
    return uuid_utils.compat.uuid7()
