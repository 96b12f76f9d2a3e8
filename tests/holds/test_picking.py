"""Where the house chooses the seats: buyers ask for the best, staff and whole tables are picked."""

import msgspec
import pytest

from fullhouse.seating.plans.plan import Group
from tests.accounts.helpers import data, refused
from tests.fixtures import Client
from tests.holds.baskets import best, items, order
from tests.holds.helpers import hall, on_sale
from tests.seating.helpers import rows_of

CHOSEN = {"prefer_clustering_over_selection": True}


@pytest.mark.req("POL-1", "ALLOC-1")
async def test_buyers_do_not_pick_where_the_house_chooses(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(2, 10), policy=CHOSEN)
    one = await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={})
    assert refused(one) == (409, "seats_are_chosen")
    assert refused(await order(buyer, sale, 0, 1)) == (409, "seats_are_chosen")
    assert len(data(await best(buyer, sale, 2), 201)["items"]) == 2
    data(await order(staff, sale, 18, 19), 201)


@pytest.mark.req("POL-1")
async def test_elsewhere_they_do(staff: Client, buyer: Client) -> None:
    sale = await on_sale(staff, hall(2, 10))
    data(await order(buyer, sale, 0, 1), 201)


@pytest.mark.req("POL-1", "SEAT-5")
async def test_tables_and_standing_room_can_still_be_had(staff: Client, buyer: Client) -> None:
    table = Group(key="t", group_type="vip_table", seats=("T-1", "T-2", "T-3", "T-4"), sold_as="whole")
    plan = msgspec.structs.replace(rows_of(("A", 4), ("T", 4)), groups=(table,))
    sale = await on_sale(staff, plan, policy=CHOSEN)
    assert refused(await order(buyer, sale, 0, *range(4, 8))) == (409, "seats_are_chosen")
    data(await order(buyer, sale, *range(4, 8)), 201)
    standing = await on_sale(staff, hall(1, 4, pit=20), policy=CHOSEN)
    data(await buyer.post(standing.path("holds"), json={"items": items(standing, pit=2)}), 201)
