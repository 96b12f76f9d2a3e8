"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def attempt_by_id(tx: Tenant, /, attempt_id: UUID) -> None: ...


def lock_attempt(tx: Tenant, /, attempt_id: UUID) -> None: ...


def capture_attempts(
    tx: Tenant,
    /,
    *,
    attempt_ids: Sequence[UUID],
    refs: Sequence[str],
    amounts: Sequence[int],
    currencies: Sequence[str | None],
) -> None: ...


def attempts_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def save_attempt(
    tx: Tenant,
    /,
    *,
    status: str,
    provider_ref: str | None,
    client_secret: str | None,
    failure_code: str | None,
    failure: str | None,
    attempt_id: UUID,
) -> None: ...


def due_attempts(tx: Runs, /, limit: int) -> None: ...


def claim_attempt(tx: Tenant, /, *, pause_s: float, attempt_id: UUID) -> None: ...


def reserve_refund(tx: Tenant, /, *, amount: int, attempt_id: UUID) -> None: ...


def insert_refund(
    tx: Tenant,
    /,
    *,
    id: UUID,
    attempt_id: UUID,
    order_id: UUID,
    event_id: UUID,
    amount: int,
    currency: str,
    reason: str,
    requested_by: UUID | None,
    status: str,
    provider_ref: str | None,
) -> None: ...


def refund_by_ref(tx: Tenant, /, *, attempt_id: UUID, provider_ref: str) -> None: ...


def refund_by_id(tx: Tenant, /, refund_id: UUID) -> None: ...


def lock_refund(tx: Tenant, /, refund_id: UUID) -> None: ...


def refunds_of_order(tx: Tenant, /, order_id: UUID) -> None: ...


def save_refund(
    tx: Tenant, /, *, status: str, provider_ref: str | None, failure: str | None, refund_id: UUID
) -> None: ...


def retry_refund(tx: Tenant, /, *, refund_id: UUID, order_id: UUID) -> None: ...


def retry_refunds(tx: Tenant, /, *, event_id: UUID, limit: int) -> None: ...


def pay_outside(tx: Tenant, /, *, reason: str, refund_id: UUID, order_id: UUID) -> None: ...


def lock_refunds_of_attempt(tx: Tenant, /, attempt_id: UUID) -> None: ...


def due_refunds(tx: Runs, /, limit: int) -> None: ...


def claim_refund(tx: Tenant, /, *, pause_s: float, refund_id: UUID) -> None: ...


def post_entries(
    tx: Tenant,
    /,
    *,
    kind: str,
    ids: Sequence[UUID],
    source_ids: Sequence[UUID],
    order_ids: Sequence[UUID],
    event_ids: Sequence[UUID],
    transaction_ids: Sequence[UUID],
    positions: Sequence[int],
    accounts: Sequence[str],
    amounts: Sequence[int],
    currencies: Sequence[str],
) -> None: ...


def entries_of(tx: Tenant, /, *, source_id: UUID, kind: str) -> None: ...


def charge_once(
    tx: Tenant, /, *, key: UUID, kind: str, method: str, amount: int, currency: str, status: str
) -> None: ...


def charge_status(tx: Tenant, /, key: UUID) -> None: ...


def move_charge(tx: Tenant, /, *, status: str, key: UUID, from_status: str) -> None: ...


def insert_parked(tx: Runs, /, *, provider: str, news_id: str, kind: str, reason: str, said: object) -> None: ...


def list_parked(tx: Runs, /, limit: int) -> None: ...


def delete_parked(tx: Runs, /, news_ids: Sequence[str]) -> None: ...
