"""Who is inside, in Redis beside the counts of seats."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.cache.optional_redis import make_client as redis_client
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant, run_application, settings
from tests.kit.conftest import own_redis as own_redis
from tests.kit.conftest import patient as patient
from tests.kit.helpers import until
from tests.scanning.helpers import device, door, scan
from tests.services.servers import Server

pytestmark = pytest.mark.req("CACHE-2", "SCAN-2")


@pytest.fixture
async def warmed(
    server_url: str, owner_url: str, own_redis: Server, tmp_path: Path, patient: None
) -> AsyncIterator[Client]:
    config = settings(server_url, owner_url, home=str(tmp_path / "warm"), REDIS_URL=own_redis.url)
    async with run_application(config) as lane, Client(lane) as opened:
        yield opened


async def test_whoever_enters_or_leaves_is_counted_at_once(warmed: Client, tenant: Tenant, own_redis: Server) -> None:
    at = await door(warmed, tenant, 0, 1)
    scanner, _ = await device(at, warmed)
    redis = redis_client(own_redis.url)
    name = f"fullhouse:org:{tenant.id}:event:{at.sale.event_id}:occupancy"

    async def counts() -> dict[Any, Any]:
        return await redis.hgetall(name)

    async def are_inside(people: int) -> bool:
        return (await counts()).get(b"live_attendees") == str(people).encode()

    assert (await scan(scanner, at.tickets[0]))["admit"]
    await until(lambda: are_inside(1))
    found = await counts()
    assert found[b"sold_count"] == b"2"
    assert found[b"last_updated"]
    assert 0 < await redis.ttl(name) <= 60
    assert (await scan(scanner, at.tickets[1]))["admit"]
    await until(lambda: are_inside(2))
    assert (await scan(scanner, at.tickets[0], direction="out"))["admit"]
    await until(lambda: are_inside(1))
    await redis.delete(name)  # the minute is over; a seat is taken
    buyer = warmed.as_(tenant.tokens["customer"])
    data(await buyer.post(at.sale.path("holds"), json={"best_available": {"quantity": 1}}), 201)
    await until(lambda: are_inside(1))
    assert (await counts())[b"held_count"] == b"1"
    await redis.aclose()
