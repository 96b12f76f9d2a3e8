-- What is held and sold of a pool on each day of the event's ticket types that count by day.
CREATE OR REPLACE FUNCTION app.day_loads(org uuid, event uuid, pool_kind text, ref uuid)
RETURNS TABLE (day date, held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT d.day, coalesce(sum(c.held), 0), coalesce(sum(c.sold), 0)
    FROM ticket_types t CROSS JOIN LATERAL unnest(t.valid_days) AS d (day)
    LEFT JOIN day_places c ON c.organization_id = org AND c.event_id = event AND c.kind = pool_kind AND c.ref_id = ref
                          AND c.ticket_type_id = t.id
    WHERE t.organization_id = org AND t.event_id = event AND t.by_day
    GROUP BY d.day
$$;
