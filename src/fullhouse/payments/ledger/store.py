"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.kit.money import Money
from fullhouse.payments.ledger import queries
from fullhouse.payments.ledger.model import LedgerEntry, LedgerTransaction
from fullhouse.payments.store import Entry


def _to_transaction(entries: list[tuple[str, int, str]] | None, **rest: Any) -> LedgerTransaction:
    converted = [
        LedgerEntry(account=account, amount=Money(amount, currency)) for account, amount, currency in entries or ()
    ]
    return LedgerTransaction(entries=converted, **rest)


amounts_by_account = sql.many(queries.amounts_by_account, Entry)
oldest_transactions = sql.many(queries.oldest_transactions, _to_transaction)
newest_transactions = sql.many(queries.newest_transactions, _to_transaction)
balances = sql.many(queries.balances, Entry)
