"""PostgreSQL: a pool per role, and one way into a tenant's rows.

    async with database.tenant(organization_id, actor) as tx: ...

Invariants:
- Inside `tenant` the server shows one organisation's rows and accepts only that organisation's; outside it shows none.
- One transaction, committed at the end of the block or not at all; messages to the bus are sent after the commit.
- Every call has a client-side deadline too: a silent network fires no server-side timeout.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.kit.actors import SYSTEM, Actor
from fullhouse.kit.tasks import timeout

APP, WORKER, AUDITOR = ROLES = "fullhouse_app", "fullhouse_worker", "fullhouse_auditor"
Message = tuple[str, Any]  # topic, payload
STATEMENT_S = 10  # of a statement, and of a transaction unless the caller passes a longer deadline
# A lost connection raises a different error depending on the moment at which it is lost.
DATABASE_ERRORS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
_UNAVAILABLE = (
    OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError, asyncpg.ReadOnlySQLTransactionError,
)  # fmt: skip


def is_unavailable(error: Exception) -> bool:
    """Whether the database itself is unavailable, so that no other statement would succeed either. A statement timeout
    or an argument that cannot be encoded (a ValueError) concerns that statement only."""
    return isinstance(error, _UNAVAILABLE) and not isinstance(error, (TimeoutError, ValueError))


class CommitPublisher(Protocol):
    """Sends a transaction's messages to other processes (kit/live/bus.py)."""

    async def before_commit(self, connection: "Connection", messages: list[Message]) -> None: ...
    def after_commit(self, messages: list[Message]) -> None: ...


class Connection(asyncpg.Connection):
    def get_reset_query(self) -> str:
        # We leave no session state behind (settings are transaction-local), so releasing a connection to the pool
        # costs no round trip. An open transaction is still rolled back by asyncpg itself.
        return ""


class Tx:
    """One transaction of one organisation, on behalf of one actor."""

    __slots__ = (
        "_now", "actor", "after_commit", "committing", "connection", "execute", "fetch", "fetchrow", "fetchval",
        "messages", "organization_id",
    )  # fmt: skip

    def __init__(self, connection: Any, organization_id: UUID | None, actor: Actor) -> None:
        self.connection = connection
        self.organization_id = organization_id
        self.actor = actor
        self.messages: list[Message] = []
        self.after_commit: list[Callable[[], None]] = []
        self._now: datetime | None = None
        self.committing = False
        self.fetch = connection.fetch
        self.fetchrow = connection.fetchrow
        self.fetchval = connection.fetchval
        self.execute = connection.execute

    async def now(self) -> datetime:
        """The database's time at the start of this transaction: the only clock that decisions may use."""
        if self._now is None:
            self._now = await self.connection.fetchval("SELECT app.clock()")
        return self._now

    def publish(self, topic: str, payload: Any) -> None:
        """Publishes on the bus if, and when, this transaction commits."""
        self.messages.append((topic, payload))

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """A part that may fail alone: its writes, messages and hooks are rolled back, the rest stays."""
        messages, hooks = len(self.messages), len(self.after_commit)
        await self.execute("SAVEPOINT part")
        try:
            yield
        except Exception:
            # Released too: the name would otherwise still mean this savepoint when an enclosing one is rolled back.
            await self.execute("ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")
            del self.messages[messages:], self.after_commit[hooks:]
            raise
        await self.execute("RELEASE SAVEPOINT part")


class CommitFailed(Exception):
    """The server answered COMMIT with a rollback: an error inside the transaction was swallowed."""


# Many statements have parameters that may be null (`$1 IS NULL OR …`): only a plan made for the actual values knows
# which index to use. By default the server may choose one generic plan after five runs.
# No parallel workers: cores are shared by many callers, and starting workers takes longer than most statements.
_POOLED = {"plan_cache_mode": "force_custom_plan", "max_parallel_workers_per_gather": "0"}


