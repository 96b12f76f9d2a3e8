"""The CSV export of an event's orders."""

from datetime import datetime
from uuid import UUID

from fullhouse.kit.db.cursors import Cursors
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import csv_response, to_major_units
from fullhouse.kit.secrets import Keyring
from fullhouse.refunds import store

CSV_HEADER = (
    "code", "status", "ordered", "paid", "buyer", "email", "tickets", "valid tickets", "total", "refunded", "currency",
    "provider", "remark", "order",
)  # fmt: skip


async def render_orders(tx: Tx, keyring: Keyring, event_id: UUID, cursor: str | None, limit: int) -> Response:
    cursors = Cursors(keyring, "orders.csv", tx.organization_id, event_id)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    found = await store.orders_for_csv(tx, event_id=event_id, after_at=after_at, after_id=after_id, limit=limit + 1)
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
            to_major_units(o.total, o.currency),
            to_major_units(o.refunded, o.currency),
            o.currency,
            o.provider,
            o.reason,
            o.id,
        )
        for o in page.data
    )
    return csv_response("orders", CSV_HEADER, rows, page.next_cursor)
