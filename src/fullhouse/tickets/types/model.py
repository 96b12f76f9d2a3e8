"""Ticket types, promo codes and charges: stored rows, API responses, requests and refusals."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fullhouse.kit.errors import Conflict, Invalid, NotFound
from fullhouse.kit.money import Currency, Money
from fullhouse.tickets.pricing import Amount, BasisPoints, Charge

TypeName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
Description = Annotated[str, Meta(max_length=500)]
Tier = Literal["general", "vip", "early_bird", "custom"]
Kind = Literal["seated", "ga"]
PromoKind = Literal["percent", "fixed", "access"]
Entitlement = Literal["single", "limited_reentry_per_day", "unlimited_multi_day", "ga_seated", "ga_standing"]
Quantity = Annotated[int, Meta(ge=1, le=100_000)]
PerOrder = Annotated[int, Meta(ge=1, le=10)]
Entries = Annotated[int, Meta(ge=1, le=100)]
Position = Annotated[int, Meta(ge=0, le=10_000, description="Sort position of the type.")]
Prices = Annotated[
    dict[Annotated[str, Meta(min_length=1, max_length=64)], Amount],
    Meta(max_length=50, description="Prices by price category of the layout, where they differ from `price`."),
]
ZoneKeys = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=64)]],
    Meta(max_length=100, description="The keys of the zones that it sells; empty means all."),
]
Days = Annotated[list[date], Meta(max_length=60, description="Local dates; empty means every day of the event.")]
Code = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{2,39}$(?!\n)", max_length=40, examples=["FRIENDS-2030"])]
Uses = Annotated[int, Meta(ge=1, le=1_000_000)]
Budget = Annotated[int, Meta(ge=1, le=10**12, description="The highest total discount, in minor units.")]
TypeIds = Annotated[
    list[UUID], Meta(max_length=100, description="The ticket types that it applies to; empty means all.")
]


class TicketType(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket type, as its organiser sees it. `held` and `sold` are present if it has a quantity; the list of an
    event's types has `sold` for the others, too."""

    id: UUID
    event_id: UUID
    name: str
    description: str
    tier: Tier
    kind: Kind
    price: int
    currency: str
    prices: dict[str, int]
    zones: list[str]
    quantity: int | None
    sale_start_at: datetime | None
    sale_end_at: datetime | None
    entitlement: Entitlement
    valid_days: list[date]
    max_daily_entries: int | None
    max_per_order: int | None
    hidden: bool
    position: int
    version: int
    created_at: datetime
    updated_at: datetime
    held: int | None = None
    sold: int | None = None

    def price_in(self, category: str | None) -> int:
        return self.prices.get(category or "", self.price)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket type, as a buyer sees it. `left` is null if there is no limit; `charges` are the fees and taxes."""

    id: UUID
    name: str
    description: str
    tier: Tier
    kind: Kind
    price: Money
    prices: dict[str, int]
    zones: list[str]
    sale_start_at: datetime
    sale_end_at: datetime
    status: Literal["upcoming", "on_sale", "sold_out", "closed"]
    left: int | None
    max_per_order: int
    entitlement: Entitlement
    valid_days: list[date]
    charges: list[Charge]


class PromoCode(msgspec.Struct, frozen=True, kw_only=True):
    """A promo code: a discount, or access to hidden ticket types."""

    id: UUID
    event_id: UUID
    code: str
    kind: PromoKind
    basis_points: int | None
    amount: int | None
    ticket_type_ids: list[UUID]
    max_uses: int | None
    uses: int
    budget: int | None
    spent: int
    valid_from: datetime | None
    valid_until: datetime | None
    active: bool
    version: int
    created_at: datetime
    updated_at: datetime


class PromoEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a promo code. `basis_points`, or `amount` in minor units, is taken off the types of
    `ticket_type_ids`, or off all if it is empty; with a budget, at most what is `left` of it. `shown_type_ids` are the
    hidden types that the code shows."""

    code: str
    kind: PromoKind
    basis_points: int | None
    amount: int | None
    left: int | None
    ticket_type_ids: list[UUID]
    shown_type_ids: list[UUID]
    valid_until: datetime | None


