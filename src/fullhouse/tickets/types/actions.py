"""Actions on ticket types: their settings, prices and quantities."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from fullhouse.accounts import actions as accounts
from fullhouse.events import actions as events
from fullhouse.events.facts import DatedFact, EventUpdated, LimitsJudged, VenueChanged
from fullhouse.events.model import Event
from fullhouse.events.venues import actions as venues
from fullhouse.holds.model import TooManyOfType
from fullhouse.kit.cache.cache import Cache
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.db.partial_updates import audit_difference, with_changes
from fullhouse.kit.errors import FieldError
from fullhouse.kit.http import versions
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import Fact, announce, run_sync_handlers
from fullhouse.kit.money import Money
from fullhouse.kit.services import Services
from fullhouse.tickets import policy, store
from fullhouse.tickets.facts import TicketTypesChanged
from fullhouse.tickets.pricing import Charge, PriceLine
from fullhouse.tickets.store import HeldPlace
from fullhouse.tickets.types.model import (
    BelowSold,
    ChangeTicketType,
    DayFull,
    DaysLeftOut,
    InsufficientInventory,
    MixedCurrencies,
    NewTicketType,
    Offer,
    PromoCode,
    TicketType,
    TicketTypeNotFound,
    TypeInUse,
    TypeNameTaken,
    TypeNotOnSale,
    TypeSoldOut,
    pick_fields,
)

_DAY_FIELDS = {"start_at", "end_at", "timezone"}  # the fields that determine an event's days
PRICE_CACHE_S = 60  # how long the lowest prices are cached
_COLUMNS = (
    "name", "description", "tier", "kind", "price", "currency", "prices", "zones", "quantity", "sale_start_at",
    "sale_end_at", "entitlement", "valid_days", "max_daily_entries", "max_per_order", "hidden", "position",
)  # fmt: skip


async def list_types(tx: Tx, event_id: UUID) -> list[TicketType]:
    """The types with their sold counts, for organisers. Buyers' reads skip the count."""
    await events.require_event(tx, event_id)
    kinds = await store.types_of_event(tx, event_id)
    uncounted = [kind.id for kind in kinds if kind.sold is None]
    sold = dict(await store.sold_of_types(tx, uncounted)) if uncounted else {}
    return [kind if kind.sold is not None else replace(kind, sold=sold.get(kind.id, 0)) for kind in kinds]


async def require_type(tx: Tx, event_id: UUID, type_id: UUID) -> TicketType:
    found = await store.type_by_id(tx, event_id=event_id, ticket_type_id=type_id)
    if found is None:
        raise TicketTypeNotFound
    return found


async def list_offers(tx: Tx, event_id: UUID, charges: list[Charge], promo: PromoCode | None = None) -> list[Offer]:
    """The types that a buyer may see: those not hidden, and those that their promo code shows."""
    event, now = await events.require_event(tx, event_id), await tx.now()
    places = dict(await store.places_left_of_event(tx, event_id))
    sold_out = set(await store.sold_out_types(tx, event_id))
    is_zoned = bool(await store.zones_on_sale(tx, event_id))
    return [
        policy.to_offer(kind, event, charges, now, 0 if kind.id in sold_out else places.get(kind.id))
        for kind in await store.types_of_event(tx, event_id)
        if (is_zoned or policy.can_sell_without_layout(kind)) and (not kind.hidden or is_unlocked_by(promo, kind))
    ]


async def lowest_prices(services: Services, organization_id: UUID) -> dict[UUID, Money]:
    """The lowest ticket price of each public event. Cached for `PRICE_CACHE_S`."""

    async def load() -> dict[UUID, Money]:
        async with services.database.tenant(organization_id) as tx:
            found = await store.lowest_prices(tx)
        return {event_id: Money(amount, currency) for event_id, amount, currency in found}

    return await services.cache.get(_prices_key(organization_id), PRICE_CACHE_S, load, dict[UUID, Money])


def _prices_key(organization_id: UUID | None) -> str:
    return f"org:{organization_id}:prices"


