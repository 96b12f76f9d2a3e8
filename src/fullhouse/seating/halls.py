"""The seats of shows in memory: what the map, the counts and best available read.

Loaded when asked for, kept up to date by the bus, dropped whenever something may have been missed. The database stays
the truth.
"""

import asyncio
import os
from collections import OrderedDict
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from fullhouse.kit.bus import RESYNC
from fullhouse.kit.db import Tx
from fullhouse.kit.services import Services
from fullhouse.seating import actions, store
from fullhouse.seating.chart import compile
from fullhouse.seating.explaining import Names
from fullhouse.seating.geometry import pack_states
from fullhouse.seating.index import Index, prepare
from fullhouse.seating.plan import Plan, walk

TOPIC = "seats:"
AVAILABLE, HELD, SOLD, BLOCKED, RESERVED = range(5)  # the last one looks blocked to everybody else
HALLS_MAX, LAYOUTS_MAX = 500, 32


class House(msgspec.Struct, frozen=True):
    """A layout version: it never changes."""

    layout_id: UUID
    index: Index
    names: Names
    zone_ids: list[UUID]  # by the plan's zone numbers
    rows: list[str]  # by ordinal: the row's label
    numbers: list[str]  # by ordinal
    prices: dict[str, int]  # price category to its number in the chart
    wholes: dict[int, tuple[int, ...]]  # of seats that are sold together only: all of them
    geometry: bytes = b""  # the map, gzipped: everybody asks for it when a sale opens

    def span(self, zone_id: UUID | None) -> tuple[int, int]:
        """The ordinals of a zone's seats, which follow each other; of all without one. A strange zone has none."""
        zones = self.index.chart.zone
        if zone_id is None:
            return 0, len(zones)
        if zone_id not in self.zone_ids:
            return 0, 0
        first, end = np.searchsorted(zones, self.zone_ids.index(zone_id) + np.arange(2))
        return int(first), int(end)


class Hall:
    """A show's seats. `version` says which changes are in it: an epoch of this process, and a number."""

    def __init__(self, organization_id: UUID, event_id: UUID, house: House, states: NDArray[np.uint8]) -> None:
        self.organization_id, self.event_id, self.house, self.states = organization_id, event_id, house, states
        self._epoch, self._number = os.urandom(4).hex(), 0
        self._packed: bytes | None = None

    @property
    def version(self) -> str:
        return f"{self._epoch}-{self._number}"

    @property
    def packed(self) -> bytes:
        """Two bits a seat, made once for each version."""
        if self._packed is None:
            self._packed = pack_states(np.where(self.states == RESERVED, BLOCKED, self.states).astype(np.uint8))
        return self._packed

    def change(self, ordinals: list[int], states: list[int]) -> None:
        self.states[ordinals] = states
        self._number += 1
        self._packed = None

    def counts(self) -> NDArray[np.int64]:
        """By zone number and state; softly reserved seats are blocked for all but one."""
        shown = np.where(self.states == RESERVED, BLOCKED, self.states)
        zones = len(self.house.zone_ids)
        together = np.bincount(self.house.index.chart.zone * 4 + shown, minlength=zones * 4)
        return together.reshape(zones, 4)


