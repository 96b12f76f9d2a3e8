"""Seats as they change, over Server-Sent Events: what watchers see is what the database has."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest

from fullhouse.holds import actions, jobs
from fullhouse.holds.engine import Engine
from fullhouse.kit.db.database import Database
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from fullhouse.seating.maps.geometry import unpack_states
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import BLOCKED, SeatChoice
from fullhouse.seating.overlay import actions as overlays
from fullhouse.seating.overlay import seat_actions
from tests.fixtures import Client, Tenant, make_tenant
from tests.holds.helpers import OnSale, hall, hold, places, processes, seats, stage, wish
from tests.kit.helpers import until
from tests.kit.sse import Listener, listening

pytestmark = pytest.mark.req("HOLD-10")
SIZE = 40


@pytest.fixture(params=["notify", "redis"])
def redis(request: pytest.FixtureRequest) -> str | None:
    return request.getfixturevalue("redis_url") if request.param == "redis" else None


@pytest.fixture
def here(lane: LaneRouter) -> Services:
    services: Services = lane.wide.state.services
    return services


class Watcher:
    """A map on somebody's screen: the states from /availability, and what the stream says after that."""

    def __init__(self, lane: LaneRouter, sale: OnSale, stream: Listener) -> None:
        self._lane, self._sale, self._stream = lane, sale, stream
        self.states: list[int] = []
        self.epoch, self.number = "", -1
        self.occupancy: Any = None

    async def follow(self) -> None:
        """Until there is nothing more to hear."""
        while not self.states or self._stream.waiting():
            message = await self._stream.next()
            if message.event == "snapshot":
                self.occupancy = message.data["seats"]["occupancy"]
                if self.epoch != message.data["seats"]["version"].split("-")[0]:
                    await self.fetch()
            elif message.event == "delta":
                epoch, number = message.data["version"].split("-")
                assert epoch == self.epoch
                if int(number) > self.number:
                    self.number = int(number)
                    for ordinal, state in zip(message.data["ordinals"], message.data["states"], strict=True):
                        self.states[ordinal] = state
            elif message.event == "occupancy":
                self.occupancy = message.data

    async def fetch(self) -> None:
        async with Client(self._lane) as client:
            answer = await client.get(self._sale.path("availability"))
        self.states = unpack_states(answer.content, SIZE).tolist()
        self.epoch, number = answer.headers["etag"].strip('"').split("-")
        self.number = int(number)


@asynccontextmanager
async def watching(lane: LaneRouter, sale: OnSale) -> AsyncIterator[Watcher]:
    async with listening(lane, sale.path("stream")) as stream:
        watcher = Watcher(lane, sale, stream)
        await watcher.follow()
        yield watcher


SHOWN = """
SELECT array_agg(CASE WHEN status = 'sold' THEN 2 WHEN status = 'blocked' THEN 3 WHEN status = 'held' THEN 1
                      WHEN reserved_until > app.clock() THEN 3 ELSE 0 END ORDER BY ordinal)
FROM event_seats WHERE event_id = $1
"""


async def counts(owner: Any, sale: OnSale) -> tuple[int, int, int]:
    """Available, held and sold, as the rows have it."""
    shown = await owner.fetchval(SHOWN, sale.event_id)
    pit = await owner.fetchrow(
        "SELECT p.* FROM pools p JOIN event_zones z ON z.event_id = p.event_id AND z.zone_id = p.ref_id"
        " WHERE p.event_id = $1 AND z.zone_key = 'pit'",
        sale.event_id,
    )
    free, held, sold = (pit["capacity"] - pit["held"] - pit["sold"], pit["held"], pit["sold"]) if pit else (0, 0, 0)
    return shown.count(0) + free, shown.count(1) + held, shown.count(2) + sold


async def agrees(owner: Any, sale: OnSale, watcher: Watcher) -> bool:
    await watcher.follow()
    found = watcher.occupancy
    same_counts = (found["total_available"], found["total_held"], found["total_sold"]) == await counts(owner, sale)
    return same_counts and watcher.states == await owner.fetchval(SHOWN, sale.event_id)


