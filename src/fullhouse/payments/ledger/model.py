"""Responses of the ledger API."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.money import Money


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A debit is positive, a credit negative."""

    account: str
    amount: Money


class LedgerTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger transaction; its entries sum to zero. `source_id` is the payment attempt or the refund; for a retried
    refund, the try."""

    id: UUID
    kind: str
    source_id: UUID
    order_id: UUID
    order_code: str | None
    event_id: UUID
    created_at: datetime
    entries: list[LedgerEntry]


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """The balance in one currency, in minor units: the organiser's earnings from tickets, the fees and the taxes that
    buyers paid, what buyers are still owed, and what each provider holds. The first four add up to the sum of the
    last. `outside` among the providers is what was refunded to buyers by another way; it is negative.
    """

    currency: str
    organizer: int
    fees: int
    tax: int
    owed_to_buyers: int
    at_providers: dict[str, int]
