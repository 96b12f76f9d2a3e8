"""Pushes changed offers of an event to its live stream.

The bus announces changed seats and counts as `seats:{event}`, and changed prices or ticket types as `offers:{event}`.
Subscribers of the event's stream then receive `offers`: at most once a second, read once for all of them, and only if a
buyer sees a difference; and `least`, the lowest price, if it has changed.
"""

import asyncio
from typing import Any

import structlog

from fullhouse.kit import tasks
from fullhouse.kit.ids import read_id
from fullhouse.kit.live.broadcast import News
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.seating.model import HELD, SeatChange
from fullhouse.tickets import policy
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import Offer

EVERY_S = 1.0
WATCHED_MAX = 10_000
log = structlog.get_logger()


class LiveOffers:
    """One task reads and delivers, so that no subscriber receives an older state after a newer one."""

    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._changed: set[tuple[str, str]] = set()  # pairs of organisation and event
        self._told: dict[str, list[Offer]] = {}  # by event: the offers sent last, as buyers see them
        self._least: dict[str, Money | None] = {}
        self._wake = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._leave = [
            self._bus.subscribe("seats:*", self._hear_seats),
            self._bus.subscribe("offers:*", self._hear),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._forget()),
        ]

    async def start(self) -> None:
        self._telling = asyncio.create_task(self._keep_telling(), name="offers:live")

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        if self._telling:
            await tasks.stop(self._telling)

    def _hear_seats(self, topic: str, change: Any) -> None:
        """Without a change, clients receive a snapshot and reload the offers themselves. Held seats do not change the
        offers, because their ticket type is only known at checkout."""
        if change is None:
            return
        seats = SeatChange(*change)
        if seats.counts or not seats.states or any(state != HELD for state in seats.states):
            self._hear(topic, seats.organization_id)

    def _hear(self, topic: str, organization_id: Any) -> None:
        event = topic.partition(":")[2]
        if self._bus.is_heard(f"live:{event}"):
            self._changed.add((str(organization_id), event))
            self._wake.set()
        else:  # no subscriber: later ones have received nothing
            self._told.pop(event, None)
            self._least.pop(event, None)

    async def _keep_telling(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed, self._changed = self._changed, set()
            for organization, event in changed:
                try:
                    await self._tell(organization, event)
                except Exception:  # the next change is delivered
                    log.warning("offers.read_failed", event_id=event, exc_info=True)
            await asyncio.sleep(EVERY_S)

    async def _tell(self, organization: str, event: str) -> None:
        organization_id, event_id = read_id(organization), read_id(event)
        async with self._services.database.tenant(organization_id) as tx:
            found = await types.offers(tx, event_id, (await promos.charges(tx, event_id)).charges)
        least = (await types.least_prices(self._services, organization_id)).get(event_id)
        seen = [policy.as_seen(offer) for offer in found]
        changes = []
        if self._told.get(event) != seen:
            changes.append(News("offers", found))
        if least and self._least.get(event) != least:
            changes.append(News("least", least))
        if len(self._told) >= WATCHED_MAX:
            self._forget()
        self._told[event], self._least[event] = seen, least
        self._bus.deliver([(f"live:{event}", each) for each in changes])

    def _forget(self) -> None:
        self._told.clear()
        self._least.clear()
