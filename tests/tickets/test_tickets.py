"""Tickets: issued with the sale, shown to whoever holds them, passed on, voided."""

import asyncio
import base64
import re
from typing import Any

import pytest

from fullhouse.tickets.signing import signature
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, bought, buy, selling
from tests.events.helpers import announced, move, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


@pytest.fixture
async def sale(house: Client) -> Sale:
    return await selling(house)


async def order_of(client: Client, tenant: Tenant, sale: Sale, *seats: int, **more: Any) -> tuple[Client, Any]:
    buyer = await guest(client, tenant)
    return buyer, data(await buy(buyer, await begun(buyer, sale, *seats, **more)), 201)


async def keys(house: Client) -> dict[int, Any]:
    return {key["key_id"]: key for key in data(await house.get("/api/org/ticket-keys"))}


@pytest.mark.req("BUY-5")
async def test_a_wallet_gets_what_a_pass_is_made_of(client: Client, tenant: Tenant, sale: Sale) -> None:
    buyer, order = await order_of(client, tenant, sale, 0)
    path = f"/api/tickets/{order['tickets'][0]['id']}"
    ticket, made = data(await buyer.get(path)), (await buyer.get(f"{path}.wallet.json")).json()
    assert made["serialNumber"] == f"{ticket['id']}.{ticket['version']}"
    (code,) = made["barcodes"]
    assert (code["message"], code["altText"]) == (ticket["qr"], ticket["code"])
    assert made["semantics"]["seats"] == [{"seatSection": ticket["section"], "seatRow": "A", "seatNumber": "1"}]
    shown = {field["key"]: field["value"] for fields in made["eventTicket"].values() for field in fields}
    assert (shown["show"], shown["row"], shown["seat"]) == (ticket["event_name"], "A", "1")
    assert re.fullmatch(r"rgb\(\d+, \d+, \d+\)", made["backgroundColor"])


@pytest.mark.req("BUY-5", "AUD-1")
async def test_every_place_has_a_ticket_with_a_code_that_the_gate_believes(
    client: Client, house: Client, tenant: Tenant, sale: Sale, owner: Any
) -> None:
    buyer, order = await order_of(client, tenant, sale, 3, 4, pit=2)
    mine = data(await buyer.get("/api/me/tickets"))
    assert {ticket["id"] for ticket in mine} == {ticket["id"] for ticket in order["tickets"]}
    assert [int(ticket["number"].partition("-")[2]) for ticket in order["tickets"]] == [1, 2, 3, 4]
    assert len({ticket["code"] for ticket in mine}) == 4
    seated = [ticket for ticket in mine if ticket["seat_id"]]
    assert {(ticket["row"], ticket["seat"]) for ticket in seated} == {("A", "4"), ("A", "5")}
    assert {ticket["zone_name"] for ticket in mine} == {seated[0]["zone_name"], "Pit"}
    (key,) = (await keys(house)).values()
    for ticket in mine:
        claim = signature.parse(ticket["qr"])
        assert claim
        assert (str(claim.event_id), str(claim.ticket_id)) == (ticket["event_id"], ticket["id"])
        assert signature.verify(ticket["qr"], _raw(key["public_key"]))
    first = mine[0]
    assert [row["action"] for row in await trail(owner, tenant, first)] == ["ticket.issued"]
    assert [fact["name"] for fact in await announced(owner, first)] == ["ticket.issued"]


@pytest.mark.req("BUY-5", "TEN-2")
async def test_a_ticket_is_its_holders_and_comes_as_files(
    client: Client, house: Client, tenant: Tenant, sale: Sale
) -> None:
    buyer, order = await order_of(client, tenant, sale, 0)
    path = f"/api/tickets/{order['tickets'][0]['id']}"
    drawn, printed, dated = [await buyer.get(path + end) for end in (".qr.svg", ".pdf", ".ics")]
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.content.startswith(b"<svg")
    assert (printed.headers["content-type"], printed.content[:5]) == ("application/pdf", b"%PDF-")
    assert "no-store" in printed.headers["cache-control"]
    assert "row A\\, seat 1" in dated.text.replace("\r\n ", "")
    for ending in ("", ".qr.svg", ".pdf", ".ics", ".wallet.json"):
        assert (await house.get(path + ending)).status_code == 200
        stranger = await guest(client, tenant)
        other = await stranger.get(path + ending)
        assert (other.status_code, other.json()["code"]) == (404, "ticket_not_found")
    for wrong in (path + ".exe", "/api/tickets/nonsense", "/api/tickets/nonsense.pdf"):
        assert (await buyer.get(wrong)).json()["code"] == "ticket_not_found"


