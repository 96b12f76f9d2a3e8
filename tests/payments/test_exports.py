"""The ledger to read, to sum up, and as spreadsheets that calculate nothing by themselves."""

import csv
import io
from datetime import datetime
from typing import Any

import httpx
import pytest

from fullhouse.kit.media.csv import to_cell
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import BUYER, begun, bought, selling
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.payments.test_refunds import back

pytestmark = pytest.mark.req("BUY-4")


def table(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert int(answer.headers["content-length"]) == len(answer.content)
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("typed", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")'])
def test_what_people_typed_is_never_a_formula(typed: str) -> None:
    assert to_cell(typed) == f"'{typed}"


def test_other_cells_are_as_they_are() -> None:
    assert [to_cell(value) for value in ("Ada", "a=b", "", None, -5, "O'Neil")] == [
        "Ada",
        "a=b",
        "",
        "",
        "-5",
        "O'Neil",
    ]


async def test_the_ledger_is_read_page_by_page(client: Client, staff: Client, tenant: Tenant) -> None:
    sale, other = await selling(staff), await selling(staff)
    orders = [await bought(client, tenant, sale, n) for n in range(3)]
    await bought(client, tenant, other, 0)
    data(await back(staff, orders[0], amount=400), 201)
    seen: list[Any] = []
    cursor: str | None = None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await staff.get("/api/ledger", params=query)).json()
        seen += page["data"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert [transaction["kind"] for transaction in seen] == ["capture"] * 4 + ["refund"]
    assert all(sum(entry["amount"]["amount"] for entry in one["entries"]) == 0 for one in seen)
    assert len({one["id"] for one in seen}) == 5
    back_to_front: list[Any] = []
    while back_to_front == [] or cursor:
        newest = {"limit": "2", "sort": "newest"} | ({"cursor": cursor} if cursor else {})
        page = (await staff.get("/api/ledger", params=newest)).json()
        back_to_front += page["data"]
        cursor = page["next_cursor"]
    assert back_to_front == seen[::-1]
    of_the_other = (await staff.get("/api/ledger", params={"limit": 2})).json()["next_cursor"]
    mixed = await staff.get("/api/ledger", params={"limit": 2, "sort": "newest", "cursor": of_the_other})
    assert refused(mixed) == (422, "invalid_cursor")
    some = data(await staff.get("/api/ledger", params={"event_id": str(sale.event_id), "kind": "capture"}))
    assert {one["order_id"] for one in some} == {order["id"] for order in orders}
    after = {"since": seen[2]["created_at"], "until": seen[4]["created_at"]}
    assert [one["id"] for one in data(await staff.get("/api/ledger", params=after))] == [seen[2]["id"], seen[3]["id"]]
    of_one = data(await staff.get("/api/ledger", params={"order_id": orders[0]["id"]}))
    assert of_one[1]["kind"] == "refund"
    assert of_one[1]["order_code"] == orders[0]["code"]
    assert refused(await staff.get("/api/ledger", params={"since": "2026-13-01T00:00:00Z"}))[0] == 422
    (balance,) = data(await staff.get("/api/ledger/balance"))
    assert (balance["organizer"], balance["owed_to_buyers"]) == (4 * 2500 - 400, 400)
    assert data(await staff.get("/api/ledger/balance", params={"event_id": str(other.event_id)})) == [
        {"currency": "EUR", "organizer": 2500, "fees": 0, "tax": 0, "owed_to_buyers": 0, "at_providers": {"test": 2500}}
    ]


async def test_nobody_sees_anothers_ledger(client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    sale = await selling(staff)
    await bought(client, tenant, sale, 0)
    stranger = client.as_(other_tenant.tokens["owner"])
    query = {"event_id": str(sale.event_id)}
    assert data(await stranger.get("/api/ledger", params=query)) == []
    assert data(await stranger.get("/api/ledger/balance", params=query)) == []
    assert table(await stranger.get("/api/ledger.csv", params=query)) == []
    assert (await client.as_(tenant.tokens["staff"]).get("/api/ledger")).status_code == 403


async def test_the_ledger_as_a_spreadsheet(client: Client, staff: Client, tenant: Tenant) -> None:
    sale = await selling(staff)
    order = await bought(client, tenant, sale, 0)
    lines = table(await staff.get("/api/ledger.csv"))
    assert [(line["account"], line["amount"], line["currency"]) for line in lines] == [
        ("provider:test", "25.00", "EUR"),
        ("organizer", "-25.00", "EUR"),
    ]
    assert {line["order"] for line in lines} == {order["id"]}
    assert datetime.fromisoformat(lines[0]["time"]).tzinfo


async def test_orders_as_a_spreadsheet_whatever_buyers_are_called(
    client: Client, staff: Client, tenant: Tenant
) -> None:
    sale, names = await selling(staff), ["=cmd|' /C calc'!A0", "+32 470", 'Zoë "Zo", Ng', "@home"]
    for n, name in enumerate(names):
        buyer = await guest(client, tenant)
        session = await begun(buyer, sale, n)
        body = {"provider": "test", "buyer": BUYER | {"name": name}}
        path, key = f"/api/checkout/{session['id']}/purchase", {"idempotency-key": "k"}
        made = data(await buyer.post(path, json=body, headers=key), 201)
        assert made["buyer_name"] == name  # stored as it came
    data(await back(staff, made, amount=250), 201)
    lines: list[dict[str, str]] = []
    cursor: str | None = None
    while True:
        query = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        answer = await staff.get(sale.path("orders.csv"), params=query)
        lines += table(answer)
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None:
            break
    assert [line["buyer"] for line in lines] == ["'=cmd|' /C calc'!A0", "'+32 470", 'Zoë "Zo", Ng', "'@home"]
    assert [(line["total"], line["refunded"], line["valid tickets"]) for line in lines][2:] == [
        ("25.00", "0.00", "1"),
        ("25.00", "2.50", "1"),
    ]
    assert refused(await staff.get(sale.path("orders.csv"), params={"limit": 5001}))[0] == 422
