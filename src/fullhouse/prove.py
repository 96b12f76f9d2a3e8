"""The invariants, checked on a living database: `fullhouse prove`, and a worker's loop every hour.

Each check returns what is wrong, in sentences; nothing is the good answer. Rooms add theirs to CHECKS.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import structlog
from prometheus_client import Gauge

from fullhouse import prove_log, prove_scans
from fullhouse.kit import tenancy
from fullhouse.kit.db import AUDITOR, connect
from fullhouse.prove_log import Call

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
# Pools of types count what checkouts have of them, too, and proposals whose checkout is over. What is sold has a
# ticket, wherever there is a type that tickets could be of.
_COUNTED = """
    SELECT format('pool %s %s of event %s counts %s held where holds have %s', p.kind, p.ref_id, p.event_id, p.held,
                  coalesce(h.quantity, 0) + coalesce(c.quantity, 0))
    FROM pools p
    LEFT JOIN (
        SELECT organization_id, event_id, k.kind, k.ref_id, sum(quantity) AS quantity
        FROM seat_holds CROSS JOIN LATERAL (VALUES
            ('event', event_id), ('zone', CASE WHEN seat_id IS NULL THEN zone_id END), ('ticket_type', ticket_type_id)
        ) AS k (kind, ref_id)
        WHERE status IN ('active', 'suspended') AND k.ref_id IS NOT NULL
        GROUP BY 1, 2, 3, 4
    ) h USING (organization_id, event_id, kind, ref_id)
    LEFT JOIN (
        SELECT organization_id, event_id, 'ticket_type' AS kind, ref_id, sum(quantity) AS quantity
        FROM (SELECT s.organization_id, s.event_id, i.ticket_type_id AS ref_id, i.quantity
              FROM checkout_sessions s
              JOIN checkout_items i ON i.organization_id = s.organization_id AND i.session_id = s.id AND i.counted
              WHERE s.status IN ('open', 'paying')
              UNION ALL
              SELECT o.organization_id, o.event_id, l.ticket_type_id, l.quantity
              FROM orders o
              JOIN checkout_sessions s ON s.organization_id = o.organization_id AND s.id = o.session_id
              JOIN order_lines l ON l.organization_id = o.organization_id AND l.order_id = o.id AND l.counted
              WHERE o.status = 'needs_consent' AND s.status NOT IN ('open', 'paying')) counted
        GROUP BY 1, 2, 4
    ) c USING (organization_id, event_id, kind, ref_id)
    WHERE p.held <> coalesce(h.quantity, 0) + coalesce(c.quantity, 0)
    UNION ALL
    SELECT format('pool %s %s of event %s counts %s sold where there are %s tickets', p.kind, p.ref_id, p.event_id,
                  p.sold, coalesce(t.tickets, 0))
    FROM pools p
    LEFT JOIN (
        SELECT organization_id, event_id, k.kind, k.ref_id, count(*) AS tickets
        FROM tickets CROSS JOIN LATERAL (VALUES
            ('event', event_id), ('zone', zone_id), ('ticket_type', ticket_type_id)) AS k (kind, ref_id)
        WHERE status IN ('valid', 'used') AND k.ref_id IS NOT NULL
        GROUP BY 1, 2, 3, 4
    ) t USING (organization_id, event_id, kind, ref_id)
    WHERE p.sold <> coalesce(t.tickets, 0)
      AND EXISTS (SELECT FROM ticket_types y WHERE y.organization_id = p.organization_id AND y.event_id = p.event_id)
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
    UNION ALL
    SELECT format('hold %s of event %s is frozen for payment %s, which is %s', h.id, h.event_id, h.attempt_id,
                  coalesce(a.status, 'not there'))
    FROM seat_holds h
    LEFT JOIN payment_attempts a ON a.organization_id = h.organization_id AND a.id = h.attempt_id
    LEFT JOIN orders o ON o.organization_id = a.organization_id AND o.id = a.order_id
    WHERE h.status = 'active' AND h.attempt_id IS NOT NULL
      AND (a.status IN ('started', 'pending', 'unknown') OR o.status = 'needs_consent') IS NOT TRUE
    UNION ALL
    SELECT format('checkout %s was over at %s and is still open', id, expires_at)
    FROM checkout_sessions WHERE status = 'open' AND expires_at < app.clock() - interval '60 seconds'
