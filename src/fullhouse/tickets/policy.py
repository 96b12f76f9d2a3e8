"""Sale windows, and validation of ticket types and promo codes. `now` is an argument."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from fullhouse.events.model import Event
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.money import Money, highest_price
from fullhouse.tickets.pricing import Charge, Discount
from fullhouse.tickets.types.model import (
    AboveCapacity,
    DaysInUse,
    NewPromoCode,
    NewTicketType,
    Offer,
    PriceTooHigh,
    PromoCode,
    PromoEffect,
    PromoExpired,
    PromoNotStarted,
    PromoUnknown,
    TicketType,
)

PER_ORDER_MAX = 10  # tickets in one purchase, whatever their types
LEFT_SHOWN_MAX = 20  # up to so many tickets left of a type, buyers see the number; so in app.hold and Places.svelte


def window(kind: TicketType, event: Event) -> tuple[datetime, datetime]:
    """The sale window of a type: its own, within the event's."""
    return (
        max(kind.sale_start_at or event.sale_start_at, event.sale_start_at),
        min(kind.sale_end_at or event.sale_end_at, event.sale_end_at),
    )


def is_on_sale(kind: TicketType, event: Event, now: datetime) -> bool:
    start, end = window(kind, event)
    return start <= now <= end


def count_left(kind: TicketType) -> int | None:
    return None if kind.quantity is None else max(0, kind.quantity - (kind.held or 0) - (kind.sold or 0))


def to_offer(kind: TicketType, event: Event, charges: list[Charge], now: datetime, places: int | None = None) -> Offer:
    """A type as a buyer sees it. `places` is how many more tickets the event and the type's zones allow, if limited."""
    start, end = window(kind, event)
    remaining = min((n for n in (count_left(kind), places) if n is not None), default=None)
    status = "closed" if now > end else "upcoming" if now < start else "sold_out" if remaining == 0 else "on_sale"
    return Offer(
        id=kind.id,
        name=kind.name,
        description=kind.description,
        tier=kind.tier,
        kind=kind.kind,
        price=Money(kind.price, kind.currency),
        prices=kind.prices,
        zones=kind.zones,
        sale_start_at=start,
        sale_end_at=end,
        status=status,  # type: ignore[arg-type]
        left=remaining,
        max_per_order=kind.max_per_order or PER_ORDER_MAX,
        entitlement=kind.entitlement,
        valid_days=kind.valid_days,
        charges=charges,
    )


def as_visible(offer: Offer) -> Offer:
    """The offer reduced to what a buyer can see: two equal results look the same."""
    return offer if offer.left is None else replace(offer, left=min(offer.left, LEFT_SHOWN_MAX + 1))


def can_sell(kind: TicketType, zone_key: str | None, *, seated: bool) -> bool:
    """Whether this type can be sold for this zone. An event without a layout has no zones."""
    return zone_key is None or ((not kind.zones or zone_key in kind.zones) and (kind.kind == "seated") == seated)


def can_sell_without_layout(kind: TicketType) -> bool:
    """Whether it can be sold in an event without a layout (the same rule as app.has_places)."""
    return kind.kind == "ga" and kind.quantity is not None


def list_days(event: Event) -> set[date]:
    """The local dates from the event's start to its end."""
    zone = ZoneInfo(event.timezone)
    first, last = event.start_at.astimezone(zone).date(), event.end_at.astimezone(zone).date()
    return {first + timedelta(days=n) for n in range((last - first).days + 1)}


def is_counted_by_day(kind: TicketType | NewTicketType) -> bool:
    """Whether its tickets are counted only on their valid days. A seat is taken on every day (docs/adr/0037)."""
    return kind.kind == "ga" and bool(kind.valid_days)


def peak_quantity(kinds: Iterable[TicketType | NewTicketType]) -> int:
    """The quantity of all types together, on the day with the highest sum."""
    every, days = 0, Counter[date]()
    for kind in kinds:
        if is_counted_by_day(kind):
            days.update(dict.fromkeys(kind.valid_days, kind.quantity or 0))
        else:
            every += kind.quantity or 0
    return every + max(days.values(), default=0)


def check_days(before: TicketType, after: TicketType, *, in_use: bool) -> None:
    """Types in use may get more days, but lose none, and whether they are counted by day cannot change."""
    less = set(before.valid_days) - set(after.valid_days) or (after.valid_days and not before.valid_days)
    if in_use and (less or is_counted_by_day(before) != is_counted_by_day(after)):
        raise DaysInUse()


def check_quantities(together: int, capacity: int | None, field: str) -> None:
    """Refuses if all types of a day together exceed the event's capacity (None: no limit)."""
    if capacity and together > capacity:
        detail = f"All ticket types together add up to {together}; the event's capacity is {capacity}."
        raise AboveCapacity(detail, fields=[FieldError(field, detail)], quantity=together, capacity=capacity)


