"""Stripe's official client against a Stripe of our own: whatever is lost, late or twice, everybody pays once and has
tickets, or has the money back.
"""

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.payments import jobs
from fullhouse.payments import policy as payment_policy
from fullhouse.payments.providers.stripe.api_client import (
    PAYMENT_OUTCOMES,
    PaymentIntent,
    from_stripe,
    to_outcome,
    to_stripe,
)
from tests.accounts.helpers import data
from tests.checkout.helpers import Sale, add_type, asked, begun, buy, code, rows, selling, wrong
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall, on_sale
from tests.payments.stripe_fake import StripeFake
from tests.payments.stripe_house import fake, hook, lane, paying, process, with_stripe

__all__ = ["fake", "lane", "process", "with_stripe"]  # the fixtures
pytestmark = pytest.mark.req("BUY-3")
LATER = timedelta(seconds=30)


async def test_a_payment_is_completed_by_the_browser_and_told_by_the_webhook(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, server_url: str
) -> None:
    sale, buyer = await selling(staff), await guest(client, tenant)
    session = await begun(buyer, sale, 0, pit=1)
    assert [way["provider"] for way in session["ways_to_pay"]] == ["stripe"]  # no play money beside it
    assert code(await buy(buyer, session, provider="test")) == (422, "payment_provider_unknown")
    order = data(await buy(buyer, session, provider="stripe"), 202)
    assert order["payment"]["client_secret"] == fake.intent["client_secret"]
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    assert (fake.intent["amount"], fake.intent["currency"]) == (5000, "eur")
    assert fake.intent["metadata"] == {
        "organization": str(tenant.id),
        "attempt": str(attempt["id"]),
        "order": order["id"],
    }
    assert list(fake.kept) == [str(attempt["id"])]
    fake.pay(fake.intent["id"])
    assert (await hook(client, fake.events[-1])).status_code == 200
    paid = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert (paid["status"], len(paid["tickets"]), paid["payment"]["client_secret"]) == ("paid", 2, None)
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("fault", ["lost", "hang", "500"])
async def test_an_answer_that_is_lost_makes_no_second_intent(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(payment_policy, "CALL_TIMEOUT_S", 2.0)
    sale, buyer = await selling(staff), await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    fake.faults = [fault]
    order = data(await buy(buyer, session, provider="stripe"), 202)
    assert order["payment"]["status"] == "unknown"
    assert len(fake.intents) == (0 if fault == "500" else 1)
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    assert await asked(owner, "payment_attempts", tenant) == [1]
    seen = data(await buyer.get(f"/api/orders/{order['id']}"))
    assert seen["payment"]["client_secret"] == fake.intent["client_secret"]  # one, and the buyer can go on with it
    fake.pay(fake.intent["id"])
    await clock(LATER * 4)
    await jobs.poll_attempts(finder, process)  # no webhook: it is asked for
    assert await asked(owner, "payment_attempts", tenant) == [2]
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "paid"
    assert await wrong(server_url) == {}


async def test_what_stripe_counts_otherwise_is_paid_and_given_back_as_it_is_meant(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    server_url: str,
) -> None:
    """5,000 Icelandic crowns are 5000 here, and 500000 at Stripe, which counts hundredths that there are not."""
    show = await on_sale(staff, hall(1, 4))
    kind = await add_type(staff, show.event_id, name="seat", price=5000, currency="ISK", kind="seated")
    sale, buyer = Sale(show=show, types={"seat": kind}, staff=staff), await guest(client, tenant)
    order = data(await buy(buyer, await begun(buyer, sale, 0), provider="stripe"), 202)
    assert (fake.intent["amount"], fake.intent["currency"]) == (500000, "isk")
    fake.pay(fake.intent["id"])
    assert (await hook(client, fake.events[-1])).status_code == 200
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "paid"
    wish = {"reason": "They cannot come."}
    data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers={"idempotency-key": "back"}), 201)
    await jobs.pay_refunds(finder, process)
    assert [refund["amount"] for refund in fake.refunds.values()] == [500000]
    assert await wrong(server_url) == {}