"""

# Paid, one capture, tickets for all of it: all three, or none. No other money but what is on its way back.
_PAID = """
    SELECT format('order %s of %s is paid, with %s captures of %s in all', o.id, o.total, c.captures, c.amount)
    FROM orders o CROSS JOIN LATERAL (
        SELECT count(*) AS captures, coalesce(sum(a.amount), 0) AS amount FROM payment_attempts a
        WHERE a.organization_id = o.organization_id AND a.order_id = o.id AND a.status = 'captured' AND NOT a.surplus) c
    WHERE o.paid_at IS NOT NULL AND (c.captures, c.amount) IS DISTINCT FROM (1, o.total)
    UNION ALL
    SELECT format('order %s is %s and has %s tickets for %s places', o.id, o.status, t.tickets, l.places)
    FROM orders o
    CROSS JOIN LATERAL (SELECT count(*) AS tickets FROM tickets t
                        WHERE t.organization_id = o.organization_id AND t.order_id = o.id) t
    CROSS JOIN LATERAL (SELECT coalesce(sum(l.quantity), 0) AS places FROM order_lines l
                        WHERE l.organization_id = o.organization_id AND l.order_id = o.id) l
    WHERE t.tickets <> CASE WHEN o.paid_at IS NULL THEN 0 ELSE l.places END
    UNION ALL
    SELECT format('payment %s of %s is captured: %s was refunded, and order %s is %s', a.id, a.amount, a.refunded, o.id,
                  o.status)
    FROM payment_attempts a
    JOIN orders o ON o.organization_id = a.organization_id AND o.id = a.order_id
    WHERE a.status = 'captured' AND a.refunded < a.amount AND (o.paid_at IS NULL OR a.surplus)
      AND o.status <> 'needs_consent'
    UNION ALL
    SELECT format('order %s is pending, but its payment is %s', o.id, coalesce(a.status, 'not there'))
    FROM orders o
    LEFT JOIN payment_attempts a ON a.organization_id = o.organization_id AND a.id = o.attempt_id
    WHERE o.status = 'pending' AND (a.status IN ('started', 'pending', 'unknown')) IS NOT TRUE
    UNION ALL
    SELECT format('ticket %s is for seat %s of event %s, which has %s', t.id, t.seat_id, t.event_id,
                  coalesce(s.ticket_id::text, s.status, 'no row'))
    FROM tickets t
    LEFT JOIN event_seats s USING (organization_id, event_id, seat_id)
    WHERE t.seat_id IS NOT NULL AND t.status IN ('valid', 'used') AND s.ticket_id IS DISTINCT FROM t.id
"""

_BALANCED = """
    SELECT format('ledger transaction %s is off by %s %s', transaction_id, sum(amount), currency)
    FROM ledger_entries GROUP BY organization_id, transaction_id, currency HAVING sum(amount) <> 0
    UNION ALL
    SELECT format('payment %s of %s has %s in the ledger', a.id, a.amount, e.amount)
    FROM payment_attempts a CROSS JOIN LATERAL (
        SELECT coalesce(sum(e.amount), 0) AS amount FROM ledger_transactions t
        JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
        WHERE t.organization_id = a.organization_id AND t.source_id = a.id AND t.kind = 'capture'
          AND e.account = 'provider:' || a.provider) e
    WHERE e.amount <> CASE WHEN a.status = 'captured' THEN a.amount ELSE 0 END
    UNION ALL
    SELECT format('payment %s says that %s goes back, its refunds say %s', a.id, a.refunded, r.amount)
    FROM payment_attempts a CROSS JOIN LATERAL (
        SELECT coalesce(sum(r.amount), 0) AS amount FROM refunds r
        WHERE r.organization_id = a.organization_id AND r.attempt_id = a.id) r
    WHERE a.refunded <> r.amount
    UNION ALL
    -- What buyers are owed: refunds that have not gone out, and money that waits for a buyer's consent.
    SELECT format('organisation %s owes its buyers %s %s, its ledger says %s', id, coalesce(owed.amount, 0), currency,
                  coalesce(booked.amount, 0))
    FROM (SELECT organization_id AS id, currency, -sum(amount) AS amount
          FROM ledger_entries WHERE account = 'refunds' GROUP BY 1, 2) booked
    FULL JOIN (SELECT organization_id AS id, currency, sum(amount) AS amount
               FROM (SELECT organization_id, currency, amount FROM refunds WHERE status <> 'done'
                     UNION ALL
                     SELECT organization_id, currency, total FROM orders WHERE status = 'needs_consent') open
               GROUP BY 1, 2) owed USING (id, currency)
    WHERE coalesce(owed.amount, 0) <> coalesce(booked.amount, 0)
