"""Refunds: requests, responses and refusals."""

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
    """Refunds the whole order if neither `ticket_ids` nor `amount` is given.

    Named tickets become void, and their price after discounts is refunded with its taxes; with `amount`, that amount
    instead. `amount` alone leaves the tickets valid. `fees: return` refunds the fees of the refunded tickets, too.
    """

    reason: Reason
    ticket_ids: Annotated[list[UUID], Meta(min_length=1, max_length=10)] | None = None
    amount: Annotated[int, Meta(ge=1, le=10**12, description="Minor units.")] | None = None
    fees: Fees = "keep"


class PaidOutside(Request, frozen=True, kw_only=True):
    """How the buyer was paid, for instance in cash, or by bank transfer with its reference."""

    reason: Reason


class OrderRefund(msgspec.Struct, frozen=True, kw_only=True):
    """A refund of an order. `status` is that of the payment: requested, unknown, done or failed; `free` if there was
    nothing to pay. A failed refund is still owed: retry it, or pay it by another way and record that; `paid_outside`
    then says how."""

    id: UUID
    order_id: UUID
    amount: Money
    status: str
    reason: str
    fees: Fees | None  # null: an automatic refund, not decided by staff
    ticket_ids: list[UUID]
    failure: str | None
    tries: int
    paid_outside: str | None
    created_at: datetime


class RefundPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a refund if it were requested now. `left` is the highest possible amount."""

    amount: Money
    left: Money
    ticket_ids: list[UUID]


class RefundFailure(msgspec.Struct, frozen=True, kw_only=True):
    """An order whose refund failed; it is retried automatically at `try_at`."""

    order_id: UUID
    error: str
    tries: int
    try_at: datetime


class RefusedRefund(msgspec.Struct, frozen=True, kw_only=True):
    """A refund that the provider rejected, or that the bank returned. It is retried only on request."""

    id: UUID
    order_id: UUID
    amount: Money
    failure: str | None
    tries: int
    created_at: datetime


class RefundBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of refunding a cancelled event: `done` of `orders`; `failed` ones are retried automatically."""

    status: str
    orders: int
    done: int
    failed: int
    created_at: datetime
    finished_at: datetime | None


class RefundedAmounts(msgspec.Struct, frozen=True, kw_only=True):
    """The refunds in one currency: requested, paid out, and failed amounts, in minor units."""

    currency: str
    refunds: int
    requested: int
    paid_out: int
    failed: int


class EventRefunds(msgspec.Struct, frozen=True, kw_only=True):
    """The refunds of an event and, if it was cancelled, the progress of refunding its orders. `refused` has the oldest
    hundred of those that the provider rejected."""

    event_id: UUID
    batch: RefundBatch | None
    amounts: list[RefundedAmounts]
    failures: list[RefundFailure]
    refused: list[RefusedRefund]


class OrderNotPaid(Conflict):
    """The order was never completed, so it cannot be refunded. A payment for it is refunded automatically."""

    code, title = "order_not_paid", "The order is not paid"


class NothingToRefund(Conflict):
    """The order is already refunded. Fees that were kept can be refunded with `fees: return`."""

    code, title = "nothing_to_refund", "There is nothing left to refund"
