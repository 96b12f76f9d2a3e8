"""Actions on an event's seating: its overlay, guest lists, and access to zones."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.events.facts import EventUpdated, LimitsJudged
from fullhouse.events.model import Event
from fullhouse.events.venues import actions as venues
from fullhouse.kit.actors import Principal
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http import versions
from fullhouse.kit.messages import outbox
from fullhouse.kit.messages.outbox import announce
from fullhouse.seating import actions, facts, journal, policy, store
from fullhouse.seating import policy_actions as policies
from fullhouse.seating.model import (
    AddGuests,
    AttachLayout,
    EventLayout,
    EventLayoutView,
    EventZone,
    Layout,
    LayoutInUse,
    LayoutLeftBehind,
    LayoutNotActive,
    NoLayout,
    OtherVenue,
    OverlayInvalid,
    PolicyInvalid,
    SeatChange,
    Zone,
    ZoneAccessDenied,
    ZoneNotFound,
    ZoneOverride,
)
from fullhouse.seating.plans.chart import ordinal_of, seat_id

_SEATS_PER_MESSAGE = 400  # seats in one message between processes


async def get_event_layout(tx: Tx, event_id: UUID) -> EventLayout:
    found = await store.event_layout(tx, event_id)
    if found is None:
        await events.require_event(tx, event_id)  # an unknown event is another refusal
        raise NoLayout()
    return found


async def to_view(tx: Tx, overlay: EventLayout) -> EventLayoutView:
    layout = await actions.get_layout(tx, overlay.layout_id)
    stored = msgspec.structs.asdict(overlay)
    return EventLayoutView(
        **stored | {"zone_overrides": msgspec.convert(overlay.zone_overrides, dict[str, ZoneOverride])},
        layout_version=layout.version,
        zones=await store.zones_of_event(tx, overlay.event_id),
        blocked_seat_ids=await store.blocked_seats(tx, overlay.event_id) or [],
    )


async def save_overlay(tx: Tx, event: Event, request: AttachLayout, zones: list[Zone]) -> EventLayout:
    overlay = await store.put_event_layout(
        tx,
        event_id=event.id,
        layout_id=request.layout_id,
        disabled_zones=request.disabled_zones,
        zone_overrides=msgspec.to_builtins(request.zone_overrides),
        pricing_zones=msgspec.to_builtins(request.pricing_zones),
        policy=request.policy,
    )
    assert overlay
    await _create_seats(tx, event, overlay.layout_id, zones, request.blocked_seat_ids)
    return overlay


async def attach(tx: Tx, event_id: UUID, request: AttachLayout, if_match: str | None) -> EventLayout:
    """Sets an event's whole overlay and creates its seats: all of it or nothing."""
    event = await events.lock_event(tx, event_id)
    before = await store.lock_event_layout(tx, event_id)
    versions.check_if_match(if_match, before.version if before else 0)
    await outbox.run_sync_handlers(tx, LimitsJudged(subject_id=event_id))
    await store.lock_pools(tx, event_id)  # pools before seats, as everywhere, against deadlocks
    if await store.is_in_use(tx, event_id):
        raise await build_in_use_refusal(tx, event_id)
    zones = await _check_overlay(tx, event, request)
    overlay = await save_overlay(tx, event, await _block_allotments(tx, request), zones)
    await audit.write(
        tx,
        "event.layout_set",
        "event",
        event_id,
        before=before and {"layout_id": before.layout_id},
        after={"layout_id": overlay.layout_id, "zones": [zone.key for zone in zones]},
    )
    await announce(tx, facts.EventLayoutChanged(subject_id=event_id, layout_id=overlay.layout_id))
    publish_reload(tx, event_id)
    return overlay


async def _block_allotments(tx: Tx, request: AttachLayout) -> AttachLayout:
    """Allotments are blocked from the start, until staff unblocks them."""
    groups = await store.groups_of_layout(tx, request.layout_id)
    kept = {seat_id(request.layout_id, n) for g in groups if g.group_type == "reserved_block" for n in g.ordinals}
    return msgspec.structs.replace(request, blocked_seat_ids=[*{*request.blocked_seat_ids, *kept}])


