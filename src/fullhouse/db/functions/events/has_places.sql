-- Whether a seat or place that this ticket type covers is unsold. Without a layout there are neither: only general
-- admission types with a quantity can then be sold.
CREATE OR REPLACE FUNCTION app.has_places(org uuid, event uuid, t ticket_types) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
        THEN t.kind = 'ga' AND t.quantity IS NOT NULL
        ELSE EXISTS (
            SELECT FROM event_zones z
            JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone' AND p.ref_id = z.zone_id
            WHERE z.organization_id = org AND z.event_id = event AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
              AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = (t.kind = 'seated')
              AND CASE p.day_peak WHEN 0 THEN p.capacity - p.sold
                                  ELSE app.unsold_for(org, event, 'zone', z.zone_id, t.id) END > 0
              AND (t.kind <> 'seated' OR EXISTS (
                  SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                  AND s.zone_id = z.zone_id AND s.status IN ('available', 'held')))) END
$$;
