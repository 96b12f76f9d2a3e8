"""News between processes: two buses stand for two processes, over NOTIFY and over Redis."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis.asyncio

from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.live import bus as bus_module
from fullhouse.kit.live.bus import RESYNC, Bus
from tests.kit.helpers import end_backends, frozen, until
from tests.services.servers import Server


class Ear:
    """Remembers what it hears of some topics."""

    def __init__(self, bus: Bus, *topics: str) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.leave = [
            bus.subscribe(topic, lambda topic, payload: self.heard.append((topic, payload))) for topic in topics
        ]

    async def hears(self, *messages: tuple[str, Any]) -> None:
        await until(lambda: len(self.heard) >= len(messages))
        assert self.heard == [*messages]


class Process:
    """A bus with a database, as each process has them."""

    def __init__(self, bus: Bus, database: Database) -> None:
        self.bus, self.database = bus, database

    async def tell(self, *messages: tuple[str, Any]) -> None:
        async with self.database.without_tenant() as tx:
            for topic, payload in messages:
                tx.publish(topic, payload)


@pytest.fixture
async def start(server_url: str) -> AsyncIterator[Any]:
    """Starts a process; it is stopped after the test."""
    async with AsyncExitStack() as stack:

        async def start(redis_url: str | None = None) -> Process:
            bus = Bus(server_url, redis_url)
            database = await Database.open(server_url, APP, size=1, bus=bus)
            stack.push_async_callback(database.close)
            await bus.start()
            stack.push_async_callback(bus.stop)
            assert bus.connected.is_set()
            return Process(bus, database)

        yield start


@pytest.fixture(params=["notify", "redis"])
async def pair(request: pytest.FixtureRequest, start: Any) -> tuple[Process, Process]:
    redis_url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    return await start(redis_url), await start(redis_url)


@pytest.fixture
def topic() -> str:
    """The shared Redis carries other tests' messages too."""
    return f"topic:{new_id().hex}"


async def test_a_commit_tells_everybody_once(pair: tuple[Process, Process], topic: str) -> None:
    ears = [Ear(process.bus, topic) for process in pair]
    expected: list[tuple[str, Any]] = []
    for process in (*pair, *pair):  # the second time, whatever had been delivered twice would stand before it
        expected += [(topic, {"n": len(expected)}), (topic, [1, "two", None])]
        await process.tell(*expected[-2:])
        for ear in ears:
            await ear.hears(*expected)


async def test_the_teller_hears_it_at_once(pair: tuple[Process, Process], topic: str) -> None:
    here, _ = pair
    ear = Ear(here.bus, topic)
    await here.tell((topic, 1))
    assert ear.heard == [(topic, 1)]


async def test_a_rollback_tells_nobody(pair: tuple[Process, Process], topic: str) -> None:
    ears = [Ear(process.bus, topic) for process in pair]
    with pytest.raises(ZeroDivisionError):
        async with pair[0].database.without_tenant() as tx:
            tx.publish(topic, "never")
            raise ZeroDivisionError
    await pair[0].tell((topic, "after"))
    for ear in ears:
        await ear.hears((topic, "after"))


@pytest.mark.parametrize(("letters", "arrives"), [(7_000, True), (9_000, False), (3_000_000, False)])
async def test_what_is_too_large_becomes_a_resync_elsewhere(
    pair: tuple[Process, Process], topic: str, letters: int, arrives: bool
) -> None:
    here, there = Ear(pair[0].bus, topic), Ear(pair[1].bus, topic, RESYNC)
    await pair[0].tell((topic, "x" * letters))
    await here.hears((topic, "x" * letters))
    await until(lambda: there.heard)
    assert ((topic, "x" * letters) in there.heard, (RESYNC, None) in there.heard) == (arrives, not arrives)


async def test_ears_can_be_many_by_prefix_and_can_leave(start: Any, topic: str) -> None:
    bus = (await start()).bus
    exact, prefix, everything = Ear(bus, topic), Ear(bus, "topic:*"), Ear(bus, "*")
    bus.deliver([(topic, 1), ("topic:other", 2), ("else", 3)])
    assert exact.heard == [(topic, 1)]
    assert prefix.heard == [(topic, 1), ("topic:other", 2)]
    assert everything.heard == [(topic, 1), ("topic:other", 2), ("else", 3)]
    for ear in (exact, prefix):
        ear.leave[0]()
    bus.deliver([(topic, 4)])
    assert (len(exact.heard), len(prefix.heard), len(everything.heard)) == (1, 2, 4)


async def test_an_ear_that_fails_does_not_deafen_the_others(start: Any, topic: str) -> None:
    process = await start()

    def fail(_topic: str, _payload: Any) -> None:
        raise ZeroDivisionError

    process.bus.subscribe(topic, fail)
    ear = Ear(process.bus, topic)
    await process.tell((topic, 1))
    assert ear.heard == [(topic, 1)]