class Halls:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._halls: OrderedDict[UUID, Hall] = OrderedDict()
        self._houses: OrderedDict[UUID, House] = OrderedDict()
        self._loading: dict[UUID, asyncio.Task[Hall | None]] = {}
        self._meanwhile: dict[UUID, list[Any]] = {}  # what was told of a hall that is being loaded
        self._leave = [
            services.bus.subscribe(f"{TOPIC}*", self._hear),
            services.bus.subscribe(RESYNC, lambda _topic, _none: self._forget_all()),
        ]

    async def start(self) -> None: ...

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        loading = list(self._loading.values())
        for task in loading:
            task.cancel()
        await asyncio.gather(*loading, return_exceptions=True)

    async def get(self, organization_id: UUID, event_id: UUID) -> Hall | None:
        """The show's seats; None if it has no layout. Those who ask together load it once."""
        if hall := self._halls.get(event_id):
            self._halls.move_to_end(event_id)
            return hall
        task = self._loading.get(event_id)
        if task is None:
            self._meanwhile[event_id] = []
            task = self._loading[event_id] = asyncio.create_task(self._load(organization_id, event_id))
            task.add_done_callback(lambda done: self._loaded(event_id, done))
        return await asyncio.shield(task)

    async def _load(self, organization_id: UUID, event_id: UUID) -> Hall | None:
        async with self._services.database.tenant(organization_id) as tx:
            overlay = await store.event_layout(tx, organization_id, event_id)
            if overlay is None:
                return None
            house = self._houses.get(overlay.layout_id) or await self._load_house(tx, overlay.layout_id)
            rows = await store.seat_states(tx, organization_id, event_id)
        states = np.full(len(house.index.chart.zone), BLOCKED, np.uint8)
        if rows and rows.ordinals and rows.states:
            states[rows.ordinals] = rows.states
        return Hall(organization_id, event_id, house, states)

    async def _load_house(self, tx: Tx, layout_id: UUID) -> House:
        plan = await actions.get_plan(tx, layout_id)
        zones = await store.zones_of_layout(tx, tx.organization_id, layout_id)
        drawn = await store.layout_geometry(tx, tx.organization_id, layout_id) or b""
        index = await asyncio.to_thread(lambda: prepare(compile(plan)))
        house = msgspec.structs.replace(house_of(layout_id, plan, index, [zone.id for zone in zones]), geometry=drawn)
        self._houses[layout_id] = house
        if len(self._houses) > LAYOUTS_MAX:
            self._houses.popitem(last=False)
        return house

    def _loaded(self, event_id: UUID, done: asyncio.Task[Hall | None]) -> None:
        if self._loading.get(event_id) is not done:
            return  # dropped while it was loaded: whoever waits has it, nobody else will
        del self._loading[event_id]
        told = self._meanwhile.pop(event_id)
        if done.cancelled() or done.exception() or (hall := done.result()) is None or None in told:
            return
        for change in told:
            hall.change(*change)
        self._halls[event_id] = hall
        if len(self._halls) > HALLS_MAX:
            self._halls.popitem(last=False)

    # --- news

    def _hear(self, topic: str, change: Any) -> None:
        """`[ordinals, states]`, or nothing: then everything may be different."""
        event_id = UUID(topic.removeprefix(TOPIC))
        if event_id in self._meanwhile:
            self._meanwhile[event_id].append(change)
        if change is None:
            self._halls.pop(event_id, None)
        elif hall := self._halls.get(event_id):
            hall.change(*change)

    def _forget_all(self) -> None:
        self._halls.clear()
        self._loading.clear()
        self._meanwhile.clear()


def house_of(layout_id: UUID, plan: Plan, index: Index, zone_ids: list[UUID]) -> House:
    places = list(walk(plan))
    ordinals = {place.seat.key: n for n, place in enumerate(places)}
    wholes = [tuple(ordinals[key] for key in group.seats) for group in plan.groups if group.sold_as == "whole"]
    return House(
        layout_id=layout_id,
        index=index,
        names=_names(plan),
        zone_ids=zone_ids,
        rows=[place.row.label for place in places],
        numbers=[place.seat.number for place in places],
        prices={category.key: n for n, category in enumerate(plan.price_categories)},
        wholes={n: whole for whole in wholes for n in whole},
    )


def _names(plan: Plan) -> Names:
    rows: list[str] = []
    seats: list[str] = []
    for place in walk(plan):
        rows += [place.row.label] * (place.row_index + 1 - len(rows))  # a row without seats is never named
        seats.append(f"{place.row.label}-{place.seat.number}")
    return Names(row=rows.__getitem__, seat=seats.__getitem__)
