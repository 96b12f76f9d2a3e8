"""The actions of venues and gates. Each takes a transaction: load, decide, write, announce."""

from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import Role
from fullhouse.events import actions, cache_keys, policy, store
from fullhouse.events.facts import EventUpdated, GateChanged, VenueChanged
from fullhouse.events.model import (
    ChangeGate,
    ChangeVenue,
    Gate,
    GateCodeTaken,
    NewGate,
    NewVenue,
    NotGrantedToStaff,
    SlugTaken,
    Venue,
    VenueTooSmall,
)
from fullhouse.events.venues.countries import UNKNOWN_COUNTRY, is_country
from fullhouse.kit import text
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, difference, with_changes
from fullhouse.kit.errors import FieldError, Invalid, NotFound
from fullhouse.kit.http import versions
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Fact, announce
from fullhouse.kit.times import parse_timezone

T = TypeVar("T")
_SLUG_TRIES = 20  # bounds the retries when concurrent requests want the same slug

# --- venues


async def require_venue(tx: Tx, venue_id: UUID) -> Venue:
    return _require(await store.venue_by_id(tx, venue_id))


async def create_venue(tx: Tx, who: Principal, request: NewVenue) -> Venue:
    await _check_staff(tx, who)
    return await _create(tx, _normalize_country(request))


async def ensure_city_venue(tx: Tx, city: str) -> Venue:
    """The virtual venue that stands for a whole city, created once. Staff may always use it: it names no real venue."""
    name = text.fold(city)
    if known := await store.find_city_venue(tx, name):
        return known
    zone = (await accounts.require_profile(tx)).timezone
    return await _create(
        tx, NewVenue(name=city, city=city, country=UNKNOWN_COUNTRY, timezone=zone, kind="virtual"), name
    )


async def _create(tx: Tx, request: NewVenue, stands_for: str | None = None) -> Venue:
    _check_location(request)
    _check_country(request.country)
    venue, is_new = await _insert_venue(tx, request, stands_for)
    if is_new:
        await audit.write(tx, "venue.created", "venue", venue.id, after={"name": venue.name, "slug": venue.slug})
        await _announce(tx, VenueChanged(subject_id=venue.id), venue_id=venue.id)
    return venue


async def change_venue(tx: Tx, who: Principal, venue_id: UUID, change: ChangeVenue, if_match: str | None) -> Venue:
    await _check_staff(tx, who)
    before = _require(await store.lock_venue(tx, venue_id))
    versions.check_if_match(if_match, before.version)
    after = _normalize_country(with_changes(before, change))
    _check_location(after)
    if after == before:
        return before
    if after.country != before.country:  # an older value, from before countries were checked, may stay
        _check_country(after.country)
    await _check_events_fit(tx, before, after)
    try:
        saved = await store.update_venue(tx, venue_id=venue_id, **_columns(after))
    except asyncpg.UniqueViolationError:
        raise SlugTaken(f"Another venue has the slug “{after.slug}”.", slug=after.slug) from None
    assert saved
    await audit_difference(tx, "venue.updated", "venue", before, saved)
    differing = tuple(difference(before, after)[0])
    await _announce(tx, VenueChanged(subject_id=venue_id, changed=differing), venue_id=venue_id)
    return saved


async def delete_venue(tx: Tx, venue_id: UUID, if_match: str | None) -> None:
    """Deletes a venue and its gates. Its events keep their copy of name, address and time zone, and are announced."""
    venue = _require(await store.lock_venue(tx, venue_id))
    versions.check_if_match(if_match, venue.version)
    before = {event.id: event for event in await store.lock_events_at(tx, venue_id)}
    events = await store.clear_venue(tx, venue_id)
    await store.delete_venue(tx, venue_id)
    Cache.invalidate(tx, *cache_keys.stale_without_venue(tx.organization_id, venue_id, list(before)))
    await audit.write(tx, "venue.deleted", "venue", venue_id, before={"name": venue.name, "slug": venue.slug})
    for event in events:
        if not policy.is_over(event.status):  # subscribers do not need changes of past events
            await actions.announce_change(tx, EventUpdated, before[event.id], event, changed=["venue_id"])
    await _announce(tx, VenueChanged(subject_id=venue_id, deleted=True), venue_id=venue_id)


async def _insert_venue(tx: Tx, request: NewVenue, stands_for: str | None) -> tuple[Venue, bool]:
    """Inserts with the requested slug, or with a free one made of the name. Returns whether the venue is new: a
    concurrent request may have created the city's venue."""
    wanted = slug = request.slug or text.make_slug(request.name, "venue")
    for _ in range(_SLUG_TRIES):
        row = msgspec.structs.replace(request, slug=slug)
        venue = await store.insert_venue(tx, id=new_id(), **_columns(row), stands_for=stands_for)
        if venue is not None:
            return venue, True
        if stands_for and (known := await store.find_city_venue(tx, stands_for)):
            return known, False
        if request.slug:
            break
        slug = f"{wanted}-{await store.free_number(tx, table='venues', slug=wanted)}"
    raise SlugTaken(f"Another venue has the slug “{wanted}”.", slug=wanted)


_COLUMNS = (
    "slug", "name", "kind", "timezone", "address", "address_parts", "city", "country", "latitude", "longitude",
    "max_capacity", "settings",
)  # fmt: skip


