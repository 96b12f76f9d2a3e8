"""An event is on sale, or sold out, only if one of its ticket types is for places that it has."""

from typing import Any

import pytest
from msgspec.structs import replace

from fullhouse.seating.plans.plan import Plan, encode
from tests.accounts.helpers import data
from tests.checkout.helpers import JSON, add_type, selling, selling_types
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale


@pytest.mark.req("EV-5", "EV-9", "SEAT-3")
async def test_an_event_that_lost_its_plan_is_not_on_sale_until_it_sells_something(
    staff: Client, client: Client, tenant: Tenant
) -> None:
    """Seats that are not there cannot be bought, nor places that nobody has counted."""
    buyer = await guest(client, tenant)
    sale = await selling(staff, hall(1, 10, pit=5))

    async def said() -> tuple[str, str, list[str]]:
        status = data(await staff.get(f"/api/events/{sale.event_id}"))["sale_status"]
        shown = data(await buyer.get(f"/event/v1/events/{sale.event_id}"))["sale_status"]
        return status, shown, [offer["name"] for offer in data(await buyer.get(sale.path("offers")))]

    assert await said() == ("on_sale", "on_sale", ["seat", "pit"])
    assert (await staff.delete(sale.path("layout"))).status_code == 204
    assert await said() == ("upcoming", "upcoming", [])
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['pit']}"), json={"quantity": 3}))
    assert await said() == ("on_sale", "on_sale", ["pit"])
    wish = {"items": [{"ticket_type_id": sale.types["pit"], "quantity": 1}]}
    data(await buyer.post(sale.path("holds"), json=wish), 201)


@pytest.mark.req("EV-5", "SEAT-3")
async def test_an_event_whose_types_are_for_none_of_its_places_is_not_sold_out(staff: Client) -> None:
    sale = await selling_types(staff, 10)

    async def made() -> Any:
        return data(await staff.get(f"/api/events/{sale.event_id}"))

    plans = f"/api/venues/{(await made())['venue_id']}/layouts"
    layout = data(await staff.post(plans, content=encode(hall(1, 4)), headers=JSON), 201)["id"]
    data(await staff.post(f"/api/layouts/{layout}/activate"))
    data(await staff.put(sale.path("layout"), json={"layout_id": layout}))
    assert (await made())["sale_status"] == "upcoming"
    await add_type(staff, sale.event_id, name="seat", price=100, kind="seated")
    assert (await made())["sale_status"] == "on_sale"


def two_halls() -> Plan:
    """Four seats in front, and four behind them in a zone of their own."""
    plan = hall(2, 4)
    (front,) = plan.zones
    (section,) = front.sections
    rows = zip(("front", "back"), section.rows, strict=True)
    zones = [
        replace(front, key=key, name=key.title(), sections=(replace(section, key=key, rows=(row,)),))
        for key, row in rows
    ]
    return replace(plan, zones=tuple(zones))


@pytest.mark.req("EV-5", "SEAT-3")
async def test_an_event_whose_only_type_is_for_blocked_seats_has_nothing_to_sell(staff: Client) -> None:
    """Whatever else there is: seats in another zone, and a type that nobody sees."""
    show = await on_sale(staff, two_halls())
    await add_type(staff, show.event_id, name="front", price=100, kind="seated", zones=["front"])
    await add_type(staff, show.event_id, name="friends", price=100, kind="seated", hidden=True)

    async def word() -> str:
        return str(data(await staff.get(f"/api/events/{show.event_id}"))["sale_status"])

    assert await word() == "on_sale"
    front = {"seat_ids": [show.seat(n) for n in range(4)], "reason": "the band's guests"}
    data(await staff.post(show.path("seats/block"), json=front))
    assert await word() == "upcoming"
    standing = await add_type(staff, show.event_id, name="standing", price=100, kind="ga", zones=["back"])
    assert await word() == "upcoming"  # there are only seats
    assert (await staff.delete(show.path(f"ticket-types/{standing}"))).status_code == 204
    await add_type(staff, show.event_id, name="back", price=100, kind="seated", zones=["back"])
    assert await word() == "on_sale"
