"""Runs the jobs that kit/messages/jobs.py enqueued, by PgQueuer. Only worker processes load this."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import structlog
from pgqueuer import AsyncpgDriver, Job, PgQueuer, Queries
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import Channel
from pgqueuer.executors import DatabaseRetryEntrypointExecutor

from fullhouse.kit.db.database import DATABASE_ERRORS, WORKER, Database, session_settings
from fullhouse.kit.messages.jobs import Handler
from fullhouse.kit.tasks import timeout

log = structlog.get_logger()
FINISH_WITHIN_S = 10.0

# Every name is set: PgQueuer would otherwise read bare environment variables such as TRIGGER.
_NAMES = DBSettings(
    db_schema="jobs",
    prefix="",
    channel=Channel("fullhouse_jobs"),
    function="changed",
    trigger="queue_changed",
    queue_table="queue",
    queue_table_log="history",
    queue_status_type="status",
    schedules_table="schedules",
    statistics_table="statistics",
)


def _queries(connection: Any) -> Queries:
    return Queries(
        AsyncpgDriver(connection),
        qbe=QueryBuilderEnvironment(_NAMES),
        qbq=QueryQueueBuilder(_NAMES),
        qbs=QuerySchedulerBuilder(_NAMES),
    )


class JobWorker:
    """Runs the jobs of a table `name -> handler` until cancelled, and reconnects when the database is lost."""

    def __init__(
        self,
        url: str,
        database: Database,
        handlers: Mapping[str, Handler],
        *,
        max_attempts: int = 14,  # six hours
        patience: Mapping[str, int] | None = None,  # most attempts, by job, where it differs
        first_pause: timedelta = timedelta(seconds=15),
    ) -> None:
        self._url, self._database, self._handlers = url, database, handlers
        self._max_attempts, self._attempts_by_job = max_attempts, patience or {}
        self._first_pause = first_pause

    async def run(self) -> None:
        while True:
            try:
                await self._serve()
            except DATABASE_ERRORS as error:
                log.warning("job_worker.database_lost", detail="reconnecting", error=repr(error))
            await asyncio.sleep(1)

    async def _serve(self) -> None:
        # A plain connection without our codecs: PgQueuer passes JSON as text.
        connection = await asyncpg.connect(
            self._url, timeout=5, command_timeout=30, server_settings=session_settings(WORKER)
        )
        try:
            queue = PgQueuer(AsyncpgDriver(connection), channel=_NAMES.channel, queries=_queries(connection))
            connection.add_termination_listener(lambda _: queue.shutdown.set())
            for name, handler in self._handlers.items():
                self._register(queue, name, handler)
            running = asyncio.create_task(queue.run(dequeue_timeout=timedelta(seconds=5), batch_size=5))
            try:
                await asyncio.shield(running)
            except asyncio.CancelledError:
                queue.shutdown.set()
                await self._finish(running, connection)
                raise
        finally:
            connection.terminate()

    async def _finish(self, running: "asyncio.Task[None]", connection: Any) -> None:
        """Claims no more jobs and finishes the running ones. One that takes too long is released: its row stays
        `picked`, and without our heartbeat another worker claims it. If PgQueuer were cancelled while connected, it
        would delete the row.
        """
        try:
            async with timeout(FINISH_WITHIN_S):
                await asyncio.shield(running)
        except TimeoutError:
            log.warning("job.released", detail="it was still running at shutdown; another worker will run it again")
        finally:
            connection.terminate()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    def _register(self, queue: PgQueuer, name: str, handler: Handler) -> None:
        max_attempts = self._attempts_by_job.get(name, self._max_attempts)

        async def run(job: Job) -> None:
            stored = msgspec.json.decode(job.payload or b"{}")
            with structlog.contextvars.bound_contextvars(job=name, organization_id=stored["organization_id"]):
                try:
                    await handler(self._database, UUID(stored["organization_id"]), stored["payload"])
                except Exception as error:
                    attempt = job.attempts + 1
                    if attempt < max_attempts:
                        log.warning("job.failed", detail="it will be retried", attempt=attempt, error=repr(error))
                    else:
                        log.exception("job.given_up", detail="`fullhouse jobs` shows it", attempt=attempt)
                    raise

        queue.entrypoint(
            name,
            on_failure="hold",
            executor_factory=lambda parameters: DatabaseRetryEntrypointExecutor(
                parameters=parameters,
                max_attempts=max_attempts - 1,  # it counts the retries
                initial_delay=self._first_pause,
                max_delay=timedelta(hours=1),
            ),
        )(run)
