"""The ledger as it is shown."""

from datetime import datetime
from uuid import UUID

import msgspec

from fullhouse.kit.money import Money


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A debit is positive, a credit negative."""

    account: str
    amount: Money


class LedgerTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """Its entries are nothing together. `source_id` is the payment or the refund that it is about; for a
    refund that was tried again, the try."""

    id: UUID
    kind: str
    source_id: UUID
    order_id: UUID
    order_code: str | None
    event_id: UUID
    created_at: datetime
    entries: list[LedgerEntry]


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """Of one currency, in minor units: what the organiser has earned with tickets, what buyers paid on top as fees and
    as taxes, what buyers are still owed, and what each provider has for it. All but the last together are the last.
    `outside` among the providers is what was paid back to buyers by another way: less than nothing.
    """

    currency: str
    organizer: int
    fees: int
    tax: int
    owed_to_buyers: int
    at_providers: dict[str, int]
