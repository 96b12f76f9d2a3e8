"""Runs `sales_queries.sql`, row to model."""

from typing import Any

from fullhouse.checkout.sales_model import FoundOrder, SalesPoint, ShowSales
from fullhouse.kit import sql
from fullhouse.kit.money import Money

statements = sql.load(__file__)


def _point(amount: int, currency: str, **rest: Any) -> SalesPoint:
    return SalesPoint(amount=Money(amount, currency), **rest)


def _found(total: int, currency: str, **rest: Any) -> FoundOrder:
    return FoundOrder(total=Money(total, currency), **rest)


sales_over_time = statements.many("sales_over_time", _point)
sales_by_show = statements.many("sales_by_show", ShowSales)
search_orders = statements.many("search_orders", _found)
