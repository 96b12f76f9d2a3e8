"""Runs `queries.sql`, row to model."""

from typing import Any

from fullhouse.kit.db import sql
from fullhouse.reports import queries
from fullhouse.reports.model import CheckoutCounts, HoldCounts, ReportDay, ShowReport
from fullhouse.reports.policy import rates

_HOLDS = HoldCounts.__struct_fields__


def _report(
    *, started: int, bought: int, given_up: int, ran_out: int, stopped: int, open: int, **rest: Any
) -> ShowReport:
    holds = HoldCounts(**{name: rest.pop(name) for name in _HOLDS})
    checkouts = CheckoutCounts(
        started=started, bought=bought, left=given_up, expired=ran_out, stopped=stopped, open=open
    )
    return ShowReport(holds=holds, checkouts=checkouts, rates=rates(holds, checkouts), **rest)


show_reports = sql.many(queries.show_reports, _report)
show_report = sql.one(queries.show_report, _report)
report_days = sql.many(queries.report_days, ReportDay)
time_to_sale = sql.value(queries.time_to_sale, float)
released_by_house = sql.value(queries.released_by_house, int)
