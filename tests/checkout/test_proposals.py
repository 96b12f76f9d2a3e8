"""Which places are proposed to those whose own were gone when the money came."""

from typing import Any

import msgspec
import pytest

from fullhouse.kit.services import Services
from fullhouse.seating.plans.generators import Straight, generate
from fullhouse.seating.plans.plan import Group, Plan
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, bought, rows, selling, wrong
from tests.checkout.test_late import given_up
from tests.fixtures import Client, Tenant
from tests.holds.helpers import hall

pytestmark = pytest.mark.req("BUY-3")


def plan(rows: int, seats: int, *groups: Group, **more: Any) -> Plan:
    made = generate(Straight(name="Hall", rows=rows, seats_per_row=seats, **more))
    return msgspec.structs.replace(made, groups=groups)


async def proposed(owner: Any, sale: Sale, order: Any) -> list[int]:
    """The seats that are kept for an answer."""
    assert order["status"] == "needs_consent", order
    found = await owner.fetch(
        "SELECT s.ordinal FROM order_lines l JOIN event_seats s ON s.event_id = $1 AND s.seat_id = l.seat_id"
        " WHERE l.order_id = $2 AND s.status = 'held' ORDER BY l.position",
        sale.event_id,
        order["id"],
    )
    return [row["ordinal"] for row in found]


@pytest.mark.req("ALLOC-1")
async def test_no_aisle_lies_between_them(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, plan(2, 6, aisles_after=(3,)))
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    await bought(client, tenant, sale, 0, 1)
    assert await proposed(owner, sale, await late.comes()) == [3, 4], "2 and 3 are nearer, but across the aisle"
    assert await wrong(server_url) == {}


@pytest.mark.req("ALLOC-1")
async def test_where_no_block_is_left_the_longest_come_first(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, plan(1, 9, aisles_after=(4, 6)))
    late = await given_up(client, tenant, owner, process, sale, 0, 1, 2, 3)
    await late.leaves()
    await bought(client, tenant, sale, 0, 1, 2, 3)
    assert await proposed(owner, sale, await late.comes()) == [4, 6, 7, 8]
    assert await wrong(server_url) == {}


@pytest.mark.parametrize(("left", "status"), [(2, "needs_consent"), (1, "cancelled")])
async def test_with_standing_places_other_seats_are_proposed_if_as_many_are_left(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    server_url: str,
    left: int,
    status: str,
) -> None:
    sale = await selling(staff, hall(1, 6, pit=5), quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0, pit=2)
    await late.leaves()
    await bought(client, tenant, sale, 0, pit=5 - left)
    order = await late.comes()
    assert order["status"] == status
    assert await wrong(server_url) == {}
    if status == "needs_consent":
        assert await proposed(owner, sale, order) == [1]
        order = data(await late.buyer.post(f"/api/orders/{order['id']}/consent", json={"accept": True}))
        assert (order["status"], len(order["tickets"])) == ("paid", 3)
        assert await wrong(server_url) == {}
    pools = await rows(owner, "pools", tenant)
    assert {row["held"] for row in pools} == {0}


@pytest.mark.req("SEAT-5")
async def test_a_table_that_is_sold_as_a_whole_is_not_broken_up(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    table = Group(key="table", group_type="vip_table", seats=("A-3", "A-4", "A-5"), sold_as="whole")
    sale = await selling(staff, plan(1, 7, table))
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    await bought(client, tenant, sale, 0, 1)
    assert await proposed(owner, sale, await late.comes()) == [5, 6]
    assert await wrong(server_url) == {}


@pytest.mark.req("ACC-1")
async def test_for_a_wheelchair_place_there_is_another_with_its_companion_seat(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, plan(2, 8, wheelchair_places=4))
    places = await owner.fetch(
        "SELECT w.ordinal AS place, c.ordinal AS companion FROM seats w JOIN seats c ON c.companion_of = w.id"
        " WHERE w.layout_id = $1 ORDER BY 1",
        sale.show.layout_id,
    )
    own, lonely, whole = places[0], places[1], places[2]
    late = await given_up(client, tenant, owner, process, sale, own["place"], own["companion"])
    await late.leaves()
    await bought(client, tenant, sale, own["place"], own["companion"])
    camera = {"seat_ids": [sale.show.seat(lonely["companion"])], "reason": "Camera"}
    data(await staff.post(sale.path("seats/block"), json=camera))
    assert set(await proposed(owner, sale, await late.comes())) == {whole["place"], whole["companion"]}
    assert await wrong(server_url) == {}


@pytest.mark.req("ACC-1")
async def test_and_nothing_else(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, plan(1, 8, wheelchair_places=2))
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    data(await staff.post(sale.path("seats/block"), json={"seat_ids": [sale.show.seat(7)], "reason": "Camera"}))
    order = await late.comes()
    assert (order["status"], len(order["refunds"])) == ("cancelled", 1), "a companion seat has no room for a wheelchair"
    assert await wrong(server_url) == {}
