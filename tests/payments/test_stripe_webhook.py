"""The table of what a webhook may bring, row by row: 400 for what is not Stripe's, 200 for all else, and one effect."""

import asyncio
from typing import Any

import pytest

from fullhouse.cli import operators
from fullhouse.config import Config
from fullhouse.kit.ids import new_id
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import rows, selling, wrong
from tests.fixtures import Client, Tenant, settings
from tests.holds.helpers import guest
from tests.payments.stripe_fake import StripeFake, signed
from tests.payments.stripe_house import HOOK, fake, hook, lane, paying, process, with_stripe

__all__ = ["fake", "lane", "process", "with_stripe"]  # the fixtures
pytestmark = pytest.mark.req("BUY-3")


@pytest.fixture
async def order(client: Client, staff: Client, tenant: Tenant, fake: StripeFake) -> Any:
    """One that waits, and whose money has come: nobody has told us yet."""
    made = await paying(await guest(client, tenant), await selling(staff), 0)
    fake.pay(fake.intent["id"])
    return made


async def status(staff: Client, order: Any) -> str:
    found: str = data(await staff.get(f"/api/orders/{order['id']}"))["status"]
    return found


async def parked(owner: Any, fake: StripeFake) -> list[str]:
    found = await owner.fetch("SELECT reason FROM parked_payments WHERE news_id LIKE $1", f"%{fake._mark}")
    return [row["reason"] for row in found]


async def test_what_is_not_signed_by_stripe_is_refused(
    client: Client, staff: Client, fake: StripeFake, order: Any
) -> None:
    raw, headers = signed(fake.events[-1])
    of_another = signed({**fake.events[-1], "id": "evt_other"})[1]
    wrong_ones = {
        "another secret": signed(fake.events[-1], secret="whsec_other"),
        "another body": (raw.replace(b"succeeded", b"succeedeD", 1), headers),
        "another's signature": (raw, of_another),
        "none": (raw, {"content-type": "application/json"}),
        "nonsense": (raw, headers | {"stripe-signature": "t=now,v1=yes"}),
        "of an old scheme": (raw, headers | {"stripe-signature": headers["stripe-signature"].replace("v1=", "v0=")}),
        "empty": (b"", headers),
    }
    for name, (body, sent) in wrong_ones.items():
        answer = await client.post(HOOK, content=body, headers=sent)
        assert refused(answer) == (400, "signature_invalid"), name
    assert await status(staff, order) == "pending"


async def test_what_is_older_than_five_minutes_is_refused(
    client: Client, staff: Client, fake: StripeFake, order: Any
) -> None:
    assert refused(await hook(client, fake.events[-1], age_s=320)) == (400, "signature_invalid")
    # A recording with a fresh time before or behind the one that was signed.
    raw, old = signed(fake.events[-1], age_s=320)
    now = signed(fake.events[-1])[1]["stripe-signature"].partition(",")[0]
    for forged in (f"{now},{old['stripe-signature']}", f"{old['stripe-signature']},{now}"):
        answer = await client.post(HOOK, content=raw, headers=old | {"stripe-signature": forged})
        assert refused(answer) == (400, "signature_invalid"), forged
    assert await status(staff, order) == "pending"
    assert (await hook(client, fake.events[-1], age_s=280)).status_code == 200
    assert await status(staff, order) == "paid"


async def test_twenty_times_at_once_is_once(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, order: Any, server_url: str
) -> None:
    answers = await asyncio.gather(*(hook(client, fake.events[-1]) for _ in range(20)))
    # Whoever finds no connection free within two seconds is told to come again, as Stripe does.
    assert {200} <= {answer.status_code for answer in answers} <= {200, 503}
    assert len(await rows(owner, "tickets", tenant)) == 1
    assert len(await rows(owner, "ledger_transactions", tenant)) == 1
    assert await parked(owner, fake) == []
    assert await wrong(server_url) == {}


async def test_an_order_in_any_order(
    client: Client, staff: Client, owner: Any, fake: StripeFake, order: Any, server_url: str
) -> None:
    """What came before comes after; nothing of it is undone."""
    fake.tell("payment_intent.processing", fake.intent | {"status": "processing"})
    fake.tell("payment_intent.payment_failed", fake.intent | {"status": "requires_payment_method"})
    for event in reversed(fake.events):
        assert (await hook(client, event)).status_code == 200
        assert await status(staff, order) in ("pending", "paid")
    assert await status(staff, order) == "paid"
    assert await wrong(server_url) == {}


