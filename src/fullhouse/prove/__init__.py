"""The invariants, checked on a living database: `fullhouse prove`, and a worker's loop every hour.

A check finds what is wrong, in sentences; no sentence is the good answer. Each subject has a file of statements here,
each statement under the name of its check; CHECKS says in which order they run and what each promises. What cannot be
said in one statement has a module of its own: `catalogue` and `parents` ask the database's catalogue what there is to
check; `client_log` reads what a client was told, and `client_holds` and `client_sales` compare it.

tests/prove has a corruption for every sentence that a check can say.
"""

from collections.abc import Sequence
from typing import Any

import structlog
from prometheus_client import Gauge

from fullhouse.kit.db.database import AUDITOR, connect
from fullhouse.prove import catalogue, parents
from fullhouse.prove.check import Check, in_sql
from fullhouse.prove.client import holds as client_holds
from fullhouse.prove.client import sales as client_sales
from fullhouse.prove.client.log import Call

log = structlog.get_logger()
DEADLINE_S = 1800  # a check reads whole tables
VIOLATIONS = Gauge("fullhouse_violations", "What the last proof found wrong", ["check"], multiprocess_mode="mostrecent")

CHECKS = (
    Check("tenancy", "no row refers to another organisation's", catalogue.find_foreign_rows),
    Check("parents", "no row names another that is not there", parents.find_orphans),
    Check("row security", "every tenant table is under forced row-level security", catalogue.find_open_tables),
    in_sql("one holder", "a seat has one live hold or sale at most, and both rows say so", "holds"),
    in_sql("counted", "every pool counts what is held of it, and never more than it has", "pools"),
    in_sql("taken", "no more is held and sold than event, venue, zone and type admit", "capacity"),
    in_sql("limited", "every limit has a pool of its size", "capacity"),
    in_sql("companions", "a companion seat is kept only while somebody has its wheelchair place", "holds"),
    in_sql("queued", "a person has one place in a line, numbers are dense, no more are inside than may", "queue"),
    in_sql("offered", "whoever is offered places from a waiting list has holds of them, and one offer", "queue"),
    in_sql("audited", "whatever is in a state was brought there by an action that was written down", "audit"),
    in_sql("on time", "no hold is older than its time and a sweep, or frozen for nothing", "holds"),
    in_sql("bounded", "no hold outlives its checkout, unless a payment is under way", "checkouts"),
    in_sql("paid", "an order is paid, has one capture and tickets for all of it; other money goes back", "orders"),
    in_sql("ledger", "every transaction of the ledger sums to zero, and all money is in it", "orders"),
    in_sql("priced", "lines, quote, payment and ledger of an order say the same, line by line", "prices"),
    in_sql("discounted", "a promo code counts what checkouts have of it, within its budget", "prices"),
    in_sql("delivered", "no fact is passed over, and no consumer processed one twice", "messages"),
    in_sql("announced", "every order, payment, refund, ticket and move of an event was announced", "messages"),
    in_sql("mailed", "whoever must hear of an order, a waiting list or another date was written to", "messages"),
    in_sql("participants", "every show counts those who take part", "messages"),
    in_sql("present", "a ticket stands where its scans say, and took each step once", "scans"),
    in_sql("occupied", "the counts of a day are what its scans say", "scans"),
    in_sql("admitted", "who came in with a void ticket, or twice, is an incident", "scans"),
    in_sql("scanned", "every entry and exit was written down, and nothing told is missing", "scans"),
)


async def run(url: str, calls: Sequence[Call] | None = None) -> dict[Check, list[str]]:
    """With what a client was told (client/log.py), if there is a log of that."""
    connection = await connect(url, AUDITOR, deadline_s=DEADLINE_S, statement_timeout=f"{DEADLINE_S}s")
    checks = CHECKS if calls is None else (*CHECKS, _told(calls))
    try:
        return {check: await check.find(connection) for check in checks}
    finally:
        await connection.close(timeout=5)


def _told(calls: Sequence[Call]) -> Check:
    async def find(connection: Any) -> list[str]:
        held = await client_holds.disagreements(connection, calls)
        return held + await client_sales.disagreements(connection, calls)

    return Check("told", "what a client was told is what there is", find)


async def run_and_alert(url: str) -> None:
    for check, wrong in (await run(url)).items():
        VIOLATIONS.labels(check.name).set(len(wrong))
        for sentence in wrong:
            log.error("an invariant does not hold", check=check.name, what=sentence)
