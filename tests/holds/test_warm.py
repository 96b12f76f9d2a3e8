"""The warm layer: Redis as it should be, and reserves that do not care whether it is."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from redis.asyncio.client import Pipeline

from fullhouse import wiring
from fullhouse.cli import main
from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.holds import actions, guest_actions, payment_actions
from fullhouse.holds.engine import PLACED, Engine
from fullhouse.holds.mirror import consistency, layout_cache, redis_state
from fullhouse.holds.mirror import writer as warm_holds
from fullhouse.holds.mirror.writer import RedisMirror
from fullhouse.kit.cache.optional_redis import TIMEOUT_S, make_client
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import LOCAL
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.seating.maps.seat_states import SEATS_TOPIC
from fullhouse.seating.model import SeatChange, SeatChoice
from fullhouse.seating.overlay import seat_actions
from fullhouse.seating.plans.config import converter
from fullhouse.seating.plans.plan import walk
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Tenant, make_tenant
from tests.holds.helpers import OnSale, hall, hold, places, seats, stage, wish
from tests.holds.test_streams import SIZE, Workload
from tests.kit.conftest import own_redis as own_redis
from tests.kit.conftest import patient as patient
from tests.kit.helpers import frozen, until
from tests.services import servers
from tests.services.servers import Server

pytestmark = pytest.mark.req("HOLD-9", "CACHE-2")


@pytest.fixture
async def process(server_url: str, own_redis: Server, tmp_path: Path, patient: None) -> AsyncIterator[Services]:
    """What an API process has, with a Redis of its own."""
    outbox.wire(wiring.SYNC)
    opening = open_services(
        url=server_url,
        read_url=None,
        redis_url=own_redis.url,
        secret_key=SECRET_KEY,
        files=Disk(tmp_path / "images"),
        public_url=PUBLIC_URL,
        pool_size=4,
    )
    async with opening as services, open_parts(services, wiring.PARTS):
        yield services


@pytest.fixture
async def tenant(process: Services) -> Tenant:
    return await make_tenant(process)


@pytest.fixture
async def redis(own_redis: Server) -> AsyncIterator[Any]:
    opened = make_client(own_redis.url)
    yield opened
    await opened.aclose()


async def settled(process: Services) -> None:
    await until(process.part(RedisMirror).is_settled)


async def right(process: Services, tenant: Tenant, sale: OnSale) -> bool:
    await settled(process)
    return not await consistency.find_differences(process, tenant.id, sale.event_id)


def base(tenant: Tenant, sale: OnSale) -> str:
    return f"fullhouse:org:{tenant.id}:event:{sale.event_id}"


async def test_a_hold_lies_in_redis_under_its_names(process: Services, tenant: Tenant, redis: Any, owner: Any) -> None:
    sale, user_id = await stage(process, tenant, hall(pit=20)), new_id()
    seat, pit = await hold(process, tenant, sale, user_id, *seats(sale, 5), places(sale, "pit", 3))
    await settled(process)
    assert seat.held_until
    assert pit.held_until
    until_unix = int(seat.held_until.timestamp())
    assert await redis.get(f"{base(tenant, sale)}:seat:{sale.seat(5)}:hold") == (
        f"{seat.hold_id}:{user_id}:{until_unix}".encode()
    )
    assert 290 < await redis.ttl(f"{base(tenant, sale)}:seat:{sale.seat(5)}:hold") <= 300
    members = await redis.zrange(f"{base(tenant, sale)}:seat_holds", 0, -1, withscores=True)
    assert {member.decode() for member, _ in members} == {
        f"{sale.seat(5)}:{seat.hold_id}:{user_id}:{seat.held_until.isoformat()}",
        f"{sale.zones['pit']}:{pit.hold_id}:{user_id}:{pit.held_until.isoformat()}",
    }
    assert [round(score) for _, score in members] == [round(seat.held_until.timestamp())] * 2
    bits = [await redis.getbit(f"{base(tenant, sale)}:seats:bitmap", n) for n in range(SIZE)]
    assert np.flatnonzero(bits).tolist() == [5]
    counts = await redis.hgetall(f"{base(tenant, sale)}:occupancy")
    assert (counts[b"available_count"], counts[b"held_count"], counts[b"sold_count"]) == (b"56", b"4", b"0")
    assert counts[b"live_attendees"] == b"0"
    assert 0 < await redis.ttl(f"{base(tenant, sale)}:occupancy") <= 60
    availability = await redis.zrange(f"{base(tenant, sale)}:seats:availability", 0, -1, withscores=True)
    assert availability == [(f"{sale.seat(5)}:held:{until_unix}".encode(), 2.0)]
    assert 300 <= await redis.ttl(f"{base(tenant, sale)}:seats:availability") <= 1800
    layout = await redis.get(f"fullhouse:org:{tenant.id}:layout:{sale.layout_id}:config")
    assert converter.read_config(layout)[0].name == "Hall"
    assert 86_000 < await redis.ttl(f"fullhouse:org:{tenant.id}:layout:{sale.layout_id}:config") <= 86_400


async def test_the_availability_follows_each_change(process: Services, tenant: Tenant, redis: Any) -> None:
    sale = await stage(process, tenant, hall())

    async def known() -> dict[str, float]:
        await settled(process)
        found = await redis.zrange(f"{base(tenant, sale)}:seats:availability", 0, -1, withscores=True)
        return {member.decode(): version for member, version in found}

    (first,) = await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    assert first.hold_id
    async with process.database.tenant(tenant.id) as tx:
        await actions.end(tx, [first.hold_id], "cancelled")
    assert await known() == {f"{sale.seat(1)}:available:": 3.0}
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    async with process.database.tenant(tenant.id) as tx:
        await seat_actions.block(tx, sale.event_id, SeatChoice(seat_ids=[UUID(sale.seat(7))], reason="x"))
    (mine, blocked) = sorted((await known()).items(), key=lambda item: item[0] != f"{sale.seat(7)}:blocked:")[::-1]
    assert (mine[0].startswith(f"{sale.seat(1)}:held:"), mine[1]) == (True, 4.0)
    assert blocked == (f"{sale.seat(7)}:blocked:", 2.0)
    before = await known()
    assert await redis_state.rebuild(process, tenant.id, sale.event_id)
    assert await known() == before, "patched and written anew are the same"
    await redis.zadd(f"{base(tenant, sale)}:seats:availability", {f"{sale.seat(2)}:sold:": 9})
    wrong = await consistency.find_differences(process, tenant.id, sale.event_id)
    assert wrong == [f"redis: availability has {sale.seat(2)}:sold: in version 9.0, not None"]


async def test_counts_that_are_wrong_are_seen_and_those_that_ran_out_are_not(
    process: Services, tenant: Tenant, redis: Any, owner: Any
) -> None:
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    await settled(process)
    await redis.hset(f"{base(tenant, sale)}:occupancy", "live_attendees", 7)
    wrong = await consistency.find_differences(process, tenant.id, sale.event_id)
    assert wrong == ["redis: live_attendees is 7, not 0"]
    await redis.delete(f"{base(tenant, sale)}:occupancy")
    assert await consistency.find_differences(process, tenant.id, sale.event_id) == []


@pytest.mark.parametrize(("plain", "piece"), [(1_000_000, 200_000), (100, 300)])
async def test_a_layout_of_any_size_lies_there(
    plain: int, piece: int, process: Services, tenant: Tenant, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout_cache, "PLAIN_MAX_BYTES", plain)
    monkeypatch.setattr(layout_cache, "PIECE_BYTES", piece)
    sale = await stage(process, tenant, hall(20, 30))
    assert await redis_state.rebuild(process, tenant.id, sale.event_id)
    name = f"fullhouse:org:{tenant.id}:layout:{sale.layout_id}:config"
    found = await redis.get(name)
    assert (found[:1] == b"{") == (plain > 100)
    config = found if plain > 100 else gzip.decompress(found)
    assert sum(1 for _ in walk(converter.read_config(config)[0])) == 600
    assert 86_000 < await redis.ttl(name) <= 86_400
    assert await consistency.find_differences(process, tenant.id, sale.event_id) == []
    await redis.setrange(name, 40, "x")
    wrong = await consistency.find_differences(process, tenant.id, sale.event_id)
    assert wrong == [f"redis: layout {sale.layout_id} has another config"]
    layout_cache._written.clear()  # as if a minute had passed
    assert await redis_state.rebuild(process, tenant.id, sale.event_id)
    assert await redis.get(name) == found
    assert [key async for key in redis.scan_iter(f"{name}*")] == [name.encode()], "no piece stays behind"


@pytest.mark.req("TEN-2")
async def test_every_name_says_whose_it_is(process: Services, tenant: Tenant, redis: Any) -> None:
    sale = await stage(process, tenant, hall(pit=20))
    await hold(process, tenant, sale, new_id(), *seats(sale, 5), places(sale, "pit", 3))
    await settled(process)
    names = [name.decode() async for name in redis.scan_iter("*")]
    assert names
    assert all(name.startswith((f"fullhouse:org:{tenant.id}:", "fullhouse:public:")) for name in names)


async def test_what_is_over_leaves(process: Services, tenant: Tenant, redis: Any) -> None:
    sale = await stage(process, tenant, hall(pit=20))
    results = await hold(process, tenant, sale, new_id(), *seats(sale, 1, 2), places(sale, "pit", 3))
    await settled(process)
    async with process.database.tenant(tenant.id) as tx:
        await actions.end(tx, [r.hold_id for r in results if r.hold_id], "cancelled")
    await settled(process)
    assert await redis.zcard(f"{base(tenant, sale)}:seat_holds") == 0
    assert not [name async for name in redis.scan_iter(f"{base(tenant, sale)}:seat:*")]
    assert await redis.bitcount(f"{base(tenant, sale)}:seats:bitmap") == 0
    assert await right(process, tenant, sale)


async def test_what_is_handed_over_has_its_new_owners_name(process: Services, tenant: Tenant, redis: Any) -> None:
    sale, guest_id, user_id = await stage(process, tenant, hall(pit=20)), new_id(), new_id()
    seat, _ = await hold(process, tenant, sale, guest_id, *seats(sale, 1), places(sale, "pit", 3))
    await settled(process)
    async with process.database.tenant(tenant.id) as tx:
        brought = await guest_actions.lock_guest_holds(tx, [sale.event_id], guest_id, [])
        await guest_actions.hand_over(tx, sale.event_id, guest_id, user_id, brought)
    assert await right(process, tenant, sale)
    owner = await redis.get(f"{base(tenant, sale)}:seat:{sale.seat(1)}:hold")
    assert owner.decode().split(":")[:2] == [str(seat.hold_id), str(user_id)]
    members = [member.decode() for member in await redis.zrange(f"{base(tenant, sale)}:seat_holds", 0, -1)]
    assert len(members) == 2
    assert all(str(user_id) in member and str(guest_id) not in member for member in members)


async def test_what_a_checkout_gathers_has_its_time(process: Services, tenant: Tenant, redis: Any) -> None:
    sale, user_id = await stage(process, tenant, hall(pit=20)), new_id()
    held = await hold(process, tenant, sale, user_id, *seats(sale, 1), places(sale, "pit", 3))
    await settled(process)
    async with process.database.tenant(tenant.id) as tx:
        until = await tx.now() + timedelta(minutes=10)
        await payment_actions.prolong(tx, sale.event_id, [line.hold_id for line in held if line.hold_id], until)
    assert await right(process, tenant, sale)
    assert await redis.pttl(f"{base(tenant, sale)}:seat:{sale.seat(1)}:hold") > 590_000
    scores = await redis.zrange(f"{base(tenant, sale)}:seat_holds", 0, -1, withscores=True)
    assert [round(score) for _, score in scores] == [round(until.timestamp())] * 2


async def test_a_show_that_is_postponed_and_its_blocked_seats(process: Services, tenant: Tenant, redis: Any) -> None:
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 1, 2))
    await settled(process)
    async with process.database.tenant(tenant.id) as tx:
        choice = SeatChoice(seat_ids=[UUID(sale.seat(7))], reason="x")
        await seat_actions.block(tx, sale.event_id, choice)
        await events.move_event(tx, sale.event_id, Move.POSTPONE, reason="storm")
    assert await right(process, tenant, sale)
    scores = await redis.zrange(f"{base(tenant, sale)}:seat_holds", 0, -1, withscores=True)
    assert [score for _, score in scores] == [float("inf")] * 2


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_random_workload_ends_equal(
    seed: int, process: Services, tenant: Tenant, finder: Database, redis: Any
) -> None:
    sale = await stage(process, tenant, hall(wheelchairs=4, pit=60))
    work = Workload(Random(seed), [process], tenant, sale, finder)
    for _ in range(15):
        await asyncio.gather(*(work.step() for _ in range(3)))

    async def equal() -> bool:
        await work.sweep(process)
        return await right(process, tenant, sale)

    await until(equal)


async def test_two_changes_heard_in_the_wrong_order_leave_the_newer(
    process: Services, tenant: Tenant, redis: Any
) -> None:
    sale, topic = await stage(process, tenant, hall()), f"{LOCAL}{SEATS_TOPIC}"
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    await settled(process)
    asks = [wish(sale, new_id(), *seats(sale, 5)) for _ in "ab"]
    later = process.clock.now() + timedelta(minutes=5)
    for n, version in ((1, 12), (0, 11)):  # the second one's commit was the first
        row = {"outcome": "held", "req": n + 1, "line": 1, "held_until": later, "version": version}
        placed = tenant.id, asks, [row | {"hold_id": asks[n].items[0].hold_id}]
        held = SeatChange([5], [1], [version], [], tenant.id)
        process.bus.deliver([(PLACED, placed), (f"{topic}{sale.event_id}", held)])
    freed = SeatChange([5], [0], [10], [], tenant.id)
    process.bus.deliver([(f"{topic}{sale.event_id}", freed)])
    await settled(process)
    assert await redis.getbit(f"{base(tenant, sale)}:seats:bitmap", 5)
    value = await redis.get(f"{base(tenant, sale)}:seat:{sale.seat(5)}:hold")
    assert value.decode().startswith(f"{asks[1].items[0].hold_id}:")


# --- when Redis is not what it should be


async def test_flushed_or_filled_with_lies_it_is_mended_and_decides_nothing(
    process: Services, tenant: Tenant, redis: Any
) -> None:
    sale = await stage(process, tenant, hall(pit=20))
    await hold(process, tenant, sale, new_id(), *seats(sale, 1), places(sale, "pit", 3))
    await settled(process)

    await redis.flushall()
    assert await consistency.find_differences(process, tenant.id, sale.event_id)
    assert (await hold(process, tenant, sale, new_id(), *seats(sale, 2)))[0].outcome == "held"
    assert await right(process, tenant, sale)  # the next change finds it missing

    names = base(tenant, sale)
    for n in range(SIZE):  # everything is taken, it says, by nobody, in a version that is never reached
        await redis.set(f"{names}:seat:{sale.seat(n)}:hold", "lies")
        await redis.setbit(f"{names}:seats:bitmap", n, 1)
        await redis.execute_command("BITFIELD", f"{names}:seats:versions", "SET", "u32", f"#{n}", 4_000_000_000)
    await redis.zadd(f"{names}:seat_holds", {"lies": 99_999_999_999})
    await redis.hset(f"{names}:occupancy", mapping={"available_count": 0, "version": 99_999_999_999})
    assert (await hold(process, tenant, sale, new_id(), *seats(sale, 3)))[0].outcome == "held"
    await settled(process)
    assert await consistency.find_differences(process, tenant.id, sale.event_id)
    assert await redis_state.rebuild(process, tenant.id, sale.event_id)
    assert await consistency.find_differences(process, tenant.id, sale.event_id) == []


async def test_keys_of_another_kind_are_replaced(process: Services, tenant: Tenant, redis: Any) -> None:
    sale = await stage(process, tenant, hall(pit=20))
    names = redis_state.Keys.of(process, tenant.id, sale.event_id)
    await settled(process)
    for name in (*names.shared, names.occupancy, names.seat(sale.seat(4))):
        await redis.delete(name)
        await redis.lpush(name, "a list")
    assert (await hold(process, tenant, sale, new_id(), *seats(sale, 4)))[0].outcome == "held"
    assert await right(process, tenant, sale)


@pytest.mark.fault
async def test_redis_is_killed_and_comes_back(
    process: Services, tenant: Tenant, own_redis: Server, server_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await settled(process)
    own_redis.stop()
    results = await asyncio.gather(*(hold(process, tenant, sale, new_id(), *seats(sale, n)) for n in range(1, 20)))
    assert {result.outcome for [result] in results} == {"held"}
    port = int(own_redis.url.rpartition(":")[2].partition("/")[0])
    monkeypatch.setattr(servers, "free_port", lambda: port)
    again = await servers.redis(server_home)
    try:
        await until(lambda: right(process, tenant, sale))
    finally:
        again.stop()


@pytest.mark.fault
async def test_redis_hangs(process: Services, tenant: Tenant, own_redis: Server) -> None:
    """Nobody who reserves waits for it: with a patience of five seconds for each call it would show."""
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await settled(process)
    with frozen(own_redis.processes[0].pid):
        async with asyncio.timeout(4):
            ask = [wish(sale, new_id(), *seats(sale, n)) for n in range(1, 20)]
            results = await asyncio.gather(*(process.part(Engine).hold(tenant.id, each) for each in ask))
        assert {result.outcome for [result] in results} == {"held"}
        assert not process.part(RedisMirror).is_settled()
    await until(lambda: right(process, tenant, sale))


async def test_a_queue_that_runs_over_is_written_anew(
    process: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_holds, "QUEUE_MAX", 2)
    sale = await stage(process, tenant, hall())
    lost = warm_holds.LOST_CHANGES.labels("overflow")
    before = lost._value.get()
    part = process.part(warm_holds.RedisMirror)
    await until(part.is_settled)
    asleep, part._wake = part._wake, asyncio.Event()  # nobody writes while the queue fills
    for n in range(SIZE):
        await process.part(Engine).hold(tenant.id, wish(sale, new_id(), *seats(sale, n)))
    part._wake = asleep
    asleep.set()
    await until(lambda: right(process, tenant, sale))
    assert lost._value.get() > before


async def test_the_checker_sees_what_is_wrong_in_memory(process: Services, tenant: Tenant, owner: Any) -> None:
    sale = await stage(process, tenant, hall(pit=10))
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    assert await right(process, tenant, sale)
    await owner.execute(  # past everybody
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE event_id = $1 AND ordinal = 9",
        sale.event_id,
    )
    wrong = await consistency.find_differences(process, tenant.id, sale.event_id)
    assert "memory: seat 9 is in state 0, not 2" in wrong
    assert "redis: seat 9 is free" in wrong


async def test_operators_compare_and_write_anew(
    process: Services,
    tenant: Tenant,
    redis: Any,
    own_redis: Server,
    server_url: str,
    owner_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sale = await stage(process, tenant, hall())
    await hold(process, tenant, sale, new_id(), *seats(sale, 1))
    await settled(process)
    environment = {
        "DATABASE_URL": server_url,
        "DATABASE_OWNER_URL": owner_url,
        "REDIS_URL": own_redis.url,
        "FULLHOUSE_SECRET_KEY": SECRET_KEY,
        "FULLHOUSE_HOME": str(tmp_path),
        "FULLHOUSE_PORT": str(servers.free_port()),  # nobody answers there
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    async def told(*words: str) -> int:
        capsys.readouterr()
        return await asyncio.to_thread(main.main, ["cache", *words])

    event = str(sale.event_id)
    assert await told("check", event) == 0
    await redis.setbit(f"{base(tenant, sale)}:seats:bitmap", 9, 1)
    assert await told("check", event) == 1
    assert "redis: seat 9 is taken" in capsys.readouterr().out
    assert await told("rebuild", event) == 0
    assert await told("check", event) == 0
    await redis.flushall()
    assert await told("rebuild") == 0  # all that are on sale
    assert await told("check", event) == 0
    assert await told("check", str(new_id())) == 1
    # A Redis that takes longer than a buyer would wait: an operator does.
    real = Pipeline.execute

    async def slowly(pipe: Any, raise_on_error: bool = True) -> Any:
        await asyncio.sleep(4 * TIMEOUT_S)
        return await real(pipe, raise_on_error)

    monkeypatch.setattr(Pipeline, "execute", slowly)
    assert await told("check", event) == 0
    assert await told("rebuild", event) == 0
