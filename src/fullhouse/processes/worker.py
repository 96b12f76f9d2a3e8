"""The worker process: jobs, messages and the periodic loops. Any number may run; each loop has one leader."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import structlog
import uvloop
from prometheus_client import start_http_server

from fullhouse import config, prove, wiring
from fullhouse.accounts import jobs as accounts_jobs
from fullhouse.broker import jobs as messaging_jobs
from fullhouse.broker.message_tasks import open_message_tasks
from fullhouse.checkout import jobs as checkout_jobs
from fullhouse.config import Config
from fullhouse.events import jobs as events_jobs
from fullhouse.events import store as events_store
from fullhouse.holds import jobs as holds_jobs
from fullhouse.holds.measures.sale_monitor import SaleMonitor
from fullhouse.kit.db.database import WORKER, Database, delete_in_batches
from fullhouse.kit.http import idempotency
from fullhouse.kit.mail import mailbox
from fullhouse.kit.messages.job_worker import JobWorker
from fullhouse.kit.messages.loops import Loop, run_in_each_process
from fullhouse.kit.process_control import lower_priority
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.kit.telemetry import telemetry
from fullhouse.mail.turns import jobs as turn_jobs
from fullhouse.payments import jobs as payments_jobs
from fullhouse.refunds import jobs as refund_jobs
from fullhouse.relocations import jobs as relocation_jobs
from fullhouse.waiting_room import jobs as queue_jobs
from fullhouse.waitlist import jobs as waitlist_jobs
from fullhouse.webhooks import jobs as webhook_jobs

log = structlog.get_logger()
STOP_WITHIN_S = 12.0
DELETE_HISTORY = """
DELETE FROM jobs.history WHERE id IN (
    SELECT id FROM jobs.history WHERE created < now() - interval '30 days' LIMIT 1000)
