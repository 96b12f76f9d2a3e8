"""A city of a test's own whose shows are looked at and bought, and whose clock the test moves."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from fullhouse.events import actions, cache_keys, policy, store
from fullhouse.events.jobs import update_ranks
from fullhouse.events.model import ChangeEvent, Event, NewEvent, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.events.public.model import PublicEvent
from fullhouse.events.public.reads import Filters
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.db.cursors import Page
from fullhouse.kit.db.database import WORKER, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.kit.text import fold
from fullhouse.tickets.types import actions as type_actions
from fullhouse.tickets.types.model import NewTicketType
from tests.events.helpers import ENTRY, HALL, HOUR, make_picture
from tests.fixtures import Tenant

MINUTE = timedelta(minutes=1)
FOREVER = 2147483647


class House:
    """A city of the test's own, the shows in it, and a clock."""

    def __init__(self, services: Services, tenant: Tenant, finder: Database, owner: Any, move: Any) -> None:
        self.services, self.tenant, self.finder, self.owner, self._move = services, tenant, finder, owner, move
        self.city = f"Stad {new_id().hex[-10:]}"
        self.passed = timedelta()
        self._venue: UUID | None = None

    async def show(self, *, days: float = 30, moves: tuple[Move, ...] = (Move.PUBLISH,), **more: Any) -> Event:
        """Announced, in so many days."""
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            if self._venue is None:
                wish = NewVenue(**HALL | {"city": self.city})
                self._venue = (await venue_actions.create_venue(tx, who, wish)).id
            start = (await tx.now()).replace(minute=0, second=0, microsecond=0) + timedelta(days=days)
            usual: dict[str, Any] = {
                "name": f"Show {new_id().hex}",
                "venue_id": self._venue,
                "start_at": start,
                "end_at": start + HOUR,
            }
            usual |= {"description": "A play.", "category": "theatre", "cover_image_ids": [await make_picture(tx)]}
            event = await actions.create_event(tx, who, NewEvent(**usual | more))
            await type_actions.create_type(tx, event.id, NewTicketType(**ENTRY))
            for move in moves:
                event = await actions.move_event(tx, event.id, move, reason="a test")
        return event

    async def act(self, event: Event, *, views: int = 0, sold: int = 0) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await store.record_activity(tx, event_ids=[event.id], views=[views], sold=[sold])

    async def change(self, event: Event, **wish: Any) -> None:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            await actions.change_event(tx, who, event.id, ChangeEvent(**wish), None)

    async def move(self, event: Event, move: Move) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await actions.move_event(tx, event.id, move, reason="a test")

    async def rank(self) -> int:
        return await update_ranks(self.finder, self.services.database)

    async def wait(self, shift: timedelta) -> None:
        """Lets time pass, in the database and, as far as this process knows it, here."""
        self.passed += shift
        await self._move(self.passed)
        await self.services.clock.measure()

    async def settle(self) -> None:
        """What was done counts from now on, also for those who begin to read."""
        await self.rank()
        await self.wait(policy.EPOCHS_AHEAD * timedelta(seconds=policy.EPOCH_S))

    async def page(self, cursor: str | None = None, limit: int = 50, **asked: Any) -> Page[PublicEvent]:
        """Never one that was kept: these tests are about the order, not about its cache."""
        self.services.bus.deliver([("cache", [cache_keys.FEED])])
        filters = Filters(**dict.fromkeys(Filters._fields) | {"city": fold(self.city)} | asked)
        return await reads.feed(self.services, filters, "trending", cursor, limit)

    async def order(self, **asked: Any) -> list[UUID]:
        return [show.id for show in (await self.page(**asked)).data]

    async def versions(self, event: Event) -> list[dict[str, Any]]:
        rows = await self.owner.fetch(
            "SELECT since_epoch, until_epoch, rank FROM public_ranks WHERE event_id = $1 ORDER BY since_epoch", event.id
        )
        return [dict(row) for row in rows]

    async def stats(self, event: Event) -> Any:
        return await self.owner.fetchrow("SELECT views, sold, heat FROM event_stats WHERE event_id = $1", event.id)


@pytest.fixture
async def finder(server_url: str, owner: Any) -> AsyncIterator[Database]:
    """A worker. What earlier tests left to be ranked is not this one's business."""
    await owner.execute("UPDATE event_stats SET unranked = false")
    opened = await Database.open(server_url, WORKER, size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def house(services: Services, tenant: Tenant, finder: Database, owner: Any, clock: Any) -> House:
    return House(services, tenant, finder, owner, clock)
