-- What is held and sold of an event on every day, counted from the holds and tickets themselves. A hold counts until
-- its row says that it has ended, as in every pool.
CREATE OR REPLACE FUNCTION app.taken_places(org uuid, event uuid)
RETURNS TABLE (held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'active'
              AND NOT app.counts_by_day(org, h.ticket_type_id))
         + (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h   -- separate: each of the two has its own index
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'suspended'
              AND NOT app.counts_by_day(org, h.ticket_type_id)),
           (SELECT count(*) FROM tickets t
            WHERE t.organization_id = org AND t.event_id = event AND t.status IN ('valid', 'used')
              AND NOT app.counts_by_day(org, t.ticket_type_id))
$$;
