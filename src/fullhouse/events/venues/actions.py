"""The verbs of venues and gates. Each takes a transaction: load, decide, write, announce."""

from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import msgspec

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import Role
from fullhouse.events import actions, keys, policy, store
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
from fullhouse.events.venues.countries import NOWHERE_KNOWN, is_country
from fullhouse.kit import text
from fullhouse.kit.actors import Principal
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.changes import audit_difference, changed, difference
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid, NotFound
from fullhouse.kit.http import versions
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Fact, announce
from fullhouse.kit.times import timezone

T = TypeVar("T")
_SLUG_TRIES = 20  # as many may ask for the same one at the same time

# --- venues


async def get_venue(tx: Tx, venue_id: UUID) -> Venue:
    return _found(await store.venue_by_id(tx, venue_id))


async def create_venue(tx: Tx, who: Principal, wish: NewVenue) -> Venue:
    await _check_staff(tx, who)
    return await _create(tx, _tidy(wish))


async def city_venue(tx: Tx, city: str) -> Venue:
    """The virtual venue that stands for a whole city, made once. It names no place: staff may always use it."""
    name = text.folded(city)
    if known := await store.city_venue(tx, name):
        return known
    zone = (await accounts.get_profile(tx)).timezone
    return await _create(tx, NewVenue(name=city, city=city, country=NOWHERE_KNOWN, timezone=zone, kind="virtual"), name)


async def _create(tx: Tx, wish: NewVenue, stands_for: str | None = None) -> Venue:
    _check_place(wish)
    _check_country(wish.country)
    venue, fresh = await _insert_venue(tx, wish, stands_for)
    if fresh:
        await audit.write(tx, "venue.created", "venue", venue.id, after={"name": venue.name, "slug": venue.slug})
        await _tell(tx, VenueChanged(subject_id=venue.id), venue_id=venue.id)
    return venue


async def change_venue(tx: Tx, who: Principal, venue_id: UUID, change: ChangeVenue, if_match: str | None) -> Venue:
    await _check_staff(tx, who)
    before = _found(await store.lock_venue(tx, venue_id))
    versions.check(if_match, before.version)
    after = _tidy(changed(before, change))
    _check_place(after)
    if after == before:
        return before
    if after.country != before.country:  # one that was written before countries were checked may stay
        _check_country(after.country)
    await _check_room(tx, before, after)
    try:
        saved = await store.update_venue(tx, venue_id=venue_id, **_columns(after))
    except asyncpg.UniqueViolationError:
        raise SlugTaken(f"Another venue has the slug “{after.slug}”.", slug=after.slug) from None
    assert saved
    await audit_difference(tx, "venue.updated", "venue", before, saved)
    differing = tuple(difference(before, after)[0])
    await _tell(tx, VenueChanged(subject_id=venue_id, changed=differing), venue_id=venue_id)
    return saved


async def delete_venue(tx: Tx, venue_id: UUID, if_match: str | None) -> None:
    """Its gates go with it. Shows keep the name, address and time zone that they were given, and are told."""
    venue = _found(await store.lock_venue(tx, venue_id))
    versions.check(if_match, venue.version)
    before = {show.id: show for show in await store.lock_events_at(tx, venue_id)}
    shows = await store.leave_venue(tx, venue_id)
    await store.delete_venue(tx, venue_id)
    Cache.invalidate(tx, *keys.of_venue(tx.organization_id, venue_id, list(before)))
    await audit.write(tx, "venue.deleted", "venue", venue_id, before={"name": venue.name, "slug": venue.slug})
    for show in shows:
        if not policy.is_over(show.status):  # what is history concerns nobody any more
            await actions.tell(tx, EventUpdated, before[show.id], show, changed=["venue_id"])
    await _tell(tx, VenueChanged(subject_id=venue_id, deleted=True), venue_id=venue_id)


async def _insert_venue(tx: Tx, wish: NewVenue, stands_for: str | None) -> tuple[Venue, bool]:
    """With the slug that was asked for, or one made of the name that is still free. Says whether it is a new one:
    somebody may have made the city's venue in this very moment."""
    wanted = slug = wish.slug or text.slug(wish.name, "venue")
    for _ in range(_SLUG_TRIES):
        row = msgspec.structs.replace(wish, slug=slug)
        venue = await store.insert_venue(tx, id=new_id(), **_columns(row), stands_for=stands_for)
        if venue is not None:
            return venue, True
        if stands_for and (known := await store.city_venue(tx, stands_for)):
            return known, False
        if wish.slug:
            break
        slug = f"{wanted}-{await store.free_number(tx, table='venues', slug=wanted)}"
    raise SlugTaken(f"Another venue has the slug “{wanted}”.", slug=wanted)


