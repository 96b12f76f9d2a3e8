-- The last step of `app.hold`: returns a row for each line, and audits refusals.
CREATE OR REPLACE FUNCTION app.answer_hold(org uuid, judged app.hold_judgement[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    RETURN QUERY
    WITH refused AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               after, ip, user_agent, request_id)
        SELECT hold_id, org, clock, 'user', user_id, 'seat_reserve_failed', 'event', event_id,
               jsonb_strip_nulls(jsonb_build_object('seat_id', seat_id, 'zone_id', zone_id, 'reason', outcome)), ip,
               user_agent, request_id
        FROM unnest(judged)
        WHERE outcome NOT IN ('held', 'own', 'again', 'not_tried', 'repeated', 'event_not_found')
    )
    SELECT j.req, j.line, j.outcome, CASE j.outcome WHEN 'own' THEN j.old_hold WHEN 'held' THEN j.hold_id END, u.until,
           CASE WHEN u.until < 'infinity' THEN greatest(0, ceil(extract(epoch FROM u.until - clock)))::integer END,
           j.event_id, j.ordinal, j.zone_id, j.version, NULL::integer, NULL::integer,
           -- To others, a reserved companion seat looks blocked.
           CASE j.outcome WHEN 'seat_not_available' THEN CASE j.status WHEN 'sold' THEN 'sold' ELSE 'blocked' END END,
           CASE j.outcome WHEN 'own' THEN (SELECT h.created_at FROM seat_holds h WHERE h.organization_id = org
                                           AND h.id = j.old_hold)
                          WHEN 'held' THEN clock END
    FROM unnest(judged) j
    CROSS JOIN LATERAL (SELECT CASE WHEN j.outcome = 'held' OR j.outcome = 'seat_held_by_another_user'
                                         AND j.old_until IS NULL THEN j.held_until ELSE j.old_until END AS until) u
    ORDER BY 1, 2;
END $$;
