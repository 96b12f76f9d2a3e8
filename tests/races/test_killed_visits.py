"""Kill -9 next to each commit of a visit: of whoever begins, leaves, runs out of time, or answers to other places; and
of whoever asks about a payment or calls it off, with the provider's own commit or call between.

Each person has a show, so that nobody waits for a lock of somebody who stopped before the commit; all of them die
together, each at a point of their own. A step is then done or it has not happened, and doing it once more is enough.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

import pytest

from fullhouse.checkout import actions
from fullhouse.checkout import jobs as checkout_jobs
from fullhouse.checkout.model import Item, NoConsentNeeded, Session, StartCheckout
from fullhouse.checkout.orders import settle
from fullhouse.kit.actors import SYSTEM, Principal
from fullhouse.payments import jobs
from fullhouse.payments.model import Cancelled, Captured, StripeKeys
from fullhouse.payments.providers.stripe import webhook
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types.model import NewPromoCode
from tests.fixtures import soaking
from tests.holds.helpers import a_finder, seats, wish
from tests.payments.stripe_fake import SECRET, WEBHOOK_SECRET, StripeFake, running, signed
from tests.races import killed
from tests.races.arena import Arena, arena
from tests.races.test_checkout import Shop, begin, buy, buyer_of, shop
from tests.races.test_windows import attempt_of, hears

pytestmark = [pytest.mark.fault, pytest.mark.soak]
ROUNDS = 5 if soaking() else 1


class Scene(NamedTuple):
    at: Arena
    provider: str
    fake: StripeFake | None
    keys: StripeKeys | None

    async def said(self, query: str, *about: Any) -> Any:
        return await self.at.owner.fetchval(query, *about)

    async def pay_later(self, to: Shop, who: Principal, session: Session) -> UUID:
        """The buyer is busy at the provider."""
        method = None if self.fake else "delay"
        assert await buy(to, 0, who, session, method, provider=self.provider) == "pending"
        return await attempt_of(to, session)

    async def charges(self, attempt_id: UUID) -> list[str]:
        """What the provider has made of it, by its own word."""
        if self.fake:
            its = [one for one in self.fake.intents.values() if one["metadata"]["attempt"] == str(attempt_id)]
            return [one["status"] for one in its]
        return [
            row["status"]
            for row in await self.at.owner.fetch("SELECT status FROM test_charges WHERE key = $1", attempt_id)
        ]

    async def ask_again(self, attempt_id: UUID) -> None:
        """The sweep, a while later."""
        await self.at.owner.execute("UPDATE payment_attempts SET ask_at = now() WHERE id = $1", attempt_id)
        await jobs.poll_attempt(self.at.processes[0], self.at.tenant.id, attempt_id)


class Visit:
    """Somebody in a show of their own, who does something, and does it again when nothing has come of it."""

    commits: ClassVar[dict[str, tuple[str, ...]]]
    who: Principal
    session: Session

    def __init__(self, on: Scene, to: Shop) -> None:
        self.on, self.to = on, to
        self.org = on.at.tenant.id

    async def comes(self) -> killed.Errand:
        """Everything up to the step; returns the step."""
        raise NotImplementedError

    async def is_done(self) -> bool:
        raise NotImplementedError

    async def goes_on(self) -> None:
        """Once more, and how it ends."""
        raise NotImplementedError

    async def holds_a_seat(self) -> Item:
        (held,) = await self.on.at.hold(wish(self.to.sale, self.who.id, *seats(self.to.sale, 0)))
        assert held.hold_id
        return Item(hold_id=held.hold_id, ticket_type_id=self.to.seat_type)

    async def status(self, table: str, column: str = "status") -> Any:
        """Of what is this show's own."""
        found = await self.on.at.owner.fetch(f"SELECT {column} FROM {table} WHERE event_id = $1", self.to.sale.event_id)
        return sorted(row[column] for row in found)

    async def check_sold(self, tickets: int) -> None:
        """All that is counted is sold, and nobody has a slot any more."""
        assert len(await self.status("tickets")) == tickets
        assert set(await self.status("pools", "held")) == {0}
        assert "admitted" not in await self.status("queue_entries")


class Begins(Visit):
    commits: ClassVar = {"test": ("looked", "begun")}

    async def comes(self) -> killed.Errand:
        self.who = buyer_of(self.on.at)
        async with self.on.at.processes[0].database.tenant(self.org, SYSTEM) as tx:
            once = NewPromoCode(code="ONCE", kind="fixed", amount=100, max_uses=1)
            await promos.create_promo(tx, self.to.sale.event_id, once)
        self.wish = StartCheckout(items=[await self.holds_a_seat()], promo_code="ONCE")
        return killed.Begin(self.org, self.who.id, self.to.sale.event_id, self.wish)

    async def is_done(self) -> bool:
        uses = await self.status("promo_codes", "uses")
        begun: list[str] = await self.status("checkout_sessions")
        assert (begun, uses) in (([], [0]), (["open"], [1]))
        return bool(begun)

    async def goes_on(self) -> None:
        session = await actions.start(self.to.services(0), self.who, self.to.sale.event_id, self.wish)
        assert isinstance(session, Session)
        assert await buy(self.to, 0, self.who, session) == "paid"
        assert await self.status("promo_codes", "uses") == [1]
        await self.check_sold(1)


