"""Checks of the invariants on a live database: `fullhouse prove`, and a worker's loop every hour.

A check returns a sentence for each violation; an empty list means that the invariant holds. Each subject has a file of
statements here, each statement under the name of its check; CHECKS lists them in the order in which they run, with the
invariant of each. Checks that need more than one statement have a module of their own: `catalogue` and `parents` read
the tables to check from the database's catalogue; `client.log` reads a client's log, and `client.holds` and
`client.sales` compare it with the database.

tests/prove has a corruption for every sentence that a check can return.
"""

from collections.abc import Sequence
from typing import Any

import structlog
from prometheus_client import Gauge

from fullhouse.kit.db.database import AUDITOR, connect
from fullhouse.prove import catalogue, parents
from fullhouse.prove.check import Check, sql_check
from fullhouse.prove.client import holds as client_holds
from fullhouse.prove.client import sales as client_sales
from fullhouse.prove.client.log import Call

log = structlog.get_logger()
DEADLINE_S = 1800  # a check reads whole tables
VIOLATIONS = Gauge(
    "fullhouse_invariant_violations",
    "Violations that the last round of `fullhouse prove` found",
    ["check"],
    multiprocess_mode="mostrecent",
)

CHECKS = (
    Check("tenancy", "no row refers to a row of another organisation", catalogue.find_foreign_rows),
    Check("parents", "no row refers to a row that does not exist", parents.find_orphans),
    Check("row security", "every tenant table is under forced row-level security", catalogue.find_open_tables),
    sql_check("one holder", "a seat has at most one live hold or sale, and both rows agree", "holds"),
    sql_check("counted", "every pool's counters match its holds and tickets, and never exceed its capacity", "pools"),
    sql_check("taken", "no more is held and sold than event, venue, zone and ticket type admit", "capacity"),
    sql_check("limited", "every limit has a pool of the same size", "capacity"),
    sql_check("companions", "a companion seat is reserved only while its wheelchair space is held or sold", "holds"),
    sql_check(
        "queued", "a person has one place in a queue, numbers have no gaps, admissions do not exceed the slots", "queue"
    ),
    sql_check("offered", "a waitlist offer has its holds, and a person has at most one offer in an event", "queue"),
    sql_check("audited", "every state was reached by an action that has an audit row", "audit"),
    sql_check("on time", "no hold outlives its time by more than a sweep, or is frozen without a payment", "holds"),
    sql_check("bounded", "no hold outlives its checkout, unless a payment is in progress", "checkouts"),
    sql_check("paid", "a paid order has one capture and all of its tickets; other payments are refunded", "orders"),
    sql_check("ledger", "every ledger transaction sums to zero, and every payment is in the ledger", "orders"),
    sql_check("priced", "lines, quote, payment and ledger of an order agree, line by line", "prices"),
    sql_check("discounted", "a promo code's counters match its uses, within its limits", "prices"),
    sql_check("delivered", "no fact is skipped, and no consumer processed one twice", "messages"),
    sql_check(
        "announced", "every order, payment, refund, ticket and change of an event's status has its fact", "messages"
    ),
    sql_check("mailed", "every email about an order, the waitlist or a changed date was written", "messages"),
    sql_check("participants", "every event's participant count is correct", "messages"),
    sql_check("present", "a ticket's presence matches its scans, and no version of it occurs twice", "scans"),
    sql_check("occupied", "the counts of a day match its scans", "scans"),
    sql_check("admitted", "an entry with a void ticket, or a second entry, has an incident", "scans"),
    sql_check("scanned", "every scan has an audit row, and no scan reported by a device is missing", "scans"),
)


async def run(url: str, calls: Sequence[Call] | None = None) -> dict[Check, list[str]]:
    """Runs all checks; with `calls`, a client's log (client/log.py), also compares that."""
    connection = await connect(url, AUDITOR, deadline_s=DEADLINE_S, statement_timeout=f"{DEADLINE_S}s")
    checks = CHECKS if calls is None else (*CHECKS, _make_client_log_check(calls))
    try:
        return {check: await check.find(connection) for check in checks}
    finally:
        await connection.close(timeout=5)


def _make_client_log_check(calls: Sequence[Call]) -> Check:
    async def find(connection: Any) -> list[str]:
        held = await client_holds.find_disagreements(connection, calls)
        return held + await client_sales.find_disagreements(connection, calls)

    return Check("client log", "the database agrees with what the client was told", find)


async def run_and_alert(url: str) -> None:
    for check, wrong in (await run(url)).items():
        VIOLATIONS.labels(check.name).set(len(wrong))
        for sentence in wrong:
            log.error("prove.invariant_violated", check=check.name, detail=sentence)
