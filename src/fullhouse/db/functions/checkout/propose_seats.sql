-- If the same seats are gone: holds others in the same zone, of the same price and kind, side by side if possible (no
-- aisle between them), as near as possible. The order's lines then name the new seats, which are held until the buyer
-- answers. False: there are none. `begins` has the ordinals at which a chain of neighbours begins, `wholes` those of
-- seats that are sold only as a whole group; both come from the layout's map, not from a table. Where no chain is long
-- enough, the longest are used first. A wheelchair space is replaced only by another one, and its companion seat by one
-- that belongs to that. Standing spots of a zone are interchangeable: `app.hold_again` holds them again, if enough are
-- left, together with the seats.
CREATE OR REPLACE FUNCTION app.propose_seats(org uuid, late uuid, attempt uuid, until timestamptz, begins integer[], wholes integer[])
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    show uuid := (SELECT o.event_id FROM orders o WHERE o.organization_id = org AND o.id = late);
    party record;
    with_place boolean := EXISTS (
        SELECT FROM order_lines l JOIN seats s ON s.organization_id = org AND s.id = l.seat_id
        WHERE l.organization_id = org AND l.order_id = late AND s.category = 'wheelchair');
    companions integer := with_place::integer * (
        SELECT count(*) FROM order_lines l JOIN seats s ON s.organization_id = org AND s.id = l.seat_id
        WHERE l.organization_id = org AND l.order_id = late AND s.category = 'companion');
    found_seats uuid[];
BEGIN
    FOR party IN
        SELECT s.zone_id, s.price_category, kind, count(*) AS people, min(s.ordinal) AS near,
               array_agg(l.position ORDER BY s.ordinal) AS positions
        FROM order_lines l
        JOIN seats s ON s.organization_id = org AND s.id = l.seat_id,
             LATERAL (SELECT CASE WHEN s.category = 'wheelchair' OR s.category = 'companion' AND with_place THEN s.category
                                  ELSE 'any' END) AS k (kind)
        WHERE l.organization_id = org AND l.order_id = late
        GROUP BY 1, 2, 3 ORDER BY kind = 'companion', 1, 2, 3   -- companions last: they depend on the wheelchair spaces
    LOOP
        WITH free AS (
            -- A taken seat leaves a gap in the ordinals, so a chain is a run without a gap or a beginning inside.
            SELECT e.seat_id, e.ordinal, e.ordinal - row_number() OVER in_order AS gaps, count(b.n) OVER in_order AS run,
                   CASE WHEN party.kind = 'wheelchair' THEN (
                       SELECT least(count(*), companions) FROM event_seats c
                       WHERE c.organization_id = org AND c.event_id = show AND c.companion_of = e.seat_id
                         AND c.status = 'available' AND c.reserved_for IS NULL) END AS accompanied
            FROM event_seats e
            JOIN seats s ON s.organization_id = org AND s.id = e.seat_id
            LEFT JOIN (SELECT DISTINCT unnest(begins) AS n) b ON b.n = e.ordinal
            WHERE e.organization_id = org AND e.event_id = show AND e.zone_id = party.zone_id AND e.status = 'available'
              AND e.reserved_for IS NULL AND s.price_category IS NOT DISTINCT FROM party.price_category
              AND CASE party.kind
                  WHEN 'any' THEN s.category NOT IN ('wheelchair', 'companion', 'restricted_view')
                  WHEN 'wheelchair' THEN s.category = 'wheelchair'
                  ELSE e.companion_of IN (SELECT l.seat_id FROM order_lines l
                                          WHERE l.organization_id = org AND l.order_id = late) END
              AND NOT e.ordinal = ANY (wholes)
            WINDOW in_order AS (ORDER BY e.ordinal)
        ), chains AS (
            SELECT run, gaps, count(*) AS size, count(*) >= party.people AS together,
                   min(abs(ordinal - party.near)) AS away
            FROM free GROUP BY 1, 2
        )
        SELECT array_agg(seat_id ORDER BY ordinal) INTO found_seats
        FROM (SELECT f.seat_id, f.ordinal FROM free f JOIN chains c USING (run, gaps)
              ORDER BY f.accompanied DESC, c.together DESC, CASE WHEN NOT c.together THEN c.size END DESC, c.away, c.run, c.gaps,
                       abs(f.ordinal - party.near), f.ordinal
              LIMIT party.people) best;
        IF coalesce(cardinality(found_seats), 0) < party.people THEN
            RAISE EXCEPTION 'there are no others' USING ERRCODE = 'FH001';
        END IF;
        UPDATE order_lines l SET seat_id = other.seat_id
        FROM unnest(party.positions, found_seats) AS other (position, seat_id)
        WHERE l.organization_id = org AND l.order_id = late AND l.position = other.position;
    END LOOP;
    IF NOT app.hold_again(org, late, attempt) THEN
        RAISE EXCEPTION 'somebody was faster' USING ERRCODE = 'FH001';
    END IF;
    UPDATE orders o SET status = 'needs_consent', consent_by = until, updated_at = app.clock(),
                        reason = 'the places were gone when the money came'
    WHERE o.organization_id = org AND o.id = late;
    -- The quantities that the checkout had counted now belong to the proposal.
    UPDATE checkout_sessions s SET status = 'completed', updated_at = app.clock()
    FROM orders o
    WHERE o.organization_id = org AND o.id = late AND s.organization_id = org AND s.id = o.session_id
      AND s.status IN ('open', 'paying');
    RETURN true;
EXCEPTION WHEN SQLSTATE 'FH001' THEN
    RETURN false;
END $$;
