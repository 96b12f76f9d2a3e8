"""Seat changes for live streams: batches the changes of the seat states and limits their rate.

Published within this process only; every process derives them from its own seat states.

    live:{event}                 the messages of the event's stream: `delta` and `occupancy`, or REFRESH
    occupancy:{org}:{event}      the counts of an event
    occupancy:{org}              those of every event of the organisation
    occupancy:seats:{org}        each seat that is held, with its hold (holds/mirror/held_seat_stream.py): for staff
"""

import asyncio
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import structlog

from fullhouse.kit import tasks
from fullhouse.kit.ids import parse_id
from fullhouse.kit.live.broadcast import REFRESH, StreamMessage
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from fullhouse.kit.throttling import Throttle
from fullhouse.seating.maps.seat_states import MAP_TOPIC, SEATS_TOPIC, SeatStateCache, SeatStates
from fullhouse.seating.model import SeatChange

DELTA_S, COUNTS_S = 0.1, 0.25
HELD_SEATS_TOPIC = "occupancy:seats:"
DELTA_MAX = 4000  # seats; for more, the whole map is smaller
WATCHED_MAX = 10_000
log = structlog.get_logger()


class ZoneUpdate(msgspec.Struct, frozen=True):
    zone_id: UUID
    available: int
    held: int
    sold: int
    blocked: int
    total: int


class OccupancyUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of an event, without seats or personal data."""

    event_id: UUID
    version: str
    total_available: int
    total_held: int
    total_sold: int
    total_blocked: int
    total: int
    percent_available: float
    percent_held: float
    zones: list[ZoneUpdate]
    timestamp: datetime


class PendingChange(NamedTuple):
    seat_states: SeatStates
    ordinals: set[int]


class SeatChangePublisher:
    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._changed: dict[UUID, PendingChange] = {}  # seats that are not published yet
        self._owners: dict[str, Any] = {}  # the organisation of each event that may be watched
        self._tasks: set[asyncio.Task[None]] = set()
        self._deltas = Throttle(DELTA_S, self._publish_delta)
        self._counts = Throttle(COUNTS_S, self._schedule_counts)
        self._unsubscribe = [
            self._bus.subscribe(f"{SEATS_TOPIC}*", self._receive_seats),
            self._bus.subscribe(f"{MAP_TOPIC}*", self._receive_map),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._changed.clear()),
        ]

    async def start(self) -> None: ...

    async def stop(self) -> None:
        for leave in self._unsubscribe:
            leave()
        self._deltas.stop()
        self._counts.stop()
        await tasks.stop(*self._tasks)

    # --- receiving

    # Most events on sale have no watcher at a given moment: ids stay strings here until there is one.

    def _receive_seats(self, topic: str, change: Any) -> None:
        """Also for events whose seat states are not in memory: a dashboard watches all events of its organisation."""
        event = topic.removeprefix(SEATS_TOPIC)
        if change is not None:
            if len(self._owners) >= WATCHED_MAX:
                self._owners.clear()
            self._owners[event] = SeatChange(*change).organization_id
        if (owner := self._owners.get(event)) and self._is_watched(owner, event):
            self._counts.request(parse_id(event))

    def _receive_map(self, topic: str, change: tuple[SeatStates, list[int]] | None) -> None:
        event = topic.removeprefix(MAP_TOPIC)
        if change is None:
            self._changed.pop(parse_id(event), None)
            self._bus.deliver([(f"live:{event}", REFRESH)])
        elif change[1] and self._bus.has_listener(f"live:{event}"):
            seat_states, ordinals = change
            waiting = self._changed.setdefault(seat_states.event_id, PendingChange(seat_states, set()))
            waiting.ordinals.update(ordinals)
            self._deltas.request(seat_states.event_id)

    def _is_watched(self, owner: Any, event: str) -> bool:
        heard = self._bus.has_listener
        return heard(f"live:{event}") or heard(topic := f"occupancy:{owner}") or heard(f"{topic}:{event}")

    # --- publishing

    def _publish_delta(self, event_id: UUID) -> None:
        if not (waiting := self._changed.pop(event_id, None)):
            return
        news = REFRESH
        if len(waiting.ordinals) <= DELTA_MAX:
            ordinals = sorted(waiting.ordinals)
            states = waiting.seat_states.public_states[ordinals].tolist()
            news = StreamMessage(
                "delta", {"version": waiting.seat_states.version, "ordinals": ordinals, "states": states}
            )
        self._bus.deliver([(f"live:{event_id}", news)])

    def _schedule_counts(self, event_id: UUID) -> None:
        task = asyncio.create_task(self._publish_counts(event_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _publish_counts(self, event_id: UUID) -> None:
        try:
            seat_states = await self._services.part(SeatStateCache).get(
                parse_id(str(self._owners[str(event_id)])), event_id
            )
        except Exception:  # watchers get the next change
            log.warning(
                "occupancy.read_failed",
                detail="watchers get the counts with the event's next change",
                event_id=str(event_id),
                exc_info=True,
            )
            return
        if seat_states is None:
            return
        counts = to_occupancy_update(self._services, seat_states)
        topic = f"occupancy:{seat_states.organization_id}"
        messages = [
            (topic, counts),
            (f"{topic}:{event_id}", counts),
            (f"live:{event_id}", StreamMessage("occupancy", counts)),
        ]
        self._bus.deliver(messages)


def to_occupancy_update(services: Services, seat_states: SeatStates) -> OccupancyUpdate:
    found = seat_states.occupancy()
    capacity = max(found.capacity, 1)
    return OccupancyUpdate(
        event_id=seat_states.event_id,
        version=found.version,
        total_available=found.available,
        total_held=found.held,
        total_sold=found.sold,
        total_blocked=found.blocked,
        total=found.capacity,
        percent_available=round(100 * found.available / capacity, 1),
        percent_held=round(100 * found.held / capacity, 1),
        zones=[ZoneUpdate(z.zone_id, z.available, z.held, z.sold, z.blocked, z.capacity) for z in found.zones],
        timestamp=services.clock.now(),
    )
