-- Whether a ticket of this type is left: of its own number, of the event's on its days, and of the places it is for.
CREATE OR REPLACE FUNCTION app.has_tickets(org uuid, event uuid, t ticket_types) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event
                       AND p.kind = 'ticket_type' AND p.ref_id = t.id AND p.sold >= p.capacity)
       AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
       AND app.has_places(org, event, t)
$$;