async def invalidate_prices(tx: Tx, _fact: Fact) -> None:
    """Sync handler of the facts that change the lowest prices: invalidates their cache."""
    Cache.invalidate(tx, _prices_key(tx.organization_id))


async def invalidate_offers_of_venue(tx: Tx, fact: VenueChanged) -> None:
    """A changed `max_capacity` changes the offers of each of the venue's events that is not over."""
    if "max_capacity" in fact.changed:
        for event_id in await venues.lock_open_events(tx, fact.subject_id):
            invalidate_offers(tx, event_id)


def invalidate_offers(tx: Tx, event_id: UUID) -> None:
    """The last ticket at a price was sold, or one came back: the lowest price and the offers may have changed."""
    Cache.invalidate(tx, _prices_key(tx.organization_id))
    publish_offers_changed(tx, event_id)


def is_unlocked_by(promo: PromoCode | None, kind: TicketType) -> bool:
    return promo is not None and kind.id in promo.ticket_type_ids


# --- organisers


async def create_type(tx: Tx, event_id: UUID, request: NewTicketType) -> TicketType:
    event = await events.lock_event(tx, event_id)
    others = await store.types_of_event(tx, event_id)
    await _check_type(tx, event, request, others)
    await _check_quantities(tx, event_id, request, others)
    try:
        kind = await store.insert_type(tx, id=new_id(), event_id=event_id, **pick_fields(request, *_COLUMNS))
    except asyncpg.UniqueViolationError:
        raise TypeNameTaken(f"The event already has a ticket type “{request.name}”.", name=request.name) from None
    assert kind
    await _put_pool(tx, kind)
    await audit.write(tx, "ticket_type.created", "ticket_type", kind.id, after=_audit_fields(kind))
    await _announce(tx, event_id, kind.id, "added")
    return await require_type(tx, event_id, kind.id)


async def change_type(
    tx: Tx, event_id: UUID, type_id: UUID, change: ChangeTicketType, if_match: str | None
) -> TicketType:
    event = await events.lock_event(tx, event_id)
    await run_sync_handlers(tx, LimitsJudged(subject_id=event_id))
    before = await require_type(tx, event_id, type_id)
    versions.check_if_match(if_match, before.version)
    after = with_changes(before, change)
    if after == before:
        return before
    others = [kind for kind in await store.types_of_event(tx, event_id) if kind.id != type_id]
    await _check_type(tx, event, after, others)
    if (after.kind, after.valid_days) != (before.kind, before.valid_days):
        in_use = await store.is_type_in_use(tx, type_id)
        policy.check_days(before, after, in_use=bool(in_use))
    if policy.peak_quantity([after, *others]) > policy.peak_quantity([before, *others]):  # fewer are always allowed
        await _check_quantities(tx, event_id, after, others)
    try:
        saved = await store.update_type(tx, event_id=event_id, type_id=type_id, **pick_fields(after, *_COLUMNS))
    except asyncpg.UniqueViolationError:
        raise TypeNameTaken(f"The event already has a ticket type “{after.name}”.", name=after.name) from None
    except asyncpg.CheckViolationError:  # pools_never_oversold
        raise DayFull() from None
    assert saved
    await _put_pool(tx, saved)
    saved = await require_type(tx, event_id, type_id)
    await audit_difference(tx, "ticket_type.updated", "ticket_type", before, saved)
    await _announce(tx, event_id, type_id, "changed")
    return saved


async def move_days(tx: Tx, fact: DatedFact) -> None:
    """Sync handler: moves the valid days with the event, so that a ticket for its second day stays one."""
    event_id = fact.subject_id
    if fact.moved_days:
        before = {kind.id: kind for kind in await store.types_of_event(tx, event_id)}
        await store.move_days(tx, event_id=event_id, days=fact.moved_days)
        for kind in await store.types_of_event(tx, event_id):
            if kind.valid_days:
                await audit_difference(tx, "ticket_type.updated", "ticket_type", before[kind.id], kind)
                await _announce(tx, event_id, kind.id, "changed")
    elif isinstance(fact, EventUpdated) and _DAY_FIELDS & set(fact.changed):
        days = policy.list_days(await events.require_event(tx, event_id))
        kinds = await store.types_of_event(tx, event_id)
        if left_out := sorted({day for kind in kinds for day in kind.valid_days} - days):
            raise DaysLeftOut(days=left_out)


