-- Whether nothing is left, not even what is only held and may become free again: the event is full on each day that it
-- sells, or no public ticket type has any left. A type whose sale has ended has nothing left, however many were not
-- sold.
CREATE OR REPLACE FUNCTION app.is_sold_out(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF app.is_full(org, event) THEN
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden)
        AND NOT EXISTS (
            SELECT FROM ticket_types t
            LEFT JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'ticket_type'
                             AND p.ref_id = t.id
            WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
              AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
              AND (t.sale_end_at IS NULL OR t.sale_end_at > app.clock()) AND (p.ref_id IS NULL OR p.sold < p.capacity));
END $$;
