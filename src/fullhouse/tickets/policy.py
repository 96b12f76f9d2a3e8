"""What may be sold when, and what a type or a code may look like. `now` is an argument."""

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

PER_ORDER = 10  # tickets in one purchase, whatever their types
FEW = 20  # tickets of a type, from which on a buyer is told how many are left (app.hold and Places.svelte know it too)


def window(kind: TicketType, event: Event) -> tuple[datetime, datetime]:
    """When it is sold: its own time, within the show's."""
    return (
        max(kind.sale_start_at or event.sale_start_at, event.sale_start_at),
        min(kind.sale_end_at or event.sale_end_at, event.sale_end_at),
    )


def is_on_sale(kind: TicketType, event: Event, now: datetime) -> bool:
    start, end = window(kind, event)
    return start <= now <= end


def left(kind: TicketType) -> int | None:
    return None if kind.quantity is None else max(0, kind.quantity - (kind.held or 0) - (kind.sold or 0))


def offer(kind: TicketType, event: Event, charges: list[Charge], now: datetime, places: int | None = None) -> Offer:
    """What a buyer sees of a type. `places` is how many more the event and the type's zones have, if limited."""
    start, end = window(kind, event)
    remaining = min((n for n in (left(kind), places) if n is not None), default=None)
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
        max_per_order=kind.max_per_order or PER_ORDER,
        entitlement=kind.entitlement,
        valid_days=kind.valid_days,
        charges=charges,
    )


def as_seen(offer: Offer) -> Offer:
    """Of two that are the same so, a buyer sees no difference."""
    return offer if offer.left is None else replace(offer, left=min(offer.left, FEW + 1))


def sells(kind: TicketType, zone_key: str | None, *, seated: bool) -> bool:
    """Whether this type is for such a place. A show without a layout has no zones."""
    return zone_key is None or ((not kind.zones or zone_key in kind.zones) and (kind.kind == "seated") == seated)


def stands_alone(kind: TicketType) -> bool:
    """Whether it can be bought in a show without a layout (app.has_places says the same)."""
    return kind.kind == "ga" and kind.quantity is not None


def days_of(event: Event) -> set[date]:
    """The local dates from its start to its end."""
    zone = ZoneInfo(event.timezone)
    first, last = event.start_at.astimezone(zone).date(), event.end_at.astimezone(zone).date()
    return {first + timedelta(days=n) for n in range((last - first).days + 1)}


def is_by_day(kind: TicketType | NewTicketType) -> bool:
    """Whether its tickets count on their own days alone. A seat is somebody's on every day (docs/adr/0037)."""
    return kind.kind == "ga" and bool(kind.valid_days)


def together(kinds: Iterable[TicketType | NewTicketType]) -> int:
    """How many are offered on the day that has most of them."""
    every, days = 0, Counter[date]()
    for kind in kinds:
        if is_by_day(kind):
            days.update(dict.fromkeys(kind.valid_days, kind.quantity or 0))
        else:
            every += kind.quantity or 0
    return every + max(days.values(), default=0)


def check_days(before: TicketType, after: TicketType, *, in_use: bool) -> None:
    """What somebody has bought stays good on its days; there may be more. Whether it counts on them alone stays."""
    less = set(before.valid_days) - set(after.valid_days) or (after.valid_days and not before.valid_days)
    if in_use and (less or is_by_day(before) != is_by_day(after)):
        raise DaysInUse()


def check_quantities(together: int, capacity: int | None, field: str) -> None:
    """All types of a day together are never offered above what the event admits (None: no limit)."""
    if capacity and together > capacity:
        said = f"All types together are {together}; the event admits {capacity}."
        raise AboveCapacity(said, fields=[FieldError(field, said)], quantity=together, capacity=capacity)


def check_type(
    kind: TicketType | NewTicketType, event: Event, zone_keys: Collection[str] | None, categories: Collection[str]
) -> None:
    """Every mistake at once. `zone_keys` is None for a show without a layout."""
    wrong = [*_wrong_times(kind, event), *_wrong_places(kind, zone_keys, categories)]
    if (kind.entitlement == "limited_reentry_per_day") != (kind.max_daily_entries is not None):
        wrong.append(FieldError("max_daily_entries", "Said of limited re-entry, and of nothing else."))
    if strange := sorted(set(kind.valid_days) - days_of(event)):
        wrong.append(FieldError("valid_days", f"The show is not on {', '.join(map(str, strange))}."))
    if len(set(kind.valid_days)) < len(kind.valid_days):
        wrong.append(FieldError("valid_days", "A day is named twice."))
    if wrong:
        raise Invalid(fields=wrong)


