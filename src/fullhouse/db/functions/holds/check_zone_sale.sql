-- Why a zone is not on sale now to a buyer with this code; null if at least one ticket type sells it. Only sold tickets
-- make a type sold out: what is held may become free again. An event without ticket types has no such limits: its seats
-- can be held as in the reserve workflow.
CREATE OR REPLACE FUNCTION app.check_zone_sale(org uuid, event uuid, zone uuid, is_seated boolean, code text, at timestamptz)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT EXISTS (SELECT FROM ticket_types a WHERE a.organization_id = org AND a.event_id = event) THEN NULL
                WHEN count(t.id) = 0 THEN 'ticket_type_not_on_sale'
                WHEN bool_and(coalesce(p.sold >= p.capacity, false)) THEN 'ticket_type_sold_out' END
    FROM event_zones z
    LEFT JOIN ticket_types t ON t.organization_id = org AND t.event_id = event
        AND (t.kind = 'seated') = is_seated AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
        AND coalesce(t.sale_start_at <= at, true) AND coalesce(at <= t.sale_end_at, true)
        AND (NOT t.hidden OR EXISTS (
            SELECT FROM promo_codes c WHERE c.organization_id = org AND c.event_id = event AND c.code = check_zone_sale.code
            AND t.id = ANY (c.ticket_type_ids) AND c.active
            AND coalesce(c.valid_from <= at, true) AND coalesce(at < c.valid_until, true)))
    LEFT JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'ticket_type' AND p.ref_id = t.id
    WHERE z.organization_id = org AND z.event_id = event AND z.zone_id = zone
    HAVING count(z.zone_id) > 0
$$;
