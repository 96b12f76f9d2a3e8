-- How many tickets are left of the types that sell such places, less the holds that have no type yet. A place without a
-- ticket to buy cannot be offered. Null: not limited by tickets, only by places.
CREATE OR REPLACE FUNCTION app.tickets_left(org uuid, show uuid, zone text, is_seated boolean, party integer)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    kinds uuid[] := app.types_selling(org, show, zone, is_seated, party);
    zones uuid[] := app.zones_short_of(org, show, kinds, is_seated);
BEGIN
    IF zones IS NULL THEN
        RETURN NULL;
    END IF;
    -- Less what is held there; checkouts have counted a part of it in their pools already.
    RETURN (
        SELECT coalesce(sum(p.capacity - p.held - p.sold), 0) FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds))
    - CASE WHEN is_seated THEN (
        SELECT count(*) FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = show AND s.zone_id = ANY (zones) AND s.status = 'held'
          AND s.held_until > clock)
    ELSE (
        -- Holds with a ticket type are counted in that type's pool already.
        SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = show AND h.status IN ('active', 'suspended')
          AND h.seat_id IS NULL AND h.ticket_type_id IS NULL AND h.zone_id = ANY (zones)) END + (
        SELECT coalesce(sum(i.quantity), 0)
        FROM checkout_sessions c
        JOIN checkout_items i ON i.organization_id = org AND i.session_id = c.id AND i.zone_id = ANY (zones)
        JOIN seat_holds h ON h.organization_id = org AND h.id = i.hold_id AND h.status IN ('active', 'suspended')
                         AND h.held_until > clock
        WHERE c.organization_id = org AND c.event_id = show AND c.status IN ('open', 'paying'));
END $$;
