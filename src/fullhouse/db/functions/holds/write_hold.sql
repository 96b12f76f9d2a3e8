-- The third step of `app.hold`: writes the holds to seats, pools, holds, audit and outbox, and notifies other
-- processes. Returns what changed in addition to the requested seats: companion seats, and the counts of zones and
-- ticket types.
CREATE OR REPLACE FUNCTION app.write_hold(
    org uuid, sender text, judged app.hold_judgement[], capped uuid[], by_day uuid[])
RETURNS TABLE (outcome text, hold_id uuid, event_id uuid, ordinal integer, zone_id uuid, version integer, held integer,
               sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT j.*, jsonb_strip_nulls(to_jsonb(story)) AS story
        FROM unnest(judged) j
        CROSS JOIN LATERAL (SELECT 1 AS version, j.hold_id AS subject_id, j.event_id, j.seat_id, j.zone_id,
                                   j.ticket_type_id, j.quantity, j.user_id, j.basket_id, j.held_until, j.source,
                                   'active' AS status) story
        WHERE j.outcome = 'held'
    ), seated AS (
        UPDATE event_seats s SET status = 'held', held_until = g.held_until, hold_id = g.hold_id, reserved_for = NULL,
                                 reserved_until = NULL, version = s.version + 1
        FROM given g
        WHERE s.organization_id = org AND s.event_id = g.event_id AND s.seat_id = g.seat_id
        RETURNING s.event_id, s.ordinal, s.version
    ), accompanied AS (
        -- Companion seats are reserved for the holder of the wheelchair space, for as long.
        UPDATE event_seats s SET reserved_for = g.user_id, reserved_until = g.held_until, version = s.version + 1
        FROM given g
        WHERE g.keeps_companions AND s.organization_id = org AND s.event_id = g.event_id AND s.companion_of = g.seat_id
          AND NOT (SELECT companions_released FROM event_zones z WHERE z.organization_id = org
                   AND z.event_id = g.event_id AND z.zone_id = g.zone_id)
          AND (s.status = 'available' OR s.status = 'held' AND s.held_until <= clock)
          AND NOT EXISTS (SELECT FROM given o WHERE o.event_id = s.event_id AND o.seat_id = s.seat_id)
        RETURNING s.event_id, s.ordinal, s.version, g.hold_id
    ), filled AS (
        SELECT f.event_id, f.kind, f.ref_id, f.day_type, sum(f.quantity) AS quantity
        FROM (SELECT event_id, kind, ref_id, CASE kind WHEN 'zone' THEN day_type END AS day_type, quantity
              FROM given WHERE seat_id IS NULL
              UNION ALL SELECT event_id, 'ticket_type', ticket_type_id, NULL, quantity
                        FROM given WHERE ticket_type_id IS NOT NULL AND kind IS DISTINCT FROM 'ticket_type'
              UNION ALL SELECT event_id, 'event', event_id, day_type, quantity
                        FROM given WHERE event_id = ANY (capped)) f
        GROUP BY 1, 2, 3, 4
    ), counted_by_day AS (
        INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, held)
        SELECT org, f.event_id, f.kind, f.ref_id, f.day_type, f.quantity FROM filled f WHERE f.day_type IS NOT NULL
        ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
        SET held = p.held + excluded.held
    ), counted AS (
        UPDATE pools p SET held = p.held + f.quantity FROM filled f
        WHERE p.organization_id = org AND p.event_id = f.event_id AND p.kind = f.kind AND p.ref_id = f.ref_id
          AND f.day_type IS NULL
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version, p.capacity
    ), seen AS (
        SELECT * FROM counted
        WHERE kind = 'zone' AND event_id <> ALL (by_day)
           OR kind = 'ticket_type' AND capacity - held - sold <= 20   -- tickets/policy.py, FEW
    ), recorded AS (
        INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                quantity, held_until, source, network, keyed, created_at, updated_at)
        SELECT hold_id, org, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id, quantity, held_until,
               source, network, keyed, clock, clock
        FROM given
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               before, after, ip, user_agent, request_id)
        SELECT hold_id, org, clock, 'user', user_id, 'seat_reserved', 'seat_hold', hold_id,
               CASE WHEN seat_id IS NOT NULL THEN '{"status": "available"}'::jsonb END, story, ip, user_agent,
               request_id
        FROM given
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        -- For a seat, the reserve workflow's fields are added.
        SELECT hold_id, org, 'hold.placed', hold_id,
               CASE WHEN seat_id IS NULL THEN story
                    ELSE story || jsonb_build_object('type', 'SeatReserved', 'hold_id', hold_id,
                                                     'organization_id', org, 'timestamp', clock) END
        FROM given
    ), told AS MATERIALIZED (
        SELECT app.tell_shows(sender, coalesce(array_agg(json_build_array('seats:' || event_id, json_build_array(
                   coalesce(s.ordinals, '{}'), coalesce(s.states, '{}'), coalesce(s.versions, '{}'),
                   coalesce(p.counts, '[]'), org))), '{}'))
        FROM (SELECT event_id, array_agg(ordinal) AS ordinals, array_agg(state) AS states,
                     array_agg(version) AS versions
              FROM (SELECT event_id, ordinal, 1::smallint AS state, version FROM seated
                    UNION ALL SELECT event_id, ordinal, 4::smallint, version FROM accompanied) changed
              GROUP BY event_id) s
        FULL JOIN (SELECT event_id, json_agg(json_build_array(ref_id, held, sold, version)) AS counts
                   FROM seen GROUP BY event_id) p USING (event_id)
        WHERE sender IS NOT NULL
    )
    SELECT 'accompanied', hold_id, event_id, ordinal, NULL::uuid, version, NULL::integer, NULL::integer
    FROM accompanied WHERE (SELECT count(*) FROM told) >= 0
    UNION ALL
    SELECT 'counted', NULL, event_id, NULL, ref_id, version, held, sold FROM seen;

    -- Counts of zones by day follow in a second statement: the first one does not see its own changes.
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT 'counted', NULL::uuid, z.event_id, NULL::integer, z.zone_id, z.version, z.held, z.sold
        FROM app.zones_counted(org, sender, by_day, array(
                 SELECT j.ref_id FROM unnest(judged) j WHERE j.kind = 'zone' AND j.event_id = ANY (by_day))) z;
    END IF;
END $$;
