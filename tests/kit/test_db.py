"""One transaction, one organisation, all or nothing; and no call that waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.db import APP, CommitFailed, Database, Message, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.kit.helpers import end_backends, frozen, until

INSERT = "INSERT INTO mails (id, organization_id, recipient, subject) VALUES ($1, $2, 'a@example.org', $3)"


class Ear:
    """A bus that only remembers what it was told to carry."""

    def __init__(self) -> None:
        self.before: list[Message] = []
        self.after: list[Message] = []

    async def before_commit(self, _connection: Any, messages: list[Message]) -> None:
        self.before += messages

    def after_commit(self, messages: list[Message]) -> None:
        self.after += messages


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def database(server_url: str, ear: Ear) -> AsyncIterator[Database]:
    """One connection only: whatever a test leaves behind on it, its next transaction meets."""
    opened = await Database.open(server_url, APP, size=1, bus=ear)
    yield opened
    await opened.close()


async def write(tx: Tx, subject: str) -> None:
    await tx.execute(INSERT, new_id(), tx.organization_id, subject)


async def subjects(owner: Any, tenant: Tenant) -> list[str]:
    rows = await owner.fetch("SELECT subject FROM mails WHERE organization_id = $1 ORDER BY subject", tenant.id)
    return [row["subject"] for row in rows]


async def open_transactions(owner: Any) -> int:
    return int(
        await owner.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND application_name LIKE 'fullhouse:%'"
        )
    )


# --- tenancy


@pytest.mark.req("TEN-1")
async def test_a_transaction_sees_its_own_organisation_and_no_other(
    database: Database, tenant: Tenant, other_tenant: Tenant
) -> None:
    async with database.tenant(tenant.id) as tx:
        assert {row["organization_id"] for row in await tx.fetch("SELECT * FROM users")} == {tenant.id}
    async with database.tenant(other_tenant.id) as tx:
        assert {row["organization_id"] for row in await tx.fetch("SELECT * FROM users")} == {other_tenant.id}


@pytest.mark.req("TEN-1")
async def test_the_organisation_ends_with_the_transaction(database: Database, tenant: Tenant) -> None:
    async with database.tenant(tenant.id) as tx:
        pid = await tx.fetchval("SELECT pg_backend_pid()")
    with pytest.raises(ZeroDivisionError):
        async with database.tenant(tenant.id):
            raise ZeroDivisionError
    async with database.nobody() as tx:
        assert await tx.fetchval("SELECT pg_backend_pid()") == pid
        assert await tx.fetchval("SELECT app.org()") is None
        assert await tx.fetchval("SELECT count(*) FROM users") == 0


@pytest.mark.req("TEN-1")
async def test_concurrent_transactions_do_not_mix(services: Services, tenant: Tenant, other_tenant: Tenant) -> None:
    async def look(who: Tenant) -> bool:
        async with services.database.tenant(who.id) as tx:
            await asyncio.sleep(0)
            return {row["organization_id"] for row in await tx.fetch("SELECT * FROM users")} == {who.id}

    assert all(await asyncio.gather(*(look(who) for who in [tenant, other_tenant] * 20)))


# --- all or nothing


async def test_what_is_written_is_there_after_the_block(database: Database, tenant: Tenant, owner: Any) -> None:
    async with database.tenant(tenant.id) as tx:
        await write(tx, "one")
        await write(tx, "two")
        assert await subjects(owner, tenant) == []
    assert await subjects(owner, tenant) == ["one", "two"]


async def test_an_exception_takes_everything_back(database: Database, tenant: Tenant, owner: Any, ear: Ear) -> None:
    hooked: list[str] = []
    with pytest.raises(ZeroDivisionError):
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            tx.tell("topic", 1)
            tx.after_commit.append(lambda: hooked.append("ran"))
            raise ZeroDivisionError
    assert await subjects(owner, tenant) == []
    assert (ear.before, ear.after, hooked) == ([], [], [])


async def test_words_and_hooks_leave_at_the_commit(database: Database, tenant: Tenant, ear: Ear) -> None:
    hooked: list[str] = []
    async with database.tenant(tenant.id) as tx:
        tx.tell("topic", 1)
        tx.after_commit.append(lambda: hooked.append("ran"))
        assert (ear.before, ear.after, hooked) == ([], [], [])
    assert (ear.before, ear.after, hooked) == ([("topic", 1)], [("topic", 1)], ["ran"])


async def test_a_swallowed_error_is_no_success(database: Database, tenant: Tenant, owner: Any, ear: Ear) -> None:
    """The server answers COMMIT of a failed transaction with ROLLBACK, politely. That must not look like a success."""
    with pytest.raises(CommitFailed):
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            tx.tell("topic", 1)
            with pytest.raises(asyncpg.DivisionByZeroError):
                await tx.execute("SELECT 1 / 0")
    assert await subjects(owner, tenant) == []
    assert ear.after == []


async def test_the_clock_stands_still_within_a_transaction(database: Database, tenant: Tenant) -> None:
    async with database.tenant(tenant.id) as tx:
        first = await tx.now()
        assert await tx.fetchval("SELECT clock_timestamp() > $1", first)
        assert await tx.now() == first


# --- savepoints


async def test_a_failed_part_takes_its_writes_and_words_back(
    database: Database, tenant: Tenant, owner: Any, ear: Ear
) -> None:
    hooked: list[str] = []
    async with database.tenant(tenant.id) as tx:
        await write(tx, "before")
        tx.tell("topic", "before")
        with pytest.raises(asyncpg.DivisionByZeroError):
            async with tx.savepoint():
                await write(tx, "inside")
                tx.tell("topic", "inside")
                tx.after_commit.append(lambda: hooked.append("inside"))
                await tx.execute("SELECT 1 / 0")
        async with tx.savepoint():
            await write(tx, "later")
            tx.tell("topic", "later")
    assert await subjects(owner, tenant) == ["before", "later"]
    assert ear.after == [("topic", "before"), ("topic", "later")]
    assert hooked == []


async def test_a_part_that_fails_after_a_failed_part_of_its_own_is_taken_back_whole(
    database: Database, tenant: Tenant, owner: Any
) -> None:
    async with database.tenant(tenant.id) as tx:
        with pytest.raises(ZeroDivisionError):
            async with tx.savepoint():
                await write(tx, "outer")
                with pytest.raises(LookupError):
                    async with tx.savepoint():
                        await write(tx, "inner")
                        raise LookupError
                raise ZeroDivisionError
    assert await subjects(owner, tenant) == []


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
    assert await open_transactions(owner) == 0
    async with database.nobody() as tx:
        assert await tx.fetchval("SELECT app.org()") is None
    assert await subjects(owner, tenant) in ([], ["one"])


async def test_a_handler_cancelled_while_it_waits_leaves_no_transaction(
    database: Database, tenant: Tenant, owner: Any
) -> None:
    inside = asyncio.Event()

    async def handle() -> None:
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            inside.set()
            await tx.execute("SELECT pg_sleep(60)")

    handler = asyncio.create_task(handle())
    await inside.wait()
    handler.cancel()
    with pytest.raises(asyncio.CancelledError):
        await handler
    assert await open_transactions(owner) == 0
    assert await subjects(owner, tenant) == []


async def test_a_lost_connection_is_replaced(database: Database, tenant: Tenant, owner: Any) -> None:
    async def at_work() -> None:
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            assert await end_backends(owner, f"pid = {await tx.fetchval('SELECT pg_backend_pid()')}")
            await tx.fetchval("SELECT 1")

    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await at_work()
    assert await subjects(owner, tenant) == []

    async def again() -> bool:
        async with database.tenant(tenant.id) as tx:
            return bool(await tx.fetchval("SELECT true"))

    assert await until(again)
