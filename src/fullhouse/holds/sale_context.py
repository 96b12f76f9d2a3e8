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
from fullhouse.holds.engine import Engine, HoldRequest, RequestItem, Results
from fullhouse.holds.model import HoldItems, Item, OrphanSeats, SoldAsWhole
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.limits import network_of
from fullhouse.kit.codes import normalise
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating import journal
from fullhouse.seating.allocation import orphans
from fullhouse.seating.maps.seat_states import EVENTS_MAX, SeatStateCache, SeatStates
from fullhouse.seating.model import AVAILABLE, RESERVED, EventZone, ZoneAccessDenied
from fullhouse.seating.overlay import actions as seating
from fullhouse.seating.plans.chart import ordinal_of, seat_id
from fullhouse.seating.reads import SeatingConfigCache, SeatingRules

RECHECK_S = 1.0
log = structlog.get_logger()


class SaleContext:
    """An event's seating rules, limits and cached seat states: built once for each version of these."""

    __slots__ = (
        "_forgotten",
        "_until",
        "event_id",
        "is_accessible",
        "limits",
        "max_wheelchairs",
        "organization_id",
        "restricted_zones",
        "rules",
        "seat_zones",
        "seats",
        "services",
        "staff_limits",
    )  # fmt: skip

    def __init__(
        self,
        services: Services,
        organization_id: UUID,
        event_id: UUID,
        rules: SeatingRules,
        seat_states: SeatStates | None,
    ) -> None:
        self.services = services
        self.organization_id, self.event_id = organization_id, event_id
        self.rules, self.seats = rules, seat_states
        self.limits = policy.limits(rules.policy)
        self.staff_limits = self.limits._replace(most_places=None)
        self.max_wheelchairs = rules.policy.number("max_wheelchair_seats_per_booking")
        self.is_accessible = rules.policy.is_on("enforce_accessibility_rules")
        self.restricted_zones = {i: zone for i, zone in rules.seating.zones.items() if zone.access_mode != "public"}
        self.seat_zones = (
            frozenset(np.unique(seat_states.seat_index.index.chart.zone).tolist()) if seat_states else frozenset[int]()
        )
        self._forgotten, self._until = -1, 0.0

    def is_current(self) -> bool:
        """Checks the cached rules once a second, and after every cache invalidation."""
        forgotten, now = self.services.cache.invalidations, monotonic()
        if forgotten == self._forgotten and now < self._until:
            return True
        if not self.services.part(SeatingConfigCache).is_current(self.rules, self.organization_id, self.event_id):
            return False
        self._forgotten, self._until = forgotten, now + RECHECK_S
        return True

    def ordinal(self, seat: UUID) -> int | None:
        if self.seats is None:
            return None
        found = ordinal_of(self.seats.seat_index.layout_id, seat)
        return found if found is not None and found < len(self.seats.states) else None

    def zone_of(self, ordinal: int) -> EventZone | None:
        assert self.seats
        zone_id = self.seats.seat_index.zone_ids[self.seats.seat_index.index.chart.zone[ordinal]]
        return self.rules.seating.zones.get(zone_id)

    def is_wheelchair(self, ordinal: int) -> bool:
        assert self.seats
        return ordinal in self.seats.seat_index.wheelchairs

    def orphan_rules_for(self, ordinals: Iterable[int]) -> orphans.AllocationRules:
        """The orphan rules for a party with these seats: once a zone has released its companion seats, they count as
        ordinary seats."""
        rules = policy.orphan_rules(self.rules.policy)
        zones = [self.zone_of(n) for n in ordinals if self.is_wheelchair(n)]
        if any(zone and zone.companions_released for zone in zones):
            return msgspec.structs.replace(rules, companions_kept=False)
        return rules

    def is_in_group(self, ordinal: int) -> bool:
        """Whether the seat is sold only with its whole table or block; `best_available` never chooses such a seat."""
        assert self.seats
        return ordinal in self.seats.seat_index.whole_groups


