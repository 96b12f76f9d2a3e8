-- Checkouts, and the time limits of their holds.

-- name: bounded
-- A checkout lasts ten minutes from its start. Its holds last until then at most, or until the time that they had when they
-- were made, which is in their audit row, unless a payment is in progress. Rescheduling an event restarts the time of its
-- holds; offers of the waitlist have a time of their own.
SELECT format('checkout %s began at %s and lasts until %s', s.id, s.created_at, s.expires_at)
FROM checkout_sessions s
WHERE s.status IN ('open', 'paying') AND s.expires_at > s.created_at + interval '10 minutes 1 second'
UNION ALL
SELECT format('hold %s of event %s lasts until %s, its checkout until %s', h.id, h.event_id, h.held_until, c.until)
FROM seat_holds h
JOIN events e ON e.organization_id = h.organization_id AND e.id = h.event_id AND e.rescheduled_at IS NULL
CROSS JOIN LATERAL (
    SELECT max(s.created_at) + interval '10 minutes 1 second' AS until FROM checkout_items i
    JOIN checkout_sessions s ON s.organization_id = i.organization_id AND s.id = i.session_id
    WHERE i.organization_id = h.organization_id AND i.hold_id = h.id) c
CROSS JOIN LATERAL (
    SELECT max((a.after ->> 'held_until')::timestamptz) AS until FROM audit_log a
    WHERE a.organization_id = h.organization_id AND a.entity_type = 'seat_hold' AND a.entity_id = h.id
      AND a.action = 'seat_reserved') r
WHERE h.status = 'active' AND h.attempt_id IS NULL AND h.source <> 'waitlist'
  AND h.held_until > greatest(c.until, r.until);
