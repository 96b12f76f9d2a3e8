"""One effect for one `Idempotency-Key`, and the same response to every repeat.

The key's row is inserted in the effect's own transaction, so that both exist or neither does. A repeat that arrives
while the first request is running waits on that row's lock until the first commits (then it gets the same response) or
fails (then it runs itself). Within one process repeats wait on an asyncio lock, so that they take no connections.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.kit.db.database import Database, Tx, delete_in_batches
from fullhouse.kit.errors import Conflict, Invalid
from fullhouse.kit.http.response import Response
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.tasks import timeout

WAIT_S = 10
_PURPOSE = "idempotency"

_CLAIM = """
INSERT INTO idempotency_keys (organization_id, principal, route, key, body_hash)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING true
"""
_FIND = """
SELECT body_hash, answer FROM idempotency_keys
WHERE organization_id = $1 AND principal = $2 AND route = $3 AND key = $4
"""
_SAVE = """
UPDATE idempotency_keys SET status = $5, answer = $6
WHERE organization_id = $1 AND principal = $2 AND route = $3 AND key = $4
"""


_DELETE_OLD = """
DELETE FROM idempotency_keys WHERE ctid IN (
    SELECT ctid FROM idempotency_keys WHERE created_at < app.clock() - interval '2 days' LIMIT 1000)
"""


class KeyReused(Invalid):
    """The `Idempotency-Key` was used before with another body. Use a new key for a new request."""

    code, title = "idempotency_key_reused", "The key belongs to another request"


class StillRunning(Conflict):
    """The first request with this `Idempotency-Key` has not finished yet. Retry in a moment."""

    code, title = "idempotency_in_flight", "The first request is still running"


class Claim(msgspec.Struct, frozen=True):
    """The four columns of the unique constraint on keys."""

    organization_id: UUID
    principal: str
    route: str
    key: str

    @property
    def columns(self) -> tuple[UUID, str, str, str]:
        return self.organization_id, self.principal, self.route, self.key


class KeyLocks:
    """One lock per key in this process, so that one request per key runs at a time."""

    def __init__(self) -> None:
        self._locks: dict[Claim, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def lock(self, claim: Claim) -> AsyncIterator[None]:
        lock, waiting = self._locks.get(claim, (asyncio.Lock(), 0))
        self._locks[claim] = lock, waiting + 1
        try:
            try:
                async with timeout(WAIT_S):
                    await lock.acquire()
            except TimeoutError:
                raise StillRunning() from None
            try:
                yield
            finally:
                lock.release()
        finally:
            lock, waiting = self._locks[claim]
            if waiting == 1:
                del self._locks[claim]
            else:
                self._locks[claim] = lock, waiting - 1


async def claim_or_find_response(tx: Tx, keyring: Keyring, claim: Claim, body: bytes) -> Response | None:
    """None if this request has claimed the key and must run; otherwise the stored response."""
    body_hash = hashlib.sha256(body).digest()
    try:
        await tx.execute(f"SET LOCAL lock_timeout = '{WAIT_S}s'; SET LOCAL statement_timeout = '{WAIT_S + 2}s'")
        claimed = await tx.fetchval(_CLAIM, *claim.columns, body_hash, timeout=WAIT_S + 5)
        await tx.execute("SET LOCAL lock_timeout TO DEFAULT; SET LOCAL statement_timeout TO DEFAULT")
        if claimed:
            return None
    except (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError):
        raise StillRunning() from None
    row = await tx.fetchrow(_FIND, *claim.columns)
    if row["body_hash"] != body_hash:
        raise KeyReused()
    opened = keyring.open(_PURPOSE, row["answer"])
    if opened is None:
        raise Conflict("The answer to this key was written under another FULLHOUSE_SECRET_KEY. Use a new key.")
    return msgspec.msgpack.decode(opened, type=Response)


async def save_response(tx: Tx, keyring: Keyring, claim: Claim, response: Response) -> None:
    sealed = keyring.seal(_PURPOSE, msgspec.msgpack.encode(response))
    await tx.execute(_SAVE, *claim.columns, response.status, sealed)


async def delete_old_keys(finder: Database) -> int:
    """Deletes keys after two days, a thousand rows at a time, so that locks are short."""
    return await delete_in_batches(finder, _DELETE_OLD)
