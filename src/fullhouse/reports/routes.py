"""HTTP routes of reports."""

from typing import Annotated
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.events.model import Status
from fullhouse.kit.cache.limits import Limit
from fullhouse.kit.db.cursors import Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.http.parameters import After, Moment, parse_moment
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import MEDIA_TYPE
from fullhouse.kit.services import Services
from fullhouse.reports import reads
from fullhouse.reports.model import EventReport, EventReportSummary

# Every event of a page is counted in full, which takes a tenth of a second for an arena: pages are short.
EVENTS_PER_PAGE, EVENTS_MAX, DEADLINE_S = 20, 50, 30.0
EventLimit = Annotated[int, QueryParameter(ge=1, le=EVENTS_MAX, description="Maximum number of events.")]
RowLimit = Annotated[int, QueryParameter(ge=1, le=EVENTS_MAX, description="Maximum number of rows.")]
REPORT_LIMIT = Limit(60, 60)


@get("/api/org/reports", "sales.read", limit=REPORT_LIMIT, deadline_s=DEADLINE_S)
async def list_reports(
    tx: Tx,
    services: Services,
    status: Status | None = None,
    since: Moment = None,
    until: Moment = None,
    cursor: After = None,
    limit: EventLimit = EVENTS_PER_PAGE,
) -> Page[EventReportSummary]:
    """Holds and checkouts by outcome, per announced event, the latest date first.

    `since` and `until` apply to the date of an event: the new one, if it was postponed.
    """
    filters = reads.Filters(status, parse_moment("since", since), parse_moment("until", until))
    return await reads.list_reports(tx, services.keyring, cursor, limit, filters)


@get("/api/org/reports.csv", "sales.read", media_type=MEDIA_TYPE, limit=REPORT_LIMIT, deadline_s=DEADLINE_S)
async def export_reports(
    tx: Tx,
    services: Services,
    status: Status | None = None,
    since: Moment = None,
    until: Moment = None,
    cursor: After = None,
    limit: RowLimit = EVENTS_MAX,
) -> Response:
    """The same as CSV.

    If there are more rows, the header `X-Next-Cursor` has the `cursor` of the next page.
    """
    filters = reads.Filters(status, parse_moment("since", since), parse_moment("until", until))
    return reads.to_csv(await reads.list_reports(tx, services.keyring, cursor, limit, filters))


@get("/api/events/{event_id:uuid}/report", "sales.read", limit=REPORT_LIMIT, deadline_s=DEADLINE_S)
async def get_report(tx: Tx, event_id: UUID) -> EventReport:
    """Holds and checkouts of one event by outcome: in total and per day."""
    return await reads.require_report(tx, event_id)


handlers = [list_reports, export_reports, get_report]
