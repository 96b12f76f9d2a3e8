-- For whom the companion seats of a wheelchair space are reserved, and until when: for its holder as long as the hold
-- lasts, for its buyer until the zone releases them. No row: they are ordinary seats. `gone` are holds that end in the
-- same statement.
CREATE OR REPLACE FUNCTION app.keeper_of_companions(org uuid, show uuid, place uuid, gone uuid[] DEFAULT '{}')
RETURNS TABLE (user_id uuid, until timestamptz) LANGUAGE sql STABLE AS $$
    SELECT k.user_id, k.until
    FROM (SELECT CASE w.status
                     WHEN 'held' THEN (SELECT h.user_id FROM seat_holds h
                                       WHERE h.organization_id = org AND h.id = w.hold_id)
                     ELSE (SELECT h.user_id FROM seat_holds h
                           WHERE h.organization_id = org AND h.event_id = show AND h.seat_id = place
                             AND h.status = 'converted' ORDER BY h.updated_at DESC LIMIT 1) END AS user_id,
                 CASE w.status WHEN 'held' THEN w.held_until ELSE 'infinity' END AS until
          FROM event_seats w
          JOIN event_zones z ON z.organization_id = org AND z.event_id = show AND z.zone_id = w.zone_id
          WHERE w.organization_id = org AND w.event_id = show AND w.seat_id = place AND NOT z.companions_released
            AND (w.status = 'sold'
                 OR w.status = 'held' AND w.held_until > app.clock() AND w.hold_id <> ALL (gone))) k
    WHERE k.user_id IS NOT NULL AND app.keeps_companions(org, show)
$$;
