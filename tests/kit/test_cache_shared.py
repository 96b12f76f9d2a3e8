"""Three layers, one interface: what one process changes all forget, and they answer whatever happens to Redis."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from fullhouse.kit.cache.cache import Cache, limit_ttl
from fullhouse.kit.cache.optional_redis import OptionalRedis
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import Bus
from tests.kit.caches import Process
from tests.kit.helpers import frozen, until
from tests.services.servers import Server

pytestmark = pytest.mark.req("CACHE-1")


@pytest.fixture
async def start(server_url: str) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def start(redis_url: str | None = None) -> Process:
            bus, warm = Bus(server_url), OptionalRedis(redis_url)
            database = await Database.open(server_url, APP, size=1, bus=bus)
            cache = Cache(bus, warm)
            for close in (warm.close, cache.close, database.close, bus.stop):
                stack.push_async_callback(close)
            await bus.start()
            return Process(cache, bus, database, warm)

        yield start


@pytest.fixture
def key() -> str:
    return f"org:{new_id()}:thing"


# --- between processes


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("redis", [False, True])
async def test_a_change_is_forgotten_everywhere_after_the_commit(
    start: Any, redis_url: str, key: str, redis: bool
) -> None:
    url = redis_url if redis else None
    here, there = await start(url), await start(url)
    assert (await here.get(key, 1), await there.get(key, 1)) == (1, 1)
    assert (await here.get(key, 2), await there.get(key, 2)) == (1, 1)
    await here.invalidate(key, f"{key}:more")
    assert await here.get(key, 2) == 2
    await until(lambda: _is(there.get(key, 2), 2))


async def test_a_rolled_back_change_forgets_nothing(start: Any, key: str) -> None:
    process = await start()
    await process.get(key, 1)
    with pytest.raises(ZeroDivisionError):
        async with process.database.without_tenant() as tx:
            process.cache.invalidate(tx, key)
            raise ZeroDivisionError
    assert await process.get(key, 2) == 1


async def test_whoever_missed_something_forgets_everything(key: str) -> None:
    bus = Bus("postgresql://nowhere")
    process = Process(Cache(bus, OptionalRedis(None)), bus, None, None)  # type: ignore[arg-type]
    await process.get(key, 1)
    bus.deliver([("resync", None)])
    assert await process.get(key, 2) == 2


# --- Redis


class Thing(msgspec.Struct):
    name: str
    tags: tuple[str, ...] = ()


@pytest.mark.usefixtures("patient")
async def test_a_value_in_redis_spares_another_process_the_load(start: Any, redis_url: str, key: str) -> None:
    here, there = await start(redis_url), await start(redis_url)
    thing = Thing("a", ("b", "c"))
    assert await here.get(key, thing, Thing) == thing
    assert await there.get(key, None, Thing) == thing
    assert (here.loads, there.loads) == (1, 0)


@pytest.mark.usefixtures("patient")
async def test_what_another_version_wrote_is_loaded_anew(start: Any, redis_url: str, key: str) -> None:
    here, there = await start(redis_url), await start(redis_url)
    await here.get(key, "text", str)
    assert await there.get(key, Thing("a"), Thing) == Thing("a")


@pytest.mark.usefixtures("patient")
async def test_nothing_is_not_put_into_redis(start: Any, redis_url: str, key: str) -> None:
    here, there = await start(redis_url), await start(redis_url)
    assert await here.get(key, None) is None
    assert await in_redis(here, key) is None
    assert await there.get(key, 1) == 1


@pytest.mark.usefixtures("patient")
async def test_what_may_be_out_of_date_is_kept_for_less_in_redis_too(start: Any, redis_url: str, key: str) -> None:
    process = await start(redis_url)

    async def load() -> int:
        limit_ttl(15)
        return 1

    assert await process.cache.get(key, 60, load, int, warm_s=900) == 1
    assert 0 < await process.warm.call(lambda client: client.pttl(f"fullhouse:{key}"), 0) <= 15_000


@pytest.mark.usefixtures("patient")
async def test_keys_carry_the_prefix_and_end_by_themselves(start: Any, redis_url: str, key: str) -> None:
    process = await start(redis_url)
    await process.get(key, 1)
    assert 0 < await process.warm.call(lambda client: client.pttl(f"fullhouse:{key}"), 0) <= 60_000


@pytest.mark.usefixtures("patient")
@pytest.mark.fault
async def test_without_redis_it_answers_and_soon_stops_asking(start: Any, own_redis: Server, key: str) -> None:
    process = await start(own_redis.url)
    await process.get(key, 1)
    own_redis.stop()
    await process.invalidate(key)

    async def stops_asking() -> bool:
        other = f"{key}:{new_id()}"
        assert await process.get(other, 1) == 1
        return bool(process.warm._breaker.open)

    await until(stops_asking)
    assert await process.get(key, 2) == 2


@pytest.mark.fault
async def test_redis_hung_during_a_change_comes_back_without_the_old_value(
    start: Any, own_redis: Server, key: str
) -> None:
    here, there = await start(own_redis.url), await start(own_redis.url)
    assert await here.get(key, 1) == 1
    with frozen(own_redis.processes[0].pid):
        await here.invalidate(key)
        assert await here.get(key, 2) == 2
        await until(lambda: here.warm._breaker.open)
    await until(lambda: not here.cache._pending_deletes)
    assert await here.warm.call(lambda client: client.get(f"fullhouse:{key}"), b"?") is None
    await until(lambda: _is(there.get(key, 2), 2))


# --- what may happen in the moment of a change


async def in_redis(process: Process, key: str) -> Any:
    return await process.warm.call(lambda client: client.get(f"fullhouse:{key}"), b"?")


@pytest.mark.usefixtures("patient")
async def test_whoever_hears_of_a_change_does_not_believe_redis(start: Any, redis_url: str, key: str) -> None:
    """The process that made the change may have died before it dropped the old value."""
    process = await start(redis_url)
    assert await process.get(key, 1) == 1
    process.bus.deliver([("cache", [key])])
    assert await process.get(key, 2) == 2


@pytest.mark.usefixtures("patient")
async def test_an_old_value_that_reaches_redis_after_the_drop_is_dropped_too(
    start: Any, redis_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = await start(redis_url)
    put = process.cache._to_redis

    async def put_late(*arguments: Any) -> None:
        process.bus.deliver([("cache", [key])])
        await until(lambda: not process.cache._pending_deletes)
        await put(*arguments)

    monkeypatch.setattr(process.cache, "_to_redis", put_late)
    await process.get(key, 1)
    await until(lambda: not process.cache._pending_deletes)
    assert await in_redis(process, key) is None


@pytest.mark.usefixtures("patient")
async def test_a_second_change_during_the_drop_of_the_first_is_dropped_too(
    start: Any, redis_url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, dropped, let_go = await start(redis_url), asyncio.Event(), asyncio.Event()
    call = process.warm.call

    async def answers_late(command: Any, otherwise: Any) -> Any:
        result = await call(command, otherwise)
        if result is True:
            dropped.set()
            await let_go.wait()
        return result

    monkeypatch.setattr(process.warm, "call", answers_late)
    await process.invalidate(key)
    await dropped.wait()
    await call(lambda client: client.set(f"fullhouse:{key}", b"between the changes"), None)
    await process.invalidate(key)
    let_go.set()
    await until(lambda: not process.cache._pending_deletes)
    assert await in_redis(process, key) is None


async def _is(getting: Any, expected: Any) -> bool:
    return bool(await getting == expected)
