"""What comes back is theirs who wait, before anybody else can take it."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.waitlist import actions
from tests.accounts.helpers import data
from tests.checkout.helpers import code, hold, selling, wrong
from tests.checkout.waiting import SoldOut, ordinals, reserve, return_seats, sold_out, standing, states, waiter
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("BUY-6")


async def by_refund(house: SoldOut, *_: Any) -> None:
    await return_seats(house, 3)


async def by_cancelling(house: SoldOut, *_: Any) -> None:
    data(await house.sale.staff.post(f"/api/tickets/{house.ticket(3)}/cancel", json={"reason": "Printed twice"}))


async def by_unblocking(house: SoldOut, *_: Any) -> None:
    await return_seats(house, 3)
    seats = {"seat_ids": [house.sale.show.seat(3)], "reason": "The camera stands there."}
    data(await house.sale.staff.post(house.path("seats/block"), json=seats))
    data(await house.sale.staff.post(house.path("seats/unblock"), json=seats))


RETURNS = {"a refund": by_refund, "a cancelled ticket": by_cancelling, "a seat that is open again": by_unblocking}


@pytest.mark.parametrize("way", RETURNS)
async def test_what_comes_back_is_theirs_before_anybody_looks(
    way: str, client: Client, staff: Client, tenant: Tenant, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    who = await waiter(client, tenant, house)
    await RETURNS[way](house)
    # No worker has looked yet: the one who asks first makes the offer, and does not get the seat.
    stranger = await guest(client, tenant)
    assert code(await reserve(stranger, house, 3)) == (409, "seat_held_by_another_user")
    assert ordinals(house, await standing(who, house)) == [3]
    best = await stranger.post(house.path("holds"), json={"best_available": {"quantity": 1}})
    assert best.status_code == 409
    assert data(await client.get(house.path("occupancy")))["available"] == 0
    assert await wrong(server_url) == {}


async def test_so_is_a_hold_whose_time_is_over(
    client: Client, staff: Client, tenant: Tenant, clock: Any, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 2, pit=1))
    house = SoldOut(sale, None)
    await hold(await guest(client, tenant), sale, 0, 1)
    await hold(await guest(client, tenant), sale, pit=1)
    pair = await waiter(client, tenant, house, 2)
    stands = await waiter(client, tenant, house, zone_id=sale.show.zones["pit"])
    stranger = await guest(client, tenant)
    for minutes, said in ((4, "waiting"), (5, "offered")):
        await clock(timedelta(minutes=minutes, seconds=1))
        assert code(await reserve(stranger, house, 1)) == (409, "seat_held_by_another_user")
        assert await states(pair, house=house) == [said]
    items = [{"zone_id": sale.show.zones["pit"], "quantity": 1}]
    assert code(await stranger.post(sale.path("holds"), json={"items": items})) == (409, "block_at_capacity")
    assert await states(pair, stands, house=house) == ["offered", "offered"]
    assert await wrong(server_url) == {}


async def test_whoever_waits_for_something_else_keeps_nobody_from_buying(
    client: Client, staff: Client, tenant: Tenant
) -> None:
    house = await sold_out(client, tenant, staff, pit=2)
    await waiter(client, tenant, house, zone_id=house.sale.show.zones["pit"])
    await return_seats(house, 3)
    assert (await reserve(await guest(client, tenant), house, 3)).status_code == 201


async def test_whoever_asks_in_another_row_does_not_wait_for_the_list(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    """A place is looked at where it is wanted. What is free elsewhere is offered by a worker, as always."""
    house = await sold_out(client, tenant, staff, hall(2, 5), seats=10)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 0, 1, 7)
    assert (await reserve(await guest(client, tenant), house, 7)).status_code == 201
    assert await states(pair, house=house) == ["waiting"]
    assert code(await reserve(await guest(client, tenant), house, 0)) == (409, "seat_held_by_another_user")
    assert ordinals(house, await standing(pair, house)) == [0, 1]


async def test_many_offers_are_made_in_rounds(
    client: Client, staff: Client, tenant: Tenant, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "OFFERS_PER_ROUND", 2)
    house = await sold_out(client, tenant, staff)
    people = [await waiter(client, tenant, house) for _ in range(5)]
    await return_seats(house, *range(6))
    assert await serve() == 5
    assert await states(*people, house=house) == ["offered"] * 5
