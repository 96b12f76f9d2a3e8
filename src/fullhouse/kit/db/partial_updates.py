"""Partial updates: applies the fields that a request names to a row, and audits the values that differ."""

from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx

Row = TypeVar("Row", bound=msgspec.Struct)


def with_changes(before: Row, change: msgspec.Struct) -> Row:
    """Returns `before` with the fields that the request names. Fields that the row lacks are left to the caller."""
    fields = {
        name: value
        for name, value in msgspec.structs.asdict(change).items()
        if value is not UNSET and name in before.__struct_fields__
    }
    return msgspec.structs.replace(before, **fields)


def difference(before: msgspec.Struct, after: msgspec.Struct) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that differ: the old ones, and the new ones."""
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    names = [name for name in new if old[name] != new[name]]
    return {name: old[name] for name in names}, {name: new[name] for name in names}


async def audit_difference(tx: Tx, action: str, entity: str, before: Any, after: Any, **more: Any) -> None:
    old, new = difference(before, after)
    await audit.write(tx, action, entity, after.id, before=old, after=new, **more)