async def detach(tx: Tx, event_id: UUID) -> None:
    """Removes the event's layout and seats."""
    await events.lock_event(tx, event_id)
    before = await get_event_layout(tx, event_id)
    await outbox.run_sync_handlers(tx, LimitsJudged(subject_id=event_id))
    await store.lock_pools(tx, event_id)
    if await store.is_in_use(tx, event_id):
        raise await build_in_use_refusal(tx, event_id)
    await _remove_layout(tx, event_id, before)


async def apply_venue_change(tx: Tx, fact: EventUpdated) -> None:
    """Sync handler for a changed venue: a layout belongs to its venue. If seats are held or sold, the event keeps it.
    Otherwise it is removed if the request says so or the event has no venue any more; else the change is refused.
    """
    moved = "venue_id" in fact.changed
    overlay = await store.event_layout(tx, fact.subject_id) if moved else None
    if overlay is None:
        return
    await outbox.run_sync_handlers(tx, LimitsJudged(subject_id=fact.subject_id))
    await store.lock_pools(tx, fact.subject_id)
    if await store.is_in_use(tx, fact.subject_id):
        if fact.drop_layout:
            raise await build_in_use_refusal(tx, fact.subject_id)
    elif fact.drop_layout or (await events.require_event(tx, fact.subject_id)).venue_id is None:
        await _remove_layout(tx, fact.subject_id, overlay)
    else:
        raise LayoutLeftBehind()


async def build_in_use_refusal(tx: Tx, event_id: UUID) -> LayoutInUse:
    """The refusal, with the numbers of held and sold seats. Expired holds do not count."""
    taken = await store.count_taken(tx, event_id)
    assert taken
    return LayoutInUse(f"{taken.sold} tickets are sold and {taken.held} are held.", **taken._asdict())


async def _remove_layout(tx: Tx, event_id: UUID, before: EventLayout) -> None:
    await store.clear_event_zones(tx, event_id)
    await store.delete_event_layout(tx, event_id)
    await audit.write(tx, "event.layout_removed", "event", event_id, before={"layout_id": before.layout_id})
    await announce(tx, facts.EventLayoutChanged(subject_id=event_id, layout_id=None))
    publish_reload(tx, event_id)


async def _create_seats(tx: Tx, event: Event, layout_id: UUID, zones: list[Zone], blocked: Iterable[UUID] = ()) -> None:
    """Creates the event's zones, pools and seats in place of the former ones; guest lists stay with their zones."""
    ids, keys = [zone.id for zone in zones], [zone.key for zone in zones]
    await store.move_guests(tx, event_id=event.id, ids=ids, keys=keys)
    await store.clear_event_seats(tx, event.id)
    await store.clear_event_zones(tx, event.id)
    await store.insert_event_zones(
        tx,
        event_id=event.id,
        ids=ids,
        positions=[zone.position for zone in zones],
        zone_keys=keys,
        names=[zone.name for zone in zones],
        zone_types=[zone.zone_type for zone in zones],
        capacities=[zone.capacity for zone in zones],
        access_modes=[zone.access_mode for zone in zones],
        membership_tiers=[zone.membership_tier for zone in zones],
        allowed_roles=[",".join(zone.allowed_roles) for zone in zones],
        price_categories=[zone.price_category for zone in zones],
    )
    await store.insert_event_seats(tx, event_id=event.id, layout_id=layout_id, seat_ids=list(blocked))
    await store.use_custom_plans(tx)
    await store.insert_zone_pools(tx, event.id)


def publish_reload(tx: Tx, event_id: UUID) -> None:
    """Tells every process to load this event's seats again."""
    tx.publish(f"seats:{event_id}", None)


# --- checks


