-- Updates the sale columns of the public projection. Returns whether they changed.
CREATE OR REPLACE FUNCTION app.follow_stock(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- Serialised by this lock: a result computed from an older snapshot must not overwrite a newer one.
    PERFORM FROM public_events p WHERE p.organization_id = org AND p.event_id = event FOR UPDATE;
    UPDATE public_events p
    SET sale_start_at = s.opens_at, sale_end_at = s.closes_at, has_tickets = s.has_tickets, sold_out = s.sold_out,
        selling = s.selling
    FROM app.stock(org, event) s
    WHERE p.organization_id = org AND p.event_id = event
      AND (p.sale_start_at, p.sale_end_at, p.has_tickets, p.sold_out, p.selling)
          IS DISTINCT FROM (s.opens_at, s.closes_at, s.has_tickets, s.sold_out, s.selling);
    RETURN FOUND;
END $$;