def check_type(
    kind: TicketType | NewTicketType, event: Event, zone_keys: Collection[str] | None, categories: Collection[str]
) -> None:
    """Reports every mistake at once. `zone_keys` is None for an event without a layout."""
    wrong = [*_find_time_errors(kind, event), *_find_zone_errors(kind, zone_keys, categories)]
    if (kind.entitlement == "limited_reentry_per_day") != (kind.max_daily_entries is not None):
        wrong.append(FieldError("max_daily_entries", "Required for limited re-entry, and not allowed otherwise."))
    if unknown := sorted(set(kind.valid_days) - list_days(event)):
        wrong.append(FieldError("valid_days", f"The event does not take place on {', '.join(map(str, unknown))}."))
    if len(set(kind.valid_days)) < len(kind.valid_days):
        wrong.append(FieldError("valid_days", "A day is listed twice."))
    if wrong:
        raise Invalid(fields=wrong)


def check_prices(kind: TicketType | NewTicketType, most: int) -> None:
    """Refuses prices above the maximum, so that a typing error is found before anyone pays it."""
    detail = f"At most {Money(most, kind.currency)}; the organisation may allow more (ticket_price_max)."
    prices = {"price": kind.price} | {f"prices.{name}": price for name, price in kind.prices.items()}
    if wrong := [FieldError(path, detail) for path, price in prices.items() if price > most]:
        raise PriceTooHigh(detail, fields=wrong, most=most)


def max_price(currency: str, own_currency: str, own_most: int | None) -> int:
    """The maximum price of a ticket: by its currency, unless the organisation has a maximum in that currency."""
    return own_most if own_most is not None and currency == own_currency else highest_price(currency)


def _find_time_errors(kind: TicketType | NewTicketType, event: Event) -> Iterable[FieldError]:
    start, end = kind.sale_start_at or event.sale_start_at, kind.sale_end_at or event.sale_end_at
    if start >= end:
        yield FieldError("sale_end_at", "The sale must end after it starts.")
    if start < event.sale_start_at:
        yield FieldError("sale_start_at", "Not before the event's sales start.")
    if end > event.sale_end_at:
        yield FieldError("sale_end_at", "Not after the event's sales end.")


def _find_zone_errors(
    kind: TicketType | NewTicketType, zone_keys: Collection[str] | None, categories: Collection[str]
) -> Iterable[FieldError]:
    if zone_keys is None:
        if kind.kind == "seated" or kind.zones or kind.prices:
            message = "An event without a layout sells general admission (ga) only, without zones or price categories."
            yield FieldError("kind", message)
        if kind.quantity is None:
            yield FieldError("quantity", "Required: an event without a layout has no other limit.")
        return
    for name, known, listed in (("zones", zone_keys, kind.zones), ("prices", categories, kind.prices)):
        if unknown := sorted(set(listed) - set(known)):
            yield FieldError(name, f"The event's layout has no {', '.join(unknown)}.")


def check_promo(promo: NewPromoCode | PromoCode, type_ids: Collection[object]) -> None:
    wrong = []
    for name, kind in (("basis_points", "percent"), ("amount", "fixed")):
        value = getattr(promo, name)
        if (value is not None) != (promo.kind == kind) or value == 0:
            wrong.append(FieldError(name, f"Required for a code of the kind {kind}, and not allowed otherwise."))
    if set(promo.ticket_type_ids) - set(type_ids):
        wrong.append(FieldError("ticket_type_ids", "The event has no such ticket type."))
    if promo.valid_from and promo.valid_until and promo.valid_from >= promo.valid_until:
        wrong.append(FieldError("valid_until", "Must be after `valid_from`."))
    if wrong:
        raise Invalid(fields=wrong)


def check_valid(promo: PromoCode | None, now: datetime) -> PromoCode:
    """The code if it is valid now; otherwise raises the reason. An inactive code is refused like an unknown one."""
    wrong = [FieldError("promo_code", "This code is not valid for the event.")]
    if promo is None or not promo.active:
        raise PromoUnknown(fields=wrong)
    if promo.valid_from is not None and now < promo.valid_from:
        raise PromoNotStarted(fields=wrong, valid_from=promo.valid_from)
    if promo.valid_until is not None and now >= promo.valid_until:
        raise PromoExpired(fields=wrong)
    return promo


def to_effect(promo: PromoCode, hidden: Collection[UUID]) -> PromoEffect:
    """The effect of a code for its user. `hidden` are the event's hidden types."""
    return PromoEffect(
        code=promo.code,
        kind=promo.kind,
        basis_points=promo.basis_points,
        amount=promo.amount,
        left=None if promo.budget is None else promo.budget - promo.spent,
        ticket_type_ids=promo.ticket_type_ids,
        shown_type_ids=[type_id for type_id in promo.ticket_type_ids if type_id in hidden],
        valid_until=promo.valid_until,
    )


def is_used_up(promo: PromoCode) -> bool:
    return (promo.max_uses is not None and promo.uses >= promo.max_uses) or (
        promo.budget is not None and promo.spent >= promo.budget
    )


def to_discount(promo: PromoCode) -> Discount:
    return Discount(
        code=promo.code,
        basis_points=promo.basis_points,
        amount=promo.amount,
        ticket_type_ids=frozenset(promo.ticket_type_ids),
        left=None if promo.budget is None else promo.budget - promo.spent,
    )
