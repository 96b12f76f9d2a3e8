-- The zones whose places these types sell, if the tickets could run out before the places; null if they cannot.
CREATE OR REPLACE FUNCTION app.zones_short_of(org uuid, show uuid, kinds uuid[], is_seated boolean) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    WITH limits AS (
        SELECT count(*) AS types, coalesce(sum(p.capacity), 0) AS tickets FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds)
    ), places AS (
        SELECT coalesce(array_agg(z.zone_id), '{}') AS zones, coalesce(sum(z.capacity), 0) AS places FROM event_zones z
        WHERE z.organization_id = org AND z.event_id = show
          AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = is_seated
          AND EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.id = ANY (kinds)
                      AND (t.zones = '{}' OR z.zone_key = ANY (t.zones)))
    )
    SELECT CASE WHEN types = cardinality(kinds) AND (tickets < places OR kinds = '{}') THEN zones END FROM limits, places
$$;