def check_prices(kind: TicketType | NewTicketType, most: int) -> None:
    """None above what a ticket costs at most: a slip is found before anybody pays it."""
    said = f"At most {Money(most, kind.currency)}; the organisation may allow more (ticket_price_max)."
    prices = {"price": kind.price} | {f"prices.{name}": price for name, price in kind.prices.items()}
    if wrong := [FieldError(path, said) for path, price in prices.items() if price > most]:
        raise PriceTooHigh(said, fields=wrong, most=most)


def most_of(currency: str, house_currency: str, house_most: int | None) -> int:
    """What a ticket costs at most: by its currency, unless the organisation says something else of its own."""
    return house_most if house_most is not None and currency == house_currency else highest_price(currency)


def _wrong_times(kind: TicketType | NewTicketType, event: Event) -> Iterable[FieldError]:
    start, end = kind.sale_start_at or event.sale_start_at, kind.sale_end_at or event.sale_end_at
    if start >= end:
        yield FieldError("sale_end_at", "The sale ends after it has begun.")
    if start < event.sale_start_at:
        yield FieldError("sale_start_at", "Not before the show's sale begins.")
    if end > event.sale_end_at:
        yield FieldError("sale_end_at", "Not after the show's sale ends.")


def _wrong_places(
    kind: TicketType | NewTicketType, zone_keys: Collection[str] | None, categories: Collection[str]
) -> Iterable[FieldError]:
    if zone_keys is None:
        if kind.kind == "seated" or kind.zones or kind.prices:
            yield FieldError("kind", "A show without a layout sells ga types, without zones and price categories.")
        if kind.quantity is None:
            yield FieldError("quantity", "A show without a layout has no other count of places.")
        return
    for name, known, said in (("zones", zone_keys, kind.zones), ("prices", categories, kind.prices)):
        if strange := sorted(set(said) - set(known)):
            yield FieldError(name, f"The show's layout has no {', '.join(strange)}.")


def check_promo(wish: NewPromoCode | PromoCode, type_ids: Collection[object]) -> None:
    wrong = []
    for name, kind in (("basis_points", "percent"), ("amount", "fixed")):
        said = getattr(wish, name)
        if (said is not None) != (wish.kind == kind) or said == 0:
            wrong.append(FieldError(name, f"Said of a code of the kind {kind}, and of no other."))
    if set(wish.ticket_type_ids) - set(type_ids):
        wrong.append(FieldError("ticket_type_ids", "The show has no such ticket type."))
    if wish.valid_from and wish.valid_until and wish.valid_from >= wish.valid_until:
        wrong.append(FieldError("valid_until", "It ends after it has begun."))
    if wrong:
        raise Invalid(fields=wrong)


def check_valid(promo: PromoCode | None, now: datetime) -> PromoCode:
    """The code, if it is good now; otherwise why it is not. One that is switched off is like one that never was."""
    wrong = [FieldError("promo_code", "This code is not valid for the show.")]
    if promo is None or not promo.active:
        raise PromoUnknown(fields=wrong)
    if promo.valid_from is not None and now < promo.valid_from:
        raise PromoNotStarted(fields=wrong, valid_from=promo.valid_from)
    if promo.valid_until is not None and now >= promo.valid_until:
        raise PromoExpired(fields=wrong)
    return promo


def effect(promo: PromoCode, hidden: Collection[UUID]) -> PromoEffect:
    """What it does, for whoever has it. `hidden` are the event's hidden types."""
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


def discount(promo: PromoCode) -> Discount:
    return Discount(
        code=promo.code,
        basis_points=promo.basis_points,
        amount=promo.amount,
        ticket_type_ids=frozenset(promo.ticket_type_ids),
        left=None if promo.budget is None else promo.budget - promo.spent,
    )
