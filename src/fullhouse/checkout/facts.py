"""What this room announces."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class CheckoutStarted(Fact, frozen=True, kw_only=True):
    """Somebody is about to buy."""

    name: ClassVar[str] = "checkout.started"
    event_id: UUID
    user_id: UUID
    tickets: int
    total: int
    currency: str


class CheckoutHandedOver(Fact, frozen=True, kw_only=True):
    """A guest who was about to buy has signed in: it is the same person's checkout, under another id."""

    name: ClassVar[str] = "checkout.handed_over"
    event_id: UUID
    user_id: UUID
    guest_id: UUID


class CheckoutEnded(Fact, frozen=True, kw_only=True):
    """It was left, has expired, or was cancelled with its show: what it had counted is free again."""

    name: ClassVar[str] = "checkout.ended"
    event_id: UUID
    user_id: UUID
    status: str


class OrderFact(Fact, frozen=True, kw_only=True):
    """What every fact about an order says."""

    event_id: UUID
    user_id: UUID
    code: str
    total: int
    currency: str
    buyer_email: str


class OrderPaid(OrderFact, frozen=True, kw_only=True):
    """Its tickets are issued."""

    name: ClassVar[str] = "order.paid"
    tickets: int


class OrderCancelled(OrderFact, frozen=True, kw_only=True):
    """Nothing was sold; what was paid for it goes back."""

    name: ClassVar[str] = "order.cancelled"
    reason: str
    refunded: int = 0


class OrderPaidTwice(OrderFact, frozen=True, kw_only=True):
    """Another payment came for an order that has its money. All of it goes back; the order stays as it is."""

    name: ClassVar[str] = "order.paid_twice"
    amount: int


class OrderNeedsConsent(OrderFact, frozen=True, kw_only=True):
    """The money came when the places were gone; others are held for the buyer until `consent_by`."""

    name: ClassVar[str] = "order.needs_consent"
    consent_by: datetime


class OrderRefunded(OrderFact, frozen=True, kw_only=True):
    """Money goes back by decision, all of it or a part; so many tickets are void. `cancelled` if the show was."""

    name: ClassVar[str] = "order.refunded"
    refund_id: UUID
    amount: int
    tickets: int
    reason: str
    status: str
    cancelled: bool = False
