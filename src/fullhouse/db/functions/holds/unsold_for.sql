-- How many tickets of a type a pool has not sold yet: on its days, or on every day.
CREATE OR REPLACE FUNCTION app.unsold_for(org uuid, event uuid, pool_kind text, ref uuid, kind_of_ticket uuid) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT p.capacity - p.sold - CASE
               WHEN p.day_peak = 0 THEN 0
               ELSE (SELECT coalesce(max(l.sold), 0) FROM app.day_loads(org, event, pool_kind, ref) l
                     WHERE t.by_day IS NOT TRUE OR l.day = ANY (t.valid_days)) END
    FROM pools p LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = kind_of_ticket
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;
