"""Money back by decision: of staff, and by the cancellation of a show. Never twice, never more than was paid."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from fullhouse.checkout.facts import OrderRefunded
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Message
from fullhouse.kit.services import Services
from fullhouse.mail.ticket_emails import TicketEmails
from fullhouse.payments import jobs
from fullhouse.refunds import actions
from fullhouse.refunds import jobs as refund_jobs
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, asked, begun, bought, buy, rows, selling, wrong
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest

pytestmark = pytest.mark.req("BUY-4")
CHARGES = [
    {"name": "Service", "kind": "fee", "amount": 100},
    {"name": "VAT", "kind": "tax", "basis_points": 1000},
    {"name": "City", "kind": "tax", "basis_points": 600, "included": True},
]


async def back(staff: Client, order: Any, key: str | None = None, **wish: Any) -> httpx.Response:
    headers = {"idempotency-key": key or new_id().hex}
    return await staff.post(f"/api/orders/{order['id']}/refunds", json={"reason": "Ill."} | wish, headers=headers)


async def charged(staff: Client) -> Sale:
    """Each ticket 25.00, its fee 1.00, a tax of 10 % on top and one of 6 % within."""
    sale = await selling(staff)
    data(await staff.put(sale.path("charges"), json={"charges": CHARGES}))
    return sale


async def seen(staff: Client, order: Any) -> Any:
    return data(await staff.get(f"/api/orders/{order['id']}"))


async def booked(staff: Client, **query: Any) -> Any:
    (balance,) = data(await staff.get("/api/ledger/balance", params=query))
    return balance


async def test_all_of_an_order_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, finder: Database, server_url: str
) -> None:
    sale = await charged(staff)
    order = await bought(client, tenant, sale, 0, pit=1)
    assert order["total"]["amount"] == 2 * (2500 + 100) * 11 // 10
    before = await booked(staff)
    assert (before["fees"], before["at_providers"]) == (200, {"test": 5720})
    refund = data(await back(staff, order, fees="return"), 201)
    assert (refund["amount"]["amount"], refund["status"], len(refund["ticket_ids"])) == (5720, "requested", 2)
    after = await seen(staff, order)
    assert (after["status"], [t["status"] for t in after["tickets"]]) == ("refunded", ["refunded"] * 2)
    assert await booked(staff) == {
        "currency": "EUR",
        "organizer": 0,
        "fees": 0,
        "tax": 0,
        "owed_to_buyers": 5720,
        "at_providers": {"test": 5720},
    }
    assert await wrong(server_url) == {}
    for _ in range(2):  # the second time nothing of ours is due
        await jobs.pay_refunds(finder, process)
        assert await asked(owner, "refunds", tenant) == [1]
        assert (await booked(staff))["at_providers"] == {"test": 0}
    charges = await rows(owner, "test_charges", tenant, "kind, calls")
    assert sorted((each["kind"], each["calls"]) for each in charges) == [("charge", 1), ("refund", 1)]
    shown = data(await staff.get(f"/api/orders/{order['id']}/refunds"))
    assert [(r["status"], r["fees"], r["reason"]) for r in shown] == [("done", "return", "Ill.")]
    assert (await begun(await guest(client, tenant), sale, 0))["status"] == "open"  # the seat can be had again
    assert await wrong(server_url) == {}


async def test_fees_are_kept_unless_they_are_returned(
    client: Client, staff: Client, tenant: Tenant, server_url: str
) -> None:
    order = await bought(client, tenant, await charged(staff), 0, pit=1)
    first, second = order["tickets"]
    kept = data(await back(staff, order, ticket_ids=[first["id"]]), 201)
    assert kept["amount"]["amount"] == 2750  # its price and the tax on it
    after = await seen(staff, order)
    assert (after["status"], [t["status"] for t in after["tickets"]]) == ("partly_refunded", ["refunded", "valid"])
    assert (await booked(staff))["fees"] == 200
    whole = data(await back(staff, order, ticket_ids=[second["id"]], fees="return"), 201)
    assert whole["amount"]["amount"] == 2860
    assert (await booked(staff))["fees"] == 100
    assert (await seen(staff, order))["status"] == "refunded"
    assert refused(await back(staff, order)) == (409, "nothing_to_refund")
    assert data(await back(staff, order, fees="return"), 201)["amount"]["amount"] == 110  # the fee that was kept
    left = await booked(staff)
    assert (left["organizer"], left["fees"], left["tax"]) == (0, 0, 0)
    assert refused(await back(staff, order, fees="return")) == (409, "nothing_to_refund")
    assert await wrong(server_url) == {}


async def test_an_amount_leaves_the_tickets(client: Client, staff: Client, tenant: Tenant, server_url: str) -> None:
    order = await bought(client, tenant, await charged(staff), 0, pit=1)
    data(await back(staff, order, amount=1000), 201)
    after = await seen(staff, order)
    assert (after["status"], {t["status"] for t in after["tickets"]}) == ("partly_refunded", {"valid"})
    assert (await booked(staff))["fees"] == 200
    too_high = await back(staff, order, amount=4721)
    assert refused(too_high) == (409, "refund_too_high")
    assert too_high.json()["left"] == 4720
    ids = [ticket["id"] for ticket in order["tickets"]]
    assert refused(await back(staff, order, ticket_ids=ids)) == (409, "refund_too_high")  # 5500 of 4720
    assert {t["status"] for t in (await seen(staff, order))["tickets"]} == {"valid"}  # and nothing was voided
    assert data(await back(staff, order, ticket_ids=ids, amount=4720), 201)["amount"]["amount"] == 4720
    assert (await seen(staff, order))["status"] == "refunded"
    left = await booked(staff)
    assert (left["organizer"], left["fees"], left["tax"]) == (0, 0, 0)
    assert await wrong(server_url) == {}


async def test_what_cannot_be_given_back(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    order, other = await bought(client, tenant, sale, 0, pit=1), await bought(client, tenant, sale, 1)
    path, good = f"/api/orders/{order['id']}/refunds", {"reason": "Ill."}
    assert refused(await staff.post(path, json=good)) == (422, "idempotency_key_required")
    assert refused(await back(staff, order, reason=" ")) == (422, "invalid")
    for amount in (0, -1, True, 2**63):
        assert refused(await back(staff, order, amount=amount))[0] == 422
    assert refused(await back(staff, order, price=1)) == (422, "unknown_field")
    assert refused(await back(staff, order, ticket_ids=[other["tickets"][0]["id"]])) == (422, "invalid")
    ticket = order["tickets"][0]["id"]
    data(await back(staff, order, ticket_ids=[ticket]), 201)
    assert refused(await back(staff, order, ticket_ids=[ticket])) == (409, "ticket_not_valid")
    buyer = await guest(client, tenant)
    pending = data(await buy(buyer, await begun(buyer, sale, 2), method="delay"), 202)
    assert refused(await back(staff, pending)) == (409, "order_not_paid")


async def test_what_cost_nothing_is_given_back_without_money(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale, buyer = await selling(staff, price=0), await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0), provider="free"), 201)
    refund = data(await back(staff, order), 201)
    assert (refund["amount"]["amount"], refund["status"]) == (0, "free")
    assert (await seen(staff, order))["status"] == "refunded"
    assert await rows(owner, "refunds", tenant) == []
    assert await wrong(server_url) == {}


async def test_of_twenty_at_once_one_gives_it_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    order = await bought(client, tenant, await selling(staff), 0)
    answers = await asyncio.gather(*(back(staff, order) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
    assert [row["amount"] for row in await rows(owner, "refunds", tenant)] == [2500]
    parts = await bought(client, tenant, await selling(staff), 0)
    answers = await asyncio.gather(*(back(staff, parts, amount=700) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 17
    ticket = await bought(client, tenant, await selling(staff), 0)
    named: dict[str, Any] = {
        "ticket_ids": [ticket["tickets"][0]["id"]],
        "amount": 1,
    }  # the money would reach for all of them
    answers = await asyncio.gather(*(back(staff, ticket, **named) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
    assert await wrong(server_url) == {}


async def test_one_key_is_one_refund(client: Client, staff: Client, tenant: Tenant, owner: Any) -> None:
    order = await bought(client, tenant, await selling(staff), 0)
    answers = await asyncio.gather(*(back(staff, order, "once", amount=100) for _ in range(8)))
    assert len({answer.content for answer in answers}) == 1
    assert len(await rows(owner, "refunds", tenant)) == 1
    assert refused(await back(staff, order, "once", amount=200)) == (422, "idempotency_key_reused")


async def test_the_buyer_is_told(client: Client, staff: Client, tenant: Tenant, owner: Any, services: Services) -> None:
    order = await bought(client, tenant, await selling(staff), 0)
    data(await back(staff, order, amount=100, reason="between us"), 201)
    (row,) = await owner.fetch(
        "SELECT id, organization_id, name, subject_id, payload::text, created_at FROM outbox"
        " WHERE organization_id = $1 AND name = $2",
        tenant.id,
        OrderRefunded.name,
    )
    handout = TicketEmails(services)
    async with services.database.tenant(tenant.id) as tx:
        payload = await tx.fetchval("SELECT payload FROM outbox WHERE id = $1", row["id"])
        message = Message(version=1, **(dict(row) | {"payload": payload}))
        for _ in range(2):
            await handout.send_refunded(tx, message)
        (letter,) = await tx.fetch("SELECT recipient, subject, body FROM mails WHERE template = 'order_refunded'")
    assert (letter["recipient"], "between us" in letter["body"]) == ("ada@example.org", False)
    assert "1.00" in letter["body"]
    assert f"/orders/{order['secret']}" in letter["body"]


# --- a cancelled show


@pytest.fixture
async def nothing_due(finder: Database, process: Services) -> None:
    """The job looks at every house: what other tests cancelled is given back before one of these counts."""
    await refund_jobs.refund_cancelled_events(finder, process.database)


async def cancelled(client: Client, staff: Client, tenant: Tenant, count: int) -> tuple[Sale, list[Any]]:
    """So many orders of a show that is cancelled now; of the first, a part was given back before."""
    sale = await charged(staff)
    orders = [await bought(client, tenant, sale, n) for n in range(count)]
    data(await back(staff, orders[0], amount=500), 201)
    data(await move(staff, {"id": str(sale.event_id)}, "cancel"))
    return sale, orders


async def progress(staff: Client, sale: Sale) -> Any:
    return data(await staff.get(sale.path("refunds")))


async def check_all_given_back(owner: Any, tenant: Tenant, orders: list[Any], url: str) -> None:
    total = sum(order["total"]["amount"] for order in orders)
    refunds = await rows(owner, "refunds", tenant)
    assert sum(row["amount"] for row in refunds) == total
    assert len(refunds) == len(orders) + 1  # the part that was given back before
    assert {row["status"] for row in await rows(owner, "orders", tenant)} == {"refunded"}
    assert {row["status"] for row in await rows(owner, "tickets", tenant)} == {"refunded"}
    assert await wrong(url) == {}


@pytest.mark.usefixtures("nothing_due")
async def test_a_cancelled_show_gives_every_order_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, finder: Database, server_url: str
) -> None:
    sale, orders = await cancelled(client, staff, tenant, 3)
    before = (await progress(staff, sale))["batch"]
    assert (before["status"], before["orders"], before["done"]) == ("running", 3, 0)
    assert await refund_jobs.refund_cancelled_events(finder, process.database) == 3
    after = await progress(staff, sale)
    assert (after["batch"]["status"], after["batch"]["done"], after["failures"]) == ("done", 3, [])
    await jobs.pay_refunds(finder, process)
    (sums,) = (await progress(staff, sale))["amounts"]
    assert (sums["refunds"], sums["requested"], sums["paid_out"], sums["failed"]) == (4, 8580, 8580, 0)
    assert await refund_jobs.refund_cancelled_events(finder, process.database) == 0
    await check_all_given_back(owner, tenant, orders, server_url)
    left = await booked(staff, event_id=str(sale.event_id))
    assert (left["organizer"], left["fees"], left["tax"], left["owed_to_buyers"]) == (0, 0, 0, 0)


@pytest.mark.usefixtures("nothing_due")
async def test_whoever_dies_in_the_middle_is_followed_by_the_next(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, finder: Database, server_url: str
) -> None:
    """Killed at every order, at two points of it, and two at once in the end: each order once."""
    sale, orders = await cancelled(client, staff, tenant, 6)
    real = actions.refund_cancelled_order

    class Killed(BaseException):
        """Not an error of the program: it is gone."""

    for before_the_commit in (True, False, True, False):
        done = 0

        async def dying(tx: Any, order_id: Any, reason: str, die: bool = before_the_commit) -> bool:
            nonlocal done
            if done and not die:
                raise Killed
            given = await real(tx, order_id, reason)
            done += 1
            if die and done > 1:
                raise Killed
            return given

        actions.refund_cancelled_order = dying
        try:
            with pytest.raises(Killed):
                await refund_jobs.refund_cancelled_events(finder, process.database)
        finally:
            actions.refund_cancelled_order = real
    assert (await progress(staff, sale))["batch"]["done"] == 4
    await asyncio.gather(*(refund_jobs.refund_cancelled_events(finder, process.database) for _ in range(2)))
    assert (await progress(staff, sale))["batch"]["status"] == "done"
    await check_all_given_back(owner, tenant, orders, server_url)


@pytest.mark.usefixtures("nothing_due")
async def test_an_order_that_fails_hinders_no_other(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sale, orders = await cancelled(client, staff, tenant, 3)
    real = actions.refund_cancelled_order

    async def broken(tx: Any, order_id: Any, reason: str) -> bool:
        if str(order_id) == orders[1]["id"]:
            await tx.execute("SELECT 1 / 0")
        return await real(tx, order_id, reason)

    monkeypatch.setattr(actions, "refund_cancelled_order", broken)
    assert await refund_jobs.refund_cancelled_events(finder, process.database) == 2
    seen = await progress(staff, sale)
    assert (seen["batch"]["status"], seen["batch"]["done"], seen["batch"]["failed"]) == ("running", 2, 1)
    assert "division by zero" in seen["failures"][0]["error"]
    monkeypatch.undo()
    await clock(timedelta(seconds=15))
    assert await refund_jobs.refund_cancelled_events(finder, process.database) == 0  # not yet
    await clock(timedelta(seconds=31))
    assert await refund_jobs.refund_cancelled_events(finder, process.database) == 1
    assert (await progress(staff, sale))["batch"]["failed"] == 0
    await check_all_given_back(owner, tenant, orders, server_url)
