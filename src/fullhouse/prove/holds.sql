-- Holds of seats.

-- name: one_holder
-- A seat's row and its hold's row agree, and no other live hold has the seat.
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
WHERE s.status = 'held' AND s.held_until > app.clock() AND coalesce(h.status, '') NOT IN ('active', 'suspended');

-- name: on_time
-- A sweep runs every second: a hold that is overdue by a minute is stuck.
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
-- A sweep cancels overdue payments and retries every minute: if it fails for so long, the provider or the sweep is down.
SELECT format('hold %s of event %s is frozen for payment %s, which was to be called off at %s', h.id, h.event_id, a.id,
              a.give_up_at)
FROM seat_holds h JOIN payment_attempts a ON a.organization_id = h.organization_id AND a.id = h.attempt_id
WHERE h.status = 'active' AND a.status IN ('started', 'pending', 'unknown')
  AND a.give_up_at < app.clock() - interval '10 minutes'
UNION ALL
SELECT format('checkout %s was over at %s and is still open', id, expires_at)
FROM checkout_sessions WHERE status = 'open' AND expires_at < app.clock() - interval '60 seconds';

-- name: companions
-- A companion seat is reserved because the wheelchair space beside it is held or sold.
SELECT format('companion seat %s of event %s is kept, but %s', c.seat_id, c.event_id,
              CASE WHEN z.companions_released THEN 'its zone has released them'
                   ELSE concat('nobody has place ', c.companion_of) END)
FROM event_seats c
JOIN event_zones z USING (organization_id, event_id, zone_id)
LEFT JOIN event_seats w ON w.organization_id = c.organization_id AND w.event_id = c.event_id
                       AND w.seat_id = c.companion_of
WHERE c.status = 'available' AND c.reserved_until > app.clock()
  AND (z.companions_released OR (w.status = 'sold' OR w.status = 'held' AND w.held_until > app.clock()) IS NOT TRUE);
