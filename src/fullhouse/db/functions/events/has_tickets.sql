-- Whether a ticket of this type is left: by its own quantity, by the event's limit on its days, and by the places that
-- it covers.
CREATE OR REPLACE FUNCTION app.has_tickets(org uuid, event uuid, t ticket_types) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event
                       AND p.kind = 'ticket_type' AND p.ref_id = t.id AND p.sold >= p.capacity)
       AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
       AND app.has_places(org, event, t)
$$;