_COLUMNS = (
    "slug", "name", "kind", "timezone", "address", "address_parts", "city", "country", "latitude", "longitude",
    "max_capacity", "settings",
)  # fmt: skip


def _columns(venue: Venue | NewVenue) -> dict[str, Any]:
    return {name: getattr(venue, name) for name in _COLUMNS}


def _check_place(venue: Venue | NewVenue) -> None:
    timezone(venue.timezone)
    if venue.kind == "physical" and venue.address is None:
        raise Invalid(fields=[FieldError("address", "A physical venue has an address.")])
    if (venue.latitude is None) != (venue.longitude is None):
        raise Invalid(fields=[FieldError("longitude", "Latitude and longitude come together.")])


def _check_country(country: str) -> None:
    if not is_country(country):
        sentence = "A country's two-letter code (ISO 3166, e.g. BE), or its name in English."
        raise Invalid(f"country: {sentence}", fields=[FieldError("country", sentence)])


Place = TypeVar("Place", Venue, NewVenue)


def _tidy(venue: Place) -> Place:
    """Two letters are an ISO code, however they are typed."""
    country = venue.country.strip()
    return msgspec.structs.replace(venue, country=country.upper() if len(country) == 2 else country)


async def lock_open_events(tx: Tx, venue_id: UUID) -> list[UUID]:
    """The events at a venue that are not over: behind their locks nobody takes a place. The venue's own is first."""
    return await store.lock_open_events_at(tx, venue_id) or []


async def _check_room(tx: Tx, before: Venue, after: Venue) -> None:
    """What is announced with more places than that is named. What is held and sold is judged later, behind these locks
    (holds/capacity_actions.py)."""
    if after.max_capacity == before.max_capacity:
        return
    await lock_open_events(tx, before.id)
    if not after.max_capacity or (before.max_capacity and after.max_capacity >= before.max_capacity):
        return
    shows = await store.too_large_for(tx, venue_id=before.id, max_capacity=after.max_capacity)
    if shows:
        names = ", ".join(f"“{show.name}”" for show in shows)
        raise VenueTooSmall(f"More places than that have: {names}.", names=names, events=[show.id for show in shows])


async def _check_staff(tx: Tx, who: Principal) -> None:
    if who.role == Role.STAFF and not (await accounts.get_profile(tx)).staff_may_edit_venues:
        raise NotGrantedToStaff()


# --- gates


async def get_gate(tx: Tx, gate_id: UUID) -> Gate:
    return _found(await store.gate_by_id(tx, gate_id))


async def create_gate(tx: Tx, who: Principal, venue_id: UUID, wish: NewGate) -> Gate:
    await _check_staff(tx, who)
    _found(await store.keep_venue(tx, venue_id))
    try:
        gate = await store.insert_gate(
            tx,
            id=new_id(),
            venue_id=venue_id,
            gate_code=wish.gate_code,
            name=wish.name,
            status=wish.status,
            capacity=wish.capacity,
            settings=wish.settings,
        )
    except asyncpg.UniqueViolationError:
        raise GateCodeTaken(f"The venue has a gate “{wish.gate_code}” already.", gate_code=wish.gate_code) from None
    assert gate
    await audit.write(tx, "gate.created", "gate", gate.id, after={"gate_code": gate.gate_code, "status": gate.status})
    await _announce_gate(tx, gate)
    return gate


async def change_gate(tx: Tx, who: Principal, gate_id: UUID, change: ChangeGate, if_match: str | None) -> Gate:
    await _check_staff(tx, who)
    before = _found(await store.lock_gate(tx, gate_id))
    versions.check(if_match, before.version)
    after = changed(before, change)
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
    gate = _found(await store.lock_gate(tx, gate_id))
    versions.check(if_match, gate.version)
    await store.delete_gate(tx, gate_id)
    await audit.write(tx, "gate.deleted", "gate", gate_id, before={"gate_code": gate.gate_code})
    await _announce_gate(tx, msgspec.structs.replace(gate, status="closed"))


async def _announce_gate(tx: Tx, gate: Gate) -> None:
    told = {"gate_id": gate.id, "venue_id": gate.venue_id, "status": gate.status}
    await _tell(tx, GateChanged(subject_id=gate.id, venue_id=gate.venue_id, status=gate.status), **told)


async def _tell(tx: Tx, fact: Fact, **told: Any) -> None:
    """The fact; and the news to whoever watches the organisation."""
    await announce(tx, fact)
    tx.tell(f"events:org:{tx.organization_id}", {"fact": fact.name, **msgspec.structs.asdict(fact), **told})


def _found(thing: T | None) -> T:
    if thing is None:
        raise NotFound
    return thing
