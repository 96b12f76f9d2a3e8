"""Every hold that is made and every seat whose status changes is one line in the log, whoever did it and wherever."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from fullhouse import wiring
from fullhouse.holds import jobs as holds_jobs
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
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
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("OBS-1")
Seat = tuple[int, str, str, str | None]  # ordinal, status before and after, reason


@pytest.fixture
async def worker(server_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    opening = open_services(
        url=server_url,
        read_url=None,
        redis_url=None,
        secret_key=SECRET_KEY,
        files=Disk(tmp_path / "images"),
        public_url=PUBLIC_URL,
        pool_size=4,
    )
    async with opening as services, open_parts(services, wiring.WORKER_PARTS):
        yield services


class House(NamedTuple):
    """An event that is sold out, with a pit, and who sells and waits. `about` is what a step leaves for the next."""

    sold: SoldOut
    client: Client
    tenant: Tenant
    worker: Services
    finder: Database
    owner: Any
    clock: Any
    about: dict[str, Any]

    @property
    def sale(self) -> Sale:
        return self.sold.sale

    async def guest(self) -> Client:
        return await guest(self.client, self.tenant)


@pytest.fixture
async def house(
    client: Client, tenant: Tenant, staff: Client, worker: Services, finder: Database, owner: Any, clock: Any
) -> House:
    sold = await sold_out(client, tenant, staff, hall(1, 6, pit=3), pit=3)
    return House(sold, client, tenant, worker, finder, owner, clock, {})


def lines_of(logs: Any, event: str, sale: Sale) -> list[dict[str, Any]]:
    """Of this event alone: a worker serves those of other tests, too."""
    return [line for line in logs if line["event"] == event and line["event_id"] == str(sale.event_id)]


def seats_of(logs: Any, event: str, tenant: Tenant, sale: Sale) -> set[Seat]:
    """Of lines at info about this event's seats; each names the organisation."""
    known = {sale.show.seat(n): n for n in range(50)}
    found = lines_of(logs, event, sale)
    assert {entry["org_id"] for entry in found} <= {str(tenant.id)}
    assert {entry["log_level"] for entry in found} <= {"info"}
    seated = [entry for entry in found if entry.get("seat_id") in known]
    said = {(known[e["seat_id"]], e["status_before"], e["status_after"], e["reason"]) for e in seated}
    assert len(said) == len(seated), "each once"
    return said


# --- steps


async def nothing(house: House) -> None: ...


async def return_some(house: House) -> None:
    await return_seats(house.sold, 0, 1)


async def wait(house: House) -> None:
    house.about["who"] = await waiter(house.client, house.tenant, house.sold, party=2)
    await return_some(house)


async def wait_for_places(house: House) -> None:
    house.about["who"] = await waiter(house.client, house.tenant, house.sold, 2, zone_id=house.sale.show.zones["pit"])
    await give_back(house.sale.staff, house.sold.pit, *(ticket["id"] for ticket in house.sold.pit["tickets"][:2]))


async def serve(house: House) -> None:
    await jobs.serve_lists(house.finder, house.worker.database)


async def offered(house: House) -> None:
    await wait(house)
    await serve(house)


async def want_the_same(house: House) -> None:
    assert (await reserve(await house.guest(), house.sold, 0)).status_code == 409


async def leave_the_list(house: House) -> None:
    assert (await house.about["who"].delete(house.sold.path("waitlist"))).status_code == 204


async def run_out(house: House) -> None:
    await house.clock(timedelta(days=3))
    await holds_jobs.sweep_holds(house.finder, house.worker.database)


async def take_the_offer(house: House) -> None:
    who = house.about["who"]
    data(
        await buy(who, data(await start(who, house.sale, to_buy(house.sold, await standing(who, house.sold))), 201)),
        201,
    )


async def choose(house: House) -> None:
    await return_some(house)
    await hold(await house.guest(), house.sale, 0)


async def by_hand(house: House, verb: str) -> None:
    wish = {"seat_ids": [house.sale.show.seat(0)], "reason": "Camera"}
    who = await super_admin(house.client, house.owner) if verb == "release" else house.sale.staff
    data(await who.post(house.sold.path(f"seats/{verb}"), json=wish))


async def block(house: House) -> None:
    await by_hand(house, "block")


async def unblock(house: House) -> None:
    await by_hand(house, "unblock")


async def release(house: House) -> None:
    await by_hand(house, "release")


