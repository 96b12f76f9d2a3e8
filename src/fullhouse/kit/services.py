"""What a running process holds: opened once, in order, closed in the opposite one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.bus import Bus
from fullhouse.kit.cache import Cache
from fullhouse.kit.db import APP, Database
from fullhouse.kit.idempotency import Repeats
from fullhouse.kit.limits import Limiter
from fullhouse.kit.secrets import Keyring
from fullhouse.kit.warm import Warm


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
    warm = Warm(redis_url)
    bus = Bus(url, redis_url)
    cache = Cache(bus, warm)
    await bus.start()
    database = await Database.open(url, APP, size=pool_size, bus=bus)
    reads = await Database.open(read_url, APP, size=pool_size) if read_url else database
    try:
        yield Services(
            database=database,
            reads=reads,
            bus=bus,
            cache=cache,
            limiter=Limiter(warm),
            keyring=Keyring(secret_key),
            repeats=Repeats(),
            public_url=public_url,
        )
    finally:
        closings: list[Callable[[], Awaitable[None]]] = [database.close, cache.close, bus.stop, warm.close]
        if reads is not database:
            closings.insert(0, reads.close)
        for close in closings:
            await asyncio.shield(close())
