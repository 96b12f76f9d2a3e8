"""Money that somebody gives back in Stripe's dashboard: the ledger and the order have it, once; what becomes of the
tickets is the organiser's to say, and a person is told.
"""

import asyncio
import random
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.payments import jobs
from fullhouse.payments.model import Cancelled
from fullhouse.refunds import jobs as refund_jobs
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, hold, rows, selling, wrong
from tests.checkout.test_late import Late
from tests.events.helpers import move
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest
from tests.payments.stripe_fake import StripeFake
from tests.payments.stripe_house import fake, hook, lane, paying, process, with_stripe
from tests.payments.test_refunds import back, booked
from tests.payments.test_stripe_webhook import parked

__all__ = ["fake", "lane", "process", "with_stripe"]  # the fixtures
pytestmark = pytest.mark.req("BUY-4")


@pytest.fixture
async def sale(staff: Client) -> Sale:
    return await selling(staff)


@pytest.fixture
async def order(client: Client, tenant: Tenant, sale: Sale, fake: StripeFake) -> Any:
    """Two tickets for 50.00, paid."""
    made = await paying(await guest(client, tenant), sale, 0, 1)
    fake.pay(fake.intent["id"])
    await hook(client, fake.events[-1])
    return made


@pytest.fixture
async def waiting(client: Client, tenant: Tenant, sale: Sale, fake: StripeFake, process: Services, owner: Any) -> Late:
    """Two tickets for 50.00, paid when somebody else had the seats: others are proposed."""
    buyer = await guest(client, tenant)
    order = await paying(buyer, sale, 0, 1)
    late = Late(buyer, sale, order, await owner.fetchval("SELECT attempt_id FROM orders WHERE id = $1", order["id"]))
    late.tenant, late.process = tenant, process
    await late.hears(Cancelled())
    await late.leaves()
    await hold(await guest(client, tenant), sale, 0, 1)
    fake.pay(fake.intent["id"])
    await hook(client, fake.events[-1])
    assert (await late.looks())["status"] == "needs_consent"
    return late


async def refunds(staff: Client, order: Any) -> list[Any]:
    found: list[Any] = data(await staff.get(f"/api/orders/{order['id']}/refunds"))
    return found


async def at_stripe(staff: Client) -> tuple[int, int]:
    """What Stripe has of it, and what buyers are owed."""
    balance = await booked(staff)
    return balance["at_providers"].get("stripe", 0), balance["owed_to_buyers"]


async def test_it_is_noted_once_however_it_is_told(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, order: Any, server_url: str
) -> None:
    """Seen to be parked a second time, as more than is left, without a look behind the order's lock."""
    news = fake.give_back(fake.intent["id"], 3000) * 4
    random.Random(7).shuffle(news)
    answers = await asyncio.gather(*(hook(client, event) for event in news))
    assert {answer.status_code for answer in answers} == {200}

    (refund,) = await refunds(staff, order)
    assert (refund["amount"]["amount"], refund["status"], refund["ticket_ids"]) == (3000, "done", [])
    seen = data(await staff.get(f"/api/orders/{order['id']}"))
    assert seen["status"] == "partly_refunded"
    assert [ticket["status"] for ticket in seen["tickets"]] == ["valid", "valid"]
    assert await at_stripe(staff) == (2000, 0)
    assert await parked(owner, fake) == ["refund_found"]
    told = [row["name"] for row in await rows(owner, "outbox", tenant, "name") if "refund" in row["name"]]
    assert sorted(told) == ["order.refunded", "refund.done", "refund.found"]
    trail = await owner.fetch("SELECT action, actor_name FROM audit_log WHERE entity_id = $1", refund["id"])
    assert {tuple(row) for row in trail} == {("refund.found", "stripe"), ("refund.done", "stripe")}
    assert await wrong(server_url) == {}

    for event in news:  # and days later
        await hook(client, event)
    assert len(await refunds(staff, order)) == 1


async def test_what_is_left_of_it_can_be_given_back_here(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    order: Any,
    server_url: str,
) -> None:
    await hook(client, fake.give_back(fake.intent["id"], 3000)[0])
    assert refused(await back(staff, order, amount=2001)) == (409, "refund_too_high")
    data(await back(staff, order, amount=2000), 201)
    await jobs.pay_refunds(finder, process)
    assert await at_stripe(staff) == (0, 0)
    assert sum(one["amount"] for one in fake.refunds.values()) == 5000
    assert await wrong(server_url) == {}


