-- Companion seats are kept for whoever has their wheelchair place, however such a seat became free again.

-- Whether a show keeps them at all: event, else organisation, else platform (`merged` in seating/policy.py).
CREATE FUNCTION app.keeps_companions(org uuid, show uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        CASE WHEN ('enforce_accessibility_rules' = ANY (p.mandatory)) IS NOT TRUE
             THEN (l.policy ->> 'enforce_accessibility_rules')::boolean END,
        (p.values ->> 'enforce_accessibility_rules')::boolean, true)
    FROM (SELECT) AS one
    LEFT JOIN seating_policies p ON p.organization_id = org
    LEFT JOIN event_layouts l ON l.organization_id = org AND l.event_id = show
$$;

-- A sold place finds its buyer by this.
CREATE INDEX seat_holds_sold ON seat_holds (organization_id, event_id, seat_id)
    WHERE status = 'converted' AND seat_id IS NOT NULL;

-- For whom the companions of a wheelchair place are kept, and until when: for its holder as long as the hold, for its
-- buyer until the zone releases them. No row: they are seats like all others. `gone` are holds that end meanwhile.
CREATE FUNCTION app.keeper_of_companions(org uuid, show uuid, place uuid, gone uuid[] DEFAULT '{}')
RETURNS TABLE (user_id uuid, until timestamptz) LANGUAGE sql STABLE AS $$
    SELECT k.user_id, k.until
    FROM (SELECT CASE w.status
                     WHEN 'held' THEN (SELECT h.user_id FROM seat_holds h
                                       WHERE h.organization_id = org AND h.id = w.hold_id)
                     ELSE (SELECT h.user_id FROM seat_holds h
                           WHERE h.organization_id = org AND h.event_id = show AND h.seat_id = place
                             AND h.status = 'converted' ORDER BY h.updated_at DESC LIMIT 1) END AS user_id,
                 CASE w.status WHEN 'held' THEN w.held_until ELSE 'infinity' END AS until
          FROM event_seats w
          JOIN event_zones z ON z.organization_id = org AND z.event_id = show AND z.zone_id = w.zone_id
          WHERE w.organization_id = org AND w.event_id = show AND w.seat_id = place AND NOT z.companions_released
            AND (w.status = 'sold'
                 OR w.status = 'held' AND w.held_until > app.clock() AND w.hold_id <> ALL (gone))) k
    WHERE k.user_id IS NOT NULL AND app.keeps_companions(org, show)
$$;

-- For whoever sells wheelchair places or takes them back, right after that, with places and companions locked: their
-- companions are kept, or free, as the places say now. Returns the seats that were changed, and whether they are kept.
CREATE FUNCTION app.keep_companions(org uuid, show uuid, places uuid[])
RETURNS TABLE (ordinal integer, version integer, kept boolean) LANGUAGE sql AS $$
    UPDATE event_seats s SET reserved_for = k.user_id, reserved_until = k.until, version = s.version + 1
    FROM (SELECT c.seat_id, k.user_id, k.until
          FROM event_seats c
          LEFT JOIN LATERAL app.keeper_of_companions(org, show, c.companion_of) k ON true
          WHERE c.organization_id = org AND c.event_id = show AND c.companion_of = ANY (places)) k
    WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = k.seat_id
      AND (s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
      AND (s.reserved_for, s.reserved_until) IS DISTINCT FROM (k.user_id, k.until)
    RETURNING s.ordinal, s.version, s.reserved_for IS NOT NULL
$$;

-- As in 0009, and: a seat that accompanies a place which somebody has is kept for them. Its hold's row then has no
-- `ordinal` but `kept`. Places and companions are locked together with the seats that end, in the same order.
DROP FUNCTION app.end_holds;
CREATE FUNCTION app.end_holds(
    org uuid, ids uuid[], ending text, overdue_only boolean, actor_type text, actor_id uuid, actor_name text,
    why text, ip text, user_agent text, request_id text)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, quantity integer, ordinal integer,
               zone_id uuid, ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer,
               held integer, sold integer, kept integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
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
        SELECT e.event_id, 'zone' AS kind, e.zone_id AS ref_id, sum(e.quantity) AS quantity
        FROM ended e WHERE e.seat_id IS NULL AND e.zone_id IS NOT NULL GROUP BY 1, 3
        UNION ALL SELECT e.event_id, 'ticket_type', e.ticket_type_id, sum(e.quantity)
        FROM ended e WHERE e.ticket_type_id IS NOT NULL GROUP BY 1, 3
        UNION ALL SELECT e.event_id, 'event', e.event_id, sum(e.quantity) FROM ended e GROUP BY 1
    ), counted AS (
        UPDATE pools p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, after, reason, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, actor_type, actor_id, actor_name, 'hold.' || ending, 'seat_hold', e.id,
               jsonb_strip_nulls(jsonb_build_object('event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'quantity', e.quantity)), why, ip, user_agent, request_id
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
    FROM counted c WHERE c.kind = 'zone';
END $$;
