"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.kit.money import Money
from fullhouse.payments.ledger import queries
from fullhouse.payments.ledger.model import LedgerEntry, LedgerTransaction
from fullhouse.payments.store import Entry


def _transaction(entries: list[tuple[str, int, str]] | None, **rest: Any) -> LedgerTransaction:
    converted = [
        LedgerEntry(account=account, amount=Money(amount, currency)) for account, amount, currency in entries or ()
    ]
    return LedgerTransaction(entries=converted, **rest)


booked_for_order = sql.many(queries.booked_for_order, Entry)
oldest_transactions = sql.many(queries.oldest_transactions, _transaction)
newest_transactions = sql.many(queries.newest_transactions, _transaction)
balances = sql.many(queries.balances, Entry)
