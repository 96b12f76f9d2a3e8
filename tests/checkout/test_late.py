"""Money that comes after it was given up: the same places, others with consent, or back. Never money for nothing."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.checkout import jobs
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments import jobs as payment_jobs
from fullhouse.payments.model import Cancelled, Captured
from tests.accounts.helpers import data
from tests.checkout.helpers import (
    Sale,
    add_promo,
    add_type,
    begun,
    bought,
    buy,
    code,
    hold,
    rows,
    selling,
    start,
    wrong,
)
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale

pytestmark = pytest.mark.req("BUY-3")


class Late:
    """Somebody whose payment was given up; `comes` is the money, all the same."""

    tenant: Tenant
    process: Services

    def __init__(self, buyer: Client, sale: Sale, order: Any, attempt_id: Any) -> None:
        self.buyer, self.sale, self.order, self.attempt_id = buyer, sale, order, attempt_id

    async def hears(self, outcome: Any) -> None:
        async with self.process.database.tenant(self.tenant.id, SYSTEM) as tx:
            await payments.record_outcome(tx, self.attempt_id, outcome)

    async def comes(self) -> Any:
        await self.hears(Captured(str(self.attempt_id), self.order["total"]["amount"]))
        return await self.looks()

    async def looks(self) -> Any:
        return data(await self.buyer.get(f"/api/orders/{self.order['id']}"))

    async def leaves(self) -> None:
        session = data(await self.buyer.get(self.sale.path("checkout")))
        assert (await self.buyer.delete(f"/api/checkout/{session['id']}")).status_code == 204


async def given_up(
    client: Client, tenant: Tenant, owner: Any, process: Services, sale: Sale, *seats: int, **more: Any
) -> Late:
    buyer = await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, *seats, **more), method="drop"), 202)
    attempt_id = await owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", order["id"])
    late = Late(buyer, sale, order, attempt_id)
    late.tenant, late.process = tenant, process
    await late.hears(Cancelled())
    return late


async def test_the_places_are_still_the_buyers(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, quantity=5)
    late = await given_up(client, tenant, owner, process, sale, 0, 1, pit=1)
    order = await late.comes()
    assert (order["status"], len(order["tickets"])) == ("paid", 3)
    assert await wrong(server_url) == {}


async def test_the_same_places_if_they_are_free_again(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, quantity=5, capacity=80)
    late = await given_up(client, tenant, owner, process, sale, 0, 1, pit=1)
    await late.leaves()
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    order = await late.comes()
    assert order["status"] == "paid"
    assert {t["seat_id"] for t in order["tickets"]} == {sale.show.seat(0), sale.show.seat(1), None}
    pools = await rows(owner, "pools", tenant)
    assert [(row["held"], row["sold"]) for row in pools if row["kind"] == "event"] == [(0, 3)]
    assert await wrong(server_url) == {}


async def promo(staff: Client, sale: Sale) -> tuple[int, int]:
    (one,) = data(await staff.get(sale.path("promo-codes")))
    return one["uses"], one["spent"]


async def test_a_code_is_not_used_by_money_that_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 1, pit=5))
    await add_promo(staff, sale)
    late = await given_up(client, tenant, owner, process, sale, 0, promo_code="ONCE")
    await late.leaves()
    await bought(client, tenant, sale, 0)
    assert (await late.comes())["status"] == "cancelled"
    assert await promo(staff, sale) == (0, 0)
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("gone", [False, True])
async def test_a_code_that_was_given_back_is_used_again(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str, gone: bool
) -> None:
    """With the same places, or with others; whoever does not want those gives it back."""
    sale = await selling(staff, quantity=9)
    await add_promo(staff, sale)
    late = await given_up(client, tenant, owner, process, sale, 0, promo_code="ONCE")
    await late.leaves()
    assert await promo(staff, sale) == (0, 0)
    if gone:
        await bought(client, tenant, sale, 0)
    order = await late.comes()
    assert (order["status"], order["total"]["amount"]) == ("needs_consent" if gone else "paid", 2400)
    assert await promo(staff, sale) == (1, 100)
    other = await guest(client, tenant)
    items = await hold(other, sale, 5)
    assert code(await start(other, sale, items, promo_code="ONCE")) == (409, "promo_code_used_up")
    if gone:
        data(await late.buyer.post(f"/api/orders/{order['id']}/consent", json={"accept": False}))
        assert await promo(staff, sale) == (0, 0)
    assert await wrong(server_url) == {}


async def test_a_code_that_others_have_now_is_not_used_twice(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, quantity=9)
    await add_promo(staff, sale)
    late = await given_up(client, tenant, owner, process, sale, 0, promo_code="ONCE")
    await late.leaves()
    assert (await bought(client, tenant, sale, 5, promo_code="ONCE"))["status"] == "paid"
    order = await late.comes()
    assert (order["status"], order["tickets"]) == ("cancelled", [])
    assert [row["amount"] for row in await rows(owner, "refunds", tenant)] == [2400]
    assert await promo(staff, sale) == (1, 100)
    assert await wrong(server_url) == {}


async def test_of_places_that_are_gone_others_are_proposed_and_taken(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    order = await late.comes()
    assert (order["status"], order["tickets"]) == ("needs_consent", [])
    assert await wrong(server_url) == {}
    other = await guest(client, tenant)
    path = f"/api/orders/{order['id']}/consent"
    assert code(await other.post(path, json={"accept": True})) == (404, "order_not_found")
    order = data(await late.buyer.post(path, json={"accept": True}))
    assert order["status"] == "paid"
    ordinals = await owner.fetch(
        "SELECT s.ordinal FROM tickets t JOIN event_seats s ON s.event_id = t.event_id AND s.seat_id = t.seat_id"
        " WHERE t.order_id = $1 ORDER BY 1",
        order["id"],
    )
    first, second = (row["ordinal"] for row in ordinals)
    assert (first > 0, second) == (True, first + 1)  # side by side
    assert code(await late.buyer.post(path, json={"accept": True})) == (409, "no_consent_needed")
    assert await wrong(server_url) == {}


async def test_without_consent_the_money_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, finder: Database, server_url: str
) -> None:
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    order = await late.comes()
    order = data(await late.buyer.post(f"/api/orders/{order['id']}/consent", json={"accept": False}))
    assert (order["status"], order["tickets"]) == ("cancelled", [])
    assert [row["amount"]["amount"] for row in order["refunds"]] == [2500]
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    assert await wrong(server_url) == {}
    await payment_jobs.pay_refunds(finder, process)
    assert await wrong(server_url) == {}


@pytest.mark.req("TT-1")
@pytest.mark.parametrize("accept", [True, False])
async def test_a_quantity_that_is_set_later_counts_what_is_proposed(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str, accept: bool
) -> None:
    sale = await selling(staff)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    order = await late.comes()
    data(await staff.patch(sale.path(f"ticket-types/{sale.types['seat']}"), json={"quantity": 2}))
    assert await wrong(server_url) == {}
    order = data(await late.buyer.post(f"/api/orders/{order['id']}/consent", json={"accept": accept}))
    assert order["status"] == ("paid" if accept else "cancelled")
    assert await wrong(server_url) == {}


async def test_nor_if_the_show_is_cancelled_first(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    assert (await late.comes())["status"] == "needs_consent"
    data(await move(staff, {"id": sale.event_id}, "cancel"))
    order = data(await late.buyer.get(f"/api/orders/{late.order['id']}"))
    assert (order["status"], len(order["refunds"])) == ("cancelled", 1)
    assert {row["held"] for row in await rows(owner, "pools", tenant)} == {0}
    assert await wrong(server_url) == {}


async def test_nor_without_an_answer(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, finder: Database, clock: Any
) -> None:
    sale = await selling(staff)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    order = await late.comes()
    await jobs.expire_proposals(finder, process.database)
    assert data(await late.buyer.get(f"/api/orders/{order['id']}"))["status"] == "needs_consent"
    await clock(timedelta(hours=23, minutes=59))
    await jobs.expire_proposals(finder, process.database)
    assert data(await late.buyer.get(f"/api/orders/{order['id']}"))["status"] == "needs_consent"
    await clock(timedelta(hours=24, seconds=1))
    await jobs.expire_proposals(finder, process.database)
    order = data(await late.buyer.get(f"/api/orders/{order['id']}"))
    assert (order["status"], len(order["refunds"])) == ("cancelled", 1)


@pytest.mark.parametrize("gone", ["seats", "places"])
async def test_if_nothing_is_left_the_money_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str, gone: str
) -> None:
    show = await on_sale(staff, hall(1, 2, pit=2))
    types = {
        name: await add_type(staff, show.event_id, name=name, price=900, kind=kind)
        for name, kind in (("seat", "seated"), ("pit", "ga"))
    }
    sale = Sale(show=show, types=types, staff=staff)
    wanted: dict[str, Any] = {"pit": 2} if gone == "places" else {}
    seats = () if gone == "places" else (0, 1)
    late = await given_up(client, tenant, owner, process, sale, *seats, **wanted)
    await late.leaves()
    await bought(client, tenant, sale, *seats, **wanted)
    order = await late.comes()
    assert (order["status"], order["tickets"], len(order["refunds"])) == ("cancelled", [], 1)
    assert order["refunds"][0]["amount"]["amount"] == 1800
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("method", ["approve", "drop"])
@pytest.mark.parametrize("again", [False, True])
async def test_paid_twice_goes_back_once(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    process: Services,
    finder: Database,
    server_url: str,
    method: str,
    again: bool,
) -> None:
    """The first payment was given up, the second one is for the same places, paid or under way; then the first comes
    all the same. There are other places, and nobody has asked for them."""
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    session = data(await late.buyer.get(sale.path("checkout")))
    if again:  # in another checkout
        items = [{name: item[name] for name in ("hold_id", "ticket_type_id")} for item in session["items"]]
        session = data(await start(late.buyer, sale, items), 201)
    second = (await buy(late.buyer, session, method=method)).json()["data"]
    first = await late.comes()
    assert (first["status"], first["tickets"]) == ("cancelled", [])
    assert [row["amount"]["amount"] for row in first["refunds"]] == [5000]
    assert await wrong(server_url) == {}
    await owner.execute("UPDATE payment_attempts SET ask_at = now() WHERE organization_id = $1", tenant.id)
    await payment_jobs.poll_attempts(finder, process)
    second = data(await late.buyer.get(f"/api/orders/{second['id']}"))
    assert (second["status"], len(second["tickets"])) == ("paid", 2)
    assert len(await rows(owner, "tickets", tenant)) == 2
    assert await wrong(server_url) == {}


async def test_a_seat_that_somebody_else_pays_for_is_theirs(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    sale = await selling(staff, hall(1, 2, pit=1))
    late = await given_up(client, tenant, owner, process, sale, 0, 1)
    await late.leaves()
    other = await guest(client, tenant)
    theirs = data(await buy(other, await begun(other, sale, 0, 1), method="drop"), 202)
    assert (await late.comes())["status"] == "cancelled"
    held = await owner.fetchval(
        "SELECT count(*) FROM seat_holds WHERE attempt_id IS NOT NULL AND status = 'active' AND organization_id = $1",
        tenant.id,
    )
    assert (held, theirs["status"]) == (2, "pending")
    assert await wrong(server_url) == {}
