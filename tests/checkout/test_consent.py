"""Whoever paid late and has left hears of it by mail, and answers on the order's page: by its secret alone."""

from datetime import datetime
from typing import Any

import pytest

from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.payments import actions as payments
from fullhouse.payments.model import Captured
from tests.accounts.helpers import data
from tests.checkout.helpers import BUYER, begun, bought, buy, code, rows, selling, wrong
from tests.checkout.test_late import Late, given_up
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall
from tests.messaging.test_handouts import delivered, react

pytestmark = pytest.mark.req("BUY-3")


@pytest.fixture
async def late(client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services) -> Late:
    """Their two seats are another's when the money comes; others are held for them."""
    sale = await selling(staff, quantity=9)
    found = await given_up(client, tenant, owner, process, sale, 0, 1, pit=1)
    await found.leaves()
    await bought(client, tenant, sale, 0)
    assert (await found.comes())["status"] == "needs_consent"
    return found


def opened(client: Client, order: Any) -> Client:
    """Nobody who is signed in: whoever has the link."""
    return client.as_(order["secret"])


async def answer(client: Client, order: Any, accept: bool) -> Any:
    return await opened(client, order).post("/api/order/consent", json={"accept": accept})


async def test_whoever_has_the_link_sees_and_takes_the_other_places(
    client: Client, late: Late, server_url: str
) -> None:
    order = await late.looks()
    assert [(place["quantity"], place["row"], place["seat"]) for place in order["proposed"]] == [
        (1, "A", "2"),
        (1, "A", "3"),
        (1, None, None),
    ]
    page = (await client.get(f"/orders/{order['secret']}")).text
    assert "row A, seat 2" in page
    assert "If you do not answer by then" in page
    taken = data(await answer(client, order, True))
    assert (taken["status"], len(taken["tickets"]), taken["proposed"]) == ("paid", 3, [])
    assert code(await answer(client, order, False)) == (409, "no_consent_needed")
    assert await wrong(server_url) == {}


async def test_whoever_has_the_link_has_the_money_back(
    client: Client, tenant: Tenant, owner: Any, late: Late, server_url: str
) -> None:
    order = await late.looks()
    called_off = data(await answer(client, order, False))
    assert (called_off["status"], called_off["tickets"], called_off["proposed"]) == ("cancelled", [], [])
    assert [row["amount"] for row in await rows(owner, "refunds", tenant)] == [order["total"]["amount"]]
    assert await wrong(server_url) == {}


async def test_nobody_answers_for_another(client: Client, staff: Client, tenant: Tenant, late: Late) -> None:
    order = await late.looks()
    forged = order | {"secret": order["secret"][:-1] + ("A" if order["secret"][-1] != "A" else "B")}
    for secret in (forged, order | {"secret": tenant.tokens["owner"]}):
        assert code(await answer(client, secret, True)) == (404, "order_not_found")
    assert (await late.looks())["status"] == "needs_consent"


@pytest.mark.req("MSG-4")
async def test_the_buyer_is_asked_by_mail_once(process: Services, tenant: Tenant, late: Late) -> None:
    order = await late.looks()
    (mail,) = (await delivered(process, tenant, await react(process, tenant, "order.needs_consent"))).values()
    body = mail.get_body(("plain",))
    assert body
    text = body.get_content()
    assert "row A, seat 2" in text
    assert "1 × Pit" in text
    assert f"/orders/{order['secret']}" in text.replace("\n", "")


@pytest.mark.req("MSG-4")
async def test_whoever_has_answered_is_not_asked(client: Client, process: Services, tenant: Tenant, late: Late) -> None:
    data(await answer(client, await late.looks(), True))
    assert await delivered(process, tenant, await react(process, tenant, "order.needs_consent")) == {}


