"""The ledger: double entry, append-only. A debit is positive, a credit negative; a transaction sums to zero.

    provider:test, provider:stripe   what a provider holds for us: debited by captures, credited by refunds
    provider:outside                 refunds that staff paid by another way, as a credit: the provider still holds the
                                     amount
    organizer                        the organiser's earnings from tickets, after discounts
    fees                             fees that buyers paid on top
    tax                              taxes that buyers paid, for the organiser to pass on
    refunds                          what buyers are owed: credited when a refund is decided, debited when it is paid

    capture   provider +total · organizer −, fees −, tax −        kind `capture`, source: the attempt
    unearned  provider +total · refunds −total                    kind `capture`, source: the attempt (nothing was sold)
    refund    organizer +, fees +, tax + · refunds −              kind `refund`, source: the refund
    payout    refunds + · provider −                              kind `payout`, source: the refund's try
    return    provider + · refunds −                              kind `return`, source: the refund's try

A free order has no entries.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.payments import store
from fullhouse.payments.ledger import store as ledger_store
from fullhouse.payments.model import FEES, ORGANIZER, TAX


class OrderReference(NamedTuple):
    """The order and event that a transaction is about."""

    order_id: UUID
    event_id: UUID


class Posting(NamedTuple):
    """A ledger transaction: the amounts by account. Its source is the payment attempt or the refund."""

    source_id: UUID
    about: OrderReference
    currency: str
    entries: Mapping[str, int]


async def post(
    tx: Tx, kind: str, source_id: UUID, about: OrderReference, currency: str, entries: Mapping[str, int]
) -> bool:
    """Posts the entries that are not zero, once: False if this source was posted under this kind before."""
    if not any(entries.values()):
        return True
    return await post_all(tx, kind, [Posting(source_id, about, currency, entries)]) > 0


async def post_all(tx: Tx, kind: str, postings: Sequence[Posting]) -> int:
    """Posts several transactions by one statement; returns how many entries were inserted."""
    heads: list[tuple[UUID, Posting]] = []
    entries: list[tuple[UUID, int, str, int, str]] = []
    for posting in postings:
        moved = {account: amount for account, amount in posting.entries.items() if amount}
        if sum(moved.values()):
            raise ValueError(f"{kind} of {posting.source_id} does not balance: {moved}")
        if moved:
            transaction_id = new_id()
            heads.append((transaction_id, posting))
            entries += [
                (transaction_id, n, account, moved[account], posting.currency) for n, account in enumerate(moved, 1)
            ]
    if not heads:
        return 0
    return await store.post_entries(
        tx,
        kind=kind,
        ids=[transaction_id for transaction_id, _ in heads],
        source_ids=[posting.source_id for _, posting in heads],
        order_ids=[posting.about.order_id for _, posting in heads],
        event_ids=[posting.about.event_id for _, posting in heads],
        transaction_ids=[entry[0] for entry in entries],
        positions=[entry[1] for entry in entries],
        accounts=[entry[2] for entry in entries],
        amounts=[entry[3] for entry in entries],
        currencies=[entry[4] for entry in entries],
    )


async def load_earnings(tx: Tx, order_id: UUID) -> dict[str, int]:
    """The earnings of an order by account, after refunds."""
    booked = {row.account: -row.amount for row in await ledger_store.amounts_by_account(tx, order_id)}
    return {account: booked.get(account, 0) for account in (ORGANIZER, FEES, TAX)}