async def test_an_intent_that_nobody_knows_is_parked_once(
    client: Client, staff: Client, tenant: Tenant, other_tenant: Tenant, owner: Any, fake: StripeFake, order: Any
) -> None:
    """Without our metadata, of an attempt or an organisation that there is not, or of another intent's name."""
    known = fake.intent["metadata"]
    strangers = [
        fake.intent | {"metadata": {}},
        fake.intent | {"metadata": {"order": "17"}},
        fake.intent | {"metadata": known | {"attempt": "17"}},
        fake.intent | {"metadata": known | {"attempt": str(new_id())}},
        fake.intent | {"metadata": known | {"organization": str(new_id())}},
        fake.intent | {"metadata": known | {"organization": str(other_tenant.id)}},
        fake.intent | {"id": "pi_another"},
    ]
    for stranger in strangers:
        event = fake.tell("payment_intent.succeeded", stranger)
        assert [(await hook(client, event)).status_code for _ in range(2)] == [200, 200]
    assert await parked(owner, fake) == ["unknown_intent"] * len(strangers)
    assert await status(staff, order) == "pending"


@pytest.mark.parametrize("change", [{"amount_received": 2499}, {"amount_received": 2501}, {"currency": "usd"}])
async def test_another_amount_is_an_alarm_and_no_ticket(
    client: Client, staff: Client, tenant: Tenant, owner: Any, fake: StripeFake, order: Any, change: dict[str, Any]
) -> None:
    event = fake.tell("payment_intent.succeeded", fake.intent | change)
    assert [(await hook(client, event)).status_code for _ in range(2)] == [200, 200]
    assert await parked(owner, fake) == ["wrong_currency" if "currency" in change else "wrong_amount"]
    assert await status(staff, order) == "pending"
    assert await rows(owner, "tickets", tenant) == []


async def test_other_news_is_taken_and_left(client: Client, owner: Any, fake: StripeFake, order: Any) -> None:
    assert (await hook(client, fake.tell("customer.created", {"id": "cus_1"}))).status_code == 200
    assert await parked(owner, fake) == []
    assert (await hook(client, fake.tell("charge.dispute.created", {"id": "dp_1", "amount": 2500}))).status_code == 200
    refund = {"id": "re_1", "status": "succeeded", "metadata": {}}
    assert (await hook(client, fake.tell("refund.updated", refund))).status_code == 200
    assert sorted(await parked(owner, fake)) == ["dispute", "unknown_refund"]


async def test_bad_bodies_and_addresses(client: Client, fake: StripeFake, order: Any) -> None:
    assert refused(await hook(client, "[]")) == (400, "malformed_request")
    assert refused(await hook(client, '{"id": 1}')) == (400, "malformed_request")
    raw, headers = signed(fake.events[-1])
    assert refused(await client.post(HOOK, content=raw * 900, headers=headers)) == (413, "body_too_large")
    assert (await client.post("/api/payments/test/webhook", content=raw, headers=headers)).status_code == 404
    form = headers | {"content-type": "application/x-www-form-urlencoded"}
    assert refused(await client.post(HOOK, content=raw, headers=form)) == (415, "unsupported_media_type")


async def test_operators_see_what_is_parked_and_drop_it(
    client: Client, fake: StripeFake, with_stripe: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    event = fake.tell("payment_intent.succeeded", {"id": "pi_strange", "status": "succeeded", "currency": "eur"})
    await hook(client, event)

    def show(drop: list[str]) -> str:
        assert operators.show_payments(with_stripe, operators.Arguments(drop=drop)) == 0
        said = capsys.readouterr()
        return said.out + said.err

    assert "pi_strange" in await asyncio.to_thread(show, [])
    assert event["id"] not in await asyncio.to_thread(show, [event["id"]])


def test_settings_of_stripe_are_checked_at_the_start(server_url: str, owner_url: str) -> None:
    good = {"STRIPE_SECRET_KEY": "sk_live_x", "STRIPE_WEBHOOK_SECRET": "whsec_x"}
    read = settings(server_url, owner_url, "/nonexistent", **good).stripe
    assert read
    assert (read.secret_key, read.webhook_secret, read.address) == ("sk_live_x", "whsec_x", None)
    assert settings(server_url, owner_url, "/nonexistent").stripe is None
    for bad in (
        {"STRIPE_SECRET_KEY": "pk_live_x"},
        good | {"STRIPE_WEBHOOK_SECRET": "we_1"},
        {"STRIPE_WEBHOOK_SECRET": "whsec_x"},
    ):
        with pytest.raises(Exception, match="STRIPE_"):
            settings(server_url, owner_url, "/nonexistent", **bad)
