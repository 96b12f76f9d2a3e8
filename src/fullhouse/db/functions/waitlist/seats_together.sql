-- Neighbouring seats, without an aisle or a taken seat between them, from the shortest run that fits: what a small
-- party leaves of a long row is harder to sell. Wheelchair spaces are only for entries that ask for one, and such an
-- entry gets one.
CREATE OR REPLACE FUNCTION app.seats_together(
    org uuid, show uuid, zone uuid, party integer, chairs boolean, near int4multirange, busy uuid[])
RETURNS uuid[] LANGUAGE sql STABLE AS $$
    WITH best AS (
        SELECT CASE WHEN chairs THEN least(c.chair, upper(c.chain) - party) ELSE lower(c.chain) END AS start
        FROM app.free_chains(org, show, chairs, near, busy) c
        CROSS JOIN LATERAL (SELECT upper(c.chain) - lower(c.chain) AS length) l
        WHERE c.zone_id = zone AND length >= party AND (NOT chairs OR c.chair IS NOT NULL)
        ORDER BY length = party + 1, length, lower(c.chain) LIMIT 1
    )
    SELECT array_agg(app.seat_at(w.layout_id, n) ORDER BY n)
    FROM best b CROSS JOIN generate_series(b.start, b.start + party - 1) n
    JOIN waitlists w ON w.organization_id = org AND w.event_id = show
$$;
