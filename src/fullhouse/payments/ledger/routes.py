"""Ledger endpoints."""

from typing import Annotated
from uuid import UUID

from litestar.params import QueryParameter

from fullhouse.kit.db.cursors import LIMIT, Page
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.endpoints import get
from fullhouse.kit.http.parameters import After, Moment, PageSize, parse_moment
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import MEDIA_TYPE, ROWS_MAX
from fullhouse.kit.services import Services
from fullhouse.payments.ledger import reads
from fullhouse.payments.ledger.model import Balance, LedgerTransaction
from fullhouse.payments.ledger.reads import Filters, Sort

Kind = Annotated[
    str | None,
    QueryParameter(max_length=20, description="`capture`, `consent`, `refund`, `payout` or `return`; all if omitted."),
]
Order = Annotated[Sort, QueryParameter(description="Sort order by time.")]
Rows = Annotated[int, QueryParameter(ge=1, le=ROWS_MAX, description="Maximum number of transactions.")]


@get("/api/ledger", "ledger.read")
async def list_ledger(
    tx: Tx,
    services: Services,
    event_id: UUID | None = None,
    order_id: UUID | None = None,
    kind: Kind = None,
    since: Moment = None,
    until: Moment = None,
    sort: Order = "oldest",
    cursor: After = None,
    limit: PageSize = LIMIT,
) -> Page[LedgerTransaction]:
    """The ledger's transactions, oldest first unless `sort` is `newest`. The entries of each sum to zero."""
    filters = Filters(event_id, order_id, kind, parse_moment("since", since), parse_moment("until", until))
    return await reads.list_transactions(tx, services.keyring, cursor, limit, filters, sort)


@get("/api/ledger/balance", "ledger.read")
async def get_balance(tx: Tx, event_id: UUID | None = None) -> list[Balance]:
    """The organisation's balance by currency, in total or for one event."""
    return await reads.list_balances(tx, event_id)


@get("/api/ledger.csv", "ledger.read", media_type=MEDIA_TYPE)
async def export_ledger(
    tx: Tx,
    services: Services,
    event_id: UUID | None = None,
    order_id: UUID | None = None,
    kind: Kind = None,
    since: Moment = None,
    until: Moment = None,
    cursor: After = None,
    limit: Rows = ROWS_MAX,
) -> Response:
    """Export the ledger as CSV, one row for each entry.

    If there are more, the header `X-Next-Cursor` has the `cursor` of the next page.
    """
    filters = Filters(event_id, order_id, kind, parse_moment("since", since), parse_moment("until", until))
    return reads.render_csv(await reads.list_transactions(tx, services.keyring, cursor, limit, filters))


handlers = [list_ledger, get_balance, export_ledger]
