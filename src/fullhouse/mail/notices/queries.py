"""What queries.sql takes: written by `make schema`."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.sql import Tenant


def insert_recipients(tx: Tenant, /, *, notice_id: UUID, event_id: UUID, updated_at: datetime) -> None: ...


def insert_waitlist_recipients(tx: Tenant, /, *, notice_id: UUID, event_id: UUID, updated_at: datetime) -> None: ...


def insert_notice(tx: Tenant, /, *, id: UUID, event_id: UUID, template: str, letter: object, total: int) -> None: ...


def find_notice(tx: Tenant, /, notice_id: UUID) -> None: ...


def lock_notice(tx: Tenant, /, notice_id: UUID) -> None: ...


def claim_recipients(tx: Tenant, /, *, notice_id: UUID, limit: int) -> None: ...


def advance_notice(tx: Tenant, /, *, posted: int, last: bool, notice_id: UUID) -> None: ...


def list_notices(
    tx: Tenant, /, *, event_id: UUID, after_at: datetime | None, after_id: UUID | None, limit: int
) -> None: ...