class Leaves(Visit):
    commits: ClassVar = {"test": ("looked", "left")}

    async def comes(self) -> killed.Errand:
        self.who, self.session = await begin(self.to, 0)
        return killed.Leave(self.org, self.who.id, self.session.id)

    async def is_done(self) -> bool:
        return bool(await self.status("checkout_sessions") == ["left"])

    async def goes_on(self) -> None:
        await killed.Leave(self.org, self.who.id, self.session.id).run(self.to.services(0))
        assert await self.status("checkout_sessions") == ["left"]
        await self.check_sold(0)
        await begin(self.to, 0)  # somebody else has the same seat now


class LeavesWhilePaying(Leaves):
    commits: ClassVar = {
        "test": ("looked", "called off", "recorded", "left"),
        "stripe": ("looked", "recorded", "left"),
    }

    async def comes(self) -> killed.Errand:
        errand = await super().comes()
        self.attempt_id = await self.on.pay_later(self.to, self.who, self.session)
        return errand

    async def goes_on(self) -> None:
        await super().goes_on()
        assert await self.status("orders") == ["cancelled"]
        assert await self.on.charges(self.attempt_id) == ["canceled" if self.on.fake else "cancelled"]


class RunsOut(Visit):
    commits: ClassVar = {"test": ("expired",)}

    async def comes(self) -> killed.Errand:
        self.who, self.session = await begin(self.to, 0)
        await self.on.at.owner.execute("UPDATE checkout_sessions SET expires_at = now() WHERE id = $1", self.session.id)
        return killed.Expire(self.org, self.session.id)

    async def is_done(self) -> bool:
        return bool(await self.status("checkout_sessions") == ["expired"])

    async def goes_on(self) -> None:
        async with a_finder(self.on.at.url) as finder:
            await checkout_jobs.expire_sessions(finder, self.on.at.processes[0].database)
        assert await self.is_done()
        assert "admitted" not in await self.status("queue_entries")
        wanted = [Item(hold_id=i.hold_id, ticket_type_id=i.ticket_type_id) for i in self.session.items]
        again = await actions.start(self.to.services(0), self.who, self.to.sale.event_id, StartCheckout(items=wanted))
        assert isinstance(again, Session)  # what was held is held still
        assert await buy(self.to, 0, self.who, again) == "paid"
        await self.check_sold(2)


class Consents(Visit):
    """The money came when somebody else had the seat."""

    commits: ClassVar = {"test": ("answered",)}
    accept, ends, tickets = True, "paid", 1

    async def comes(self) -> killed.Errand:
        self.who = buyer_of(self.on.at)
        wanted = StartCheckout(items=[await self.holds_a_seat()])
        session = await actions.start(self.to.services(0), self.who, self.to.sale.event_id, wanted)
        assert isinstance(session, Session)
        self.session = session
        assert await buy(self.to, 0, self.who, self.session, "drop") == "pending"
        self.attempt_id = await attempt_of(self.to, self.session)
        await hears(self.to, self.attempt_id, Cancelled())
        await killed.Leave(self.org, self.who.id, self.session.id).run(self.to.services(0))
        (held,) = await self.on.at.hold(wish(self.to.sale, buyer_of(self.on.at).id, *seats(self.to.sale, 0)))
        assert held.is_granted
        await hears(self.to, self.attempt_id, Captured(str(self.attempt_id), self.session.total.amount))
        self.order_id = await self.on.said("SELECT id FROM orders WHERE session_id = $1", self.session.id)
        assert await self.status("orders") == ["needs_consent"]
        return killed.Answer(self.org, self.order_id, self.accept)

    async def is_done(self) -> bool:
        order: list[str] = await self.status("orders")
        assert order in (["needs_consent"], [self.ends])
        return order == [self.ends]

    async def goes_on(self) -> None:
        async def answer() -> None:
            async with self.to.services(0).database.tenant(self.org, self.who.actor) as tx:
                await settle.answer_proposal(tx, self.order_id, accept=self.accept, now=await tx.now())

        if not await self.is_done():
            await answer()
        with pytest.raises(NoConsentNeeded):
            await answer()
        assert await self.is_done()
        assert len(await self.status("tickets")) == self.tickets
        async with a_finder(self.on.at.url) as finder:
            await jobs.pay_refunds(finder, self.on.at.processes[0])
        assert await self.status("refunds") == ([] if self.accept else ["done"])


class Declines(Consents):
    accept, ends, tickets = False, "cancelled", 0


