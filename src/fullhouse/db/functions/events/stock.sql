-- Whether everything is sold, and the periods with tickets to buy. Independent of the clock, because windows open and
-- close without a write.
CREATE OR REPLACE FUNCTION app.stock(org uuid, event uuid, OUT opens_at timestamptz, OUT closes_at timestamptz,
                          OUT has_tickets boolean, OUT sold_out boolean, OUT selling tstzmultirange)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT greatest(e.sale_start_at, min(coalesce(t.sale_start_at, e.sale_start_at))),
           least(e.sale_end_at, max(coalesce(t.sale_end_at, e.sale_end_at))), count(t.id) > 0
    INTO opens_at, closes_at, has_tickets
    FROM events e
    LEFT JOIN ticket_types t ON t.organization_id = org AND t.event_id = event AND NOT t.hidden
    WHERE e.organization_id = org AND e.id = event
    GROUP BY e.sale_start_at, e.sale_end_at;
    selling := app.selling(org, event);
    sold_out := isempty(selling) AND has_tickets;
    -- Nothing is left: `sold_out` only if there was anything to sell. Blocked seats and places without a ticket type do
    -- not count.
    IF sold_out AND NOT EXISTS (
        SELECT FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
          AND CASE WHEN NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
              THEN t.kind = 'ga' AND t.quantity IS NOT NULL
              ELSE EXISTS (
                  SELECT FROM event_zones z
                  JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                              AND p.ref_id = z.zone_id
                  WHERE z.organization_id = org AND z.event_id = event AND p.capacity > 0
                    AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
                    AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = (t.kind = 'seated')
                    AND (t.kind <> 'seated' OR EXISTS (
                        SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                        AND s.zone_id = z.zone_id AND s.status <> 'blocked'))) END) THEN
        has_tickets := false;
    END IF;
    sold_out := sold_out AND has_tickets;
    IF isempty(selling) OR opens_at > closes_at OR selling @> tstzrange(opens_at, closes_at, '[]') THEN
        selling := NULL;
    END IF;
END $$;