class SaleContexts:
    """One for each event on sale, cached in this process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._contexts: OrderedDict[UUID, SaleContext] = OrderedDict()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def peek(self, organization_id: UUID, event_id: UUID) -> SaleContext | None:
        """From memory, which nearly always has it; None if anything would have to be read."""
        sale = self._contexts.get(event_id)
        if sale is None or sale.seats is None or sale.organization_id != organization_id or not sale.is_current():
            return None
        return sale if self._services.parts[SeatStateCache].peek(event_id) is sale.seats else None

    async def get(self, organization_id: UUID, event_id: UUID) -> SaleContext:
        if sale := self.peek(organization_id, event_id):
            return sale
        rules = await self._services.part(SeatingConfigCache).get_rules(organization_id, event_id)
        all_states = self._services.part(SeatStateCache)
        seat_states = await all_states.get(organization_id, event_id) if rules.seating.layout_id else None
        sale = self._contexts.get(event_id)
        if sale is None or sale.rules is not rules or sale.seats is not seat_states:
            sale = self._contexts[event_id] = SaleContext(self._services, organization_id, event_id, rules, seat_states)
            if len(self._contexts) > EVENTS_MAX:
                self._contexts.popitem(last=False)
        return sale


# --- checks


async def check_zone_access(
    sale: SaleContext, who: Principal, ordinals: Iterable[int], zone_ids: Iterable[UUID]
) -> None:
    """Zones with restricted access: a refusal names the reason, and is audited; the access log has both outcomes."""
    if not sale.restricted_zones:
        return
    requested = {zone.id for zone in map(sale.zone_of, ordinals) if zone} | set(zone_ids)
    closed = [zone for zone_id, zone in sale.restricted_zones.items() if zone_id in requested]
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
        denied.is_audited = True
        journal.log_zone_access(
            sale.organization_id, sale.event_id, zone_id, who.id, granted=False, reason=denied.detail or denied.title
        )
        raise
    for zone in closed:
        journal.log_zone_access(
            sale.organization_id, sale.event_id, zone.id, who.id, granted=True, reason=zone.access_mode
        )


async def find_open_zones(sale: SaleContext, who: Principal, wanted: Sequence[UUID] | None) -> set[int]:
    """The positions of the zones to choose from: the requested ones, or all public ones."""
    assert sale.seats
    zones = sale.rules.seating.zones
    if wanted is not None:
        await check_zone_access(sale, who, (), wanted)
        return {zones[i].position for i in wanted if i in zones}
    return {zone.position for zone in zones.values() if zone.access_mode == "public"}


def check_whole_groups(sale: SaleContext, ordinals: Sequence[int]) -> None:
    if sale.seats is None or not sale.seats.seat_index.whole_groups:
        return
    requested = set(ordinals)
    for ordinal in ordinals:
        whole = sale.seats.seat_index.whole_groups.get(ordinal, ())
        if not requested.issuperset(whole):
            layout_id = sale.seats.seat_index.layout_id
            raise SoldAsWhole(seat_ids=[seat_id(layout_id, n) for n in whole])


def check_orphans(sale: SaleContext, ordinals: Sequence[int], own: Sequence[int]) -> None:
    """Checks a basket of picked seats as a whole. If the check itself fails, the choice is allowed."""
    if sale.seats is None or not ordinals:
        return
    states = sale.seats.states
    try:
        runs = sale.seats.seat_index.index.run_start
        own = [n for n in own if runs[n] in runs[list(ordinals)]]  # seats elsewhere were checked when they were held
        mine = np.zeros(len(states), bool)
        mine[[*own, *ordinals]] = True
        free = (states == AVAILABLE) | mine
        verdict = orphans.evaluate(
            sale.seats.seat_index.index,
            free,
            free | (states == RESERVED),
            list(ordinals),
            sale.orphan_rules_for([*own, *ordinals]),
            own=own,
            names=sale.seats.seat_index.names,
        )
    except Exception:
        log.exception("orphan.check_failed", detail="the choice is allowed", event_id=str(sale.event_id))
        return
    if not verdict.allowed:
        layout_id = sale.seats.seat_index.layout_id
        other = verdict.alternative
        raise OrphanSeats(
            verdict.reason,
            orphans=[seat_id(layout_id, n) for n in verdict.orphans],
            alternative=[seat_id(layout_id, n) for n in other] if other else None,
        )
    if not verdict.legal:
        journal.log_orphans(sale.organization_id, sale.event_id, len(verdict.orphans), verdict.reason)


async def list_own_seats(tx: Tx, sale: SaleContext, who: Principal) -> list[int]:
    """The ordinals of the seats that the buyer holds in this event."""
    holds = await store.list_my_holds(tx, event_id=sale.event_id, user_id=who.id)
    return [n for hold in holds if hold.seat_id and (n := sale.ordinal(hold.seat_id)) is not None]


async def find_zones_on_sale(
    tx: Tx, sale: SaleContext, who: Principal, zones: set[int], promo_code: str | None
) -> set[int]:
    """Of these zones, those of which some ticket type sells seats now to a buyer with this code. Staff may hold seats
    before the sale, too."""
    assert sale.seats
    ids = {sale.seats.seat_index.zone_ids[n]: n for n in zones & sale.seat_zones}
    if policy.is_staff(who) or not ids:
        return zones
    code = promo_code and normalise(promo_code)
    unsold = await store.list_unsold_zones(tx, event_id=sale.event_id, zone_ids=list(ids), promo_code=code)
    if len(unsold) == len(ids):
        raise policy.to_unsold_refusal([zone.outcome for zone in unsold])
    return zones - {ids[zone.zone_id] for zone in unsold}


# --- requests to the engine


def build_item(sale: SaleContext, item: Item) -> RequestItem:
    if item.seat_id:
        return build_seat_item(sale, item.seat_id, sale.ordinal(item.seat_id))
    if item.zone_id:
        type_id = item.ticket_type_id
        return RequestItem(new_id(), kind="zone", ref_id=item.zone_id, quantity=item.quantity, ticket_type_id=type_id)
    return RequestItem(new_id(), kind="ticket_type", ref_id=item.ticket_type_id, quantity=item.quantity)


def build_seat_item(sale: SaleContext, seat: UUID, ordinal: int | None) -> RequestItem:
    if ordinal is None or not sale.is_wheelchair(ordinal):
        return RequestItem(new_id(), seat)
    return RequestItem(new_id(), seat, keeps_companions=sale.is_accessible, max_wheelchairs=sale.max_wheelchairs)


class BasketId(NamedTuple):
    """A basket's id: random; or, with an Idempotency-Key, half from the key and half from the body.

    A repeat is found in the range of ids that start with the key's half (`key_range`); if the other half differs, the
    same key came with another body.
    """

    id: UUID
    key_range: tuple[UUID, UUID] | None = None

    @classmethod
    def of(cls, who: Principal, event_id: UUID, key: str | None, request: HoldItems) -> "BasketId":
        if key is None:
            return cls(new_id())
        prefix = hashlib.sha256(f"{who.organization_id}:{who.id}:{event_id}:{key}".encode()).digest()[:8]
        low, high = UUID(bytes=prefix + b"\0" * 8), UUID(bytes=prefix + b"\xff" * 8)
        return cls(UUID(bytes=prefix + hashlib.sha256(msgspec.json.encode(request)).digest()[:8]), (low, high))


def build_request(
    sale: SaleContext,
    who: Principal,
    items: tuple[RequestItem, ...],
    source: str,
    basket: BasketId,
    promo_code: str | None = None,
) -> HoldRequest:
    actor = who.actor
    limits = sale.staff_limits if policy.is_staff(who) else sale.limits
    network = network_of(actor.ip) if limits.most_near is not None else None
    return HoldRequest(
        sale.event_id,
        who.id,
        basket.id,
        items,
        source,
        network,
        limits,
        basket.key_range,
        actor.ip,
        actor.user_agent,
        actor.request_id,
        promo_code and normalise(promo_code),
    )


async def place_request(
    sale: SaleContext,
    who: Principal,
    items: tuple[RequestItem, ...],
    source: str,
    basket: BasketId,
    promo_code: str | None = None,
) -> Results:
    request = build_request(sale, who, items, source, basket, promo_code)
    return await sale.services.part(Engine).hold(sale.organization_id, request)


def check_results(sale: SaleContext, results: Results, items: Sequence[Item]) -> None:
    """Refuses the whole basket with the refusal of its first item that failed."""
    for n, (result, item) in enumerate(zip(results, items, strict=True)):
        if not result.is_granted and result.outcome != "not_tried":
            ids = {"seat_id": item.seat_id, "zone_id": item.zone_id, "ticket_type_id": item.ticket_type_id}
            raise policy.to_refusal(result, sale.rules.policy, item=n, **ids)
