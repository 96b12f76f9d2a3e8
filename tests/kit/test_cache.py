"""The cache in one process: it loads once, forgets what has changed, and remembers for a moment what is not there."""

import asyncio
import itertools
from types import SimpleNamespace

import pytest

from fullhouse.kit.cache import cache as cache_module
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.cache.optional_redis import OptionalRedis
from fullhouse.kit.live.bus import Bus
from tests.kit.caches import Process

pytestmark = pytest.mark.req("CACHE-1")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(cache_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def memory() -> Cache:
    """Without any server: the layer in this process alone."""
    return Cache(Bus("postgresql://nowhere"), OptionalRedis(None), size=3)


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
    cache, begun, let_go = Cache(bus, OptionalRedis(None)), asyncio.Event(), asyncio.Event()

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
    cache, loads = Cache(bus, OptionalRedis(None)), itertools.count(1)

    async def load() -> int:
        await asyncio.sleep(0)
        bus.deliver([("cache", ["another", "third"])])
        await asyncio.sleep(0)
        return next(loads)

    assert [await cache.get("key", 60, load, int) for _ in range(3)] == [1, 1, 1]


async def test_a_change_during_the_load_of_two_keys_stops_only_the_one_it_names() -> None:
    bus = Bus("postgresql://nowhere")
    cache, let_go, loads = Cache(bus, OptionalRedis(None)), asyncio.Event(), itertools.count(1)

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
    process = Process(Cache(bus, OptionalRedis(None)), bus, None, None)  # type: ignore[arg-type]
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
