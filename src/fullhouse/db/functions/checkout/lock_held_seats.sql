-- Locks seats before holds, and companion seats with their wheelchair seats, each in id order.
CREATE OR REPLACE FUNCTION app.lock_held_seats(org uuid, show uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_seats s
    WHERE s.organization_id = org AND s.event_id = show AND s.seat_id IN (
        SELECT h.seat_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
        UNION ALL
        SELECT c.seat_id FROM seat_holds h
        JOIN event_seats c ON c.organization_id = org AND c.event_id = show AND c.companion_of = h.seat_id
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY s.seat_id FOR UPDATE;
    PERFORM FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids) ORDER BY h.id FOR UPDATE;
END $$;
