"""Seats as they change, for those who watch: what the halls hear, gathered and paced.

Told in this process only; every process makes its own from its own halls.

    live:{event}                 what the show's stream says: `delta` and `occupancy`, or LOOK_AGAIN
    occupancy:{org}:{event}      the counts of a show
    occupancy:{org}              those of every show of the organisation
    occupancy:seats:{org}        each of their seats that is held, with its hold (holds/mirror/occupancy.py): for staff
"""

import asyncio
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import structlog

from fullhouse.kit import tasks
from fullhouse.kit.ids import read_id
from fullhouse.kit.live.broadcast import LOOK_AGAIN, News
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.pace import Pace
from fullhouse.kit.services import Services
from fullhouse.seating.maps.halls import MAP, TOPIC, Hall, Halls
from fullhouse.seating.model import SeatChange

DELTA_S, COUNTS_S = 0.1, 0.25
HELD_SEATS = "occupancy:seats:"
DELTA_MAX = 4000  # seats; beyond that the whole map is shorter
WATCHED_MAX = 10_000
log = structlog.get_logger()


class ZoneNews(msgspec.Struct, frozen=True):
    zone_id: UUID
    available: int
    held: int
    sold: int
    blocked: int
    total: int


class OccupancyNews(msgspec.Struct, frozen=True, kw_only=True):
    """How full a show is: nobody's seats, nobody's names."""

    event_id: UUID
    version: str
    total_available: int
    total_held: int
    total_sold: int
    total_blocked: int
    total: int
    percent_available: float
    percent_held: float
    zones: list[ZoneNews]
    timestamp: datetime


class Changed(NamedTuple):
    hall: Hall
    ordinals: set[int]


class Live:
    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._changed: dict[UUID, Changed] = {}  # seats that watchers have not heard of yet
        self._owners: dict[str, Any] = {}  # whose show it is, of those that somebody may watch
        self._tasks: set[asyncio.Task[None]] = set()
        self._deltas = Pace(DELTA_S, self._tell_delta)
        self._counts = Pace(COUNTS_S, self._tell_counts_soon)
        self._leave = [
            self._bus.subscribe(f"{TOPIC}*", self._hear_seats),
            self._bus.subscribe(f"{MAP}*", self._hear_map),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._changed.clear()),
        ]

    async def start(self) -> None: ...

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        self._deltas.stop()
        self._counts.stop()
        await tasks.stop(*self._tasks)

    # --- hearing

    # Most shows that sell are watched by nobody at a moment: ids stay words here until somebody is.

    def _hear_seats(self, topic: str, change: Any) -> None:
        """Whether or not its hall is in memory: a dashboard watches all shows of its organisation."""
        event = topic.removeprefix(TOPIC)
        if change is not None:
            if len(self._owners) >= WATCHED_MAX:
                self._owners.clear()
            self._owners[event] = SeatChange(*change).organization_id
        if (owner := self._owners.get(event)) and self._is_watched(owner, event):
            self._counts.ask(read_id(event))

    def _hear_map(self, topic: str, change: tuple[Hall, list[int]] | None) -> None:
        event = topic.removeprefix(MAP)
        if change is None:
            self._changed.pop(read_id(event), None)
            self._bus.deliver([(f"live:{event}", LOOK_AGAIN)])
        elif change[1] and self._bus.is_heard(f"live:{event}"):
            hall, ordinals = change
            waiting = self._changed.setdefault(hall.event_id, Changed(hall, set()))
            waiting.ordinals.update(ordinals)
            self._deltas.ask(hall.event_id)

    def _is_watched(self, owner: Any, event: str) -> bool:
        heard = self._bus.is_heard
        return heard(f"live:{event}") or heard(house := f"occupancy:{owner}") or heard(f"{house}:{event}")

    # --- telling

    def _tell_delta(self, event_id: UUID) -> None:
        if not (waiting := self._changed.pop(event_id, None)):
            return
        news = LOOK_AGAIN
        if len(waiting.ordinals) <= DELTA_MAX:
            ordinals = sorted(waiting.ordinals)
            states = waiting.hall.shown[ordinals].tolist()
            news = News("delta", {"version": waiting.hall.version, "ordinals": ordinals, "states": states})
        self._bus.deliver([(f"live:{event_id}", news)])

    def _tell_counts_soon(self, event_id: UUID) -> None:
        task = asyncio.create_task(self._tell_counts(event_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell_counts(self, event_id: UUID) -> None:
        try:
            hall = await self._services.part(Halls).get(read_id(str(self._owners[str(event_id)])), event_id)
        except Exception:  # whoever watches hears of the next change
            log.warning("a show's counts could not be read", event_id=str(event_id), exc_info=True)
            return
        if hall is None:
            return
        counts = occupancy_news(self._services, hall)
        topic = f"occupancy:{hall.organization_id}"
        told = [(topic, counts), (f"{topic}:{event_id}", counts), (f"live:{event_id}", News("occupancy", counts))]
        self._bus.deliver(told)


def occupancy_news(services: Services, hall: Hall) -> OccupancyNews:
    found = hall.occupancy()
    places = max(found.capacity, 1)
    return OccupancyNews(
        event_id=hall.event_id,
        version=found.version,
        total_available=found.available,
        total_held=found.held,
        total_sold=found.sold,
        total_blocked=found.blocked,
        total=found.capacity,
        percent_available=round(100 * found.available / places, 1),
        percent_held=round(100 * found.held / places, 1),
        zones=[ZoneNews(z.zone_id, z.available, z.held, z.sold, z.blocked, z.capacity) for z in found.zones],
        timestamp=services.clock.now(),
    )
