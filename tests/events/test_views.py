"""Who looks at a show counts once, and no look is lost on its way to the database."""

import asyncio
from typing import Any

import asyncpg
import pytest

from fullhouse.events.model import Event
from fullhouse.events.policy import Move
from fullhouse.events.public import view_counter
from fullhouse.events.public.view_counter import ViewCounter
from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data
from tests.events.helpers import make_show
from tests.events.trending import House, finder, house
from tests.fixtures import Client, Tenant
from tests.kit.helpers import end_backends, until

__all__ = ["finder", "house"]  # fixtures

pytestmark = pytest.mark.req("FEED-2")


def see(looks: ViewCounter, event: Event, ip: str | None, tenant: Tenant) -> None:
    looks.record_view(tenant.id, event.id, ip)


async def test_a_network_counts_once_for_each_show(house: House) -> None:
    one, other = await house.show(), await house.show()
    looks = ViewCounter(house.services)
    for ip in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", None, None):
        see(looks, one, ip, house.tenant)
    see(looks, other, "192.0.2.1", house.tenant)
    await looks.write()
    assert [(await house.stats(event))["views"] for event in (one, other)] == [5, 1]
    await looks.write()
    see(looks, one, "192.0.2.1", house.tenant)
    await looks.write()
    assert (await house.stats(one))["views"] == 5


async def test_who_was_seen_long_ago_counts_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_counter, "REMEMBERED_MAX", 3)
    event = await house.show()
    looks = ViewCounter(house.services)
    for n in (*range(6), 5, 4, 0):  # the last one is forgotten: twice three others came since
        see(looks, event, f"192.0.2.{n}", house.tenant)
    await looks.write()
    assert (await house.stats(event))["views"] == 7


async def test_a_read_of_a_public_show_is_a_look_and_nothing_else_is(house: House, client: Client, lane: Any) -> None:
    event = await house.show()
    hidden = await house.show(moves=())
    for path in (f"/event/v1/events/{event.id}", f"/event/v1/events/{hidden.id}", f"/event/v1/events/{new_id()}"):
        for _ in range(2):
            await client.get(path)
    data(await client.get("/event/v1/events", params={"city": house.city}))
    await lane.wide.state.services.part(ViewCounter).write()
    assert (await house.stats(event))["views"] == 1
    assert await house.stats(hidden) is None
    assert await house.rank() == 1


async def test_many_houses_are_written_each_by_itself(house: House, other_tenant: Tenant) -> None:
    here, there = await house.show(), await make_show(house.services, other_tenant, Move.PUBLISH)
    looks = ViewCounter(house.services)
    see(looks, here, "192.0.2.1", house.tenant)
    see(looks, there, "192.0.2.1", other_tenant)
    looks.record_view(new_id(), new_id(), "192.0.2.1")  # one that is gone meanwhile
    await looks.write()
    assert [(await house.stats(event))["views"] for event in (here, there)] == [1, 1]


_WAITING = "wait_event_type = 'Lock' AND query LIKE '%UPDATE event_stats%'"


@pytest.mark.fault
async def test_looks_that_could_not_be_written_are_counted_on(house: House, owner_url: str) -> None:
    event = await house.show()
    looks = ViewCounter(house.services)
    see(looks, event, "192.0.2.1", house.tenant)
    holder = await asyncpg.connect(owner_url)
    try:
        async with holder.transaction():
            await holder.execute("SELECT FROM event_stats WHERE event_id = $1 FOR UPDATE", event.id)
            writing = asyncio.create_task(looks.write())
            await until(lambda: end_backends(house.owner, _WAITING))
            await writing  # no error: it is only written later
            see(looks, event, "192.0.2.2", house.tenant)
    finally:
        await holder.close()
    assert (await house.stats(event))["views"] == 0
    await looks.write()
    assert (await house.stats(event))["views"] == 2


async def test_it_writes_by_itself_and_what_is_left_when_it_stops(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await house.show()
    monkeypatch.setattr(view_counter, "WRITE_INTERVAL_S", 0.01)
    looks = ViewCounter(house.services)
    await looks.start()
    see(looks, event, "192.0.2.1", house.tenant)

    async def written() -> bool:
        return bool((await house.stats(event))["views"] == 1)

    await until(written)
    monkeypatch.setattr(view_counter, "WRITE_INTERVAL_S", 3600)
    see(looks, event, "192.0.2.2", house.tenant)
    await looks.stop()
    assert (await house.stats(event))["views"] == 2


async def test_a_stop_in_the_middle_of_a_write_loses_nothing(
    house: House, owner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await house.show()
    monkeypatch.setattr(view_counter, "WRITE_INTERVAL_S", 0.0)
    looks = ViewCounter(house.services)
    see(looks, event, "192.0.2.1", house.tenant)
    holder = await asyncpg.connect(owner_url)
    waiting = f"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND {_WAITING}"
    try:
        async with holder.transaction():
            await holder.execute("SELECT FROM event_stats WHERE event_id = $1 FOR UPDATE", event.id)
            await looks.start()
            await until(lambda: house.owner.fetchval(waiting))
            stopping = asyncio.create_task(looks.stop())
            await asyncio.sleep(0)
    finally:
        await holder.close()
    await stopping
    assert (await house.stats(event))["views"] == 1
