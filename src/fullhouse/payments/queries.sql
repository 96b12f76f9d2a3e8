-- The statements of payments. An attempt is inserted with its order (`app.place_order`).

-- part: attempt
id, organization_id, order_id, provider, method, amount, currency, status, surplus, provider_ref, client_secret,
failure_code, failure, refunded, asked, ask_at, give_up_at, created_at

-- part: refund
id, organization_id, attempt_id, order_id, event_id, amount, currency, status, reason, provider_ref, failure, asked,
tries, paid_outside, created_at

-- name: attempt_by_id
SELECT {attempt} FROM payment_attempts WHERE organization_id = :org AND id = :attempt_id;

-- name: lock_attempt
-- The rest of this transaction is a sale, always the same few statements: uses generic plans for them, without
-- sequential scans.
SELECT {attempt}
FROM payment_attempts, set_config('plan_cache_mode', 'force_generic_plan', true) AS kept,
     set_config('enable_seqscan', 'off', true) AS narrow
WHERE organization_id = :org AND id = :attempt_id FOR UPDATE OF payment_attempts;

-- name: capture_attempts
-- Captures several attempts, locked by id. Skips attempts that are not open, another amount or currency, and a second
-- payment of an order. The rest of the transaction is a sale, as above.
WITH due AS MATERIALIZED (
    SELECT a.id AS attempt_id, w.ref
    FROM unnest(:attempt_ids::uuid[], :refs::text[], :amounts::bigint[], :currencies[?]::text[])
        AS w (id, ref, amount, currency)
    JOIN payment_attempts a ON a.organization_id = :org AND a.id = w.id AND a.amount = w.amount
                           AND a.currency = coalesce(w.currency, a.currency)
                           AND a.status IN ('started', 'pending', 'unknown'),
         set_config('plan_cache_mode', 'force_generic_plan', true) AS kept,
         set_config('enable_seqscan', 'off', true) AS narrow
    ORDER BY a.id FOR UPDATE OF a
)
UPDATE payment_attempts a
SET status = 'captured', provider_ref = d.ref, failure_code = NULL, failure = NULL, updated_at = app.clock()
FROM due d
WHERE a.organization_id = :org AND a.id = d.attempt_id AND NOT EXISTS (
    SELECT FROM payment_attempts o WHERE o.organization_id = :org AND o.order_id = a.order_id AND o.id <> a.id
    AND o.status = 'captured' AND NOT o.surplus)
RETURNING {attempt};

-- name: attempts_of_order
SELECT {attempt} FROM payment_attempts WHERE organization_id = :org AND order_id = :order_id ORDER BY created_at, id;

-- name: save_attempt
-- Sets `surplus` for a second payment of an order; a unique index allows only one capture without `surplus`.
UPDATE payment_attempts a
SET status = :status, provider_ref = coalesce(:provider_ref?, provider_ref),
    client_secret = coalesce(:client_secret?, client_secret),
    failure_code = :failure_code?, failure = :failure?, updated_at = app.clock(),
    surplus = :status = 'captured' AND EXISTS (
        SELECT FROM payment_attempts o WHERE o.organization_id = :org AND o.order_id = a.order_id AND o.id <> a.id
        AND o.status = 'captured' AND NOT o.surplus)
WHERE organization_id = :org AND id = :attempt_id
RETURNING {attempt};

-- name: due_attempts
-- For the polling job, across organisations, oldest first.
SELECT organization_id, id FROM payment_attempts
WHERE status IN ('started', 'pending', 'unknown') AND ask_at <= app.clock() ORDER BY ask_at LIMIT :limit;

-- name: claim_attempt
-- The process that moves `ask_at` polls the attempt; for others it is no longer due. The pause ends at `give_up_at` at
-- the latest, and from then on it is polled every minute, because seats stay held for it.
UPDATE payment_attempts
SET asked = asked + 1,
    ask_at = least(app.clock() + make_interval(secs => :pause_s),
                   CASE WHEN give_up_at > app.clock() THEN give_up_at ELSE app.clock() + interval '1 minute' END)
WHERE organization_id = :org AND id = :attempt_id AND status IN ('started', 'pending', 'unknown')
  AND ask_at <= app.clock()
RETURNING {attempt};

-- Refunds ------------------------------------------------------------------------------------------

-- name: reserve_refund
-- Only up to the captured amount.
UPDATE payment_attempts SET refunded = refunded + :amount, updated_at = app.clock()
WHERE organization_id = :org AND id = :attempt_id AND status = 'captured' AND refunded + :amount <= amount
RETURNING {attempt};

-- name: insert_refund
INSERT INTO refunds (id, organization_id, attempt_id, order_id, event_id, amount, currency, reason, requested_by,
                     status,
                     provider_ref)
VALUES (:id, :org, :attempt_id, :order_id, :event_id, :amount, :currency, :reason, :requested_by?, :status,
        :provider_ref?) RETURNING {refund};