"""

# A limit that was lowered puts nobody out: those who came in before it finish.
_QUEUED = """
    SELECT format('person %s has %s live places in the line of event %s', user_id, count(*), event_id)
    FROM queue_entries WHERE status IN ('waiting', 'admitted') AND expires_at > app.clock()
    GROUP BY organization_id, event_id, user_id HAVING count(*) > 1
    UNION ALL
    SELECT format('the line of event %s has %s numbers up to %s where the next is %s', r.event_id,
                  coalesce(e.people, 0), coalesce(e.last, 0), r.next_seq)
    FROM queue_rooms r
    LEFT JOIN (SELECT organization_id, event_id, count(*) AS people, max(seq) AS last FROM queue_entries
               GROUP BY 1, 2) e USING (organization_id, event_id)
    WHERE (coalesce(e.people, 0), coalesce(e.last, 0)) <> (r.next_seq - 1, r.next_seq - 1)
    UNION ALL
    SELECT format('event %s has let %s people in where %s may be', r.event_id, count(*), r.slots)
    FROM queue_rooms r JOIN queue_entries e USING (organization_id, event_id)
    WHERE e.status = 'admitted' AND e.expires_at > app.clock() AND e.admitted_at > r.slots_since
    GROUP BY r.organization_id, r.event_id, r.slots HAVING count(*) > r.slots
    UNION ALL
    SELECT format('checkout %s of event %s is open without a slot', s.id, s.event_id)
    FROM checkout_sessions s WHERE s.status = 'open' AND s.expires_at > app.clock() AND NOT EXISTS (
        SELECT FROM queue_entries e WHERE e.organization_id = s.organization_id AND e.event_id = s.event_id
        AND e.user_id = s.user_id AND e.status = 'admitted')
"""

# An offer is its holds: an entry that is offered has some, for its own person and no more than its party; and a hold
# that was made for a list answers to one entry.
_OFFERED = """
    SELECT format('entry %s of event %s is offered %s places for a party of %s', e.id, e.event_id,
                  coalesce(sum(h.quantity), 0), e.party)
    FROM waitlist_entries e
    LEFT JOIN seat_holds h ON h.organization_id = e.organization_id AND h.basket_id = e.basket_id
                          AND h.event_id = e.event_id AND h.user_id = e.user_id AND h.source = 'waitlist'
                          AND h.status IN ('active', 'suspended')
    WHERE e.status = 'offered'
    GROUP BY e.organization_id, e.id, e.event_id, e.party HAVING coalesce(sum(h.quantity), 0) NOT BETWEEN 1 AND e.party
    UNION ALL
    SELECT format('hold %s was made for a waiting list, but %s', h.id,
                  CASE WHEN e.id IS NULL THEN 'no entry has it' ELSE format('entry %s is %s', e.id, e.status) END)
    FROM seat_holds h
    LEFT JOIN waitlist_entries e ON e.organization_id = h.organization_id AND e.basket_id = h.basket_id
    WHERE h.source = 'waitlist' AND h.status IN ('active', 'suspended') AND e.status IS DISTINCT FROM 'offered'
    UNION ALL
    SELECT format('person %s has %s live offers in event %s', user_id, count(DISTINCT basket_id), event_id)
    FROM seat_holds WHERE source = 'waitlist' AND status IN ('active', 'suspended')
    GROUP BY organization_id, event_id, user_id HAVING count(DISTINCT basket_id) > 1
    UNION ALL
    SELECT format('seat %s of event %s is offered %s times', seat_id, event_id, count(*))
    FROM seat_holds
    WHERE source = 'waitlist' AND seat_id IS NOT NULL AND status IN ('active', 'suspended') AND held_until > app.clock()
    GROUP BY organization_id, event_id, seat_id HAVING count(*) > 1
    UNION ALL
    SELECT format('entry %s says that it was taken, but nothing was bought', e.id)
    FROM waitlist_entries e
    WHERE e.status = 'taken' AND NOT EXISTS (
        SELECT FROM seat_holds h WHERE h.organization_id = e.organization_id AND h.basket_id = e.basket_id
        AND h.status = 'converted')
"""

# What is kept for a companion is kept because somebody has the place beside it.
_COMPANIONS = """
    SELECT format('companion seat %s of event %s is kept, but %s', c.seat_id, c.event_id,
                  CASE WHEN z.companions_released THEN 'its zone has released them'
                       ELSE format('nobody has place %s', c.companion_of) END)
    FROM event_seats c
    JOIN event_zones z USING (organization_id, event_id, zone_id)
    LEFT JOIN event_seats w ON w.organization_id = c.organization_id AND w.event_id = c.event_id
                           AND w.seat_id = c.companion_of
    WHERE c.status = 'available' AND c.reserved_until > app.clock()
      AND (z.companions_released OR (w.status = 'sold' OR w.status = 'held' AND w.held_until > app.clock()) IS NOT TRUE)