async def test_a_snapshot_says_where_the_states_are(
    here: Services, lane: LaneRouter, tenant: Tenant, client: Client
) -> None:
    sale = await stage(here, tenant, hall(pit=50))
    await hold(here, tenant, sale, tenant.people["customer"].id, *seats(sale, 3), places(sale, "pit", 4))
    async with listening(lane, sale.path("stream")) as stream:
        first = await stream.next()
    found = first.data["seats"]
    answer = await client.get(sale.path("availability"))
    assert (first.event, found["version"]) == ("snapshot", answer.headers["etag"].strip('"'))
    assert found["layout_id"] == str(sale.layout_id) == answer.headers["x-layout-id"]
    shown = found["occupancy"]
    assert [shown[n] for n in ("total_available", "total_held", "total_sold", "total_blocked", "total")] == [
        85,
        5,
        0,
        0,
        90,
    ]
    assert (shown["percent_available"], shown["percent_held"]) == (94.4, 5.6)
    by_zone = {zone["zone_id"]: zone for zone in shown["zones"]}
    pit = by_zone[sale.zones["pit"]]
    assert (pit["available"], pit["held"], pit["sold"], pit["total"]) == (46, 4, 0, 50)
    assert shown["event_id"] == str(sale.event_id)
    assert shown["timestamp"].endswith("Z")


async def test_three_processes_see_each_others_changes(
    redis: str | None, server_url: str, owner_url: str, tmp_path: Path, owner: Any
) -> None:
    async with processes(3, server_url, owner_url, tmp_path, redis) as lanes, AsyncExitStack() as stack:
        services = [lane.wide.state.services for lane in lanes]
        tenant = await make_tenant(services[0])
        sale = await stage(services[0], tenant, hall(pit=50))
        watchers = [await stack.enter_async_context(watching(lane, sale)) for lane in lanes]
        kept = []
        for n, each in enumerate(services):
            results = await hold(each, tenant, sale, new_id(), *seats(sale, n, 10 + n), places(sale, "pit", 1 + n))
            kept += [result.hold_id for result in results if result.hold_id]
        for watcher in watchers:
            await until(partial(agrees, owner, sale, watcher))
        async with services[1].database.tenant(tenant.id) as tx:
            assert await actions.end(tx, kept[:4], "cancelled") == 4
        for watcher in watchers:
            await until(partial(agrees, owner, sale, watcher))
            assert sum(watcher.states) == 3


class Workload:
    """Everything that happens to seats, at random: by two processes, with the sweep between them."""

    def __init__(self, random: Random, here: list[Services], tenant: Tenant, sale: OnSale, finder: Database) -> None:
        self.random, self.here, self.tenant, self.sale, self.finder = random, here, tenant, sale, finder
        self.held: list[UUID] = []

    async def step(self) -> None:
        services = self.random.choice(self.here)
        await self.random.choices(
            [self.hold, self.release, self.block, self.unblock, self.sweep, self.miss], [10, 5, 1, 1, 2, 1]
        )[0](services)

    async def hold(self, services: Services) -> None:
        ordinals = self.random.sample(range(SIZE), self.random.randint(1, 3))
        wants = [want._replace(keeps_companions=True) for want in seats(self.sale, *ordinals)]
        if self.random.random() < 0.5:
            wants.append(places(self.sale, "pit", self.random.randint(1, 5)))
        ttl_s = self.random.choice([1, 300])
        ask = wish(self.sale, new_id(), *wants, ttl_s=ttl_s)
        self.held += [
            r.hold_id for r in await services.part(Engine).hold(self.tenant.id, ask) if r.is_granted and r.hold_id
        ]

    async def release(self, services: Services) -> None:
        some = self.random.sample(self.held, min(len(self.held), 3))
        self.held = [hold_id for hold_id in self.held if hold_id not in some]
        async with services.database.tenant(self.tenant.id) as tx:
            await actions.end(tx, some, "cancelled")

    async def block(self, services: Services) -> None:
        await self._set(services, seat_actions.block)

    async def unblock(self, services: Services) -> None:
        await self._set(services, seat_actions.unblock)

    async def _set(self, services: Services, how: Any) -> None:
        ids = [UUID(self.sale.seat(n)) for n in self.random.sample(range(SIZE), 3)]
        async with services.database.tenant(self.tenant.id) as tx:
            await how(tx, self.sale.event_id, SeatChoice(seat_ids=ids, reason="x"))

    async def sweep(self, services: Services) -> None:
        await jobs.sweep_holds(self.finder, services.database)

    async def miss(self, services: Services) -> None:
        """Something may have been lost on the way."""
        services.bus.deliver([(RESYNC, None)])


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_snapshot_and_deltas_make_the_databases_state(
    seed: int, redis: str | None, server_url: str, owner_url: str, tmp_path: Path, owner: Any, finder: Database
) -> None:
    async with processes(2, server_url, owner_url, tmp_path, redis) as lanes, AsyncExitStack() as stack:
        here = [lane.wide.state.services for lane in lanes]
        tenant = await make_tenant(here[0])
        sale = await stage(here[0], tenant, hall(wheelchairs=4, pit=60))
        watchers = [await stack.enter_async_context(watching(lane, sale)) for lane in lanes]
        work = Workload(Random(seed), here, tenant, sale, finder)
        for _ in range(20):
            await asyncio.gather(*(work.step() for _ in range(3)))
            await asyncio.gather(*(watcher.follow() for watcher in watchers))

        async def all_agree() -> bool:
            await jobs.sweep_holds(finder, here[0].database)
            return all([await agrees(owner, sale, watcher) for watcher in watchers])

        await until(all_agree)