@pytest.mark.parametrize(
    ("ours", "currency", "theirs"),
    [(9999, "EUR", 9999), (5000, "JPY", 5000), (5000, "ISK", 500000), (7, "UGX", 700), (12340, "KWD", 12340)],
)
def test_an_amount_is_the_same_there_and_back(ours: int, currency: str, theirs: int) -> None:
    assert to_stripe(ours, currency) == theirs
    assert from_stripe(theirs, currency.lower()) == ours


async def test_what_stripe_refuses_outright_leaves_the_places(
    client: Client, staff: Client, tenant: Tenant, fake: StripeFake, server_url: str
) -> None:
    sale, buyer = await selling(staff, price=20), await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    assert code(await buy(buyer, session, provider="stripe")) == (402, "payment_declined")
    assert data(await buyer.get(f"/api/checkout/{session['id']}"))["status"] == "open"
    assert fake.intents == {}
    assert await wrong(server_url) == {}


async def test_who_never_pays_is_called_off_at_stripe_first(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    sale, buyer = await selling(staff), await guest(client, tenant)
    order = await paying(buyer, sale, 0)
    await clock(timedelta(minutes=14))
    await jobs.poll_attempts(finder, process)
    assert (await asked(owner, "payment_attempts", tenant), fake.intent["status"]) == ([1], "requires_payment_method")
    await clock(timedelta(minutes=15, seconds=1))
    await jobs.poll_attempts(finder, process)
    assert await asked(owner, "payment_attempts", tenant) == [2]
    assert fake.intent["status"] == "canceled"
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "cancelled"
    assert [row["status"] for row in await rows(owner, "payment_attempts", tenant)] == ["abandoned"]
    assert await wrong(server_url) == {}


async def test_who_pays_in_the_last_moment_is_not_called_off(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """Stripe refuses to cancel what is paid: we ask, and it is sold."""
    sale, buyer = await selling(staff), await guest(client, tenant)
    order = await paying(buyer, sale, 0)
    fake.pay(fake.intent["id"])
    await clock(timedelta(minutes=16))
    await jobs.poll_attempts(finder, process)
    assert await asked(owner, "payment_attempts", tenant) == [1]
    assert ("POST", f"/v1/payment_intents/{fake.intent['id']}/cancel") in fake.calls
    assert data(await buyer.get(f"/api/orders/{order['id']}"))["status"] == "paid"
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("minutes", [1, 16])  # asked about, and called off
async def test_another_currency_is_an_alarm_when_it_is_asked_for(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    minutes: int,
) -> None:
    sale, buyer = await selling(staff), await guest(client, tenant)
    await paying(buyer, sale, 0)
    fake.intent["currency"] = "huf"
    fake.pay(fake.intent["id"])
    for _ in range(2):
        await clock(timedelta(minutes=minutes))
        await jobs.poll_attempts(finder, process)
    (attempt,) = await rows(owner, "payment_attempts", tenant)
    assert (attempt["status"], attempt["failure_code"]) == ("unknown", "wrong_currency")
    assert [row["status"] for row in await rows(owner, "orders", tenant)] == ["pending"]
    assert await rows(owner, "tickets", tenant) == []
    mine = ("GET", f"/v1/payment_intents/{fake.intent['id']}")  # the sweep looks at every house
    assert fake.calls.count(mine) == 1  # a person looks: nobody asks again


async def test_nobody_can_pay_what_was_never_answered(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """Stripe is away from beginning to end: after a quarter of an hour the places are free."""
    sale, buyer = await selling(staff), await guest(client, tenant)
    session = await begun(buyer, sale, 0)
    fake.faults = ["500"] * 9
    data(await buy(buyer, session, provider="stripe"), 202)
    await clock(timedelta(minutes=16))
    await jobs.poll_attempts(finder, process)
    assert [row["status"] for row in await rows(owner, "payment_attempts", tenant)] == ["abandoned"]
    assert fake.intents == {}
    assert await wrong(server_url) == {}


# --- money back


@pytest.mark.req("BUY-4")
@pytest.mark.parametrize("fault", ["", "lost", "500"])
async def test_a_refund_is_asked_for_until_it_is_there_and_given_once(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
    fault: str,
) -> None:
    sale, buyer = await selling(staff), await guest(client, tenant)
    await paying(buyer, sale, 0)
    data(await move(staff, {"id": str(sale.event_id)}, "cancel"))
    fake.pay(fake.intent["id"])  # when the show was cancelled already
    await hook(client, fake.events[-1])
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["requested"]
    fake.faults = [fault]
    await jobs.pay_refunds(finder, process)
    fake.forget_keys()  # the second question comes a day later
    await clock(timedelta(days=2))
    await jobs.pay_refunds(finder, process)
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["done"]
    assert [refund["amount"] for refund in fake.refunds.values()] == [2500]
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-4")
@pytest.mark.parametrize("end", ["succeeded", "failed"])
async def test_a_refund_that_takes_its_time_is_told_by_the_webhook(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    server_url: str,
    end: str,
) -> None:
    sale, buyer = await selling(staff), await guest(client, tenant)
    order = await paying(buyer, sale, 0, pit=1)
    fake.pay(fake.intent["id"])
    await hook(client, fake.events[-1])
    data(
        await staff.post(
            f"/api/orders/{order['id']}/refunds",
            json={"reason": "Ill.", "amount": 700},
            headers={"idempotency-key": "once"},
        ),
        201,
    )
    fake.refund_status = "pending"
    await jobs.pay_refunds(finder, process)
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["unknown"]
    fake.end_refund(next(iter(fake.refunds)), end, "lost_or_stolen_card" if end == "failed" else None)
    for event in (fake.events[-1], fake.events[-2], fake.events[-1]):  # twice, and the older one between
        assert (await hook(client, event)).status_code == 200
    (refund,) = await rows(owner, "refunds", tenant)
    assert refund["status"] == ("done" if end == "succeeded" else "failed")
    assert refund["failure"] is None or "lost_or_stolen_card" in refund["failure"]
    assert await wrong(server_url) == {}


async def given_back(client: Client, staff: Client, tenant: Tenant, fake: StripeFake, amount: int) -> Any:
    """An order of 25.00, paid; so much of it is to go back."""
    order = await paying(await guest(client, tenant), await selling(staff), 0)
    fake.pay(fake.intent["id"])
    await hook(client, fake.events[-1])
    wish, key = {"reason": "Ill.", "amount": amount}, {"idempotency-key": "once"}
    return data(await staff.post(f"/api/orders/{order['id']}/refunds", json=wish, headers=key), 201)


@pytest.mark.req("BUY-4")
async def test_a_refund_that_comes_back_is_owed_again_and_tried_again(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """Gone out, and weeks later the bank says no. News of the first try changes nothing of the second."""
    refund = await given_back(client, staff, tenant, fake, 700)
    await jobs.pay_refunds(finder, process)
    first = next(iter(fake.refunds))
    gone_out = fake.events[-1]
    fake.end_refund(first, "failed", "expired_or_canceled_card")
    came_back = fake.events[-1]
    for event in (came_back, gone_out, came_back):
        assert (await hook(client, event)).status_code == 200
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["failed"]
    (balance,) = data(await staff.get("/api/ledger/balance"))
    assert (balance["owed_to_buyers"], balance["at_providers"]) == (700, {"stripe": 2500})
    assert await wrong(server_url) == {}
    data(await staff.post(f"/api/orders/{refund['order_id']}/refunds/{refund['id']}/retry"))
    fake.faults = ["", "lost"]  # it is looked for, then made; the answer is lost
    await jobs.pay_refunds(finder, process)
    for event in (came_back, gone_out):
        await hook(client, event)
    fake.forget_keys()
    await clock(timedelta(days=2))
    await jobs.pay_refunds(finder, process)
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["done"]
    assert [one["status"] for one in fake.refunds.values()] == ["failed", "succeeded"]
    (balance,) = data(await staff.get("/api/ledger/balance"))
    assert (balance["owed_to_buyers"], balance["at_providers"]) == (0, {"stripe": 1800})
    assert await wrong(server_url) == {}


@pytest.mark.req("BUY-4")
async def test_a_refund_made_at_stripe_is_the_one_that_failed(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    server_url: str,
) -> None:
    """If it is of as much. Once, however often it is told; any other is another one."""
    await given_back(client, staff, tenant, fake, 700)
    fake.refund_status = "failed"
    await jobs.pay_refunds(finder, process)
    assert [row["status"] for row in await rows(owner, "refunds", tenant)] == ["failed"]
    fake.refund_status = "succeeded"
    (other, _), (same, charge) = [fake.give_back(fake.intent["id"], amount) for amount in (600, 700)]
    answers = await asyncio.gather(*(hook(client, event) for event in (other, same, same, charge, same)))
    assert {answer.status_code for answer in answers} == {200}
    found = {row["amount"]: (row["status"], row["tries"]) for row in await rows(owner, "refunds", tenant)}
    assert found == {700: ("done", 2), 600: ("done", 1)}
    (balance,) = data(await staff.get("/api/ledger/balance"))
    assert (balance["owed_to_buyers"], balance["at_providers"]) == (0, {"stripe": 1200})
    assert await wrong(server_url) == {}


# --- all of it at once


async def test_in_a_storm_everybody_pays_once_and_has_tickets(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
    server_url: str,
) -> None:
    """Lost answers, breakdowns, webhooks twice, late and in any order, while the sweep runs."""
    dice = random.Random(7)
    sale, buyers = await selling(staff), [await guest(client, tenant) for _ in range(5)]
    sessions = [await begun(buyer, sale, n) for n, buyer in enumerate(buyers)]
    fake.faults = ["lost", "", "500", "", "lost"]
    answers = [await buy(b, s, provider="stripe") for b, s in zip(buyers, sessions, strict=True)]
    assert {answer.status_code for answer in answers} == {202}
    await clock(LATER)
    await jobs.poll_attempts(finder, process)
    assert len(fake.intents) == 5
    for name in list(fake.intents):
        fake.move(name, "requires_action", "requires_action")
        fake.move(name, "requires_payment_method", "payment_failed")
        fake.move(name, "processing", "processing")
        fake.pay(name)
    storm = [*fake.events, *fake.events, *fake.events]
    dice.shuffle(storm)
    await clock(LATER * 6)
    fake.faults = ["500", "lost"]

    async def send(events: list[Any]) -> None:
        for event in events:
            assert (await hook(client, event, age_s=dice.randrange(0, 100) - 180)).status_code == 200

    await asyncio.gather(
        *(send(storm[n::4]) for n in range(4)),
        jobs.poll_attempts(finder, process),
        jobs.poll_attempts(finder, process),
    )
    assert len(fake.intents) == 5
    assert {row["status"] for row in await rows(owner, "orders", tenant)} == {"paid"}
    assert len(await rows(owner, "tickets", tenant)) == 5
    assert len(await rows(owner, "ledger_transactions", tenant)) == 5
    assert await wrong(server_url) == {}


def test_every_status_has_a_meaning() -> None:
    words = {
        status: to_outcome(PaymentIntent("pi_1", status, "eur", 5)).status for status in [*PAYMENT_OUTCOMES, "new_one"]
    }
    assert words == {
        "succeeded": "captured",
        "canceled": "abandoned",
        "processing": "pending",
        "requires_action": "pending",
        "requires_capture": "pending",
        "requires_confirmation": "pending",
        "requires_payment_method": "pending",
        "new_one": "unknown",
    }
