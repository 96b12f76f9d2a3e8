"""The invariants, checked on a living database: `fullhouse prove`, and a worker's loop every hour.

Each check returns what is wrong, in sentences; nothing is the good answer. Rooms add theirs to CHECKS.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import structlog
from prometheus_client import Gauge

from fullhouse.kit import tenancy
from fullhouse.kit.db import AUDITOR, connect

log = structlog.get_logger()
DEADLINE_S = 1800  # a check reads whole tables
VIOLATIONS = Gauge("fullhouse_violations", "What the last proof found wrong", ["check"], multiprocess_mode="mostrecent")


class Check(NamedTuple):
    name: str
    what: str
    find: Callable[[Any], Awaitable[list[str]]]


async def _tenancy(connection: Any) -> list[str]:
    return [
        f"{d.rows} rows of {d.child} refer to {d.parent} of another organisation"
        for d in await tenancy.disagreements(connection)
    ]


async def _row_security(connection: Any) -> list[str]:
    rows = await connection.fetch(
        "SELECT c.oid::regclass::text AS name FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped"
        " WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1"
    )
    return [f"{row['name']} is not under forced row-level security" for row in rows]


CHECKS = (
    Check("tenancy", "no row refers to another organisation's", _tenancy),
    Check("row security", "every tenant table is under forced row-level security", _row_security),
)


async def run(url: str) -> dict[Check, list[str]]:
    connection = await connect(url, AUDITOR, deadline_s=DEADLINE_S, statement_timeout=f"{DEADLINE_S}s")
    try:
        return {check: await check.find(connection) for check in CHECKS}
    finally:
        await connection.close(timeout=5)


async def run_and_alert(url: str) -> None:
    for check, wrong in (await run(url)).items():
        VIOLATIONS.labels(check.name).set(len(wrong))
        for sentence in wrong:
            log.error("an invariant does not hold", check=check.name, what=sentence)
