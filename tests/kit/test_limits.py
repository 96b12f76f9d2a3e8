"""Rate limits, counted in this process or in Redis; when Redis goes away they still hold."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from fullhouse.kit.cache import limits
from fullhouse.kit.cache.limits import Limit, Limiter
from fullhouse.kit.cache.optional_redis import OptionalRedis
from fullhouse.kit.errors import RateLimited
from fullhouse.kit.ids import new_id
from tests.services.servers import Server

pytestmark = pytest.mark.usefixtures("patient")
THREE = Limit(3, 60)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Ten seconds into a window."""
    clock = SimpleNamespace(now=1_800_000_010.0)
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: clock.now))
    return clock


@pytest.fixture
def key() -> str:
    return new_id().hex


@pytest.fixture
async def shared(redis_url: str) -> AsyncIterator[OptionalRedis]:
    warm = OptionalRedis(redis_url)
    yield warm
    await warm.close()


async def passed(limiter: Limiter, key: str, calls: int, limit: Limit = THREE) -> int:
    """How many of so many calls at once are let through."""
    results = await asyncio.gather(*(limiter.check(key, limit) for _ in range(calls)), return_exceptions=True)
    assert all(result is None or isinstance(result, RateLimited) for result in results), results
    return results.count(None)


@pytest.mark.parametrize("redis", [False, True])
async def test_a_full_window_refuses_and_says_when_to_come_back(
    redis: bool, shared: OptionalRedis, key: str, clock: SimpleNamespace
) -> None:
    limiter = Limiter(shared if redis else OptionalRedis(None))
    assert await passed(limiter, key, 10) == 3
    with pytest.raises(RateLimited, match="Try again in 50 seconds") as refusal:
        await limiter.check(key, THREE)
    assert refusal.value.retry_after_s == 50
    clock.now += 50
    assert await passed(limiter, key, 10) == 3


@pytest.mark.parametrize("redis", [False, True])
async def test_of_attempts_only_the_failed_ones_are_counted(
    redis: bool, shared: OptionalRedis, key: str, clock: SimpleNamespace
) -> None:
    limiter = Limiter(shared if redis else OptionalRedis(None))
    for _ in range(10):
        limiter.check_full(key, THREE)
    assert await passed(limiter, key, 3) == 3
    with pytest.raises(RateLimited, match="Try again in 50 seconds"):
        limiter.check_full(key, THREE)
    clock.now += 50
    limiter.check_full(key, THREE)


async def test_a_process_that_was_refused_knows_that_others_have_filled_the_window(
    shared: OptionalRedis, key: str
) -> None:
    here, there = Limiter(shared), Limiter(shared)
    assert await passed(there, key, 3) == 3
    here.check_full(key, THREE)  # of that it has not heard
    assert await passed(here, key, 1) == 0
    with pytest.raises(RateLimited):
        here.check_full(key, THREE)


@pytest.mark.parametrize("redis", [False, True])
async def test_each_key_has_a_count_of_its_own(redis: bool, shared: OptionalRedis, key: str) -> None:
    limiter = Limiter(shared if redis else OptionalRedis(None))
    assert await passed(limiter, key, 5) == 3
    assert await passed(limiter, f"{key}-other", 5) == 3


async def test_processes_share_the_count_in_redis(redis_url: str, shared: OptionalRedis, key: str) -> None:
    other = OptionalRedis(redis_url)
    assert await passed(Limiter(shared), key, 2) + await passed(Limiter(other), key, 5) == 3
    await other.close()


async def test_a_count_in_redis_ends_by_itself(shared: OptionalRedis, key: str) -> None:
    await Limiter(shared).check(key, THREE)
    assert 0 < await shared.call(lambda client: client.ttl(f"fullhouse:limit:{key}:30000000"), 0) <= 61


@pytest.mark.fault
async def test_without_redis_the_limit_holds_in_this_process(own_redis: Server, key: str) -> None:
    warm = OptionalRedis(own_redis.url)
    limiter = Limiter(warm)
    assert await passed(limiter, key, 2) == 2
    own_redis.stop()
    assert await passed(limiter, key, 10) == 1  # what came before is counted here too
    await warm.close()


async def test_the_memory_of_it_is_bounded(key: str) -> None:
    limiter = Limiter(OptionalRedis(None), size=10)
    for n in range(50):
        await limiter.check(f"{key}-{n}", THREE)
    assert len(limiter._windows) == 10


async def test_whoever_comes_rarely_is_counted_here_and_told_together(shared: OptionalRedis, key: str) -> None:
    """Redis is asked once somebody has used an eighth of what they may in one process, and hears of all of it then."""
    many, here, there = Limit(16, 60), Limiter(shared), Limiter(shared)
    for limiter in (here, there, here, there):
        await limiter.check(key, many)
    assert await shared.call(lambda client: client.keys("*limit:*" + key + "*"), None) == []
    for n in range(12):
        await (here if n % 2 else there).check(key, many)
    assert await shared.call(lambda client: client.keys("*limit:*" + key + "*"), None) != []
    with pytest.raises(RateLimited):
        await here.check(key, many)
