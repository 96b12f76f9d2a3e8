"""The relay: takes facts from the outbox to a publisher, and marks those that it has confirmed.

Any number run at once, in any number of processes. What holds here:
- A fact is marked after the publisher's word, never before: a relay that dies in between makes a duplicate, which
  consumers know by its id, and never a gap.
- Facts of one subject leave in their order. Nobody takes one while an earlier one waits, or is in another's hands.
  A parked one no longer stands in the way: one bad fact must not silence its subject for ever.
- The rows are locked while they are published. A lease would have to be written, timed and cleaned up after; a lock
  goes with the connection of whoever dies. The price, a transaction open for seconds, has a deadline.
- A broker that is away is nobody's fault: no attempt is counted, and the relay itself waits. Attempts are for a fact
  that the broker refuses while it takes others.
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

from fullhouse.kit.db.database import LOST, Database

BATCH = 50
IDLE_S = 1.0  # how long it looks away without a hint
GATHER_S = 0.02  # after a batch that was not full: facts come in company
LATE = timedelta(seconds=30)
REST = 5  # times as long as was worked
ATTEMPTS_MAX = 12  # an hour, about
AWAY_S_MAX = 5.0  # between two tries to reach a broker that is away
DEADLINE_S = 30.0
SENT = Counter("fullhouse_facts_sent_total", "Facts that the broker has confirmed")
UNROUTED = Counter("fullhouse_facts_unrouted_total", "Facts that no queue of the broker wanted")
REFUSED = Counter("fullhouse_facts_refused_total", "Facts that the broker refused, by what followed", ["outcome"])
AWAY = Gauge("fullhouse_broker_away", "The broker does not answer", multiprocess_mode="mostrecent")
log = structlog.get_logger()

# `ahead` is what others have in their hands: the oldest unsent facts are either claimed here, or locked there, or
# refused and resting. The last are asked for by an index of their own, so that a subject with one resting fact and
# thousands behind it does not fill the batch with facts that must wait.
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
_MARK = """
UPDATE outbox SET sent_at = app.clock(), attempts = attempts + 1, last_error = NULL WHERE id = ANY ($1::uuid[])
"""
_REFUSED = """
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
    """What became of a batch. What is in none of these is unknown, and published again."""

    confirmed: list[UUID] = field(default_factory=list)
    unrouted: list[UUID] = field(default_factory=list)  # of the confirmed, those that no queue wanted
    refused: dict[UUID, str] = field(default_factory=dict)
    away: Exception | None = None  # the publisher was lost on the way


class Publisher(Protocol):
    async def ready(self) -> Exception | None:
        """Why it cannot be reached, if so: asked before any fact is taken."""

    async def publish(self, batch: Sequence[Outgoing]) -> Outcome: ...


class Hint:
    """Facts may be waiting. Set by whoever hears of a commit; a lost hint costs one pause."""

    def __init__(self) -> None:
        self._given = asyncio.Event()

    def give(self, *_: Any) -> None:
        self._given.set()

    async def wait(self, at_most_s: float = IDLE_S) -> None:
        try:
            async with asyncio.timeout(at_most_s):
                await self._given.wait()
        except TimeoutError:
            return
        finally:
            self._given.clear()


async def give_way(worked_s: float, oldest: datetime) -> None:
    """In a rush those who buy go first: rests several times as long as was worked, until what waits is late."""
    if datetime.now(UTC) - oldest < LATE:
        await asyncio.sleep(REST * worked_s)


class Relay:
    """One of any number. `finder` acts as the worker role; a round keeps one of its connections."""

    def __init__(self, finder: Database, publisher: Publisher, hint: Hint | None = None) -> None:
        self._finder, self._publisher, self._hint = finder, publisher, hint or Hint()
        self._failures = 0
        self._oldest = datetime.now(UTC)

    async def run(self) -> None:
        """Until cancelled, through lost databases and brokers, and mistakes of ours: the worker has more to do."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                taken, away = await self.round()
            except LOST as error:
                log.warning("the relay lost its database", error=repr(error))
                await asyncio.sleep(jitter(IDLE_S))
                continue
            except Exception:
                log.exception("the relay failed; it goes on")
                await asyncio.sleep(jitter(AWAY_S_MAX))
                continue
            if away:
                await self._rest(away)
                continue
            if self._failures and taken:
                log.info("the broker is back")
                self._failures = 0
            elif taken < BATCH:
                await (asyncio.sleep(GATHER_S) if taken else self._hint.wait())
            else:
                await give_way(clock() - began, self._oldest)
            AWAY.set(0)

    async def round(self) -> tuple[int, Exception | None]:
        """One batch: how many were taken, and why it was cut short if it was.

        After a failure it tries with a single fact: what is locked meanwhile, the house cannot react to.
        """
        if away := await self._publisher.ready():
            return 0, away
        async with self._finder.nobody(deadline_s=DEADLINE_S) as tx:
            batch = [Outgoing(**row) for row in await tx.fetch(_CLAIM, 1 if self._failures else BATCH)]
            if not batch:
                return 0, None
            self._oldest = batch[0].created_at
            outcome = await self._publisher.publish(batch)
            if outcome.confirmed:
                await tx.execute(_MARK, outcome.confirmed)
            if outcome.refused:
                await self._refuse(tx, outcome.refused)
        SENT.inc(len(outcome.confirmed))
        UNROUTED.inc(len(outcome.unrouted))
        return len(batch), outcome.away

    async def _refuse(self, tx: Any, refused: Mapping[UUID, str]) -> None:
        pauses = [timedelta(seconds=jitter(2.0)) for _ in refused]
        rows = await tx.fetch(_REFUSED, [*refused], [*refused.values()], pauses, ATTEMPTS_MAX)
        for row in rows:
            said = {"message_id": str(row["id"]), "organization_id": str(row["organization_id"]), "fact": row["name"]}
            said |= {"attempt": row["attempts"], "error": refused[row["id"]]}
            REFUSED.labels("parked" if row["parked_at"] else "later").inc()
            if row["parked_at"]:
                log.error("a fact was parked: `fullhouse messages parked` shows it", **said)
            else:
                log.warning("the broker refused a fact", **said)

    async def _rest(self, away: Exception) -> None:
        """Longer every time, and never together with the others."""
        AWAY.set(1)
        if not self._failures:
            log.warning("the broker is away; facts wait", error=repr(away))
        self._failures += 1
        await asyncio.sleep(jitter(min(AWAY_S_MAX, 0.2 * 2 ** min(self._failures, 10))))


def jitter(seconds: float) -> float:
    return seconds * random.uniform(0.5, 1.0)  # noqa: S311 (spreads the load, keeps no secret)
