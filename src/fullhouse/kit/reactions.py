"""Reactions: what the house itself does about a fact, after the commit and with or without a broker.

Each runs in the fact's own tenant transaction, together with its dedupe row in `processed_messages`: once in effect,
however often it is asked, and by whichever way the fact came. A reaction that fails hinders neither the others nor the
broker: it is owed, tried again with growing pauses, and parked after the last attempt. A reaction sees the facts of
one subject in their order: what follows an owed one is owed too. A parked one no longer stands in the way.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

import structlog
from prometheus_client import Counter

from fullhouse.kit.actors import Actor
from fullhouse.kit.db import LOST, Database, Tx
from fullhouse.kit.outbox import Fact, Message, Picks, Reaction
from fullhouse.kit.relay import ATTEMPTS_MAX, AWAY_S_MAX, BATCH, DEADLINE_S, GATHER_S, IDLE_S, Hint, give_way, jitter

REACTED = Counter("fullhouse_reactions_total", "Reactions of the house to its facts", ["outcome"])
MESSENGER = Actor(type="system", name="messenger")
log = structlog.get_logger()
Pair = tuple[Message, Reaction]

# Like the relay's claim (kit/relay.py), by the other mark.
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
_TAKE = """
INSERT INTO processed_messages (organization_id, consumer, message_id)
SELECT $1, consumer, message_id FROM unnest($2::text[], $3::uuid[]) AS m (consumer, message_id)
ORDER BY consumer, message_id
ON CONFLICT DO NOTHING
RETURNING consumer, message_id
"""
_BEHIND = """
SELECT consumer, subject_id FROM owed_reactions
WHERE organization_id = $1 AND subject_id = ANY ($2::uuid[]) AND parked_at IS NULL
"""
_OWE = """
INSERT INTO owed_reactions (organization_id, consumer, message_id, subject_id, seq, attempts, due_at, last_error)
VALUES ($1, $2, $3, $4, $5, $6, app.clock() + $7::interval, $8)
ON CONFLICT DO NOTHING
"""
_OWED = """
SELECT w.consumer, o.id, o.seq, o.organization_id, o.name, o.subject_id, o.payload, o.created_at
FROM owed_reactions w JOIN outbox o ON o.id = w.message_id
WHERE w.parked_at IS NULL AND w.due_at <= app.clock() AND NOT EXISTS (
    SELECT FROM owed_reactions e
    WHERE e.organization_id = w.organization_id AND e.subject_id = w.subject_id AND e.consumer = w.consumer
      AND e.seq < w.seq AND e.parked_at IS NULL)
ORDER BY w.due_at LIMIT $1
FOR UPDATE OF w SKIP LOCKED
"""
_PAID = "DELETE FROM owed_reactions WHERE organization_id = $1 AND consumer = $2 AND message_id = $3"
_LATER = """
UPDATE owed_reactions
SET attempts = attempts + 1, last_error = $4, due_at = app.clock() + $5::interval * power(2, attempts),
    parked_at = CASE WHEN attempts + 1 >= $6 THEN app.clock() END
WHERE organization_id = $1 AND consumer = $2 AND message_id = $3
RETURNING attempts, parked_at
"""


def name_of(reaction: Reaction) -> str:
    """A consumer's name in the dedupe rows. Whoever renames the function makes a new consumer."""
    return f"{reaction.__module__}.{reaction.__qualname__}"


async def react_once(tx: Tx, pairs: Iterable[Pair]) -> int:
    """Runs those reactions that have not run yet, in this transaction. Returns how many did."""
    wanted = {(name_of(reaction), message.id): (message, reaction) for message, reaction in pairs}
    if not wanted:
        return 0
    consumers, ids = zip(*wanted, strict=True)
    fresh = {tuple(row) for row in await tx.fetch(_TAKE, tx.organization_id, consumers, ids)}
    for key, (message, reaction) in wanted.items():
        if key in fresh:
            await reaction(tx, message)
    return len(fresh)


