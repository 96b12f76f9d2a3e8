"""Redis has what the database has after every act that changes a hold or a seat, whoever makes it and wherever."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from fullhouse import wiring
from fullhouse.holds import jobs as holds_jobs
from fullhouse.holds.mirror import consistency, redis_state
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.media.files import Disk
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Cancelled, Captured
from fullhouse.waitlist import jobs
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, bought, buy, hold, migrate, selling, start, super_admin
from tests.checkout.waiting import SoldOut, give_back, reserve, return_seats, sold_out, standing, to_buy, waiter
from tests.events.helpers import move
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, Tenant
from tests.holds.baskets import chairs
from tests.holds.helpers import guest, hall, processes
from tests.kit.conftest import own_redis as own_redis
from tests.kit.conftest import patient as patient
from tests.kit.helpers import until
from tests.services.servers import Server

pytestmark = pytest.mark.req("HOLD-9", "CACHE-2")
Act = Callable[["House"], Awaitable[Any]]


@pytest.fixture
async def lane(
    server_url: str, owner_url: str, own_redis: Server, patient: None, tmp_path: Path
) -> AsyncIterator[LaneRouter]:
    async with processes(1, server_url, owner_url, tmp_path, own_redis.url) as lanes:
        yield lanes[0]


@pytest.fixture
async def worker(server_url: str, own_redis: Server, patient: None, tmp_path: Path) -> AsyncIterator[Services]:
    opening = open_services(
        url=server_url,
        read_url=None,
        redis_url=own_redis.url,
        secret_key=SECRET_KEY,
        files=Disk(tmp_path / "images"),
        public_url=PUBLIC_URL,
        pool_size=4,
    )
    async with opening as services, open_parts(services, wiring.WORKER_PARTS):
        yield services


class House(NamedTuple):
    """An event that is sold out, with a pit, and whoever sells and waits."""

    sold: SoldOut
    client: Client
    tenant: Tenant
    worker: Services
    finder: Database
    owner: Any
    clock: Any

    @property
    def sale(self) -> Sale:
        return self.sold.sale

    async def serve(self) -> None:
        await jobs.serve_lists(self.finder, self.worker.database)

    async def is_mirrored(self) -> None:
        found: list[str] = []

        async def equal() -> bool:
            found[:] = await consistency.find_differences(self.worker, self.tenant.id, self.sale.event_id)
            return not found

        try:
            await until(equal, 20)
        except TimeoutError:
            assert found == []


@pytest.fixture
async def house(
    client: Client, tenant: Tenant, staff: Client, worker: Services, finder: Database, owner: Any, clock: Any
) -> House:
    sold = await sold_out(client, tenant, staff, hall(1, 9, pit=3), seats=9, pit=3)
    found = House(sold, client, tenant, worker, finder, owner, clock)
    assert await redis_state.rebuild(worker, tenant.id, sold.sale.event_id)
    await found.is_mirrored()
    return found


# --- what waiting lists offer


async def offered(house: House, **wish: Any) -> Client:
    who = await waiter(house.client, house.tenant, house.sold, **({"party": 2} | wish))
    await return_seats(house.sold, 0, 1)
    await house.serve()
    assert (await standing(who, house.sold))["status"] == "offered"
    return who


async def offered_and_bought(house: House) -> None:
    who = await offered(house)
    await house.is_mirrored()
    session = data(await start(who, house.sale, to_buy(house.sold, await standing(who, house.sold))), 201)
    await house.is_mirrored()
    data(await buy(who, session), 201)


async def offered_and_given_back(house: House) -> None:
    who = await offered(house)
    await house.is_mirrored()
    assert (await who.delete(house.sold.path("waitlist"))).status_code == 204


async def offered_and_run_out(house: House) -> None:
    await offered(house)
    await house.is_mirrored()
    await house.clock(timedelta(days=3))
    await holds_jobs.sweep_holds(house.finder, house.worker.database)


async def offered_and_released_by_staff(house: House) -> None:
    await offered(house)
    await seats(house, "release", 0)


async def offered_before_who_asks(house: House) -> None:
    """Not by a worker: by the statement of somebody who wants the seat."""
    who = await waiter(house.client, house.tenant, house.sold, party=2)
    await return_seats(house.sold, 0, 1)
    late = await guest(house.client, house.tenant)
    assert (await reserve(late, house.sold, 0)).status_code == 409
    assert (await standing(who, house.sold))["status"] == "offered"


async def offered_places(house: House) -> None:
    who = await waiter(house.client, house.tenant, house.sold, party=2, zone_id=house.sale.show.zones["pit"])
    await give_back(house.sale.staff, house.sold.pit, *(ticket["id"] for ticket in house.sold.pit["tickets"][:2]))
    await house.serve()
    (held,) = (await standing(who, house.sold))["offer"]
    assert held["quantity"] == 2
    await house.is_mirrored()
    assert (await who.delete(house.sold.path("waitlist"))).status_code == 204


# --- what staff do to seats


async def seats(house: House, verb: str, *ordinals: int) -> None:
    wish = {"seat_ids": [house.sale.show.seat(n) for n in ordinals], "reason": "Camera"}
    who = await super_admin(house.client, house.owner) if verb == "release" else house.sale.staff
    data(await who.post(house.sold.path(f"seats/{verb}"), json=wish))


async def blocked_and_opened(house: House) -> None:
    await return_seats(house.sold, 7, 8)
    await seats(house, "block", 7, 8)
    await house.is_mirrored()
    await seats(house, "unblock", 7, 8)


async def chosen(house: House) -> None:
    await return_seats(house.sold, 8)
    await hold(await guest(house.client, house.tenant), house.sale, 8)


async def held_and_released(house: House) -> None:
    await chosen(house)
    await house.is_mirrored()
    await seats(house, "release", 8)


async def held_and_released_by_staff(house: House) -> None:
    await chosen(house)
    await house.is_mirrored()
    wish = {"seat_ids": [house.sale.show.seat(8)], "reason": "Camera"}
    data(await house.sale.staff.post(house.sold.path("holds/release"), json=wish))


async def held_and_blocked(house: House) -> None:
    await chosen(house)
    await seats(house, "block", 8)


async def refunded(house: House) -> None:
    await return_seats(house.sold, 2)


async def migrated(house: House) -> None:
    await migrate(house.sale.staff, house.sale, hall(1, 10, pit=3))


async def postponed_and_cancelled(house: House) -> None:
    await chosen(house)
    await house.is_mirrored()
    data(await move(house.sale.staff, {"id": str(house.sale.event_id)}, "postpone"))
    await house.is_mirrored()
    data(await move(house.sale.staff, {"id": str(house.sale.event_id)}, "cancel"))


# --- what payments do to holds


async def paying(house: House, *ordinals: int) -> tuple[Client, Any, UUID]:
    buyer = await guest(house.client, house.tenant)
    await return_seats(house.sold, 7, 8)
    order = data(await buy(buyer, await begun(buyer, house.sale, *ordinals), method="drop"), 202)
    await house.is_mirrored()
    query = "SELECT attempt_id FROM orders WHERE id = $1"
    return buyer, order, await house.owner.fetchval(query, order["id"])


async def hears(house: House, attempt_id: UUID, outcome: Any) -> None:
    async with house.worker.database.tenant(house.tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt_id, outcome)
    await house.is_mirrored()


async def paid_after_a_while(house: House) -> None:
    _, order, attempt_id = await paying(house, 7, 8)
    await hears(house, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))


async def paid_after_it_was_written_anew(house: House) -> None:
    _, order, attempt_id = await paying(house, 7, 8)
    assert await redis_state.rebuild(house.worker, house.tenant.id, house.sale.event_id)
    await hears(house, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))


async def paid_late(house: House) -> None:
    _, order, attempt_id = await paying(house, 7, 8)
    await hears(house, attempt_id, Cancelled())
    await hears(house, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))


async def paid_when_others_had_them(house: House) -> None:
    buyer, order, attempt_id = await paying(house, 8)
    await hears(house, attempt_id, Cancelled())
    session = data(await buyer.get(house.sold.path("checkout")))
    assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    await bought(house.client, house.tenant, house.sale, 8)
    await hears(house, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "needs_consent"


ACTS: tuple[Act, ...] = (
    offered_and_bought, offered_and_given_back, offered_and_run_out, offered_and_released_by_staff,
    offered_before_who_asks, offered_places, blocked_and_opened, held_and_released, held_and_blocked,
    held_and_released_by_staff, refunded, migrated, postponed_and_cancelled, paid_after_a_while,
    paid_after_it_was_written_anew, paid_late, paid_when_others_had_them,
)  # fmt: skip


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
async def test_redis_has_what_the_database_has(act: Act, house: House) -> None:
    await act(house)
    await house.is_mirrored()


@pytest.mark.req("ACC-2")
async def test_seats_beside_wheelchair_places_too(
    client: Client, tenant: Tenant, staff: Client, worker: Services, finder: Database, owner: Any, clock: Any
) -> None:
    sale = await selling(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), *_ = await chairs(owner, sale.show)
    house = House(SoldOut(sale, None), client, tenant, worker, finder, owner, clock)
    assert await redis_state.rebuild(worker, tenant.id, sale.event_id)
    buyer = await guest(client, tenant)
    items = await hold(buyer, sale, chair)
    await house.is_mirrored()
    for verb in ("release", "block", "unblock"):
        await seats(house, verb, beside)
        await house.is_mirrored()
    session = data(await start(buyer, sale, items), 201)
    await house.is_mirrored()
    order = data(await buy(buyer, session, method="drop"), 202)
    await house.is_mirrored()
    attempt_id = await owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", order["id"])
    await hears(house, attempt_id, Cancelled())
    assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    await house.is_mirrored()


async def test_an_offer_lies_in_redis_with_its_holder(house: House, own_redis: Server) -> None:
    who = await offered(house)
    await house.is_mirrored()
    held = {line["seat_id"]: line["hold_id"] for line in (await standing(who, house.sold))["offer"]}
    user_id = await house.owner.fetchval("SELECT user_id FROM seat_holds WHERE id = $1", next(iter(held.values())))
    truth = (await redis_state.read_database(house.worker, house.tenant.id, house.sale.event_id)).to_snapshot()
    assert {seat: value.rpartition(":")[0] for seat, value in truth.seats.items()} == {
        seat: f"{hold_id}:{user_id}" for seat, hold_id in held.items()
    }
