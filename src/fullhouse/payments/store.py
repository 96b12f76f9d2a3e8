"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.payments import queries
from fullhouse.payments.model import Attempt, Refund


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


class ParkedEvent(NamedTuple):
    provider: str
    news_id: str
    kind: str
    reason: str
    said: Any
    received_at: datetime


class Entry(NamedTuple):
    account: str
    amount: int
    currency: str


attempt_by_id = sql.one(queries.attempt_by_id, Attempt)
lock_attempt = sql.one(queries.lock_attempt, Attempt)
attempts_of_order = sql.many(queries.attempts_of_order, Attempt)
save_attempt = sql.one(queries.save_attempt, Attempt)
capture_attempts = sql.many(queries.capture_attempts, Attempt)
due_attempts = sql.many(queries.due_attempts, Due)
claim_attempt = sql.one(queries.claim_attempt, Attempt)

reserve_refund = sql.one(queries.reserve_refund, Attempt)
insert_refund = sql.one(queries.insert_refund, Refund)
refund_by_ref = sql.one(queries.refund_by_ref, Refund)
refund_by_id = sql.one(queries.refund_by_id, Refund)
lock_refund = sql.one(queries.lock_refund, Refund)
refunds_of_order = sql.many(queries.refunds_of_order, Refund)
save_refund = sql.one(queries.save_refund, Refund)
retry_refund = sql.one(queries.retry_refund, Refund)
retry_refunds = sql.many(queries.retry_refunds, Refund)
pay_outside = sql.one(queries.pay_outside, Refund)
lock_refunds_of_attempt = sql.many(queries.lock_refunds_of_attempt, Refund)
due_refunds = sql.many(queries.due_refunds, Due)
claim_refund = sql.one(queries.claim_refund, Refund)

post_entries = sql.count(queries.post_entries)
entries_of = sql.many(queries.entries_of, Entry)

charge_once = sql.value(queries.charge_once, str)
charge_status = sql.value(queries.charge_status, str)
move_charge = sql.count(queries.move_charge)

insert_parked = sql.count(queries.insert_parked)
list_parked = sql.many(queries.list_parked, ParkedEvent)
delete_parked = sql.count(queries.delete_parked)
