-- The held and sold counts of a pool for maps and lists: those of the day with the most free capacity, as the pool is
-- available as long as it is on one day.
CREATE OR REPLACE FUNCTION app.pool_counts(org uuid, event uuid, pool_kind text, ref uuid)
RETURNS TABLE (held integer, sold integer, version integer) LANGUAGE sql STABLE AS $$
    SELECT p.held + coalesce(l.held, 0)::integer, p.sold + coalesce(l.sold, 0)::integer, p.version
    FROM pools p LEFT JOIN LATERAL (
        SELECT l.held, l.sold FROM app.day_loads(org, event, pool_kind, ref) l
        ORDER BY l.held + l.sold, l.day LIMIT 1) l ON p.day_peak > 0
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;
