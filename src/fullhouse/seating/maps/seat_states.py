"""An in-memory cache of events' seat states, read by the map, the counts and best available.

Loaded on demand, updated by bus messages, dropped whenever a message may have been lost. The database stays the source
of truth. Messages may be duplicated, late or out of order: each has a seat's state and its version, and the highest
version wins.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import numpy as np
import structlog
from numpy.typing import NDArray
from prometheus_client import Counter, Histogram

from fullhouse.kit import tasks
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import parse_id
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from fullhouse.seating import actions, store
from fullhouse.seating.allocation.explanations import Names
from fullhouse.seating.allocation.index import WHEELCHAIR, Index, build_index
from fullhouse.seating.maps.geometry import pack_states
from fullhouse.seating.model import BLOCKED, RESERVED, EventZone, Occupancy, SeatChange, ZoneOccupancy
from fullhouse.seating.plans.chart import build_chart
from fullhouse.seating.plans.plan import RESERVED as SEATED
from fullhouse.seating.plans.plan import Plan, walk

SEATS_TOPIC, MAP_TOPIC = "seats:", "map:"
EVENTS_MAX, LAYOUTS_MAX = 500, 32
_COUNTS = ("capacity", "available", "held", "sold", "blocked")
LOADING = Histogram("fullhouse_layout_load_seconds", "Loading an event's layout and seats into memory")
FOUND = Counter("fullhouse_layout_reads_total", "Where an event's seats were found: memory or database", ["where"])
_IN_MEMORY = FOUND.labels("memory")  # looked up once: the lookup costs more than the increment
log = structlog.get_logger()


class SeatIndex(msgspec.Struct, frozen=True):
    """A layout version in memory. Immutable."""

    layout_id: UUID
    index: Index
    names: Names
    zone_ids: list[UUID]  # by the plan's zone numbers
    rows: list[str]  # by ordinal: the row's label
    numbers: list[str]  # by ordinal
    prices: dict[str, int]  # price category to its number in the chart
    whole_groups: dict[int, tuple[int, ...]]  # of each seat that is sold only as part of a group: the whole group
    wheelchairs: frozenset[int]
    geometry: bytes = b""  # the map, gzipped: every buyer requests it when a sale opens

    def zone_range(self, zone_id: UUID | None) -> tuple[int, int]:
        """The range of ordinals of a zone, or of all seats without one. Empty for an unknown zone."""
        zones = self.index.chart.zone
        if zone_id is None:
            return 0, len(zones)
        if zone_id not in self.zone_ids:
            return 0, 0
        first, end = np.searchsorted(zones, self.zone_ids.index(zone_id) + np.arange(2))
        return int(first), int(end)


class SeatStates:
    """The states of an event's seats, and the counts of its zones without seats. `version` is a random epoch of this
    object and the number of changes since.
    """

    def __init__(
        self,
        organization_id: UUID,
        event_id: UUID,
        seat_index: SeatIndex,
        states: NDArray[np.uint8],
        versions: NDArray[np.int64] | None = None,
        zones: Sequence[EventZone] = (),
        counts: Iterable[tuple[Any, int, int, int]] = (),
    ) -> None:
        self.organization_id, self.event_id, self.seat_index, self.states = (
            organization_id,
            event_id,
            seat_index,
            states,
        )
        self.versions = np.zeros(len(states), np.int64) if versions is None else versions
        self.zones = zones
        self.zone_counts = {str(zone_id): (held, sold, version) for zone_id, held, sold, version in counts}
        self._epoch, self._number = os.urandom(4).hex(), 0
        self._packed: bytes | None = None
        self._occupancy: Occupancy | None = None

    @property
    def version(self) -> str:
        return f"{self._epoch}-{self._number}"

    @property
    def packed(self) -> bytes:
        """Two bits a seat, packed once for each version."""
        if self._packed is None:
            self._packed = pack_states(self.public_states)
        return self._packed

    @property
    def public_states(self) -> NDArray[np.uint8]:
        """The states as the public sees them."""
        return np.where(self.states == RESERVED, np.uint8(BLOCKED), self.states)

    def apply(self, change: SeatChange) -> list[int] | None:
        """Applies what is newer. Returns the ordinals of the changed seats; None if nothing changed."""
        counted = self._apply_counts(change.counts) if change.counts else False
        states, versions, fresh = self.states, self.versions, []
        for ordinal, state, version in zip(change.ordinals, change.states, change.versions, strict=True):
            if version > versions[ordinal]:  # in a loop: nearly always a few seats, for which arrays would be slower
                states[ordinal], versions[ordinal] = state, version
                fresh.append(ordinal)
        if not (counted or fresh):
            return None
        self._occupancy = None
        if fresh:
            self._number += 1
            self._packed = None
        return fresh

    def _apply_counts(self, counts: Iterable[tuple[str, int, int, int]]) -> bool:
        newer = {
            zone_id: (held, sold, version)
            for zone_id, held, sold, version in counts
            if zone_id in self.zone_counts and version > self.zone_counts[zone_id][2]
        }
        self.zone_counts |= newer
        return bool(newer)

    def occupancy(self) -> Occupancy:
        """Computed once for each change."""
        if self._occupancy is None:
            seats = self.counts()
            zones = [
                to_zone_occupancy(zone, seats[zone.position].tolist(), self.zone_counts.get(str(zone.id)))
                for zone in self.zones
            ]
            totals = {name: sum(getattr(zone, name) for zone in zones) for name in _COUNTS}
            self._occupancy = Occupancy(**totals, zones=zones, version=self.version)
        return self._occupancy

    def counts(self) -> NDArray[np.int64]:
        """Seats by zone number and state; softly reserved seats count as blocked."""
        zones = len(self.seat_index.zone_ids)
        together = np.bincount(self.seat_index.index.chart.zone * 4 + self.public_states, minlength=zones * 4)
        return together.reshape(zones, 4)


def to_zone_occupancy(zone: EventZone, seats: list[int], places: tuple[int, int, int] | None = None) -> ZoneOccupancy:
    """Counts a zone by its seats, or by its pool if it has none."""
    if zone.zone_type not in SEATED:
        held, sold, _ = places or (zone.held, zone.sold, 0)
        seats = [zone.capacity - held - sold, held, sold, 0]
    counts = dict(zip(_COUNTS[1:], seats, strict=True))
    return ZoneOccupancy(
        zone_id=zone.id,
        key=zone.key,
        name=zone.name,
        priced_as=zone.priced_as,
        zone_type=zone.zone_type,
        capacity=zone.capacity,
        **counts,
    )


class PendingLoad(NamedTuple):
    """A load in progress, and the organisation that it is for. Other organisations must not share its result."""

    organization_id: UUID
    task: asyncio.Task[SeatStates | None]


class SeatStateCache:
    """The cache. Publishes each change to `map:{event}`: the seat states and ordinals, or None for "load again"."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._states: OrderedDict[UUID, SeatStates] = OrderedDict()
        self._seat_indexes: OrderedDict[UUID, SeatIndex] = OrderedDict()
        self._loading: dict[UUID, PendingLoad] = {}
        self._missed: dict[UUID, list[Any]] = {}  # messages that arrived during a load
        self._unsubscribe = [
            services.bus.subscribe(f"{SEATS_TOPIC}*", self._receive),
            services.bus.subscribe(RESYNC, lambda _topic, _none: self._clear()),
        ]

    async def start(self) -> None: ...

    async def stop(self) -> None:
        for leave in self._unsubscribe:
            leave()
        loading = [loading.task for loading in self._loading.values()]
        await tasks.stop(*loading)

    def peek(self, event_id: UUID) -> SeatStates | None:
        """The cached seat states, if any."""
        return self._states.get(event_id)

    def touch(self, event_id: UUID, times: int = 1) -> SeatStates | None:
        """The same, and marks them as recently used."""
        if seat_states := self._states.get(event_id):
            self._states.move_to_end(event_id)
            _IN_MEMORY.inc(times)
        return seat_states

    async def get(self, organization_id: UUID, event_id: UUID) -> SeatStates | None:
        """The event's seat states; None if it has no layout. Concurrent callers share one load."""
        if seat_states := self.touch(event_id):
            return seat_states if seat_states.organization_id == organization_id else None
        loading = self._loading.get(event_id)
        if loading is None:
            self._missed[event_id] = []
            task = asyncio.create_task(self._load(organization_id, event_id))
            loading = self._loading[event_id] = PendingLoad(organization_id, task)
            task.add_done_callback(lambda done: self._finish_load(event_id, done))
        if loading.organization_id != organization_id:  # one of the two requests an event of another organisation
            return await self.read_fresh(organization_id, event_id)
        return await asyncio.shield(loading.task)

    async def _load(self, organization_id: UUID, event_id: UUID) -> SeatStates | None:
        with LOADING.time():
            return await self.read_fresh(organization_id, event_id)

    async def read_fresh(self, organization_id: UUID, event_id: UUID) -> SeatStates | None:
        """The present states from the database, as a private copy: later changes are not applied to it."""
        async with self._services.database.tenant(organization_id) as tx:
            overlay = await store.event_layout(tx, event_id)
            if overlay is None:
                return None
            seat_index = self._seat_indexes.get(overlay.layout_id) or await self._load_seat_index(tx, overlay.layout_id)
            zones = await store.zones_of_event(tx, event_id)
            counts = await store.zone_counts(tx, event_id)
            rows = await store.seat_states(tx, event_id)
        FOUND.labels("database").inc()
        size = len(seat_index.index.chart.zone)
        states, versions = np.full(size, BLOCKED, np.uint8), np.zeros(size, np.int64)
        if rows and rows.ordinals and rows.states and rows.versions:
            states[rows.ordinals] = rows.states
            versions[rows.ordinals] = rows.versions
        return SeatStates(organization_id, event_id, seat_index, states, versions, zones, counts)

    async def _load_seat_index(self, tx: Tx, layout_id: UUID) -> SeatIndex:
        plan = await actions.get_plan(tx, layout_id)
        zones = await store.zones_of_layout(tx, layout_id)
        drawn = await store.layout_geometry(tx, layout_id) or b""
        zone_ids = [zone.id for zone in zones]
        seat_index = await asyncio.to_thread(
            lambda: build_seat_index(layout_id, plan, build_index(build_chart(plan)), zone_ids)
        )
        seat_index = msgspec.structs.replace(seat_index, geometry=drawn)
        self._seat_indexes[layout_id] = seat_index
        if len(self._seat_indexes) > LAYOUTS_MAX:
            self._seat_indexes.popitem(last=False)
        return seat_index

    def _finish_load(self, event_id: UUID, done: asyncio.Task[SeatStates | None]) -> None:
        loading = self._loading.get(event_id)
        if loading is None or loading.task is not done:
            return  # dropped during the load: only the callers that wait for it get it
        del self._loading[event_id]
        missed = self._missed.pop(event_id)
        if done.cancelled() or done.exception() or (seat_states := done.result()) is None or None in missed:
            return
        for change in missed:
            seat_states.apply(SeatChange(*change))
        self._states[event_id] = seat_states
        if len(self._states) > EVENTS_MAX:
            self._publish(self._states.popitem(last=False)[0], None)  # watchers cause another load

    # --- bus messages

    def _receive(self, topic: str, change: Any) -> None:
        """Applies a `SeatChange`; None means that everything may have changed."""
        event_id = parse_id(topic.removeprefix(SEATS_TOPIC))
        if event_id in self._missed:
            self._missed[event_id].append(change)
        if change is None:
            if seat_states := self._states.pop(event_id, None):
                log.info(
                    "seat_states.dropped",
                    detail="the event's seats are read from the database again when they are needed",
                    organization_id=str(seat_states.organization_id),
                    event_id=str(event_id),
                )
            self._publish(event_id, None)
        elif (seat_states := self._states.get(event_id)) and (
            ordinals := seat_states.apply(SeatChange(*change))
        ) is not None:
            self._publish(event_id, (seat_states, ordinals))

    def _publish(self, event_id: UUID, change: tuple[SeatStates, list[int]] | None) -> None:
        self._services.bus.deliver([(f"{MAP_TOPIC}{event_id}", change)])

    def _clear(self) -> None:
        self._states.clear()
        self._loading.clear()
        self._missed.clear()


def build_seat_index(layout_id: UUID, plan: Plan, index: Index, zone_ids: list[UUID]) -> SeatIndex:
    places = list(walk(plan))
    ordinals = {place.seat.key: n for n, place in enumerate(places)}
    wholes = [tuple(ordinals[key] for key in group.seats) for group in plan.groups if group.sold_as == "whole"]
    return SeatIndex(
        layout_id=layout_id,
        index=index,
        names=_build_names(plan),
        zone_ids=zone_ids,
        rows=[place.row.label for place in places],
        numbers=[place.seat.number for place in places],
        prices={category.key: n for n, category in enumerate(plan.price_categories)},
        whole_groups={n: whole for whole in wholes for n in whole},
        wheelchairs=frozenset(np.flatnonzero(index.chart.category == WHEELCHAIR).tolist()),
    )


def _build_names(plan: Plan) -> Names:
    rows: list[str] = []
    seats: list[str] = []
    for place in walk(plan):
        rows += [place.row.label] * (place.row_index + 1 - len(rows))  # a row without seats is never named
        seats.append(f"{place.row.label}-{place.seat.number}")
    return Names(row=rows.__getitem__, seat=seats.__getitem__)
