-- Runs of free neighbouring seats, as ranges of ordinals; `chair` is the first wheelchair space of the run. Without
-- `chairs`, wheelchair spaces are left out. `near` restricts the ordinals. The waitlist's arrays are not joined,
-- because the planner assumes short arrays: it would compare every seat with the start of every run.
CREATE OR REPLACE FUNCTION app.free_chains(org uuid, show uuid, chairs boolean, near int4multirange, busy uuid[] DEFAULT '{}')
RETURNS TABLE (zone_id uuid, chain int4range, chair integer) LANGUAGE sql STABLE AS $$
    WITH list AS MATERIALIZED (
        SELECT w.layout_id, array(SELECT unnest(w.run_starts)) AS starts,
               coalesce((SELECT range_agg(int4range(n, n + 1)) FROM unnest(w.whole_seats) n), '{}') AS wholes,
               coalesce((SELECT range_agg(int4range(n, n + 1)) FROM unnest(w.chair_seats) n), '{}') AS chairs
        FROM waitlists w WHERE w.organization_id = org AND w.event_id = show
    ), seen AS (
        SELECT s.* FROM event_seats s WHERE near IS NULL AND s.organization_id = org AND s.event_id = show
        UNION ALL
        SELECT s.* FROM list l CROSS JOIN unnest(near) r CROSS JOIN LATERAL (
            SELECT s.* FROM event_seats s
            WHERE s.organization_id = org AND s.event_id = show
              AND s.seat_id BETWEEN app.seat_at(l.layout_id, lower(r)) AND app.seat_at(l.layout_id, upper(r) - 1)
            OFFSET 0) s   -- an index scan per range, whatever the planner estimates
    ), free AS (
        SELECT s.zone_id, s.ordinal, width_bucket(s.ordinal, (SELECT starts FROM list)) AS run
        FROM seen s
        WHERE (s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
          AND (s.reserved_until <= app.clock()) IS NOT FALSE AND s.seat_id <> ALL (busy)
          AND NOT (SELECT wholes FROM list) @> s.ordinal
          AND (free_chains.chairs OR NOT (SELECT l.chairs FROM list l) @> s.ordinal)
    ), found AS (
        SELECT f.zone_id, unnest(range_agg(int4range(f.ordinal, f.ordinal + 1))) AS chain FROM free f
        GROUP BY f.zone_id, f.run
    )
    SELECT zone_id, chain, lower((SELECT l.chairs FROM list l) * int4multirange(chain)) FROM found
$$;
