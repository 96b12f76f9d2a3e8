"""A show that cannot be written to Redis hinders no other: it is named, counted, and tried again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from fullhouse.holds import jobs, store
from fullhouse.holds.mirror import consistency
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale, hall, hold, seats, stage
from tests.holds.test_warm import process as process
from tests.holds.test_warm import redis as redis
from tests.holds.test_warm import settled
from tests.holds.test_warm import tenant as tenant
from tests.kit.conftest import own_redis as own_redis
from tests.kit.conftest import patient as patient
from tests.kit.helpers import until

pytestmark = pytest.mark.req("CACHE-2")
Breaking = Callable[[Any, Any, OnSale], Any]


@asynccontextmanager
async def refused(redis: Any, owner: Any, sale: OnSale) -> AsyncIterator[None]:
    """Redis takes no key of this show, and all others."""
    others = await owner.fetch("SELECT id FROM events WHERE id <> $1", sale.event_id)
    allowed = [f"~fullhouse:org:*:event:{row['id']}:*" for row in others]
    await redis.execute_command("ACL", "SETUSER", "default", "resetkeys", "~fullhouse:org:*:layout:*", *allowed)
    try:
        yield
    finally:
        await redis.execute_command("ACL", "SETUSER", "default", "allkeys")


@asynccontextmanager
async def unreadable(redis: Any, owner: Any, sale: OnSale) -> AsyncIterator[None]:
    """A seat that its layout does not have: the show cannot be read."""
    change = "UPDATE event_seats SET ordinal = $3 WHERE event_id = $1 AND ordinal = $2"
    await owner.execute(change, sale.event_id, 0, 100_000)
    try:
        yield
    finally:
        await owner.execute(change, sale.event_id, 100_000, 0)


async def staged(process: Services, tenant: Tenant) -> list[OnSale]:
    """Three shows, each with a seat that is held."""
    sales = [await stage(process, tenant, hall()) for _ in range(3)]
    for sale in sales:
        await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    await settled(process)
    return sales


async def are_right(process: Services, tenant: Tenant, sales: list[OnSale]) -> list[bool]:
    return [not await consistency.find_differences(process, tenant.id, sale.event_id) for sale in sales]


def failed_shows() -> float | None:
    return REGISTRY.get_sample_value("fullhouse_mirror_failed_events")


@pytest.mark.parametrize("broken", [refused, unreadable])
async def test_a_round_goes_on_after_one_that_fails(
    broken: Breaking, process: Services, tenant: Tenant, finder: Database, redis: Any, owner: Any
) -> None:
    sales = await staged(process, tenant)
    async with finder.without_tenant() as tx:
        order = [show.event_id for show in await store.list_events_on_sale(tx)]
    sales.sort(key=lambda sale: order.index(sale.event_id))
    await redis.flushall()
    async with broken(redis, owner, sales[0]):
        with capture_logs() as logs:
            done = await jobs.rebuild_redis_mirror(process, finder, pauses_s=(0, 0))
    assert [show.event_id for show in done.failed] == [sales[0].event_id]
    assert (done.written, failed_shows()) == (len(order) - 1, 1)
    (line,) = [entry for entry in logs if entry["event"] == "cache.not_rebuilt"]
    assert (line["log_level"], line["org_id"], line["event_id"]) == ("error", str(tenant.id), str(sales[0].event_id))
    why = {"redis.write_rejected", "redis.mirror_rebuild_failed"}
    assert (line["tries"], len([entry for entry in logs if entry["event"] in why])) == (3, 3)
    assert await are_right(process, tenant, sales) == [False, True, True]
    again = await jobs.rebuild_redis_mirror(process, finder, pauses_s=())
    assert (again.failed, failed_shows()) == ([], 0)
    assert await are_right(process, tenant, sales) == [True] * 3


async def test_one_that_is_mended_meanwhile_is_written_in_the_same_round(
    process: Services, tenant: Tenant, finder: Database, redis: Any, owner: Any
) -> None:
    sales = await staged(process, tenant)
    await redis.flushall()
    with capture_logs() as logs:
        async with refused(redis, owner, sales[1]):
            round = asyncio.create_task(jobs.rebuild_redis_mirror(process, finder, pauses_s=(0.1,) * 600))
            await until(lambda: any(entry["log_level"] == "error" for entry in logs))
        assert (await round).failed == []
    assert await are_right(process, tenant, sales) == [True] * 3


async def test_while_redis_is_away_all_are_left(
    process: Services, tenant: Tenant, finder: Database, own_redis: Any
) -> None:
    await staged(process, tenant)
    own_redis.stop()
    async with finder.without_tenant() as tx:
        shows = await store.list_events_on_sale(tx)
    done = await jobs.rebuild_redis_mirror(process, finder, pauses_s=())
    assert (done.written, done.failed) == (0, shows)


@pytest.mark.parametrize("broken", [refused, unreadable])
async def test_what_is_owed_of_one_show_hinders_no_other(
    broken: Breaking, process: Services, tenant: Tenant, redis: Any, owner: Any
) -> None:
    first, second, _ = await staged(process, tenant)
    async with broken(redis, owner, first):
        await redis.flushall()  # the next change finds it missing
        for sale in (first, second):
            await hold(process, tenant, sale, new_id(), *seats(sale, 2))

        async def is_written() -> bool:
            return (await are_right(process, tenant, [second])) == [True]

        await until(is_written)
        if broken is refused:
            assert await are_right(process, tenant, [first]) == [False]
    await until(lambda: right_soon(process, tenant, first))


async def right_soon(process: Services, tenant: Tenant, sale: OnSale) -> bool:
    return (await are_right(process, tenant, [sale])) == [True]
