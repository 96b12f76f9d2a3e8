"""What queries.sql takes: written by `make schema`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from fullhouse.kit.db.sql import Runs, Tenant


def insert_webhook(
    tx: Tenant,
    /,
    *,
    id: UUID,
    url: str,
    description: str,
    events: Sequence[str],
    enabled: bool,
    secret: bytes,
    webhooks_max: int,
) -> None: ...


def find_webhook(tx: Tenant, /, webhook_id: UUID) -> None: ...


def lock_webhook(tx: Tenant, /, webhook_id: UUID) -> None: ...


def update_webhook(
    tx: Tenant, /, *, url: str, description: str, events: Sequence[str], enabled: bool, webhook_id: UUID
) -> None: ...


def rotate_secret(tx: Tenant, /, *, overlap: timedelta, secret: bytes, webhook_id: UUID) -> None: ...


def delete_webhook(tx: Tenant, /, webhook_id: UUID) -> None: ...


def list_webhooks(tx: Tenant, /, *, after_at: datetime | None, after_id: UUID | None, limit: int) -> None: ...


def list_filters(tx: Tenant, /) -> None: ...


def list_subscribed(tx: Tenant, /, filters: Sequence[str]) -> None: ...


def insert_deliveries(
    tx: Tenant, /, *, message_id: UUID, type: str, body: str, ids: Sequence[UUID], webhook_ids: Sequence[UUID]
) -> None: ...


def insert_test_delivery(
    tx: Tenant, /, *, id: UUID, webhook_id: UUID, message_id: UUID, type: str, body: str, claim: timedelta
) -> None: ...


def lock_attempt(tx: Tenant, /, delivery_id: UUID) -> None: ...


def claim_delivery(tx: Tenant, /, *, claim: timedelta, delivery_id: UUID) -> None: ...


def finish_attempt(
    tx: Tenant,
    /,
    *,
    status: str,
    pause: timedelta | None,
    response_status: int | None,
    response_body: str | None,
    error: str | None,
    duration_ms: int,
    delivery_id: UUID,
    attempts: int,
) -> None: ...


def record_success(tx: Tenant, /, webhook_id: UUID) -> None: ...


def record_failure(tx: Tenant, /, webhook_id: UUID) -> None: ...


def disable_webhook(tx: Tenant, /, *, reason: str, webhook_id: UUID) -> None: ...


def lock_delivery(tx: Tenant, /, *, webhook_id: UUID, delivery_id: UUID) -> None: ...


def reset_delivery(tx: Tenant, /, delivery_id: UUID) -> None: ...


def reset_failed_deliveries(
    tx: Tenant, /, *, webhook_id: UUID, since: datetime, limit: int, waiting: int, pause: timedelta
) -> None: ...


def list_deliveries(
    tx: Tenant, /, *, webhook_id: UUID, status: str | None, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...


def list_owner_emails(tx: Tenant, /) -> None: ...


def delete_old_deliveries(tx: Runs, /) -> None: ...
