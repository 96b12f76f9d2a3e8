-- Reads of the ledger.

-- name: amounts_by_account
SELECT e.account, sum(e.amount)::bigint AS amount, min(e.currency) AS currency
FROM ledger_transactions t JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
WHERE t.organization_id = :org AND t.order_id = :order_id GROUP BY e.account;

-- part: asked_for
SELECT id, kind, source_id, order_id, event_id, created_at FROM ledger_transactions
WHERE organization_id = :org AND (:event_id?::uuid IS NULL OR event_id = :event_id)
  AND (:order_id?::uuid IS NULL OR order_id = :order_id)
  AND (:kind?::text IS NULL OR kind = :kind) AND (:since?::timestamptz IS NULL OR created_at >= :since)
  AND (:until?::timestamptz IS NULL OR created_at < :until)

-- part: with_entries
-- With the order's code, which people know.
SELECT p.*, o.code AS order_code, e.entries FROM page p
LEFT JOIN orders o ON o.organization_id = :org AND o.id = p.order_id
CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(e.account, e.amount, e.currency) ORDER BY e.position) AS entries
    FROM ledger_entries e WHERE e.organization_id = :org AND e.transaction_id = p.id) e

-- name: oldest_transactions
-- Selects the page first, then its entries.
WITH page AS (
    {asked_for} AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
    ORDER BY created_at, id LIMIT :limit
)
{with_entries} ORDER BY p.created_at, p.id;

-- name: newest_transactions
-- The same, from the other end of the index.
WITH page AS (
    {asked_for} AND (:after_at?::timestamptz IS NULL OR (created_at, id) < (:after_at, :after_id?::uuid))
    ORDER BY created_at DESC, id DESC LIMIT :limit
)
{with_entries} ORDER BY p.created_at DESC, p.id DESC;

-- name: balances
SELECT e.currency, e.account, sum(e.amount)::bigint AS amount
FROM ledger_entries e
WHERE e.organization_id = :org AND (:event_id?::uuid IS NULL OR e.transaction_id IN (
    SELECT t.id FROM ledger_transactions t WHERE t.organization_id = :org AND t.event_id = :event_id))
GROUP BY 1, 2 ORDER BY 1, 2;
