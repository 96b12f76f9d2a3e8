-- What is held and sold of ticket types that count by day.
CREATE OR REPLACE FUNCTION app.taken_by_day(org uuid, event uuid)
RETURNS TABLE (ticket_type_id uuid, zone_id uuid, held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT n.ticket_type_id, n.zone_id, sum(n.held), sum(n.sold)
    FROM ticket_types y CROSS JOIN LATERAL (
        SELECT h.ticket_type_id, h.zone_id, h.quantity AS held, 0 AS sold FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = event AND h.status IN ('active', 'suspended')
          AND h.ticket_type_id = y.id
        UNION ALL
        SELECT t.ticket_type_id, t.zone_id, 0, 1 FROM tickets t
        WHERE t.organization_id = org AND t.event_id = event AND t.status IN ('valid', 'used')
          AND t.ticket_type_id = y.id) n
    WHERE y.organization_id = org AND y.event_id = event AND y.by_day
    GROUP BY 1, 2
$$;
