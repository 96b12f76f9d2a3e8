"""The structs of sales figures and order search."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.checkout.model import OrderRow, OrderStatus, Request
from fullhouse.events.model import Status
from fullhouse.kit.money import Money

Step = Literal["hour", "day"]


class SalesPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Paid orders that were placed in the hour or day that begins `at`. Refunds are not deducted."""

    at: datetime
    orders: int
    tickets: int
    amount: Money


class EventSales(msgspec.Struct, frozen=True, kw_only=True):
    """Sales of an announced event that is not over. `amount` includes what was `refunded`; `sold` and `places` are
    those of the list of events."""

    event_id: UUID
    name: str
    status: Status
    start_at: datetime
    rescheduled_at: datetime | None
    timezone: str
    capacity: int
    sold: int
    places: int | None
    orders: int
    currency: str | None
    amount: int
    refunded: int


class FindOrders(Request, frozen=True, kw_only=True):
    """Search criteria. Sent in a body, because a URL with personal data would end up in logs and browser histories."""

    q: Annotated[str, Meta(max_length=100, description="Part of a name or email, or a whole order code.")] | None = None
    event_id: UUID | None = None
    status: OrderStatus | None = None


class FoundOrder(OrderRow, frozen=True, kw_only=True):
    """An order that a search found."""

    event_name: str
    tickets: int
    refunded: int
