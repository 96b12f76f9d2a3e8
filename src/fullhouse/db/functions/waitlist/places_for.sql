-- What is free for a party now: seats, or the pool with enough room. Null if nothing fits. `zones` and `near` restrict
-- the search; `busy` are seats that another transaction has locked.
CREATE OR REPLACE FUNCTION app.places_for(
    org uuid, show uuid, party integer, zone text, wanted_type uuid, chairs boolean, zones uuid[] DEFAULT NULL,
    near int4multirange DEFAULT NULL, busy uuid[] DEFAULT '{}')
RETURNS app.places LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    here record;
    found app.places;
BEGIN
    IF NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = show) THEN
        SELECT NULL::uuid[], 'ticket_type', t.id INTO found FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND (t.id = wanted_type OR wanted_type IS NULL)
          AND NOT t.hidden AND NOT chairs
          AND coalesce(t.sale_start_at, clock) <= clock AND coalesce(t.sale_end_at, clock) >= clock
          AND coalesce(t.max_per_order, party) >= party AND app.pool_room(org, show, 'ticket_type', t.id) >= party
          AND coalesce(app.pool_room(org, show, 'event', show, t.id) >= party, true)
        ORDER BY t.position, t.created_at, t.id LIMIT 1;
        RETURN found;
    END IF;
    IF app.pool_room(org, show, 'event', show) < party THEN
        RETURN NULL;
    END IF;
    FOR here IN
        SELECT z.zone_id, z.zone_key, z.zone_type IN ('reserved_seating', 'vip_reserved') AS seated FROM event_zones z
        WHERE z.organization_id = org AND z.event_id = show
          AND (z.zone_key = zone OR zone IS NULL AND z.access_mode = 'public')
          AND (zones IS NULL OR z.zone_id = ANY (zones))
        ORDER BY z.position
    LOOP
        CONTINUE WHEN app.tickets_left(org, show, here.zone_key, here.seated, party) < party;
        IF here.seated THEN
            found := (app.seats_together(org, show, here.zone_id, party, chairs, near, busy), NULL, NULL);
        ELSIF NOT chairs AND app.pool_room(org, show, 'zone', here.zone_id) >= party THEN
            found := (NULL, 'zone', here.zone_id);
        END IF;
        EXIT WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL;
    END LOOP;
    RETURN CASE WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL THEN found END;
END $$;
