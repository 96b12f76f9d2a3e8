-- The sale windows of all public ticket types with tickets left, within the event's own window. Both ends are
-- inclusive.
CREATE OR REPLACE FUNCTION app.selling(org uuid, event uuid) RETURNS tstzmultirange LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN app.is_full(org, event) THEN '{}' ELSE coalesce((
        SELECT range_agg(tstzrange(w.opens_at, w.closes_at, '[]')) FILTER (WHERE w.opens_at <= w.closes_at)
        FROM ticket_types t
        JOIN events e ON e.organization_id = org AND e.id = event
        CROSS JOIN LATERAL (SELECT greatest(t.sale_start_at, e.sale_start_at) AS opens_at,
                                   least(t.sale_end_at, e.sale_end_at) AS closes_at) w
        WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
          AND app.has_tickets(org, event, t)), '{}') END;
END $$;
