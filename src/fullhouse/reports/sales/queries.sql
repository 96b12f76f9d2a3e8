-- Sales figures and order search, for organisers.

-- name: sales_over_time
-- By the time of the order, which shows demand and has an index.
SELECT date_trunc(:step, o.created_at, :timezone) AS at, o.currency, count(*)::integer AS orders,
       coalesce(sum(l.tickets), 0)::integer AS tickets, sum(o.total)::bigint AS amount
FROM orders o
CROSS JOIN LATERAL (
    SELECT sum(l.quantity) AS tickets FROM order_lines l
    WHERE l.organization_id = o.organization_id AND l.order_id = o.id) l
WHERE o.organization_id = :org AND (:event_id?::uuid IS NULL OR o.event_id = :event_id) AND o.created_at >= :since
  AND o.created_at < :until
  AND o.paid_at IS NOT NULL
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: list_event_sales
-- Announced events that are not over. `sold` and `places` are those of the list of events (`list_sales`).
SELECT e.id AS event_id, e.name, e.status, e.start_at, e.rescheduled_at, e.timezone, e.capacity,
       coalesce(n.in_zones, n.of_types, 0)::integer AS sold,
       CASE WHEN n.by_day IS NOT TRUE THEN least(coalesce(n.zone_places, n.type_places), n.most) END::integer AS places,
       coalesce(o.orders, 0)::integer AS orders, o.currency,
       coalesce(o.amount, 0)::bigint AS amount, coalesce(o.refunded, 0)::bigint AS refunded
FROM events e
CROSS JOIN LATERAL (
    SELECT sum(sold) FILTER (WHERE kind = 'zone') + coalesce((
               SELECT sum(d.sold) FROM day_places d WHERE d.organization_id = e.organization_id AND d.event_id = e.id
               AND d.kind = 'zone'), 0) AS in_zones,
           sum(capacity) FILTER (WHERE kind = 'zone') AS zone_places,
           sum(sold) FILTER (WHERE kind = 'ticket_type') AS of_types,
           sum(capacity) FILTER (WHERE kind = 'ticket_type') AS type_places,
           sum(capacity) FILTER (WHERE kind = 'event') AS most, max(day_peak) > 0 AS by_day
    FROM pools p WHERE p.organization_id = e.organization_id AND p.event_id = e.id) n
LEFT JOIN LATERAL (
    SELECT o.currency, count(*) AS orders, sum(o.total) AS amount, sum(a.refunded) AS refunded
    FROM orders o
    JOIN payment_attempts a ON a.organization_id = o.organization_id AND a.id = o.attempt_id
    WHERE o.organization_id = e.organization_id AND o.event_id = e.id AND o.paid_at IS NOT NULL
    GROUP BY o.currency ORDER BY orders DESC LIMIT 1) o ON true
WHERE e.organization_id = :org AND e.status IN ('published', 'live', 'postponed')
ORDER BY coalesce(e.rescheduled_at, e.start_at), e.id LIMIT :limit;

-- name: search_orders
-- Newest first. :words matches a part of the buyer's name or email address, or the whole order code.
SELECT o.id, o.event_id, e.name AS event_name, o.code, o.status, o.provider, o.total, o.currency, o.buyer_name,
       o.buyer_email, o.created_at, o.paid_at, coalesce(l.tickets, 0)::integer AS tickets,
       coalesce(a.refunded, 0)::bigint AS refunded
FROM orders o
JOIN events e ON e.organization_id = o.organization_id AND e.id = o.event_id
LEFT JOIN payment_attempts a ON a.organization_id = o.organization_id AND a.id = o.attempt_id
CROSS JOIN LATERAL (
    SELECT sum(l.quantity) AS tickets FROM order_lines l
    WHERE l.organization_id = o.organization_id AND l.order_id = o.id) l
WHERE o.organization_id = :org AND (:event_id?::uuid IS NULL OR o.event_id = :event_id)
  AND (:status?::text IS NULL OR o.status = :status)
  AND (:words?::text IS NULL OR o.code = upper(:words) OR strpos(lower(o.buyer_email), lower(:words)) > 0
       OR strpos(lower(o.buyer_name), lower(:words)) > 0)
  AND (:after_at?::timestamptz IS NULL OR (o.created_at, o.id) < (:after_at, :after_id?::uuid))
ORDER BY o.created_at DESC, o.id DESC LIMIT :limit;
