"""What lies in Redis: others may read it there, it ends by itself, and whatever it is, no read fails."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.events import cache_keys
from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.cache.optional_redis import make_client as redis_client
from fullhouse.kit.ids import new_id
from tests.events.helpers import DAY, HOUR
from tests.events.kept_reads import READS, gives, read_all, redis, start
from tests.kit.helpers import until
from tests.services.servers import Server

__all__ = ["redis", "start"]  # fixtures

pytestmark = pytest.mark.req("FEED-4", "CACHE-1")


async def test_in_redis_too(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    for read in READS.values():
        await read(process, event)
    names = {
        cache_keys.public_event(event.id): 300,
        cache_keys.CITIES: 3600,
        cache_keys.summary(process.tenant.id, event.id): 900,
        cache_keys.upcoming(process.tenant.id, None): 900,
        cache_keys.upcoming(process.tenant.id, event.venue_id): 900,
    }
    async with redis_client(redis.url) as looking:
        for name, ttl_s in names.items():
            assert ttl_s * 1000 - 60_000 < await looking.pttl(f"fullhouse:{name}") <= ttl_s * 1000, name
        [page] = [name async for name in looking.scan_iter("fullhouse:public:feed:*")]
        assert 0 < await looking.pttl(page) <= 15_000


async def test_made_up_ids_push_no_show_out(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    await process.show(event)
    process.services.cache._size = 5
    for _ in range(20):
        with pytest.raises(EventNotFound):
            await reads.require_public_event(process.services, new_id())
    before = process.asked
    assert await process.show(event)
    assert process.asked == before
    async with redis_client(redis.url) as looking:
        names = [name async for name in looking.scan_iter("fullhouse:public:event:*")]
    assert names == [f"fullhouse:{cache_keys.public_event(event.id)}".encode()]


@pytest.mark.req("CACHE-1")
async def test_others_read_the_summary_and_the_lists_in_redis(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    other = await process.make(Move.PUBLISH, name="Later", start_at=event.start_at + DAY, end_at=event.end_at + DAY)
    await process.change(event, replaced_by_event_id=other.id)
    event = await process.move(event, Move.POSTPONE, new_date=event.start_at + HOUR)
    await read_all(process, event)
    prefix = f"fullhouse:org:{process.tenant.id}:events"
    summary, whole, at_venue = f"{prefix}:summary:{event.id}", f"{prefix}:list", f"{prefix}:list:venue:{event.venue_id}"
    async with redis_client(redis.url) as looking:
        raw: dict[Any, Any] = await looking.hgetall(summary)
        kept = {key.decode(): value.decode() for key, value in raw.items()}
        assert kept == {
            "id": str(event.id),
            "name": "The Tempest",
            "slug": "the-tempest",
            "status": "postponed",
            "start_at": _said(event.start_at),
            "end_at": _said(event.end_at),
            "sale_start_at": _said(event.sale_start_at),
            "sale_end_at": _said(event.sale_end_at),
            "rescheduled_at": _said(event.rescheduled_at),
            "venue_id": str(event.venue_id),
            "timezone": "Europe/Brussels",
            "capacity": "0",
            "replaced_by_event_id": str(other.id),
            "org_id": str(process.tenant.id),
        }
        items = [msgspec.json.decode(item) for item in await looking.lrange(whole, 0, -1)]
        assert [item["id"] for item in items] == [str(event.id), str(other.id)]
        assert items[0].items() >= {"status": "postponed", "name": "The Tempest"}.items()
        assert all(b"\n" not in item and b": " not in item for item in await looking.lrange(whole, 0, -1))
        assert [msgspec.json.decode(i)["id"] for i in await looking.lrange(at_venue, 0, -1)] == [str(event.id)]
        await process.change(event, name="King Lear")
        await until(lambda: gives(looking.exists(summary, whole, at_venue), 0))
        await read_all(process, event)
        assert await looking.hget(summary, "name") == b"King Lear"
        assert [msgspec.json.decode(i)["name"] for i in await looking.lrange(whole, 0, -1)] == ["King Lear", "Later"]
        assert await looking.type(at_venue) == b"list"


def _said(at: datetime | None) -> str:
    assert at
    return str(msgspec.to_builtins(at))


LIES: dict[str, Callable[[Any, str], Awaitable[Any]]] = {
    "a text": lambda redis, name: redis.set(name, b"\xff\xfe no"),
    "an empty map": lambda redis, name: redis.set(name, b"\x80"),
    "a deep one": lambda redis, name: redis.set(name, b"\x81\xa1x" + b"\x91" * 100_000),
    "a hash": lambda redis, name: redis.hset(name, mapping={"id": "none", "name": b"\xff", b"\xff": "x"}),
    "a hash with half of it": lambda redis, name: redis.hset(name, mapping={"id": str(UUID(int=1)), "name": "Lie"}),
    "a list": lambda redis, name: redis.rpush(name, b"{", b'{"id": 1}', b"\xff"),
    "a deep list": lambda redis, name: redis.rpush(name, b'{"x":' + b"[" * 100_000),
    "a set": lambda redis, name: redis.sadd(name, "x"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_whatever_lies_in_redis_no_read_fails(start: Any, redis: Server, lie: str) -> None:
    writer = await start(redis.url)
    event = await writer.make(Move.PUBLISH)
    truth = await read_all(writer, event)
    async with redis_client(redis.url) as looking:
        names = [name async for name in looking.scan_iter("fullhouse:*")]
        assert len(names) >= 7
        for name in names:
            await looking.delete(name)
            await LIES[lie](looking, name)
            await looking.pexpire(name, 60_000)
        reader = await start(redis.url)
        assert await read_all(reader, event) == truth
        assert not reader.services.cache._redis._breaker.tripped, "a lie is no reason to think that Redis is away"
        assert await looking.type(f"fullhouse:{cache_keys.summary(writer.tenant.id, event.id)}") == b"hash"
        assert await looking.type(f"fullhouse:{cache_keys.upcoming(writer.tenant.id, None)}") == b"list"


async def test_what_somebody_keeps_for_ever_is_not_believed(start: Any, redis: Server) -> None:
    writer = await start(redis.url)
    event = await writer.make(Move.PUBLISH)
    await read_all(writer, event)
    async with redis_client(redis.url) as looking:
        name = f"fullhouse:{cache_keys.summary(writer.tenant.id, event.id)}"
        await looking.hset(name, "name", "Lie")
        await looking.persist(name)
    reader = await start(redis.url)
    assert (await reader.summary(event)).name == "The Tempest"
