"""Several processes of one house, what each reads all the time, and how often it asks the database for it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions
from fullhouse.events.model import ChangeEvent, Event, EventSummary, NewEvent, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.events.public.model import EventNotFound, PublicEvent
from fullhouse.events.public.reads import Filters
from fullhouse.events.venues import actions as venue_actions
from fullhouse.kit.cache import optional_redis
from fullhouse.kit.media.files import Disk
from fullhouse.kit.services import Services, open_services
from fullhouse.kit.text import fold
from fullhouse.tickets.types import actions as type_actions
from fullhouse.tickets.types.model import NewTicketType
from tests.events.helpers import DAY, ENTRY, HALL, HOUR, make_picture
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Tenant
from tests.services import servers
from tests.services.servers import Server

Clock = Callable[[timedelta], Any]


class Process:
    """One of several API processes of one house, and how often it has asked the database."""

    def __init__(self, services: Services, tenant: Tenant) -> None:
        self.services, self.tenant = services, tenant
        self.city = f"Stad {tenant.id.hex[-10:]}"
        self.asked = 0
        database = services.database
        for name in ("without_tenant", "tenant"):
            setattr(database, name, self._counting(getattr(database, name)))

    def _counting(self, begin: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            self.asked += 1
            return begin(*args, **more)

        return counted

    # --- reading

    async def show(self, event: Event) -> PublicEvent | None:
        try:
            return (await reads.require_public_event(self.services, event.id)).event
        except EventNotFound:
            return None

    async def titles(self, **asked: Any) -> list[str]:
        filters = Filters(**dict.fromkeys(Filters._fields) | {"city": fold(self.city)} | asked)
        return [show.title for show in (await reads.feed(self.services, filters, "latest", None, 50)).data]

    async def suggested(self) -> bool:
        """Whether the test's own city is."""
        found = (await reads.load_city_index(self.services)).suggest(self.city, 1)
        return bool(found and found[0].city == self.city)

    async def upcoming(self, venue_id: UUID | None = None) -> list[str]:
        return [event.name for event in await reads.list_upcoming(self.services, self.tenant.id, venue_id)]

    async def summary(self, event: Event) -> EventSummary:
        return await reads.require_summary(self.services, self.tenant.id, event.id)

    # --- writing

    async def venue(self, **more: Any) -> UUID:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            wish = NewVenue(**HALL | {"city": self.city} | more)
            return (await venue_actions.create_venue(tx, who, wish)).id

    async def make(self, *moves: Move, **more: Any) -> Event:
        who = self.tenant.principal("owner")
        venue_id = more.pop("venue_id", None) or await self.venue()
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            start = await tx.now() + 30 * DAY
            usual: dict[str, Any] = {"name": "The Tempest", "start_at": start, "end_at": start + 4 * HOUR}
            usual |= {"description": "A storm.", "category": "theatre", "cover_image_ids": [await make_picture(tx)]}
            event = await actions.create_event(tx, who, NewEvent(venue_id=venue_id, **usual | more))
            await type_actions.create_type(tx, event.id, NewTicketType(**ENTRY))
        for move in moves:
            event = await self.move(event, move)
        return event

    async def move(self, event: Event, move: Move, **more: Any) -> Event:
        async with self.services.database.tenant(self.tenant.id) as tx:
            return await actions.move_event(tx, event.id, move, **{"reason": "a test"} | more)

    async def change(self, event: Event, **wish: Any) -> Event:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            return await actions.change_event(tx, who, event.id, ChangeEvent(**wish), None)

    async def suspend(self, status: str) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await accounts.change_organization_status(tx, status, "a reason")


@pytest.fixture
async def here(services: Services, tenant: Tenant) -> Process:
    return Process(services, tenant)


@pytest.fixture
async def redis(server_home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """One's own: pages and cities have names that all houses on one Redis would share. It may be slow."""
    monkeypatch.setattr(optional_redis, "TIMEOUT_S", 5.0)
    server = await servers.redis(server_home)
    yield server
    server.stop()


@pytest.fixture
async def start(server_url: str, tenant: Tenant, tmp_path: Path) -> AsyncIterator[Any]:
    """Another process on the same database."""
    async with AsyncExitStack() as stack:

        async def start(redis_url: str | None = None) -> Process:
            opened = await stack.enter_async_context(
                open_services(
                    url=server_url,
                    read_url=None,
                    redis_url=redis_url,
                    secret_key=SECRET_KEY,
                    files=Disk(tmp_path / "images"),
                    public_url=PUBLIC_URL,
                    pool_size=4,
                )
            )
            return Process(opened, tenant)

        yield start


READS: dict[str, Callable[[Process, Event], Awaitable[Any]]] = {
    "show": lambda process, event: process.show(event),
    "page": lambda process, _event: process.titles(),
    "cities": lambda process, _event: process.suggested(),
    "upcoming": lambda process, _event: process.upcoming(),
    "upcoming at a venue": lambda process, event: process.upcoming(event.venue_id),
    "summary": lambda process, event: process.summary(event),
}


async def read_all(process: Process, event: Event) -> list[Any]:
    return [await read(process, event) for read in READS.values()]


async def gives(getting: Awaitable[Any], expected: Any) -> bool:
    return bool(await getting == expected)
