"""Seats in memory: loaded once, kept up to date by the bus, dropped whenever something may have been missed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import CHANNEL, RESYNC, Envelope
from fullhouse.kit.media.files import Disk
from fullhouse.kit.services import Services, open_services
from fullhouse.seating import store
from fullhouse.seating.maps import seat_states as seat_states_module
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import BLOCKED, HELD, SOLD, SeatChoice
from fullhouse.seating.overlay import seat_actions
from tests.accounts.helpers import data
from tests.events.helpers import draft
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, Tenant
from tests.kit.helpers import end_backends, until
from tests.seating.helpers import attach, hold, next_version, rows_of, seat_of, seated_show, sell

pytestmark = pytest.mark.req("CACHE-1", "CACHE-2")

Seated = Callable[..., Awaitable[tuple[Any, Any]]]


@pytest.fixture
def admin(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["admin"])


@pytest.fixture
async def halls(services: Services) -> AsyncIterator[SeatStateCache]:
    opened = SeatStateCache(services)
    yield opened
    await opened.stop()


async def settled(owner: Any, *services: Services) -> None:
    """Whatever was told so far has been heard: the database hands news out in the order of the commits."""
    for one in services:
        topic, heard = f"test:{new_id()}", asyncio.Event()
        leave = one.bus.subscribe(topic, lambda _topic, _none, heard=heard: heard.set())  # type: ignore[misc]
        packed = msgspec.json.encode(Envelope("a test", [(topic, None)])).decode()
        await owner.execute("SELECT pg_notify($1, $2)", CHANNEL, packed)
        await heard.wait()
        leave()


@pytest.fixture
def seated(admin: Client, services: Services, owner: Any) -> Seated:
    """A seated show, made by another process than the one that is looked at, after its news has arrived."""

    async def make(*plan: Any) -> tuple[Any, Any]:
        made = await seated_show(admin, *plan)
        await settled(owner, services)
        return made

    return make


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """The shows whose states were read from the database, in order."""
    read: list[UUID] = []

    async def counting(tx: Any, event_id: UUID) -> Any:
        read.append(event_id)
        return await seat_states(tx, event_id)

    seat_states = store.seat_states
    monkeypatch.setattr(store, "seat_states", counting)
    return read


async def shown(halls: SeatStateCache, tenant: Tenant, event: Any) -> list[int]:
    hall = await halls.get(tenant.id, UUID(str(event["id"])))
    assert hall
    states: list[int] = hall.states.tolist()
    return states


async def block(services: Services, tenant: Tenant, event: Any, *seats: UUID) -> None:
    async with services.database.tenant(tenant.id) as tx:
        await seat_actions.block(tx, UUID(event["id"]), SeatChoice(seat_ids=list(seats), reason="x"))


async def test_who_asks_together_loads_once(
    halls: SeatStateCache, seated: Seated, tenant: Tenant, loads: list[UUID]
) -> None:
    event, _ = await seated()
    found = await asyncio.gather(*(halls.get(tenant.id, UUID(event["id"])) for _ in range(20)))
    assert len({id(hall) for hall in found}) == 1
    assert await halls.get(tenant.id, UUID(event["id"])) is found[0]
    assert loads == [UUID(event["id"])]


async def test_a_show_without_seats_has_no_hall(halls: SeatStateCache, admin: Client, tenant: Tenant) -> None:
    event = await draft(admin)
    assert await halls.get(tenant.id, UUID(event["id"])) is None
    assert await halls.get(tenant.id, new_id()) is None


@pytest.mark.req("TEN-2")
async def test_another_organisation_sees_no_hall(
    halls: SeatStateCache, seated: Seated, other_tenant: Tenant, tenant: Tenant
) -> None:
    event, _ = await seated()
    assert await halls.get(other_tenant.id, UUID(event["id"])) is None


@pytest.mark.req("TEN-2")
@pytest.mark.parametrize("first", ["ours", "theirs"])
async def test_two_organisations_that_ask_together_share_nothing(
    halls: SeatStateCache, seated: Seated, other_tenant: Tenant, tenant: Tenant, first: str
) -> None:
    event, _ = await seated()
    asking = [tenant, other_tenant] if first == "ours" else [other_tenant, tenant]
    found = await asyncio.gather(*(halls.get(one.id, UUID(event["id"])) for one in asking))
    assert [hall is not None for hall in found] == [one is tenant for one in asking]


async def test_whoever_stops_waiting_spoils_nothing(halls: SeatStateCache, seated: Seated, tenant: Tenant) -> None:
    event, _ = await seated()
    first = asyncio.create_task(halls.get(tenant.id, UUID(event["id"])))
    second = asyncio.create_task(halls.get(tenant.id, UUID(event["id"])))
    await asyncio.sleep(0)
    first.cancel()
    assert await second


async def test_a_load_that_fails_is_tried_again(
    halls: SeatStateCache, seated: Seated, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, _ = await seated()

    async def fail(*_: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(store, "seat_states", fail)
        with pytest.raises(OSError, match="gone"):
            await halls.get(tenant.id, UUID(event["id"]))
    assert await shown(halls, tenant, event) == [0] * 5


class Gate:
    """Holds a load up after it has read: what happens in between is what a load may miss."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read, self.go = asyncio.Event(), asyncio.Event()
        seat_states = store.seat_states

        async def slowly(*args: Any) -> Any:
            found = await seat_states(*args)
            self.read.set()
            await self.go.wait()
            return found

        monkeypatch.setattr(store, "seat_states", slowly)


