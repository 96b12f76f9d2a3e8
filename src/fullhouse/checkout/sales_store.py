"""Runs `sales_queries.sql`, row to model."""

from typing import Any

from fullhouse.checkout import sales_queries
from fullhouse.checkout.sales_model import FoundOrder, SalesPoint, ShowSales
from fullhouse.kit import sql
from fullhouse.kit.money import Money


def _point(amount: int, currency: str, **rest: Any) -> SalesPoint:
    return SalesPoint(amount=Money(amount, currency), **rest)


def _found(total: int, currency: str, **rest: Any) -> FoundOrder:
    return FoundOrder(total=Money(total, currency), **rest)


sales_over_time = sql.many(sales_queries.sales_over_time, _point)
sales_by_show = sql.many(sales_queries.sales_by_show, ShowSales)
search_orders = sql.many(sales_queries.search_orders, _found)
