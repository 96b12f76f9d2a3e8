"""What queries.sql takes: written by `make schema`."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def amounts_by_account(tx: Tenant, /, order_id: UUID) -> None: ...


def oldest_transactions(
    tx: Tenant,
    /,
    *,
    event_id: UUID | None,
    order_id: UUID | None,
    kind: str | None,
    since: datetime | None,
    until: datetime | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def newest_transactions(
    tx: Tenant,
    /,
    *,
    event_id: UUID | None,
    order_id: UUID | None,
    kind: str | None,
    since: datetime | None,
    until: datetime | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def balances(tx: Tenant, /, event_id: UUID | None) -> None: ...
