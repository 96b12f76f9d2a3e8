"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def insert_refund(
    tx: Tenant,
    /,
    *,
    id: UUID,
    order_id: UUID,
    event_id: UUID,
    amount: int,
    currency: str,
    fees: str,
    ticket_ids: Sequence[UUID],
    reason: str,
    batch: bool,
    requested_by: UUID | None,
) -> None: ...


def refunds_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def set_order_status(tx: Tenant, /, *, status: str, order_id: UUID) -> None: ...


def is_refunded_by_batch(tx: Tenant, /, order_id: UUID) -> None: ...


def count_void(tx: Tenant, /, event_id: UUID) -> None: ...


def begin_batch(tx: Tenant, /, *, event_id: UUID, reason: str) -> None: ...


def due_batches(tx: Runs, /, limit: int) -> None: ...


def batch_reason(tx: Tenant, /, event_id: UUID) -> None: ...


def next_orders(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def record_failure(tx: Tenant, /, *, event_id: UUID, order_id: UUID, error: str) -> None: ...


def delete_failure(tx: Tenant, /, order_id: UUID) -> None: ...


def close_batch(tx: Tenant, /, event_id: UUID) -> None: ...


def batch_progress(tx: Tenant, /, event_id: UUID) -> None: ...


def batch_failures(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def refunded_amounts(tx: Tenant, /, event_id: UUID) -> None: ...


def refused_refunds(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def orders_for_csv(
    tx: Tenant, /, *, event_id: UUID, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...
