-- Extends holds to the end of their checkout, once: holds that were in a checkout before are skipped. Returns the
-- extended ones, for the mirror.
CREATE OR REPLACE FUNCTION app.prolong_holds(org uuid, show uuid, ids uuid[], until timestamptz)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, zone_id uuid, ticket_type_id uuid,
               held_before timestamptz, held_until timestamptz, ordinal integer, version integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    RETURN QUERY
    WITH short AS MATERIALIZED (
        SELECT h.id, h.held_until FROM seat_holds h
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status = 'active' AND h.attempt_id IS NULL
          AND h.held_until > clock AND h.held_until < until
          AND NOT EXISTS (SELECT FROM checkout_items i WHERE i.organization_id = org AND i.hold_id = h.id)
    ), kept AS (
        UPDATE seat_holds h SET held_until = until, updated_at = clock
        FROM short s WHERE h.organization_id = org AND h.id = s.id
        RETURNING h.id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, s.held_until AS held_before
    ), seated AS (
        UPDATE event_seats s SET held_until = until, version = s.version + 1
        FROM kept k
        WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = k.seat_id AND s.hold_id = k.id
        RETURNING s.seat_id, s.ordinal, s.version
    )
    SELECT k.id, show, k.user_id, k.seat_id, k.zone_id, k.ticket_type_id, k.held_before, until, s.ordinal, s.version
    FROM kept k LEFT JOIN seated s USING (seat_id);
    PERFORM app.follow_places(org, show, ids);
END $$;