async def test_news_in_any_order_leave_the_newest(here: Services, tenant: Tenant) -> None:
    sale = await stage(here, tenant, hall(pit=9))
    found = await here.part(SeatStateCache).get(tenant.id, sale.event_id)
    assert found
    topic, pit = f"seats:{sale.event_id}", sale.zones["pit"]
    held = [[5], [1], [7], [[pit, 3, 0, 7]], str(tenant.id)]
    freed = [[5], [0], [8], [[pit, 0, 0, 8]], str(tenant.id)]
    here.bus.deliver([(topic, freed), (topic, held)])  # the older one comes last
    assert found.states[5] == 0
    assert found.zone_counts[pit] == (0, 0, 8)


async def test_what_is_kept_for_a_companion_looks_blocked(
    here: Services, lane: LaneRouter, tenant: Tenant, owner: Any
) -> None:
    sale = await stage(here, tenant, hall(wheelchairs=2))
    async with watching(lane, sale) as watcher:
        wheelchair = await owner.fetchval(
            "SELECT w.ordinal FROM event_seats c JOIN event_seats w ON w.event_id = c.event_id"
            " AND w.seat_id = c.companion_of WHERE c.event_id = $1 LIMIT 1",
            sale.event_id,
        )
        want = seats(sale, wheelchair)[0]._replace(keeps_companions=True)
        await hold(here, tenant, sale, new_id(), want)
        await until(lambda: agrees(owner, sale, watcher))
        assert watcher.states.count(BLOCKED) >= 1
        assert 4 not in watcher.states
        assert watcher.occupancy["total_blocked"] == watcher.states.count(BLOCKED)


@pytest.mark.req("TEN-2")
async def test_nobody_learns_who_holds_what(here: Services, lane: LaneRouter, tenant: Tenant, owner: Any) -> None:
    sale = await stage(here, tenant, hall(pit=20))
    user_id = new_id()
    async with listening(lane, sale.path("stream")) as stream:
        watcher = Watcher(lane, sale, stream)
        await watcher.follow()
        results = await hold(here, tenant, sale, user_id, *seats(sale, 1, 2), places(sale, "pit", 2))
        await until(lambda: agrees(owner, sale, watcher))
        for secret in (user_id, *(result.hold_id for result in results)):
            assert str(secret).encode() not in stream.whole


async def test_places_without_seats_are_counted_from_memory(
    here: Services, client: Client, tenant: Tenant, owner: Any, clock: Any, finder: Database
) -> None:
    sale = await stage(here, tenant, hall(pit=30))
    await client.get(sale.path("occupancy"))

    async def shown() -> tuple[int, int, int]:
        found = (await client.get(sale.path("occupancy"))).json()["data"]
        return found["available"], found["held"], found["sold"]

    kept = await hold(here, tenant, sale, new_id(), places(sale, "pit", 5), *seats(sale, 1))
    await hold(here, tenant, sale, new_id(), places(sale, "pit", 7))
    assert await shown() == await counts(owner, sale) == (57, 13, 0)
    async with here.database.tenant(tenant.id) as tx:
        await actions.end(tx, [result.hold_id for result in kept if result.hold_id], "cancelled")
    assert await shown() == await counts(owner, sale) == (63, 7, 0)
    await clock(timedelta(minutes=6))
    # The pool is too small for both: what is overdue makes room, and everybody hears of it.
    assert (await hold(here, tenant, sale, new_id(), places(sale, "pit", 28)))[0].outcome == "held"
    assert await shown() == await counts(owner, sale) == (42, 28, 0)
    await clock(timedelta(minutes=12))
    await jobs.sweep_holds(finder, here.database)
    assert await shown() == await counts(owner, sale) == (70, 0, 0)