def _columns(venue: Venue | NewVenue) -> dict[str, Any]:
    return {name: getattr(venue, name) for name in _COLUMNS}


def _check_location(venue: Venue | NewVenue) -> None:
    parse_timezone(venue.timezone)
    if venue.kind == "physical" and venue.address is None:
        raise Invalid(fields=[FieldError("address", "Enter an address: a physical venue needs one.")])
    if (venue.latitude is None) != (venue.longitude is None):
        raise Invalid(fields=[FieldError("longitude", "Enter both latitude and longitude, or neither.")])


def _check_country(country: str) -> None:
    if not is_country(country):
        sentence = "Enter the country's two-letter code (ISO 3166, e.g. BE) or its English name."
        raise Invalid(f"country: {sentence}", fields=[FieldError("country", sentence)])


VenueT = TypeVar("VenueT", Venue, NewVenue)


def _normalize_country(venue: VenueT) -> VenueT:
    """Normalises the country: two letters are an ISO code, in capitals."""
    country = venue.country.strip()
    return msgspec.structs.replace(venue, country=country.upper() if len(country) == 2 else country)


async def lock_open_events(tx: Tx, venue_id: UUID) -> list[UUID]:
    """Locks the events at a venue that are not over, so that nobody holds or buys. The venue is locked before them."""
    return await store.lock_open_events_at(tx, venue_id) or []


async def _check_events_fit(tx: Tx, before: Venue, after: Venue) -> None:
    """Refuses a capacity below that of announced events, and names them. Holds and sales are checked later, under the
    same locks (holds/capacity_actions.py)."""
    if after.max_capacity == before.max_capacity:
        return
    await lock_open_events(tx, before.id)
    if not after.max_capacity or (before.max_capacity and after.max_capacity >= before.max_capacity):
        return
    events = await store.list_events_above_capacity(tx, venue_id=before.id, max_capacity=after.max_capacity)
    if events:
        names = ", ".join(f"“{event.name}”" for event in events)
        raise VenueTooSmall(
            f"These announced events have a higher capacity: {names}.",
            names=names,
            events=[event.id for event in events],
        )


async def _check_staff(tx: Tx, who: Principal) -> None:
    if who.role == Role.STAFF and not (await accounts.require_profile(tx)).staff_may_edit_venues:
        raise NotGrantedToStaff()


# --- gates


async def require_gate(tx: Tx, gate_id: UUID) -> Gate:
    return _require(await store.gate_by_id(tx, gate_id))


async def create_gate(tx: Tx, who: Principal, venue_id: UUID, request: NewGate) -> Gate:
    await _check_staff(tx, who)
    _require(await store.lock_venue_shared(tx, venue_id))
    try:
        gate = await store.insert_gate(
            tx,
            id=new_id(),
            venue_id=venue_id,
            gate_code=request.gate_code,
            name=request.name,
            status=request.status,
            capacity=request.capacity,
            settings=request.settings,
        )
    except asyncpg.UniqueViolationError:
        raise GateCodeTaken(
            f"The venue has a gate “{request.gate_code}” already.", gate_code=request.gate_code
        ) from None
    assert gate
    await audit.write(tx, "gate.created", "gate", gate.id, after={"gate_code": gate.gate_code, "status": gate.status})
    await _announce_gate(tx, gate)
    return gate


async def change_gate(tx: Tx, who: Principal, gate_id: UUID, change: ChangeGate, if_match: str | None) -> Gate:
    await _check_staff(tx, who)
    before = _require(await store.lock_gate(tx, gate_id))
    versions.check_if_match(if_match, before.version)
    after = with_changes(before, change)
    if after == before:
        return before
    try:
        saved = await store.update_gate(
            tx,
            gate_id=gate_id,
            gate_code=after.gate_code,
            name=after.name,
            status=after.status,
            capacity=after.capacity,
            settings=after.settings,
        )
    except asyncpg.UniqueViolationError:
        raise GateCodeTaken(f"The venue has a gate “{after.gate_code}” already.", gate_code=after.gate_code) from None
    assert saved
    await audit_difference(tx, "gate.updated", "gate", before, saved)
    await _announce_gate(tx, saved)
    return saved


async def delete_gate(tx: Tx, gate_id: UUID, if_match: str | None) -> None:
    gate = _require(await store.lock_gate(tx, gate_id))
    versions.check_if_match(if_match, gate.version)
    await store.delete_gate(tx, gate_id)
    await audit.write(tx, "gate.deleted", "gate", gate_id, before={"gate_code": gate.gate_code})
    await _announce_gate(tx, msgspec.structs.replace(gate, status="closed"))


async def _announce_gate(tx: Tx, gate: Gate) -> None:
    fields = {"gate_id": gate.id, "venue_id": gate.venue_id, "status": gate.status}
    await _announce(tx, GateChanged(subject_id=gate.id, venue_id=gate.venue_id, status=gate.status), **fields)


async def _announce(tx: Tx, fact: Fact, **fields: Any) -> None:
    """Announces the fact, and publishes it with `fields` to the organisation's live channel."""
    await announce(tx, fact)
    tx.publish(f"events:org:{tx.organization_id}", {"fact": fact.name, **msgspec.structs.asdict(fact), **fields})


def _require(row: T | None) -> T:
    if row is None:
        raise NotFound
    return row
