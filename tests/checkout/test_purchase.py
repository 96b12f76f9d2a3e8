"""A purchase from end to end, and everything that is checked again on the way."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.checkout.orders import actions
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Failed
from tests.accounts.helpers import data
from tests.checkout.helpers import (
    BUYER,
    add_type,
    begun,
    bought,
    buy,
    code,
    hold,
    rows,
    selling,
    selling_types,
    start,
    wrong,
)
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall


@pytest.mark.req("BUY-1", "CHK-2")
async def test_seats_and_places_are_bought(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=40, capacity=89)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 3, 4, pit=2)
    assert session["total"] == {"amount": 10_000, "currency": "EUR"}
    assert await wrong(server_url) == {}
    answer = await buy(buyer, session)
    order = data(answer, 201)
    assert answer.headers["location"] == f"/api/orders/{order['id']}"
    assert order["status"] == "paid"
    assert len(order["code"]) == 8
    assert len({ticket["code"] for ticket in order["tickets"]}) == 4
    assert "TEST" in order["payment"]["notice"]
    assert {row["status"] for row in await rows(owner, "seat_holds", tenant)} == {"converted"}
    sold = await owner.fetch("SELECT ordinal FROM event_seats WHERE event_id = $1 AND status = 'sold'", sale.event_id)
    assert sorted(row["ordinal"] for row in sold) == [3, 4]
    pools = {(row["kind"], row["held"], row["sold"]) for row in await rows(owner, "pools", tenant)}
    assert pools == {("event", 0, 4), ("zone", 0, 2), ("ticket_type", 0, 2)}
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "completed"
    slots = await owner.fetch("SELECT status FROM queue_entries WHERE event_id = $1", sale.event_id)
    assert [row["status"] for row in slots] == ["done"]
    facts = {row["name"] for row in await rows(owner, "outbox", tenant)}
    assert {"checkout.started", "order.paid", "payment.captured", "ticket.issued", "hold.converted"} <= facts
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-4")
async def test_a_sale_is_in_the_ledger(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, price=10_000)
    charges = [
        {"name": "Service", "kind": "fee", "amount": 150},
        {"name": "VAT", "kind": "tax", "basis_points": 600, "included": True},
    ]
    data(await staff.put(sale.path("charges"), json={"charges": charges}))
    order = await bought(client, tenant, sale, 0, 1)
    assert order["total"]["amount"] == 20_300
    entries = {row["account"]: row["amount"] for row in await rows(owner, "ledger_entries", tenant)}
    assert entries == {"provider:test": 20_300, "fees": -300, "tax": -1149, "organizer": -18_851}
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_what_costs_nothing_needs_no_money(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, price=0)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    assert [way["provider"] for way in session["ways_to_pay"]] == ["free"]
    assert code(await buy(buyer, session)) == (422, "payment_provider_wrong")
    order = data(await buy(buyer, session, provider="free"), 201)
    assert (order["status"], len(order["tickets"]), order["payment"]["notice"]) == ("paid", 2, None)
    assert await rows(owner, "ledger_entries", tenant) == []
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-2")
async def test_what_costs_nothing_is_finished_by_a_repeat(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies when the order is placed and not yet settled: there is nobody to wait for."""

    async def die(*_: Any) -> None:
        raise RuntimeError("killed")

    sale, buyer = await selling(staff, price=0), await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    with monkeypatch.context() as patch:
        patch.setattr(actions, "_settle_outcome", die)
        assert (await buy(buyer, session, "key", provider="free")).status_code == 500
    assert [row["status"] for row in await rows(owner, "orders", tenant)] == ["pending"]
    order = data(await buy(buyer, session, "key", provider="free"), 201)
    assert (order["status"], len(order["tickets"])) == ("paid", 2)
    assert data(await buy(buyer, session, "key", provider="free"), 201)["tickets"] == order["tickets"]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-3")
