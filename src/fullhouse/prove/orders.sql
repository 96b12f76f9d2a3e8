-- Orders, payments and the ledger.

-- name: paid
-- Paid, one capture, all tickets: all three or none. Any other captured payment is being refunded.
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
UNION ALL
-- Only events with a ticket type can have tickets.
SELECT format('seat %s of event %s is sold to ticket %s, which is %s', s.seat_id, s.event_id, s.ticket_id,
              CASE WHEN t.id IS NULL THEN 'not there'
                   WHEN t.status IN ('valid', 'used') THEN 'for another seat' ELSE t.status END)
FROM event_seats s
LEFT JOIN tickets t ON t.organization_id = s.organization_id AND t.id = s.ticket_id
WHERE s.status = 'sold'
  AND (t.status IN ('valid', 'used') AND (t.event_id, t.seat_id) = (s.event_id, s.seat_id)) IS NOT TRUE
  AND EXISTS (SELECT FROM ticket_types y WHERE y.organization_id = s.organization_id AND y.event_id = s.event_id);

-- name: ledger
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
-- What is owed to buyers: refunds that are not done, and payments of orders that wait for the buyer's consent.
SELECT format('organisation %s owes its buyers %s %s, its ledger says %s', id, coalesce(owed.amount, 0), currency,
              coalesce(booked.amount, 0))
FROM (SELECT organization_id AS id, currency, -sum(amount) AS amount
      FROM ledger_entries WHERE account = 'refunds' GROUP BY 1, 2) booked
FULL JOIN (SELECT organization_id AS id, currency, sum(amount) AS amount
           FROM (SELECT organization_id, currency, amount FROM refunds WHERE status <> 'done'
                 UNION ALL
                 SELECT organization_id, currency, total FROM orders WHERE status = 'needs_consent') open
           GROUP BY 1, 2) owed USING (id, currency)
WHERE coalesce(owed.amount, 0) <> coalesce(booked.amount, 0);
