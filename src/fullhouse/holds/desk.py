"""What is known and checked before the engine decides. Caches may be late here: they spare work and refuse nothing that
the database would allow, except by the organiser's rules.
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
    """What is known of a show before the engine decides: made once, for as long as its terms and its hall stay."""

    __slots__ = (
        "_forgotten", "_until", "closed", "event_id", "hall", "is_accessible", "is_picked", "limits", "most_chairs",
        "organization_id", "seat_zones", "services", "special", "staff_limits", "terms",
    )  # fmt: skip

    def __init__(
        self, services: Services, organization_id: UUID, event_id: UUID, known: Terms, hall: Hall | None
    ) -> None:
        self.services = services
        self.organization_id, self.event_id = organization_id, event_id
        self.terms, self.hall = known, hall
        self.limits = policy.limits(known.policy)
        self.staff_limits = self.limits._replace(most_places=None)
        self.most_chairs = known.policy.number("max_wheelchair_seats_per_booking")
        self.is_accessible = known.policy.on("enforce_accessibility_rules")
        self.closed = {i: zone for i, zone in known.seating.zones.items() if zone.access_mode != "public"}
        self.is_picked = not known.policy.on("prefer_clustering_over_selection")
        self.special = hall.house.wheelchairs | hall.house.wholes.keys() if hall else frozenset[int]()
        self.seat_zones = frozenset(np.unique(hall.house.index.chart.zone).tolist()) if hall else frozenset[int]()
        self._forgotten, self._until = -1, 0.0

    def is_current(self) -> bool:
        """Looked at again once a second, and whenever something was forgotten."""
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
        """The orphan rules for a party with these seats: once a zone has released its companion seats, they are seats
        like all others."""
        rules = policy.rules(self.terms.policy)
        zones = [self.zone_of(n) for n in ordinals if self.is_wheelchair(n)]
        if any(zone and zone.companions_released for zone in zones):
            return msgspec.structs.replace(rules, companions_kept=False)
        return rules

    def is_in_whole(self, ordinal: int) -> bool:
        """Whether the seat is bought with its whole table or block, and so never chosen by us."""
        assert self.hall
        return ordinal in self.hall.house.wholes


class Desks:
    """One for each show that is on sale here."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._desks: OrderedDict[UUID, Desk] = OrderedDict()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def at_hand(self, organization_id: UUID, event_id: UUID) -> Desk | None:
        """Nearly always it is in memory, and then nobody is asked."""
        at = self._desks.get(event_id)
        if at is None or at.hall is None or at.organization_id != organization_id or not at.is_current():
            return None
        return at if self._services.parts[Halls].known(event_id) is at.hall else None

    async def get(self, organization_id: UUID, event_id: UUID) -> Desk:
        if at := self.at_hand(organization_id, event_id):
            return at
        known = await self._services.part(Book).terms(organization_id, event_id)
        halls = self._services.part(Halls)
        hall = await halls.get(organization_id, event_id) if known.seating.layout_id else None
        at = self._desks.get(event_id)
        if at is None or at.terms is not known or at.hall is not hall:
            at = self._desks[event_id] = Desk(self._services, organization_id, event_id, known, hall)
            if len(self._desks) > HALLS_MAX:
                self._desks.popitem(last=False)
        return at


# --- checks


async def check_entry(at: Desk, who: Principal, ordinals: Iterable[int], zone_ids: Iterable[UUID]) -> None:
    """Who may not enter a zone is refused with the reason, and that is written down."""
    if not at.closed:
        return
    asked = {zone.id for zone in map(at.zone_of, ordinals) if zone} | set(zone_ids)
    closed = [zone for zone_id, zone in at.closed.items() if zone_id in asked]
    if not closed:
        return
    try:
        async with at.services.database.tenant(at.organization_id, who.actor) as tx:
            await seating.check_access(tx, at.event_id, closed, who)
    except ZoneAccessDenied as denied:
        async with at.services.database.tenant(at.organization_id, who.actor) as tx:
            zone_id = denied.extra.get("zone_id")
            await audit.write(
                tx, "zone.access_denied", "event", at.event_id, after={"zone_id": zone_id}, reason=denied.detail
            )
        denied.noted = True
        journal.zone_access(
            at.organization_id, at.event_id, zone_id, who.id, granted=False, reason=denied.detail or denied.title
        )
        raise
    for zone in closed:
        journal.zone_access(at.organization_id, at.event_id, zone.id, who.id, granted=True, reason=zone.access_mode)


async def open_zones(at: Desk, who: Principal, wanted: Sequence[UUID] | None) -> set[int]:
    """The numbers of the zones to choose from: those asked for, or all that are open to everybody."""
    assert at.hall
    zones = at.terms.seating.zones
    if wanted is not None:
        await check_entry(at, who, (), wanted)
        return {zones[i].position for i in wanted if i in zones}
    return {zone.position for zone in zones.values() if zone.access_mode == "public"}


def check_groups(at: Desk, ordinals: Sequence[int]) -> None:
    if at.hall is None or not at.hall.house.wholes:
        return
    asked = set(ordinals)
    for ordinal in ordinals:
        whole = at.hall.house.wholes.get(ordinal, ())
        if not asked.issuperset(whole):
            layout_id = at.hall.house.layout_id
            raise WholeGroup(seat_ids=[seat_id(layout_id, n) for n in whole])