async def test_a_show_that_is_cancelled_then_gives_back_the_rest(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    sale: Sale,
    order: Any,
    server_url: str,
) -> None:
    """Nothing, if all of it has gone back; the tickets are void then."""
    await hook(client, fake.give_back(fake.intent["id"], 5000)[1])
    data(await move(staff, {"id": str(sale.event_id)}, "cancel"))
    await refund_jobs.refund_cancelled_events(finder, process.database)
    await jobs.pay_refunds(finder, process)
    seen = data(await staff.get(f"/api/orders/{order['id']}"))
    assert (seen["status"], {ticket["status"] for ticket in seen["tickets"]}) == ("refunded", {"refunded"})
    assert len(fake.refunds) == 1
    assert await wrong(server_url) == {}


async def test_staff_and_the_dashboard_at_once_give_back_no_more_than_was_paid(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, order: Any, server_url: str
) -> None:
    news = fake.give_back(fake.intent["id"], 4000)
    here, *_ = await asyncio.gather(back(staff, order), *(hook(client, event) for event in news))
    found = sum(row["amount"] for row in await rows(owner, "refunds", tenant))
    assert (here.status_code, found) in {(201, 5000), (409, 4000)}
    assert await wrong(server_url) == {}


async def test_more_than_is_left_is_only_parked(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, order: Any, server_url: str
) -> None:
    """What staff have decided counts from then on, though Stripe has not heard of it."""
    data(await back(staff, order, amount=4000), 201)
    for event in fake.give_back(fake.intent["id"], 1001):
        assert (await hook(client, event)).status_code == 200
    assert len(await refunds(staff, order)) == 1
    assert await at_stripe(staff) == (5000, 4000)
    assert set(await parked(owner, fake)) == {"unknown_refund"}
    assert await wrong(server_url) == {}


async def test_it_counts_when_it_has_gone_out_and_is_owed_when_it_comes_back(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    order: Any,
    server_url: str,
) -> None:
    fake.refund_status = "pending"
    await hook(client, fake.give_back(fake.intent["id"], 3000)[0])
    assert await refunds(staff, order) == []
    (name,) = fake.refunds
    for status, balance in (("succeeded", (2000, 0)), ("failed", (5000, 3000))):
        fake.end_refund(name, status)
        await hook(client, fake.events[-1])
        assert await at_stripe(staff) == balance
        assert await wrong(server_url) == {}
    (refund,) = await refunds(staff, order)
    assert refund["status"] == "failed"

    fake.refund_status = "succeeded"
    data(await staff.post(f"/api/orders/{order['id']}/refunds/{refund['id']}/retry"))
    await jobs.pay_refunds(finder, process)
    assert await at_stripe(staff) == (2000, 0)
    assert [one["status"] for one in fake.refunds.values()] == ["failed", "succeeded"]
    assert await wrong(server_url) == {}


async def test_the_same_was_wanted_here_and_made_there(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    order: Any,
    server_url: str,
) -> None:
    """Ours was decided first and Stripe heard of it last: it is refused then, and the one that was made is it."""
    data(await back(staff, order), 201)
    for event in fake.give_back(fake.intent["id"], 5000):
        await hook(client, event)
    assert await at_stripe(staff) == (5000, 5000)
    await jobs.pay_refunds(finder, process)
    (refund,) = await refunds(staff, order)
    assert refund["status"] == "done"
    assert len(fake.refunds) == 1
    assert await at_stripe(staff) == (0, 0)
    assert await wrong(server_url) == {}