class IsAskedAbout(Visit):
    """The money is there, and nobody has said so."""

    commits: ClassVar = {"test": ("claimed", "asked", "recorded"), "stripe": ("claimed", "recorded")}

    async def comes(self) -> killed.Errand:
        self.who, self.session = await begin(self.to, 0)
        self.attempt_id = await self.on.pay_later(self.to, self.who, self.session)
        if self.on.fake:
            self.on.fake.pay(await self.reference())
        await self.on.at.owner.execute("UPDATE payment_attempts SET ask_at = now() WHERE id = $1", self.attempt_id)
        return killed.Pursue(self.org, self.attempt_id)

    async def reference(self) -> str:
        found: str = await self.on.said("SELECT provider_ref FROM payment_attempts WHERE id = $1", self.attempt_id)
        return found

    async def is_done(self) -> bool:
        order: list[str] = await self.status("orders")
        assert order in (["pending"], ["paid"])
        return order == ["paid"]

    async def goes_on(self) -> None:
        for _ in range(2):
            await self.on.ask_again(self.attempt_id)
        assert await self.status("orders") == ["paid"]
        assert await self.on.charges(self.attempt_id) == ["succeeded" if self.on.fake else "captured"]
        await self.check_sold(2)


class IsGivenUp(IsAskedAbout):
    """The buyer took too long: it is called off."""

    async def comes(self) -> killed.Errand:
        self.who, self.session = await begin(self.to, 0)
        self.attempt_id = await self.on.pay_later(self.to, self.who, self.session)
        await self.on.at.owner.execute(
            "UPDATE payment_attempts SET ask_at = now(), give_up_at = now() WHERE id = $1", self.attempt_id
        )
        return killed.Pursue(self.org, self.attempt_id)

    async def is_done(self) -> bool:
        order: list[str] = await self.status("orders")
        assert order in (["pending"], ["cancelled"])
        return order == ["cancelled"]

    async def goes_on(self) -> None:
        for _ in range(2):
            await self.on.ask_again(self.attempt_id)
        assert await self.is_done()
        assert await self.on.charges(self.attempt_id) == ["canceled" if self.on.fake else "cancelled"]
        first = self.attempt_id
        answer = await buy(self.to, 0, self.who, self.session, killed.METHODS[self.on.provider], "k2", self.on.provider)
        assert answer == ("pending" if self.on.fake else "paid")
        self.attempt_id = await self.on.said(
            "SELECT attempt_id FROM orders WHERE event_id = $1 AND attempt_id <> $2", self.to.sale.event_id, first
        )
        if self.on.fake:
            self.on.fake.pay(await self.reference())
            await self.on.ask_again(self.attempt_id)
        assert await self.status("orders") == ["cancelled", "paid"]
        await self.check_sold(2)


VISITS: dict[str, tuple[str, tuple[type[Visit], ...]]] = {
    "a checkout": ("test", (Begins, Leaves, RunsOut, Consents, Declines)),
    "play money": ("test", (IsAskedAbout, IsGivenUp, LeavesWhilePaying)),
    "Stripe": ("stripe", (IsAskedAbout, IsGivenUp, LeavesWhilePaying)),
}


@asynccontextmanager
async def scene(home: Path, provider: str) -> AsyncIterator[Scene]:
    async with running() as fake:
        stripe = StripeKeys(secret_key=SECRET, webhook_secret=WEBHOOK_SECRET, address=fake.address)
        keys = stripe if provider == "stripe" else None
        async with arena(home, 1, {StripeKeys: keys} if keys else None) as at:
            yield Scene(at, provider, fake if keys else None, keys)


@pytest.mark.req("CHK-1", "CHK-2", "BUY-2", "BUY-3", "BUY-4")
@pytest.mark.parametrize("name", VISITS)
async def test_a_killed_step_is_done_or_has_not_happened(tmp_path: Path, name: str) -> None:
    provider, kinds = VISITS[name]
    async with scene(tmp_path, provider) as on:
        for _ in range(ROUNDS):
            dying: list[tuple[Visit, str, bool]] = []
            errands: list[Any] = []
            for kind in kinds:
                steps = kind.commits[provider]
                for n, step in enumerate(steps, 1):
                    for when in killed.WHEN:
                        visit = kind(on, await shop(on.at, rows=1, pit=4, quantity=4))
                        errands.append(((when, n), await visit.comes()))
                        last = (when, n) == ("after", len(steps))
                        dying.append((visit, f"{kind.__name__}, {when} {step}", last))
            await killed.run_and_be_killed(
                killed.Orders(url=on.at.url, home=str(tmp_path), enough=len(errands), stripe=on.keys, errands=errands)
            )
            for visit, point, last in dying:
                assert await visit.is_done() == last, point
            assert set(await on.at.wrong()) - {"on time"} == set()
            for visit, _, _ in dying:
                await visit.goes_on()
            for event in on.fake.events if on.fake else ():  # and all that Stripe has to say, late
                raw, headers = signed(event)
                await webhook.receive(on.at.processes[0], "stripe", raw, headers["stripe-signature"])
            assert await on.at.wrong() == {}
