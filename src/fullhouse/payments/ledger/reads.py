"""Reads of the ledger: pages, balances and CSV."""

from datetime import datetime
from itertools import groupby
from typing import Literal, NamedTuple
from uuid import UUID

from fullhouse.kit.db.cursors import Page, page_by_age
from fullhouse.kit.db.database import Tx
from fullhouse.kit.http.response import Response
from fullhouse.kit.media.csv import csv_response, to_major_units
from fullhouse.kit.secrets import Keyring
from fullhouse.payments.ledger import store
from fullhouse.payments.ledger.model import Balance, LedgerTransaction
from fullhouse.payments.model import FEES, ORGANIZER, REFUNDS, TAX, provider_account

CSV_HEADER = ("time", "transaction", "kind", "account", "amount", "currency", "order", "event", "source")
_PROVIDER = provider_account("")
Sort = Literal["oldest", "newest"]
# A cursor is valid only for the sort order that it was made with.
_LISTS = {"oldest": ("ledger", store.oldest_transactions), "newest": ("ledger.newest", store.newest_transactions)}


class Filters(NamedTuple):
    event_id: UUID | None = None
    order_id: UUID | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_transactions(
    tx: Tx, keyring: Keyring, cursor: str | None, limit: int, filters: Filters, sort: Sort = "oldest"
) -> Page[LedgerTransaction]:
    name, find = _LISTS[sort]
    return await page_by_age(tx, keyring, name, find, cursor, limit, **filters._asdict())


async def list_balances(tx: Tx, event_id: UUID | None) -> list[Balance]:
    rows = await store.balances(tx, event_id)
    return [
        _to_balance(currency, {row.account: row.amount for row in of})
        for currency, of in groupby(rows, lambda r: r.currency)
    ]


def _to_balance(currency: str, booked: dict[str, int]) -> Balance:
    return Balance(
        currency=currency,
        organizer=-booked.get(ORGANIZER, 0),
        fees=-booked.get(FEES, 0),
        tax=-booked.get(TAX, 0),
        owed_to_buyers=-booked.get(REFUNDS, 0),
        at_providers={
            account.removeprefix(_PROVIDER): amount
            for account, amount in booked.items()
            if account.startswith(_PROVIDER)
        },
    )


def render_csv(page: Page[LedgerTransaction]) -> Response:
    """The CSV export: one row for each entry."""
    rows = (
        (
            t.created_at,
            t.id,
            t.kind,
            e.account,
            to_major_units(e.amount.amount, e.amount.currency),
            e.amount.currency,
            t.order_id,
            t.event_id,
            t.source_id,
        )
        for t in page.data
        for e in t.entries
    )
    return csv_response("ledger", CSV_HEADER, rows, page.next_cursor)
