-- Places that are counted.

-- name: counted
-- A counter moves together with the status of the hold that it counts, so overdue holds count until they are swept.
-- Pools of types count what checkouts have of them, too, and proposals whose checkout is over. What is sold has a
-- ticket, wherever there is a type that tickets could be of.
SELECT format('pool %s %s of event %s counts %s held where holds have %s', p.kind, p.ref_id, p.event_id, p.held,
              coalesce(h.quantity, 0) + coalesce(c.quantity, 0))
FROM pools p
LEFT JOIN (
    SELECT organization_id, event_id, k.kind, k.ref_id, sum(quantity) AS quantity
    FROM seat_holds CROSS JOIN LATERAL (VALUES
        ('event', event_id), ('zone', CASE WHEN seat_id IS NULL THEN zone_id END), ('ticket_type', ticket_type_id)
    ) AS k (kind, ref_id)
    WHERE status IN ('active', 'suspended') AND k.ref_id IS NOT NULL
    GROUP BY 1, 2, 3, 4
) h USING (organization_id, event_id, kind, ref_id)
LEFT JOIN (
    SELECT organization_id, event_id, 'ticket_type' AS kind, ref_id, sum(quantity) AS quantity
    FROM (SELECT s.organization_id, s.event_id, i.ticket_type_id AS ref_id, i.quantity
          FROM checkout_sessions s
          JOIN checkout_items i ON i.organization_id = s.organization_id AND i.session_id = s.id AND i.counted
          WHERE s.status IN ('open', 'paying')
          UNION ALL
          SELECT o.organization_id, o.event_id, l.ticket_type_id, l.quantity
          FROM orders o
          JOIN checkout_sessions s ON s.organization_id = o.organization_id AND s.id = o.session_id
          JOIN order_lines l ON l.organization_id = o.organization_id AND l.order_id = o.id AND l.counted
          WHERE o.status = 'needs_consent' AND s.status NOT IN ('open', 'paying')) counted
    GROUP BY 1, 2, 4
) c USING (organization_id, event_id, kind, ref_id)
WHERE p.held <> coalesce(h.quantity, 0) + coalesce(c.quantity, 0)
UNION ALL
SELECT format('pool %s %s of event %s counts %s sold where there are %s tickets', p.kind, p.ref_id, p.event_id,
              p.sold, coalesce(t.tickets, 0))
FROM pools p
LEFT JOIN (
    SELECT organization_id, event_id, k.kind, k.ref_id, count(*) AS tickets
    FROM tickets CROSS JOIN LATERAL (VALUES
        ('event', event_id), ('zone', zone_id), ('ticket_type', ticket_type_id)) AS k (kind, ref_id)
    WHERE status IN ('valid', 'used') AND k.ref_id IS NOT NULL
    GROUP BY 1, 2, 3, 4
) t USING (organization_id, event_id, kind, ref_id)
WHERE p.sold <> coalesce(t.tickets, 0)
  AND EXISTS (SELECT FROM ticket_types y WHERE y.organization_id = p.organization_id AND y.event_id = p.event_id)
UNION ALL
SELECT format('pool %s %s of event %s has %s held and %s sold of %s', kind, ref_id, event_id, held, sold, capacity)
FROM pools WHERE held + sold > capacity OR held < 0 OR sold < 0
UNION ALL
SELECT format('hold %s has places in a pool that event %s does not have', h.id, h.event_id)
FROM seat_holds h
WHERE h.seat_id IS NULL AND h.status IN ('active', 'suspended') AND NOT EXISTS (
    SELECT FROM pools p WHERE p.organization_id = h.organization_id AND p.event_id = h.event_id
    AND p.ref_id = coalesce(h.zone_id, h.ticket_type_id));
