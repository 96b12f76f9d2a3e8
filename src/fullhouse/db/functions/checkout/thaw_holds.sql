-- The payment failed: restores the expiry that the holds had before, so that the time of the payment counts. Otherwise
-- declined cards, one after the other, could extend a hold without limit. In an event that is postponed without a new
-- date the holds are suspended.
CREATE OR REPLACE FUNCTION app.thaw_holds(org uuid, show uuid, ids uuid[], attempt uuid) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    waits boolean := (SELECT e.status = 'postponed' AND e.rescheduled_at IS NULL FROM events e
                      WHERE e.organization_id = org AND e.id = show);
    thawed integer;
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    WITH thawing AS (
        UPDATE seat_holds h
        SET attempt_id = NULL, frozen_at = NULL, held_before = NULL, updated_at = clock,
            status = CASE WHEN waits THEN 'suspended' ELSE 'active' END,
            held_until = CASE WHEN waits THEN 'infinity' ELSE h.held_before END
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status = 'active' AND h.attempt_id = attempt
        RETURNING h.id, h.seat_id, h.held_until
    ), seated AS (
        UPDATE event_seats s SET held_until = t.held_until, version = s.version + 1
        FROM thawing t
        WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = t.seat_id AND s.hold_id = t.id
    )
    SELECT count(*) INTO thawed FROM thawing;
    PERFORM app.follow_places(org, show, ids);
    RETURN thawed;
END $$;
