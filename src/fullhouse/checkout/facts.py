"""The facts that this domain announces."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class CheckoutStarted(Fact, frozen=True, kw_only=True):
    """A buyer began a checkout."""

    name: ClassVar[str] = "checkout.started"
    event_id: UUID
    user_id: UUID
    tickets: int
    total: int
    currency: str


class CheckoutHandedOver(Fact, frozen=True, kw_only=True):
    """A guest with an open checkout signed in: the checkout now belongs to the account that signed in."""

    name: ClassVar[str] = "checkout.handed_over"
    event_id: UUID
    user_id: UUID
    guest_id: UUID


class CheckoutEnded(Fact, frozen=True, kw_only=True):
    """A checkout was left, expired, or was cancelled with its event: the quantities it had counted are released."""

    name: ClassVar[str] = "checkout.ended"
    event_id: UUID
    user_id: UUID
    status: str


class OrderFact(Fact, frozen=True, kw_only=True):
    """The fields that every fact about an order has."""

    event_id: UUID
    user_id: UUID
    code: str
    total: int
    currency: str
    buyer_email: str


class OrderPaid(OrderFact, frozen=True, kw_only=True):
    """An order was paid and its tickets were issued."""

    name: ClassVar[str] = "order.paid"
    tickets: int


class OrderCancelled(OrderFact, frozen=True, kw_only=True):
    """An order was cancelled before anything was sold; what was paid for it is refunded."""

    name: ClassVar[str] = "order.cancelled"
    reason: str
    refunded: int = 0


class OrderPaidTwice(OrderFact, frozen=True, kw_only=True):
    """A second payment arrived for a paid order. All of it is refunded; the order is unchanged."""

    name: ClassVar[str] = "order.paid_twice"
    amount: int


class OrderNeedsConsent(OrderFact, frozen=True, kw_only=True):
    """The payment arrived after the seats were gone; others are held for the buyer until `consent_by`."""

    name: ClassVar[str] = "order.needs_consent"
    consent_by: datetime


class OrderRefunded(OrderFact, frozen=True, kw_only=True):
    """An order is refunded by decision, in full or in part; `tickets` of its tickets are void. `cancelled` if the event
    was cancelled."""

    name: ClassVar[str] = "order.refunded"
    refund_id: UUID
    amount: int
    tickets: int
    reason: str
    status: str
    cancelled: bool = False