async def _check_overlay(tx: Tx, event: Event, request: AttachLayout) -> list[Zone]:
    """The event's zones as the overlay makes them; raises with every mistake at once."""
    layout = await actions.get_layout(tx, request.layout_id)
    if layout.status != "active":
        raise LayoutNotActive(f"Version {layout.version} is {layout.status}.")
    if layout.venue_id != event.venue_id:
        raise OtherVenue(fields=[FieldError("layout_id", "Choose a layout of the event's own venue.")])
    zones, mistakes = await fit_overlay(tx, event, request)
    mistakes += _find_unknown_seats(layout, request.blocked_seat_ids)
    inherited = await policies.load_organization_policy(tx)
    wrong = policy.check_overrides(request.policy, inherited.mandatory)
    if wrong:
        raise PolicyInvalid(policies.render_mistakes(wrong + mistakes), fields=wrong + mistakes)
    mistakes += policy.check_zones(zones, policy.merge_policy(*inherited, request.policy))
    if mistakes:
        raise OverlayInvalid(policies.render_mistakes(mistakes), fields=mistakes)
    return zones


async def fit_overlay(tx: Tx, event: Event, request: AttachLayout) -> tuple[list[Zone], list[FieldError]]:
    """The zones that result from an overlay, and its mistakes."""
    known = {zone.id: zone for zone in await store.zones_of_layout(tx, request.layout_id)}
    venue = await venues.require_venue(tx, event.venue_id) if event.venue_id else None
    plan = await actions.get_plan(tx, request.layout_id) if request.pricing_zones else None
    prices = {category.key for category in plan.price_categories} if plan else ()
    mistakes = policy.check_overlay(known, request, venue.max_capacity if venue else 0, prices)
    return policy.apply_overlay(known.values(), request), mistakes


async def carry_over(tx: Tx, overlay: EventLayout, layout_id: UUID) -> AttachLayout:
    """The same overlay for another version of the layout: zones and seats are matched by key."""
    old, new = [await store.zones_of_layout(tx, i) for i in (overlay.layout_id, layout_id)]
    new_ids = {zone.key: zone.id for zone in new}
    ids = {zone.id: new_ids[zone.key] for zone in old if zone.key in new_ids}
    overrides = {
        ids[i]: o for i, o in msgspec.convert(overlay.zone_overrides, dict[UUID, ZoneOverride]).items() if i in ids
    }
    prices = msgspec.convert(overlay.pricing_zones, dict[UUID, str])
    return AttachLayout(
        layout_id=layout_id,
        disabled_zones=[ids[i] for i in overlay.disabled_zones if i in ids],
        zone_overrides=overrides,
        pricing_zones={ids[i]: price for i, price in prices.items() if i in ids},
        blocked_seat_ids=await store.match_blocked_seats(tx, event_id=overlay.event_id, layout_id=layout_id) or [],
        policy=overlay.policy,
    )


def _find_unknown_seats(layout: Layout, seat_ids: list[UUID]) -> list[FieldError]:
    known = range(layout.seat_count)
    return [
        FieldError(f"blocked_seat_ids[{n}]", "The layout has no such seat.")
        for n, seat_id in enumerate(seat_ids)
        if ordinal_of(layout.id, seat_id) not in known
    ][:100]


# --- publishing


def publish_seats(
    tx: Tx,
    event_id: UUID,
    seats: Sequence[tuple[int, int | None]],
    state: int,
    counts: Iterable[tuple[UUID | None, int | None, int | None, int | None]] = (),
    *,
    kept: bool = False,
) -> None:
    """Publishes the new state of seats (by ordinal, with their versions) and zone counts to every process. A list too
    long for one message makes them load all seats again. `kept` says that the seats had this state already.
    """
    if len(seats) > _SEATS_PER_MESSAGE:
        publish_reload(tx, event_id)
        return
    ordinals, versions = [ordinal for ordinal, _ in seats], [version for _, version in seats]
    places = [(str(zone_id), held, sold, version) for zone_id, held, sold, version in counts]
    change = SeatChange(ordinals, [state] * len(seats), versions, places, tx.organization_id, kept)  # type: ignore[arg-type]
    tx.publish(f"seats:{event_id}", change)