async def test_a_lost_database_connection_is_made_good_by_a_resync(start: Any, topic: str, owner: Any) -> None:
    here, there = await start(), await start()
    ears = [Ear(process.bus, topic, RESYNC) for process in (here, there)]
    assert await end_backends(owner, "query LIKE 'LISTEN%'") == 2
    for ear in ears:
        await ear.hears((RESYNC, None))
    await until(lambda: here.bus.connected.is_set() and there.bus.connected.is_set())
    await here.tell((topic, 1))
    for ear in ears:
        await ear.hears((RESYNC, None), (topic, 1))


@pytest.mark.fault
async def test_a_database_that_falls_silent_is_noticed(start: Any, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_module, "SILENCE_S", 0.1)
    monkeypatch.setattr(bus_module, "ANSWER_S", 0.3)
    ear = Ear((await start()).bus, RESYNC)
    [row] = await owner.fetch(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    with frozen(row["pid"]):
        await ear.hears((RESYNC, None))


# --- Redis


@pytest.mark.fault
async def test_a_lost_redis_connection_is_made_good_by_a_resync(start: Any, own_redis: Server, topic: str) -> None:
    here, there = await start(own_redis.url), await start(own_redis.url)
    ears = [Ear(process.bus, topic, RESYNC) for process in (here, there)]
    async with redis.asyncio.from_url(own_redis.url) as client:
        assert await client.client_kill_filter(_type="pubsub") == 2
    for ear in ears:
        await ear.hears((RESYNC, None))
    await until(lambda: here.bus.connected.is_set() and there.bus.connected.is_set())
    await here.tell((topic, 1))
    for ear in ears:
        await ear.hears((RESYNC, None), (topic, 1))


@pytest.mark.fault
@pytest.mark.req("CACHE-2")
async def test_while_redis_hangs_the_database_carries_the_news(start: Any, own_redis: Server, topic: str) -> None:
    here, there = await start(own_redis.url), await start(own_redis.url)
    theirs = Ear(there.bus, topic, RESYNC)
    await here.tell((topic, "before"))
    await theirs.hears((topic, "before"))
    with frozen(own_redis.processes[0].pid):
        for n in range(3):
            await here.tell((topic, n))
        await theirs.hears((topic, "before"), (topic, 0), (topic, 1), (topic, 2))
    await here.tell((topic, "after"))
    await until(lambda: (topic, "after") in theirs.heard)
    assert (RESYNC, None) not in theirs.heard


@pytest.mark.fault
async def test_what_neither_carries_is_made_good_by_one_resync(start: Any, own_redis: Server, topic: str) -> None:
    here, there = await start(own_redis.url), await start(own_redis.url)
    mine, theirs = Ear(here.bus, topic), Ear(there.bus, topic, RESYNC)
    await here.tell((topic, "before"))
    await theirs.hears((topic, "before"))
    with frozen(own_redis.processes[0].pid):
        assert here.bus._notify_connection
        here.bus._notify_connection.terminate()
        for n in range(3):
            await here.tell((topic, n))
        await until(lambda: (RESYNC, None) in theirs.heard)
    assert mine.heard == [(topic, "before"), (topic, 0), (topic, 1), (topic, 2)]
    await here.tell((topic, "after"))
    await until(lambda: (topic, "after") in theirs.heard)
    assert theirs.heard.count((RESYNC, None)) == 1


@pytest.mark.fault
async def test_a_redis_that_falls_silent_is_noticed(
    start: Any, own_redis: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus_module, "SILENCE_S", 0.1)
    monkeypatch.setattr(bus_module, "ANSWER_S", 0.3)
    bus = (await start(own_redis.url)).bus
    ear = Ear(bus, RESYNC)
    with frozen(own_redis.processes[0].pid):
        await until(lambda: not bus.connected.is_set())
    await ear.hears((RESYNC, None))


async def test_a_quiet_redis_is_not_taken_for_a_lost_one(
    start: Any, redis_url: str, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    ping = redis.asyncio.client.PubSub.ping

    async def counted(self: Any, message: Any = None) -> bool:
        nonlocal asked
        asked += 1
        return bool(await ping(self, message))

    monkeypatch.setattr(redis.asyncio.client.PubSub, "ping", counted)
    monkeypatch.setattr(bus_module, "SILENCE_S", 0.05)
    bus = (await start(redis_url)).bus
    ear = Ear(bus, RESYNC)
    await until(lambda: asked >= 5)
    assert bus.connected.is_set()
    assert ear.heard == []


@pytest.mark.fault
async def test_without_redis_a_commit_is_still_a_commit(start: Any, own_redis: Server, topic: str) -> None:
    process = await start(own_redis.url)
    own_redis.stop()
    ear = Ear(process.bus, topic)
    await process.tell((topic, 1))
    assert ear.heard == [(topic, 1)]
