"""One transaction, one organisation, all or nothing; and no call that waits for ever."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from fullhouse.kit.db.database import APP, CommitFailed, Database, Message, Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant

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
    async with database.without_tenant() as tx:
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
            tx.publish("topic", 1)
            tx.after_commit.append(lambda: hooked.append("ran"))
            raise ZeroDivisionError
    assert await subjects(owner, tenant) == []
    assert (ear.before, ear.after, hooked) == ([], [], [])


async def test_words_and_hooks_leave_at_the_commit(database: Database, tenant: Tenant, ear: Ear) -> None:
    hooked: list[str] = []
    async with database.tenant(tenant.id) as tx:
        tx.publish("topic", 1)
        tx.after_commit.append(lambda: hooked.append("ran"))
        assert (ear.before, ear.after, hooked) == ([], [], [])
    assert (ear.before, ear.after, hooked) == ([("topic", 1)], [("topic", 1)], ["ran"])


async def test_a_swallowed_error_is_no_success(database: Database, tenant: Tenant, owner: Any, ear: Ear) -> None:
    """The server answers COMMIT of a failed transaction with ROLLBACK, politely. That must not look like a success."""
    with pytest.raises(CommitFailed):
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            tx.publish("topic", 1)
            with pytest.raises(asyncpg.DivisionByZeroError):
                await tx.execute("SELECT 1 / 0")
    assert await subjects(owner, tenant) == []
    assert ear.after == []


async def test_a_commit_that_the_server_refuses_tells_nobody(
    database: Database, tenant: Tenant, owner: Any, ear: Ear
) -> None:
    await owner.execute(
        "CREATE CONSTRAINT TRIGGER no AFTER INSERT ON mails DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION app.refuse_change()"
    )
    try:
        with pytest.raises(asyncpg.RestrictViolationError):
            async with database.tenant(tenant.id) as tx:
                await write(tx, "one")
                tx.publish("topic", 1)
    finally:
        await owner.execute("DROP TRIGGER no ON mails")
    assert await subjects(owner, tenant) == []
    assert ear.after == []


async def test_a_commit_whose_answer_was_not_awaited_is_told_all_the_same(
    database: Database, tenant: Tenant, owner: Any, ear: Ear
) -> None:
    """It may have happened, so whoever caches anything had better look."""
    sent = asyncio.Event()

    async def handle() -> None:
        async with database.tenant(tenant.id) as tx:
            await write(tx, "one")
            tx.publish("topic", 1)
            commit = tx.execute

            def execute(statement: str) -> Any:
                asyncio.get_running_loop().call_soon(sent.set)
                return commit(statement)

            tx.execute = execute

    handler = asyncio.create_task(handle())
    await sent.wait()
    handler.cancel()
    with pytest.raises(asyncio.CancelledError):
        await handler
    assert ear.after == [("topic", 1)]
    assert await open_transactions(owner) == 0


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
        tx.publish("topic", "before")
        with pytest.raises(asyncpg.DivisionByZeroError):
            async with tx.savepoint():
                await write(tx, "inside")
                tx.publish("topic", "inside")
                tx.after_commit.append(lambda: hooked.append("inside"))
                await tx.execute("SELECT 1 / 0")
        async with tx.savepoint():
            await write(tx, "later")
            tx.publish("topic", "later")
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


async def test_whoever_has_more_time_may_spend_it_on_one_statement(database: Database, tenant: Tenant) -> None:
    """A hall of a hundred thousand seats is written at once, and on a slow machine that takes longer than usual."""

    found = []
    for deadline_s in (10, 30, 10):
        async with database.tenant(tenant.id, deadline_s=deadline_s) as tx:
            found.append(await tx.fetchval("SHOW statement_timeout"))
    assert found == ["10s", "30s", "10s"]
