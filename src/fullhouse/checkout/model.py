"""Checkouts and orders as they are stored and shown; what may be asked for, and what is refused."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Email, Name
from fullhouse.kit.errors import Conflict, Invalid, NotFound, Refusal
from fullhouse.kit.money import Money
from fullhouse.tickets.pricing import Quote, QuotedLine
from fullhouse.waiting_room.model import PromoCode

Quantity = Annotated[int, Meta(ge=1, le=10)]
OrderStatus = Literal["pending", "paid", "needs_consent", "cancelled", "partly_refunded", "refunded"]


# --- rows


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    event_id: UUID
    user_id: UUID
    status: str
    expires_at: datetime
    promo_code: str | None
    currency: str
    total: int
    quote: Any
    created_at: datetime

    @property
    def is_live(self) -> bool:
        return self.status in ("open", "paying")


class StoredItem(msgspec.Struct, frozen=True, kw_only=True):
    """So many places of a hold, as tickets of a type."""

    hold_id: UUID
    ticket_type_id: UUID
    name: str
    seat_id: UUID | None
    zone_id: UUID | None
    quantity: int
    unit: int
    net: int
    counted: bool
    attendee_name: str | None
    attendee_email: str | None
    membership_id: UUID | None
    held_until: datetime | None = None
    hold_status: str | None = None


class StoredOrder(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    event_id: UUID
    user_id: UUID
    session_id: UUID
    attempt_id: UUID
    code: str
    status: str
    provider: str
    currency: str
    total: int
    quote: Any
    buyer_name: str
    buyer_email: str
    reason: str | None
    consent_by: datetime | None
    created_at: datetime
    paid_at: datetime | None


# --- as shown


class SessionItem(msgspec.Struct, frozen=True, kw_only=True):
    hold_id: UUID
    ticket_type_id: UUID
    name: str
    seat_id: UUID | None
    zone_id: UUID | None
    quantity: int
    unit_price: Money
    attendee: "Attendee | None"
    held_until: datetime | None  # null while it does not count down
    held_until_unix_ms: int | None
    live: bool  # false: the hold is over, choose again


class WayToPay(msgspec.Struct, frozen=True, kw_only=True):
    provider: str
    methods: tuple[str, ...]
    notice: str | None  # what everybody must be told who pays this way
    public_key: str | None = None  # with which a buyer's browser opens the provider's own fields


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A checkout: what is about to be bought, what it costs, and how long there is."""

    id: UUID
    event_id: UUID
    status: str
    items: list[SessionItem]
    promo_code: str | None
    lines: list[QuotedLine]
    total: Money
    ways_to_pay: list[WayToPay]
    expires_at: datetime
    expires_at_unix_ms: int
    server_time_unix_ms: int
    order_id: UUID | None = None


class TicketView(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket of an order. Of one that was passed on, its buyer sees neither code nor holder: both are empty."""

    id: UUID
    number: str
    code: str
    status: str
    ticket_type_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    holder_name: str


class RefundView(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    amount: Money
    status: str
    reason: str
    created_at: datetime


class PaymentView(msgspec.Struct, frozen=True, kw_only=True):
    """How it stands with the money. With `client_secret` the buyer's browser goes on at the provider."""

    provider: str
    status: str
    client_secret: str | None = None
    failure_code: str | None = None
    failure: str | None = None
    notice: str | None = None


class ProposedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A seat, or so many places of a zone, as people call it."""

    quantity: int
    zone_name: str
    row: str | None
    seat: str | None


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """An order, with its tickets once it is paid. `secret` opens it without signing in: keep it.

    While it needs consent, the `proposed` places are held for the buyer until `consent_by`, instead of the first ones.
    """

    id: UUID
    event_id: UUID
    code: str
    status: str
    lines: list[QuotedLine]
    total: Money
    buyer_name: str
    buyer_email: str
    payment: PaymentView
    tickets: list[TicketView]
    refunds: list[RefundView]
    reason: str | None
    consent_by: datetime | None
    proposed: list[ProposedPlace]
    created_at: datetime
    paid_at: datetime | None
    secret: str | None = None


class OrderRow(msgspec.Struct, frozen=True, kw_only=True):
    """An order in a list."""

    id: UUID
    event_id: UUID
    code: str
    status: str
    provider: str
    total: Money
    buyer_name: str
    buyer_email: str
    created_at: datetime
    paid_at: datetime | None


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all bodies: nothing unknown is ignored."""


class Attendee(Request, frozen=True, kw_only=True):
    """Who goes. In a zone that is not open to all it must be somebody who may."""

    name: Name
    email: Email | None = None


class Item(Request, frozen=True, kw_only=True):
    """A hold of mine, as tickets of a type: all of its places, or so many, if they are of several types."""

    hold_id: UUID
    ticket_type_id: UUID
    quantity: Quantity | None = None
    attendee: Attendee | None = None


class StartCheckout(Request, frozen=True, kw_only=True):
    items: Annotated[list[Item], Meta(min_length=1, max_length=50)]
    promo_code: PromoCode | None = None


class Buyer(Request, frozen=True, kw_only=True):
    name: Name
    email: Email


class Purchase(Request, frozen=True, kw_only=True):
    """`provider` is one of the checkout's ways to pay; `method` one of its methods, if it has any."""

    provider: Annotated[str, Meta(min_length=1, max_length=40)]
    buyer: Buyer
    method: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class Consent(Request, frozen=True, kw_only=True):
    """Whether other places will do. Without them the money goes back."""

    accept: bool


# --- refusals


class CheckoutNotFound(NotFound):
    """There is no such checkout, or it is not yours."""

    code, title = "checkout_not_found", "No such checkout"


class OrderNotFound(NotFound):
    """There is no such order, or it is not yours."""

    code, title = "order_not_found", "No such order"


class HoldExpired(Conflict):
    """A place is no longer held for you; nothing was charged. Choose again."""

    code, title = "hold_expired", "Hold expired"


class CheckoutExpired(Conflict):
    """The checkout is over: its ten minutes have passed, it was left, or another took its place. Start again."""

    code, title = "checkout_expired", "The checkout is over"


class CheckoutCompleted(Conflict):
    """This checkout has been paid for."""

    code, title = "checkout_completed", "This checkout is complete"


class PaymentRunning(Conflict):
    """A payment for these places is under way. Its order says how it stands."""

    code, title = "payment_running", "A payment is under way"


class TooManyTickets(Invalid):
    """A purchase is ten tickets at most."""

    code, title = "too_many_tickets", "Too many tickets for one purchase"


class WrongProvider(Invalid):
    """What costs nothing is `free`, and what costs something is not."""

    code, title = "payment_provider_wrong", "Not this way to pay"


class KeyNeeded(Invalid):
    """A purchase names an `Idempotency-Key`: without one, a lost answer could not be asked for again."""

    code, title = "idempotency_key_required", "Send an Idempotency-Key"


class NoConsentNeeded(Conflict):
    """The order does not wait for your consent, or its time is over."""

    code, title = "no_consent_needed", "There is nothing to consent to"


class EventNotAvailable(Refusal):
    """The show's status does not allow buying: it is a draft, over, cancelled, or postponed without a date."""

    code, title = "event_not_available", "The show cannot be booked"


class SalesClosed(Refusal):
    """The show's sale has not begun, or is over."""

    code, title = "event_sales_closed", "The sale is closed"


def quote_of(stored: Any) -> Quote:
    return msgspec.convert(stored, Quote)
