"""The relay: passes facts from the outbox to a publisher, and marks those that it has confirmed.

Any number run at once, in any number of processes. Invariants:
- A fact is marked after the publisher's confirmation, never before: a relay that dies in between causes a duplicate,
  which consumers recognise by its id, and never a gap.
- Facts of one subject are sent in their order. No relay claims one while an earlier one waits or is claimed by another
  relay. A dead-lettered fact (`parked_at`) no longer blocks: one bad fact must not stop its subject for ever.
- The rows are locked while they are published. A lease would have to be written, timed and cleaned up; a lock ends with
  the connection of a relay that dies. The price, a transaction open for seconds, has a deadline.
- While the broker is unavailable no attempt is counted, and the relay itself waits. Attempts count for a fact that the
  broker rejects while it accepts others.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import structlog
from prometheus_client import Counter, Gauge

from fullhouse.kit.db.database import DATABASE_ERRORS, Database
from fullhouse.kit.tasks import timeout

BATCH = 50
IDLE_S = 1.0  # between two looks at the outbox without a hint
BATCH_PAUSE_S = 0.02  # after a batch that was not full: facts come in groups
LATE = timedelta(seconds=30)
PAUSE_FACTOR = 5  # a pause is so many times as long as the work before it
ATTEMPTS_MAX = 12  # an hour, about
RECONNECT_S_MAX = 5.0  # between two attempts to reach an unavailable broker
DEADLINE_S = 30.0
SENT = Counter("fullhouse_facts_sent_total", "Facts that the broker has confirmed")
UNROUTED = Counter("fullhouse_facts_unrouted_total", "Facts that no queue of the broker is bound for")
REJECTED = Counter("fullhouse_facts_rejected_total", "Facts that the broker rejected, by what followed", ["outcome"])
UNAVAILABLE = Gauge("fullhouse_broker_unavailable", "1 while the broker is unavailable", multiprocess_mode="mostrecent")
log = structlog.get_logger()

# `ahead` are facts that others have claimed: the oldest unsent facts are either claimed here, or locked by another
# relay, or rejected and waiting for a retry. The last are excluded by an index of their own, so that a subject with one
# such fact and thousands behind it does not fill the batch with facts that must wait.
_CLAIM = """
WITH claimed AS MATERIALIZED (
    SELECT id, seq, organization_id, name, subject_id, (payload ->> 'version')::integer AS version,
           payload::text AS body, created_at
    FROM outbox o
    WHERE sent_at IS NULL AND parked_at IS NULL AND due_at <= app.clock() AND NOT EXISTS (
        SELECT FROM outbox r WHERE r.sent_at IS NULL AND r.parked_at IS NULL AND r.attempts > 0
        AND r.subject_id = o.subject_id AND r.seq < o.seq)
    ORDER BY seq LIMIT $1
    FOR UPDATE SKIP LOCKED
), ahead AS (
    SELECT subject_id, min(seq) AS seq
    FROM outbox
    WHERE sent_at IS NULL AND parked_at IS NULL AND seq < (SELECT max(seq) FROM claimed)
      AND id NOT IN (SELECT id FROM claimed)
    GROUP BY subject_id
)
SELECT c.* FROM claimed c LEFT JOIN ahead a USING (subject_id) WHERE a.seq IS NULL OR a.seq > c.seq ORDER BY c.seq
"""
_MARK_SENT = """
UPDATE outbox SET sent_at = app.clock(), attempts = attempts + 1, last_error = NULL WHERE id = ANY ($1::uuid[])
"""
_MARK_REJECTED = """
UPDATE outbox o
SET attempts = attempts + 1, last_error = r.reason, due_at = app.clock() + r.pause * power(2, o.attempts),
    parked_at = CASE WHEN o.attempts + 1 >= $4 THEN app.clock() END
FROM unnest($1::uuid[], $2::text[], $3::interval[]) AS r (id, reason, pause)
WHERE o.id = r.id
RETURNING o.id, o.organization_id, o.name, o.attempts, o.parked_at
"""


class Outgoing(NamedTuple):
    id: UUID
    seq: int
    organization_id: UUID
    name: str
    subject_id: UUID
    version: int
    body: str  # JSON, as it was announced
    created_at: datetime


@dataclass
class Outcome:
    """The outcome of a batch. Facts in none of these have an unknown outcome, and are published again."""

    confirmed: list[UUID] = field(default_factory=list)
    unrouted: list[UUID] = field(default_factory=list)  # of the confirmed, those that no queue is bound for
    rejected: dict[UUID, str] = field(default_factory=dict)
    unavailable: Exception | None = None  # the publisher became unavailable meanwhile


class Publisher(Protocol):
    async def ready(self) -> Exception | None:
        """The error if it cannot be reached. Checked before any fact is claimed."""

    async def publish(self, batch: Sequence[Outgoing]) -> Outcome: ...


class Hint:
    """Wakes a waiting round because facts may have been committed. A lost hint costs one pause."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self, *_: Any) -> None:
        self._event.set()

    async def wait(self, at_most_s: float = IDLE_S) -> None:
        try:
            async with timeout(at_most_s):
                await self._event.wait()
        except TimeoutError:
            return
        finally:
            self._event.clear()


