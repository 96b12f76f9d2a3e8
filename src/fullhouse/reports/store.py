"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.reports import queries
from fullhouse.reports.model import CheckoutCounts, EventReportSummary, HoldCounts, ReportDay
from fullhouse.reports.policy import rates

_HOLDS = HoldCounts.__struct_fields__


def _to_report(
    *, started: int, bought: int, given_up: int, ran_out: int, stopped: int, open: int, **rest: Any
) -> EventReportSummary:
    holds = HoldCounts(**{name: rest.pop(name) for name in _HOLDS})
    checkouts = CheckoutCounts(
        started=started, bought=bought, left=given_up, expired=ran_out, stopped=stopped, open=open
    )
    return EventReportSummary(holds=holds, checkouts=checkouts, rates=rates(holds, checkouts), **rest)


list_reports = sql.many(queries.list_reports, _to_report)
find_report = sql.one(queries.find_report, _to_report)
report_days = sql.many(queries.report_days, ReportDay)
time_to_sale = sql.value(queries.time_to_sale, float)
released_by_house = sql.value(queries.released_by_house, int)
