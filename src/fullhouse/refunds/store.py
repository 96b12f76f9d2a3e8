"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout.store import Due
from fullhouse.kit.db import sql
from fullhouse.kit.money import Money
from fullhouse.refunds import queries
from fullhouse.refunds.model import OrderRefund, RefundBatch, RefundedAmounts, RefundFailure, RefusedRefund


class CsvRow(NamedTuple):
    """An order as a row of the CSV export."""

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


def _to_order_refund(amount: int, currency: str, **rest: Any) -> OrderRefund:
    return OrderRefund(amount=Money(amount, currency), **rest)


def _to_refused_refund(amount: int, currency: str, **rest: Any) -> RefusedRefund:
    return RefusedRefund(amount=Money(amount, currency), **rest)


def _value(value: UUID) -> UUID:
    return value


insert_refund = sql.count(queries.insert_refund)
refunds_of_order = sql.many(queries.refunds_of_order, _to_order_refund)
set_order_status = sql.count(queries.set_order_status)
is_refunded_by_batch = sql.value(queries.is_refunded_by_batch, bool)
count_void = sql.count(queries.count_void)

begin_batch = sql.count(queries.begin_batch)
due_batches = sql.many(queries.due_batches, Due)
batch_reason = sql.value(queries.batch_reason, str)
next_orders = sql.many(queries.next_orders, _value)
record_failure = sql.count(queries.record_failure)
delete_failure = sql.count(queries.delete_failure)
close_batch = sql.value(queries.close_batch, str)
batch_progress = sql.one(queries.batch_progress, RefundBatch)
batch_failures = sql.many(queries.batch_failures, RefundFailure)
refused_refunds = sql.many(queries.refused_refunds, _to_refused_refund)
refunded_amounts = sql.many(queries.refunded_amounts, RefundedAmounts)

orders_for_csv = sql.many(queries.orders_for_csv, CsvRow)
