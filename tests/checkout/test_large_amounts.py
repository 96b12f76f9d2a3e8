"""Amounts above 2³¹, as currencies of small units have them: quoted, paid, reported and given back as they are."""

from typing import Any

import pytest

from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_promo, add_type, begun, buy, wrong
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale

PRICE, FEE = 9_999_990_000, 99_999_999_999  # rupiah in hundredths: the ceiling of a price, and of a charge
REPORTS = ("/api/org/reports", "/api/sales/over-time", "/api/sales/by-show", "/api/ledger/balance", "/api/org/metrics")


@pytest.mark.req("BUY-1", "TT-1", "BUY-4")
async def test_a_sale_of_large_amounts(
    staff: Client, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    show = await on_sale(staff, hall(1, 10))
    kind = await add_type(staff, show.event_id, name="seat", price=PRICE, currency="IDR", kind="seated")
    sale = Sale(show=show, types={"seat": kind}, staff=staff)
    charge = {"name": "Service", "kind": "fee", "amount": FEE, "basis_points": 0}
    data(await staff.put(sale.path("charges"), json={"charges": [charge]}))
    half = {"kind": "percent", "basis_points": 5000, "amount": None, "max_uses": None, "budget": 10**12}
    promo = await add_promo(staff, sale, code="HALF", **half)
    buyer = await guest(client, tenant)
    session = await begun(buyer, sale, 0, 1, promo_code="HALF")
    total = PRICE + 2 * FEE
    assert session["total"]["amount"] == total
    order = data(await buy(buyer, session), 201)
    assert order["total"]["amount"] == total
    assert data(await staff.get(sale.path(f"promo-codes/{promo['id']}")))["spent"] == PRICE
    for path in (*REPORTS, sale.path("report")):
        assert (await staff.get(path)).status_code == 200, path
    wish = {"reason": "They cannot come.", "amount": 2**31}
    refund = await staff.post(
        f"/api/orders/{order['id']}/refunds", json=wish, headers={"idempotency-key": "a part of it"}
    )
    assert data(refund, 201)["amount"] == {"amount": 2**31, "currency": "IDR"}
    assert await wrong(server_url) == {}
