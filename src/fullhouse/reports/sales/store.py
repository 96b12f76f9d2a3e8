"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.kit.money import Money
from fullhouse.reports.sales import queries
from fullhouse.reports.sales.model import FoundOrder, SalesPoint, ShowSales


def _point(amount: int, currency: str, **rest: Any) -> SalesPoint:
    return SalesPoint(amount=Money(amount, currency), **rest)


def _found(total: int, currency: str, **rest: Any) -> FoundOrder:
    return FoundOrder(total=Money(total, currency), **rest)


sales_over_time = sql.many(queries.sales_over_time, _point)
sales_by_show = sql.many(queries.sales_by_show, ShowSales)
search_orders = sql.many(queries.search_orders, _found)
