"""What a running process holds: opened once, in order, closed in the opposite one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

import asyncpg
import msgspec
import structlog

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.bus import Bus
from fullhouse.kit.cache import Cache
from fullhouse.kit.db import APP, Database, HotLine
from fullhouse.kit.idempotency import Repeats
from fullhouse.kit.limits import Limiter
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.warm import Warm

log = structlog.get_logger()


class Credentials(msgspec.Struct, frozen=True):
    """What a request shows to prove who it is: a bearer token or the tokens in its cookie."""

    bearer: str | None
    cookie: str | None
    organization: str | None  # which of the cookie's sessions is meant; it never grants anything by itself
    actor: Actor  # where the request comes from, as yet without a name


class Authenticator(Protocol):
    """Finds out who a caller is (accounts/access.py is the one implementation; kit knows no people)."""

    async def __call__(self, credentials: Credentials) -> Principal | None: ...


class Services(msgspec.Struct, frozen=True):
    database: Database
    reads: Database  # a replica if there is one, otherwise the same
    pulse: HotLine  # answers "is the database well" however busy the pool is
    bus: Bus
    cache: Cache
    limiter: Limiter
    keyring: Keyring
    repeats: Repeats
    public_url: str


@asynccontextmanager
async def open_services(
    *, url: str, read_url: str | None, redis_url: str | None, secret_key: str, public_url: str, pool_size: int
) -> AsyncIterator[Services]:
    async with AsyncExitStack() as open_now:
        warm = Warm(redis_url)
        open_now.push_async_callback(warm.close)
        bus = Bus(url, redis_url)
        cache = Cache(bus, warm)
        open_now.push_async_callback(cache.close)
        await bus.start()
        open_now.push_async_callback(bus.stop)
        pulse = HotLine(url, "SELECT max(number) AS newest FROM app.migrations", lines=1, deadline_s=2)
        open_now.push_async_callback(pulse.close)
        database = await Database.open(url, APP, size=pool_size, bus=bus)
        open_now.push_async_callback(database.close)
        yield Services(
            database=database,
            reads=await _replica(read_url, pool_size, open_now) or database,
            pulse=pulse,
            bus=bus,
            cache=cache,
            limiter=Limiter(warm),
            keyring=Keyring(secret_key),
            repeats=Repeats(),
            public_url=public_url,
        )


async def _replica(url: str | None, pool_size: int, open_now: AsyncExitStack) -> Database | None:
    """A replica only spares the primary work: one that is away is no reason not to start."""
    if url is None:
        return None
    try:
        replica = await Database.open(url, APP, size=pool_size)
    except (OSError, asyncpg.PostgresError) as error:
        log.warning("the read replica is away; reading from the primary", error=repr(error))
        return None
    open_now.push_async_callback(replica.close)
    return replica
