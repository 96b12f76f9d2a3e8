-- The third step of a purchase, after the payment: updates holds, pools, orders and checkouts. Each order is sold whole
-- or not at all. Outcome `sold`: a row for each of its holds. Otherwise one row with the reason. `settled`: was settled
-- before. `stopped`: the event is cancelled or over. `gone`: not all is still frozen for this payment. A `counted` row
-- belongs to no order: it has the new counts of a zone. A reserved seat's own row is updated with its ticket
-- (tickets/actions.py).
--
-- Lock order: event, checkouts, orders, pools, seats, holds, and each kind by id, so that two batches cannot deadlock.
CREATE OR REPLACE FUNCTION app.settle_orders(
    org uuid, show uuid, settled uuid[], attempts uuid[], actor_types text[], actor_ids uuid[], actor_names text[])
RETURNS TABLE (order_id uuid, outcome text, hold_id uuid, user_id uuid, seat_id uuid, quantity integer, zone_id uuid,
               ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer, held integer,
               sold integer)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    stopped boolean;
    whole uuid[] := '{}';   -- the orders that can be sold
    by_day uuid[] := array(SELECT t.id FROM ticket_types t
                           WHERE t.organization_id = org AND t.event_id = show AND t.by_day);
BEGIN
    SELECT e.status NOT IN ('published', 'live', 'postponed') INTO stopped
    FROM events e WHERE e.organization_id = org AND e.id = show FOR SHARE;
    PERFORM FROM checkout_sessions s
    WHERE s.organization_id = org
      AND s.id IN (SELECT o.session_id FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled))
    ORDER BY s.id FOR UPDATE;
    PERFORM FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled) ORDER BY o.id FOR UPDATE;
    IF NOT stopped THEN
        whole := array(SELECT o.id FROM orders o
                       WHERE o.organization_id = org AND o.id = ANY (settled) AND o.paid_at IS NULL);
    END IF;
    IF whole <> '{}' THEN
        PERFORM FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND (p.kind, p.ref_id) IN (
            SELECT 'event', show
            UNION ALL SELECT k.kind, k.ref_id
                      FROM order_lines l JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id
                      CROSS JOIN LATERAL (VALUES ('ticket_type', l.ticket_type_id), ('ticket_type', h.ticket_type_id),
                                                 ('zone', h.zone_id)) AS k (kind, ref_id)
                      WHERE l.organization_id = org AND l.order_id = ANY (whole))
        ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
        PERFORM app.lock_held_seats(org, show, array(
            SELECT l.hold_id FROM order_lines l WHERE l.organization_id = org AND l.order_id = ANY (whole)));
        whole := array(
            SELECT w.id FROM unnest(settled, attempts) AS w (id, attempt)
            WHERE w.id = ANY (whole) AND NOT EXISTS (
                SELECT FROM order_lines l
                LEFT JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id AND h.event_id = show
                                      AND h.status = 'active' AND h.attempt_id = w.attempt
                WHERE l.organization_id = org AND l.order_id = w.id AND h.id IS NULL));
    END IF;
    RETURN QUERY
    SELECT o.id, CASE WHEN o.paid_at IS NOT NULL THEN 'settled' WHEN stopped THEN 'stopped' ELSE 'gone' END,
           NULL::uuid, NULL::uuid, NULL::uuid, 0, NULL::uuid, NULL::uuid, NULL::timestamptz, NULL::double precision,
           NULL::integer, NULL::integer, NULL::integer
    FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled) AND o.id <> ALL (whole);
    IF whole = '{}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH paid AS MATERIALIZED (
        SELECT p.* FROM unnest(settled, attempts, actor_types, actor_ids, actor_names)
                        AS p (order_id, attempt_id, actor_type, actor_id, actor_name)
        WHERE p.order_id = ANY (whole)
    ), converted AS (
        UPDATE seat_holds h SET status = 'converted', updated_at = clock
        FROM (SELECT DISTINCT l.hold_id, l.order_id FROM order_lines l
              WHERE l.organization_id = org AND l.order_id = ANY (whole)) AS l
        WHERE h.organization_id = org AND h.id = l.hold_id
        RETURNING h.id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_before, h.created_at,
                  l.order_id
    ), moved AS (
        -- A held seat is not counted in its zone's pool: its own row is the count.
        -- A standing spot counts as held on the days of the type it is held as, and as sold on the days of the type it
        -- is sold as.
        SELECT k.kind, k.ref_id, k.day_type, sum(k.held)::integer AS held, sum(k.sold)::integer AS sold
        FROM (SELECT p.kind, p.ref_id, d.id AS day_type, p.held * c.quantity AS held, 0 AS sold
              FROM converted c LEFT JOIN unnest(by_day) d (id) ON d.id = c.ticket_type_id
              CROSS JOIN LATERAL (VALUES
                  ('event', show, 1), ('zone', c.zone_id, CASE WHEN c.seat_id IS NULL THEN 1 ELSE 0 END)
              ) AS p (kind, ref_id, held)
              UNION ALL
              SELECT p.kind, p.ref_id, d.id, 0, l.quantity
              FROM order_lines l JOIN converted c ON c.id = l.hold_id
              LEFT JOIN unnest(by_day) d (id) ON d.id = l.ticket_type_id
              CROSS JOIN LATERAL (VALUES ('event', show), ('zone', c.zone_id)) p (kind, ref_id)
              WHERE l.organization_id = org AND l.order_id = ANY (whole)
              UNION ALL
              SELECT 'ticket_type', c.ticket_type_id, NULL, c.quantity, c.quantity FROM converted c
              UNION ALL
              SELECT 'ticket_type', l.ticket_type_id, NULL, l.quantity, l.quantity   -- what the checkout had counted
              FROM order_lines l WHERE l.organization_id = org AND l.order_id = ANY (whole) AND l.counted) k
        WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3
    ), counted_by_day AS (
        -- Only where the pool exists: an event without a limit has none.
        INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, sold)
        SELECT org, show, m.kind, m.ref_id, m.day_type, m.sold FROM moved m
        WHERE m.day_type IS NOT NULL AND EXISTS (
            SELECT FROM pools l WHERE l.organization_id = org AND l.event_id = show AND l.kind = m.kind
            AND l.ref_id = m.ref_id)
        ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
        SET sold = p.sold + excluded.sold, held = p.held - (
            SELECT m.held FROM moved m WHERE (m.kind, m.ref_id, m.day_type) = (p.kind, p.ref_id, p.ticket_type_id))
    ), counted AS (
        UPDATE pools p SET held = p.held - m.held, sold = p.sold + m.sold FROM moved m
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = m.kind AND p.ref_id = m.ref_id
          AND m.day_type IS NULL
        RETURNING p.kind, p.ref_id, p.held, p.sold, p.version
    ), completed AS (
        UPDATE orders o SET status = 'paid', paid_at = clock, updated_at = clock, consent_by = NULL
        WHERE o.organization_id = org AND o.id = ANY (whole)
        RETURNING o.session_id
    ), closed AS (
        UPDATE checkout_sessions s SET status = 'completed', updated_at = clock FROM completed o
        WHERE s.organization_id = org AND s.id = o.session_id AND s.status IN ('open', 'paying')
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, after)
        SELECT gen_random_uuid(), org, clock, p.actor_type, p.actor_id, p.actor_name, 'hold.converted', 'seat_hold',
               c.id, jsonb_strip_nulls(jsonb_build_object('event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'quantity', c.quantity, 'attempt_id', p.attempt_id))
        FROM converted c JOIN paid p ON p.order_id = c.order_id
        UNION ALL
        SELECT gen_random_uuid(), org, clock, p.actor_type, p.actor_id, p.actor_name, 'order.paid', 'order',
               p.order_id, jsonb_build_object('event_id', show, 'attempt_id', p.attempt_id)
        FROM paid p
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.converted', c.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', c.id, 'event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'ticket_type_id', c.ticket_type_id, 'quantity', c.quantity, 'user_id', c.user_id))
        FROM converted c
    )
    SELECT c.order_id, 'sold', c.id, c.user_id, c.seat_id, c.quantity, c.zone_id, c.ticket_type_id, c.held_before,
           extract(epoch FROM clock - c.created_at)::double precision, NULL::integer, NULL::integer, NULL::integer
    FROM converted c
    UNION ALL
    SELECT NULL, 'counted', NULL, NULL, NULL, 0, n.ref_id, NULL, NULL, NULL, n.version, n.held, n.sold
    FROM counted n WHERE n.kind = 'zone' AND by_day = '{}';
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT NULL::uuid, 'counted', NULL::uuid, NULL::uuid, NULL::uuid, 0, z.zone_id, NULL::uuid,
                            NULL::timestamptz, NULL::double precision, z.version, z.held, z.sold
        FROM app.zones_counted(org, NULL, ARRAY[show], array(
                 SELECT h.zone_id FROM order_lines l JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id
                 WHERE l.organization_id = org AND l.order_id = ANY (whole))) z;
    END IF;
END $$;
