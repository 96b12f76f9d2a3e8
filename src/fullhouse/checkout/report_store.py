"""Runs `report_queries.sql`, row to model."""

from typing import Any

from fullhouse.checkout.report_model import CheckoutCounts, HoldCounts, ReportDay, ShowReport
from fullhouse.checkout.report_policy import rates
from fullhouse.kit import sql

statements = sql.load(__file__)
_HOLDS = HoldCounts.__struct_fields__


def _report(
    *, started: int, bought: int, given_up: int, ran_out: int, stopped: int, open: int, **rest: Any
) -> ShowReport:
    holds = HoldCounts(**{name: rest.pop(name) for name in _HOLDS})
    checkouts = CheckoutCounts(
        started=started, bought=bought, left=given_up, expired=ran_out, stopped=stopped, open=open
    )
    return ShowReport(holds=holds, checkouts=checkouts, rates=rates(holds, checkouts), **rest)


show_reports = statements.many("show_reports", _report)
show_report = statements.one("show_report", _report)
report_days = statements.many("report_days", ReportDay)
time_to_sale = statements.value("time_to_sale", float)
released_by_house = statements.value("released_by_house", int)