async def test_what_costs_something_is_not_free(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    assert code(await buy(buyer, session, provider="free")) == (422, "payment_provider_wrong")
    assert code(await buy(buyer, session, provider="gold")) == (422, "payment_provider_unknown")
    assert code(await buy(buyer, session, method="unheard-of")) == (422, "payment_provider_unknown")
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "open"


@pytest.mark.req("BUY-1")
async def test_a_show_without_a_layout_sells_its_types(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling_types(staff, 5)
    order = await bought(client, tenant, sale, entry=3)
    assert len(order["tickets"]) == 3
    (pool,) = await rows(owner, "pools", tenant, "kind, held, sold")
    assert pool == {"kind": "ticket_type", "held": 0, "sold": 3}
    assert await wrong(server_url) == {}


# --- once


@pytest.mark.req("BUY-2")
async def test_fifty_purchases_with_one_key_are_one(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, 1)
    answers = await asyncio.gather(*(buy(buyer, session, "once") for _ in range(50)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert len(await rows(owner, "orders", tenant)) == 1
    assert [row["calls"] for row in await rows(owner, "test_charges", tenant)] == [1]
    assert len(await rows(owner, "tickets", tenant)) == 2
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-2")
async def test_a_key_belongs_to_its_body(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    first = await buy(buyer, session, "mine")
    assert first.status_code == 201
    assert code(await buy(buyer, session, "mine", method="approve")) == (422, "idempotency_key_reused")
    assert (await buy(buyer, session, "mine")).content == first.content
    assert code(await buy(buyer, session, "another")) == (409, "checkout_completed")
    without = await buyer.post(f"/api/checkout/{session['id']}/purchase", json={"provider": "test", "buyer": BUYER})
    assert code(without) == (422, "idempotency_key_required")


@pytest.mark.req("BUY-2")
async def test_two_keys_at_once_are_one_payment(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    answers = await asyncio.gather(*(buy(buyer, session) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 9
    assert len(await rows(owner, "test_charges", tenant)) == 1
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-2")
@pytest.mark.parametrize("length", [64, 65, 254])
async def test_keys_that_differ_in_their_last_letter_are_two(
    client: Client, staff: Client, tenant: Tenant, owner: Any, length: int
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    for last, seat in (("a", 0), ("b", 5)):
        data(await buy(buyer, await begun(buyer, sale, seat), "k" * length + last), 201)
    assert len(await rows(owner, "orders", tenant)) == 2


# --- declined


@pytest.mark.req("BUY-3", "BUY-1")
async def test_a_declined_payment_gives_the_places_their_time_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    before = {row["id"]: row["held_until"] for row in await rows(owner, "seat_holds", tenant)}
    declined = await buy(buyer, session, "declined", method="decline")
    assert code(declined) == (402, "payment_declined")
    assert declined.json()["failure_code"] == "card_declined"
    for row in await rows(owner, "seat_holds", tenant):
        assert (row["status"], row["attempt_id"]) == ("active", None)
        assert abs(row["held_until"] - before[row["id"]]) < timedelta(seconds=20)
    assert (await rows(owner, "orders", tenant))[0]["status"] == "cancelled"
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "open"
    assert await wrong(server_url) == {}
    assert code(await buy(buyer, session, "declined", method="decline")) == (402, "payment_declined")
    assert data(await buy(buyer, session), 201)["status"] == "paid"
    assert await wrong(server_url) == {}


SECOND = timedelta(seconds=1)


@pytest.mark.req("BUY-3", "CHK-1", "CHK-2")
async def test_declined_payments_lengthen_neither_hold_nor_checkout_nor_slot(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str, clock: Any
) -> None:
    """Whoever has many cards has ten minutes, as everybody has."""
    sale = await selling(staff, quantity=5)
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)

    async def times() -> set[Any]:
        slot = "SELECT expires_at FROM queue_entries WHERE event_id = $1 AND status = 'admitted'"
        found = {row["held_until"] for row in await rows(owner, "seat_holds", tenant)}
        found |= {row["expires_at"] for row in await rows(owner, "checkout_sessions", tenant)}
        return found | {row["expires_at"] for row in await owner.fetch(slot, sale.event_id)}

    before = await times()
    for minutes in (0, 2, 4, 6, 8, 9):
        await clock(timedelta(minutes=minutes))
        assert code(await buy(buyer, session, method="decline")) == (402, "payment_declined")
        assert await times() == before
    assert await wrong(server_url) == {}
    await clock(timedelta(minutes=10) - 20 * SECOND)
    assert code(await buy(buyer, session, method="decline")) == (402, "payment_declined")
    taken = await other.post(sale.path(f"seats/{sale.show.seat(0)}/reserve"), json={})
    assert code(taken) == (409, "seat_held_by_another_user")
    await clock(timedelta(minutes=10) + SECOND)
    assert code(await buy(buyer, session)) == (409, "checkout_expired")
    data(await other.post(sale.path(f"seats/{sale.show.seat(0)}/reserve"), json={}), 201)


@pytest.mark.req("BUY-3", "CHK-2")
@pytest.mark.parametrize("takes", [timedelta(minutes=9), timedelta(minutes=11)])
async def test_a_payment_counts_as_time_of_its_checkout(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    server_url: str,
    clock: Any,
    takes: timedelta,
) -> None:
    """While it runs nobody takes the places away, however long it takes; when it fails, its time has passed."""
    sale = await selling(staff)
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    data(await buy(buyer, session, method="delay"), 202)
    await clock(takes)
    reserve = sale.path(f"seats/{sale.show.seat(0)}/reserve")
    assert code(await other.post(reserve, json={})) == (409, "seat_held_by_another_user")
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt["id"], Failed("card_declined", "Declined."))
    in_time = takes < timedelta(minutes=10)
    shown = data(await buyer.get(f"/api/checkout/{session['id']}"))
    assert shown["status"] == ("open" if in_time else "expired")
    assert (await other.post(reserve, json={})).status_code == (409 if in_time else 201)
    assert await wrong(server_url) == {}


@pytest.mark.req("CHK-2")
async def test_prove_sees_a_hold_or_a_checkout_that_lasts_too_long(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    assert await wrong(server_url) == {}
    hold = "UPDATE seat_holds SET held_until = held_until + $2::interval WHERE event_id = $1"
    checkout = "UPDATE checkout_sessions SET expires_at = expires_at + $2::interval WHERE event_id = $1"
    seat = "UPDATE event_seats SET held_until = held_until + $2::interval WHERE event_id = $1 AND status = 'held'"

    async def found(*late: str) -> dict[str, list[str]]:
        """With these two seconds late; then all is as it was."""
        for change in late:
            await owner.execute(change, sale.event_id, 2 * SECOND)
        said = await wrong(server_url)
        for change in late:
            await owner.execute(change, sale.event_id, -2 * SECOND)
        return said

    (said,) = (await found(hold, seat))["bounded"]
    assert "its checkout until" in said
    (said,) = (await found(checkout))["bounded"]
    assert said.startswith(f"checkout {session['id']}")
    assert await wrong(server_url) == {}


# --- checked again


@pytest.mark.req("CHK-2", "BUY-1")
async def test_a_hold_that_is_over_is_refused_and_nothing_is_charged(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    wish = {"seat_ids": [sale.show.seat(0)], "reason": "Wanted for a guest of honour"}
    data(await staff.post(sale.path("holds/release"), json=wish))
    assert code(await buy(buyer, session)) == (409, "hold_expired")
    assert await rows(owner, "orders", tenant) == []
    assert await rows(owner, "test_charges", tenant) == []


@pytest.mark.req("BUY-1")
async def test_the_sale_that_closed_meanwhile_is_closed(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    await owner.execute(
        "UPDATE events SET sale_start_at = now() - interval '2 hours', sale_end_at = now() - interval '1 hour'"
        " WHERE id = $1",
        sale.event_id,
    )
    assert code(await buy(buyer, session)) == (400, "event_sales_closed")
    assert await rows(owner, "orders", tenant) == []


@pytest.mark.req("BUY-1", "TT-1")
async def test_a_type_whose_sale_closed_meanwhile_is_refused(
    client: Client, staff: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    await owner.execute(
        "UPDATE ticket_types SET sale_end_at = now() - interval '1 minute', sale_start_at = NULL WHERE id = $1",
        sale.types["seat"],
    )
    assert code(await buy(buyer, session)) == (409, "ticket_type_not_on_sale")


@pytest.mark.req("BUY-1")
async def test_a_show_that_was_cancelled_sells_nothing(
    client: Client, staff: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    data(await move(staff, {"id": sale.event_id}, "cancel"))
    assert code(await buy(buyer, session)) == (400, "event_not_available")
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "cancelled"
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-1")
async def test_a_purchase_is_ten_tickets_at_most(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff, hall(1, 4, pit=50))
    data(await staff.put(sale.path("seating-policy"), json={"policy": {"max_seats_per_booking": 20}}))
    buyer = await guest(client, tenant)
    items = [*await hold(buyer, sale, pit=8), *await hold(buyer, sale, 0, 1, 2)]
    answer = await start(buyer, sale, items)
    assert code(answer) == (422, "too_many_tickets")
    assert answer.json()["most"] == 10


@pytest.mark.req("BUY-1", "TEN-2")
@pytest.mark.parametrize("field", ["price", "total", "currency", "organization_id", "status", "user_id"])
async def test_a_buyer_sets_no_price(client: Client, staff: Client, tenant: Tenant, field: str) -> None:
    sale = await selling(staff)
    buyer = await guest(client, tenant)
    items = await hold(buyer, sale, 0)
    assert code(await start(buyer, sale, items, **{field: 1})) == (422, "unknown_field")
    assert code(await start(buyer, sale, [items[0] | {field: 1}])) == (422, "unknown_field")
    session = data(await start(buyer, sale, items), 201)
    body = {"provider": "test", "buyer": BUYER, field: 1}
    answer = await buyer.post(
        f"/api/checkout/{session['id']}/purchase", json=body, headers={"idempotency-key": new_id().hex}
    )
    assert code(answer) == (422, "unknown_field")


# --- several types in one


@pytest.mark.req("TT-1")
async def test_one_hold_may_be_of_several_types(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    child = await add_type(staff, sale.event_id, name="child", price=500, kind="ga")
    buyer = await guest(client, tenant)
    (held,) = await hold(buyer, sale, pit=3)
    adults, children = held | {"quantity": 1}, {"hold_id": held["hold_id"], "ticket_type_id": child, "quantity": 2}
    assert code(await start(buyer, sale, [adults])) == (422, "invalid")
    session = data(await start(buyer, sale, [adults, children]), 201)
    assert session["total"]["amount"] == 3500
    order = data(await buy(buyer, session), 201)
    assert sorted(t["ticket_type_id"] for t in order["tickets"]) == sorted([child, child, sale.types["pit"]])
