-- The lower of the event's and the venue's capacity; null if neither is set.
CREATE OR REPLACE FUNCTION app.event_limit(org uuid, event uuid) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT least(nullif(e.capacity, 0), nullif(v.max_capacity, 0))
    FROM events e LEFT JOIN venues v ON v.organization_id = e.organization_id AND v.id = e.venue_id
    WHERE e.organization_id = org AND e.id = event
$$;
