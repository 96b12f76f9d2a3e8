-- The public ticket types that sell such places to such a party now.
CREATE OR REPLACE FUNCTION app.types_selling(org uuid, show uuid, zone text, is_seated boolean, party integer) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    SELECT array(
        SELECT t.id FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND NOT t.hidden
          AND (t.kind = 'seated') = is_seated AND (t.zones = '{}' OR zone = ANY (t.zones))
          AND coalesce(t.sale_start_at, app.clock()) <= app.clock() AND coalesce(t.sale_end_at, app.clock()) >= app.clock()
          AND coalesce(t.max_per_order, party) >= party)
$$;
