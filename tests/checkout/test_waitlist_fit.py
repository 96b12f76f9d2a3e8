"""Whom places fit that came back: a party sits together, and nobody is offered what cannot be sold."""

from typing import Any

import pytest

from fullhouse.seating.plans.generators import Straight, generate
from tests.accounts.helpers import data
from tests.checkout.helpers import buy, hold, selling, start, wrong
from tests.checkout.waiting import (
    SoldOut,
    give_back,
    ordinals,
    reserve,
    return_seats,
    sold_out,
    sold_out_types,
    standing,
    states,
    waiter,
)
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall

pytestmark = pytest.mark.req("BUY-6")


async def test_a_party_sits_together_and_is_not_offered_one_seat(
    client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str
) -> None:
    house = await sold_out(client, tenant, staff)
    pair, single = await waiter(client, tenant, house, 2), await waiter(client, tenant, house)
    await return_seats(house, 0, 2)
    assert await serve() == 1
    assert await states(pair, single, house=house) == ["waiting", "offered"]
    assert ordinals(house, await standing(single, house)) in ([0], [2])
    other = 2 if ordinals(house, await standing(single, house)) == [0] else 0
    # What fits nobody who waits is everybody's: an empty seat helps nobody.
    assert (await reserve(await guest(client, tenant), house, other)).status_code == 201
    await return_seats(house, 4, 5)
    assert await serve() == 2
    assert ordinals(house, await standing(pair, house)) == [4, 5]
    assert await wrong(server_url) == {}


async def test_an_aisle_parts_a_party(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    plan = generate(Straight(rows=1, seats_per_row=6, aisles_after=(3,)))
    house = await sold_out(client, tenant, staff, plan)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 2, 3)
    assert await serve() == 0
    await return_seats(house, 4)
    assert await serve() == 2
    assert ordinals(house, await standing(pair, house)) == [3, 4]


async def test_the_tightest_block_is_offered(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out(client, tenant, staff, seats=9)
    pair = await waiter(client, tenant, house, 2)
    await return_seats(house, 0, 1, 2, 4, 5, 7)
    await serve()
    assert ordinals(house, await standing(pair, house)) == [4, 5]


async def test_wheelchair_places_are_for_whoever_waits_for_one(
    client: Client, staff: Client, tenant: Tenant, serve: Any, owner: Any
) -> None:
    plan = hall(1, 6, wheelchairs=1)
    house = await sold_out(client, tenant, staff, plan, seats=len(list(_seats(plan))))
    kinds = await owner.fetch("SELECT ordinal, category FROM seats WHERE organization_id = $1 ORDER BY 1", tenant.id)
    chair = next(row["ordinal"] for row in kinds if row["category"] == "wheelchair")
    beside = next(row["ordinal"] for row in kinds if row["category"] == "companion")
    rolls, walks = await waiter(client, tenant, house, 2, accessible=True), await waiter(client, tenant, house)
    await return_seats(house, chair)
    assert await serve() == 0
    await return_seats(house, beside)
    assert await serve() == 2
    assert set(ordinals(house, await standing(rolls, house))) == {chair, beside}
    assert await states(walks, house=house) == ["waiting"]


def _seats(plan: Any) -> Any:
    return (seat for zone in plan.zones for section in zone.sections for row in section.rows for seat in row.seats)


async def test_places_without_seats(client: Client, staff: Client, tenant: Tenant, serve: Any, server_url: str) -> None:
    house = await sold_out(client, tenant, staff, pit=4)
    pit = house.sale.show.zones["pit"]
    three, one, two = [await waiter(client, tenant, house, n, zone_id=pit) for n in (3, 1, 2)]
    tickets = [ticket["id"] for ticket in house.pit["tickets"]]
    await give_back(staff, house.pit, *tickets[:2])
    assert await serve() == 1
    assert await states(three, one, two, house=house) == ["waiting", "offered", "waiting"]
    await give_back(staff, house.pit, tickets[2])
    await serve()
    assert await states(three, one, two, house=house) == ["waiting", "offered", "offered"]
    assert [hold["quantity"] for hold in (await standing(two, house))["offer"]] == [2]
    await give_back(staff, house.pit, tickets[3])
    assert await serve() == 0
    answer = await client.get(house.path("occupancy"))
    (zone,) = [zone for zone in data(answer)["zones"] if zone["zone_id"] == pit]
    assert (zone["held"], zone["available"]) == (3, 1)
    assert await wrong(server_url) == {}


async def test_a_show_without_a_layout(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out_types(client, tenant, staff, 3)
    entry = house.sale.types["entry"]
    two = await waiter(client, tenant, house, 2, ticket_type_id=entry)
    one = await waiter(client, tenant, house)
    await give_back(staff, house.order, house.order["tickets"][0]["id"])
    assert await serve() == 1
    assert await states(two, one, house=house) == ["waiting", "offered"]
    assert (await standing(one, house))["offer"][0]["ticket_type_id"] == entry


async def test_no_more_is_offered_than_there_are_tickets_for(
    client: Client, staff: Client, tenant: Tenant, serve: Any
) -> None:
    """Ten seats, of which six may be sold: a returned ticket is one place, not five."""
    sale = await selling(staff, hall(1, 10), quantity=6)
    buyer = await guest(client, tenant)
    begun = data(await start(buyer, sale, await hold(buyer, sale, *range(6))), 201)
    house = SoldOut(sale, data(await buy(buyer, begun), 201))
    people = [await waiter(client, tenant, house) for _ in range(3)]
    await return_seats(house, 3)
    assert await serve() == 1
    assert await states(*people, house=house) == ["offered", "waiting", "waiting"]


async def test_added_places_are_offered(client: Client, staff: Client, tenant: Tenant, serve: Any) -> None:
    house = await sold_out_types(client, tenant, staff, 2)
    who = await waiter(client, tenant, house)
    kind = house.path(f"ticket-types/{house.sale.types['entry']}")
    known = await staff.get(kind)
    headers = {"if-match": known.headers["etag"]} if "etag" in known.headers else {}
    data(await staff.patch(kind, json={"quantity": 3}, headers=headers))
    assert await serve() == 1
    assert await states(who, house=house) == ["offered"]
