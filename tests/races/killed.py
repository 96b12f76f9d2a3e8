"""A process that buys for several people at once and is killed, without a word, when all of them have come to the same
point: right before or right after one of a purchase's commits. Those who settle do it together, as many as have come:
there the first commit is enough.

    python -m tests.races.killed <url> <folder> <when> <which> <purchases as JSON>
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
from fullhouse.kit.services import open_parts, open_services
from tests.fixtures import PUBLIC_URL, SECRET_KEY

commits = contextvars.ContextVar("commits", default=0)
KEY = "the one key"


class Wish(msgspec.Struct, frozen=True):
    organization_id: UUID
    user_id: UUID
    session_id: UUID

    def principal(self) -> Principal:
        actor = Actor(type="user", id=self.user_id, name="Guest")
        allowed = ROLE_ACTIONS["customer"]  # type: ignore[index]
        return Principal(organization_id=self.organization_id, actor=actor, role="customer", allowed=allowed)


def purchase() -> Purchase:
    return Purchase(provider="test", buyer=Buyer(name="A", email="a@example.org"), method="approve")


class Reaper:
    def __init__(self, when: str, which: int, people: int) -> None:
        self._point, self._people, self._here = (when, which), people, 0
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
        if self._here == self._people:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(60)


async def main(url: str, home: Path, when: str, which: int, wishes: list[Wish]) -> None:
    outbox.wire(wiring.SYNC)
    async with (
        open_services(
            url=url, read_url=None, redis_url=None, secret_key=SECRET_KEY, files=Disk(home / "images"),
            public_url=PUBLIC_URL, pool_size=12,
        ) as services,
        open_parts(services, wiring.PARTS),
    ):  # fmt: skip
        reaper = Reaper(when, which, 1 if which == 3 else len(wishes))

        async def commit(database: db.Database, tx: Any) -> None:
            await reaper.commit(database, tx)

        db.Database._commit = commit  # type: ignore[assignment, method-assign]
        await asyncio.gather(
            *(
                asyncio.create_task(
                    order_actions.purchase(services, wish.principal(), wish.session_id, purchase(), KEY)
                )
                for wish in wishes
            )
        )


if __name__ == "__main__":
    asyncio.run(
        main(
            sys.argv[1],
            Path(sys.argv[2]),
            sys.argv[3],
            int(sys.argv[4]),
            msgspec.json.decode(sys.argv[5], type=list[Wish]),
        )
    )