async def test_it_is_told_before_the_payment_is(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, sale: Sale, server_url: str
) -> None:
    """Nobody had heard of either: the payment is settled first, and then the order has lost as much."""
    order = await paying(await guest(client, tenant), sale, 0, 1)
    fake.pay(fake.intent["id"])
    paid = fake.events[-1]
    for event in [*fake.give_back(fake.intent["id"], 5000), paid]:
        await hook(client, event)
    assert data(await staff.get(f"/api/orders/{order['id']}"))["status"] == "partly_refunded"
    assert await at_stripe(staff) == (0, 0)
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("amount", [5000, 2000])
async def test_nobody_consents_to_places_whose_money_went_back(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    waiting: Late,
    server_url: str,
    amount: int,
) -> None:
    """The order is over, and what is left of the money goes back, too; there is nothing that a person must decide."""
    news = fake.give_back(fake.intent["id"], amount) * 3
    random.Random(7).shuffle(news)
    answers = await asyncio.gather(*(hook(client, event) for event in news))
    assert {answer.status_code for answer in answers} == {200}

    order = await waiting.looks()
    assert (order["status"], order["tickets"]) == ("cancelled", [])
    path = f"/api/orders/{order['id']}/consent"
    assert refused(await waiting.buyer.post(path, json={"accept": True})) == (409, "no_consent_needed")
    made = [(one["amount"]["amount"], one["status"]) for one in await refunds(staff, order)]
    assert made == [(amount, "done"), (5000 - amount, "requested")][: 1 if amount == 5000 else 2]
    assert await at_stripe(staff) == (5000 - amount, 5000 - amount)
    seats = await rows(owner, "event_seats", tenant, "ordinal, status")
    assert {row["ordinal"] for row in seats if row["status"] != "available"} == {0, 1}  # the other one's
    assert await parked(owner, fake) == []
    assert await wrong(server_url) == {}

    await jobs.pay_refunds(finder, process)
    for event in (*news, *fake.events):  # and days later
        await hook(client, event)
    assert sum(one["amount"] for one in fake.refunds.values()) == 5000
    assert {one["status"] for one in await refunds(staff, order)} == {"done"}
    assert await at_stripe(staff) == (0, 0)
    assert await parked(owner, fake) == []
    assert await wrong(server_url) == {}


async def test_whoever_consents_at_that_moment_has_tickets_or_the_money(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    waiting: Late,
    server_url: str,
) -> None:
    news = fake.give_back(fake.intent["id"], 2000)
    consent = waiting.buyer.post(f"/api/orders/{waiting.order['id']}/consent", json={"accept": True})
    answer, *_ = await asyncio.gather(consent, *(hook(client, event) for event in news))
    await jobs.pay_refunds(finder, process)
    order = await waiting.looks()
    balance = await at_stripe(staff)
    assert (answer.status_code, order["status"], len(order["tickets"]), balance) in {
        (200, "partly_refunded", 2, (3000, 0)),
        (409, "cancelled", 0, (0, 0)),
    }
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("change", [{"amount_received": 4999}, {"currency": "usd"}])
async def test_other_money_than_was_asked_for_goes_back_and_nobody_waits_any_more(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    sale: Sale,
    server_url: str,
    change: dict[str, Any],
) -> None:
    """Until then the seats wait, and a person looks."""
    order = await paying(await guest(client, tenant), sale, 0, 1)
    fake.pay(fake.intent["id"])
    fake.intent.update(change)
    await hook(client, fake.tell("payment_intent.succeeded", fake.intent))
    assert data(await staff.get(f"/api/orders/{order['id']}"))["status"] == "pending"
    for part, status in ((1000, "pending"), (change.get("amount_received", 5000) - 1000, "cancelled")):
        for event in fake.give_back(fake.intent["id"], part):
            await hook(client, event)
        assert data(await staff.get(f"/api/orders/{order['id']}"))["status"] == status
    await hook(client, fake.tell("payment_intent.succeeded", fake.intent))
    assert data(await staff.get(f"/api/orders/{order['id']}"))["status"] == "cancelled"
    assert await rows(owner, "tickets", tenant) == []
    assert await rows(owner, "ledger_transactions", tenant) == []
    assert await wrong(server_url) == {}


async def test_stripe_may_send_null_where_nothing_is_noted(
    client: Client, staff: Client, tenant: Tenant, fake: StripeFake, order: Any, server_url: str
) -> None:
    (told, _) = fake.give_back(fake.intent["id"], 2000)
    told["data"]["object"]["metadata"] = None
    assert (await hook(client, told)).status_code == 200
    assert await at_stripe(staff) == (3000, 0)
    assert await wrong(server_url) == {}


async def test_old_news_of_one_that_came_back_are_not_a_second_one(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    order: Any,
    server_url: str,
) -> None:
    made = fake.give_back(fake.intent["id"], 2000)
    await hook(client, made[0])
    (name,) = fake.refunds
    fake.end_refund(name, "failed")
    await hook(client, fake.events[-1])
    (refund,) = await refunds(staff, order)
    data(await staff.post(f"/api/orders/{order['id']}/refunds/{refund['id']}/retry"))
    await jobs.pay_refunds(finder, process)
    for event in made:
        await hook(client, event)
    assert await at_stripe(staff) == (3000, 0)
    assert len(await refunds(staff, order)) == 1
    assert await wrong(server_url) == {}
