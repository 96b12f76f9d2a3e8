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
NAMED_MAX = 100  # rows that a check names; the first of them lead to the cause
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


def _rows(query: str) -> Callable[[Any], Awaitable[list[str]]]:
    """What one statement finds is of one moment, however busy the house is. Each row is a sentence."""

    async def find(connection: Any) -> list[str]:
        rows = await connection.fetch(query)
        return sorted(row[0] for row in rows[:NAMED_MAX])

    return find


# A seat's row and its hold's row say the same, and nobody else says anything of that seat.
_ONE_HOLDER = """
    SELECT format('seat %s of event %s has %s live holds', seat_id, event_id, count(*))
    FROM seat_holds
    WHERE seat_id IS NOT NULL AND status IN ('active', 'suspended') AND held_until > app.clock()
    GROUP BY organization_id, event_id, seat_id HAVING count(*) > 1
    UNION ALL
    SELECT format('hold %s is live, but seat %s of event %s is %s', h.id, h.seat_id, h.event_id,
                  CASE WHEN s.status IS NULL THEN 'not there'
                       WHEN s.hold_id IS DISTINCT FROM h.id THEN s.status || ' without it'
                       ELSE 'held until another time' END)
    FROM seat_holds h
    LEFT JOIN event_seats s USING (organization_id, event_id, seat_id)
    WHERE h.seat_id IS NOT NULL AND h.status IN ('active', 'suspended') AND h.held_until > app.clock()
      AND (s.hold_id, s.held_until) IS DISTINCT FROM (h.id, h.held_until)
    UNION ALL
    SELECT format('seat %s of event %s is held by %s, which is %s', s.seat_id, s.event_id, s.hold_id,
                  coalesce(h.status, 'no hold of it'))
    FROM event_seats s
    LEFT JOIN seat_holds h ON h.organization_id = s.organization_id AND h.id = s.hold_id
                          AND h.event_id = s.event_id AND h.seat_id = s.seat_id
    WHERE s.status = 'held' AND s.held_until > app.clock() AND coalesce(h.status, '') NOT IN ('active', 'suspended')
"""

# A counter moves together with the status of the hold that it counts, so overdue holds count until they are swept.
_COUNTED = """
    SELECT format('pool %s %s of event %s counts %s held where holds have %s', p.kind, p.ref_id, p.event_id, p.held,
                  coalesce(h.quantity, 0))
    FROM pools p
    LEFT JOIN (
        SELECT organization_id, event_id, k.kind, k.ref_id, sum(quantity) AS quantity
        FROM seat_holds CROSS JOIN LATERAL (VALUES
            ('event', event_id), ('zone', CASE WHEN seat_id IS NULL THEN zone_id END), ('ticket_type', ticket_type_id)
        ) AS k (kind, ref_id)
        WHERE status IN ('active', 'suspended') AND k.ref_id IS NOT NULL
        GROUP BY 1, 2, 3, 4
    ) h USING (organization_id, event_id, kind, ref_id)
    WHERE p.held <> coalesce(h.quantity, 0)
    UNION ALL
    SELECT format('pool %s %s of event %s has %s held and %s sold of %s', kind, ref_id, event_id, held, sold, capacity)
    FROM pools WHERE held + sold > capacity OR held < 0 OR sold < 0
    UNION ALL
    SELECT format('hold %s has places in a pool that event %s does not have', h.id, h.event_id)
    FROM seat_holds h
    WHERE h.seat_id IS NULL AND h.status IN ('active', 'suspended') AND NOT EXISTS (
        SELECT FROM pools p WHERE p.organization_id = h.organization_id AND p.event_id = h.event_id
        AND p.ref_id = coalesce(h.zone_id, h.ticket_type_id))
"""

_AUDITED = """
    SELECT format('hold %s has no audit row %s', h.id, w.action)
    FROM seat_holds h
    CROSS JOIN LATERAL (VALUES ('seat_reserved'), (
        CASE WHEN h.status NOT IN ('active', 'suspended') THEN 'hold.' || h.status END)) AS w (action)
    WHERE w.action IS NOT NULL AND NOT EXISTS (
        SELECT FROM audit_log a
        WHERE a.organization_id = h.organization_id AND a.entity_type = 'seat_hold' AND a.entity_id = h.id
          AND a.action = w.action)
"""

# A sweep runs every second: what is a minute late is not late, it is stuck.
_ON_TIME = """
    SELECT format('hold %s of event %s was over at %s and is still active', id, event_id, held_until)
    FROM seat_holds WHERE status = 'active' AND held_until < app.clock() - interval '60 seconds'
    UNION ALL
    SELECT format('seat %s of event %s was held until %s and is not free', seat_id, event_id, held_until)
    FROM event_seats WHERE status = 'held' AND held_until < app.clock() - interval '60 seconds'
"""

CHECKS = (
    Check("tenancy", "no row refers to another organisation's", _tenancy),
    Check("row security", "every tenant table is under forced row-level security", _row_security),
    Check("one holder", "a seat has one live hold or sale at most, and both rows say so", _rows(_ONE_HOLDER)),
    Check("counted", "every pool counts what is held of it, and never more than it has", _rows(_COUNTED)),
    Check("audited", "every hold was written down, and so was its end", _rows(_AUDITED)),
    Check("on time", "no hold is older than its time and a sweep", _rows(_ON_TIME)),
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
