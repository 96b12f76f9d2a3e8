"""Counts views of public events: summed in this process and written every few seconds. A crash loses the unwritten."""

import asyncio
from collections import Counter, defaultdict
from uuid import UUID

import structlog

from fullhouse.events import store
from fullhouse.kit import tasks
from fullhouse.kit.cache.limits import network_of
from fullhouse.kit.db.database import DATABASE_ERRORS
from fullhouse.kit.services import Services

WRITE_INTERVAL_S = 5.0
REMEMBERED_MAX = 100_000
log = structlog.get_logger()


class ViewCounter:
    """A view of an event from one network counts once, until it is evicted by `REMEMBERED_MAX` newer ones."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._counted: defaultdict[UUID, Counter[UUID]] = defaultdict(Counter)  # by organisation and event
        self._seen: set[int] = set()
        self._seen_before: set[int] = set()
        self._writing: asyncio.Task[None] | None = None

    def record_view(self, organization_id: UUID, event_id: UUID, ip: str | None) -> None:
        view = hash((network_of(ip), event_id.int))
        if view in self._seen or view in self._seen_before:
            return
        self._seen.add(view)
        if len(self._seen) >= REMEMBERED_MAX:
            self._seen, self._seen_before = set(), self._seen
        self._counted[organization_id][event_id] += 1

    async def start(self) -> None:
        self._writing = asyncio.create_task(self._write_periodically(), name="views")

    async def stop(self) -> None:
        if self._writing:
            await tasks.stop(self._writing)  # an interrupted write restores its counts
        await self.write()

    async def write(self) -> None:
        """One statement per organisation. Counts that cannot be written are kept for the next time."""
        for organization_id in list(self._counted):
            views = self._counted.pop(organization_id)
            event_ids = sorted(views)  # several processes write at once: one lock order avoids deadlocks
            try:
                async with self._services.database.tenant(organization_id) as tx:
                    numbers = [views[event_id] for event_id in event_ids]
                    await store.record_activity(tx, event_ids=event_ids, views=numbers, sold=[0] * len(event_ids))
            except (asyncio.CancelledError, *DATABASE_ERRORS) as error:
                self._counted[organization_id].update(views)
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.warning(
                    "event.views_write_failed",
                    detail="the counts stay in memory and are written the next time",
                    organization_id=str(organization_id),
                    error=repr(error),
                )

    async def _write_periodically(self) -> None:
        while True:
            await asyncio.sleep(WRITE_INTERVAL_S)
            await self.write()
