CREATE OR REPLACE FUNCTION app.asked_for(org uuid, show uuid, lines app.hold_line[]) RETURNS app.whereabouts
LANGUAGE plpgsql STABLE AS $$
DECLARE
    starts integer[] := (SELECT w.run_starts FROM waitlists w WHERE w.organization_id = org AND w.event_id = show);
    asked bigint;
    found app.whereabouts;
BEGIN
    SELECT sum(x.quantity), bool_or(x.kind <> 'zone'), array_agg(DISTINCT x.zone_id),
           coalesce(range_agg(int4range(coalesce(starts[x.run], 0), coalesce(starts[x.run + 1], 2147483647)))
                    FILTER (WHERE x.run IS NOT NULL), '{}')
    INTO asked, found.anywhere, found.zones, found.near
    FROM (
        SELECT l.quantity, l.kind, coalesce(s.zone_id, l.ref_id) AS zone_id, width_bucket(s.ordinal, starts) AS run
        FROM unnest(lines) l
        LEFT JOIN LATERAL (SELECT * FROM event_seats e WHERE e.organization_id = org AND e.event_id = show
                           AND e.seat_id = l.seat_id OFFSET 0) s ON true
        WHERE l.event_id = show
          AND (l.seat_id IS NULL OR s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
    ) x;
    IF asked IS NULL THEN
        RETURN NULL;
    END IF;
    IF found.anywhere OR app.shares_a_limit(org, show, asked) THEN
        RETURN ROW(true, NULL, NULL)::app.whereabouts;
    END IF;
    RETURN ROW(false, found.zones, found.near)::app.whereabouts;
END $$;
