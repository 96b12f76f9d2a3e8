-- Called right after wheelchair spaces were sold or taken back, with these and their companion seats locked: reserves
-- or frees the companion seats accordingly. Returns the changed seats, and whether they are reserved now.
CREATE OR REPLACE FUNCTION app.keep_companions(org uuid, show uuid, places uuid[])
RETURNS TABLE (ordinal integer, version integer, kept boolean) LANGUAGE sql AS $$
    UPDATE event_seats s SET reserved_for = k.user_id, reserved_until = k.until, version = s.version + 1
    FROM (SELECT c.seat_id, k.user_id, k.until
          FROM event_seats c
          LEFT JOIN LATERAL app.keeper_of_companions(org, show, c.companion_of) k ON true
          WHERE c.organization_id = org AND c.event_id = show AND c.companion_of = ANY (places)) k
    WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = k.seat_id
      AND (s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
      AND (s.reserved_for, s.reserved_until) IS DISTINCT FROM (k.user_id, k.until)
    RETURNING s.ordinal, s.version, s.reserved_for IS NOT NULL
$$;
