-- Updates the companion seats of these holds' wheelchair spaces. Most events have none: then it costs one query.
CREATE OR REPLACE FUNCTION app.follow_places(org uuid, show uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    places uuid[] := array(SELECT h.seat_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
                           AND EXISTS (SELECT FROM event_seats c WHERE c.organization_id = org AND c.event_id = show
                                       AND c.companion_of = h.seat_id));
BEGIN
    IF places <> '{}' THEN
        PERFORM FROM app.keep_companions(org, show, places);
    END IF;
END $$;
