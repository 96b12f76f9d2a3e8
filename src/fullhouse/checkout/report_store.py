"""Runs `report_queries.sql`, row to model."""

from typing import Any

from fullhouse.checkout import report_queries
from fullhouse.checkout.report_model import CheckoutCounts, HoldCounts, ReportDay, ShowReport
from fullhouse.checkout.report_policy import rates
from fullhouse.kit import sql

_HOLDS = HoldCounts.__struct_fields__


def _report(
    *, started: int, bought: int, given_up: int, ran_out: int, stopped: int, open: int, **rest: Any
) -> ShowReport:
    holds = HoldCounts(**{name: rest.pop(name) for name in _HOLDS})
    checkouts = CheckoutCounts(
        started=started, bought=bought, left=given_up, expired=ran_out, stopped=stopped, open=open
    )
    return ShowReport(holds=holds, checkouts=checkouts, rates=rates(holds, checkouts), **rest)


show_reports = sql.many(report_queries.show_reports, _report)
show_report = sql.one(report_queries.show_report, _report)
report_days = sql.many(report_queries.report_days, ReportDay)
time_to_sale = sql.value(report_queries.time_to_sale, float)
released_by_house = sql.value(report_queries.released_by_house, int)
