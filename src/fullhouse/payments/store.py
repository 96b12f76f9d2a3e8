"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit import sql
from fullhouse.payments.model import Attempt, Refund

statements = sql.load(__file__)


class Due(NamedTuple):
    organization_id: UUID
    id: UUID


class Parked(NamedTuple):
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


attempt_by_id = statements.one("attempt_by_id", Attempt)
lock_attempt = statements.one("lock_attempt", Attempt)
attempts_of_order = statements.many("attempts_of_order", Attempt)
save_attempt = statements.one("save_attempt", Attempt)
capture_attempts = statements.many("capture_attempts", Attempt)
due_attempts = statements.many("due_attempts", Due)
claim_attempt = statements.one("claim_attempt", Attempt)

take_refund = statements.one("take_refund", Attempt)
insert_refund = statements.one("insert_refund", Refund)
refund_by_ref = statements.one("refund_by_ref", Refund)
refund_by_id = statements.one("refund_by_id", Refund)
lock_refund = statements.one("lock_refund", Refund)
refunds_of_order = statements.many("refunds_of_order", Refund)
save_refund = statements.one("save_refund", Refund)
retry_refund = statements.one("retry_refund", Refund)
retry_refunds = statements.many("retry_refunds", Refund)
pay_outside = statements.one("pay_outside", Refund)
lock_refunds_of_attempt = statements.many("lock_refunds_of_attempt", Refund)
due_refunds = statements.many("due_refunds", Due)
claim_refund = statements.one("claim_refund", Refund)

post_entries = statements.count("post_entries")
entries_of = statements.many("entries_of", Entry)

charge_once = statements.value("charge_once", str)
charge_status = statements.value("charge_status", str)
move_charge = statements.count("move_charge")

park = statements.count("park")
parked = statements.many("parked", Parked)
drop_parked = statements.count("drop_parked")