class Reactions:
    """Runs the tables of reactions in one process, beside any number of others.

    `finder` finds and marks, as the worker role; `database` reacts, inside one organisation.
    """

    def __init__(
        self,
        finder: Database,
        database: Database,
        to: Mapping[type[Fact], Sequence[Reaction]],
        to_all: Mapping[Reaction, Picks] | None = None,
        hint: Hint | None = None,
    ) -> None:
        self._finder, self._database, self._hint = finder, database, hint or Hint()
        self._to = {fact.name: tuple(reactions) for fact, reactions in to.items()}
        self._to_all = dict(to_all or {})
        everybody = {*self._to_all, *(reaction for reactions in self._to.values() for reaction in reactions)}
        self._by_name = {name_of(reaction): reaction for reaction in everybody}
        self._oldest = datetime.now(UTC)

    async def run(self) -> None:
        """Until cancelled, through lost databases, and mistakes of ours: the worker has more to do."""
        await asyncio.gather(self._keep(self.round, self._hint.wait), self._keep(self.retry, _rest))

    async def _keep(self, work: Callable[[], Awaitable[int]], wait: Callable[[], Awaitable[None]]) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                taken = await work()
            except LOST as error:
                log.warning("reactions lost their database", error=repr(error))
                taken = 0
                await asyncio.sleep(jitter(IDLE_S))
            except Exception:
                log.exception("reactions failed; they go on")
                taken = 0
                await asyncio.sleep(jitter(AWAY_S_MAX))
            if taken < BATCH:
                await (asyncio.sleep(GATHER_S) if taken else wait())
            else:
                await give_way(clock() - began, self._oldest)

    def wanted(self, messages: Iterable[Message]) -> list[Pair]:
        return [(m, reaction) for m in messages for reaction in (*self._to.get(m.name, ()), *self._to_all)]

    # --- new facts

    async def round(self) -> int:
        """One batch of facts, marked when each of their reactions has run or is owed."""
        async with self._finder.nobody(deadline_s=DEADLINE_S) as tx:
            rows = await tx.fetch(_CLAIM, BATCH)
            messages = [_message(row) for row in rows]
            self._oldest = min((row["created_at"] for row in rows), default=self._oldest)
            by_house = sorted(self.wanted(messages), key=lambda pair: pair[0].organization_id)
            for organization_id, pairs in groupby(by_house, key=lambda pair: pair[0].organization_id):
                await self._react(organization_id, list(pairs))
            if messages:
                await tx.execute(_HANDLED, [message.id for message in messages])
        return len(messages)

    async def _react(self, organization_id: UUID, pairs: list[Pair]) -> None:
        """All in one transaction, as nearly always goes well; otherwise one by one, to see which it is."""
        if await self._try(organization_id, pairs) is None:
            return
        for message, reaction in pairs:
            if error := await self._try(organization_id, [(message, reaction)]):
                log.warning("a reaction failed", **_said(message, name_of(reaction)), attempt=1, error=error)
                async with self._database.tenant(organization_id, MESSENGER) as tx:
                    await _owe(tx, message, reaction, error)

    async def _try(self, organization_id: UUID, pairs: list[Pair]) -> str | None:
        """What went wrong, if anything did. Then nothing was done."""
        try:
            async with self._database.tenant(organization_id, MESSENGER) as tx:
                pairs = await self._picked(tx, pairs)
                subjects = list({message.subject_id for message, _ in pairs})
                owed = {tuple(row) for row in await tx.fetch(_BEHIND, organization_id, subjects)} if subjects else set()
                behind = [(m, reaction) for m, reaction in pairs if (name_of(reaction), m.subject_id) in owed]
                for message, reaction in behind:
                    await _owe(tx, message, reaction)
                done = await react_once(tx, (pair for pair in pairs if pair not in behind))
        except Exception as error:
            return repr(error)
        REACTED.labels("done").inc(done)
        return None

    async def _picked(self, tx: Tx, pairs: list[Pair]) -> list[Pair]:
        """Without those facts that a reaction to everything does not want: they leave no trace."""
        for reaction, picks in self._to_all.items():
            if not (names := {message.name for message, each in pairs if each is reaction}):
                continue
            wanted = await picks(tx, sorted(names))
            pairs = [(message, each) for message, each in pairs if each is not reaction or message.name in wanted]
        return pairs

    # --- those that are owed

    async def retry(self) -> int:
        """Owed reactions whose time has come."""
        async with self._finder.nobody(deadline_s=DEADLINE_S) as tx:
            rows = await tx.fetch(_OWED, BATCH)
            for row in rows:
                consumer, message = row["consumer"], _message(row)
                if wrong := await self._try_again(message, consumer):
                    await self._put_off(tx, message, consumer, wrong)
                else:
                    await tx.execute(_PAID, message.organization_id, consumer, message.id)
        return len(rows)

    async def _try_again(self, message: Message, consumer: str) -> str | None:
        if not (reaction := self._by_name.get(consumer)):
            return "there is no such reaction any more"
        try:
            async with self._database.tenant(message.organization_id, MESSENGER) as tx:
                done = await react_once(tx, [(message, reaction)])
        except Exception as error:
            return repr(error)
        REACTED.labels("done").inc(done)
        return None

    async def _put_off(self, tx: Tx, message: Message, consumer: str, wrong: str) -> None:
        pause = timedelta(seconds=jitter(2.0))
        key = message.organization_id, consumer, message.id
        row = await tx.fetchrow(_LATER, *key, wrong, pause, ATTEMPTS_MAX)
        said = _said(message, consumer) | {"attempt": row["attempts"], "error": wrong}
        REACTED.labels("parked" if row["parked_at"] else "later").inc()
        if row["parked_at"]:
            log.error("a reaction was parked: `fullhouse messages parked` shows it", **said)
        else:
            log.warning("a reaction failed", **said)


async def _owe(tx: Tx, message: Message, reaction: Reaction, error: str | None = None) -> None:
    REACTED.labels("owed").inc()
    attempts, pause = (1, timedelta(seconds=jitter(2.0))) if error else (0, timedelta())
    key = message.organization_id, name_of(reaction), message.id
    await tx.execute(_OWE, *key, message.subject_id, message.seq, attempts, pause, error)


def _message(row: Any) -> Message:
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


def _said(message: Message, consumer: str) -> dict[str, Any]:
    said = {"message_id": str(message.id), "organization_id": str(message.organization_id), "fact": message.name}
    return said | {"consumer": consumer}


async def _rest() -> None:
    await asyncio.sleep(jitter(IDLE_S))
