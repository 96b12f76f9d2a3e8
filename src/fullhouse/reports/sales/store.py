"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.kit.money import Money
from fullhouse.reports.sales import queries
from fullhouse.reports.sales.model import EventSales, FoundOrder, SalesPoint


def _to_point(amount: int, currency: str, **rest: Any) -> SalesPoint:
    return SalesPoint(amount=Money(amount, currency), **rest)


def _to_found_order(total: int, currency: str, **rest: Any) -> FoundOrder:
    return FoundOrder(total=Money(total, currency), **rest)


sales_over_time = sql.many(queries.sales_over_time, _to_point)
list_event_sales = sql.many(queries.list_event_sales, EventSales)
search_orders = sql.many(queries.search_orders, _to_found_order)
