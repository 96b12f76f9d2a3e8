"""Runs the installation's own async handlers of facts, after the commit and with or without a broker.

Each runs in a transaction of the fact's tenant, together with its dedupe row in `processed_messages`: it takes effect
once, however often and by whichever way the fact is delivered. A handler call that fails blocks neither other handlers
nor the broker: it is retried with growing pauses (a row in `owed_reactions`), and dead-lettered after the last attempt
(`parked_at`). A handler gets the facts of one subject in their order: while one is being retried, the later ones wait
behind it. A dead-lettered one no longer blocks them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.kit.actors import Actor
from fullhouse.kit.db.database import DATABASE_ERRORS, Database, Tx
from fullhouse.kit.messages.outbox import AsyncHandler, Fact, FactFilter, Message
from fullhouse.kit.messages.relay import (
    ATTEMPTS_MAX,
    BATCH,
    BATCH_PAUSE_S,
    DEADLINE_S,
    IDLE_S,
    RECONNECT_S_MAX,
    Hint,
    jitter,
    throttle,
)

HANDLER_CALLS = Counter("fullhouse_async_handler_calls_total", "Calls of async handlers, by outcome", ["outcome"])
MESSENGER = Actor(type="system", name="messenger")
log = structlog.get_logger()
Pair = tuple[Message, AsyncHandler]

# Like the relay's claim (kit/messages/relay.py), but by `handled_at`.
_CLAIM = """
WITH claimed AS MATERIALIZED (
    SELECT id, seq, organization_id, name, subject_id, payload, created_at
    FROM outbox WHERE handled_at IS NULL ORDER BY seq LIMIT $1
    FOR UPDATE SKIP LOCKED
), ahead AS (
    SELECT subject_id, min(seq) AS seq
    FROM outbox
    WHERE handled_at IS NULL AND seq < (SELECT max(seq) FROM claimed) AND id NOT IN (SELECT id FROM claimed)
    GROUP BY subject_id
)
SELECT c.* FROM claimed c LEFT JOIN ahead a USING (subject_id) WHERE a.seq IS NULL OR a.seq > c.seq ORDER BY c.seq
"""
_HANDLED = "UPDATE outbox SET handled_at = app.clock() WHERE id = ANY ($1::uuid[])"
_INSERT_PROCESSED = """
INSERT INTO processed_messages (organization_id, consumer, message_id)
SELECT $1, consumer, message_id FROM unnest($2::text[], $3::uuid[]) AS m (consumer, message_id)
WHERE NOT EXISTS (
    SELECT FROM processed_messages p JOIN unnest($4::text[], $5::text[]) AS f (former, name) ON f.former = p.consumer
    WHERE p.organization_id = $1 AND p.message_id = m.message_id AND f.name = m.consumer)
ORDER BY consumer, message_id
ON CONFLICT DO NOTHING
RETURNING consumer, message_id
"""
_SUBJECTS_RETRYING = """
SELECT consumer, subject_id FROM owed_reactions
WHERE organization_id = $1 AND subject_id = ANY ($2::uuid[]) AND parked_at IS NULL
"""
_INSERT_RETRY = """
INSERT INTO owed_reactions (organization_id, consumer, message_id, subject_id, seq, attempts, due_at, last_error)
VALUES ($1, $2, $3, $4, $5, $6, app.clock() + $7::interval, $8)
ON CONFLICT DO NOTHING
"""
_RENAME_CONSUMERS = """
UPDATE owed_reactions w SET consumer = f.name
FROM unnest($1::text[], $2::text[]) AS f (former, name)
WHERE w.consumer = f.former AND NOT EXISTS (
    SELECT FROM owed_reactions t
    WHERE t.organization_id = w.organization_id AND t.consumer = f.name AND t.message_id = w.message_id)
"""
_DUE_RETRIES = """
SELECT w.consumer, o.id, o.seq, o.organization_id, o.name, o.subject_id, o.payload, o.created_at
FROM owed_reactions w JOIN outbox o ON o.id = w.message_id
WHERE w.parked_at IS NULL AND w.due_at <= app.clock() AND NOT EXISTS (
    SELECT FROM owed_reactions e
    WHERE e.organization_id = w.organization_id AND e.subject_id = w.subject_id AND e.consumer = w.consumer
      AND e.seq < w.seq AND e.parked_at IS NULL)