async def test_counts_come_four_times_a_second_at_most_and_the_last_one_is_right(
    here: Services, lane: LaneRouter, tenant: Tenant, owner: Any
) -> None:
    sale = await stage(here, tenant, hall())
    heard: list[Any] = []
    here.bus.subscribe(f"occupancy:{tenant.id}:{sale.event_id}", lambda _topic, counts: heard.append(counts))
    for n in range(SIZE):
        await hold(here, tenant, sale, new_id(), *seats(sale, n))
    await until(lambda: heard and heard[-1].total_held == SIZE)
    assert len(heard) < SIZE / 2
    assert [told.total_held for told in heard] == sorted(told.total_held for told in heard)


async def test_dashboards_hear_how_full_their_shows_are(
    redis: str | None, server_url: str, owner_url: str, tmp_path: Path
) -> None:
    """Also of shows that this process has never looked at."""
    async with processes(2, server_url, owner_url, tmp_path, redis) as (here, there):
        services = there.wide.state.services
        mine, theirs = await make_tenant(services), await make_tenant(services)
        sale, other = await stage(services, mine, hall(pit=10)), await stage(services, theirs, hall())
        async with listening(here, "/api/org/stream", token=mine.tokens["staff"]) as stream:
            await stream.next()
            await hold(services, theirs, other, new_id(), *seats(other, 1))
            await hold(services, mine, sale, new_id(), *seats(sale, 1), places(sale, "pit", 3))
            while (message := await stream.next()).event != "occupancy":
                pass
        assert (message.data["event_id"], message.data["total_held"]) == (str(sale.event_id), 4)
        assert str(other.event_id).encode() not in stream.whole


@pytest.mark.req("HOLD-10")
async def test_a_team_hears_of_each_seat_that_is_held_and_the_public_does_not(
    redis: str | None, server_url: str, owner_url: str, tmp_path: Path
) -> None:
    """With its hold and the counts, whichever process held it."""
    async with processes(2, server_url, owner_url, tmp_path, redis) as (here, there):
        services = there.wide.state.services
        mine, theirs = await make_tenant(services), await make_tenant(services)
        sale, other = await stage(services, mine, hall(pit=10)), await stage(services, theirs, hall())
        async with (
            listening(here, "/api/org/stream", token=mine.tokens["staff"]) as stream,
            listening(here, sale.path("stream")) as public,
        ):
            await stream.next()
            await public.next()
            await hold(services, theirs, other, new_id(), *seats(other, 1))
            (held,) = await hold(services, mine, sale, new_id(), *seats(sale, 1))
            while (message := await stream.next()).event != "seat_held":
                pass
            while (seen := await public.next()).event != "occupancy":
                pass
        assert seen.data["total_held"] == 1
        assert message.data | {"timestamp": ""} == {
            "event": "seat_held",
            "seat_id": sale.seat(1),
            "hold_id": str(held.hold_id),
            "event_id": str(sale.event_id),
            "total_available": 49,
            "total_held": 1,
            "total_sold": 0,
            "percent_available": 98.0,
            "percent_held": 2.0,
            "timestamp": "",
        }
        assert str(other.event_id).encode() not in stream.whole
        assert str(held.hold_id).encode() not in public.whole


async def test_when_much_has_changed_everybody_gets_a_snapshot(
    here: Services, lane: LaneRouter, tenant: Tenant, owner: Any
) -> None:
    """Nor is what else was said lost by that."""
    sale = await stage(here, tenant, hall())
    async with listening(lane, sale.path("stream")) as stream:
        first = await stream.next()
        async with here.database.tenant(tenant.id) as tx:
            tx.publish(f"events:event:{sale.event_id}", _moved(sale))
            overlays.publish_reload(tx, sale.event_id)
        messages = [await stream.next() for _ in range(2)]
        assert [message.event for message in messages] == ["event", "snapshot"]
        assert messages[1].data["seats"]["version"] != first.data["seats"]["version"]


def _moved(sale: OnSale) -> dict[str, Any]:
    names = ("old_status", "new_status", "rescheduled_at", "replaced_by_event_id")
    return (
        {"fact": "event.updated", "event_id": str(sale.event_id)}
        | dict.fromkeys(names[2:])
        | dict.fromkeys(names[:2], "published")
    )


async def test_a_hall_that_is_forgotten_is_no_silence(
    here: Services, lane: LaneRouter, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fullhouse.seating.maps.seat_states.EVENTS_MAX", 1)
    sale, other = await stage(here, tenant, hall()), await stage(here, tenant, hall())
    async with watching(lane, sale) as watcher:
        await here.part(SeatStateCache).get(tenant.id, other.event_id)
        await hold(here, tenant, sale, new_id(), *seats(sale, 4))
        await until(lambda: agrees(owner, sale, watcher))