class ChargeList(msgspec.Struct, frozen=True, kw_only=True):
    """The fees and taxes that apply to an event, and whether they are its own (`event`) or the organisation's."""

    source: Literal["event", "organization"]
    charges: list[Charge]
    version: int


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all request bodies: unknown fields are rejected."""


class NewTicketType(Request, frozen=True, kw_only=True):
    name: TypeName
    price: Amount
    currency: Currency
    kind: Kind
    tier: Tier = "general"
    description: Description = ""
    prices: Prices = {}
    zones: ZoneKeys = []
    quantity: Quantity | None = None
    sale_start_at: datetime | None = None
    sale_end_at: datetime | None = None
    entitlement: Entitlement = "single"
    valid_days: Days = []
    max_daily_entries: Entries | None = None
    max_per_order: PerOrder | None = None
    hidden: bool = False
    position: Position = 0


class ChangeTicketType(Request, frozen=True, kw_only=True):
    name: TypeName | UnsetType = UNSET
    price: Amount | UnsetType = UNSET
    currency: Currency | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    prices: Prices | UnsetType = UNSET
    zones: ZoneKeys | UnsetType = UNSET
    quantity: Quantity | UnsetType | None = UNSET
    sale_start_at: datetime | UnsetType | None = UNSET
    sale_end_at: datetime | UnsetType | None = UNSET
    entitlement: Entitlement | UnsetType = UNSET
    valid_days: Days | UnsetType = UNSET
    max_daily_entries: Entries | UnsetType | None = UNSET
    max_per_order: PerOrder | UnsetType | None = UNSET
    hidden: bool | UnsetType = UNSET
    position: Position | UnsetType = UNSET


class NewPromoCode(Request, frozen=True, kw_only=True):
    """`percent` needs `basis_points`, `fixed` needs `amount`, `access` only shows hidden types."""

    code: Code
    kind: PromoKind
    basis_points: BasisPoints | None = None
    amount: Annotated[int, Meta(ge=1, le=99_999_999)] | None = None
    ticket_type_ids: TypeIds = []
    max_uses: Uses | None = None
    budget: Budget | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    active: bool = True


class ChangePromoCode(Request, frozen=True, kw_only=True):
    """The discount cannot be changed; create another code instead."""

    ticket_type_ids: TypeIds | UnsetType = UNSET
    max_uses: Uses | UnsetType | None = UNSET
    budget: Budget | UnsetType | None = UNSET
    valid_from: datetime | UnsetType | None = UNSET
    valid_until: datetime | UnsetType | None = UNSET
    active: bool | UnsetType = UNSET


class SetCharges(Request, frozen=True, kw_only=True):
    charges: Annotated[list[Charge], Meta(max_length=20)]


# --- refusals


class TicketTypeNotFound(NotFound):
    """The event has no such ticket type."""

    code, title = "ticket_type_not_found", "No such ticket type"


class TypeNameTaken(Conflict):
    """Another ticket type of the event has this name."""

    code, title = "name_taken", "Another ticket type has this name"


class TypeInUse(Conflict):
    """Tickets of this type are held or were ordered: hide the type, or end its sale, instead of deleting it."""

    code, title = "ticket_type_in_use", "Tickets of this type are held or were ordered"


class DaysInUse(Conflict):
    """Tickets of this type are held or were ordered: days can be added, but not removed."""

    code, title = "days_in_use", "Tickets are valid on these days"


class DayFull(Conflict):
    """An added day does not have enough capacity left for the tickets of this type."""

    code, title = "day_full", "Not enough capacity on that day"


class DaysLeftOut(Conflict):
    """Ticket types are valid on days that the event would no longer have: change them first."""

    code, title = "days_left_out", "Ticket types are valid on other days"


class BelowSold(Conflict):
    """More tickets are held and sold already than the new quantity allows."""

    code, title = "quantity_below_sold", "More tickets are already sold"


class AboveCapacity(Invalid):
    """The quantities of all types together exceed the event's capacity."""

    code, title = "quantity_above_capacity", "More tickets than capacity"


class PriceTooHigh(Invalid):
    """The price is above the maximum for its currency, or above the organisation's own `ticket_price_max`."""

    code, title = "price_too_high", "The price is too high"


class MixedCurrencies(Invalid):
    """All ticket types of an event must have the same currency."""

    code, title = "one_currency", "An event is sold in one currency"


class TypeSoldOut(Conflict):
    """No tickets of this type are left."""

    code, title = "ticket_type_sold_out", "This ticket type is sold out"


class InsufficientInventory(Conflict):
    """Fewer tickets of this type are left than requested: `left` has the number."""

    code, title = "insufficient_inventory", "Not enough tickets left"


class TypeNotOnSale(Conflict):
    """This ticket type is not on sale now, or not for this seat or zone."""

    code, title = "ticket_type_not_on_sale", "This ticket type is not on sale"


class CodeTaken(Conflict):
    """The event already has this promo code."""

    code, title = "code_taken", "The event already has this code"


class PromoInUse(Conflict):
    """The promo code was used: deactivate it instead of deleting it."""

    code, title = "promo_code_in_use", "The promo code was used"


class PromoUnknown(Invalid):
    """The event has no such promo code, or the code is inactive."""

    code, title = "promo_code_unknown", "The code is not valid"


class PromoNotStarted(Invalid):
    """The promo code is not valid before `valid_from`."""

    code, title = "promo_code_not_started", "The code is not valid yet"


class PromoExpired(Invalid):
    """The promo code has expired."""

    code, title = "promo_code_expired", "The code has expired"


class PromoUsedUp(Conflict):
    """The promo code has reached its maximum number of uses, or its budget is spent."""

    code, title = "promo_code_used_up", "The code is used up"


def pick_fields(of: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}
