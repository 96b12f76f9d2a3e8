"""Pushes changed offers of an event to its live stream.

The bus announces changed seats and counts as `seats:{event}`, and changed prices or ticket types as `offers:{event}`.
Subscribers of the event's stream then receive `offers`: at most once a second, read once for all of them, and only if a
buyer sees a difference; and `least`, the lowest price, if it has changed.
"""

import asyncio
from typing import Any

import structlog

from fullhouse.kit import tasks
from fullhouse.kit.ids import parse_id
from fullhouse.kit.live.broadcast import StreamMessage
from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.seating.model import HELD, SeatChange
from fullhouse.tickets import policy
from fullhouse.tickets.promo_codes import actions as promos
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import Offer

INTERVAL_S = 1.0
EVENTS_MAX = 10_000
log = structlog.get_logger()


class LiveOffers:
    """One task reads and delivers, so that no subscriber receives an older state after a newer one."""

    def __init__(self, services: Services) -> None:
        self._services, self._bus = services, services.bus
        self._changed: set[tuple[str, str]] = set()  # pairs of organisation and event
        self._sent: dict[str, list[Offer]] = {}  # by event: the offers sent last, as buyers see them
        self._lowest_prices: dict[str, Money | None] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe = [
            self._bus.subscribe("seats:*", self._on_seats_changed),
            self._bus.subscribe("offers:*", self._on_offers_changed),
            self._bus.subscribe(RESYNC, lambda _topic, _none: self._clear()),
        ]

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="offers:live")

    async def stop(self) -> None:
        for leave in self._unsubscribe:
            leave()
        if self._task:
            await tasks.stop(self._task)

    def _on_seats_changed(self, topic: str, change: Any) -> None:
        """Without a change, clients receive a snapshot and reload the offers themselves. Held seats do not change the
        offers, because their ticket type is only known at checkout."""
        if change is None:
            return
        seats = SeatChange(*change)
        if seats.counts or not seats.states or any(state != HELD for state in seats.states):
            self._on_offers_changed(topic, seats.organization_id)

    def _on_offers_changed(self, topic: str, organization_id: Any) -> None:
        event = topic.partition(":")[2]
        if self._bus.has_listener(f"live:{event}"):
            self._changed.add((str(organization_id), event))
            self._wake.set()
        else:  # no subscriber: later ones have received nothing
            self._sent.pop(event, None)
            self._lowest_prices.pop(event, None)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed, self._changed = self._changed, set()
            for organization, event in changed:
                try:
                    await self._publish(organization, event)
                except Exception:  # the next change is delivered
                    log.warning("offers.read_failed", event_id=event, exc_info=True)
            await asyncio.sleep(INTERVAL_S)

    async def _publish(self, organization: str, event: str) -> None:
        organization_id, event_id = parse_id(organization), parse_id(event)
        async with self._services.database.tenant(organization_id) as tx:
            found = await types.list_offers(tx, event_id, (await promos.load_charges(tx, event_id)).charges)
        least = (await types.lowest_prices(self._services, organization_id)).get(event_id)
        seen = [policy.as_visible(offer) for offer in found]
        changes = []
        if self._sent.get(event) != seen:
            changes.append(StreamMessage("offers", found))
        if least and self._lowest_prices.get(event) != least:
            changes.append(StreamMessage("least", least))
        if len(self._sent) >= EVENTS_MAX:
            self._clear()
        self._sent[event], self._lowest_prices[event] = seen, least
        self._bus.deliver([(f"live:{event}", each) for each in changes])

    def _clear(self) -> None:
        self._sent.clear()
        self._lowest_prices.clear()
