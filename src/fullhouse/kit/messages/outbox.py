"""Facts: a domain announces one when something has happened. Facts leave the program through the outbox only.

`announce(tx, fact)` first runs the fact's sync handlers in the same transaction (releasing holds when an event is
cancelled, say; an exception there aborts everything), then writes the outbox row, which async handlers and the broker
get after the commit. One table in `wiring.py` lists each fact's sync handlers; it is passed in at start.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all facts. `name` is the routing key, `version` counts incompatible changes of the payload."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    subject_id: UUID


F = TypeVar("F", bound=Fact)


class PoisonMessage(Exception):
    """A message that no retry can process: the argument says why."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A fact as consumers get it, after the commit. They dedupe by `id`; `seq` orders the facts of one subject."""

    id: UUID
    organization_id: UUID
    name: str
    subject_id: UUID
    version: int
    payload: dict[str, Any]
    created_at: datetime
    seq: int = 0

    def fact(self, of: type[F]) -> F:
        """The payload as the struct that was announced."""
        return msgspec.convert(self.payload, of)


class AsyncHandler(NamedTuple):
    """Runs after the change was committed, in a transaction of the fact's tenant, once in effect
    (kit/messages/async_handlers.py). For calls to other systems it enqueues jobs.

    `name` is stored with every message that the handler has processed or has to retry, so it stays when the function is
    renamed or moved. `former` are names under which earlier versions of the program stored it.
    """

    name: str
    run: Callable[[Tx, Message], Awaitable[None]]
    former: tuple[str, ...] = ()


# Filters fact names: those that a handler of all facts wants in this organisation. Called once for many facts.
FactFilter = Callable[[Tx, Sequence[str]], Awaitable[Collection[str]]]
SyncHandler = Callable[[Tx, Any], Awaitable[None]]
_INSERT = "INSERT INTO outbox (id, organization_id, name, subject_id, payload) VALUES ($1, $2, $3, $4, $5)"
_INSERT_ALL = """
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
SELECT f.id, $1, f.name, f.subject_id, f.payload
FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::jsonb[]) AS f (id, name, subject_id, payload)
"""
_sync_handlers: Mapping[type[Fact], Sequence[SyncHandler]] | None = None


def wire(sync_handlers: Mapping[type[Fact], Sequence[SyncHandler]]) -> None:
    """Sets the table of sync handlers. Entry points call it once."""
    global _sync_handlers
    _sync_handlers = sync_handlers


async def announce(tx: Tx, fact: Fact) -> UUID:
    """Runs the sync handlers, then writes the outbox row. Returns the message id that consumers dedupe by."""
    await run_sync_handlers(tx, fact)
    return await insert_fact(tx, fact)


async def insert_fact(tx: Tx, fact: Fact) -> UUID:
    message_id = new_id()
    await tx.execute(_INSERT, message_id, tx.organization_id, fact.name, fact.subject_id, _payload(fact))
    return message_id


async def announce_all(tx: Tx, facts: Sequence[Fact]) -> None:
    """Many at once: the sync handlers of each, then all outbox rows in one statement."""
    for fact in facts:
        await run_sync_handlers(tx, fact)
    await insert_facts(tx, facts)


async def run_sync_handlers(tx: Tx, fact: Fact) -> None:
    """Runs the sync handlers alone: for facts that concern nothing outside this transaction."""
    if _sync_handlers is None:
        raise RuntimeError("outbox.wire was not called at start: the fact's sync handlers would not run")
    for handler in _sync_handlers.get(type(fact), ()):
        await handler(tx, fact)


async def insert_facts(tx: Tx, facts: Sequence[Fact]) -> None:
    """Writes outbox rows, in this order, without running sync handlers: the caller has done their work."""
    columns = [
        [new_id() for _ in facts],
        [fact.name for fact in facts],
        [fact.subject_id for fact in facts],
        [_payload(fact) for fact in facts],
    ]
    await tx.execute(_INSERT_ALL, tx.organization_id, *columns)


def _payload(fact: Fact) -> dict[str, Any]:
    return {"version": fact.version, **msgspec.to_builtins(fact)}
