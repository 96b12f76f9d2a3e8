-- Whether the event's limit is reached on every day that it sells, or no seat or place is left.
CREATE OR REPLACE FUNCTION app.is_full(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event AND p.kind = 'event'
               AND p.sold + coalesce((SELECT min(l.sold) FROM app.day_loads(org, event, 'event', event) l
                                      WHERE p.day_peak > 0), 0) >= p.capacity) THEN
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status IN ('available', 'held'))
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.sold + coalesce((
                             SELECT min(l.sold) FROM app.day_loads(org, event, 'zone', p.ref_id) l
                             WHERE p.day_peak > 0), 0) < p.capacity
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved'));
END $$;