-- name: refund_by_ref
SELECT {refund} FROM refunds WHERE organization_id = :org AND attempt_id = :attempt_id AND provider_ref = :provider_ref;

-- name: refund_by_id
SELECT {refund} FROM refunds WHERE organization_id = :org AND id = :refund_id;

-- name: lock_refund
SELECT {refund} FROM refunds WHERE organization_id = :org AND id = :refund_id FOR UPDATE;

-- name: refunds_of_order
SELECT {refund} FROM refunds WHERE organization_id = :org AND order_id = :order_id ORDER BY created_at, id;

-- name: save_refund
UPDATE refunds
SET status = :status, provider_ref = coalesce(:provider_ref?, provider_ref), failure = :failure?,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :refund_id RETURNING {refund};

-- name: retry_refund
-- Of two concurrent retries the first wins: the refund is no longer `failed` for the second.
UPDATE refunds
SET status = 'requested', tries = tries + 1, asked = 0, ask_at = app.clock(), provider_ref = NULL, failure = NULL,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :refund_id AND order_id = :order_id AND status = 'failed'
RETURNING {refund};

-- name: retry_refunds
-- Of an event, oldest first. SKIP LOCKED: refunds that another transaction retries are left to it.
UPDATE refunds
SET status = 'requested', tries = tries + 1, asked = 0, ask_at = app.clock(), provider_ref = NULL, failure = NULL,
    updated_at = app.clock()
WHERE organization_id = :org AND status = 'failed' AND id IN (
    SELECT id FROM refunds WHERE organization_id = :org AND event_id = :event_id AND status = 'failed'
    ORDER BY created_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING {refund};

-- name: pay_outside
UPDATE refunds
SET status = 'done', tries = tries + 1, provider_ref = NULL, failure = NULL, paid_outside = :reason,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :refund_id AND order_id = :order_id AND status = 'failed'
RETURNING {refund};

-- name: lock_refunds_of_attempt
SELECT {refund} FROM refunds
WHERE organization_id = :org AND attempt_id = :attempt_id ORDER BY created_at, id FOR UPDATE;

-- name: due_refunds
SELECT organization_id, id FROM refunds
WHERE status IN ('requested', 'unknown') AND ask_at <= app.clock() ORDER BY ask_at LIMIT :limit;

-- name: claim_refund
UPDATE refunds SET asked = asked + 1, ask_at = app.clock() + make_interval(secs => :pause_s)
WHERE organization_id = :org AND id = :refund_id AND status IN ('requested', 'unknown') AND ask_at <= app.clock()
RETURNING {refund};

-- The ledger ---------------------------------------------------------------------------------------

-- name: post_entries
-- Inserts ledger transactions with their entries, once for each source and kind.
WITH posted AS (
    INSERT INTO ledger_transactions (id, organization_id, kind, source_id, order_id, event_id)
    SELECT t.id, :org, :kind, t.source_id, t.order_id, t.event_id
    FROM unnest(:ids::uuid[], :source_ids::uuid[], :order_ids::uuid[], :event_ids::uuid[])
        AS t (id, source_id, order_id, event_id)
    ON CONFLICT (organization_id, source_id, kind) DO NOTHING RETURNING id
)
INSERT INTO ledger_entries (organization_id, transaction_id, position, account, amount, currency)
SELECT :org, p.id, e.position, e.account, e.amount, e.currency
FROM posted p
JOIN unnest(:transaction_ids::uuid[], :positions::integer[], :accounts::text[], :amounts::bigint[], :currencies::text[])
     AS e (transaction_id, position, account, amount, currency) ON e.transaction_id = p.id;

-- name: entries_of
SELECT e.account, e.amount, e.currency FROM ledger_transactions t
JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
WHERE t.organization_id = :org AND t.source_id = :source_id AND t.kind = :kind ORDER BY e.position;

-- The charges of the test provider -----------------------------------------------------------------

-- name: charge_once
INSERT INTO test_charges AS c (organization_id, key, kind, method, amount, currency, status)
VALUES (:org, :key, :kind, :method, :amount, :currency, :status)
ON CONFLICT (organization_id, key) DO UPDATE SET calls = c.calls + 1
RETURNING c.status;

-- name: charge_status
SELECT status FROM test_charges WHERE organization_id = :org AND key = :key;

-- name: move_charge
UPDATE test_charges SET status = :status WHERE organization_id = :org AND key = :key AND status = :from_status;

-- Events that an operator must review --------------------------------------------------------------

-- name: insert_parked
INSERT INTO parked_payments (provider, news_id, kind, reason, said)
VALUES (:provider, :news_id, :kind, :reason, :said) ON CONFLICT DO NOTHING;

-- name: list_parked
SELECT provider, news_id, kind, reason, said, received_at FROM parked_payments
ORDER BY received_at, news_id LIMIT :limit;

-- name: delete_parked
DELETE FROM parked_payments WHERE news_id = ANY (:news_ids::text[]);
