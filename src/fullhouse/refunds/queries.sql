-- Decided refunds of orders, and the refunding of a cancelled event's orders one by one.

-- name: insert_refund
INSERT INTO order_refunds (id, organization_id, order_id, event_id, amount, currency, fees, ticket_ids, reason, batch,
                           requested_by)
VALUES (:id, :org, :order_id, :event_id, :amount, :currency, :fees, :ticket_ids, :reason, :batch, :requested_by?);

-- name: refunds_of_order
-- Decided refunds and automatic ones.
SELECT coalesce(d.id, r.id) AS id, coalesce(d.order_id, r.order_id) AS order_id, coalesce(d.amount, r.amount) AS amount,
       coalesce(d.currency, r.currency) AS currency, coalesce(r.status, 'free') AS status,
       coalesce(d.reason, r.reason) AS reason, d.fees, coalesce(d.ticket_ids, '{}') AS ticket_ids, r.failure,
       coalesce(r.tries, 0) AS tries, r.paid_outside,
       coalesce(d.created_at, r.created_at) AS created_at
FROM (SELECT * FROM order_refunds WHERE organization_id = :org AND order_id = :order_id) d
FULL JOIN (SELECT * FROM refunds WHERE organization_id = :org AND order_id = :order_id) r USING (organization_id, id)
ORDER BY created_at, id;

-- name: set_order_status
UPDATE orders SET status = :status, updated_at = app.clock()
WHERE organization_id = :org AND id = :order_id AND paid_at IS NOT NULL;

-- name: is_refunded_by_batch
-- Whether the order was refunded because its event was cancelled.
SELECT EXISTS (SELECT FROM order_refunds WHERE organization_id = :org AND order_id = :order_id AND batch);

-- name: count_void
UPDATE event_stats SET sold = greatest(sold - 1, 0), unranked = true
WHERE organization_id = :org AND event_id = :event_id;

-- A cancelled event --------------------------------------------------------------------------------

-- part: to_give_back
o.organization_id = :org AND o.event_id = :event_id AND o.status IN ('paid', 'partly_refunded')

-- name: begin_batch
INSERT INTO refund_batches (organization_id, event_id, orders, reason)
SELECT :org, :event_id, count(*), :reason FROM orders o WHERE {to_give_back} HAVING count(*) > 0
ON CONFLICT DO NOTHING;

-- name: due_batches
-- For the worker, across organisations.
SELECT organization_id, event_id AS id FROM refund_batches WHERE status = 'running' AND look_at <= app.clock()
ORDER BY look_at LIMIT :limit;

-- name: batch_reason
SELECT reason FROM refund_batches WHERE organization_id = :org AND event_id = :event_id AND status = 'running';

-- name: next_orders
SELECT o.id AS value FROM orders o
LEFT JOIN refund_failures f ON f.organization_id = o.organization_id AND f.order_id = o.id
WHERE {to_give_back} AND (f.try_at IS NULL OR f.try_at <= app.clock())
ORDER BY o.created_at, o.id LIMIT :limit;

-- name: record_failure
INSERT INTO refund_failures AS f (organization_id, event_id, order_id, error, try_at)
VALUES (:org, :event_id, :order_id, :error, app.clock() + interval '30 seconds')
ON CONFLICT (organization_id, order_id) DO UPDATE
SET error = :error, tries = f.tries + 1, try_at = app.clock() + interval '30 seconds' * power(2, least(f.tries, 7));

-- name: delete_failure
DELETE FROM refund_failures WHERE organization_id = :org AND order_id = :order_id;

-- name: close_batch
-- Done if no order is left; otherwise it runs again when the first failed order is due.
UPDATE refund_batches b
SET status = CASE WHEN left_over.orders = 0 THEN 'done' ELSE 'running' END,
    finished_at = CASE WHEN left_over.orders = 0 THEN app.clock() END,
    look_at = coalesce(left_over.try_at, app.clock())
FROM (SELECT count(*) AS orders, min(f.try_at) AS try_at FROM orders o
      LEFT JOIN refund_failures f ON f.organization_id = o.organization_id AND f.order_id = o.id
      WHERE {to_give_back}) left_over
WHERE b.organization_id = :org AND b.event_id = :event_id AND b.status = 'running'
RETURNING b.status;

-- name: batch_progress
SELECT b.status, b.orders, greatest(b.orders - l.orders, 0)::integer AS done, f.orders::integer AS failed, b.created_at,
       b.finished_at
FROM refund_batches b
CROSS JOIN LATERAL (SELECT count(*) AS orders FROM orders o WHERE {to_give_back}) l
CROSS JOIN LATERAL (SELECT count(*) AS orders FROM refund_failures f
                    WHERE f.organization_id = :org AND f.event_id = :event_id) f
WHERE b.organization_id = :org AND b.event_id = :event_id;

-- name: batch_failures
SELECT order_id, error, tries, try_at FROM refund_failures WHERE organization_id = :org AND event_id = :event_id
ORDER BY try_at, order_id LIMIT :limit;

-- name: refunded_amounts
SELECT currency, count(*)::integer AS refunds, sum(amount)::bigint AS requested,
       coalesce(sum(amount) FILTER (WHERE status = 'done'), 0)::bigint AS paid_out,
       coalesce(sum(amount) FILTER (WHERE status = 'failed'), 0)::bigint AS failed
FROM refunds WHERE organization_id = :org AND event_id = :event_id GROUP BY currency ORDER BY currency;

-- name: refused_refunds
SELECT id, order_id, amount, currency, failure, tries, created_at FROM refunds
WHERE organization_id = :org AND event_id = :event_id AND status = 'failed' ORDER BY created_at, id LIMIT :limit;

-- CSV exports --------------------------------------------------------------------------------------

-- name: orders_for_csv
SELECT o.id, o.code, o.status, o.created_at, o.paid_at, o.buyer_name, o.buyer_email, o.provider, o.currency, o.total,
       coalesce(a.refunded, 0) AS refunded, o.reason, t.tickets, t.valid
FROM orders o
LEFT JOIN payment_attempts a ON a.organization_id = o.organization_id AND a.id = o.attempt_id
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS tickets, count(*) FILTER (WHERE t.status IN ('valid', 'used'))::integer AS valid
    FROM tickets t WHERE t.organization_id = o.organization_id AND t.order_id = o.id) t
WHERE o.organization_id = :org AND o.event_id = :event_id
  AND (:after_at?::timestamptz IS NULL OR (o.created_at, o.id) > (:after_at, :after_id?::uuid))
ORDER BY o.created_at, o.id LIMIT :limit;
