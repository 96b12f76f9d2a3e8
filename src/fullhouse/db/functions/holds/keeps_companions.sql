-- Whether an event reserves companion seats: the event's setting, else the organisation's, else the default (`merged`
-- in seating/policy.py).
CREATE OR REPLACE FUNCTION app.keeps_companions(org uuid, show uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        CASE WHEN ('enforce_accessibility_rules' = ANY (p.mandatory)) IS NOT TRUE
             THEN (l.policy ->> 'enforce_accessibility_rules')::boolean END,
        (p.values ->> 'enforce_accessibility_rules')::boolean, true)
    FROM (SELECT) AS one
    LEFT JOIN seating_policies p ON p.organization_id = org
    LEFT JOIN event_layouts l ON l.organization_id = org AND l.event_id = show
$$;
