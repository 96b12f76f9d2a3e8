"""A process that runs errands for several people at once and is killed, without a word, when enough of them have come
to their points: right before or right after one of their commits. Every call to a provider stands between two.

    python -m tests.races.killed <orders as JSON>
"""

import asyncio
import contextvars
import os
import signal
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from fullhouse import wiring
from fullhouse.accounts.policy import ROLE_ACTIONS
from fullhouse.checkout import actions
from fullhouse.checkout.model import Buyer, Purchase, StartCheckout
from fullhouse.checkout.orders import actions as order_actions
from fullhouse.checkout.orders import settle
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.db import database as db
from fullhouse.kit.media.files import Disk
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.payments import jobs
from fullhouse.payments.model import StripeKeys
from fullhouse.payments.providers.stripe import webhook
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.names import PUBLIC_URL, SECRET_KEY

Point = tuple[str, int]  # before or after which of an errand's commits, counted from 1
WHEN = ("before", "after")
point: contextvars.ContextVar[Point | None] = contextvars.ContextVar("point", default=None)
commits = contextvars.ContextVar("commits", default=0)
KEY = "the one key"
METHODS = {"test": "approve", "stripe": None}


def customer(organization_id: UUID, user_id: UUID) -> Principal:
    actor = Actor(type="user", id=user_id, name="Guest")
    allowed = ROLE_ACTIONS["customer"]  # type: ignore[index]
    return Principal(organization_id=organization_id, actor=actor, role="customer", allowed=allowed)


class Errand(msgspec.Struct, frozen=True, tag=True):
    async def prepare(self, services: Services) -> None:
        """What is not to be counted."""

    async def run(self, services: Services) -> None: ...


class Begin(Errand, frozen=True):
    organization_id: UUID
    user_id: UUID
    event_id: UUID
    wish: StartCheckout

    async def prepare(self, services: Services) -> None:
        await services.part(WaitingRooms).load(self.organization_id, self.event_id)

    async def run(self, services: Services) -> None:
        await actions.start(services, customer(self.organization_id, self.user_id), self.event_id, self.wish)


class Leave(Errand, frozen=True):
    """As the route does."""

    organization_id: UUID
    user_id: UUID
    session_id: UUID

    async def run(self, services: Services) -> None:
        who = customer(self.organization_id, self.user_id)
        await order_actions.cancel_pending_payment(services, who, self.session_id)
        async with services.database.tenant(self.organization_id, who.actor) as tx:
            await actions.leave(tx, who, self.session_id)


class Expire(Errand, frozen=True):
    organization_id: UUID
    session_id: UUID

    async def run(self, services: Services) -> None:
        async with services.database.tenant(self.organization_id) as tx:
            await actions.expire(tx, self.session_id)


class Answer(Errand, frozen=True):
    """To other places."""

    organization_id: UUID
    order_id: UUID
    accept: bool

    async def run(self, services: Services) -> None:
        async with services.database.tenant(self.organization_id) as tx:
            await settle.answer_proposal(tx, self.order_id, accept=self.accept, now=await tx.now())


class Pursue(Errand, frozen=True):
    """Asks the provider about a payment, or calls it off."""

    organization_id: UUID
    attempt_id: UUID

    async def run(self, services: Services) -> None:
        await jobs.poll_attempt(services, self.organization_id, self.attempt_id)


class Buy(Errand, frozen=True):
    organization_id: UUID
    user_id: UUID
    session_id: UUID
    provider: str

    async def run(self, services: Services) -> None:
        buyer = Buyer(name="A", email="a@example.org")
        wish = Purchase(provider=self.provider, buyer=buyer, method=METHODS[self.provider])
        who = customer(self.organization_id, self.user_id)
        await order_actions.purchase(services, who, self.session_id, wish, KEY)


class Hear(Errand, frozen=True):
    """News from Stripe's webhook."""

    raw: bytes
    signature: str

    async def run(self, services: Services) -> None:
        await webhook.receive(services, "stripe", self.raw, self.signature)


class GiveBack(Errand, frozen=True):
    organization_id: UUID
    refund_id: UUID

    async def run(self, services: Services) -> None:
        await jobs.pay_refund(services, self.organization_id, self.refund_id)


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    home: str
    enough: int
    stripe: StripeKeys | None
    errands: list[tuple[Point, Begin | Leave | Expire | Answer | Pursue | Buy | Hear | GiveBack]]


async def run_and_be_killed(orders: Orders) -> None:
    """In a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.races.killed", msgspec.json.encode(orders).decode()
    )
    async with asyncio.timeout(60):
        assert await process.wait() == -signal.SIGKILL


class Reaper:
    def __init__(self, orders: Orders) -> None:
        self._enough, self._here = orders.enough, 0
        self._commit = db.Database._commit

    async def commit(self, database: db.Database, tx: Any) -> None:
        commits.set(commits.get() + 1)
        await self._pass("before")
        await self._commit(database, tx)
        await self._pass("after")

    async def _pass(self, when: str) -> None:
        if (when, commits.get()) != point.get():
            return
        self._here += 1
        if self._here == self._enough:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(60)


async def main(orders: Orders) -> None:
    outbox.wire(wiring.SYNC)
    async with (
        open_services(
            url=orders.url,
            read_url=None,
            redis_url=None,
            secret_key=SECRET_KEY,
            files=Disk(Path(orders.home) / "images"),
            public_url=PUBLIC_URL,
            pool_size=len(orders.errands) + 7,
        ) as services,
        open_parts(services, wiring.PARTS, {StripeKeys: orders.stripe} if orders.stripe else {}),
    ):
        for _, errand in orders.errands:
            await errand.prepare(services)
        reaper = Reaper(orders)

        async def commit(database: db.Database, tx: Any) -> None:
            await reaper.commit(database, tx)

        async def run(its: Point, errand: Errand) -> None:
            point.set(its)
            await errand.run(services)

        db.Database._commit = commit  # type: ignore[assignment, method-assign]
        await asyncio.gather(*(asyncio.create_task(run(*one)) for one in orders.errands))


if __name__ == "__main__":
    asyncio.run(main(msgspec.json.decode(sys.argv[1], type=Orders)))
