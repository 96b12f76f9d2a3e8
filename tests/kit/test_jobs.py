"""Deferred work: asked for in the change's transaction, run at least once, held for an operator when nothing helps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from structlog.testing import capture_logs

from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import job_worker
from fullhouse.kit.messages.job_worker import JobWorker
from fullhouse.kit.messages.jobs import enqueue
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit.helpers import end_backends, until

A_WORKER = "application_name = 'fullhouse:fullhouse_worker'"


@pytest.fixture
def name() -> str:
    """The queue is shared by all tests: each has a kind of job of its own."""
    return f"test.{new_id().hex}"


class Handler:
    """Writes down what it was called with. `fails` so many times first; waits while `gate` is closed."""

    def __init__(self) -> None:
        self.calls: list[tuple[UUID, Any]] = []
        self.finished = 0
        self.fails = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, _database: Database, organization_id: UUID, payload: Any) -> None:
        self.calls.append((organization_id, payload))
        await self.gate.wait()
        if len(self.calls) <= self.fails:
            raise ZeroDivisionError("no luck")
        self.finished += 1


@pytest.fixture
def handler() -> Handler:
    return Handler()


@pytest.fixture
async def start(services: Services, server_url: str, name: str, handler: Handler) -> AsyncIterator[Any]:
    """Starts a worker; it is stopped after the test."""
    async with AsyncExitStack() as stack:

        async def stop(task: asyncio.Task[None]) -> None:
            task.cancel()
            await asyncio.wait((task,))

        def start(max_attempts: int = 3) -> asyncio.Task[None]:
            pause = timedelta(milliseconds=10)
            worker = JobWorker(
                server_url, services.database, {name: handler}, max_attempts=max_attempts, first_pause=pause
            )
            task = asyncio.create_task(worker.run())
            stack.push_async_callback(stop, task)
            return task

        yield start


@pytest.fixture
def ask(services: Services, tenant: Tenant, name: str) -> Any:
    async def ask(payload: Any = None, **options: Any) -> None:
        async with services.database.tenant(tenant.id) as tx:
            await enqueue(tx, name, payload, **options)

    return ask


async def queue(owner: Any, name: str) -> list[Any]:
    return list(await owner.fetch("SELECT * FROM jobs.queue WHERE entrypoint = $1 ORDER BY id", name))


async def test_a_job_runs_in_its_organisation_with_its_payload(
    start: Any, ask: Any, handler: Handler, tenant: Tenant, owner: Any, name: str
) -> None:
    start()
    await ask({"n": 1, "words": ["a", None]})
    await until(lambda: handler.finished == 1)
    assert handler.calls == [(tenant.id, {"n": 1, "words": ["a", None]})]
    await until(lambda: _empty(owner, name))
    states = await owner.fetch("SELECT status::text FROM jobs.history WHERE entrypoint = $1 ORDER BY id", name)
    assert (states[0]["status"], states[-1]["status"]) == ("queued", "successful")


async def test_no_change_no_job(services: Services, tenant: Tenant, owner: Any, name: str) -> None:
    with pytest.raises(ZeroDivisionError):
        async with services.database.tenant(tenant.id) as tx:
            await enqueue(tx, name, None)
            raise ZeroDivisionError
    assert await queue(owner, name) == []


async def test_a_job_is_not_run_before_the_commit(
    start: Any, services: Services, tenant: Tenant, handler: Handler, name: str, ask: Any
) -> None:
    start()
    async with services.database.tenant(tenant.id) as tx:
        await enqueue(tx, name, "first in line")
        await ask("committed before it")
        await until(lambda: handler.finished == 1)
        assert handler.calls == [(tenant.id, "committed before it")]
    await until(lambda: handler.finished == 2)


async def test_a_job_for_later_waits(start: Any, ask: Any, handler: Handler, owner: Any, name: str) -> None:
    start()
    await ask("later", after=timedelta(hours=1))
    await ask("now")
    await until(lambda: handler.finished == 1)
    assert [payload for _, payload in handler.calls] == ["now"]
    await until(lambda: _count(owner, name, 1))


async def test_a_failed_job_is_run_again(start: Any, ask: Any, handler: Handler, owner: Any, name: str) -> None:
    handler.fails = 2
    start()
    await ask()
    await until(lambda: handler.finished == 1)
    assert len(handler.calls) == 3
    await until(lambda: _empty(owner, name))


async def test_after_the_last_attempt_a_job_is_held_for_an_operator(
    start: Any, ask: Any, handler: Handler, owner: Any, name: str
) -> None:
    handler.fails = 3
    with capture_logs() as said:
        start(max_attempts=3)
        await ask("important")
        held = await until(lambda: _with_status(owner, name, "failed"))
    assert len(handler.calls) == 3
    told = [(it["log_level"], it["attempt"]) for it in said if "attempt" in it]
    assert told == [("warning", 1), ("warning", 2), ("error", 3)]
    assert b"important" in held["payload"]
    failure = "SELECT traceback::text FROM jobs.history WHERE job_id = $1 AND status = 'failed'"
    assert "no luck" in await owner.fetchval(failure, held["id"])

    await owner.execute("UPDATE jobs.queue SET status = 'queued', attempts = 0 WHERE id = $1", held["id"])
    await ask("wakes the worker")
    await until(lambda: handler.finished == 2)


async def test_some_jobs_have_more_patience(
    services: Services, server_url: str, ask: Any, handler: Handler, owner: Any, name: str
) -> None:
    handler.fails = 4
    pause = timedelta(milliseconds=10)
    worker = JobWorker(
        server_url, services.database, {name: handler}, max_attempts=2, first_pause=pause, patience={name: 5}
    )
    task = asyncio.create_task(worker.run())
    try:
        await ask()
        await until(lambda: handler.finished == 1)
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def test_the_same_once_waits_once(start: Any, ask: Any, handler: Handler, owner: Any, name: str) -> None:
    await asyncio.gather(*(ask(n, once=f"once:{name}") for n in range(5)))
    assert len(await queue(owner, name)) == 1
    start()
    await until(lambda: _empty(owner, name))
    assert handler.finished == 1
    await ask("again", once=f"once:{name}")
    await until(lambda: handler.finished == 2)


async def test_workers_share_the_jobs(start: Any, ask: Any, handler: Handler, owner: Any, name: str) -> None:
    for _ in range(3):
        start()
    await asyncio.gather(*(ask(n) for n in range(30)))
    await until(lambda: _empty(owner, name))
    assert sorted(payload for _, payload in handler.calls) == list(range(30))


async def test_a_worker_comes_back_after_its_connection_ended(
    start: Any, ask: Any, handler: Handler, owner: Any
) -> None:
    start()
    await ask(1)
    await until(lambda: handler.finished == 1)
    assert await end_backends(owner, A_WORKER) == 1
    await ask(2)
    await until(lambda: handler.finished == 2)
    assert [payload for _, payload in handler.calls] == [1, 2]


async def test_a_worker_that_is_stopped_finishes_what_it_has_in_hand(
    start: Any, ask: Any, handler: Handler, owner: Any, name: str
) -> None:
    handler.gate.clear()
    worker = start()
    await ask()
    await until(lambda: handler.calls)
    worker.cancel()
    await asyncio.sleep(0)
    handler.gate.set()
    await asyncio.wait((worker,), timeout=10)
    assert worker.cancelled()
    assert handler.finished == 1
    assert await queue(owner, name) == []


async def test_a_job_that_takes_too_long_to_finish_is_given_back(
    start: Any, ask: Any, handler: Handler, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_worker, "FINISH_WITHIN_S", 0.1)
    handler.gate.clear()
    worker = start()
    await ask("precious")
    await until(lambda: handler.calls)
    worker.cancel()
    await asyncio.wait((worker,), timeout=10)
    assert worker.cancelled()
    assert len(await queue(owner, name)) == 1

    handler.gate.set()
    await owner.execute("UPDATE jobs.queue SET heartbeat = now() - interval '1 hour' WHERE entrypoint = $1", name)
    start()
    await until(lambda: handler.finished == 1)
    assert [payload for _, payload in handler.calls] == ["precious", "precious"]


async def test_the_application_puts_jobs_in_but_cannot_read_them(services: Services, tenant: Tenant, ask: Any) -> None:
    await ask("secret")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with services.database.tenant(tenant.id) as tx:
            await tx.fetch("SELECT payload FROM jobs.queue")


async def _empty(owner: Any, name: str) -> bool:
    return await queue(owner, name) == []


async def _count(owner: Any, name: str, rows: int) -> bool:
    return len(await queue(owner, name)) == rows


async def _with_status(owner: Any, name: str, status: str) -> Any:
    return next((row for row in await queue(owner, name) if row["status"] == status), None)
