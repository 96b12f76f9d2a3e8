"""Reads of reports: pages, one event, and CSV."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from fullhouse.events.model import Status
from fullhouse.events.public.model import EventNotFound
from fullhouse.kit.db.cursors import Cursors, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import csv_response
from fullhouse.kit.secrets import Keyring
from fullhouse.reports import store
from fullhouse.reports.model import EventReport, EventReportSummary

CSV_HEADER = (
    "date", "show", "status", "reason", "holds", "in checkout", "sold", "expired", "released", "live", "places held",
    "places sold", "checkouts", "bought", "left", "ran out", "stopped", "open", "hold to checkout", "checkout to sale",
    "hold to sale", "abandonment", "expiry", "event",
)  # fmt: skip


class Filters(NamedTuple):
    status: Status | None
    since: datetime | None
    until: datetime | None


async def list_reports(
    tx: Tx, keyring: Keyring, cursor: str | None, limit: int, filters: Filters
) -> Page[EventReportSummary]:
    cursors = Cursors(keyring, "reports", tx.organization_id, *filters)
    after_at, after_id = cursors.read(cursor, datetime, UUID) or (None, None)
    rows = await store.list_reports(tx, **filters._asdict(), after_at=after_at, after_id=after_id, limit=limit + 1)
    return cursors.page(rows, limit, "date", "event_id")


async def require_report(tx: Tx, event_id: UUID) -> EventReport:
    report = await store.find_report(tx, event_id)
    if report is None:
        raise EventNotFound()
    return EventReport(
        **msgspec.structs.asdict(report),
        released_by_house=await store.released_by_house(tx, event_id) or 0,
        seconds_to_sale=await store.time_to_sale(tx, event_id),
        days=await store.report_days(tx, event_id=event_id, timezone=report.timezone),
    )


def to_csv(page: Page[EventReportSummary]) -> Response:
    rows = (
        (
            r.date,
            r.name,
            r.status,
            r.reason,
            h.placed,
            h.in_checkout,
            h.sold,
            h.expired,
            h.released,
            h.live,
            h.places,
            h.places_sold,
            c.started,
            c.bought,
            c.left,
            c.expired,
            c.stopped,
            c.open,
            *msgspec.structs.astuple(r.rates),
            r.event_id,
        )
        for r in page.data
        for h, c in ((r.holds, r.checkouts),)
    )
    return csv_response("reports", CSV_HEADER, rows, page.next_cursor)
