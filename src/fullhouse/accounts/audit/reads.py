"""Reads the audit log: page by page, with filters, and as CSV."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.accounts import store
from fullhouse.accounts.model import AuditEntry
from fullhouse.kit.db.cursors import Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import csv_response
from fullhouse.kit.secrets import Keyring

CSV_COLUMNS = (
    "time", "action", "by", "name", "about", "id", "before", "after", "reason", "approval", "address", "request",
)  # fmt: skip


class Filters(NamedTuple):
    """`action` is one action, or a prefix such as `event.*`."""

    action: str | None = None
    entity_type: str | None = None
    actor_id: UUID | None = None
    entity_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_audit_page(
    tx: Tx, keyring: Keyring, cursor: str | None, limit: int, filters: Filters
) -> Page[AuditEntry]:
    """Audit rows that match the filters, newest first."""
    return await page_by_age(tx, keyring, "audit", store.list_audit, cursor, limit, **filters._asdict())


def to_csv(page: Page[AuditEntry]) -> Response:
    rows = (
        (
            e.created_at,
            e.action,
            e.actor_type,
            e.actor_name,
            e.entity_type,
            e.entity_id,
            _to_json(e.before),
            _to_json(e.after),
            e.reason,
            e.approval_reference,
            e.ip,
            e.request_id,
        )
        for e in page.data
    )
    return csv_response("audit", CSV_COLUMNS, rows, page.next_cursor)


def _to_json(values: dict[str, object] | None) -> str | None:
    return msgspec.json.encode(values).decode() if values is not None else None