@pytest.mark.req("MSG-4")
async def test_whoever_paid_for_what_is_gone_hears_that_the_money_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services
) -> None:
    """The order was cancelled when the payment failed: the letter tells of the money that came all the same."""
    sale = await selling(staff, hall(1, 1, pit=5))
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    order = await late.comes()
    assert (order["status"], order["reason"]) == ("cancelled", "the places were gone when the money came")
    (mail,) = (await delivered(process, tenant, await react(process, tenant, "order.cancelled"))).values()
    body = mail.get_body(("plain",))
    assert body
    assert "We are refunding €25.00" in " ".join(body.get_content().split())


ANOTHER = """
INSERT INTO payment_attempts (id, organization_id, order_id, provider, method, amount, currency, ask_at, give_up_at)
SELECT $2, organization_id, order_id, provider, method, amount, currency, ask_at, give_up_at
FROM payment_attempts WHERE order_id = $1
"""


@pytest.mark.req("MSG-4")
async def test_whoever_paid_for_an_order_twice_hears_that_the_second_payment_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services, server_url: str
) -> None:
    order, attempt_id = await bought(client, tenant, await selling(staff), 0), new_id()
    await owner.execute(ANOTHER, order["id"], attempt_id)
    async with process.database.tenant(tenant.id, SYSTEM) as tx:
        await payments.record_outcome(tx, attempt_id, Captured(str(attempt_id), order["total"]["amount"]))
    assert [row["amount"] for row in await rows(owner, "refunds", tenant)] == [2500]
    (mail,) = (await delivered(process, tenant, await react(process, tenant, "order.paid_twice"))).values()
    assert mail["to"] == BUYER["email"]
    body = mail.get_body(("plain",))
    assert body
    text = " ".join(body.get_content().split())
    assert "a second payment for an order that was already paid. We are refunding €25.00" in text
    assert order["code"] in text
    kept = data(await client.as_(order["secret"]).get("/api/order"))
    assert (kept["status"], len(kept["tickets"])) == ("paid", 1)
    assert await wrong(server_url) == {}


async def test_nobody_is_asked_until_after_the_show_has_begun(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services
) -> None:
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    await owner.execute(
        "UPDATE events SET start_at = now() + interval '3 hours', doors_at = now(),"
        " end_at = now() + interval '5 hours', sale_end_at = now() + interval '2 hours' WHERE id = $1",
        sale.event_id,
    )
    order = await late.comes()
    begins = await owner.fetchval("SELECT start_at FROM events WHERE id = $1", sale.event_id)
    assert datetime.fromisoformat(order["consent_by"]) == begins


async def test_if_there_is_hardly_time_to_answer_the_money_goes_back(
    client: Client, staff: Client, tenant: Tenant, owner: Any, process: Services
) -> None:
    sale = await selling(staff, quantity=9)
    late = await given_up(client, tenant, owner, process, sale, 0)
    await late.leaves()
    await bought(client, tenant, sale, 0)
    await owner.execute(
        "UPDATE events SET start_at = now() + interval '20 minutes', doors_at = now(),"
        " end_at = now() + interval '5 hours', sale_end_at = now() + interval '10 minutes' WHERE id = $1",
        sale.event_id,
    )
    assert (await late.comes())["status"] == "cancelled"


@pytest.mark.req("MSG-4")
async def test_whoever_has_money_back_hears_why_and_others_nothing(
    client: Client, staff: Client, process: Services, tenant: Tenant, late: Late
) -> None:
    order = data(await answer(client, await late.looks(), False))
    (mail,) = (await delivered(process, tenant, await react(process, tenant, "order.cancelled"))).values()
    body = mail.get_body(("plain",))
    assert body
    assert "because the tickets were no longer available when your payment arrived" in " ".join(
        body.get_content().split()
    )
    assert order["code"] in body.get_content()

    other = await guest(client, tenant)
    sale = await selling(staff, slug="another", quantity=9)
    assert code(await buy(other, await begun(other, sale, 3), method="decline")) == (402, "payment_declined")
    assert await delivered(process, tenant, await react(process, tenant, "order.cancelled")) == {}
