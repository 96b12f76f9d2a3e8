-- Whether entries for different zones may compete for one limit: the event's limit is below what the waitlist and the
-- current request would take, or a ticket type's quantity is below the places that it sells.
CREATE OR REPLACE FUNCTION app.shares_a_limit(org uuid, show uuid, asked bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = show
                   AND p.kind IN ('event', 'ticket_type')) THEN
        RETURN false;
    END IF;
    RETURN coalesce(app.pool_room(org, show, 'event', show) < asked + (
               SELECT sum(e.party) FROM waitlist_entries e
               WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'), false)
        OR EXISTS (
            SELECT FROM event_zones z
            CROSS JOIN LATERAL (SELECT z.zone_type IN ('reserved_seating', 'vip_reserved') AS seated) k
            CROSS JOIN (SELECT DISTINCT w.party FROM app.wishes(org, show) w) w
            WHERE z.organization_id = org AND z.event_id = show
              AND app.zones_short_of(org, show, app.types_selling(org, show, z.zone_key, k.seated, w.party), k.seated)
                  <> '{}');
END $$;
