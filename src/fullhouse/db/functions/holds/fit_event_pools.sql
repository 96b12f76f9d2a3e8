-- Creates, changes or deletes the pools of events according to their limits. The caller has locked the events' rows, so
-- that nothing is held meanwhile. A capacity below what is taken violates a constraint (pools_never_oversold).
CREATE OR REPLACE FUNCTION app.fit_event_pools(org uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pools p
    WHERE p.organization_id = org AND p.event_id = ANY (ids) AND p.kind = 'event'
      AND app.event_limit(org, p.event_id) IS NULL;
    UPDATE pools p
    SET capacity = CASE WHEN p.shrinks_to IS NULL THEN e.most ELSE greatest(e.most, p.held + p.sold + p.day_peak) END,
        shrinks_to = CASE WHEN p.shrinks_to IS NOT NULL AND p.held + p.sold + p.day_peak > e.most THEN e.most END
    FROM (SELECT i.id, app.event_limit(org, i.id) AS most FROM unnest(ids) i (id)) e
    WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event'
      AND coalesce(p.shrinks_to, p.capacity) <> e.most;
    WITH fresh AS (
        INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, held, sold)
        SELECT org, e.id, 'event', e.id, app.event_limit(org, e.id), t.held, t.sold
        FROM unnest(ids) e (id) CROSS JOIN LATERAL app.taken_places(org, e.id) t
        WHERE app.event_limit(org, e.id) IS NOT NULL
          AND NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event')
        RETURNING event_id
    )
    INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, held, sold)
    SELECT org, f.event_id, 'event', f.event_id, d.ticket_type_id, sum(d.held), sum(d.sold)
    FROM fresh f CROSS JOIN LATERAL app.taken_by_day(org, f.event_id) d GROUP BY f.event_id, d.ticket_type_id;
END $$;
