"""Each seat that is held, for the team that watches its events: the reserve workflow's message to
`occupancy:{organisation}:{event}`, on the organisation's stream as `seat_held`. Once for each hold: one that is
prolonged or changes hands is not told again.

Made in every process from what the bus says of seats, and only while a stream of the organisation is read: the hold of
a seat is looked up then, and no reservation waits for it. What is public (`live:{event}`) carries no hold.
"""

import asyncio
from collections import OrderedDict
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
import structlog

from fullhouse.holds import store
from fullhouse.kit import tasks
from fullhouse.kit.ids import read_id
from fullhouse.kit.pace import Pace
from fullhouse.kit.services import Services
from fullhouse.seating.maps.halls import TOPIC, Halls
from fullhouse.seating.maps.live import HELD_SEATS, occupancy_news
from fullhouse.seating.model import HELD, SeatChange
from fullhouse.seating.plans.chart import seat_id

EVERY_S = 0.25
TOLD_MAX = 10_000
log = structlog.get_logger()


class SeatHeld(msgspec.Struct, frozen=True, kw_only=True):
    event: Literal["seat_held"] = "seat_held"
    seat_id: UUID
    hold_id: UUID
    event_id: UUID
    total_available: int
    total_held: int
    total_sold: int
    percent_available: float
    percent_held: float
    timestamp: datetime


class HeldSeats:
    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._waiting: dict[tuple[UUID, UUID], set[int]] = {}  # by organisation and event
        self._told: OrderedDict[UUID, None] = OrderedDict()  # holds; a seat may be among several messages
        self._tasks: set[asyncio.Task[None]] = set()
        self._pace = Pace(EVERY_S, self._tell_soon)
        self._leave = self._bus.subscribe(f"{TOPIC}*", self._hear)

    async def start(self) -> None: ...

    async def stop(self) -> None:
        self._leave()
        self._pace.stop()
        await tasks.stop(*self._tasks)

    def _hear(self, topic: str, message: Any) -> None:
        if message is None:
            return
        change = SeatChange(*message)
        if change.kept or not self._bus.is_heard(f"{HELD_SEATS}{change.organization_id}"):
            return
        held = {n for n, state in zip(change.ordinals, change.states, strict=True) if state == HELD}
        if held:
            key = read_id(str(change.organization_id)), read_id(topic.removeprefix(TOPIC))
            self._waiting.setdefault(key, set()).update(held)
            self._pace.ask(key)

    def _tell_soon(self, key: tuple[UUID, UUID]) -> None:
        task = asyncio.create_task(self._tell(*key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, organization_id: UUID, event_id: UUID) -> None:
        ordinals = self._waiting.pop((organization_id, event_id), set())
        try:
            hall = await self._services.part(Halls).get(organization_id, event_id)
            if hall is None:
                return
            seats = [seat_id(hall.house.layout_id, n) for n in sorted(ordinals)]
            async with self._services.database.tenant(organization_id) as tx:
                found = await store.holds_of_seats(tx, event_id=event_id, seat_ids=seats)
        except Exception:  # whoever watches sees the counts, and the next one
            log.warning("occupancy.seats_unread", event_id=str(event_id), exc_info=True)
            return
        counts = occupancy_news(self._services, hall)
        shared = {name: getattr(counts, name) for name in SeatHeld.__struct_fields__ if hasattr(counts, name)}
        for row in found:
            if row.hold_id not in self._told:
                self._told[row.hold_id] = None
                said = SeatHeld(seat_id=row.seat_id, hold_id=row.hold_id, **shared)
                self._bus.deliver([(f"{HELD_SEATS}{organization_id}", said)])
        while len(self._told) > TOLD_MAX:
            self._told.popitem(last=False)