ORDER BY w.due_at LIMIT $1
FOR UPDATE OF w SKIP LOCKED
"""
_DELETE_RETRY = "DELETE FROM owed_reactions WHERE organization_id = $1 AND consumer = $2 AND message_id = $3"
_POSTPONE = """
UPDATE owed_reactions
SET attempts = attempts + 1, last_error = $4, due_at = app.clock() + $5::interval * power(2, attempts),
    parked_at = CASE WHEN attempts + 1 >= $6 THEN app.clock() END
WHERE organization_id = $1 AND consumer = $2 AND message_id = $3
RETURNING attempts, parked_at
"""


async def run_handlers_once(tx: Tx, pairs: Iterable[Pair]) -> int:
    """Runs those handlers that have not processed their message yet, in this transaction. Returns how many ran."""
    wanted = {(handler.name, message.id): (message, handler) for message, handler in pairs}
    if not wanted:
        return 0
    consumers, ids = zip(*wanted, strict=True)
    former = _former_names(handler for _, handler in wanted.values())
    fresh = {tuple(row) for row in await tx.fetch(_INSERT_PROCESSED, tx.organization_id, consumers, ids, *former)}
    for key, (message, handler) in wanted.items():
        if key in fresh:
            await handler.run(tx, message)
    return len(fresh)


def _former_names(handlers: Iterable[AsyncHandler]) -> tuple[list[str], list[str]]:
    """As two columns: names that earlier versions stored, and the present name of each."""
    names = {former: handler.name for handler in handlers for former in handler.former}
    return list(names), list(names.values())


class AsyncHandlers:
    """Runs the async handlers in one process; any number of processes may do so at once.

    `finder` claims and marks facts as the worker role; the handlers run on `database`, inside one organisation.
    """

    def __init__(
        self,
        finder: Database,
        database: Database,
        to: Mapping[type[Fact], Sequence[AsyncHandler]],
        to_all: Mapping[AsyncHandler, FactFilter] | None = None,
        hint: Hint | None = None,
    ) -> None:
        self._finder, self._database, self._hint = finder, database, hint or Hint()
        self._to = {fact.name: tuple(handlers) for fact, handlers in to.items()}
        self._to_all = dict(to_all or {})
        handlers = {*self._to_all, *(handler for each in self._to.values() for handler in each)}
        self._by_name = {name: handler for handler in handlers for name in (handler.name, *handler.former)}
        self._former = _former_names(handlers)
        self._oldest = datetime.now(UTC)

    async def run(self) -> None:
        """Runs until cancelled. Lost connections and bugs do not end it: the worker has other tasks."""
        await asyncio.gather(
            self._run_forever(self.process_batch, self._hint.wait), self._run_forever(self.retry_due, _pause)
        )

    async def _run_forever(self, work: Callable[[], Awaitable[int]], wait: Callable[[], Awaitable[None]]) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                claimed = await work()
            except DATABASE_ERRORS as error:
                log.warning("async_handlers.database_lost", detail="reconnecting", error=repr(error))
                claimed = 0
                await asyncio.sleep(jitter(IDLE_S))
            except Exception:
                log.exception("async_handlers.round_failed", detail="a batch was rolled back and will be retried")
                claimed = 0
                await asyncio.sleep(jitter(RECONNECT_S_MAX))
            if claimed < BATCH:
                await (asyncio.sleep(BATCH_PAUSE_S) if claimed else wait())
            else:
                await throttle(clock() - began, self._oldest)

    def match_handlers(self, messages: Iterable[Message]) -> list[Pair]:
        return [(m, handler) for m in messages for handler in (*self._to.get(m.name, ()), *self._to_all)]

    # --- new facts

    async def process_batch(self) -> int:
        """One batch of facts, marked when each of their handlers has run or is to be retried."""
        async with self._finder.without_tenant(deadline_s=DEADLINE_S) as tx:
            rows = await tx.fetch(_CLAIM, BATCH)
            messages = [_to_message(row) for row in rows]
            self._oldest = min((row["created_at"] for row in rows), default=self._oldest)
            by_organization = sorted(self.match_handlers(messages), key=lambda pair: pair[0].organization_id)
            for organization_id, pairs in groupby(by_organization, key=lambda pair: pair[0].organization_id):
                await self._handle(organization_id, list(pairs))
            if messages:
                await tx.execute(_HANDLED, [message.id for message in messages])
        return len(messages)

    async def _handle(self, organization_id: UUID, pairs: list[Pair]) -> None:
        """All in one transaction, which nearly always succeeds; otherwise one by one, to find the one that fails."""
        if await self._try(organization_id, pairs) is None:
            return
        for message, handler in pairs:
            if error := await self._try(organization_id, [(message, handler)]):
                log.warning("async_handler.failed", **_log_fields(message, handler.name), attempt=1, error=error)
                async with self._database.tenant(organization_id, MESSENGER) as tx:
                    await _insert_retry(tx, message, handler, error)

    async def _try(self, organization_id: UUID, pairs: list[Pair]) -> str | None:
        """Returns the error, if there was one; then everything was rolled back."""
        try:
            async with self._database.tenant(organization_id, MESSENGER) as tx:
                pairs = await self._filter_facts(tx, pairs)
                subjects = list({message.subject_id for message, _ in pairs})
                rows = await tx.fetch(_SUBJECTS_RETRYING, organization_id, subjects) if subjects else []
                retrying = {tuple(row) for row in rows}
                behind = [(m, handler) for m, handler in pairs if _is_retrying(m, handler, retrying)]
                for message, handler in behind:
                    await _insert_retry(tx, message, handler)
                done = await run_handlers_once(tx, (pair for pair in pairs if pair not in behind))
        except Exception as error:
            return repr(error)
        HANDLER_CALLS.labels("done").inc(done)
        return None

    async def _filter_facts(self, tx: Tx, pairs: list[Pair]) -> list[Pair]:
        """Drops the facts that a handler of all facts does not want here: no dedupe row is written for them."""
        for handler, picks in self._to_all.items():
            if not (names := {message.name for message, each in pairs if each is handler}):
                continue
            wanted = await picks(tx, sorted(names))
            pairs = [(message, each) for message, each in pairs if each is not handler or message.name in wanted]
        return pairs

    # --- retries

    async def retry_due(self) -> int:
        """Handler calls whose next attempt is due."""
        async with self._finder.without_tenant(deadline_s=DEADLINE_S) as tx:
            await tx.execute(_RENAME_CONSUMERS, *self._former)  # a worker of an earlier version may run beside this one
            rows = await tx.fetch(_DUE_RETRIES, BATCH)
            for row in rows:
                consumer, message = row["consumer"], _to_message(row)
                if error := await self._try_again(message, consumer):
                    await self._postpone(tx, message, consumer, error)
                else:
                    await tx.execute(_DELETE_RETRY, message.organization_id, consumer, message.id)
        return len(rows)

    async def _try_again(self, message: Message, consumer: str) -> str | None:
        if not (handler := self._by_name.get(consumer)):
            return "no handler has this name any more"
        try:
            async with self._database.tenant(message.organization_id, MESSENGER) as tx:
                done = await run_handlers_once(tx, [(message, handler)])
        except Exception as error:
            return repr(error)
        HANDLER_CALLS.labels("done").inc(done)
        return None

    async def _postpone(self, tx: Tx, message: Message, consumer: str, error: str) -> None:
        pause = timedelta(seconds=jitter(2.0))
        key = message.organization_id, consumer, message.id
        row = await tx.fetchrow(_POSTPONE, *key, error, pause, ATTEMPTS_MAX)
        fields = _log_fields(message, consumer) | {"attempt": row["attempts"], "error": error}
        HANDLER_CALLS.labels("dead_lettered" if row["parked_at"] else "retry_failed").inc()
        if row["parked_at"]:
            log.error("async_handler.dead_lettered", detail="`fullhouse messages dead-lettered` shows it", **fields)
        else:
            log.warning("async_handler.failed", **fields)


def _is_retrying(message: Message, handler: AsyncHandler, retrying: Collection[tuple[str, UUID]]) -> bool:
    return any((name, message.subject_id) in retrying for name in (handler.name, *handler.former))


async def _insert_retry(tx: Tx, message: Message, handler: AsyncHandler, error: str | None = None) -> None:
    HANDLER_CALLS.labels("retry_scheduled").inc()
    attempts, pause = (1, timedelta(seconds=jitter(2.0))) if error else (0, timedelta())
    key = message.organization_id, handler.name, message.id
    await tx.execute(_INSERT_RETRY, *key, message.subject_id, message.seq, attempts, pause, error)


def _to_message(row: Any) -> Message:
    return Message(
        id=row["id"],
        organization_id=row["organization_id"],
        name=row["name"],
        subject_id=row["subject_id"],
        version=row["payload"].get("version", 1),
        payload=row["payload"],
        created_at=row["created_at"],
        seq=row["seq"],
    )


def _log_fields(message: Message, consumer: str) -> dict[str, Any]:
    fields = {"message_id": str(message.id), "organization_id": str(message.organization_id), "fact": message.name}
    return fields | {"consumer": consumer}


async def _pause() -> None:
    await asyncio.sleep(jitter(IDLE_S))
