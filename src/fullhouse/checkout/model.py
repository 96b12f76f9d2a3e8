"""Checkouts and orders: stored rows, API responses, requests and refusals."""

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
    """A quantity of one hold, sold as tickets of one type."""

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


# --- responses


class SessionItem(msgspec.Struct, frozen=True, kw_only=True):
    hold_id: UUID
    ticket_type_id: UUID
    name: str
    seat_id: UUID | None
    zone_id: UUID | None
    quantity: int
    unit_price: Money
    attendee: "Attendee | None"
    held_until: datetime | None  # null while it does not count down: frozen or suspended
    held_until_unix_ms: int | None
    live: bool  # false: the hold has ended, choose again


class WayToPay(msgspec.Struct, frozen=True, kw_only=True):
    provider: str
    methods: tuple[str, ...]
    notice: str | None  # must be shown to every buyer who pays this way
    public_key: str | None = None  # opens the provider's card fields in the buyer's browser


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A checkout: the items to buy, their price, and the time that is left."""

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
    """A ticket of an order. If the ticket was transferred, `code` and `holder_name` are empty for its buyer."""

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
    """The state of the payment. With `client_secret` the buyer's browser continues at the provider."""

    provider: str
    status: str
    client_secret: str | None = None
    failure_code: str | None = None
    failure: str | None = None
    notice: str | None = None


class ProposedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A seat, or a number of standing spots in a zone, by its printed names."""

    quantity: int
    zone_name: str
    row: str | None
    seat: str | None


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """An order, with its tickets once it is paid. `secret` opens the order without signing in: store it safely.

    While the order needs consent, the `proposed` seats or spots are held for the buyer until `consent_by`, in place of
    the original ones.
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
    """Base of all request bodies: unknown fields are rejected."""


class Attendee(Request, frozen=True, kw_only=True):
    """Who attends. In a zone with restricted access this person must be allowed to enter."""

    name: Name
    email: Email | None = None


class Item(Request, frozen=True, kw_only=True):
    """One of the caller's holds, as tickets of a type: all of it, or `quantity` of it if it is split between types."""

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
    """Whether the buyer accepts the proposed seats. If not, the payment is refunded."""

    accept: bool


# --- refusals


class CheckoutNotFound(NotFound):
    """The checkout does not exist, or belongs to someone else."""

    code, title = "checkout_not_found", "No such checkout"


class OrderNotFound(NotFound):
    """The order does not exist, or belongs to someone else."""

    code, title = "order_not_found", "No such order"


class HoldExpired(Conflict):
    """A seat or spot is no longer held for you; nothing was charged. Choose again."""

    code, title = "hold_expired", "Hold expired"


class CheckoutExpired(Conflict):
    """The checkout has ended: its ten minutes have passed, it was left, or a newer one replaced it. Start again."""

    code, title = "checkout_expired", "The checkout has expired"


class CheckoutCompleted(Conflict):
    """This checkout is paid. Its order has the tickets."""

    code, title = "checkout_completed", "This checkout is complete"


class PaymentRunning(Conflict):
    """A payment for this checkout is under way. Read the order for its state."""

    code, title = "payment_running", "A payment is under way"


class TooManyTickets(Invalid):
    """One purchase has at most ten tickets."""

    code, title = "too_many_tickets", "Too many tickets for one purchase"


class WrongProvider(Invalid):
    """`provider` must be `free` if the total is zero, and another provider if it is not."""

    code, title = "payment_provider_wrong", "Wrong payment provider for this total"


class IdempotencyKeyRequired(Invalid):
    """A purchase needs an `Idempotency-Key` header, so that it can be repeated safely if its response is lost."""

    code, title = "idempotency_key_required", "Send an Idempotency-Key"


class NoConsentNeeded(Conflict):
    """The order is not waiting for your consent, or the time to answer has passed."""

    code, title = "no_consent_needed", "There is nothing to consent to"


class EventNotAvailable(Refusal):
    """The event's status does not allow buying: it is a draft, ended, cancelled, or postponed without a new date."""

    code, title = "event_not_available", "The event cannot be booked"


class SalesClosed(Refusal):
    """Ticket sales for the event have not started, or have ended."""

    code, title = "event_sales_closed", "Ticket sales are closed"


def decode_quote(stored: Any) -> Quote:
    return msgspec.convert(stored, Quote)