async def release_holds(house: House) -> None:
    wish = {"seat_ids": [house.sale.show.seat(0)], "reason": "Camera"}
    data(await house.sale.staff.post(house.sold.path("holds/release"), json=wish))


async def blocked(house: House) -> None:
    await return_some(house)
    await block(house)


async def buy_one(house: House) -> None:
    await bought(house.client, house.tenant, house.sale, 0)


async def change_layout(house: House) -> None:
    await migrate(house.sale.staff, house.sale, hall(1, 7, pit=3))


async def cancel_the_event(house: House) -> None:
    data(await move(house.sale.staff, {"id": str(house.sale.event_id)}, "cancel"))


async def lose_places(house: House) -> None:
    """A payment that was given up, and somebody else who has bought the seat since."""
    await return_some(house)
    buyer = await house.guest()
    order = data(await buy(buyer, await begun(buyer, house.sale, 0), method="drop"), 202)
    house.about["attempt"] = await house.owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", order["id"])
    await hears(house, Cancelled())
    session = data(await buyer.get(house.sold.path("checkout")))
    assert (await buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204
    await buy_one(house)


async def pay_late(house: House) -> None:
    await hears(house, Captured(str(house.about["attempt"]), 2500))


async def hears(house: House, outcome: Any) -> None:
    async with house.worker.database.tenant(house.tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, house.about["attempt"], outcome)


# --- what each says


class Case(NamedTuple):
    before: Callable[[House], Awaitable[None]]
    act: Callable[[House], Awaitable[None]]
    made: set[Seat]
    changed: set[Seat]


def both(*said: Any) -> set[Seat]:
    return {(n, *said) for n in (0, 1)}


def one(*said: Any) -> set[Seat]:
    return {(0, *said)}


TO_SELL = ("available", "held")
BACK = ("held", "available")
CASES = {
    "offered by a worker": Case(wait, serve, both(*TO_SELL, "waitlist"), set()),
    "offered before who asks": Case(wait, want_the_same, both(*TO_SELL, "waitlist"), set()),
    "an offer given back": Case(offered, leave_the_list, set(), both(*BACK, "the offer was not taken")),
    "an offer that ran out": Case(offered, run_out, set(), both(*BACK, "expired")),
    "an offer that was taken": Case(offered, take_the_offer, set(), both("held", "sold", "converted")),
    "an offer that staff released": Case(offered, release, set(), both(*BACK, "Camera")),
    "held": Case(return_some, lambda house: _hold(house), one(*TO_SELL, "web"), set()),
    "ran out": Case(choose, run_out, set(), one(*BACK, "expired")),
    "blocked": Case(return_some, block, set(), one("available", "blocked", "Camera")),
    "opened": Case(blocked, unblock, set(), one("blocked", "available", "Camera")),
    "released": Case(choose, release, set(), one(*BACK, "Camera")),
    "released by staff": Case(choose, release_holds, set(), one(*BACK, "Camera")),
    "blocked while held": Case(
        choose, block, set(), one(*BACK, "Camera") | one("available", "blocked", "Camera")
    ),
    "sold": Case(return_some, buy_one, one(*TO_SELL, "web"), one("held", "sold", "converted")),
    "refunded": Case(nothing, return_some, set(), both("sold", "available", "They cannot come.")),
    "cancelled": Case(choose, cancel_the_event, set(), one(*BACK, "the show is cancelled")),
    "migrated": Case(
        nothing, change_layout, set(), {(n, "sold", "removed", "the layout was migrated") for n in range(6)}
    ),
    "others proposed": Case(lose_places, pay_late, {(1, *TO_SELL, "paid late")}, set()),
}  # fmt: skip


async def _hold(house: House) -> None:
    await hold(await house.guest(), house.sale, 0)


@pytest.mark.parametrize("name", CASES)
async def test_each_act_is_in_the_log(name: str, house: House) -> None:
    case = CASES[name]
    await case.before(house)
    with capture_logs() as logs:
        await case.act(house)
    assert seats_of(logs, "seat_hold.created", house.tenant, house.sale) == case.made
    assert seats_of(logs, "seat.status_changed", house.tenant, house.sale) == case.changed


@pytest.mark.parametrize("how", [serve, want_the_same], ids=lambda act: act.__name__)
async def test_an_offer_names_whose_it_is(how: Any, house: House) -> None:
    await wait(house)
    with capture_logs() as logs:
        await how(house)
    lines = lines_of(logs, "seat_hold.created", house.sale)
    rows = await house.owner.fetch(
        "SELECT id, user_id, seat_id, held_until FROM seat_holds WHERE event_id = $1 AND source = 'waitlist'",
        house.sale.event_id,
    )
    assert {(e["hold_id"], e["user_id"], e["seat_id"], e["quantity"]) for e in lines} == {
        (str(row["id"]), str(row["user_id"]), str(row["seat_id"]), 1) for row in rows
    }
    assert {datetime.fromisoformat(e["held_until"]) for e in lines} == {row["held_until"] for row in rows}


async def test_places_that_are_offered_name_their_zone(house: House) -> None:
    await wait_for_places(house)
    with capture_logs() as logs:
        await serve(house)
    (line,) = lines_of(logs, "seat_hold.created", house.sale)
    assert (line["zone_id"], line["quantity"]) == (house.sale.show.zones["pit"], 2)
    assert "status_before" not in line
    assert UUID(line["user_id"])


async def test_seats_after_a_migration_are_sold(house: House) -> None:
    with capture_logs() as logs:
        await change_layout(house)
    there = await house.owner.fetch(
        "SELECT seat_id FROM event_seats WHERE event_id = $1 AND status = 'sold'", house.sale.event_id
    )
    changed = lines_of(logs, "seat.status_changed", house.sale)
    said = {line["seat_id"] for line in changed if line["status_after"] == "sold"}
    assert said == {str(row["seat_id"]) for row in there}
    assert len(said) == 6


# --- seats beside wheelchair spaces


@pytest.mark.req("ACC-2")
async def test_companions_of_a_place_are_told_of(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    sale = await selling(staff, hall(3, 8, wheelchairs=2))
    (chair, beside), *_ = await chairs(owner, sale.show)
    who, root = await guest(client, tenant), await super_admin(client, owner)
    wish = {"seat_ids": [sale.show.seat(beside)], "reason": "Camera"}
    with capture_logs() as logs:
        (item,) = await hold(who, sale, chair)
    kept = (beside, "available", "blocked", "kept for a companion")
    assert seats_of(logs, "seat.status_changed", tenant, sale) == {kept}
    with capture_logs() as logs:
        data(await root.post(sale.path("seats/release"), json=wish))
    assert seats_of(logs, "seat.status_changed", tenant, sale) == {(beside, "blocked", "available", "Camera")}
    data(await staff.post(sale.path("seats/block"), json=wish))
    with capture_logs() as logs:
        data(await staff.post(sale.path("seats/unblock"), json=wish))
    opened = (beside, "blocked", "available", "Camera")
    assert seats_of(logs, "seat.status_changed", tenant, sale) == {opened, kept}
    with capture_logs() as logs:
        assert (await who.delete(f"/api/holds/{item['hold_id']}")).status_code == 204
    assert seats_of(logs, "seat.status_changed", tenant, sale) == {
        (chair, *BACK, "cancelled"),
        (beside, "blocked", "available", "cancelled"),
    }


@pytest.mark.req("ACC-2")
@pytest.mark.parametrize("how", [serve, want_the_same], ids=lambda act: act.__name__)
async def test_a_wheelchair_place_that_is_offered(
    how: Any, client: Client, staff: Client, tenant: Tenant, worker: Services, finder: Database, owner: Any, clock: Any
) -> None:
    sold = await sold_out(client, tenant, staff, hall(1, 6, wheelchairs=1), seats=6)
    sale = sold.sale
    (chair, beside), *_ = await chairs(owner, sale.show)
    house = House(sold, client, tenant, worker, finder, owner, clock, {})
    await waiter(client, tenant, sold, accessible=True)
    await return_seats(sold, chair, beside)
    with capture_logs() as logs:
        if how is serve:
            await serve(house)
        else:
            assert (await reserve(await house.guest(), sold, chair)).status_code == 409
    (line,) = lines_of(logs, "wheelchair.held", sale)
    assert (line["seat_id"], line["companion_soft_reserved"]) == (sale.show.seat(chair), True)
    assert line["companion_seat_id"] == sale.show.seat(beside)
    assert (line["org_id"], line["event_id"]) == (str(tenant.id), str(sale.event_id))
    kept = (beside, "available", "blocked", "kept for a companion")
    assert seats_of(logs, "seat.status_changed", tenant, sale) == {kept}
