"""Three layers, one interface: loads once, forgets everywhere, and answers whatever happens to Redis."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from fullhouse.kit import cache as cache_module
from fullhouse.kit.bus import Bus
from fullhouse.kit.cache import Cache, keep_at_most
from fullhouse.kit.db import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.warm import Warm
from tests.kit.helpers import frozen, until
from tests.services.servers import Server

pytestmark = pytest.mark.req("CACHE-1")


class Process:
    """A cache with its bus and database, as each process has them, and a truth to load from."""

    def __init__(self, cache: Cache, bus: Bus, database: Database, warm: Warm) -> None:
        self.cache, self.bus, self.database, self.warm = cache, bus, database, warm
        self.loads = 0

    async def get(self, key: str, truth: Any, of: Any = int) -> Any:
        async def load() -> Any:
            self.loads += 1
            return truth

        return await self.cache.get(key, 60, load, of)

    async def invalidate(self, *keys: str) -> None:
        async with self.database.nobody() as tx:
            self.cache.invalidate(tx, *keys)


@pytest.fixture
async def start(server_url: str) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def start(redis_url: str | None = None) -> Process:
            bus, warm = Bus(server_url), Warm(redis_url)
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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(cache_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def memory() -> Cache:
    """Without any server: the layer in this process alone."""
    return Cache(Bus("postgresql://nowhere"), Warm(None), size=3)


# --- in this process


async def test_those_who_miss_together_load_once() -> None:
    cache, let_go, loads = memory(), asyncio.Event(), itertools.count(1)

    async def load() -> int:
        await let_go.wait()
        return next(loads)

    callers = [asyncio.create_task(cache.get("key", 60, load, int)) for _ in range(50)]
    await asyncio.sleep(0)
    callers[0].cancel()  # the one who began it: the others still get their value
    let_go.set()
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert results[1:] == [1] * 49
    assert await cache.get("key", 60, load, int) == 1


async def test_a_failed_load_is_everybodys_error_and_not_remembered() -> None:
    cache, fail = memory(), True

    async def load() -> int:
        await asyncio.sleep(0)
        if fail:
            raise ZeroDivisionError
        return 1

    failures = await asyncio.gather(*(cache.get("key", 60, load, int) for _ in range(3)), return_exceptions=True)
    assert [type(failure) for failure in failures] == [ZeroDivisionError] * 3
    fail = False
    assert await cache.get("key", 60, load, int) == 1


async def test_a_value_lives_for_its_ttl(clock: SimpleNamespace) -> None:
    cache, values = memory(), itertools.count()

    async def load() -> int:
        return next(values)

    for passed_s, expected in ((0, 0), (59, 0), (2, 1), (58, 1), (60, 2)):
        clock.now += passed_s
        assert await cache.get("key", 60, load, int) == expected


async def test_the_least_recently_used_leaves_first() -> None:
    cache, loaded = memory(), []

    async def get(key: str) -> None:
        async def load() -> str:
            loaded.append(key)
            return key

        await cache.get(key, 60, load, str)

    for key in ("a", "b", "c", "a", "d", "a", "b"):
        await get(key)
    assert loaded == ["a", "b", "c", "d", "b"]


async def test_what_was_read_before_a_change_is_not_given_to_those_who_ask_after_it() -> None:
    bus = Bus("postgresql://nowhere")
    cache, begun, let_go = Cache(bus, Warm(None)), asyncio.Event(), asyncio.Event()

    async def load_slowly() -> str:
        begun.set()
        await let_go.wait()
        return "old"

    async def load() -> str:
        return "new"

    before = asyncio.create_task(cache.get("key", 60, load_slowly, str))
    await begun.wait()
    bus.deliver([("cache", ["key"])])
    async with asyncio.timeout(5):
        assert await cache.get("key", 60, load, str) == "new"
    let_go.set()
    assert await before == "old"  # it asked before the change
    assert await cache.get("key", 60, load_slowly, str) == "new"


async def test_a_change_of_something_else_does_not_stop_a_value_from_being_kept() -> None:
    """Something is invalidated during every load, in a busy house."""
    bus = Bus("postgresql://nowhere")
    cache, loads = Cache(bus, Warm(None)), itertools.count(1)

    async def load() -> int:
        await asyncio.sleep(0)
        bus.deliver([("cache", ["another", "third"])])
        await asyncio.sleep(0)
        return next(loads)

    assert [await cache.get("key", 60, load, int) for _ in range(3)] == [1, 1, 1]


async def test_a_change_during_the_load_of_two_keys_stops_only_the_one_it_names() -> None:
    bus = Bus("postgresql://nowhere")
    cache, let_go, loads = Cache(bus, Warm(None)), asyncio.Event(), itertools.count(1)

    async def load() -> int:
        await let_go.wait()
        return next(loads)

    both = [asyncio.create_task(cache.get(key, 60, load, int)) for key in ("stays", "changes")]
    await asyncio.sleep(0)
    bus.deliver([("cache", ["changes"])])
    let_go.set()
    assert await asyncio.gather(*both) == [1, 2]
    assert [await cache.get(key, 60, load, int) for key in ("stays", "changes")] == [1, 3]


# --- what is not there


async def test_nothing_is_remembered_for_a_moment(clock: SimpleNamespace) -> None:
    cache, loads = memory(), itertools.count(1)

    async def load() -> int | None:
        next(loads)
        return None

    for passed_s in (0, 9, 2, 9):
        clock.now += passed_s
        assert await cache.get("key", 300, load, int) is None
    assert next(loads) == 3


async def test_whoever_asks_for_what_is_not_there_pushes_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "ABSENT_MAX", 5)
    cache, real = memory(), itertools.count(1)

    async def load() -> int:
        return next(real)

    async def nothing() -> int | None:
        return None

    assert await cache.get("real", 60, load, int) == 1
    for n in range(50):
        assert await cache.get(f"guessed {n}", 60, nothing, int) is None
    assert await cache.get("real", 60, load, int) == 1
    assert len(cache._absent) == 5


async def test_nothing_is_forgotten_when_it_comes_to_be() -> None:
    bus = Bus("postgresql://nowhere")
    process = Process(Cache(bus, Warm(None)), bus, None, None)  # type: ignore[arg-type]
    for news in (("cache", ["key"]), ("resync", None)):
        assert await process.get("key", None) is None
        bus.deliver([news])
        assert await process.get("key", 1) == 1
        bus.deliver([("cache", ["key"])])


async def test_a_peek_never_loads(clock: SimpleNamespace) -> None:
    cache = memory()

    async def load() -> int:
        return 1

    assert cache.peek("key") is None
    await cache.get("key", 60, load, int)
    assert cache.peek("key") == 1
    clock.now += 61
    assert cache.peek("key") is None


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
        async with process.database.nobody() as tx:
            process.cache.invalidate(tx, key)
            raise ZeroDivisionError
    assert await process.get(key, 2) == 1


async def test_whoever_missed_something_forgets_everything(key: str) -> None:
    bus = Bus("postgresql://nowhere")
    process = Process(Cache(bus, Warm(None)), bus, None, None)  # type: ignore[arg-type]
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
        keep_at_most(15)
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
    await until(lambda: not here.cache._owed)
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
        await until(lambda: not process.cache._owed)
        await put(*arguments)

    monkeypatch.setattr(process.cache, "_to_redis", put_late)
    await process.get(key, 1)
    await until(lambda: not process.cache._owed)
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
    await until(lambda: not process.cache._owed)
    assert await in_redis(process, key) is None


async def _is(getting: Any, expected: Any) -> bool:
    return bool(await getting == expected)
