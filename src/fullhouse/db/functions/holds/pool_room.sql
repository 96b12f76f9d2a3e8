-- A pool's free capacity, on the days of a ticket type or on every day, including what overdue holds still count in it:
-- the hold statement ends these first.
CREATE OR REPLACE FUNCTION app.pool_room(org uuid, show uuid, pool_kind text, ref uuid, kind_of_ticket uuid DEFAULT NULL)
RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT app.room_for(org, show, pool_kind, ref, kind_of_ticket) + coalesce((
        SELECT sum(h.quantity) FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = show AND h.status = 'active' AND h.held_until <= app.clock()
          AND CASE pool_kind WHEN 'ticket_type' THEN h.ticket_type_id = ref
                             ELSE (pool_kind = 'event' OR h.seat_id IS NULL AND h.zone_id = ref)
                                  AND NOT app.counts_by_day(org, h.ticket_type_id) END), 0)
$$;
