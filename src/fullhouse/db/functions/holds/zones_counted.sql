-- The current counts of zones; with a sender they are also published.
CREATE OR REPLACE FUNCTION app.zones_counted(org uuid, sender text, shows uuid[], zones uuid[])
RETURNS TABLE (event_id uuid, zone_id uuid, held integer, sold integer, version integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.event_id, p.ref_id, c.held, c.sold, c.version
    FROM pools p CROSS JOIN LATERAL app.pool_counts(org, p.event_id, 'zone', p.ref_id) c
    WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id = ANY (zones);
    IF sender IS NOT NULL THEN
        PERFORM app.tell_seats(sender, org, t.event_id, '{}', '{}', '{}', t.counts)
        FROM (SELECT p.event_id, json_agg(json_build_array(p.ref_id, c.held, c.sold, c.version)) AS counts
              FROM pools p CROSS JOIN LATERAL app.pool_counts(org, p.event_id, 'zone', p.ref_id) c
              WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id = ANY (zones)
              GROUP BY p.event_id) t;
    END IF;
END $$;
