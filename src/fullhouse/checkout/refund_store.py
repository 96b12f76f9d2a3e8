"""Runs `refund_queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout import refund_queries
from fullhouse.checkout.refund_model import OrderRefund, RefundBatch, RefundedAmounts, RefundFailure, RefusedRefund
from fullhouse.checkout.store import Due
from fullhouse.kit import sql
from fullhouse.kit.money import Money


class SheetRow(NamedTuple):
    """An order as a line of a spreadsheet."""

    id: UUID
    code: str
    status: str
    created_at: datetime
    paid_at: datetime | None
    buyer_name: str
    buyer_email: str
    provider: str
    currency: str
    total: int
    refunded: int
    reason: str | None
    tickets: int
    valid: int


def _refund(amount: int, currency: str, **rest: Any) -> OrderRefund:
    return OrderRefund(amount=Money(amount, currency), **rest)


def _refused(amount: int, currency: str, **rest: Any) -> RefusedRefund:
    return RefusedRefund(amount=Money(amount, currency), **rest)


def _value(value: UUID) -> UUID:
    return value


insert_refund = sql.count(refund_queries.insert_refund)
refunds_of_order = sql.many(refund_queries.refunds_of_order, _refund)
set_order_status = sql.count(refund_queries.set_order_status)
is_given_back = sql.value(refund_queries.is_given_back, bool)
count_void = sql.count(refund_queries.count_void)

begin_batch = sql.count(refund_queries.begin_batch)
due_batches = sql.many(refund_queries.due_batches, Due)
batch_reason = sql.value(refund_queries.batch_reason, str)
next_orders = sql.many(refund_queries.next_orders, _value)
note_failure = sql.count(refund_queries.note_failure)
forget_failure = sql.count(refund_queries.forget_failure)
close_batch = sql.value(refund_queries.close_batch, str)
batch_progress = sql.one(refund_queries.batch_progress, RefundBatch)
batch_failures = sql.many(refund_queries.batch_failures, RefundFailure)
refused_refunds = sql.many(refund_queries.refused_refunds, _refused)
refunded_amounts = sql.many(refund_queries.refunded_amounts, RefundedAmounts)

orders_for_sheet = sql.many(refund_queries.orders_for_sheet, SheetRow)
