"""Who looks at a show: added up in this process, written every few seconds. A crash loses those."""

import asyncio
from collections import Counter, defaultdict
from uuid import UUID

import structlog

from fullhouse.events import store
from fullhouse.kit import tasks
from fullhouse.kit.cache.limits import network_of
from fullhouse.kit.db.database import LOST
from fullhouse.kit.services import Services

EVERY_S = 5.0
REMEMBERED = 100_000
log = structlog.get_logger()


class Views:
    """One look from one network counts once, until so many others have been seen that it is forgotten."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._counted: defaultdict[UUID, Counter[UUID]] = defaultdict(Counter)  # by organisation and show
        self._seen: set[int] = set()
        self._seen_before: set[int] = set()
        self._writing: asyncio.Task[None] | None = None

    def note(self, organization_id: UUID, event_id: UUID, ip: str | None) -> None:
        look = hash((network_of(ip), event_id.int))
        if look in self._seen or look in self._seen_before:
            return
        self._seen.add(look)
        if len(self._seen) >= REMEMBERED:
            self._seen, self._seen_before = set(), self._seen
        self._counted[organization_id][event_id] += 1

    async def start(self) -> None:
        self._writing = asyncio.create_task(self._keep_writing(), name="views")

    async def stop(self) -> None:
        if self._writing:
            await tasks.stop(self._writing)  # gives back what it had in hand
        await self.write()

    async def write(self) -> None:
        """One statement for each organisation. What cannot be written is counted on."""
        for organization_id in list(self._counted):
            looks = self._counted.pop(organization_id)
            shows = sorted(looks)  # several processes write at once: in one order, they do not wait in a circle
            try:
                async with self._services.database.tenant(organization_id) as tx:
                    numbers = [looks[event_id] for event_id in shows]
                    await store.record_activity(tx, event_ids=shows, views=numbers, sold=[0] * len(shows))
            except (asyncio.CancelledError, *LOST) as error:
                self._counted[organization_id].update(looks)
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.warning("views were not written", organization_id=str(organization_id), error=repr(error))

    async def _keep_writing(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            await self.write()
