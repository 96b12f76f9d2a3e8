"""What queries.sql takes: written by `make schema`."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def sales_over_time(
    tx: Tenant, /, *, step: str, timezone: str, event_id: UUID | None, since: datetime, until: datetime
) -> None: ...


def list_event_sales(tx: Tenant, /, limit: int) -> None: ...


def search_orders(
    tx: Tenant,
    /,
    *,
    event_id: UUID | None,
    status: str | None,
    words: str | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...
