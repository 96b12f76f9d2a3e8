"""Publishes each held seat to the organisation's team: the reserve workflow's message to
`occupancy:{organisation}:{event}`, as `seat_held` on the organisation's stream. Once for each hold: a hold that is
prolonged or handed over is not published again.

Each process derives the messages from seat changes on the bus, and only while a stream of the organisation is open: the
hold is looked up then, so no reservation waits for it. The public stream (`live:{event}`) has no holds.
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
from fullhouse.kit.ids import parse_id
from fullhouse.kit.services import Services
from fullhouse.kit.throttling import Throttle
from fullhouse.seating.maps.live import HELD_SEATS_TOPIC, to_occupancy_update
from fullhouse.seating.maps.seat_states import SEATS_TOPIC, SeatStateCache
from fullhouse.seating.model import HELD, SeatChange
from fullhouse.seating.plans.chart import seat_id

INTERVAL_S = 0.25
PUBLISHED_MAX = 10_000
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


class HeldSeatStream:
    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._pending: dict[tuple[UUID, UUID], set[int]] = {}  # by organisation and event
        self._published: OrderedDict[UUID, None] = (
            OrderedDict()
        )  # ids of holds; several messages may be about the same seat
        self._tasks: set[asyncio.Task[None]] = set()
        self._pace = Throttle(INTERVAL_S, self._publish_soon)
        self._unsubscribe = self._bus.subscribe(f"{SEATS_TOPIC}*", self._receive)

    async def start(self) -> None: ...

    async def stop(self) -> None:
        self._unsubscribe()
        self._pace.stop()
        await tasks.stop(*self._tasks)

    def _receive(self, topic: str, message: Any) -> None:
        if message is None:
            return
        change = SeatChange(*message)
        if change.kept or not self._bus.has_listener(f"{HELD_SEATS_TOPIC}{change.organization_id}"):
            return
        held = {n for n, state in zip(change.ordinals, change.states, strict=True) if state == HELD}
        if held:
            key = parse_id(str(change.organization_id)), parse_id(topic.removeprefix(SEATS_TOPIC))
            self._pending.setdefault(key, set()).update(held)
            self._pace.request(key)

    def _publish_soon(self, key: tuple[UUID, UUID]) -> None:
        task = asyncio.create_task(self._publish(*key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _publish(self, organization_id: UUID, event_id: UUID) -> None:
        ordinals = self._pending.pop((organization_id, event_id), set())
        try:
            seat_states = await self._services.part(SeatStateCache).get(organization_id, event_id)
            if seat_states is None:
                return
            seats = [seat_id(seat_states.seat_index.layout_id, n) for n in sorted(ordinals)]
            async with self._services.database.tenant(organization_id) as tx:
                found = await store.list_holds_of_seats(tx, event_id=event_id, seat_ids=seats)
        except Exception:
            detail = "these seats are not published; the counts are"
            log.warning("occupancy.seats_unread", detail=detail, event_id=str(event_id), exc_info=True)
            return
        counts = to_occupancy_update(self._services, seat_states)
        shared = {name: getattr(counts, name) for name in SeatHeld.__struct_fields__ if hasattr(counts, name)}
        for row in found:
            if row.hold_id not in self._published:
                self._published[row.hold_id] = None
                message = SeatHeld(seat_id=row.seat_id, hold_id=row.hold_id, **shared)
                self._bus.deliver([(f"{HELD_SEATS_TOPIC}{organization_id}", message)])
        while len(self._published) > PUBLISHED_MAX:
            self._published.popitem(last=False)