"""


def main() -> int:
    settings = config.load(os.environ)
    telemetry.configure_logs(settings.log_level, process="worker")
    lower_priority()
    if (
        settings.metrics_port and "PROMETHEUS_MULTIPROC_DIR" not in os.environ
    ):  # under `serve` the API process reports them
        start_http_server(settings.metrics_port, settings.host)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(settings))
    return 0


async def run(settings: Config) -> None:
    """Runs until SIGTERM or SIGINT; then jobs in progress are finished or released."""
    assert settings.database_url, "`serve` or the operator sets it"
    wiring.register_handlers(settings.public_url)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with (
        open_services(
            url=settings.database_url,
            read_url=None,
            redis_url=settings.redis_url,
            secret_key=config.load_secret_key(settings),
            files=wiring.file_storage(settings),
            public_url=settings.public_url,
            pool_size=settings.database_connections,
            private_webhooks=settings.webhooks_private,
        ) as services,
        open_parts(services, wiring.WORKER_PARTS, wiring.part_settings(settings)),
        open_message_tasks(services, settings.amqp_url, wiring.async_handlers(services), wiring.ASYNC_ALL) as post,
    ):
        finder = await Database.open(settings.database_url, WORKER, size=4)
        worker = JobWorker(
            settings.database_url,
            services.database,
            wiring.job_handlers(settings, services),
            patience={mailbox.JOB: mailbox.ATTEMPTS},
        )
        watch = partial(messaging_jobs.update_gauges, finder, broker=bool(settings.amqp_url))
        tasks = [
            asyncio.create_task(worker.run(), name="jobs"),
            *(
                asyncio.create_task(loop.run(), name=loop.name)
                for loop in build_loops(settings.database_url, finder, services, broker=bool(settings.amqp_url))
            ),
            *(asyncio.create_task(work(), name=name) for name, work in post.items()),
            asyncio.create_task(run_in_each_process("measure_messages", 15, watch), name="measure_messages"),
        ]
        log.info("worker.started", tasks=len(tasks))
        try:
            await _wait_until_stopped(stop, tasks)
        finally:
            await _cancel(tasks)
            await finder.close()


def build_loops(url: str, finder: Database, services: Services, *, broker: bool = False) -> list[Loop]:
    """The periodic loops. Each may run late, twice or not at all for a while: no decision depends on when it runs. The
    names are metric labels and log fields."""
    database, files, watch = services.database, services.files, SaleMonitor(services, finder)
    table: list[tuple[str, float, Callable[[], Awaitable[Any]]]] = [
        ("create_audit_partitions", 3600, lambda: _create_audit_partitions(finder)),
        ("delete_old_idempotency_keys", 600, lambda: idempotency.delete_old_keys(finder)),
        ("delete_expired_sessions", 600, lambda: accounts_jobs.sweep_all(finder)),
        ("transition_events", 1, lambda: events_jobs.move_due_events(finder, database)),
        ("advance_waiting_rooms", 1, lambda: queue_jobs.advance_waiting_rooms(services, finder)),
        ("measure_waiting_rooms", 15, lambda: queue_jobs.count_people(finder)),
        ("send_waiting_room_emails", 10, lambda: turn_jobs.email_waiting_rooms(finder, database)),
        ("expire_holds", 1, lambda: holds_jobs.sweep_holds(finder, database)),
        ("expire_checkouts", 2, lambda: checkout_jobs.expire_sessions(finder, database)),
        ("process_waitlists", 5, lambda: waitlist_jobs.serve_lists(finder, database)),
        ("poll_payments", 2, lambda: payments_jobs.poll_attempts(finder, services)),
        ("process_refunds", 2, lambda: payments_jobs.pay_refunds(finder, services)),
        ("refund_cancelled_events", 5, lambda: refund_jobs.refund_cancelled_events(finder, database)),
        ("expire_relocations", 60, lambda: relocation_jobs.expire_relocations(finder, database)),
        ("expire_proposals", 60, lambda: checkout_jobs.expire_proposals(finder, database)),
        ("rebuild_redis_mirror", 300, lambda: holds_jobs.rebuild_redis_mirror(services, finder)),
        ("watch_events", 60, watch.check_all),
        ("rank_events", 10, lambda: events_jobs.update_ranks(finder, database)),
        ("delete_old_ranks", 600, lambda: delete_in_batches(finder, events_store.DELETE_OLD_RANKS)),
        ("delete_unused_images", 3600, lambda: events_jobs.delete_unused_images(finder, database, files)),
        ("delete_old_webhook_deliveries", 3600, lambda: delete_in_batches(finder, webhook_jobs.DELETE_OLD_DELIVERIES)),
        ("delete_old_messages", 600, lambda: messaging_jobs.delete_old_messages(finder, broker=broker)),
        ("recount_participants", 3600, lambda: messaging_jobs.correct_counts(finder, database)),
        ("delete_job_history", 3600, lambda: delete_in_batches(finder, DELETE_HISTORY)),
        ("check_invariants", 3600, lambda: prove.run_and_alert(url)),
    ]
    return [Loop(name, every_s, work, url=url) for name, every_s, work in table]


async def _create_audit_partitions(finder: Database) -> None:
    async with finder.without_tenant() as tx:
        await tx.execute("SELECT app.make_audit_months()")


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    """Cancels once and waits, so that jobs in progress finish; then cancels the rest again, with short waits."""
    left = set(tasks)
    for timeout_s in (STOP_WITHIN_S, 1, 1):
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=timeout_s)
        if not left:
            return
    log.error(
        "worker.stop_timeout", detail="the process exits without these tasks", tasks=[task.get_name() for task in left]
    )


async def _wait_until_stopped(stop: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    """The tasks never end by themselves: if one does, the process ends, and the supervisor restarts it."""
    waiting = asyncio.create_task(stop.wait())
    done, _ = await asyncio.wait((waiting, *tasks), return_when=asyncio.FIRST_COMPLETED)
    if waiting not in done:
        waiting.cancel()
        next(iter(done)).result()
        raise RuntimeError(f"{next(iter(done)).get_name()} ended")
