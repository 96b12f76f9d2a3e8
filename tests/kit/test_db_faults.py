"""No call waits for ever, and a handler that ends in the middle leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.db.database import APP, DATABASE_ERRORS, Database, connect
from tests.fixtures import Tenant
from tests.kit.helpers import end_backends, frozen, until
from tests.kit.test_db import open_transactions, subjects, write


@pytest.fixture
async def database(server_url: str) -> AsyncIterator[Database]:
    """One connection only: whatever a test leaves behind on it, its next transaction meets."""
    opened = await Database.open(server_url, APP, size=1)
    yield opened
    await opened.close()


async def none_open(owner: Any) -> bool:
    return await open_transactions(owner) == 0


# --- deadlines


async def test_waiting_for_a_lock_ends_at_the_deadline(database: Database, tenant: Tenant, owner: Any) -> None:
    async with owner.transaction():
        await owner.execute("SELECT FROM organizations WHERE id = $1 FOR UPDATE", tenant.id)
        with pytest.raises(TimeoutError):
            async with database.tenant(tenant.id, deadline_s=0.3) as tx:
                await tx.execute("UPDATE organizations SET name = 'x' WHERE id = $1", tenant.id)
    async with database.tenant(tenant.id) as tx:
        assert await tx.fetchval("SELECT name FROM organizations WHERE id = $1", tenant.id) == "Test House"


async def test_the_server_ends_a_wait_for_a_lock_by_itself(database: Database, tenant: Tenant, owner: Any) -> None:
    async with owner.transaction():
        await owner.execute("SELECT FROM organizations WHERE id = $1 FOR UPDATE", tenant.id)
        with pytest.raises(asyncpg.LockNotAvailableError):
            async with database.tenant(tenant.id) as tx:
                assert await tx.fetchval("SHOW lock_timeout") == "5s"
                await tx.execute("SET LOCAL lock_timeout = '50ms'")
                await tx.execute("UPDATE organizations SET name = 'x' WHERE id = $1", tenant.id)


@pytest.mark.fault
async def test_a_server_that_falls_silent_costs_the_deadline_and_no_more(database: Database, tenant: Tenant) -> None:
    async with asyncio.timeout(20):
        async with database.tenant(tenant.id) as tx:
            pid = await tx.fetchval("SELECT pg_backend_pid()")
        with frozen(pid):
            with pytest.raises(TimeoutError):
                async with database.tenant(tenant.id, deadline_s=0.3):
                    pass
            async with database.tenant(tenant.id) as tx:
                assert await tx.fetchval("SELECT pg_backend_pid()") != pid


async def test_a_full_pool_is_an_error_not_a_queue_without_end(database: Database, tenant: Tenant) -> None:
    async with database.tenant(tenant.id):
        with pytest.raises(TimeoutError):
            async with database.tenant(tenant.id, deadline_s=0.2):
                pass


# --- what a handler leaves behind


@pytest.mark.parametrize("turns", [2**n for n in range(11)])
async def test_a_handler_cancelled_anywhere_leaves_no_transaction(
    database: Database, tenant: Tenant, owner: Any, turns: int
) -> None:
    """Cancelled so many turns of the event loop after its start: before, in and after BEGIN, INSERT and COMMIT."""

    async def handle() -> None:
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")

    handler = asyncio.create_task(handle())
    for _ in range(turns):
        await asyncio.sleep(0)
    handler.cancel()
    await asyncio.gather(handler, return_exceptions=True)
    await until(lambda: none_open(owner))
    async with database.without_tenant() as tx:
        assert await tx.fetchval("SELECT app.org()") is None
    assert await subjects(owner, tenant) in ([], ["one"])


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_handler_cancelled_while_it_waits_leaves_no_transaction(
    database: Database, tenant: Tenant, owner: Any, at_once: bool
) -> None:
    """At once: our wish to cancel can overtake the statement itself, and then cancels nothing."""
    sent = asyncio.Event()

    async def handle() -> None:
        async with database.tenant(tenant.id, deadline_s=60) as tx:
            await write(tx, "one")
            sent.set()
            await tx.execute("SELECT pg_sleep(60)")

    handler = asyncio.create_task(handle())
    await sent.wait()
    if not at_once:
        await until(lambda: owner.fetchval("SELECT true FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
    handler.cancel()
    with pytest.raises(asyncio.CancelledError):
        await handler
    await until(lambda: none_open(owner), deadline_s=8)  # before the statement's own time-out
    assert await subjects(owner, tenant) == []


async def test_a_statement_whose_caller_is_gone_ends(server_url: str, owner: Any) -> None:
    connection = await connect(server_url, APP)
    pid = connection.get_server_pid()
    forgotten = asyncio.create_task(connection.execute("SELECT pg_sleep(60)"))
    await until(lambda: owner.fetchval("SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $1", pid))
    connection.terminate()
    await asyncio.gather(forgotten, return_exceptions=True)
    gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)"
    await until(lambda: owner.fetchval(gone, pid), deadline_s=8)


async def test_a_lost_connection_is_replaced(database: Database, tenant: Tenant, owner: Any) -> None:
    async def at_work() -> None:
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            assert await end_backends(owner, f"pid = {await tx.fetchval('SELECT pg_backend_pid()')}")
            await tx.fetchval("SELECT 1")

    with pytest.raises(DATABASE_ERRORS):
        await at_work()
    assert await subjects(owner, tenant) == []

    async def again() -> bool:
        async with database.tenant(tenant.id) as tx:
            return bool(await tx.fetchval("SELECT true"))

    assert await until(again)
