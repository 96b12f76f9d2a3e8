"""A layout that changes after sales: tickets are issued again, holders are asked, and nobody loses money."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.mail import seat_emails
from fullhouse.relocations import jobs
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, begun, buy, migrate, selling, wrong
from tests.fixtures import Client, Tenant
from tests.holds.helpers import a_finder, guest, hall


@pytest.fixture
def house(client: Client, tenant: Tenant) -> Client:
    return client.as_(tenant.tokens["owner"])


async def bought(client: Client, tenant: Tenant, sale: Sale, *seats: int) -> tuple[Client, list[Any]]:
    buyer = await guest(client, tenant)
    data(await buy(buyer, await begun(buyer, sale, *seats)), 201)
    mine = data(await buyer.get("/api/me/tickets"))
    return buyer, sorted(mine, key=lambda ticket: ticket["number"])


@pytest.mark.req("SEAT-4", "AUD-1")
async def test_who_keeps_the_seat_keeps_the_code_and_who_is_moved_gets_another(
    client: Client, house: Client, tenant: Tenant, services: Services, server_url: str
) -> None:
    sale = await selling(house, hall(4, 10))
    stays, [kept] = await bought(client, tenant, sale, 0)
    moves, [moved] = await bought(client, tenant, sale, 39)
    await migrate(house, sale, hall(3, 10))  # the last row goes
    after = data(await stays.get(f"/api/tickets/{kept['id']}"))
    assert (after["row"], after["seat"], after["qr"]) == (kept["row"], kept["seat"], kept["qr"])
    assert after["seat_id"] != kept["seat_id"]
    elsewhere = data(await moves.get(f"/api/tickets/{moved['id']}"))
    assert elsewhere["qr"] != moved["qr"]
    assert elsewhere["row"] != moved["row"]
    assert (await stays.get(f"/api/tickets/{kept['id']}/move")).json()["code"] == "ticket_not_moved"
    move = data(await moves.get(f"/api/tickets/{moved['id']}/move"))
    assert moved["row"] in move["from_place"]
    assert elsewhere["row"] in move["to_place"]
    assert (move["from_seat"]["row"], move["to_seat"]["row"]) == (moved["row"], elsewhere["row"])
    assert data(await moves.get("/api/me/moves")) == [move]
    assert data(await stays.get("/api/me/moves")) == []
    answered = data(await moves.post(f"/api/tickets/{moved['id']}/move", json={"accept": True}))
    assert answered["answer"] == "accepted"
    assert data(await moves.get("/api/me/moves")) == []
    twice = await moves.post(f"/api/tickets/{moved['id']}/move", json={"accept": False})
    assert (twice.status_code, twice.json()["code"]) == (409, "move_answered")
    assert await wrong(server_url) == {}


@pytest.mark.req("SEAT-4", "BUY-4")
async def test_whoever_does_not_want_the_other_seat_has_the_money_back(
    client: Client, house: Client, tenant: Tenant, server_url: str
) -> None:
    sale = await selling(house, hall(4, 10))
    buyer, [ticket] = await bought(client, tenant, sale, 39)
    await migrate(house, sale, hall(3, 10))
    answered = data(await buyer.post(f"/api/tickets/{ticket['id']}/move", json={"accept": False}))
    assert answered["answer"] == "refunded"
    assert data(await buyer.get(f"/api/tickets/{ticket['id']}"))["status"] == "refunded"
    [order] = data(await buyer.get("/api/orders"))
    [refund] = data(await house.get(f"/api/orders/{order['id']}/refunds"))
    assert refund["amount"]["amount"] == 2500
    assert data(await client.get(sale.path("occupancy")))["sold"] == 0
    assert await wrong(server_url) == {}


@pytest.mark.req("SEAT-4")
@pytest.mark.parametrize("before", [0, 9000, 10_000])
async def test_who_has_no_seat_any_more_is_paid_back_when_nobody_answers(
    client: Client, house: Client, tenant: Tenant, services: Services, server_url: str, clock: Any, before: int
) -> None:
    """Of an order of which some was given back before, no more than is left."""
    sale = await selling(house, hall(1, 4))
    await bought(client, tenant, sale, 0, 1, 2, 3)
    orders = data(await house.get("/api/orders"))
    if before:
        wish = {"reason": "It rained.", "amount": before}
        key = {"idempotency-key": "once"}
        data(await house.post(f"/api/orders/{orders[0]['id']}/refunds", json=wish, headers=key), 201)
    await migrate(house, sale, hall(1, 3))
    moves = [
        await house.get(f"/api/tickets/{t['id']}/move")
        for t in data(await house.get(f"/api/orders/{orders[0]['id']}"))["tickets"]
    ]
    [lost] = [data(answer) for answer in moves if answer.status_code == 200 and data(answer)["to_place"] is None]
    refused = await house.post(f"/api/tickets/{lost['ticket_id']}/move", json={"accept": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "no_seat_to_accept")
    await clock(timedelta(days=8))
    async with a_finder(server_url) as finder:
        assert await jobs.expire_relocations(finder, services.database) >= 1
        assert await jobs.expire_relocations(finder, services.database) == 0
    assert data(await house.get(f"/api/tickets/{lost['ticket_id']}"))["status"] == "refunded"
    assert await wrong(server_url) == {}


@pytest.mark.req("SEAT-4", "MSG-4")
async def test_whoever_was_moved_is_told_once_for_all_of_their_tickets(
    client: Client, house: Client, tenant: Tenant, services: Services, owner: Any
) -> None:
    sale = await selling(house, hall(4, 10))
    await bought(client, tenant, sale, 0, 1)
    await bought(client, tenant, sale, 38, 39)
    await owner.execute(
        "UPDATE tickets SET holder_email = 'Ada@Example.org' WHERE ctid = ("
        "SELECT ctid FROM tickets WHERE organization_id = $1 LIMIT 1)",
        tenant.id,
    )
    await migrate(house, sale, hall(3, 10))
    async with services.database.tenant(tenant.id) as tx:
        row = await tx.fetchrow(
            "SELECT id, organization_id, name, subject_id, 1 AS version, payload, created_at, seq FROM outbox"
            " WHERE organization_id = $1 AND name = 'event.layout_migrated'",
            tenant.id,
        )
        await seat_emails.email_moved_seats(tx, Message(**row))
    letters = [it for it in data(await house.get("/api/org/mailbox")) if it["recipient"].lower() == "ada@example.org"]
    [letter] = [it for it in letters if "seat" in it["subject"].lower()]
    assert letter["body"].count("row D") == 2
    assert f"/my?at={tenant.organization.slug}\n" in letter["body"]
