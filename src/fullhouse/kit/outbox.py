"""Facts: what a room announces when something has happened. Nothing leaves the house except through here.

`announce(tx, fact)` first runs the fact's synchronous consequences in the same transaction (releasing holds when a show
is cancelled, say; an exception there aborts everything), then writes the outbox row, from which everybody else learns
of it after the commit. Which fact has which consequences is one table, `wiring.py`, handed in at start.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

import msgspec

from fullhouse.kit.db import Tx
from fullhouse.kit.ids import new_id


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all facts. `name` is the routing key, `version` counts incompatible changes of the payload."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    subject_id: UUID


Consequence = Callable[[Tx, Any], Awaitable[None]]
_INSERT = "INSERT INTO outbox (id, organization_id, name, subject_id, payload) VALUES ($1, $2, $3, $4, $5)"
_consequences: Mapping[type[Fact], Sequence[Consequence]] | None = None


def wire(consequences: Mapping[type[Fact], Sequence[Consequence]]) -> None:
    """Hands in the table of synchronous consequences. Entry points call it once."""
    global _consequences
    _consequences = consequences


async def announce(tx: Tx, fact: Fact) -> UUID:
    """Consequences, then the outbox row. Returns the message id that consumers dedupe by."""
    if _consequences is None:
        raise RuntimeError("this entry point forgot outbox.wire: the fact would have no consequences")
    for consequence in _consequences.get(type(fact), ()):
        await consequence(tx, fact)
    return await add(tx, fact)


async def add(tx: Tx, fact: Fact) -> UUID:
    message_id = new_id()
    payload = {"version": fact.version, **msgspec.to_builtins(fact)}
    await tx.execute(_INSERT, message_id, tx.organization_id, fact.name, fact.subject_id, payload)
    return message_id
