"""What is known and checked before the engine decides. Caches may be late here: they spare work and refuse nothing that
the database would allow, except by the organiser's rules.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
import structlog

from fullhouse.holds import policy, store
from fullhouse.holds.engine import Ask, Engine, Results, Want
from fullhouse.holds.model import Item, OrphanSeats, WholeGroup
from fullhouse.kit import audit
from fullhouse.kit.actors import Principal
from fullhouse.kit.ids import new_id
from fullhouse.kit.limits import network_of
from fullhouse.kit.services import Services
from fullhouse.seating import orphans
from fullhouse.seating import overlay_actions as seating
from fullhouse.seating.chart import ordinal_of, seat_id
from fullhouse.seating.halls import AVAILABLE, RESERVED, Hall, Halls
from fullhouse.seating.index import WHEELCHAIR
from fullhouse.seating.model import EventZone, ZoneAccessDenied
from fullhouse.seating.reads import Terms, terms

log = structlog.get_logger()


class Desk(NamedTuple):
    """Everything that is known about a buyer's wish before the engine decides."""

    services: Services
    who: Principal
    event_id: UUID
    terms: Terms
    hall: Hall | None

    @property
    def organization_id(self) -> UUID:
        return self.who.organization_id

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
        return bool(self.hall.house.index.chart.category[ordinal] == WHEELCHAIR)


async def desk(services: Services, who: Principal, event_id: UUID) -> Desk:
    known = await terms(services, who.organization_id, event_id)
    hall = await services.part(Halls).get(who.organization_id, event_id) if known.seating.layout_id else None
    return Desk(services, who, event_id, known, hall)


# --- checks


async def check_entry(at: Desk, ordinals: Iterable[int], zone_ids: Iterable[UUID]) -> None:
    """Who may not enter a zone is refused with the reason, and that is written down."""
    zones = {zone.id: zone for zone in map(at.zone_of, ordinals) if zone}
    zones |= {i: at.terms.seating.zones[i] for i in zone_ids if i in at.terms.seating.zones}
    closed = [zone for zone in zones.values() if zone.access_mode != "public"]
    if not closed:
        return
    try:
        async with at.services.database.tenant(at.organization_id, at.who.actor) as tx:
            await seating.check_access(tx, at.event_id, closed, at.who)
    except ZoneAccessDenied as denied:
        async with at.services.database.tenant(at.organization_id, at.who.actor) as tx:
            zone_id = denied.extra.get("zone_id")
            await audit.write(
                tx, "zone.access_denied", "event", at.event_id, after={"zone_id": zone_id}, reason=denied.detail
            )
        denied.noted = True
        log.info("zone access", event_id=str(at.event_id), zone_id=str(zone_id), user_id=str(at.who.id),
                 access_denied=True, reason=denied.detail)  # fmt: skip
        raise


async def open_zones(at: Desk, wanted: Sequence[UUID] | None) -> set[int]:
    """The numbers of the zones to choose from: those asked for, or all that are open to everybody."""
    assert at.hall
    zones = at.terms.seating.zones
    if wanted is not None:
        await check_entry(at, (), wanted)
        return {zones[i].position for i in wanted if i in zones}
    return {zone.position for zone in zones.values() if zone.access_mode == "public"}


def check_groups(at: Desk, ordinals: Sequence[int]) -> None:
    if at.hall is None:
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
        mine = np.zeros(len(states), bool)
        mine[[*own, *ordinals]] = True
        free = (states == AVAILABLE) | mine
        verdict = orphans.judge(
            at.hall.house.index, free, free | (states == RESERVED), list(ordinals), policy.rules(at.terms.policy),
            own=own, names=at.hall.house.names,
        )  # fmt: skip
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
        log.info("orphan seats", event_id=str(at.event_id), orphans=len(verdict.orphans), reason=verdict.reason)


async def own_seats(at: Desk) -> list[int]:
    """What the buyer has in this show already, by ordinal."""
    async with at.services.database.tenant(at.organization_id, at.who.actor) as tx:
        holds = await store.my_holds(tx, at.organization_id, at.event_id, at.who.id)
    return [n for hold in holds if hold.seat_id and (n := at.ordinal(hold.seat_id)) is not None]


# --- asking


def wish(at: Desk, item: Item) -> Want:
    if item.seat_id:
        return seat_wish(at, item.seat_id, at.ordinal(item.seat_id))
    kind, ref_id = ("zone", item.zone_id) if item.zone_id else ("ticket_type", item.ticket_type_id)
    return Want(new_id(), kind=kind, ref_id=ref_id, quantity=item.quantity)


def seat_wish(at: Desk, seat: UUID, ordinal: int | None) -> Want:
    keeps = ordinal is not None and at.is_wheelchair(ordinal) and at.terms.policy.on("enforce_accessibility_rules")
    return Want(new_id(), seat, keeps_companions=keeps)


class BasketId(NamedTuple):
    """A basket's id: by chance; or, with an Idempotency-Key, one half from the key and one from the body.

    So a repeat is found by the range of ids that the key's half begins, and another body under the same key is seen.
    """

    id: UUID
    once: tuple[UUID, UUID] | None = None

    @classmethod
    def of(cls, who: Principal, event_id: UUID, key: str | None, body: bytes) -> "BasketId":
        if key is None:
            return cls(new_id())
        named = hashlib.sha256(f"{who.organization_id}:{who.id}:{event_id}:{key}".encode()).digest()[:8]
        low, high = UUID(bytes=named + b"\0" * 8), UUID(bytes=named + b"\xff" * 8)
        return cls(UUID(bytes=named + hashlib.sha256(body).digest()[:8]), (low, high))


async def ask(at: Desk, wants: tuple[Want, ...], source: str, basket: BasketId) -> Results:
    actor, known = at.who.actor, at.terms.policy
    assert at.who.id
    request = Ask(
        event_id=at.event_id,
        user_id=at.who.id,
        basket_id=basket.id,
        once=basket.once,
        wants=wants,
        source=source,
        network=network_of(actor.ip) if known.values["max_holds_per_ip"] is not None else None,
        ttl_s=policy.ttl_s(known),
        per_window=known.number("holds_per_window"),
        most_mine=policy.limit(known, "max_holds_per_user"),
        most_near=policy.limit(known, "max_holds_per_ip"),
        ip=actor.ip,
        user_agent=actor.user_agent,
        request_id=actor.request_id,
    )
    return await at.services.part(Engine).hold(at.organization_id, request)


def refuse_first(results: Results, items: Sequence[Item]) -> None:
    """The first line that is to blame speaks for the basket."""
    for n, (result, item) in enumerate(zip(results, items, strict=True)):
        if not result.good and result.outcome != "not_tried":
            raise policy.refusal(result.outcome, result.left_s, item=n, seat_id=item.seat_id, zone_id=item.zone_id)