class Database:
    """The connections of one process in one role."""

    def __init__(self, pool: Any, bus: CommitPublisher | None = None) -> None:
        self.pool = pool
        self.bus = bus

    @classmethod
    async def open(cls, url: str, role: str = APP, *, size: int = 10, bus: CommitPublisher | None = None) -> "Database":
        async with timeout(STATEMENT_S):
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=size,
                init=prepare_connection,
                connection_class=Connection,
                timeout=5,  # to connect; statements have the transaction's deadline
                server_settings=session_settings(role) | _POOLED,
            )
        return cls(pool, bus)

    async def close(self) -> None:
        try:
            async with timeout(5):
                await self.pool.close()
        except TimeoutError:
            self.pool.terminate()

    @asynccontextmanager
    async def tenant(
        self, organization_id: UUID, actor: Actor = SYSTEM, *, deadline_s: float = STATEMENT_S
    ) -> AsyncIterator[Tx]:
        """A transaction that sees this organisation and nothing else."""
        begin = f"BEGIN; SELECT set_config('app.org', '{UUID(bytes=organization_id.bytes)}', true)"
        async with self._transaction(begin, organization_id, actor, deadline_s) as tx:
            yield tx

    @asynccontextmanager
    async def without_tenant(self, actor: Actor = SYSTEM, *, deadline_s: float = STATEMENT_S) -> AsyncIterator[Tx]:
        """A transaction outside every organisation: it sees the public directory, and no tenant's rows."""
        async with self._transaction("BEGIN", None, actor, deadline_s) as tx:
            yield tx

    @asynccontextmanager
    async def _transaction(
        self, begin: str, organization_id: UUID | None, actor: Actor, deadline_s: float
    ) -> AsyncIterator[Tx]:
        tx: Tx | None = None
        if deadline_s > STATEMENT_S:  # one statement may use up the longer deadline
            begin += f"; SET LOCAL statement_timeout = '{deadline_s:.0f}s'"
        try:
            async with timeout(deadline_s), self.pool.acquire(timeout=2) as connection:
                tx = Tx(connection, organization_id, actor)
                try:
                    await connection.execute(begin)
                    yield tx
                    await self._commit(tx)
                except BaseException:
                    await asyncio.shield(_roll_back(connection))
                    raise
        finally:
            # Once COMMIT was sent it may have happened, even if we were cancelled before the response arrived.
            if tx and tx.committing:
                self._publish(tx)

    def _publish(self, tx: Tx) -> None:
        if tx.messages and self.bus:
            self.bus.after_commit(tx.messages)
        for hook in tx.after_commit:
            hook()

    async def _commit(self, tx: Tx) -> None:
        if tx.messages:
            assert self.bus, "a transaction that publishes messages needs a bus"
            await self.bus.before_commit(tx.connection, tx.messages)
        tx.committing = True
        try:
            status = await tx.execute("COMMIT")
        except asyncpg.PostgresError as error:
            # An error from the server means that nothing was committed; after a lost connection the outcome is unknown.
            tx.committing = isinstance(error, asyncpg.PostgresConnectionError)
            raise
        if status != "COMMIT":
            tx.committing = False
            raise CommitFailed


async def _roll_back(connection: Any) -> None:
    """Ends the open transaction. A connection on which that fails is terminated."""
    try:
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK", timeout=2)
    except DATABASE_ERRORS:
        with suppress(asyncpg.InterfaceError):  # the pool may have closed and released it already
            connection.terminate()


_HOT = {"plan_cache_mode": "force_generic_plan", "jit": "off"}


