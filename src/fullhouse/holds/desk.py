"""What is known of an event, and the checks, before the engine decides. The caches used here may be stale: they save
work, and never refuse what the database would allow, except under the organiser's seating rules.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import NamedTuple
from uuid import UUID

import msgspec
import numpy as np
import structlog

from fullhouse.holds import policy, store
from fullhouse.holds.engine import Ask, Engine, Results, Want
from fullhouse.holds.model import HoldItems, Item, OrphanSeats, WholeGroup
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import network_of
from fullhouse.kit.codes import as_stored
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import journal
from fullhouse.seating.allocation import orphans
from fullhouse.seating.maps.halls import HALLS_MAX, Hall, Halls
from fullhouse.seating.model import AVAILABLE, RESERVED, EventZone, ZoneAccessDenied
from fullhouse.seating.overlay import actions as seating
from fullhouse.seating.plans.chart import ordinal_of, seat_id
from fullhouse.seating.reads import Book, Terms

LOOK_AGAIN_S = 1.0
log = structlog.get_logger()


class Desk:
    """An event's seating rules, limits and cached seat states: built once for each version of these."""

    __slots__ = (
        "_forgotten", "_until", "closed", "event_id", "hall", "is_accessible", "is_picked", "limits", "most_chairs",
        "organization_id", "seat_zones", "services", "special", "staff_limits", "terms",
    )  # fmt: skip

    def __init__(
        self, services: Services, organization_id: UUID, event_id: UUID, rules: Terms, seat_states: Hall | None
    ) -> None:
        self.services = services
        self.organization_id, self.event_id = organization_id, event_id
        self.terms, self.hall = rules, seat_states
        self.limits = policy.limits(rules.policy)
        self.staff_limits = self.limits._replace(most_places=None)
        self.most_chairs = rules.policy.number("max_wheelchair_seats_per_booking")
        self.is_accessible = rules.policy.on("enforce_accessibility_rules")
        self.closed = {i: zone for i, zone in rules.seating.zones.items() if zone.access_mode != "public"}
        self.is_picked = not rules.policy.on("prefer_clustering_over_selection")
        self.special = (
            seat_states.house.wheelchairs | seat_states.house.wholes.keys() if seat_states else frozenset[int]()
        )
        self.seat_zones = (
            frozenset(np.unique(seat_states.house.index.chart.zone).tolist()) if seat_states else frozenset[int]()
        )
        self._forgotten, self._until = -1, 0.0

    def is_current(self) -> bool:
        """Checks the cached rules once a second, and after every cache invalidation."""
        forgotten, now = self.services.cache.forgotten, monotonic()
        if forgotten == self._forgotten and now < self._until:
            return True
        if not self.services.part(Book).is_current(self.terms, self.organization_id, self.event_id):
            return False
        self._forgotten, self._until = forgotten, now + LOOK_AGAIN_S
        return True

    def ordinal(self, seat: UUID) -> int | None:
        if self.hall is None:
            return None
        found = ordinal_of(self.hall.house.layout_id, seat)
        return found if found is not None and found < len(self.hall.states) else None

    def zone_of(self, ordinal: int) -> EventZone | None:
        assert self.hall
        zone_id = self.hall.house.zone_ids[self.hall.house.index.chart.zone[ordinal]]
        return self.terms.seating.zones.get(zone_id)

    def is_wheelchair(self, ordinal: int) -> bool:
        assert self.hall
        return ordinal in self.hall.house.wheelchairs

    def rules_beside(self, ordinals: Iterable[int]) -> orphans.Rules:
        """The orphan rules for a party with these seats: once a zone has released its companion seats, they count as
        ordinary seats."""
        rules = policy.rules(self.terms.policy)
        zones = [self.zone_of(n) for n in ordinals if self.is_wheelchair(n)]
        if any(zone and zone.companions_released for zone in zones):
            return msgspec.structs.replace(rules, companions_kept=False)
        return rules

    def is_in_whole(self, ordinal: int) -> bool:
        """Whether the seat is sold only with its whole table or block; `best_available` never chooses such a seat."""
        assert self.hall
        return ordinal in self.hall.house.wholes


