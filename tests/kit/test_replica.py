"""Public reads go to the replica, and to the primary while the replica may be behind or is away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from fullhouse.kit.cache import cache as cache_module
from fullhouse.kit.cache import optional_redis
from fullhouse.kit.db import replica as replica_module
from fullhouse.kit.db.replica import ReadRouter
from fullhouse.kit.live.bus import Bus


class Recording:
    """A database that only says that it was asked."""

    def __init__(self, name: str, asked: list[str], *, away: bool = False) -> None:
        self._name, self._asked, self._away = name, asked, away

    @asynccontextmanager
    async def without_tenant(self) -> AsyncIterator[str]:
        self._asked.append(self._name)
        if self._away:
            raise ConnectionRefusedError
        yield self._name


@pytest.mark.req("FEED-6")
async def test_after_a_change_the_primary_is_asked_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(replica_module, "time", SimpleNamespace(monotonic=lambda: ticks.now))
    bus, asked = Bus("postgresql://nowhere"), list[str]()
    primary, replica = Recording("primary", asked), Recording("replica", asked)
    reads = ReadRouter(primary, replica, bus, behind_s=5)  # type: ignore[arg-type]
    timeline: list[tuple[float, list[tuple[str, Any]], str]] = [
        (0, [], "replica"),
        (0, [("cache", ["key"])], "primary"),
        (4.9, [], "primary"),
        (0.2, [], "replica"),
        (0, [("events:org:1", {})], "replica"),  # news, not a change of what is cached
        (0, [("resync", None)], "primary"),
        (4, [("cache", ["key"])], "primary"),
        (4, [], "primary"),
        (1.1, [], "replica"),
    ]
    for passed_s, messages, expected in timeline:
        ticks.now += passed_s
        bus.deliver(messages)
        async with reads.without_tenant() as tx:
            assert (tx, asked[-1]) == (expected, expected)  # type: ignore[comparison-overlap]
    async with ReadRouter(primary, None, bus).without_tenant():  # type: ignore[arg-type]
        assert asked[-1] == "primary"


@pytest.mark.req("FEED-6")
async def test_what_a_replica_says_is_cached_for_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be minutes behind: what was changed long ago must not be shown for minutes again."""
    ticks = SimpleNamespace(now=1000.0)
    for module in (cache_module, replica_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: ticks.now))
    bus, asked = Bus("postgresql://nowhere"), list[str]()
    primary, replica = Recording("primary", asked), Recording("replica", asked)
    reads = ReadRouter(primary, replica, bus, behind_s=5)  # type: ignore[arg-type]
    cache = cache_module.Cache(bus, optional_redis.OptionalRedis(None))

    async def load() -> str:
        async with reads.without_tenant() as tx:
            return str(tx)

    # Seconds that pass, what happens, who has answered, and whether the answer was there already.
    timeline: list[tuple[float, list[tuple[str, Any]], str, bool]] = [
        (0, [], "replica", False),
        (14, [], "replica", True),
        (2, [], "replica", False),
        (0, [("cache", ["key"])], "primary", False),
        (299, [], "primary", True),
        (2, [], "replica", False),
    ]
    for passed_s, messages, expected, cached in timeline:
        ticks.now += passed_s
        bus.deliver(messages)
        before = len(asked)
        async with (
            reads.without_tenant()
        ):  # somebody who asks by himself, of whichever: it says nothing of the cached value
            pass
        assert await cache.get("key", 300, load, str) == expected
        assert len(asked) == before + (1 if cached else 2)


@pytest.mark.req("FEED-6")
async def test_a_replica_that_dies_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(replica_module, "time", SimpleNamespace(monotonic=lambda: ticks.now))
    asked: list[str] = []
    primary, replica = Recording("primary", asked), Recording("replica", asked, away=True)
    reads = ReadRouter(primary, replica, Bus("postgresql://nowhere"), behind_s=5)  # type: ignore[arg-type]
    for passed_s in (0, 1, 5):
        ticks.now += passed_s
        async with reads.without_tenant() as tx:
            assert tx == "primary"  # type: ignore[comparison-overlap]
    assert asked == ["replica", "primary", "primary", "replica", "primary"]
