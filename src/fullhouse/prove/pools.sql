-- Counters of pools.

-- part: live_holds
(SELECT h.*, coalesce(y.by_day, false) AS by_day
 FROM seat_holds h
 LEFT JOIN ticket_types y ON y.organization_id = h.organization_id AND y.id = h.ticket_type_id
 WHERE h.status IN ('active', 'suspended')) live_holds

-- part: live_tickets
(SELECT t.*, y.by_day
 FROM tickets t JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
 WHERE t.status IN ('valid', 'used')) live_tickets

-- name: counted
-- A counter changes together with the status of a hold, so overdue holds count until they are swept. Pools of ticket types
-- also count the items of checkouts, and of proposals whose checkout has ended. Every sale has a ticket, in events that
-- have a ticket type.
SELECT format('pool %s %s of event %s counts %s held where holds have %s', p.kind, p.ref_id, p.event_id, p.held,
              coalesce(h.quantity, 0) + coalesce(c.quantity, 0))
FROM pools p
LEFT JOIN (
    SELECT organization_id, event_id, k.kind, k.ref_id, sum(quantity) AS quantity
    FROM {live_holds} CROSS JOIN LATERAL (VALUES
        ('event', CASE WHEN NOT by_day THEN event_id END),
        ('zone', CASE WHEN seat_id IS NULL AND NOT by_day THEN zone_id END), ('ticket_type', ticket_type_id)
    ) AS k (kind, ref_id)
    WHERE k.ref_id IS NOT NULL
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
    FROM {live_tickets} CROSS JOIN LATERAL (VALUES
        ('event', CASE WHEN NOT by_day THEN event_id END), ('zone', CASE WHEN NOT by_day THEN zone_id END),
        ('ticket_type', ticket_type_id)) AS k (kind, ref_id)
    WHERE k.ref_id IS NOT NULL
    GROUP BY 1, 2, 3, 4
) t USING (organization_id, event_id, kind, ref_id)
WHERE p.sold <> coalesce(t.tickets, 0)
  AND EXISTS (SELECT FROM ticket_types y WHERE y.organization_id = p.organization_id AND y.event_id = p.event_id)
UNION ALL
SELECT format('pool %s %s of event %s has %s held and %s sold of %s', kind, ref_id, event_id, held, sold, capacity)
FROM pools WHERE held + sold + day_peak > capacity OR held < 0 OR sold < 0
UNION ALL
SELECT format('pool %s %s of event %s counts %s held and %s sold of type %s where there are %s and %s', kind, ref_id,
              event_id, coalesce(d.held, 0), coalesce(d.sold, 0), ticket_type_id, coalesce(n.held, 0), coalesce(n.sold, 0))
FROM (SELECT n.organization_id, n.event_id, k.kind, k.ref_id, n.ticket_type_id, sum(n.held) AS held, sum(n.sold) AS sold
      FROM (SELECT organization_id, event_id, zone_id, ticket_type_id, quantity AS held, 0 AS sold FROM {live_holds}
            WHERE by_day
            UNION ALL
            SELECT organization_id, event_id, zone_id, ticket_type_id, 0, 1 FROM {live_tickets} WHERE by_day) n
      CROSS JOIN LATERAL (VALUES ('event', event_id), ('zone', zone_id)) AS k (kind, ref_id)
      JOIN pools p ON p.organization_id = n.organization_id AND (p.event_id, p.kind, p.ref_id) = (n.event_id, k.kind, k.ref_id)
      GROUP BY 1, 2, 3, 4, 5) n
FULL JOIN day_places d USING (organization_id, event_id, kind, ref_id, ticket_type_id)
WHERE (coalesce(d.held, 0), coalesce(d.sold, 0)) <> (coalesce(n.held, 0), coalesce(n.sold, 0))
UNION ALL
SELECT format('pool %s %s of event %s has %s on its fullest day where its types have %s', p.kind, p.ref_id, p.event_id,
              p.day_peak, coalesce(max(n.taken), 0))
FROM pools p LEFT JOIN (
    SELECT d.organization_id, d.event_id, d.kind, d.ref_id, sum(d.held + d.sold) AS taken
    FROM day_places d JOIN ticket_types t ON t.organization_id = d.organization_id AND t.id = d.ticket_type_id
    CROSS JOIN LATERAL unnest(t.valid_days) AS on_day
    GROUP BY 1, 2, 3, 4, on_day) n USING (organization_id, event_id, kind, ref_id)
GROUP BY p.organization_id, p.event_id, p.kind, p.ref_id, p.day_peak HAVING p.day_peak <> coalesce(max(n.taken), 0)
UNION ALL
SELECT format('hold %s has places in a pool that event %s does not have', h.id, h.event_id)
FROM seat_holds h
WHERE h.seat_id IS NULL AND h.status IN ('active', 'suspended') AND NOT EXISTS (
    SELECT FROM pools p WHERE p.organization_id = h.organization_id AND p.event_id = h.event_id
    AND p.ref_id = coalesce(h.zone_id, h.ticket_type_id));
