-- For a late payment whose holds are no longer frozen for it: freezes the buyer's holds again if they are still live,
-- otherwise holds the same seats and spots again if they are free. All of them or none.
CREATE OR REPLACE FUNCTION app.hold_again(org uuid, late uuid, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    known orders;
    counts boolean;   -- the checkout has released what it had counted of the types
    holds uuid[];
    basket uuid := gen_random_uuid();
    broken text;
BEGIN
    SELECT o.* INTO known FROM orders o WHERE o.organization_id = org AND o.id = late;
    SELECT s.status NOT IN ('open', 'paying') INTO counts FROM checkout_sessions s
    WHERE s.organization_id = org AND s.id = known.session_id;
    SELECT array_agg(DISTINCT l.hold_id) INTO holds
    FROM order_lines l WHERE l.organization_id = org AND l.order_id = late;
    PERFORM FROM pools p
    WHERE p.organization_id = org AND p.event_id = known.event_id AND (p.kind, p.ref_id) IN (
        SELECT k.kind, k.ref_id FROM order_lines l CROSS JOIN LATERAL (VALUES
            ('event', known.event_id), ('ticket_type', l.ticket_type_id), ('zone', l.zone_id)) AS k (kind, ref_id)
        WHERE l.organization_id = org AND l.order_id = late)
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    IF counts AND EXISTS (
        SELECT FROM order_lines l
        JOIN pools p ON p.organization_id = org AND p.event_id = known.event_id AND p.kind = 'ticket_type'
                    AND p.ref_id = l.ticket_type_id
        WHERE l.organization_id = org AND l.order_id = late AND l.counted
        GROUP BY p.ref_id, p.capacity, p.held, p.sold HAVING sum(l.quantity) > p.capacity - p.held - p.sold) THEN
        RETURN false;
    END IF;
    IF NOT app.freeze_holds(org, known.event_id, known.user_id, holds, attempt) THEN
      BEGIN
        -- Some holds may still be the buyer's: those not frozen for another payment are ended, so that their seats can
        -- be held again. If that is not enough, this block is rolled back.
        PERFORM FROM app.end_holds(org, array(
            SELECT h.id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (holds)
            AND h.user_id = known.user_id AND h.status IN ('active', 'suspended') AND h.attempt_id IS NULL),
            'cancelled', false, 'system', NULL, 'payments', 'paid late', NULL, NULL, NULL);
        PERFORM FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = known.event_id AND s.seat_id IN (
            SELECT l.seat_id FROM order_lines l WHERE l.organization_id = org AND l.order_id = late
            UNION ALL SELECT c.seat_id FROM order_lines l
            JOIN event_seats c ON c.organization_id = org AND c.event_id = known.event_id AND c.companion_of = l.seat_id
            WHERE l.organization_id = org AND l.order_id = late)
        ORDER BY s.seat_id FOR UPDATE;
        IF EXISTS (SELECT FROM order_lines l
                   LEFT JOIN event_seats s ON s.organization_id = org AND s.event_id = known.event_id
                                          AND s.seat_id = l.seat_id
                   WHERE l.organization_id = org AND l.order_id = late AND l.seat_id IS NOT NULL
                     AND (s.status IS DISTINCT FROM 'available'
                          OR s.reserved_until > clock AND s.reserved_for <> known.user_id))
           OR EXISTS (
               -- `must`: without a pool there is none to hold. Counts by day are checked by the table's constraint.
               SELECT FROM (SELECT k.kind, k.ref_id, k.must,
                                   bool_and(k.kind <> 'ticket_type' AND NOT l.counted
                                            AND app.counts_by_day(org, l.ticket_type_id)) AS by_day,
                                   sum(l.quantity) AS quantity
                            FROM order_lines l CROSS JOIN LATERAL (VALUES
                                ('event', known.event_id, false),
                                ('zone', CASE WHEN l.seat_id IS NULL THEN l.zone_id END, true),
                                ('ticket_type', CASE WHEN NOT l.counted THEN l.ticket_type_id END, l.zone_id IS NULL)
                            ) AS k (kind, ref_id, must)
                            WHERE l.organization_id = org AND l.order_id = late AND k.ref_id IS NOT NULL
                            GROUP BY 1, 2, 3) w
               LEFT JOIN pools p ON p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind
                                AND p.ref_id = w.ref_id
               WHERE p.capacity - p.held - p.sold - CASE WHEN w.by_day THEN 0 ELSE p.day_peak END < w.quantity
                  OR p.ref_id IS NULL AND w.must) THEN
            RAISE EXCEPTION 'the places are gone' USING ERRCODE = 'FH001';
        END IF;
        UPDATE order_lines l SET hold_id = fresh.id
        FROM (SELECT o.hold_id, gen_random_uuid() AS id FROM order_lines o
              WHERE o.organization_id = org AND o.order_id = late GROUP BY 1) fresh
        WHERE l.organization_id = org AND l.order_id = late AND l.hold_id = fresh.hold_id;
        WITH held AS (
            INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                    quantity, held_until, source, attempt_id, frozen_at, held_before, created_at,
                                    updated_at)
            SELECT l.hold_id, org, known.event_id, basket, known.user_id, min(l.seat_id::text)::uuid,
                   min(l.zone_id::text)::uuid, min(CASE WHEN NOT l.counted THEN l.ticket_type_id::text END)::uuid,
                   sum(l.quantity), 'infinity', 'web', attempt, clock, clock, clock, clock
            FROM order_lines l WHERE l.organization_id = org AND l.order_id = late GROUP BY l.hold_id
            RETURNING id, seat_id, zone_id, ticket_type_id, quantity
        ), seated AS (
            UPDATE event_seats s SET status = 'held', held_until = 'infinity', hold_id = h.id, reserved_for = NULL,
                                     reserved_until = NULL, version = s.version + 1
            FROM held h WHERE s.organization_id = org AND s.event_id = known.event_id AND s.seat_id = h.seat_id
        ), wanted AS (
            SELECT k.kind, k.ref_id, k.day_type, sum(h.quantity) AS quantity
            FROM held h
            CROSS JOIN LATERAL (SELECT CASE WHEN app.counts_by_day(org, h.ticket_type_id)
                                            THEN h.ticket_type_id END AS day_type) d
            CROSS JOIN LATERAL (VALUES
                ('event', known.event_id, d.day_type), ('ticket_type', h.ticket_type_id, NULL),
                ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END, d.day_type)) AS k (kind, ref_id, day_type)
            JOIN pools p ON p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (known.event_id, k.kind, k.ref_id)
            GROUP BY 1, 2, 3
        ), counted_by_day AS (
            INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, held)
            SELECT org, known.event_id, w.kind, w.ref_id, w.day_type, w.quantity FROM wanted w
            WHERE w.day_type IS NOT NULL
            ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
            SET held = p.held + excluded.held
        ), counted AS (
            UPDATE pools p SET held = p.held + w.quantity FROM wanted w
            WHERE p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind AND p.ref_id = w.ref_id
              AND w.day_type IS NULL
        ), audited AS (
            INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_name, action, entity_type,
                                   entity_id, after, reason)
            SELECT gen_random_uuid(), org, clock, 'system', 'payments', 'seat_reserved', 'seat_hold', h.id,
                   jsonb_strip_nulls(jsonb_build_object('event_id', known.event_id, 'seat_id', h.seat_id,
                       'zone_id', h.zone_id, 'quantity', h.quantity)), 'paid late'
            FROM held h
        )
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.placed', h.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', h.id, 'event_id', known.event_id, 'seat_id', h.seat_id, 'zone_id', h.zone_id,
                   'ticket_type_id', h.ticket_type_id, 'quantity', h.quantity, 'user_id', known.user_id,
                   'basket_id', basket, 'held_until', clock))
        FROM held h;
      EXCEPTION
        WHEN SQLSTATE 'FH001' THEN
            RETURN false;
        WHEN check_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            IF broken <> 'pools_never_oversold' THEN
                RAISE;
            END IF;
            RETURN false;
      END;
    END IF;
    IF counts THEN
        UPDATE pools p SET held = p.held + w.quantity
        FROM (SELECT l.ticket_type_id, sum(l.quantity) AS quantity FROM order_lines l
              WHERE l.organization_id = org AND l.order_id = late AND l.counted GROUP BY 1) w
        WHERE p.organization_id = org AND p.event_id = known.event_id AND p.kind = 'ticket_type'
          AND p.ref_id = w.ticket_type_id;
    END IF;
    UPDATE orders o SET status = 'pending', reason = NULL, updated_at = clock
    WHERE o.organization_id = org AND o.id = late AND o.status = 'cancelled';
    RETURN true;
END $$;