async def test_news_during_a_load_is_not_lost(
    halls: SeatStateCache,
    services: Services,
    seated: Seated,
    tenant: Tenant,
    owner: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event, _ = await seated()
    seat = await seat_of(owner, event, "A-4")
    gate = Gate(monkeypatch)
    loading = asyncio.create_task(halls.get(tenant.id, UUID(event["id"])))
    await gate.read.wait()
    await block(services, tenant, event, seat)
    gate.go.set()
    hall = await loading
    assert hall
    assert hall.states.tolist() == [0, 0, 0, BLOCKED, 0]
    assert await halls.get(tenant.id, UUID(event["id"])) is hall


async def test_what_is_dropped_during_a_load_is_loaded_again(
    halls: SeatStateCache,
    services: Services,
    admin: Client,
    seated: Seated,
    tenant: Tenant,
    owner: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for message in ((RESYNC, None), "seats"):
        event, _ = await seated()
        data(await admin.patch(f"/api/events/{event['id']}", json={"name": f"Show {new_id()}"}))
        with monkeypatch.context() as held_up:
            gate = Gate(held_up)
            loading = asyncio.create_task(halls.get(tenant.id, UUID(event["id"])))
            await gate.read.wait()
            await sell(owner, event, "A-3")  # nobody told us
            services.bus.deliver([(f"seats:{event['id']}", None) if message == "seats" else message])  # type: ignore[list-item]
            gate.go.set()
            await loading
        assert await shown(halls, tenant, event) == [0, 0, SOLD, 0, 0]


async def test_a_resync_drops_everything(
    halls: SeatStateCache, services: Services, seated: Seated, tenant: Tenant, owner: Any
) -> None:
    event, _ = await seated()
    assert await shown(halls, tenant, event) == [0] * 5
    await sell(owner, event, "A-3")
    assert await shown(halls, tenant, event) == [0] * 5  # nobody told us
    services.bus.deliver([(RESYNC, None)])
    assert await shown(halls, tenant, event) == [0, 0, SOLD, 0, 0]


async def test_each_change_is_another_version(
    halls: SeatStateCache, services: Services, seated: Seated, tenant: Tenant, owner: Any
) -> None:
    event, _ = await seated()
    hall = await halls.get(tenant.id, UUID(event["id"]))
    assert hall
    first, packed = hall.version, hall.packed
    assert hall.packed is packed  # made once for each version
    await block(services, tenant, event, await seat_of(owner, event, "A-4"))
    assert hall.version != first
    assert hall.packed != packed
    services.bus.deliver([(RESYNC, None)])
    again = await halls.get(tenant.id, UUID(event["id"]))
    assert again
    assert again.version not in (first, hall.version)  # another epoch


async def test_few_are_kept(
    halls: SeatStateCache,
    services: Services,
    owner: Any,
    admin: Client,
    seated: Seated,
    tenant: Tenant,
    loads: list[UUID],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seat_states_module, "EVENTS_MAX", 2)
    first, layout = await seated()
    shows = [first]
    for n in range(2):
        shows.append(await draft(admin, venue_id=layout["venue_id"], name=f"Show {n}"))
        data(await attach(admin, shows[-1], layout))
    await settled(owner, services)
    for event in (shows[0], shows[1], shows[0], shows[2], shows[0], shows[1]):
        await shown(halls, tenant, event)
    ids = [UUID(event["id"]) for event in shows]
    assert loads == [ids[0], ids[1], ids[2], ids[1]]  # whoever was asked for least lately goes


async def test_few_layouts_are_kept(
    halls: SeatStateCache, admin: Client, seated: Seated, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_states_module, "LAYOUTS_MAX", 2)
    for n in range(4):
        event, _ = await seated(rows_of(("A", n + 1)))
        data(await admin.patch(f"/api/events/{event['id']}", json={"name": f"Show {n}"}))
        assert await shown(halls, tenant, event) == [0] * (n + 1)
    assert len(halls._seat_indexes) == 2


# --- two processes


@pytest.fixture(params=["notify", "redis"])
async def processes(
    request: pytest.FixtureRequest, server_url: str, tmp_path: Path
) -> AsyncIterator[list[tuple[Services, SeatStateCache]]]:
    redis_url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    async with AsyncExitStack() as stack:
        opened = []
        for n in range(2):
            services = await stack.enter_async_context(
                open_services(
                    url=server_url,
                    read_url=None,
                    redis_url=redis_url,
                    secret_key=SECRET_KEY,
                    files=Disk(tmp_path / str(n)),
                    public_url=PUBLIC_URL,
                    pool_size=4,
                )
            )
            halls = SeatStateCache(services)
            stack.push_async_callback(halls.stop)
            opened.append((services, halls))
        yield opened


async def _quiet(owner: Any, processes: list[tuple[Services, SeatStateCache]]) -> bool:
    """Whether the news goes by Redis: all tests share it, so that a resync of others may always come."""
    if processes[0][0].bus._redis is not None:
        return True
    await settled(owner, *(services for services, _ in processes))
    return False


async def test_two_processes_agree(
    processes: list[tuple[Services, SeatStateCache]], admin: Client, tenant: Tenant, owner: Any, loads: list[UUID]
) -> None:
    event, _ = await seated_show(admin)
    by_redis = await _quiet(owner, processes)
    await hold(owner, event, "A-5")
    (here, mine), (_, theirs) = processes
    for halls in (mine, theirs):
        assert await shown(halls, tenant, event) == [0, 0, 0, 0, HELD]
    await block(here, tenant, event, await seat_of(owner, event, "A-1"), await seat_of(owner, event, "A-3"))
    expected = [BLOCKED, 0, BLOCKED, 0, HELD]
    assert await shown(mine, tenant, event) == expected  # at once where it was done

    async def agrees() -> bool:
        return await shown(theirs, tenant, event) == expected

    await until(agrees)
    assert by_redis or len(loads) == 2  # by the news, not by reading again


async def test_a_list_that_is_too_long_for_a_message(
    processes: list[tuple[Services, SeatStateCache]], admin: Client, tenant: Tenant, owner: Any
) -> None:
    """The hall is read again; other halls stay."""
    other, _ = await seated_show(admin)
    data(await admin.patch(f"/api/events/{other['id']}", json={"name": "Another"}))
    event, layout = await seated_show(admin, rows_of(*((f"R{n}", 100) for n in range(10))))
    by_redis = await _quiet(owner, processes)
    (here, _), (_, theirs) = processes
    kept = await theirs.get(tenant.id, UUID(other["id"]))
    await shown(theirs, tenant, event)
    first = UUID(layout["id"]).int >> 32 << 32
    await block(here, tenant, event, *(UUID(int=first | n) for n in range(1000)))

    async def agrees() -> bool:
        return await shown(theirs, tenant, event) == [BLOCKED] * 1000

    await until(agrees)
    assert by_redis or await theirs.get(tenant.id, UUID(other["id"])) is kept


async def test_a_process_that_was_cut_off_looks_again(
    halls: SeatStateCache, services: Services, seated: Seated, tenant: Tenant, owner: Any
) -> None:
    event, _ = await seated()
    assert await shown(halls, tenant, event) == [0] * 5
    await sell(owner, event, "A-3")
    assert await end_backends(owner, "query LIKE 'LISTEN%'") >= 1

    async def sees() -> bool:
        return await shown(halls, tenant, event) == [0, 0, SOLD, 0, 0]

    await until(sees)


async def test_another_layout_is_another_hall(
    halls: SeatStateCache, services: Services, admin: Client, tenant: Tenant
) -> None:
    event, layout = await seated_show(admin)
    assert len(await shown(halls, tenant, event)) == 5
    newer = await next_version(admin, layout, rows_of(("A", 9)))
    data(await attach(admin, event, newer))

    async def sees() -> bool:
        return len(await shown(halls, tenant, event)) == 9

    await until(sees)
    assert (await admin.delete(f"/api/events/{event['id']}/layout")).status_code == 204

    async def gone() -> bool:
        return await halls.get(tenant.id, UUID(event["id"])) is None

    await until(gone)
