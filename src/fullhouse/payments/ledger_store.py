"""Runs `ledger_queries.sql`, row to model."""

from typing import Any

from fullhouse.kit import sql
from fullhouse.kit.money import Money
from fullhouse.payments.ledger_model import LedgerEntry, LedgerTransaction
from fullhouse.payments.store import Entry

statements = sql.load(__file__)


def _transaction(entries: list[tuple[str, int, str]] | None, **rest: Any) -> LedgerTransaction:
    shown = [
        LedgerEntry(account=account, amount=Money(amount, currency)) for account, amount, currency in entries or ()
    ]
    return LedgerTransaction(entries=shown, **rest)


booked_for_order = statements.many("booked_for_order", Entry)
oldest_transactions = statements.many("oldest_transactions", _transaction)
newest_transactions = statements.many("newest_transactions", _transaction)
balances = statements.many("balances", Entry)