async def release_companions(tx: Tx, event_id: UUID, zone_id: UUID) -> bool:
    """Opens a zone's companion seats to everybody, permanently, if enough of it is sold. Returns whether it did."""
    zone = await require_zone(tx, event_id, zone_id)
    effective = policy.to_effective_policy(await policies.load_effective_policy(tx, event_id))
    if zone.companions_released or not policy.should_release_companions(zone.sold, zone.capacity, effective):
        return False
    opened = await store.release_companions(tx, event_id=event_id, zone_id=zone_id) or []
    await audit.write(
        tx, "companions.released", "event", event_id, after={"zone": zone.key, "sold": zone.sold, "seats": len(opened)}
    )
    await announce(tx, facts.CompanionsReleased(subject_id=event_id, zone_id=zone_id))
    if opened:
        layout_id = (await get_event_layout(tx, event_id)).layout_id
        kept = [(seat_id(layout_id, n), "blocked") for n in opened]
        journal.log_seat_changes(tx, event_id, kept, "available", "companions released")
        publish_reload(tx, event_id)
    return True


async def record_accessible_booking(tx: Tx, event_id: UUID, order_id: UUID, seat_ids: list[UUID]) -> None:
    """Audits wheelchair spaces and companion seats that were sold, for the accessibility staff."""
    booked = await store.accessible_seats(tx, event_id=event_id, seat_ids=seat_ids) if seat_ids else []
    if booked and policy.to_effective_policy(await policies.load_effective_policy(tx, event_id)).is_on(
        "accessibility_audit_enabled"
    ):
        seats = [{"seat_key": seat.seat_key, "category": seat.category} for seat in booked]
        await audit.write(tx, "accessibility.booked", "order", order_id, after={"event_id": event_id, "seats": seats})


# --- zones and their guests


async def require_zone(tx: Tx, event_id: UUID, zone_id: UUID) -> EventZone:
    for zone in await store.zones_of_event(tx, event_id):
        if zone.id == zone_id:
            return zone
    await get_event_layout(tx, event_id)
    raise ZoneNotFound()


async def add_guests(tx: Tx, event_id: UUID, zone_id: UUID, request: AddGuests) -> int:
    zone = await require_zone(tx, event_id, zone_id)
    guests = {guest.email.lower(): guest.name for guest in request.guests}  # duplicates count once
    emails, names = list(guests), list(guests.values())
    added = await store.add_guests(
        tx, event_id=event_id, zone_id=zone.id, emails=emails, names=names, added_by=tx.actor.id
    )
    await audit.write(tx, "zone.guests_added", "event", event_id, after={"zone": zone.key, "emails": emails})
    return added


async def remove_guest(tx: Tx, event_id: UUID, zone_id: UUID, email: str) -> None:
    zone = await require_zone(tx, event_id, zone_id)
    if await store.remove_guest(tx, event_id=event_id, zone_id=zone_id, email=email.lower()):
        before = {"zone": zone.key, "email": email.lower()}
        await audit.write(tx, "zone.guest_removed", "event", event_id, before=before)


async def load_visitor(tx: Tx, event_id: UUID, user_id: UUID | None, role: str | None) -> policy.Visitor:
    """What decides a person's access to an event's zones."""
    if user_id is None:
        return policy.Visitor(role)
    tiers, email = await accounts.get_tiers_and_email(tx, user_id)
    listed = await store.list_guest_zones(tx, event_id=event_id, email=email) if email else []
    return policy.Visitor(role, tiers, frozenset(listed or []))


async def check_access(tx: Tx, event_id: UUID, zones: Iterable[EventZone], who: Principal) -> None:
    """Refuses with the reason. The refusal rolls this transaction back: the caller audits it in another one."""
    person = await load_visitor(tx, event_id, who.id, who.role)
    for zone in zones:
        if (reason := policy.explain_denial(zone, person)) is not None:
            raise ZoneAccessDenied(reason, zone_id=zone.id)