async def throttle(worked_s: float, oldest: datetime) -> None:
    """Leaves the database to buyers in a rush: pauses several times as long as it worked, until the facts are late."""
    if datetime.now(UTC) - oldest < LATE:
        await asyncio.sleep(PAUSE_FACTOR * worked_s)


class Relay:
    """One of any number. `finder` has the worker role; a round holds one of its connections."""

    def __init__(self, finder: Database, publisher: Publisher, hint: Hint | None = None) -> None:
        self._finder, self._publisher, self._hint = finder, publisher, hint or Hint()
        self._failures = 0
        self._oldest = datetime.now(UTC)

    async def run(self) -> None:
        """Runs until cancelled. A lost database or broker, or a bug, does not end it: the worker has other tasks."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                claimed, unavailable = await self.process_batch()
            except DATABASE_ERRORS as error:
                log.warning("relay.database_lost", detail="reconnecting", error=repr(error))
                await asyncio.sleep(jitter(IDLE_S))
                continue
            except Exception:
                log.exception("relay.round_failed", detail="a batch was rolled back and will be retried")
                await asyncio.sleep(jitter(RECONNECT_S_MAX))
                continue
            if unavailable:
                await self._back_off(unavailable)
                continue
            if self._failures and claimed:
                log.info("broker.restored", detail="facts are sent again")
                self._failures = 0
            elif claimed < BATCH:
                await (asyncio.sleep(BATCH_PAUSE_S) if claimed else self._hint.wait())
            else:
                await throttle(clock() - began, self._oldest)
            UNAVAILABLE.set(0)

    async def process_batch(self) -> tuple[int, Exception | None]:
        """One batch: how many facts were claimed, and the error if the publisher is unavailable.

        After a failure it tries a single fact: async handlers cannot process facts that are locked here.
        """
        if unavailable := await self._publisher.ready():
            return 0, unavailable
        async with self._finder.without_tenant(deadline_s=DEADLINE_S) as tx:
            batch = [Outgoing(**row) for row in await tx.fetch(_CLAIM, 1 if self._failures else BATCH)]
            if not batch:
                return 0, None
            self._oldest = batch[0].created_at
            outcome = await self._publisher.publish(batch)
            if outcome.confirmed:
                await tx.execute(_MARK_SENT, outcome.confirmed)
            if outcome.rejected:
                await self._record_rejected(tx, outcome.rejected)
        SENT.inc(len(outcome.confirmed))
        UNROUTED.inc(len(outcome.unrouted))
        return len(batch), outcome.unavailable

    async def _record_rejected(self, tx: Any, refused: Mapping[UUID, str]) -> None:
        pauses = [timedelta(seconds=jitter(2.0)) for _ in refused]
        rows = await tx.fetch(_MARK_REJECTED, [*refused], [*refused.values()], pauses, ATTEMPTS_MAX)
        for row in rows:
            fields = {"message_id": str(row["id"]), "organization_id": str(row["organization_id"]), "fact": row["name"]}
            fields |= {"attempt": row["attempts"], "error": refused[row["id"]]}
            REJECTED.labels("dead_lettered" if row["parked_at"] else "retry_scheduled").inc()
            if row["parked_at"]:
                log.error("relay.fact_dead_lettered", detail="`fullhouse messages dead-lettered` shows it", **fields)
            else:
                log.warning("relay.fact_rejected", detail="it will be retried", **fields)

    async def _back_off(self, unavailable: Exception) -> None:
        """Pauses longer after each failure, with jitter, so that relays do not reconnect at the same moment."""
        UNAVAILABLE.set(1)
        if not self._failures:
            detail = "facts wait in the outbox until it returns"
            log.warning("broker.unavailable", detail=detail, error=repr(unavailable))
        self._failures += 1
        await asyncio.sleep(jitter(min(RECONNECT_S_MAX, 0.2 * 2 ** min(self._failures, 10))))


def jitter(seconds: float) -> float:
    return seconds * random.uniform(0.5, 1.0)  # noqa: S311 (spreads the load, keeps no secret)
