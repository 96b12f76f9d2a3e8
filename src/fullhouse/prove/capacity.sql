-- Capacities. What is taken is summed from tickets and holds, never read from a counter: a pool with a wrong count does
-- not hide an oversale.

-- part: places
-- Live holds and tickets by event, and by zone and ticket type in it. The type of a held seat or spot is known from its
-- checkout on. For an event and a zone they count on each day that a ticket type names; those without days count on all.
WITH places AS (
    SELECT n.*, t.valid_days FROM (
        SELECT organization_id, event_id, zone_id, ticket_type_id, 1 AS quantity FROM tickets
        WHERE status IN ('valid', 'used')
        UNION ALL
        SELECT organization_id, event_id, zone_id, ticket_type_id, quantity FROM seat_holds
        WHERE status IN ('active', 'suspended') AND held_until > app.clock()) n
    LEFT JOIN ticket_types t ON t.organization_id = n.organization_id AND t.id = n.ticket_type_id AND t.kind = 'ga'
                            AND t.valid_days <> '{}'
), days AS (
    SELECT DISTINCT t.organization_id, t.event_id, day FROM ticket_types t CROSS JOIN LATERAL unnest(t.valid_days) AS day
    WHERE t.kind = 'ga'
), by_day AS (
    SELECT p.organization_id, p.event_id, p.zone_id, d.day, p.quantity
    FROM places p LEFT JOIN days d ON d.organization_id = p.organization_id AND d.event_id = p.event_id
                                  AND (p.valid_days IS NULL OR d.day = ANY (p.valid_days))
), chosen AS (
    SELECT s.organization_id, s.event_id, i.ticket_type_id, i.quantity
    FROM checkout_sessions s
    JOIN checkout_items i ON i.organization_id = s.organization_id AND i.session_id = s.id AND i.counted
    JOIN seat_holds h ON h.organization_id = s.organization_id AND h.id = i.hold_id
                     AND h.status IN ('active', 'suspended') AND h.held_until > app.clock()
    WHERE s.status IN ('open', 'paying')
), taken AS (
    SELECT organization_id, event_id, 'event' AS kind, event_id AS ref_id, day, sum(quantity) AS quantity FROM by_day
    GROUP BY 1, 2, 5
    UNION ALL
    SELECT organization_id, event_id, 'zone', zone_id, day, sum(quantity) FROM by_day WHERE zone_id IS NOT NULL
    GROUP BY 1, 2, 4, 5
    UNION ALL
    SELECT organization_id, event_id, 'ticket_type', ticket_type_id, NULL, sum(quantity)
    FROM (SELECT organization_id, event_id, ticket_type_id, quantity FROM places UNION ALL TABLE chosen) p
    WHERE ticket_type_id IS NOT NULL GROUP BY 1, 2, 4
)

-- part: limits
-- The organiser's limits. A venue's limit applies to events that have not ended.
limits AS (
    SELECT organization_id, id AS event_id, 'event' AS kind, id AS ref_id, 'the event' AS whose, capacity
    FROM events WHERE capacity > 0
    UNION ALL
    SELECT e.organization_id, e.id, 'event', e.id, 'its venue', v.max_capacity
    FROM events e JOIN venues v ON v.organization_id = e.organization_id AND v.id = e.venue_id
    WHERE v.max_capacity > 0 AND e.status IN ('draft', 'published', 'live', 'postponed')
    UNION ALL
    SELECT organization_id, event_id, 'zone', zone_id, 'zone ' || zone_key, capacity FROM event_zones
    UNION ALL
    SELECT organization_id, event_id, 'ticket_type', id, 'ticket type ' || id, quantity FROM ticket_types
    WHERE quantity IS NOT NULL
)

-- name: taken
{places}, {limits}
SELECT format('event %s: %s places are held and sold%s where %s admits %s', event_id, t.quantity, ' on ' || t.day, l.whose,
              l.capacity)
FROM taken t JOIN limits l USING (organization_id, event_id, kind, ref_id) WHERE t.quantity > l.capacity
UNION ALL
SELECT format('event %s has a capacity of %s where its venue admits %s', e.id, e.capacity, v.max_capacity)
FROM events e JOIN venues v ON v.organization_id = e.organization_id AND v.id = e.venue_id
WHERE v.max_capacity > 0 AND e.capacity > v.max_capacity AND e.status IN ('published', 'live', 'postponed')

-- name: limited
-- Every limit has a pool of its size: for an event the lower of its own limit and the venue's. A pool that is shrinking had
-- more in use when the limit was set (docs/adr/0034). Ended events keep the pools that they had.
WITH {limits}, bounds AS (
    SELECT l.organization_id, l.event_id, l.kind, l.ref_id, min(l.capacity) AS capacity
    FROM limits l GROUP BY 1, 2, 3, 4
)
SELECT CASE WHEN p.event_id IS NULL THEN format('event %s has no pool for %s %s, which is limited to %s', event_id, kind,
                                                ref_id, b.capacity)
            WHEN b.event_id IS NULL THEN format('event %s has a pool for %s %s, which nothing limits', event_id, kind, ref_id)
            ELSE format('event %s has a pool of %s for %s %s, which is limited to %s', event_id, p.capacity, kind, ref_id,
                        b.capacity) END
FROM bounds b
FULL JOIN pools p USING (organization_id, event_id, kind, ref_id)
JOIN events e ON e.organization_id = coalesce(b.organization_id, p.organization_id)
             AND e.id = coalesce(b.event_id, p.event_id)
WHERE coalesce(p.shrinks_to, p.capacity) IS DISTINCT FROM b.capacity
  AND e.status IN ('draft', 'published', 'live', 'postponed')