@pytest.mark.req("BUY-5", "AUD-1")
async def test_a_ticket_that_is_passed_on_has_another_code_and_another_holder(
    client: Client, tenant: Tenant, sale: Sale, owner: Any
) -> None:
    buyer, order = await order_of(client, tenant, sale, 0)
    path = f"/api/tickets/{order['tickets'][0]['id']}"
    before = data(await buyer.get(path))
    to = {"name": "Grace Guest", "email": "customer@example.org"}
    data(await buyer.post(f"{path}/transfer", json=to))
    friend = client.as_(tenant.tokens["customer"])
    after = data(await friend.get(path))
    assert after["holder_name"] == "Grace Guest"
    old, new = signature.parse(before["qr"]), signature.parse(after["qr"])
    assert old
    assert new
    assert old.nonce != new.nonce
    assert before["code"] != after["code"]
    assert (await buyer.get(path)).status_code == 404  # it is somebody else's now
    assert [ticket["id"] for ticket in data(await friend.get("/api/me/tickets"))] == [after["id"]]
    assert data(await buyer.get("/api/me/tickets")) == []
    again = await buyer.post(f"{path}/transfer", json=to)
    assert again.status_code == 404
    (fact,) = [fact for fact in await announced(owner, after) if fact["name"] == "ticket.transferred"]
    assert (fact["from_email"], fact["to_email"]) == ("ada@example.org", "customer@example.org")
    for wrong in ({"name": "", "email": "a@example.org"}, {"name": "X", "email": "no"}, to | {"price": 1}):
        assert (await friend.post(f"{path}/transfer", json=wrong)).status_code == 422


@pytest.mark.req("BUY-5")
async def test_whoever_passed_a_ticket_on_never_learns_its_new_code(
    client: Client, tenant: Tenant, sale: Sale, house: Client
) -> None:
    """By any of the ways by which an order is seen: signed in, by its secret, on its page, as a file."""
    buyer, order = await order_of(client, tenant, sale, 0, 1)
    mine, gone = order["tickets"]
    to = {"name": "Grace Guest", "email": "customer@example.org"}
    assert data(await buyer.post(f"/api/tickets/{gone['id']}/transfer", json=to))["code"] == ""
    friend = client.as_(tenant.tokens["customer"])
    theirs = data(await friend.get(f"/api/tickets/{gone['id']}"))
    secret = {"authorization": f"Bearer {order['secret']}"}
    for seen in (
        data(await buyer.get(f"/api/orders/{order['id']}")),
        data(await client.get("/api/order", headers=secret)),
    ):
        assert [(ticket["code"], ticket["holder_name"]) for ticket in seen["tickets"]] == [
            (mine["code"], mine["holder_name"]),
            ("", ""),
        ]
    page = (await client.get(f"/orders/{order['secret']}")).text
    assert mine["number"] in page
    assert gone["number"] not in page
    both = data(await house.get(f"/api/orders/{order['id']}"))["tickets"]
    assert [ticket["code"] for ticket in both] == [mine["code"], theirs["code"]]  # staff help at the gate
    data(await buyer.post(f"/api/tickets/{mine['id']}/transfer", json=to))
    assert (await client.get(f"/orders/{order['secret']}/tickets.pdf")).status_code == 404


@pytest.mark.req("BUY-5", "TEN-2")
async def test_an_orders_secret_passes_on_its_own_tickets_and_no_others(
    client: Client, tenant: Tenant, sale: Sale, owner: Any
) -> None:
    """A guest who opens the mailed link on another device has no session, and is the buyer all the same."""
    buyer, order = await order_of(client, tenant, sale, 0)
    again = data(await buy(buyer, await begun(buyer, sale, 1)), 201)  # of the same buyer
    to = {"name": "Grace Guest", "email": "customer@example.org"}

    async def passed(secret: str, ticket: Any) -> Any:
        path = f"/api/order/tickets/{ticket['id']}/transfer"
        return await client.post(path, json=to, headers={"authorization": f"Bearer {secret}"})

    mine, other = order["tickets"][0], again["tickets"][0]
    for secret, ticket in (
        (order["secret"], other),
        (again["secret"], mine),
        ("", mine),
        (order["secret"] + "A", mine),
    ):
        assert (await passed(secret, ticket)).status_code == 404
    for status, expected in (("suspended", 403), ("active", 200)):
        await owner.execute("UPDATE organizations SET status = $2 WHERE id = $1", tenant.id, status)
        assert (answer := await passed(order["secret"], mine)).status_code == expected
    assert data(answer)["code"] == ""
    trail = "SELECT actor_id = o.user_id FROM audit_log a JOIN orders o ON o.id::text = $2 WHERE a.entity_id::text = $1"
    assert await owner.fetchval(f"{trail} AND action = 'ticket.transferred'", mine["id"], order["id"])
    friend = client.as_(tenant.tokens["customer"])
    assert data(await friend.get(f"/api/tickets/{mine['id']}"))["holder_name"] == "Grace Guest"
    assert (await passed(order["secret"], mine)).status_code == 404  # it is somebody else's now


