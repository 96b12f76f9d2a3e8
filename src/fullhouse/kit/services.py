"""The services of a running process: opened once, in order, and closed in reverse order."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, TypeVar

import asyncpg
import msgspec
import structlog

from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.cache.limits import Limiter
from fullhouse.kit.cache.optional_redis import OptionalRedis
from fullhouse.kit.db.clock import Clock
from fullhouse.kit.db.database import APP, Database, PreparedStatementPool
from fullhouse.kit.db.replica import ReadRouter
from fullhouse.kit.http.idempotency import KeyLocks
from fullhouse.kit.http.safe_http import SafeHttpClient
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.live.hub import StreamHub
from fullhouse.kit.media.files import Files
from fullhouse.kit.secrets import Keyring

log = structlog.get_logger()
T = TypeVar("T")
QUOTA_BYTES = 2 * 2**30
_HEALTH_SQL = "SELECT max(number) AS newest, app.clock() AS now FROM app.migrations"


class Credentials(msgspec.Struct, frozen=True):
    """A request's credentials: a bearer token, or the tokens in its cookie."""

    bearer: str | None
    cookie: str | None
    organization: str | None  # selects one of the cookie's sessions; grants nothing by itself


class Authenticator(Protocol):
    """Authenticates a caller. Implemented by accounts/access.py, because kit has no users."""

    def find_cached(self, credentials: Credentials) -> Principal | None:
        """From this process's cache; None if the database has to be queried."""

    async def __call__(self, credentials: Credentials) -> Principal | None: ...


class Services(msgspec.Struct, frozen=True):
    url: str  # for parts with connections of their own
    database: Database
    reads: ReadRouter
    health_query: PreparedStatementPool  # the health check's own connection, independent of the pool's load
    clock: Clock
    bus: Bus
    cache: Cache
    redis: OptionalRedis
    limiter: Limiter
    keyring: Keyring
    idempotency_locks: KeyLocks
    files: Files
    safe_http: SafeHttpClient
    streams: StreamHub
    public_url: str
    quota_bytes: int  # the total size of one organisation's files
    parts: dict[type[Any], Any] = {}

    def part(self, of: type[T]) -> T:
        """The instance of a domain's part in this process."""
        found: T = self.parts[of]
        return found


class Part(Protocol):
    """A domain's component that lives as long as the process: an engine, a counter, a queue."""

    def __init__(self, services: Services) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...


@asynccontextmanager
async def open_parts(
    services: Services, kinds: Iterable[type[Part]], given: Mapping[type[Any], Any] | None = None
) -> AsyncIterator[None]:
    """`given` are further entries of `services.parts`: settings that only the parts themselves use."""
    services.parts.update(given or {})
    async with AsyncExitStack() as open_now:
        for kind in kinds:
            services.parts[kind] = part = kind(services)
            await part.start()
            open_now.push_async_callback(part.stop)
        yield


@asynccontextmanager
async def open_services(
    *,
    url: str,
    read_url: str | None,
    redis_url: str | None,
    secret_key: str,
    files: Files,
    public_url: str,
    pool_size: int,
    quota_bytes: int = QUOTA_BYTES,
    private_webhooks: bool = False,
    warm_timeout_s: float | None = None,
) -> AsyncIterator[Services]:
    async with AsyncExitStack() as open_now:
        outward = SafeHttpClient(private=private_webhooks)
        open_now.push_async_callback(outward.close)
        open_now.push_async_callback(files.close)
        warm = OptionalRedis(redis_url, timeout_s=warm_timeout_s)
        open_now.push_async_callback(warm.close)
        bus = Bus(url, redis_url)
        cache = Cache(bus, warm)
        open_now.push_async_callback(cache.close)
        await bus.start()
        open_now.push_async_callback(bus.stop)
        pulse = PreparedStatementPool(url, _HEALTH_SQL, lines=1, deadline_s=2)
        open_now.push_async_callback(pulse.close)
        clock = Clock(pulse)
        await clock.start()
        open_now.push_async_callback(clock.stop)
        database = await Database.open(url, APP, size=pool_size, bus=bus)
        open_now.push_async_callback(database.close)
        streams = StreamHub(bus)
        open_now.callback(streams.close)
        yield Services(
            url=url,
            database=database,
            reads=ReadRouter(database, await _open_replica(read_url, pool_size, open_now), bus),
            health_query=pulse,
            clock=clock,
            bus=bus,
            cache=cache,
            redis=warm,
            limiter=Limiter(warm),
            keyring=Keyring(secret_key),
            idempotency_locks=KeyLocks(),
            files=files,
            safe_http=outward,
            streams=streams,
            public_url=public_url,
            quota_bytes=quota_bytes,
        )


async def _open_replica(url: str | None, pool_size: int, open_now: AsyncExitStack) -> Database | None:
    """A replica only offloads the primary: start-up does not fail when it is unavailable."""
    if url is None:
        return None
    try:
        replica = await Database.open(url, APP, size=pool_size)
    except (OSError, asyncpg.PostgresError) as error:
        log.warning("replica.unavailable", detail="reads go to the primary", error=repr(error))
        return None
    open_now.push_async_callback(replica.close)
    return replica
