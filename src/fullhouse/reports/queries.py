"""What queries.sql takes: written by `make schema`."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def list_reports(
    tx: Tenant,
    /,
    *,
    status: str | None,
    since: datetime | None,
    until: datetime | None,
    after_at: datetime | None,
    after_id: UUID | None,
    limit: int,
) -> None: ...


def find_report(tx: Tenant, /, event_id: UUID) -> None: ...


def report_days(tx: Tenant, /, *, event_id: UUID, timezone: str) -> None: ...


def time_to_sale(tx: Tenant, /, event_id: UUID) -> None: ...


def released_by_house(tx: Tenant, /, event_id: UUID) -> None: ...
