"""Kill -9 next to each commit and each call to the provider: no double charge, no lost ticket, the ledger balances.

Play money and Stripe (a fake of ours, which outlives whoever is killed) go through the same rounds. What Stripe was not
answered it says again, and what nobody has heard of is asked about. The other steps of a visit are in
test_killed_visits.py.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from fullhouse.checkout.model import Session
from fullhouse.kit.actors import Principal
from fullhouse.payments import jobs
from fullhouse.payments.model import StripeKeys
from fullhouse.payments.providers.stripe import webhook
from fullhouse.refunds import actions
from fullhouse.refunds.model import RefundOrder
from tests.holds.helpers import a_finder
from tests.payments.stripe_fake import SECRET, WEBHOOK_SECRET, StripeFake, running, signed
from tests.races import killed
from tests.races.arena import Arena, arena
from tests.races.test_checkout import Shop, begin, buy, shop

pytestmark = pytest.mark.fault
PEOPLE, PRICE = 5, 2000
# Play money has a commit of its own for a call: it charges, or gives back. Stripe's calls stand before the last one.
BUYING = {"test": ("placed", "charged", "settled"), "stripe": ("placed", "recorded")}
REFUNDING = {"test": ("claimed", "given back", "recorded"), "stripe": ("claimed", "recorded")}
HEARD = 2  # the first commit of a webhook only asks for the time
# Whoever settles has the show's pools until its commit, or comes with all the others: the first to come is enough.
ALONE = "settled"


def rounds(commits: dict[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    return [(provider, when, name) for provider, names in commits.items() for name in names for when in killed.WHEN]


class House(NamedTuple):
    at: Arena
    to: Shop
    provider: str
    begun: list[tuple[Principal, Session]]
    fake: StripeFake | None
    keys: StripeKeys | None

    async def how_many(self, query: str) -> int:
        found: int = await self.at.owner.fetchval(f"SELECT count(*) FROM {query}")
        return found

    async def charged(self) -> list[str]:
        """The orders for which the provider has taken money, once for each time."""
        if self.fake:
            paid = [one for one in self.fake.intents.values() if one["amount_received"] == PRICE]
            return sorted(one["metadata"]["order"] for one in paid)
        query = "SELECT order_id FROM payment_attempts a JOIN test_charges c ON c.key = a.id AND c.status = 'captured'"
        return sorted(str(row["order_id"]) for row in await self.at.owner.fetch(query))

    async def buy(self, n: int, key: str = killed.KEY) -> str:
        return await buy(self.to, n, *self.begun[n], killed.METHODS[self.provider], key, self.provider)

    def browsers_pay(self) -> list[dict[str, Any]]:
        """All that are shown a card's fields now; returns what Stripe has to say of it."""
        assert self.fake
        before = len(self.fake.events)
        for intent in self.fake.intents.values():
            if intent["status"] == "requires_payment_method":
                self.fake.pay(intent["id"])
        return self.fake.events[before:]

    async def tell(self, events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            raw, headers = signed(event)
            await webhook.receive(self.at.processes[1], "stripe", raw, headers["stripe-signature"])

    async def kill(self, home: Path, errands: list[Any], when: str, commit: int, enough: int) -> None:
        all_at = [((when, commit), errand) for errand in errands]
        orders = killed.Orders(url=self.at.url, home=str(home), enough=enough, stripe=self.keys, errands=all_at)
        await killed.run_and_be_killed(orders)

    async def sweep(self) -> None:
        """A while later: whoever asks about money does."""
        for table in ("payment_attempts", "refunds"):
            await self.at.owner.execute(f"UPDATE {table} SET ask_at = now()")
        async with a_finder(self.at.url) as finder:
            await jobs.poll_attempts(finder, self.at.processes[0])
            await jobs.pay_refunds(finder, self.at.processes[0])

    async def wrong_for_now(self) -> set[str]:
        """What is late is another matter: nobody has swept yet."""
        return set(await self.at.wrong()) - {"on time"}

    async def check_all_bought(self) -> None:
        """Everybody was charged once, and has what was paid for."""
        paid = await self.at.owner.fetch("SELECT id FROM orders WHERE status = 'paid'")
        assert len(paid) == PEOPLE
        assert await self.charged() == sorted(str(row["id"]) for row in paid)
        assert await self._booked() == PRICE * PEOPLE
        assert await self.how_many("tickets") == 2 * PEOPLE
        assert await self.at.wrong() == {}

    async def check_all_returned(self) -> None:
        """Everybody has the money back, once."""
        if self.fake:
            back = [UUID(one["metadata"]["refund"]) for one in self.fake.refunds.values()]
        else:
            back = [row["key"] for row in await self.at.owner.fetch("SELECT key FROM test_charges WHERE kind='refund'")]
        assert sorted(back) == [row["id"] for row in await self.at.owner.fetch("SELECT id FROM refunds ORDER BY id")]
        assert len(back) == await self.how_many("refunds WHERE status = 'done'") == PEOPLE
        assert await self._booked() == 0
        assert await self.at.wrong() == {}

    async def _booked(self) -> int:
        query = "SELECT sum(amount)::bigint FROM ledger_entries WHERE account = $1"
        booked: int = await self.at.owner.fetchval(query, f"provider:{self.provider}")
        return booked


@asynccontextmanager
async def house(home: Path, provider: str) -> AsyncIterator[House]:
    """Two processes, and everybody in a checkout."""
    async with running() as fake:
        stripe = StripeKeys(secret_key=SECRET, webhook_secret=WEBHOOK_SECRET, address=fake.address)
        keys = stripe if provider == "stripe" else None
        async with arena(home, 2, {StripeKeys: keys} if keys else None) as at:
            to = await shop(at, rows=1, pit=20, quantity=20)
            begun = [await begin(to, 2 * n) for n in range(PEOPLE)]
            yield House(at, to, provider, begun, fake if keys else None, keys)


async def kill_buying(on: House, home: Path, when: str, name: str) -> None:
    errands = [killed.Buy(on.at.tenant.id, who.id, session.id, on.provider) for who, session in on.begun]
    commit = BUYING[on.provider].index(name) + 1
    await on.kill(home, errands, when, commit, 1 if name == ALONE else PEOPLE)


@pytest.mark.req("BUY-2", "BUY-3", "BUY-4")
@pytest.mark.parametrize(("provider", "when", "name"), rounds(BUYING))
async def test_a_killed_purchase_is_whole_or_absent(tmp_path: Path, provider: str, when: str, name: str) -> None:
    async with house(tmp_path, provider) as on:
        await kill_buying(on, tmp_path, when, name)
        called = (when, name) in (("after", "charged"), ("before", "recorded"), ("after", "recorded"))
        if on.fake:
            assert len(on.fake.intents) == (PEOPLE if called else 0)
        elif name != ALONE:  # there some may not have been charged yet
            assert len(await on.charged()) == (PEOPLE if called else 0)
        assert (await on.how_many("orders WHERE status = 'paid'") > 0) == ((when, name) == ("after", "settled"))
        assert await on.wrong_for_now() == set()

        await on.sweep()
        for n in range(PEOPLE):  # everybody comes back with the same key
            answer = await on.buy(n)
            if answer == "payment_declined":  # it had never reached the provider
                assert provider == "test"
                assert not called
                answer = await on.buy(n, "another")
            assert answer == ("pending" if on.fake else "paid")
        if on.fake:
            assert len(on.fake.intents) == PEOPLE  # one for a key, whoever has asked how often
            await on.tell(on.browsers_pay())
        await on.check_all_bought()


@pytest.mark.req("BUY-2", "BUY-3")
@pytest.mark.parametrize("first", ["Stripe", "the sweep"])
@pytest.mark.parametrize("when", killed.WHEN)
async def test_news_that_was_heard_and_not_answered_comes_again(tmp_path: Path, when: str, first: str) -> None:
    """Its hearer is killed with it. Stripe says it once more; the sweep may be faster."""
    async with house(tmp_path, "stripe") as on:
        assert {await on.buy(n) for n in range(PEOPLE)} == {"pending"}
        news = on.browsers_pay()
        errands = [killed.Hear(raw, headers["stripe-signature"]) for raw, headers in map(signed, news)]
        await on.kill(tmp_path, errands, when, HEARD, 1)
        assert len(await on.charged()) == PEOPLE
        assert (await on.how_many("orders WHERE status = 'paid'") > 0) == (when == "after")
        assert await on.wrong_for_now() == set()

        if first == "the sweep":
            await on.sweep()
        await on.tell(news)
        await on.sweep()
        assert {await on.buy(n) for n in range(PEOPLE)} == {"paid"}
        await on.check_all_bought()


@pytest.mark.req("BUY-4")
@pytest.mark.parametrize(("provider", "when", "name"), rounds(REFUNDING))
async def test_a_killed_refund_goes_out_once(tmp_path: Path, provider: str, when: str, name: str) -> None:
    async with house(tmp_path, provider) as on:
        bought = {await on.buy(n) for n in range(PEOPLE)}
        assert bought == {"pending" if on.fake else "paid"}
        if on.fake:
            await on.tell(on.browsers_pay())
        refunds = []
        for row in await on.at.owner.fetch("SELECT id FROM orders"):
            async with on.at.processes[0].database.tenant(on.at.tenant.id) as tx:
                refunds.append(await actions.refund(tx, row["id"], RefundOrder(reason="ill", fees="return")))
        errands = [killed.GiveBack(on.at.tenant.id, refund.id) for refund in refunds]
        await on.kill(tmp_path, errands, when, REFUNDING[provider].index(name) + 1, PEOPLE)
        assert await on.wrong_for_now() == set()

        if on.fake:  # a day later: it knows its refunds, but no keys
            on.fake.forget_keys()
        await on.sweep()
        if on.fake:
            await on.tell(on.fake.events)
        await on.check_all_returned()


async def test_a_provider_that_forgot_its_keys_would_make_a_second_charge(tmp_path: Path) -> None:
    """The mutant: the same call once more is another one."""
    async with house(tmp_path, "stripe") as on:
        assert on.fake
        await kill_buying(on, tmp_path, "before", "recorded")
        on.fake.forget_keys()
        await on.sweep()
        assert len(on.fake.intents) == 2 * PEOPLE