async def delete_type(tx: Tx, event_id: UUID, type_id: UUID, if_match: str | None) -> None:
    await events.lock_event(tx, event_id)
    await run_sync_handlers(tx, LimitsJudged(subject_id=event_id))
    kind = await require_type(tx, event_id, type_id)
    versions.check_if_match(if_match, kind.version)
    await _drop_pool(tx, kind)
    try:
        await store.delete_type(tx, event_id=event_id, ticket_type_id=type_id)
    except asyncpg.ForeignKeyViolationError:
        raise TypeInUse() from None
    await audit.write(tx, "ticket_type.deleted", "ticket_type", type_id, before=_audit_fields(kind))
    await _announce(tx, event_id, type_id, "deleted")


async def _announce(tx: Tx, event_id: UUID, type_id: UUID, change: Literal["added", "changed", "deleted"]) -> None:
    publish_offers_changed(tx, event_id)
    await announce(tx, TicketTypesChanged(subject_id=event_id, ticket_type_id=type_id, change=change))


def publish_offers_changed(tx: Tx, event_id: UUID) -> None:
    """Announces to the event's live stream that its offers have changed."""
    tx.publish(f"offers:{event_id}", tx.organization_id)


async def _check_type(
    tx: Tx, event: Event, candidate: TicketType | NewTicketType, others: Sequence[TicketType]
) -> None:
    zones = await store.zones_on_sale(tx, event.id)
    categories = await store.price_categories(tx, event.id)
    policy.check_type(candidate, event, zones or None, categories)
    profile = await accounts.require_profile(tx)
    policy.check_prices(candidate, policy.max_price(candidate.currency, profile.currency, profile.ticket_price_max))
    if any(kind.currency != candidate.currency for kind in others):
        message = f"The event's other ticket types are sold in {others[0].currency}."
        raise MixedCurrencies(fields=[FieldError("currency", message)])


async def _check_quantities(
    tx: Tx, event_id: UUID, candidate: TicketType | NewTicketType, others: Sequence[TicketType]
) -> None:
    limit = await store.event_limit(tx, event_id)
    policy.check_quantities(
        policy.peak_quantity([candidate, *others]), limit if candidate.quantity else None, "quantity"
    )


async def check_capacity(tx: Tx, fact: EventUpdated) -> None:
    """Sync handler: refuses an event capacity below the quantities of its types (docs/adr/0034)."""
    if "capacity" not in fact.changed:
        return
    event = await events.require_event(tx, fact.subject_id)
    kinds = await store.types_of_event(tx, event.id)
    policy.check_quantities(policy.peak_quantity(kinds), event.capacity, "capacity")


async def _put_pool(tx: Tx, kind: TicketType) -> None:
    if kind.quantity is None:
        await _drop_pool(tx, kind)
        return
    await store.lock_type_pools(tx, event_id=kind.event_id, type_ids=[kind.id])
    taken = await store.counts_of_type(tx, event_id=kind.event_id, type_id=kind.id)
    assert taken
    if taken.held + taken.sold > kind.quantity:
        detail = f"{taken.sold} tickets are sold and {taken.held} are held."
        raise BelowSold(detail, **taken._asdict(), quantity=kind.quantity)
    await store.put_type_pool(
        tx, event_id=kind.event_id, type_id=kind.id, capacity=kind.quantity, held=taken.held, sold=taken.sold
    )


async def _drop_pool(tx: Tx, kind: TicketType) -> None:
    """Deletes the type's pool. Refused while tickets of the type are counted or held."""
    await store.lock_type_pools(tx, event_id=kind.event_id, type_ids=[kind.id])
    counted = (await require_type(tx, kind.event_id, kind.id)).held is not None
    dropped = await store.delete_type_pool(tx, event_id=kind.event_id, type_id=kind.id)
    if (counted and not dropped) or await store.is_type_held(tx, kind.id):
        raise TypeInUse()