def check_orphans(at: Desk, ordinals: Sequence[int], own: Sequence[int]) -> None:
    """A basket picked by hand is judged as a whole. If the check itself fails, nobody loses a seat to that."""
    if at.hall is None or not ordinals:
        return
    states = at.hall.states
    try:
        runs = at.hall.house.index.run_start
        own = [n for n in own if runs[n] in runs[list(ordinals)]]  # the rest was judged when it was taken
        mine = np.zeros(len(states), bool)
        mine[[*own, *ordinals]] = True
        free = (states == AVAILABLE) | mine
        verdict = orphans.judge(
            at.hall.house.index,
            free,
            free | (states == RESERVED),
            list(ordinals),
            at.rules_beside([*own, *ordinals]),
            own=own,
            names=at.hall.house.names,
        )
    except Exception:
        log.exception("the orphan check failed; the choice is allowed", event_id=str(at.event_id))
        return
    if not verdict.allowed:
        layout_id = at.hall.house.layout_id
        other = verdict.alternative
        raise OrphanSeats(
            verdict.reason,
            orphans=[seat_id(layout_id, n) for n in verdict.orphans],
            alternative=[seat_id(layout_id, n) for n in other] if other else None,
        )
    if not verdict.legal:
        journal.orphans_created(at.organization_id, at.event_id, len(verdict.orphans), verdict.reason)


async def own_seats(tx: Tx, at: Desk, who: Principal) -> list[int]:
    """What the buyer has in this show already, by ordinal."""
    holds = await store.my_holds(tx, event_id=at.event_id, user_id=who.id)
    return [n for hold in holds if hold.seat_id and (n := at.ordinal(hold.seat_id)) is not None]


async def zones_on_sale(tx: Tx, at: Desk, who: Principal, zones: set[int], promo_code: str | None) -> set[int]:
    """Of these zones, those whose seats a ticket type sells now to somebody with this code. Staff keep seats before
    the sale too."""
    assert at.hall
    ids = {at.hall.house.zone_ids[n]: n for n in zones & at.seat_zones}
    if policy.is_staff(who) or not ids:
        return zones
    code = promo_code and as_stored(promo_code)
    unsold = await store.unsold_zones(tx, event_id=at.event_id, zone_ids=list(ids), promo_code=code)
    if len(unsold) == len(ids):
        raise policy.nothing_sold([zone.outcome for zone in unsold])
    return zones - {ids[zone.zone_id] for zone in unsold}


# --- asking


def wish(at: Desk, item: Item) -> Want:
    if item.seat_id:
        return seat_wish(at, item.seat_id, at.ordinal(item.seat_id))
    if item.zone_id:
        named = item.ticket_type_id
        return Want(new_id(), kind="zone", ref_id=item.zone_id, quantity=item.quantity, ticket_type_id=named)
    return Want(new_id(), kind="ticket_type", ref_id=item.ticket_type_id, quantity=item.quantity)


def seat_wish(at: Desk, seat: UUID, ordinal: int | None) -> Want:
    if ordinal is None or not at.is_wheelchair(ordinal):
        return Want(new_id(), seat)
    return Want(new_id(), seat, keeps_companions=at.is_accessible, most_chairs=at.most_chairs)


class BasketId(NamedTuple):
    """A basket's id: by chance; or, with an Idempotency-Key, one half from the key and one from the body.

    So a repeat is found by the range of ids that the key's half begins, and another body under the same key is seen.
    """

    id: UUID
    once: tuple[UUID, UUID] | None = None

    @classmethod
    def of(cls, who: Principal, event_id: UUID, key: str | None, order: HoldItems) -> "BasketId":
        if key is None:
            return cls(new_id())
        named = hashlib.sha256(f"{who.organization_id}:{who.id}:{event_id}:{key}".encode()).digest()[:8]
        low, high = UUID(bytes=named + b"\0" * 8), UUID(bytes=named + b"\xff" * 8)
        return cls(UUID(bytes=named + hashlib.sha256(msgspec.json.encode(order)).digest()[:8]), (low, high))


def asking(
    at: Desk, who: Principal, wants: tuple[Want, ...], source: str, basket: BasketId, promo_code: str | None = None
) -> Ask:
    actor = who.actor
    limits = at.staff_limits if policy.is_staff(who) else at.limits
    network = network_of(actor.ip) if limits.most_near is not None else None
    return Ask(
        at.event_id,
        who.id,
        basket.id,
        wants,
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
    at: Desk, who: Principal, wants: tuple[Want, ...], source: str, basket: BasketId, promo_code: str | None = None
) -> Results:
    asked = asking(at, who, wants, source, basket, promo_code)
    return await at.services.part(Engine).hold(at.organization_id, asked)


def refuse_first(at: Desk, results: Results, items: Sequence[Item]) -> None:
    """The first line that is to blame speaks for the basket."""
    for n, (result, item) in enumerate(zip(results, items, strict=True)):
        if not result.good and result.outcome != "not_tried":
            named = {"seat_id": item.seat_id, "zone_id": item.zone_id, "ticket_type_id": item.ticket_type_id}
            raise policy.refusal(result, at.terms.policy, item=n, **named)
