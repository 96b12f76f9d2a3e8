-- The first waiting entry of each kind (`wish`: party, zone, type, accessible). A loose index scan: one step per kind,
-- however many entries wait.
CREATE OR REPLACE FUNCTION app.wishes(org uuid, show uuid) RETURNS SETOF waitlist_entries LANGUAGE sql STABLE AS $$
    WITH RECURSIVE known AS (
        SELECT min(e.wish) AS wish FROM waitlist_entries e
        WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'
        UNION ALL
        SELECT (SELECT min(e.wish) FROM waitlist_entries e
                WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting' AND e.wish > k.wish)
        FROM known k WHERE k.wish IS NOT NULL
    )
    SELECT f.* FROM known k CROSS JOIN LATERAL (
        SELECT e.* FROM waitlist_entries e
        WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting' AND e.wish = k.wish
        ORDER BY e.wish, e.seq LIMIT 1) f   -- in index order: otherwise another index would be read to the end
    WHERE k.wish IS NOT NULL
$$;
