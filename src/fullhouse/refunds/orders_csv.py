"""The CSV export of an event's orders."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.cursors import Cursors
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.answer import Answer
from fullhouse.kit.media.csv import number, sheet
from fullhouse.kit.secrets import Keyring
from fullhouse.refunds import store

HEAD = (
    "code", "status", "ordered", "paid", "buyer", "email", "tickets", "valid tickets", "total", "refunded", "currency",
    "provider", "remark", "order",
)  # fmt: skip


async def orders(tx: Tx, keyring: Keyring, event_id: UUID, cursor: str | None, limit: int) -> Answer:
    cursors = Cursors(keyring, "orders.csv", tx.organization_id, event_id)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    found = await store.orders_for_sheet(tx, event_id=event_id, after_at=after_at, after_id=after_id, limit=limit + 1)
    page = cursors.page(found, limit, "created_at", "id")
    rows = (
        (
            o.code,
            o.status,
            o.created_at,
            o.paid_at,
            o.buyer_name,
            o.buyer_email,
            o.tickets,
            o.valid,
            number(o.total, o.currency),
            number(o.refunded, o.currency),
            o.currency,
            o.provider,
            o.reason,
            o.id,
        )
        for o in page.data
    )
    return sheet("orders", HEAD, rows, page.next_cursor)
