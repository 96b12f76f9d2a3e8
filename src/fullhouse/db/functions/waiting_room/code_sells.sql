-- Whether this code (in its stored form) unlocks a ticket type that is on sale and has tickets left.
CREATE OR REPLACE FUNCTION app.code_sells(org uuid, event uuid, code text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT app.is_full(org, event) AND EXISTS (
        SELECT FROM promo_codes c
        JOIN ticket_types t ON t.organization_id = org AND t.event_id = event AND t.id = ANY (c.ticket_type_ids)
        WHERE c.organization_id = org AND c.event_id = event AND c.code = code_sells.code AND c.active
          AND coalesce(c.valid_from <= app.clock(), true) AND coalesce(app.clock() < c.valid_until, true)
          AND coalesce(c.uses < c.max_uses, true) AND coalesce(c.spent < c.budget, true)
          AND coalesce(t.sale_start_at <= app.clock(), true) AND coalesce(app.clock() <= t.sale_end_at, true)
          AND app.has_tickets(org, event, t))
$$;
