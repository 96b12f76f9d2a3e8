"""Reads the audit log: page by page, with filters, and as CSV."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.accounts import store
from fullhouse.accounts.model import AuditEntry
from fullhouse.kit.db.cursors import Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.media.csv import sheet
from fullhouse.kit.secrets import Keyring

HEAD = (
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


async def page_of_audit(tx: Tx, keyring: Keyring, cursor: str | None, limit: int, filters: Filters) -> Page[AuditEntry]:
    """Audit rows that match the filters, newest first."""
    return await page_by_age(tx, keyring, "audit", store.list_audit, cursor, limit, **filters._asdict())


def as_sheet(page: Page[AuditEntry]) -> Answer:
    rows = (
        (
            e.created_at,
            e.action,
            e.actor_type,
            e.actor_name,
            e.entity_type,
            e.entity_id,
            _said(e.before),
            _said(e.after),
            e.reason,
            e.approval_reference,
            e.ip,
            e.request_id,
        )
        for e in page.data
    )
    return sheet("audit", HEAD, rows, page.next_cursor)


def _said(values: dict[str, object] | None) -> str | None:
    return msgspec.json.encode(values).decode() if values is not None else None
