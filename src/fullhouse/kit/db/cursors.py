"""Keyset pagination. A cursor is the signed sort key of the last row: opaque, and valid in one list only."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Invalid
from fullhouse.kit.secrets import Keyring

T = TypeVar("T")
LIMIT, LIMIT_MAX = 50, 200


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list; `next_cursor` is null at the end."""

    data: list[T]
    next_cursor: str | None = None


class BadCursor(Invalid):
    """The cursor was altered, or belongs to another list or organisation. Start again without one."""

    code, title = "invalid_cursor", "The cursor is not valid here"


class Cursors:
    """Makes and reads the cursors of one list. `scope` names list, organisation and filters."""

    def __init__(self, keyring: Keyring, *scope: object) -> None:
        self._keyring = keyring
        self._purpose = "cursor:" + ":".join(map(str, scope))

    def write(self, *key: object) -> str:
        return self._keyring.sign(self._purpose, msgspec.json.encode(key))

    def read(self, cursor: str | None, *types: type[Any]) -> tuple[Any, ...] | None:
        """The key inside, converted to `types`; None for the first page."""
        if cursor is None:
            return None
        message = self._keyring.verify(self._purpose, cursor)
        if message is None:
            raise BadCursor()
        return tuple(
            msgspec.convert(v, t, strict=False) for v, t in zip(msgspec.json.decode(message), types, strict=True)
        )

    def page(self, rows: list[T], limit: int, *key: str | Callable[[T], Any]) -> Page[T]:
        """`rows` were fetched with `limit + 1`: the extra row shows whether there is another page."""
        data = rows[:limit]
        more = len(rows) > limit
        at = [part(data[-1]) if callable(part) else getattr(data[-1], part) for part in key] if more else []
        return Page(data, self.write(*at) if more else None)


async def page_by_age(
    tx: Tx,
    keyring: Keyring,
    name: str,
    find: Callable[..., Awaitable[list[T]]],
    cursor: str | None,
    limit: int,
    **filters: Any,
) -> Page[T]:
    """A page of a list that is ordered by (created_at, id). Its cursor is valid for the same filters only."""
    cursors = Cursors(keyring, name, tx.organization_id, *filters.values())
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    rows = await find(tx, **filters, after_at=after_at, after_id=after_id, limit=limit + 1)
    return cursors.page(rows, limit, "created_at", "id")
