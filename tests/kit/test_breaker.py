"""The breaker: a few failures, then no calls at all, then one at a time until it is well again."""

import asyncio
from types import SimpleNamespace

import pytest

from fullhouse.kit.cache import breaker as breaker_module
from fullhouse.kit.cache.breaker import CircuitBreaker


class Dependency:
    """Answers "yes", unless told to fail; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails_with: BaseException | None = None
        self.hangs = False

    async def ask(self) -> str:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails_with:
            raise self.fails_with
        return "yes"


@pytest.fixture
def dependency() -> Dependency:
    return Dependency()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The breaker's own clock, which stands still until a test moves it."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(breaker_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


@pytest.fixture
def breaker(clock: SimpleNamespace) -> CircuitBreaker:
    return CircuitBreaker("dependency", timeout_s=0.02, failures=3, rest_s=1.0)


async def ask(breaker: CircuitBreaker, dependency: Dependency, times: int = 1) -> list[str]:
    return [await breaker.call(dependency.ask, "otherwise") for _ in range(times)]


async def test_a_healthy_dependency_is_asked_every_time(breaker: CircuitBreaker, dependency: Dependency) -> None:
    assert await ask(breaker, dependency, 5) == ["yes"] * 5
    assert dependency.asked == 5
    assert not breaker.open


@pytest.mark.parametrize("error", [OSError(), ConnectionError(), TimeoutError()])
async def test_after_three_failures_nobody_asks(
    breaker: CircuitBreaker, dependency: Dependency, error: Exception
) -> None:
    dependency.fails_with = error
    assert await ask(breaker, dependency, 10) == ["otherwise"] * 10
    assert dependency.asked == 3
    assert breaker.open


async def test_a_dependency_that_hangs_is_given_up_after_the_timeout(
    breaker: CircuitBreaker, dependency: Dependency
) -> None:
    dependency.hangs = True
    assert await ask(breaker, dependency, 10) == ["otherwise"] * 10
    assert dependency.asked == 3


async def test_failures_must_follow_each_other(breaker: CircuitBreaker, dependency: Dependency) -> None:
    for _ in range(4):
        dependency.fails_with = OSError()
        await ask(breaker, dependency, 2)
        dependency.fails_with = None
        assert await ask(breaker, dependency) == ["yes"]
    assert not breaker.open


async def test_after_a_rest_one_caller_tries_and_the_others_go_on_without(
    breaker: CircuitBreaker, dependency: Dependency, clock: SimpleNamespace
) -> None:
    dependency.fails_with = OSError()
    await ask(breaker, dependency, 3)
    for rest in (1, 2, 3):
        clock.now += 1.0
        dependency.hangs = True
        answers = await asyncio.gather(*(breaker.call(dependency.ask, "otherwise") for _ in range(10)))
        assert answers == ["otherwise"] * 10
        assert dependency.asked == 3 + rest


async def test_one_success_closes_it(breaker: CircuitBreaker, dependency: Dependency, clock: SimpleNamespace) -> None:
    dependency.fails_with = OSError()
    await ask(breaker, dependency, 3)
    dependency.fails_with = None
    assert await ask(breaker, dependency) == ["otherwise"]
    clock.now += 1.0
    assert await ask(breaker, dependency, 5) == ["yes"] * 5
    dependency.fails_with = OSError()
    await ask(breaker, dependency, 2)
    assert not breaker.open  # it counts from the beginning again


async def test_a_mistake_of_ours_is_not_hidden(breaker: CircuitBreaker, dependency: Dependency) -> None:
    dependency.fails_with = ZeroDivisionError()
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            await ask(breaker, dependency)
    assert not breaker.open
