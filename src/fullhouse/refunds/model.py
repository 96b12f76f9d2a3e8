"""Money back, as it is asked for and shown; and what is refused."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.checkout.model import Request
from fullhouse.kit.errors import Conflict
from fullhouse.kit.money import Money

Fees = Literal["keep", "return"]
Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]


class RefundOrder(Request, frozen=True, kw_only=True):
    """All of an order, if neither tickets nor an amount are named.

    Tickets that are named are void, and give back what they cost after discounts, with their taxes; with an `amount`,
    that much instead. An amount alone leaves the tickets as they are. `fees: return` gives back the fees of what is
    given back, too.
    """

    reason: Reason
    ticket_ids: Annotated[list[UUID], Meta(min_length=1, max_length=10)] | None = None
    amount: Annotated[int, Meta(ge=1, le=10**12, description="Minor units.")] | None = None
    fees: Fees = "keep"


class PaidOutside(Request, frozen=True, kw_only=True):
    """How the buyer got the money: in cash, by a transfer with this reference."""

    reason: Reason


class OrderRefund(msgspec.Struct, frozen=True, kw_only=True):
    """What was given back of an order. `status` is the money's: requested, unknown, done or failed; `free` if there was
    none to give. What failed is still owed: it can be tried again, or paid outside of the system; `paid_outside` then
    says how."""

    id: UUID
    order_id: UUID
    amount: Money
    status: str
    reason: str
    fees: Fees | None  # null: it was not decided, but had to go back
    ticket_ids: list[UUID]
    failure: str | None
    tries: int
    paid_outside: str | None
    created_at: datetime


class RefundPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a refund would do if it were asked for now. `left` is what could go back at most."""

    amount: Money
    left: Money
    ticket_ids: list[UUID]


class RefundFailure(msgspec.Struct, frozen=True, kw_only=True):
    """An order that could not be given back yet; it is tried again."""

    order_id: UUID
    error: str
    tries: int
    try_at: datetime


class RefusedRefund(msgspec.Struct, frozen=True, kw_only=True):
    """Money that the provider refuses to give back, or that came back: it is tried again when somebody says so."""

    id: UUID
    order_id: UUID
    amount: Money
    failure: str | None
    tries: int
    created_at: datetime


class RefundBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The orders of a cancelled show on their way back: `done` of `orders`; `failed` are tried again."""

    status: str
    orders: int
    done: int
    failed: int
    created_at: datetime
    finished_at: datetime | None


class RefundedAmounts(msgspec.Struct, frozen=True, kw_only=True):
    """Of one currency: what is to go back, what has gone out, and what the provider refuses."""

    currency: str
    refunds: int
    requested: int
    paid_out: int
    failed: int


class EventRefunds(msgspec.Struct, frozen=True, kw_only=True):
    """What goes back in a show, and how far its cancellation is, if it was cancelled. `refused` are the oldest hundred
    of those that the provider refuses."""

    event_id: UUID
    batch: RefundBatch | None
    amounts: list[RefundedAmounts]
    failures: list[RefundFailure]
    refused: list[RefusedRefund]


class OrderNotPaid(Conflict):
    """Nothing was sold by this order, so nothing can be given back. What was paid for it goes back by itself."""

    code, title = "order_not_paid", "The order is not paid"


class NothingToRefund(Conflict):
    """All of it has been given back before. Fees that were kept go back with `fees: return`."""

    code, title = "nothing_to_refund", "There is nothing left to give back"
