"""A sale by way of our own server, where requests start without a task."""

from typing import Any

from fullhouse.kit.http.lanes import LaneRouter
from tests.accounts.helpers import data
from tests.checkout.helpers import begun, buy, code, selling
from tests.fixtures import Client, Tenant
from tests.wire import WireClient


async def test_from_the_first_seat_to_the_ticket(lane: LaneRouter, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = WireClient(lane, tenant.tokens["customer"])
    assert data(await buyer.get(f"/event/v1/events/{sale.event_id}"))["id"] == str(sale.event_id)
    assert (await buyer.get(f"/api/events/{sale.event_id}/availability")).status_code == 200
    assert code(await buyer.get(f"/api/events/{sale.event_id}/queue")) == (403, "queue_token_invalid")
    session: Any = await begun(buyer, sale, 0, 1)
    order: Any = data(await buy(buyer, session, "once"), 201)
    assert len(order["tickets"]) == 2
    assert data(await buy(buyer, session, "once"), 201)["id"] == order["id"]
    assert code(await buy(buyer, session, None)) == (409, "checkout_completed")
