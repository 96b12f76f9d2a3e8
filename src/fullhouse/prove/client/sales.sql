-- The rows that a client's log refers to. `user_id` is the buyer at the time: if a guest has signed in since, the order
-- belongs to another user.

-- name: orders
SELECT o.id, o.event_id, coalesce(g.user_id, o.user_id) AS user_id, o.session_id, o.paid_at IS NOT NULL AS is_paid,
       (SELECT coalesce(sum(l.quantity), 0) FROM order_lines l
        WHERE l.organization_id = o.organization_id AND l.order_id = o.id) AS places,
       (SELECT count(*) FROM tickets t WHERE t.organization_id = o.organization_id AND t.order_id = o.id) AS tickets
FROM orders o
LEFT JOIN LATERAL (
    SELECT (a.before ->> 'user_id')::uuid AS user_id FROM audit_log a
    WHERE a.organization_id = o.organization_id AND a.entity_type = 'checkout' AND a.entity_id = o.session_id
      AND a.action = 'checkout.handed_over' ORDER BY a.created_at LIMIT 1) g ON true
WHERE o.id = ANY ($1::uuid[]) OR o.session_id = ANY ($2::uuid[])
   OR o.event_id = ANY ($3::uuid[]) AND o.user_id = ANY ($4::uuid[]);

-- name: tickets
SELECT id, order_id, status, holder_email FROM tickets WHERE id = ANY ($1::uuid[]) OR order_id = ANY ($2::uuid[]);

-- name: refunds
SELECT id, order_id, ticket_ids FROM order_refunds WHERE order_id = ANY ($1::uuid[]);

-- name: scans
SELECT id, ticket_id, direction FROM scans
WHERE admitted AND NOT test AND (ticket_id = ANY ($1::uuid[]) OR id = ANY ($2::uuid[]));
