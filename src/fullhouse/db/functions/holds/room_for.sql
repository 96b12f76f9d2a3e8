-- The free capacity of a pool for tickets of a type: on its days, or on every day. Without a type: on every day.
CREATE OR REPLACE FUNCTION app.room_for(org uuid, event uuid, pool_kind text, ref uuid, kind_of_ticket uuid) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT p.capacity - p.held - p.sold - CASE
               WHEN p.day_peak = 0 THEN 0
               WHEN t.by_day THEN (SELECT coalesce(max(l.held + l.sold), 0)
                                   FROM app.day_loads(org, event, pool_kind, ref) l WHERE l.day = ANY (t.valid_days))
               ELSE p.day_peak END
    FROM pools p LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = kind_of_ticket
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;