class PreparedStatementPool:
    """Dedicated connections for one hot statement, prepared once for each connection. Broken ones are replaced.

    For callers that cannot afford a pool's bookkeeping and three round trips: the statement is a single function
    call that sets the tenant itself.
    """

    def __init__(
        self,
        url: str,
        query: str,
        role: str = APP,
        *,
        lines: int = 2,
        deadline_s: float = 5,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._url, self.query, self._role = url, query, role
        self._deadline_s = deadline_s
        self._settings: dict[str, Any] = {**_HOT, **(settings or {})}
        self._idle: asyncio.LifoQueue[PreparedConnection | None] = asyncio.LifoQueue()
        for _ in range(lines):
            self._idle.put_nowait(None)

    async def fetch(self, *args: Any) -> list[Any]:
        async with timeout(self._deadline_s):
            prepared = await self._idle.get()
            try:
                if prepared is None or prepared.connection.is_closed():
                    prepared = await self._open()
                rows: list[Any] = await prepared.statement.fetch(*args)
            except BaseException as error:
                # Any error but one from the server leaves the connection in an unknown state: it is replaced.
                if prepared and not (isinstance(error, asyncpg.PostgresError) and not prepared.connection.is_closed()):
                    prepared.connection.terminate()
                    prepared = None
                raise
            finally:
                self._idle.put_nowait(prepared)
        return rows

    def tenant(self, organization_id: UUID) -> "TenantStatement":
        return TenantStatement(self, organization_id)

    async def close(self) -> None:
        while not self._idle.empty():
            if prepared := self._idle.get_nowait():
                await prepared.connection.close(timeout=2)

    async def _open(self) -> "PreparedConnection":
        connection = await connect(self._url, self._role, **self._settings)
        return PreparedConnection(connection, await connection.prepare(self.query))


class PreparedConnection(NamedTuple):
    connection: Any
    statement: Any


class TenantStatement(NamedTuple):
    """A prepared statement run for one organisation, with the interface that kit/db/sql.py runs statements on."""

    pool: PreparedStatementPool
    organization_id: UUID

    async def fetch(self, query: str, *args: Any) -> list[Any]:
        if query is not self.pool.query:
            raise ValueError("this connection is prepared for another statement")
        return await self.pool.fetch(*args)

    async def fetchrow(self, query: str, *args: Any) -> Any:
        found = await self.fetch(query, *args)
        return found[0] if found else None

    async def fetchval(self, query: str, *args: Any) -> Any:
        row = await self.fetchrow(query, *args)
        return None if row is None else row[0]

    async def execute(self, query: str, *args: Any) -> str:
        return f"SELECT {len(await self.fetch(query, *args))}"


async def connect(url: str, role: str, *, deadline_s: float = 10, **settings: str) -> Any:
    """A single connection outside the pool, for long-lived ones: prepared statements, listeners and loop leaders."""
    connection = await asyncpg.connect(
        url, timeout=5, command_timeout=deadline_s, server_settings=session_settings(role) | settings
    )
    await prepare_connection(connection)
    return connection


def session_settings(role: str) -> dict[str, str]:
    return {
        "role": role,
        "application_name": f"fullhouse:{role}",
        "statement_timeout": f"{STATEMENT_S}s",
        "lock_timeout": "5s",
        "idle_in_transaction_session_timeout": "30s",
        # The server cancels a statement whose client is gone, and releases its locks; otherwise only at its timeout.
        "client_connection_check_interval": "1s",
        # The locks of a client machine that lost power stay until the server notices; the default is two hours.
        "tcp_keepalives_idle": "10",
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "3",
    }


async def prepare_connection(connection: Any) -> None:
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        encoder=_jsonb,
        decoder=lambda raw: msgspec.json.decode(raw[1:]),
        format="binary",
    )


def _jsonb(value: Any) -> bytes:
    return b"\x01" + msgspec.json.encode(value)  # jsonb's binary form: a version byte, then the text


async def delete_in_batches(finder: Database, statement: str) -> int:
    """Runs a statement that deletes at most 1,000 rows until none are left. Returns how many were deleted."""
    deleted = 0
    while True:
        async with finder.without_tenant() as tx:
            rows = int((await tx.execute(statement)).rpartition(" ")[2])
        deleted += rows
        if rows < 1000:
            return deleted
