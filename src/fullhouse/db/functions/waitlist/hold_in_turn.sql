-- `app.hold` for customers: if an event has waiting entries, they are served before the request. The locks are taken
-- first, so that nothing that is requested can come free unnoticed.
CREATE OR REPLACE FUNCTION app.hold_in_turn(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz, user_id uuid, seat_id uuid, kind text, ref_id uuid,
               quantity integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    waited uuid[];
    show uuid;
    place app.whereabouts;
BEGIN
    PERFORM set_config('app.org', org::text, true);
    waited := array(
        SELECT s.id FROM (SELECT DISTINCT event_id AS id FROM unnest(lines)) s
        WHERE EXISTS (SELECT FROM waitlist_entries e WHERE e.organization_id = org AND e.event_id = s.id
                      AND e.status = 'waiting')
        ORDER BY s.id);
    IF waited <> '{}' THEN
        PERFORM FROM events e WHERE e.organization_id = org AND e.id IN (SELECT event_id FROM unnest(lines))
        ORDER BY e.id FOR SHARE;
        PERFORM FROM waitlists w WHERE w.organization_id = org AND w.event_id = ANY (waited)
        ORDER BY w.event_id FOR UPDATE;
        PERFORM FROM pools p WHERE p.organization_id = org AND p.event_id = ANY (waited)
        ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
        PERFORM FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = ANY (waited)
          AND s.seat_id IN (SELECT seat_id FROM unnest(lines))
        ORDER BY s.event_id, s.seat_id FOR UPDATE;
        FOREACH show IN ARRAY waited LOOP
            -- Null if everything requested is taken: then nobody needs to be served.
            place := app.asked_for(org, show, lines);
            IF place.anywhere IS NOT NULL THEN
                RETURN QUERY
                SELECT o.req, o.line, o.outcome, o.hold_id, o.held_until, o.left_s, o.event_id, o.ordinal, o.zone_id,
                       o.version, o.held, o.sold, NULL::text, NULL::timestamptz, o.user_id, o.seat_id, o.kind, o.ref_id,
                       o.quantity
                FROM app.offer_places(org, show, sender, place.zones, place.near) o;
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY
    SELECT h.*, NULL::uuid, NULL::uuid, NULL::text, NULL::uuid, NULL::integer FROM app.hold(org, sender, lines) h;
END $$;