@pytest.mark.req("BUY-5")
async def test_a_ticket_is_passed_on_once_by_whoever_has_it(
    client: Client, tenant: Tenant, sale: Sale, owner: Any
) -> None:
    """To two in the same moment: one of them has it, and the other code is nobody's."""
    buyer, order = await order_of(client, tenant, sale, 0)
    ticket = order["tickets"][0]
    to = [{"name": f"Friend {n}", "email": f"friend-{n}@example.org"} for n in range(5)]
    answers = await asyncio.gather(*(buyer.post(f"/api/tickets/{ticket['id']}/transfer", json=one) for one in to))
    assert [answer.status_code for answer in answers].count(200) == 1
    (former,) = await owner.fetch("SELECT code FROM former_codes WHERE ticket_id::text = $1", ticket["id"])
    assert former["code"] == ticket["code"]


@pytest.mark.req("BUY-5", "BUY-6")
async def test_a_cancelled_ticket_frees_its_place(client: Client, house: Client, tenant: Tenant, sale: Sale) -> None:
    buyer, order = await order_of(client, tenant, sale, 0, pit=1)
    for ticket in order["tickets"]:
        path = f"/api/tickets/{ticket['id']}"
        assert (await buyer.post(f"{path}/cancel", json={"reason": "x"})).status_code == 403
        voided = data(await house.post(f"{path}/cancel", json={"reason": "Printed twice"}))
        assert (voided["status"], voided["reason"]) == ("cancelled", "Printed twice")
        assert data(await buyer.get(path))["qr"] is None
        late = await buyer.get(f"{path}.pdf")
        assert (late.status_code, late.json()["code"]) == (409, "ticket_not_valid")
        twice = await house.post(f"{path}/cancel", json={"reason": "again"})
        assert (twice.status_code, twice.json()["code"]) == (409, "ticket_not_valid")
    occupancy = data(await client.get(sale.path("occupancy")))
    assert (occupancy["sold"], occupancy["available"]) == (0, 90)
    await bought(client, tenant, sale, 0, pit=1)


@pytest.mark.req("BUY-5")
async def test_tickets_of_a_show_that_is_over_stay_where_they_are(
    client: Client, house: Client, tenant: Tenant, sale: Sale
) -> None:
    buyer, order = await order_of(client, tenant, sale, 0)
    data(await move(house, {"id": str(sale.event_id)}, "cancel"))
    to = {"name": "Grace Guest", "email": "customer@example.org"}
    late = await buyer.post(f"/api/tickets/{order['tickets'][0]['id']}/transfer", json=to)
    assert (late.status_code, late.json()["code"]) == (409, "ticket_not_valid")


@pytest.mark.req("BUY-5", "SCAN-3")
async def test_a_new_key_signs_and_the_old_one_is_believed_until_it_is_revoked(
    client: Client, house: Client, tenant: Tenant, sale: Sale
) -> None:
    buyer, order = await order_of(client, tenant, sale, 0)
    path = f"/api/tickets/{order['tickets'][0]['id']}"
    printed = data(await buyer.get(path))["qr"]
    data(await house.post("/api/org/ticket-keys", json={}))
    known = await keys(house)
    assert sorted(known) == [1, 2]
    assert (known[1]["retired_at"] is None, known[1]["revoked_at"]) == (False, None)
    assert signature.verify(printed, _raw(known[1]["public_key"]))
    fresh = data(await buyer.get(path))["qr"]
    claim = signature.parse(fresh)
    assert claim
    assert claim.key_id == 2
    assert signature.verify(fresh, _raw(known[2]["public_key"]))
    data(await house.post("/api/org/ticket-keys", json={"revoke": True}))
    known = await keys(house)
    assert known[2]["revoked_at"] is not None
    assert (await buyer.post("/api/org/ticket-keys", json={})).status_code == 403


async def test_my_tickets_come_in_pages_and_by_status(client: Client, tenant: Tenant, sale: Sale) -> None:
    buyer, _ = await order_of(client, tenant, sale, pit=5)
    first = (await buyer.get("/api/me/tickets", params={"limit": 3})).json()
    rest = (await buyer.get("/api/me/tickets", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    assert (len(first["data"]), len(rest["data"]), rest["next_cursor"]) == (3, 2, None)
    assert not {t["id"] for t in first["data"]} & {t["id"] for t in rest["data"]}
    assert data(await buyer.get("/api/me/tickets", params={"status": "cancelled"})) == []


def _raw(key: str) -> bytes:
    return base64.b64decode(key)


@pytest.mark.req("TT-1")
async def test_a_quantity_that_is_set_later_counts_what_was_sold_before(
    client: Client, house: Client, tenant: Tenant, sale: Sale
) -> None:
    _, order = await order_of(client, tenant, sale, 0, 1, 2)
    path = sale.path(f"ticket-types/{sale.types['seat']}")
    few = await house.patch(path, json={"quantity": 2})
    assert (few.status_code, few.json()["code"]) == (409, "quantity_below_sold")
    assert data(await house.patch(path, json={"quantity": 5}))["sold"] == 3
    data(await house.post(f"/api/tickets/{order['tickets'][0]['id']}/cancel", json={"reason": "Ill"}))
    assert data(await house.get(path))["sold"] == 2
