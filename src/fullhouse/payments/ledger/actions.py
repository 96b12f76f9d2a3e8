"""The ledger: double entry, append-only. A debit is positive, a credit negative, and together they are nothing.

    provider:test, provider:stripe   what a provider has for us: debited by what it captures, credited by what it
                                     gives back
    provider:outside                 what staff paid back to buyers by another way, as a credit: the provider has it
                                     still
    organizer                        what the organiser has earned with tickets, discounts taken off
    fees                             what buyers paid on top, as fees
    tax                              what buyers paid as taxes, for the organiser to pass on
    refunds                          what buyers are owed: credited when a refund is decided, debited when it has
                                     gone out

    capture   provider +total · organizer −, fees −, tax −        kind `capture`, source: the attempt
    unearned  provider +total · refunds −total                    kind `capture`, source: the attempt (nothing was sold)
    refund    organizer +, fees +, tax + · refunds −              kind `refund`, source: the refund
    payout    refunds + · provider −                              kind `payout`, source: the refund's try
    return    provider + · refunds −                              kind `return`, source: the refund's try

An order that costs nothing moves nothing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.kit.ids import new_id
from fullhouse.payments import store
from fullhouse.payments.ledger import store as ledger_store
from fullhouse.payments.model import FEES, ORGANIZER, TAX


class About(NamedTuple):
    """What the money was for."""

    order_id: UUID
    event_id: UUID


class Posting(NamedTuple):
    """A transaction of the ledger's: what moves on which account. The attempt or refund is its source."""

    source_id: UUID
    about: About
    currency: str
    entries: Mapping[str, int]


async def post(tx: Tx, kind: str, source_id: UUID, about: About, currency: str, entries: Mapping[str, int]) -> bool:
    """Writes what is not nothing, once: False if this source has been posted under this kind before."""
    if not any(entries.values()):
        return True
    return await post_all(tx, kind, [Posting(source_id, about, currency, entries)]) > 0


async def post_all(tx: Tx, kind: str, postings: Sequence[Posting]) -> int:
    """Several at once, by one statement. Returns how many entries were written."""
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


async def earned_by(tx: Tx, order_id: UUID) -> dict[str, int]:
    """What an order has brought so far, by account, without what was given back of it."""
    booked = {row.account: -row.amount for row in await ledger_store.booked_for_order(tx, order_id)}
    return {account: booked.get(account, 0) for account in (ORGANIZER, FEES, TAX)}
