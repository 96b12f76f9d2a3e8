"""Deferred work: calls to other systems (mail, webhooks, refunds).

`enqueue` writes the job in the transaction of the change: no change, no job. A worker (job_worker.py) runs it at
least once, retries it after a failure with growing pauses, and after the last attempt keeps it for an operator.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from fullhouse.kit.db.database import Database, Tx

Handler = Callable[[Database, UUID, Any], Awaitable[None]]  # opens its own transactions; may run twice

# PgQueuer's own enqueue, as one plain statement: processes that only enqueue do not have to import PgQueuer.
_ENQUEUE = """
WITH put AS (
    INSERT INTO jobs.queue (priority, status, entrypoint, payload, execute_after, dedupe_key)
    VALUES (0, 'queued', $1, $2, now() + $3, $4)
    ON CONFLICT (dedupe_key) WHERE status IN ('queued', 'picked') AND dedupe_key IS NOT NULL DO NOTHING
    RETURNING id, entrypoint, priority
)
INSERT INTO jobs.history (job_id, status, entrypoint, priority)
SELECT id, 'queued', entrypoint, priority FROM put
"""


_ENQUEUE_ALL = """
WITH put AS (
    INSERT INTO jobs.queue (priority, status, entrypoint, payload, execute_after)
    SELECT 0, 'queued', $1, job.payload, now() + job.pause
    FROM unnest($2::bytea[], $3::interval[]) AS job (payload, pause)
    RETURNING id, entrypoint, priority
)
INSERT INTO jobs.history (job_id, status, entrypoint, priority)
SELECT id, 'queued', entrypoint, priority FROM put
"""


async def enqueue(tx: Tx, name: str, payload: Any, *, after: timedelta | None = None, once: str | None = None) -> None:
    """Enqueues the job `name`. While a job with the same `once` is queued or running, this is a no-op."""
    body = msgspec.json.encode({"organization_id": tx.organization_id, "payload": payload})
    await tx.execute(_ENQUEUE, name, body, after or timedelta(), once)


async def enqueue_all(tx: Tx, name: str, work: Sequence[tuple[Any, timedelta]]) -> None:
    """Many at once: payloads, each with the pause after which it is due."""
    bodies = [msgspec.json.encode({"organization_id": tx.organization_id, "payload": payload}) for payload, _ in work]
    await tx.execute(_ENQUEUE_ALL, name, bodies, [pause for _, pause in work])
