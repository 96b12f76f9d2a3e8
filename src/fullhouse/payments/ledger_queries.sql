-- The ledger, read.

-- name: booked_for_order
SELECT e.account, sum(e.amount)::bigint AS amount, min(e.currency) AS currency
FROM ledger_transactions t JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
WHERE t.organization_id = $1 AND t.order_id = $2 GROUP BY e.account;

-- part: asked_for
SELECT id, kind, source_id, order_id, event_id, created_at FROM ledger_transactions
WHERE organization_id = $1 AND ($2::uuid IS NULL OR event_id = $2) AND ($3::uuid IS NULL OR order_id = $3)
  AND ($4::text IS NULL OR kind = $4) AND ($5::timestamptz IS NULL OR created_at >= $5)
  AND ($6::timestamptz IS NULL OR created_at < $6)

-- part: with_entries
-- People know an order by its code.
SELECT p.*, o.code AS order_code, e.entries FROM page p
LEFT JOIN orders o ON o.organization_id = $1 AND o.id = p.order_id
CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(e.account, e.amount, e.currency) ORDER BY e.position) AS entries
    FROM ledger_entries e WHERE e.organization_id = $1 AND e.transaction_id = p.id) e

-- name: oldest_transactions
-- The page first, its entries then.
WITH page AS (
    {asked_for} AND ($7::timestamptz IS NULL OR (created_at, id) > ($7, $8::uuid))
    ORDER BY created_at, id LIMIT $9
)
{with_entries} ORDER BY p.created_at, p.id;

-- name: newest_transactions
-- The same from the other end of the index.
WITH page AS (
    {asked_for} AND ($7::timestamptz IS NULL OR (created_at, id) < ($7, $8::uuid))
    ORDER BY created_at DESC, id DESC LIMIT $9
)
{with_entries} ORDER BY p.created_at DESC, p.id DESC;

-- name: balances
SELECT e.currency, e.account, sum(e.amount)::bigint AS amount
FROM ledger_entries e
WHERE e.organization_id = $1 AND ($2::uuid IS NULL OR e.transaction_id IN (
    SELECT t.id FROM ledger_transactions t WHERE t.organization_id = $1 AND t.event_id = $2))
GROUP BY 1, 2 ORDER BY 1, 2;