def _audit_fields(kind: TicketType) -> dict[str, Any]:
    return {name: getattr(kind, name) for name in ("name", "tier", "price", "currency", "quantity", "zones")}


# --- for checkout


class RequestedItem(NamedTuple):
    """A quantity of a hold, as tickets of this type."""

    hold_id: UUID
    ticket_type_id: UUID
    quantity: int = 1


class PricedItem(NamedTuple):
    item: RequestedItem
    place: HeldPlace
    kind: TicketType
    line: PriceLine


async def price_items(
    tx: Tx, event: Event, items: Sequence[RequestedItem], promo: PromoCode | None = None
) -> list[PricedItem]:
    """Each item with its type and price. Refused if a type is not on sale for that seat or zone, or for that many."""
    now = await tx.now()
    kinds = {kind.id: kind for kind in await store.types_of_event(tx, event.id)}
    hold_ids = [item.hold_id for item in items]
    places = {row.hold_id: row for row in await store.places_of_holds(tx, event_id=event.id, hold_ids=hold_ids)}
    found = []
    for n, item in enumerate(items):
        kind, place = kinds.get(item.ticket_type_id), places[item.hold_id]
        if kind is None or (kind.hidden and not is_unlocked_by(promo, kind)):
            raise TicketTypeNotFound(item=n)
        fits = policy.can_sell(kind, place.zone_key, seated=place.seat_id is not None)
        if not fits or place.ticket_type_id not in (None, kind.id) or not policy.is_on_sale(kind, event, now):
            raise TypeNotOnSale(f"“{kind.name}” is not on sale for this seat or zone now.", name=kind.name, item=n)
        item_price = PriceLine(
            ticket_type_id=kind.id, name=kind.name, unit=kind.price_in(place.price_category), quantity=item.quantity
        )
        found.append(PricedItem(item, place, kind, item_price))
    for kind in {row.kind.id: row.kind for row in found}.values():
        wanted = sum(row.item.quantity for row in found if row.kind.id == kind.id)
        if kind.max_per_order is not None and wanted > kind.max_per_order:
            raise TooManyOfType(
                f"At most {kind.max_per_order} of “{kind.name}” in one order.", name=kind.name, most=kind.max_per_order
            )
    return found


async def hold_quantities(tx: Tx, event_id: UUID, counts: Mapping[UUID, int]) -> None:
    """Counts so many of each type as held, all or none. Types without a quantity are not counted."""
    await _move_counts(tx, event_id, counts, held=1, sold=0)


async def release_held(tx: Tx, event_id: UUID, counts: Mapping[UUID, int]) -> None:
    await _move_counts(tx, event_id, counts, held=-1, sold=0)


async def sell_held(tx: Tx, event_id: UUID, counts: Mapping[UUID, int]) -> None:
    """Counts held tickets as sold."""
    await _move_counts(tx, event_id, counts, held=-1, sold=1)


async def release_sold(tx: Tx, event_id: UUID, counts: Mapping[UUID, int]) -> None:
    """Releases sold tickets, so that they are on sale again."""
    await _move_counts(tx, event_id, counts, held=0, sold=-1)


async def _move_counts(tx: Tx, event_id: UUID, counts: Mapping[UUID, int], *, held: int, sold: int) -> None:
    ids, numbers = list(counts), list(counts.values())
    pools = await store.lock_type_pools(tx, event_id=event_id, type_ids=ids)
    moved = await store.count_type_pools(
        tx, event_id=event_id, type_ids=ids, held=[held * n for n in numbers], sold=[sold * n for n in numbers]
    )
    short = {pool.ticket_type_id: pool.places for pool in pools if pool.ticket_type_id not in moved}
    if sold_out := sorted(kind for kind, places in short.items() if places == 0):
        raise TypeSoldOut(ticket_type_ids=sold_out)
    if short:
        raise InsufficientInventory(left=short)
    if any(pool.places <= policy.LEFT_SHOWN_MAX + policy.PER_ORDER_MAX for pool in pools):
        publish_offers_changed(tx, event_id)