class Desks:
    """One for each event on sale, cached in this process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._desks: OrderedDict[UUID, Desk] = OrderedDict()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def at_hand(self, organization_id: UUID, event_id: UUID) -> Desk | None:
        """From memory, which nearly always has it; None if anything would have to be read."""
        sale = self._desks.get(event_id)
        if sale is None or sale.hall is None or sale.organization_id != organization_id or not sale.is_current():
            return None
        return sale if self._services.parts[Halls].known(event_id) is sale.hall else None

    async def get(self, organization_id: UUID, event_id: UUID) -> Desk:
        if sale := self.at_hand(organization_id, event_id):
            return sale
        rules = await self._services.part(Book).terms(organization_id, event_id)
        cache = self._services.part(Halls)
        seat_states = await cache.get(organization_id, event_id) if rules.seating.layout_id else None
        sale = self._desks.get(event_id)
        if sale is None or sale.terms is not rules or sale.hall is not seat_states:
            sale = self._desks[event_id] = Desk(self._services, organization_id, event_id, rules, seat_states)
            if len(self._desks) > HALLS_MAX:
                self._desks.popitem(last=False)
        return sale


# --- checks


async def check_entry(sale: Desk, who: Principal, ordinals: Iterable[int], zone_ids: Iterable[UUID]) -> None:
    """Zones with restricted access: a refusal names the reason, and is audited; the access log has both outcomes."""
    if not sale.closed:
        return
    requested = {zone.id for zone in map(sale.zone_of, ordinals) if zone} | set(zone_ids)
    closed = [zone for zone_id, zone in sale.closed.items() if zone_id in requested]
    if not closed:
        return
    try:
        async with sale.services.database.tenant(sale.organization_id, who.actor) as tx:
            await seating.check_access(tx, sale.event_id, closed, who)
    except ZoneAccessDenied as denied:
        async with sale.services.database.tenant(sale.organization_id, who.actor) as tx:
            zone_id = denied.extra.get("zone_id")
            await audit.write(
                tx, "zone.access_denied", "event", sale.event_id, after={"zone_id": zone_id}, reason=denied.detail
            )
        denied.noted = True
        journal.zone_access(
            sale.organization_id, sale.event_id, zone_id, who.id, granted=False, reason=denied.detail or denied.title
        )
        raise
    for zone in closed:
        journal.zone_access(sale.organization_id, sale.event_id, zone.id, who.id, granted=True, reason=zone.access_mode)


async def open_zones(sale: Desk, who: Principal, wanted: Sequence[UUID] | None) -> set[int]:
    """The positions of the zones to choose from: the requested ones, or all public ones."""
    assert sale.hall
    zones = sale.terms.seating.zones
    if wanted is not None:
        await check_entry(sale, who, (), wanted)
        return {zones[i].position for i in wanted if i in zones}
    return {zone.position for zone in zones.values() if zone.access_mode == "public"}


def check_groups(sale: Desk, ordinals: Sequence[int]) -> None:
    if sale.hall is None or not sale.hall.house.wholes:
        return
    requested = set(ordinals)
    for ordinal in ordinals:
        whole = sale.hall.house.wholes.get(ordinal, ())
        if not requested.issuperset(whole):
            layout_id = sale.hall.house.layout_id
            raise WholeGroup(seat_ids=[seat_id(layout_id, n) for n in whole])


def check_orphans(sale: Desk, ordinals: Sequence[int], own: Sequence[int]) -> None:
    """Checks a basket of picked seats as a whole. If the check itself fails, the choice is allowed."""
    if sale.hall is None or not ordinals:
        return
    states = sale.hall.states
    try:
        runs = sale.hall.house.index.run_start
        own = [n for n in own if runs[n] in runs[list(ordinals)]]  # seats elsewhere were checked when they were held
        mine = np.zeros(len(states), bool)
        mine[[*own, *ordinals]] = True
        free = (states == AVAILABLE) | mine
        verdict = orphans.judge(
            sale.hall.house.index,
            free,
            free | (states == RESERVED),
            list(ordinals),
            sale.rules_beside([*own, *ordinals]),
            own=own,
            names=sale.hall.house.names,
        )
    except Exception:
        log.exception("orphan.check_failed", detail="the choice is allowed", event_id=str(sale.event_id))
        return
    if not verdict.allowed:
        layout_id = sale.hall.house.layout_id
        other = verdict.alternative
        raise OrphanSeats(
            verdict.reason,
            orphans=[seat_id(layout_id, n) for n in verdict.orphans],
            alternative=[seat_id(layout_id, n) for n in other] if other else None,
        )
    if not verdict.legal:
        journal.orphans_created(sale.organization_id, sale.event_id, len(verdict.orphans), verdict.reason)


async def own_seats(tx: Tx, sale: Desk, who: Principal) -> list[int]:
    """The ordinals of the seats that the buyer holds in this event."""
    holds = await store.my_holds(tx, event_id=sale.event_id, user_id=who.id)
    return [n for hold in holds if hold.seat_id and (n := sale.ordinal(hold.seat_id)) is not None]


async def zones_on_sale(tx: Tx, sale: Desk, who: Principal, zones: set[int], promo_code: str | None) -> set[int]:
    """Of these zones, those of which some ticket type sells seats now to a buyer with this code. Staff may hold seats
    before the sale, too."""
    assert sale.hall
    ids = {sale.hall.house.zone_ids[n]: n for n in zones & sale.seat_zones}
    if policy.is_staff(who) or not ids:
        return zones
    code = promo_code and as_stored(promo_code)
    unsold = await store.unsold_zones(tx, event_id=sale.event_id, zone_ids=list(ids), promo_code=code)
    if len(unsold) == len(ids):
        raise policy.nothing_sold([zone.outcome for zone in unsold])
    return zones - {ids[zone.zone_id] for zone in unsold}


# --- requests to the engine


def wish(sale: Desk, item: Item) -> Want:
    if item.seat_id:
        return seat_wish(sale, item.seat_id, sale.ordinal(item.seat_id))
    if item.zone_id:
        type_id = item.ticket_type_id
        return Want(new_id(), kind="zone", ref_id=item.zone_id, quantity=item.quantity, ticket_type_id=type_id)
    return Want(new_id(), kind="ticket_type", ref_id=item.ticket_type_id, quantity=item.quantity)


def seat_wish(sale: Desk, seat: UUID, ordinal: int | None) -> Want:
    if ordinal is None or not sale.is_wheelchair(ordinal):
        return Want(new_id(), seat)
    return Want(new_id(), seat, keeps_companions=sale.is_accessible, most_chairs=sale.most_chairs)


class BasketId(NamedTuple):
    """A basket's id: random; or, with an Idempotency-Key, half from the key and half from the body.

    A repeat is found in the range of ids that start with the key's half (`once`); if the other half differs, the same
    key came with another body.
    """

    id: UUID
    once: tuple[UUID, UUID] | None = None

    @classmethod
    def of(cls, who: Principal, event_id: UUID, key: str | None, request: HoldItems) -> "BasketId":
        if key is None:
            return cls(new_id())
        prefix = hashlib.sha256(f"{who.organization_id}:{who.id}:{event_id}:{key}".encode()).digest()[:8]
        low, high = UUID(bytes=prefix + b"\0" * 8), UUID(bytes=prefix + b"\xff" * 8)
        return cls(UUID(bytes=prefix + hashlib.sha256(msgspec.json.encode(request)).digest()[:8]), (low, high))


def asking(
    sale: Desk, who: Principal, items: tuple[Want, ...], source: str, basket: BasketId, promo_code: str | None = None
) -> Ask:
    actor = who.actor
    limits = sale.staff_limits if policy.is_staff(who) else sale.limits
    network = network_of(actor.ip) if limits.most_near is not None else None
    return Ask(
        sale.event_id,
        who.id,
        basket.id,
        items,
        source,
        network,
        limits,
        basket.once,
        actor.ip,
        actor.user_agent,
        actor.request_id,
        promo_code and as_stored(promo_code),
    )


async def ask(
    sale: Desk, who: Principal, items: tuple[Want, ...], source: str, basket: BasketId, promo_code: str | None = None
) -> Results:
    request = asking(sale, who, items, source, basket, promo_code)
    return await sale.services.part(Engine).hold(sale.organization_id, request)


def refuse_first(sale: Desk, results: Results, items: Sequence[Item]) -> None:
    """Refuses the whole basket with the refusal of its first item that failed."""
    for n, (result, item) in enumerate(zip(results, items, strict=True)):
        if not result.good and result.outcome != "not_tried":
            ids = {"seat_id": item.seat_id, "zone_id": item.zone_id, "ticket_type_id": item.ticket_type_id}
            raise policy.refusal(result, sale.terms.policy, item=n, **ids)
