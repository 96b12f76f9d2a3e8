"""A process that runs errands for several people at once and is killed, without a word, when enough of them have come
to the same point: right before or right after one of their commits. Every call to a provider stands between two.

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
from fullhouse.checkout import order_actions
from fullhouse.checkout.model import Buyer, Purchase
from fullhouse.kit import db, outbox
from fullhouse.kit.actors import Actor, Principal
from fullhouse.kit.files import Disk
from fullhouse.kit.services import Services, open_parts, open_services
from fullhouse.payments import jobs, news_actions
from fullhouse.payments.model import StripeKeys
from tests.fixtures import PUBLIC_URL, SECRET_KEY

commits = contextvars.ContextVar("commits", default=0)
KEY = "the one key"
METHODS = {"test": "approve", "stripe": None}


class Buy(msgspec.Struct, frozen=True, tag=True):
    organization_id: UUID
    user_id: UUID
    session_id: UUID
    provider: str

    async def run(self, services: Services) -> None:
        actor = Actor(type="user", id=self.user_id, name="Guest")
        allowed = ROLE_ACTIONS["customer"]  # type: ignore[index]
        who = Principal(organization_id=self.organization_id, actor=actor, role="customer", allowed=allowed)
        buyer = Buyer(name="A", email="a@example.org")
        wish = Purchase(provider=self.provider, buyer=buyer, method=METHODS[self.provider])
        await order_actions.purchase(services, who, self.session_id, wish, KEY)


class Hear(msgspec.Struct, frozen=True, tag=True):
    """News from Stripe's webhook."""

    raw: bytes
    signature: str

    async def run(self, services: Services) -> None:
        await news_actions.hear(services, "stripe", self.raw, self.signature)


class GiveBack(msgspec.Struct, frozen=True, tag=True):
    organization_id: UUID
    refund_id: UUID

    async def run(self, services: Services) -> None:
        await jobs.carry_out(services, self.organization_id, self.refund_id)


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    home: str
    when: str
    commit: int
    enough: int
    stripe: StripeKeys | None
    errands: list[Buy | Hear | GiveBack]


class Reaper:
    def __init__(self, orders: Orders) -> None:
        self._point, self._enough, self._here = (orders.when, orders.commit), orders.enough, 0
        self._commit = db.Database._commit

    async def commit(self, database: db.Database, tx: Any) -> None:
        commits.set(commits.get() + 1)
        await self._pass("before")
        await self._commit(database, tx)
        await self._pass("after")

    async def _pass(self, when: str) -> None:
        if (when, commits.get()) != self._point:
            return
        self._here += 1
        if self._here == self._enough:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(60)


async def main(orders: Orders) -> None:
    outbox.wire(wiring.SYNC)
    async with (
        open_services(
            url=orders.url, read_url=None, redis_url=None, secret_key=SECRET_KEY,
            files=Disk(Path(orders.home) / "images"), public_url=PUBLIC_URL, pool_size=12,
        ) as services,
        open_parts(services, wiring.PARTS, {StripeKeys: orders.stripe} if orders.stripe else {}),
    ):  # fmt: skip
        reaper = Reaper(orders)

        async def commit(database: db.Database, tx: Any) -> None:
            await reaper.commit(database, tx)

        db.Database._commit = commit  # type: ignore[assignment, method-assign]
        await asyncio.gather(*(asyncio.create_task(errand.run(services)) for errand in orders.errands))


if __name__ == "__main__":
    asyncio.run(main(msgspec.json.decode(sys.argv[1], type=Orders)))
