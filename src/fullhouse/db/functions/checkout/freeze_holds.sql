-- Freezes these holds if all of them are live and belong to this person; otherwise none. Returns whether they were.
CREATE OR REPLACE FUNCTION app.freeze_holds(org uuid, show uuid, person uuid, ids uuid[], attempt uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    IF (SELECT count(*) FROM seat_holds h
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.event_id = show AND h.user_id = person
          AND h.status = 'active' AND h.held_until > clock AND h.attempt_id IS NULL) < cardinality(ids) THEN
        RETURN false;
    END IF;
    UPDATE seat_holds h SET attempt_id = attempt, frozen_at = clock, held_before = h.held_until,
                            held_until = 'infinity', updated_at = clock
    WHERE h.organization_id = org AND h.id = ANY (ids);
    UPDATE event_seats s SET held_until = 'infinity', version = s.version + 1
    FROM seat_holds h
    WHERE h.organization_id = org AND h.id = ANY (ids) AND s.organization_id = org AND s.event_id = show
      AND s.seat_id = h.seat_id AND s.hold_id = h.id;
    PERFORM app.follow_places(org, show, ids);
    RETURN true;
END $$;
