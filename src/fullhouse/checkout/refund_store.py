"""Runs `refund_queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.checkout.refund_model import OrderRefund, RefundBatch, RefundedAmounts, RefundFailure, RefusedRefund
from fullhouse.checkout.store import Due
from fullhouse.kit import sql
from fullhouse.kit.money import Money

statements = sql.load(__file__)


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


insert_refund = statements.count("insert_refund")
refunds_of_order = statements.many("refunds_of_order", _refund)
set_order_status = statements.count("set_order_status")
is_given_back = statements.value("is_given_back", bool)
count_void = statements.count("count_void")

begin_batch = statements.count("begin_batch")
due_batches = statements.many("due_batches", Due)
batch_reason = statements.value("batch_reason", str)
next_orders = statements.many("next_orders", _value)
note_failure = statements.count("note_failure")
forget_failure = statements.count("forget_failure")
close_batch = statements.value("close_batch", str)
batch_progress = statements.one("batch_progress", RefundBatch)
batch_failures = statements.many("batch_failures", RefundFailure)
refused_refunds = statements.many("refused_refunds", _refused)
refunded_amounts = statements.many("refunded_amounts", RefundedAmounts)

orders_for_sheet = statements.many("orders_for_sheet", SheetRow)
