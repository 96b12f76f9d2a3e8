"""A payment that the buyer never completes holds its places for a bounded time: it is called off at Stripe, then they
are free. Until Stripe says so they are nobody else's.
"""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from fullhouse.holds import jobs as hold_jobs
from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.payments import jobs
from fullhouse.payments.model import GIVE_UP_S
from tests.accounts.helpers import data, refused
from tests.checkout.helpers import Sale, rows, selling, wrong
from tests.fixtures import Client, Tenant
from tests.holds.helpers import guest, hall
from tests.payments.stripe_fake import StripeFake
from tests.payments.stripe_house import fake, hook, lane, paying, process, with_stripe

__all__ = ["fake", "lane", "process", "with_stripe"]  # the fixtures
pytestmark = pytest.mark.req("BUY-3", "CHK-3")


class Till:
    """Somebody opens the card's form for seat 0 and goes away; somebody else wants the seat."""

    def __init__(
        self,
        sale: Sale,
        buyer: Client,
        other: Client,
        fake: StripeFake,
        process: Services,
        finder: Database,
        owner: Any,
        clock: Any,
        tenant: Tenant,
    ) -> None:
        self.sale, self.buyer, self.other, self.fake, self.owner = sale, buyer, other, fake, owner
        self._process, self._finder, self._clock, self._tenant = process, finder, clock, tenant
        self.order_id, self.now_s = "", 0.0

    async def at(self, seconds: float) -> None:
        """So long after the payment began, all sweeps run."""
        await self.move(seconds)
        await self.sweep()

    async def move(self, seconds: float) -> None:
        self.now_s = seconds
        await self._clock(timedelta(seconds=seconds))

    async def hear(self, client: Client, news: Any) -> None:
        """Signed by the time that it is in the database."""
        assert (await hook(client, news, age_s=-self.now_s)).status_code == 200

    async def sweep(self) -> None:
        await jobs.poll_attempts(self._finder, self._process)
        await hold_jobs.sweep_holds(self._finder, self._process.database)

    async def take(self) -> httpx.Response:
        return await self.other.post(self.sale.path(f"seats/{self.sale.show.seat(0)}/reserve"), json={})

    async def order(self) -> dict[str, Any]:
        found: dict[str, Any] = data(await self.buyer.get(f"/api/orders/{self.order_id}"))
        return found

    async def attempt(self) -> str:
        (attempt,) = await rows(self.owner, "payment_attempts", self._tenant)
        return str(attempt["status"])

    def cancels(self) -> int:
        return self.fake.calls.count(("POST", f"/v1/payment_intents/{self.fake.intent['id']}/cancel"))


@pytest.fixture
async def till(
    client: Client,
    staff: Client,
    tenant: Tenant,
    owner: Any,
    fake: StripeFake,
    process: Services,
    finder: Database,
    clock: Any,
) -> Till:
    sale = await selling(staff, hall(1, 2))
    buyer, other = await guest(client, tenant), await guest(client, tenant)
    found = Till(sale, buyer, other, fake, process, finder, owner, clock, tenant)
    found.order_id = (await paying(buyer, sale, 0))["id"]
    return found


async def test_the_places_are_kept_until_it_is_called_off_and_free_then(till: Till, server_url: str) -> None:
    """However the pauses between two questions have grown."""
    for seconds in (30, 60, 120, 240, 480, GIVE_UP_S - 20):
        await till.at(seconds)
        assert refused(await till.take()) == (409, "seat_held_by_another_user"), seconds
    assert (await till.attempt(), till.cancels()) == ("pending", 0)
    await till.at(GIVE_UP_S + 1)
    assert (await till.attempt(), till.cancels()) == ("abandoned", 1)
    assert till.fake.intent["status"] == "canceled"
    assert (await till.order())["status"] == "cancelled"
    data(await till.take(), 201)
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("fault", ["500", "lost"])
async def test_while_stripe_does_not_say_that_it_is_over_it_is_not(till: Till, fault: str, server_url: str) -> None:
    """Whether it was called off there or not: nobody here knows."""
    till.fake.faults = [fault] * 1000  # the sweep asks for the payments of other tests too
    await till.at(GIVE_UP_S + 1)
    assert await till.attempt() == "pending"
    assert refused(await till.take()) == (409, "seat_held_by_another_user")
    till.fake.faults = []
    await till.at(GIVE_UP_S + 3600)
    assert await till.attempt() == "abandoned"
    data(await till.take(), 201)
    assert await wrong(server_url) == {}


async def test_money_that_is_on_its_way_is_waited_for(till: Till, client: Client, server_url: str) -> None:
    """A bank's debit cannot be called off. It ends when the bank has answered."""
    till.fake.move(till.fake.intent["id"], "processing", "processing")
    await till.at(GIVE_UP_S + 1)
    assert (await till.attempt(), till.cancels()) == ("pending", 1)
    assert refused(await till.take()) == (409, "seat_held_by_another_user")
    till.fake.pay(till.fake.intent["id"])
    await till.hear(client, till.fake.events[-1])
    assert (await till.order())["status"] == "paid"
    assert await wrong(server_url) == {}


async def test_the_last_moments_payment_and_the_calling_off_meet(till: Till, client: Client, server_url: str) -> None:
    """The buyer was first at Stripe: it refuses to cancel, while its webhook comes in twice."""
    till.fake.pay(till.fake.intent["id"])
    news = till.fake.events[-1]
    await till.move(GIVE_UP_S + 1)
    await asyncio.gather(till.sweep(), till.hear(client, news), till.sweep(), till.hear(client, news))
    order = await till.order()
    assert (order["status"], len(order["tickets"]), await till.attempt()) == ("paid", 1, "captured")
    assert refused(await till.take()) == (409, "seat_not_available")
    assert till.fake.refunds == {}
    assert await wrong(server_url) == {}


@pytest.mark.parametrize("taken", [False, True], ids=["free", "taken"])
async def test_money_that_comes_after_it_was_called_off(
    till: Till, taken: bool, client: Client, tenant: Tenant, owner: Any, server_url: str
) -> None:
    """Honoured if the place is free, given back if it is not; there is no other one either."""
    await till.at(GIVE_UP_S + 1)
    assert await till.attempt() == "abandoned"
    if taken:
        for seat in (0, 1):
            await paid_by_card(client, tenant, till, seat)
    late = till.fake.intents[next(iter(till.fake.intents))]
    news = till.fake.tell("payment_intent.succeeded", late | {"status": "succeeded", "amount_received": 2500})
    late |= {"status": "succeeded", "amount_received": 2500}
    await asyncio.gather(till.hear(client, news), till.hear(client, news), till.sweep())
    order = await till.order()
    if not taken:
        assert (order["status"], len(order["tickets"])) == ("paid", 1)
        assert refused(await till.take()) == (409, "seat_not_available")
    else:
        assert (order["status"], order["tickets"]) == ("cancelled", [])
        (refund,) = await rows(owner, "refunds", tenant)
        assert (refund["status"], refund["amount"]) == ("requested", 2500)
    assert await wrong(server_url) == {}


async def paid_by_card(client: Client, tenant: Tenant, till: Till, seat: int) -> None:
    buyer = await guest(client, tenant)
    await paying(buyer, till.sale, seat)
    till.fake.pay(list(till.fake.intents)[-1])
    await till.hear(client, till.fake.events[-1])