"""

# As far as a database can tell: no fact is passed over. That all of them are late is for the metrics to say; that one
# is late while later ones went long ago is a loss, unless it waits behind one that the broker refuses.
_DELIVERED = """
    SELECT format('fact %s (%s) of %s was passed over: the house never reacted', id, name, created_at)
    FROM outbox
    WHERE handled_at IS NULL AND created_at < app.clock() - interval '15 minutes'
      AND seq < (SELECT max(seq) FROM outbox WHERE handled_at < app.clock() - interval '1 minute')
    UNION ALL
    SELECT format('fact %s (%s) of %s was passed over: the broker never got it', id, name, created_at)
    FROM outbox o
    WHERE sent_at IS NULL AND parked_at IS NULL AND due_at < app.clock() - interval '15 minutes'
      AND seq < (SELECT max(seq) FROM outbox WHERE sent_at < app.clock() - interval '1 minute')
      AND NOT EXISTS (SELECT FROM outbox r WHERE r.sent_at IS NULL AND r.parked_at IS NULL AND r.attempts > 0
                      AND r.subject_id = o.subject_id AND r.seq < o.seq)
    UNION ALL
    SELECT format('fact %s is there %s times', id, count(*)) FROM outbox GROUP BY id HAVING count(*) > 1
    UNION ALL
    SELECT format('fact %s was processed %s times by %s', message_id, count(*), consumer)
    FROM processed_messages GROUP BY organization_id, consumer, message_id HAVING count(*) > 1
    UNION ALL
    SELECT format('%s owes a reaction to fact %s, which is not there', consumer, message_id)
    FROM owed_reactions w WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.id = w.message_id)
"""

_PARTICIPANTS = """
    SELECT format('show %s counts %s participants where %s take part', event_id, s.active_participants,
                  coalesce(p.active, 0))
    FROM event_stats s
    LEFT JOIN (SELECT organization_id, event_id, count(*) FILTER (WHERE active) AS active
               FROM participations GROUP BY 1, 2) p USING (organization_id, event_id)
    WHERE s.active_participants <> coalesce(p.active, 0)
"""

CHECKS = (
    Check("tenancy", "no row refers to another organisation's", _tenancy),
    Check("row security", "every tenant table is under forced row-level security", _row_security),
    Check("one holder", "a seat has one live hold or sale at most, and both rows say so", _rows(_ONE_HOLDER)),
    Check("counted", "every pool counts what is held of it, and never more than it has", _rows(_COUNTED)),
    Check("companions", "a companion seat is kept only while somebody has its wheelchair place", _rows(_COMPANIONS)),
    Check("queued", "a person has one place in a line, numbers are dense, no more are inside than may", _rows(_QUEUED)),
    Check("offered", "whoever is offered places from a waiting list has holds of them, and one offer", _rows(_OFFERED)),
    Check("audited", "every hold was written down, and so was its end", _rows(_AUDITED)),
    Check("on time", "no hold is older than its time and a sweep, or frozen for nothing", _rows(_ON_TIME)),
    Check("paid", "an order is paid, has one capture and tickets for all of it; other money goes back", _rows(_PAID)),
    Check("ledger", "every transaction of the ledger sums to zero, and all money is in it", _rows(_BALANCED)),
    Check("delivered", "no fact is passed over, and no consumer processed one twice", _rows(_DELIVERED)),
    Check("participants", "every show counts those who take part", _rows(_PARTICIPANTS)),
    Check("present", "a ticket stands where its scans say, and took each step once", _rows(prove_scans.PRESENT)),
    Check("occupied", "the counts of a day are what its scans say", _rows(prove_scans.OCCUPIED)),
    Check("admitted", "who came in with a void ticket, or twice, is an incident", _rows(prove_scans.ADMITTED)),
    Check("scanned", "every entry and exit was written down, and nothing told is missing", _rows(prove_scans.SCANNED)),
)


async def run(url: str, calls: Sequence[Call] | None = None) -> dict[Check, list[str]]:
    """With what a client was told (prove_log.py), if there is a log of that."""
    connection = await connect(url, AUDITOR, deadline_s=DEADLINE_S, statement_timeout=f"{DEADLINE_S}s")
    checks = CHECKS if calls is None else (*CHECKS, _told(calls))
    try:
        return {check: await check.find(connection) for check in checks}
    finally:
        await connection.close(timeout=5)


def _told(calls: Sequence[Call]) -> Check:
    async def find(connection: Any) -> list[str]:
        return await prove_log.disagreements(connection, calls)

    return Check("told", "what a client was told is what there is", find)


async def run_and_alert(url: str) -> None:
    for check, wrong in (await run(url)).items():
        VIOLATIONS.labels(check.name).set(len(wrong))
        for sentence in wrong:
            log.error("an invariant does not hold", check=check.name, what=sentence)
