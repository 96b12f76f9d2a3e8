-- Ends holds for any reason: expiry, release by the holder or staff, a cancelled event, a blocked seat. Frees what they
-- hold, if it is still theirs. Of two transactions that end or sell the same hold, one wins. The audit has the reserve
-- workflow's action for an expiry, and the status before and after.
-- The event is locked first, as by every statement that changes its pools: an edit of its capacity that creates the
-- event's pool (app.fit_event_pools) counts a hold either before it ends or not at all.
-- A companion seat of a wheelchair space that is still held stays reserved for that holder: the returned row then has
-- `kept` instead of `ordinal`. Wheelchair spaces and companion seats are locked together with the ended seats, in the
-- same order.
CREATE OR REPLACE FUNCTION app.end_holds(
    org uuid, ids uuid[], ending text, overdue_only boolean, actor_type text, actor_id uuid, actor_name text,
    why text, ip text, user_agent text, request_id text)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, quantity integer, ordinal integer,
               zone_id uuid, ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer,
               held integer, sold integer, kept integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    by_day uuid[];   -- events with ticket types that count by day
BEGIN
    PERFORM set_config('app.org', org::text, true);
    PERFORM FROM events e
    WHERE e.organization_id = org AND e.id IN (
        SELECT h.event_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY e.id FOR SHARE;
    by_day := array(
        SELECT DISTINCT t.event_id FROM seat_holds h
        JOIN ticket_types t ON t.organization_id = org AND t.event_id = h.event_id AND t.by_day
        WHERE h.organization_id = org AND h.id = ANY (ids));
    PERFORM FROM pools p
    WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) IN (
        SELECT h.event_id, k.kind, k.ref_id
        FROM seat_holds h CROSS JOIN LATERAL (VALUES
            ('event', h.event_id), ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END),
            ('ticket_type', h.ticket_type_id)) AS k (kind, ref_id)
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    PERFORM FROM event_seats s
    WHERE s.organization_id = org AND (s.event_id, s.seat_id) IN (
        SELECT h.event_id, n.seat_id
        FROM seat_holds h
        JOIN event_seats e ON e.organization_id = org AND (e.event_id, e.seat_id) = (h.event_id, h.seat_id)
        CROSS JOIN LATERAL (
            VALUES (e.seat_id), (e.companion_of)
            UNION ALL SELECT c.seat_id FROM event_seats c
            WHERE c.organization_id = org AND c.event_id = e.event_id AND c.companion_of = e.seat_id) AS n (seat_id)
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY s.event_id, s.seat_id FOR UPDATE;

    RETURN QUERY
    WITH ended AS (
        UPDATE seat_holds h SET status = ending, updated_at = clock
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status IN ('active', 'suspended')
          AND (NOT overdue_only OR h.held_until <= clock)
        RETURNING h.id, h.event_id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_until,
                  h.created_at
    ), freed AS (
        UPDATE event_seats s SET status = 'available', held_until = NULL, hold_id = NULL, version = s.version + 1,
                                 (reserved_for, reserved_until) = (
                                     SELECT k.user_id, k.until
                                     FROM app.keeper_of_companions(org, s.event_id, s.companion_of,
                                                               array(SELECT g.id FROM ended g)) k
                                     WHERE s.companion_of IS NOT NULL)
        FROM ended e
        WHERE s.organization_id = org AND s.event_id = e.event_id AND s.seat_id = e.seat_id AND s.status = 'held'
          AND s.hold_id = e.id
        RETURNING s.event_id, s.seat_id, s.ordinal, s.version, s.reserved_for IS NOT NULL AS kept
    ), unaccompanied AS (
        UPDATE event_seats s SET reserved_for = NULL, reserved_until = NULL, version = s.version + 1
        FROM ended e JOIN freed f USING (event_id, seat_id)
        WHERE s.organization_id = org AND s.event_id = e.event_id AND s.companion_of = e.seat_id
          AND s.reserved_for = e.user_id
          AND NOT EXISTS (SELECT FROM freed o WHERE o.event_id = s.event_id AND o.seat_id = s.seat_id)
        RETURNING s.event_id, s.ordinal, s.version
    ), places AS (
        SELECT e.event_id, k.kind, k.ref_id, k.day_type, sum(e.quantity) AS quantity
        FROM ended e
        CROSS JOIN LATERAL (SELECT CASE WHEN e.event_id = ANY (by_day) AND app.counts_by_day(org, e.ticket_type_id)
                                        THEN e.ticket_type_id END AS day_type) d
        CROSS JOIN LATERAL (VALUES
            ('event', e.event_id, d.day_type), ('ticket_type', e.ticket_type_id, NULL),
            ('zone', CASE WHEN e.seat_id IS NULL THEN e.zone_id END, d.day_type)) AS k (kind, ref_id, day_type)
        WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ), counted_by_day AS (
        UPDATE day_places p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
          AND p.ticket_type_id = l.day_type
    ), counted AS (
        UPDATE pools p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
          AND l.day_type IS NULL
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, before, after, reason, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, actor_type, actor_id, actor_name,
               CASE ending WHEN 'expired' THEN 'seat_hold_expired' ELSE 'hold.' || ending END, 'seat_hold', e.id,
               jsonb_build_object('status', CASE e.held_until WHEN 'infinity' THEN 'suspended' ELSE 'active' END),
               jsonb_strip_nulls(jsonb_build_object('event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'quantity', e.quantity, 'status', ending)), why, ip, user_agent, request_id
        FROM ended e
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.' || ending, e.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', e.id, 'event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'ticket_type_id', e.ticket_type_id, 'quantity', e.quantity, 'user_id', e.user_id, 'reason', why))
        FROM ended e
    )
    SELECT e.id, e.event_id, e.user_id, e.seat_id, e.quantity, CASE WHEN NOT f.kept THEN f.ordinal END, e.zone_id,
           e.ticket_type_id, e.held_until, extract(epoch FROM clock - e.created_at)::double precision, f.version,
           NULL::integer, NULL::integer, CASE WHEN f.kept THEN f.ordinal END
    FROM ended e LEFT JOIN freed f USING (event_id, seat_id)
    UNION ALL
    SELECT NULL, u.event_id, NULL, NULL, 0, u.ordinal, NULL, NULL, NULL, NULL, u.version, NULL, NULL, NULL
    FROM unaccompanied u
    UNION ALL
    SELECT NULL, c.event_id, NULL, NULL, 0, NULL, c.ref_id, NULL, NULL, NULL, c.version, c.held, c.sold, NULL
    FROM counted c WHERE c.kind = 'zone' AND c.event_id <> ALL (by_day);
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT NULL::uuid, z.event_id, NULL::uuid, NULL::uuid, 0, NULL::integer, z.zone_id, NULL::uuid,
                            NULL::timestamptz, NULL::double precision, z.version, z.held, z.sold, NULL::integer
        FROM app.zones_counted(org, NULL, by_day, array(
                 SELECT h.zone_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
                 AND h.seat_id IS NULL AND h.event_id = ANY (by_day))) z;
    END IF;
END $$;
