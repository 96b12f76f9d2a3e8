"""How values lie in Redis: what is put there comes back the same, and others can read it without us."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.kit.cache.optional_redis import Redis, make_client
from fullhouse.kit.cache.redis_codecs import FIELDS, ITEMS, PACKED, RedisCodec
from fullhouse.kit.ids import new_id

pytestmark = pytest.mark.req("CACHE-1")
on_one_redis = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A value of every kind that a cached struct is made of."""

    id: UUID
    name: str
    count: int
    weight: float
    open: bool
    at: datetime
    moved_at: datetime | None
    place: UUID | None
    limit: int | None


moments = st.integers(0, 2**37 * 10**6).map(lambda us: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us))
things = st.builds(
    Thing,
    id=st.uuids(),
    name=st.text(st.characters(exclude_categories=["Cs"])),
    count=st.integers(-(2**63), 2**63 - 1),
    weight=st.floats(allow_nan=False, allow_infinity=False),
    open=st.booleans(),
    at=moments,
    moved_at=st.none() | moments,
    place=st.none() | st.uuids(),
    limit=st.none() | st.integers(-(2**63), 2**63 - 1),
)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    opened = make_client(redis_url)
    yield opened
    await opened.aclose()


@pytest.fixture
def name() -> str:
    return f"shapes:{new_id()}"


async def put(redis: Redis, shape: RedisCodec, name: str, value: Any) -> None:
    pipe = redis.pipeline()
    shape.add_write(pipe, name, value)
    await pipe.execute()


async def there(redis: Redis, shape: RedisCodec, name: str) -> Any:
    """What Redis answers, before it is read."""
    pipe = redis.pipeline()
    shape.add_read(pipe, name)
    return (await pipe.execute())[0]


@on_one_redis
@given(value=st.none() | things)
async def test_packed_comes_back_the_same(redis: Redis, name: str, value: Thing | None) -> None:
    await put(redis, PACKED, name, value)
    raw = await there(redis, PACKED, name)
    assert raw, "nothing at all is a value too: it must not look like a miss"
    assert PACKED.decode(raw, Thing | None) == value  # type: ignore[arg-type]


@on_one_redis
@given(value=things)
async def test_a_hash_comes_back_the_same(redis: Redis, name: str, value: Thing) -> None:
    await put(redis, FIELDS, name, value)
    assert FIELDS.decode(await there(redis, FIELDS, name), Thing) == value


@on_one_redis
@given(value=st.lists(things, max_size=5))
async def test_a_list_comes_back_the_same_and_in_order(redis: Redis, name: str, value: list[Thing]) -> None:
    await put(redis, ITEMS, name, value)
    raw = await there(redis, ITEMS, name)
    assert (ITEMS.decode(raw, list[Thing]) if raw else []) == value


THING = Thing(
    id=UUID(int=7),
    name="Liège: “été”",
    count=3,
    weight=1.5,
    open=True,
    at=datetime(2030, 3, 1, 12, tzinfo=UTC),
    moved_at=None,
    place=UUID(int=8),
    limit=None,
)


async def test_a_hash_is_read_by_others_field_by_field(redis: Redis, name: str) -> None:
    """What is null has no field; times are as everywhere (D6)."""
    await put(redis, FIELDS, name, THING)
    assert await redis.type(name) == b"hash"
    raw: dict[bytes, bytes] = await there(redis, FIELDS, name)
    assert {key.decode(): value.decode() for key, value in raw.items()} == {
        "id": str(UUID(int=7)),
        "name": "Liège: “été”",
        "count": "3",
        "weight": "1.5",
        "open": "True",
        "at": "2030-03-01T12:00:00Z",
        "place": str(UUID(int=8)),
    }


async def test_a_list_is_read_by_others_item_by_item(redis: Redis, name: str) -> None:
    other = msgspec.structs.replace(THING, count=4)
    await put(redis, ITEMS, name, [THING, other])
    assert await redis.type(name) == b"list"
    assert [msgspec.json.decode(item)["count"] for item in await redis.lrange(name, 0, -1)] == [3, 4]


@pytest.mark.parametrize(
    ("shape", "first", "second"),
    [
        (PACKED, THING, msgspec.structs.replace(THING, place=None)),
        (FIELDS, THING, msgspec.structs.replace(THING, place=None)),
        (ITEMS, [THING, THING, THING], [THING]),
    ],
    ids=["packed", "fields", "items"],
)
async def test_a_new_value_leaves_nothing_of_the_old_one(
    redis: Redis, name: str, shape: RedisCodec, first: Any, second: Any
) -> None:
    for lie in (b"a text", None):
        if lie:
            await redis.delete(name)
            await redis.sadd(name, lie)  # whatever lay there, of whatever type
        await put(redis, shape, name, first)
        await put(redis, shape, name, second)
        raw = await there(redis, shape, name)
        assert shape.decode(raw, list[Thing] if shape is ITEMS else Thing) == second


@pytest.mark.parametrize(("shape", "nothing"), [(FIELDS, None), (ITEMS, [])], ids=["fields", "items"])
async def test_nothing_is_not_kept_where_redis_cannot_say_it(
    redis: Redis, name: str, shape: RedisCodec, nothing: Any
) -> None:
    await put(redis, shape, name, THING if shape is FIELDS else [THING])
    await put(redis, shape, name, nothing)
    assert await redis.exists(name) == 0
