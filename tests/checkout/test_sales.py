"""How it sells: over time, by show, and an order found again by what somebody remembers of it."""

from datetime import timedelta
from typing import Any

import pytest

from tests.accounts.helpers import data, refused
from tests.checkout.helpers import add_promo, begun, bought, buy, selling, selling_types
from tests.events.helpers import draft
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("BUY-4")


async def _series(staff: Client, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data(await staff.get("/api/sales/over-time", params=query))
    return found


async def test_sales_are_counted_by_the_hour_they_were_made_in(
    client: Client, staff: Client, tenant: Tenant, clock: Any
) -> None:
    sale, other = await selling(staff), await selling(staff, price=1000)
    assert await _series(staff) == []
    await bought(client, tenant, sale, 0, 1)
    await bought(client, tenant, other, 0)
    await clock(timedelta(hours=2))
    await bought(client, tenant, sale, pit=3)
    points = await _series(staff, step="hour")
    assert [(p["orders"], p["tickets"], p["amount"]["amount"]) for p in points] == [(2, 3, 6000), (1, 3, 7500)]
    of_one = await _series(staff, step="hour", event_id=str(sale.event_id))
    assert [(p["tickets"], p["amount"]) for p in of_one] == [
        (2, {"amount": 5000, "currency": "EUR"}),
        (3, {"amount": 7500, "currency": "EUR"}),
    ]
    assert await _series(staff, step="hour", until=points[0]["at"]) == []


async def test_what_is_not_paid_is_not_sold(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    answer = await buy(buyer, await begun(buyer, sale, 0), method="decline")
    assert answer.status_code == 402
    assert await _series(staff) == []
    (row,) = data(await staff.get("/api/sales/by-show"))
    assert (row["orders"], row["amount"]) == (0, 0)


async def test_years_are_not_asked_for_by_the_hour(staff: Client) -> None:
    answer = await staff.get("/api/sales/over-time", params={"step": "hour", "since": "2020-01-01T00:00:00Z"})
    assert refused(answer) == (422, "invalid")


async def test_a_show_says_what_it_brought_and_gave_back(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    order = await bought(client, tenant, sale, 0, 1)
    wish = {"reason": "Ill.", "ticket_ids": [order["tickets"][0]["id"]]}
    data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers={"idempotency-key": "1"}), 201)
    (row,) = data(await staff.get("/api/sales/by-show"))
    assert (row["event_id"], row["orders"], row["currency"]) == (str(sale.event_id), 1, "EUR")
    assert (row["amount"], row["refunded"]) == (5000, 2500)


async def test_a_list_of_shows_says_how_far_each_is_sold(client: Client, staff: Client, tenant: Tenant) -> None:
    seated, typed = await selling(staff), await selling_types(staff, 20)
    orders = await bought(client, tenant, seated, 0, 1), await bought(client, tenant, typed, entry=3)

    async def listed() -> dict[str, tuple[int, int | None]]:
        shows = data(await staff.get("/api/events"))
        overview = data(await staff.get("/api/sales/by-show"))
        found = {show["id"]: (show["sold"], show["places"]) for show in shows}
        assert {show["event_id"]: (show["sold"], show["places"]) for show in overview} == found
        return found

    both = str(seated.event_id), str(typed.event_id)
    assert await listed() == {both[0]: (2, 90), both[1]: (3, 20)}
    for order in orders:
        wish = {"reason": "Ill.", "ticket_ids": [order["tickets"][0]["id"]]}
        path, key = f"/api/orders/{order['id']}/refunds", {"idempotency-key": order["id"]}
        data(await staff.post(path, json=wish, headers=key), 201)
    assert await listed() == {both[0]: (1, 90), both[1]: (2, 20)}  # their places can be had again
    venue_id = data(await staff.get(f"/api/events/{typed.event_id}"))["venue_id"]
    data(await staff.patch(f"/api/venues/{venue_id}", json={"max_capacity": 15}))
    assert (await listed())[both[1]] == (2, 15)


async def test_a_draft_without_anything_has_its_capacity_for_places(staff: Client) -> None:
    unlimited, limited = await draft(staff), await draft(staff, capacity=40)
    shows = {show["id"]: (show["sold"], show["places"]) for show in data(await staff.get("/api/events"))}
    assert shows == {unlimited["id"]: (0, None), limited["id"]: (0, 40)}


async def test_an_order_is_found_by_name_address_or_code(client: Client, staff: Client, tenant: Tenant) -> None:
    sale, other = await selling(staff), await selling(staff)
    first, second = await bought(client, tenant, sale, 0, 1), await bought(client, tenant, other, 0)

    async def found(**query: Any) -> list[str]:
        return [row["id"] for row in data(await staff.post("/api/orders/search", json=query))]

    assert await found() == [second["id"], first["id"]]  # newest first
    assert await found(q="ada buy") == await found(q="ADA@EXAMPLE") == await found(q=" ") == await found()
    assert await found(q=first["code"].lower()) == [first["id"]]
    assert await found(q=first["code"][:5]) == []
    assert await found(q="100%_") == []
    assert await found(event_id=str(sale.event_id)) == [first["id"]]
    assert await found(status="refunded") == []
    (row,) = data(await staff.post("/api/orders/search", json={"event_id": str(sale.event_id)}))
    assert (row["tickets"], row["refunded"], row["total"]) == (2, 0, {"amount": 5000, "currency": "EUR"})


async def test_a_search_is_paged(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    made = [(await bought(client, tenant, sale, n))["id"] for n in range(3)]
    path = "/api/orders/search?limit=2"
    page = (await staff.post(path, json={})).json()
    assert [row["id"] for row in page["data"]] == made[:0:-1]
    rest = (await staff.post(f"{path}&cursor={page['next_cursor']}", json={})).json()
    assert ([row["id"] for row in rest["data"]], rest["next_cursor"]) == ([made[0]], None)


async def test_a_refund_can_be_looked_at_before_it_is_made(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    await add_promo(staff, sale, code="TEN", amount=1000, max_uses=None)
    fees = {"charges": [{"name": "Service", "kind": "fee", "amount": 100}]}
    data(await staff.put(sale.path("charges"), json=fees))
    order = await bought(client, tenant, sale, 0, 1)
    path, one = f"/api/orders/{order['id']}/refunds", [order["tickets"][0]["id"]]

    async def preview(**wish: Any) -> Any:
        return await staff.post(f"{path}/preview", json={"reason": "Ill."} | wish)

    kept, returned = data(await preview()), data(await preview(fees="return"))
    assert (kept["amount"]["amount"], returned["amount"]["amount"], kept["left"]["amount"]) == (5000, 5200, 5200)
    assert sorted(kept["ticket_ids"]) == sorted(ticket["id"] for ticket in order["tickets"])
    part = data(await preview(ticket_ids=one))
    assert (part["amount"]["amount"], part["ticket_ids"]) == (2500, one)
    assert refused(await preview(amount=9999)) == (409, "refund_too_high")
    assert data(await staff.get(path)) == []  # nothing was done
    assert data(await staff.get(f"/api/orders/{order['id']}"))["status"] == "paid"
    made = data(
        await staff.post(path, json={"reason": "Ill.", "ticket_ids": one}, headers={"idempotency-key": "1"}), 201
    )
    assert (made["amount"], made["ticket_ids"]) == (part["amount"], part["ticket_ids"])
