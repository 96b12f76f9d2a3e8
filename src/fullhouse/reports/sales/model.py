"""How it sells, as it is shown."""

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
    """What was ordered in the hour or the day that begins `at`, and is paid. Refunds are not taken off."""

    at: datetime
    orders: int
    tickets: int
    amount: Money


class ShowSales(msgspec.Struct, frozen=True, kw_only=True):
    """A show that is announced and not over, and what it has brought. `refunded` is part of `amount`; `sold` and
    `places` are those of the list of shows."""

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
    """Which orders. It names people: a body is in no log and no history, where an address is."""

    q: Annotated[str, Meta(max_length=100, description="Of a name or an address, or a whole code.")] | None = None
    event_id: UUID | None = None
    status: OrderStatus | None = None


class FoundOrder(OrderRow, frozen=True, kw_only=True):
    """An order that a search found."""

    event_name: str
    tickets: int
    refunded: int
