-- Prices: an order's lines, quote, payment, ledger accounts and promo code agree.

-- name: priced
-- A quote has one line for each line of the order, then its discount, fees and taxes; included taxes are not added.
WITH quoted AS (
    SELECT o.organization_id, o.id, o.total, o.currency, o.quote, o.paid_at, coalesce(s.added, 0) AS added,
           coalesce(s.fees, 0) AS fees, coalesce(s.taxes, 0) AS taxes, coalesce(s.discount, 0) AS discount,
           coalesce(s.tickets, 0) AS tickets
    FROM orders o
    LEFT JOIN LATERAL (
        SELECT sum((l ->> 'amount')::bigint) FILTER (WHERE (l ->> 'included')::boolean IS NOT TRUE) AS added,
               sum((l ->> 'amount')::bigint) FILTER (WHERE l ->> 'kind' = 'fee') AS fees,
               sum((l ->> 'amount')::bigint) FILTER (WHERE l ->> 'kind' = 'tax') AS taxes,
               -sum((l ->> 'amount')::bigint) FILTER (WHERE l ->> 'kind' = 'discount') AS discount,
               count(*) FILTER (WHERE l ->> 'kind' = 'ticket') AS tickets
        FROM jsonb_array_elements(o.quote -> 'lines') l) s ON true
)
SELECT format('order %s costs %s %s, its quote says %s %s', id, total, currency, quote ->> 'total', quote ->> 'currency')
FROM quoted WHERE (quote ->> 'total', quote ->> 'currency') IS DISTINCT FROM (total::text, currency)
UNION ALL
SELECT format('the lines of order %s''s quote come to %s with %s fees, %s taxes and %s off; it says %s, %s, %s and %s',
              id, added, fees, taxes, discount, quote ->> 'total', quote ->> 'fees', quote ->> 'taxes',
              quote ->> 'discount')
FROM quoted
WHERE (added::text, fees::text, taxes::text, discount::text)
   IS DISTINCT FROM (quote ->> 'total', quote ->> 'fees', quote ->> 'taxes', quote ->> 'discount')
UNION ALL
SELECT format('order %s has %s lines, its quote has %s', q.id, count(l.order_id), q.tickets)
FROM quoted q LEFT JOIN order_lines l ON l.organization_id = q.organization_id AND l.order_id = q.id
GROUP BY q.organization_id, q.id, q.tickets HAVING count(l.order_id) <> q.tickets
UNION ALL
SELECT format('line %s of order %s is %s × %s, %s net; its quote says %s for %s, %s net', l.position, l.order_id,
              l.quantity, l.unit, l.net, t.line ->> 'amount', coalesce(t.line ->> 'quantity', '1'),
              q.quote -> 'nets' ->> (t.n - 1)::integer)
FROM quoted q
CROSS JOIN LATERAL (SELECT x.line, row_number() OVER (ORDER BY x.at) AS n
                    FROM jsonb_array_elements(q.quote -> 'lines') WITH ORDINALITY x (line, at)
                    WHERE x.line ->> 'kind' = 'ticket') t
JOIN LATERAL (SELECT m.*, row_number() OVER (ORDER BY m.position) AS n FROM order_lines m
              WHERE m.organization_id = q.organization_id AND m.order_id = q.id) l ON l.n = t.n
WHERE (l.quantity::text, (l.unit * l.quantity)::text, l.net::text, l.ticket_type_id::text)
   IS DISTINCT FROM (coalesce(t.line ->> 'quantity', '1'), t.line ->> 'amount',
                     q.quote -> 'nets' ->> (t.n - 1)::integer, t.line ->> 'ticket_type_id')
UNION ALL
SELECT format('order %s has tickets of other types or places than its lines', o.id)
FROM orders o
WHERE o.paid_at IS NOT NULL AND EXISTS (
    SELECT FROM (SELECT ticket_type_id, sum(quantity) AS places FROM order_lines l
                 WHERE l.organization_id = o.organization_id AND l.order_id = o.id GROUP BY 1) l
    FULL JOIN (SELECT ticket_type_id, count(*) AS places FROM tickets t
               WHERE t.organization_id = o.organization_id AND t.order_id = o.id GROUP BY 1) t USING (ticket_type_id)
    WHERE l.places IS DISTINCT FROM t.places
      AND (SELECT count(*) FROM tickets t WHERE t.organization_id = o.organization_id AND t.order_id = o.id)
        = (SELECT sum(quantity) FROM order_lines l WHERE l.organization_id = o.organization_id AND l.order_id = o.id))
UNION ALL
SELECT format('payment %s asks for %s %s, its order %s costs %s %s', a.id, a.amount, a.currency, q.id, q.total, q.currency)
FROM payment_attempts a JOIN quoted q ON q.organization_id = a.organization_id AND q.id = a.order_id
WHERE (a.amount, a.currency) IS DISTINCT FROM (q.total, q.currency)
UNION ALL
-- The revenue of a sale by account, posted at the capture or at the buyer's consent.
SELECT format('order %s earned %s for %s, its ledger says %s', q.id, w.amount, w.account, coalesce(e.amount, 0))
FROM quoted q
CROSS JOIN LATERAL (VALUES
    ('organizer', q.total - (q.quote ->> 'fees')::bigint - (q.quote ->> 'taxes')::bigint),
    ('fees', (q.quote ->> 'fees')::bigint), ('tax', (q.quote ->> 'taxes')::bigint)) w (account, amount)
LEFT JOIN (SELECT t.organization_id, t.order_id, e.account, -sum(e.amount) AS amount
           FROM ledger_transactions t
           JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
           WHERE t.kind IN ('capture', 'consent') GROUP BY 1, 2, 3) e
    ON e.organization_id = q.organization_id AND e.order_id = q.id AND e.account = w.account
WHERE coalesce(e.amount, 0) <> CASE WHEN q.paid_at IS NULL THEN 0 ELSE w.amount END
UNION ALL
SELECT format('ledger transaction %s of order %s is in %s, the order in %s', e.transaction_id, q.id, e.currency, q.currency)
FROM ledger_entries e
JOIN ledger_transactions t ON t.organization_id = e.organization_id AND t.id = e.transaction_id
JOIN quoted q ON q.organization_id = t.organization_id AND q.id = t.order_id
WHERE e.currency <> q.currency
UNION ALL
SELECT format('refund %s was decided over %s, and gives back %s', d.id, d.amount, coalesce(r.amount, 0))
FROM order_refunds d LEFT JOIN refunds r ON r.organization_id = d.organization_id AND r.id = d.id
WHERE d.amount <> coalesce(r.amount, 0)
UNION ALL
SELECT format('refund %s of %s took %s from what was earned', d.id, d.amount, coalesce(e.amount, 0))
FROM order_refunds d
LEFT JOIN (SELECT t.organization_id, t.source_id, sum(e.amount) AS amount
           FROM ledger_transactions t
           JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
           WHERE t.kind = 'refund' AND e.account IN ('organizer', 'fees', 'tax') GROUP BY 1, 2) e
    ON e.organization_id = d.organization_id AND e.source_id = d.id
WHERE d.amount <> coalesce(e.amount, 0)
UNION ALL
SELECT format('%s of order %s has gone back, its ledger says %s', coalesce(r.amount, 0), coalesce(r.order_id, e.order_id),
              coalesce(e.amount, 0))
FROM (SELECT organization_id, order_id, sum(amount) AS amount FROM refunds WHERE status = 'done' GROUP BY 1, 2) r
FULL JOIN (SELECT t.organization_id, t.order_id, sum(e.amount) AS amount
           FROM ledger_transactions t
           JOIN ledger_entries e ON e.organization_id = t.organization_id AND e.transaction_id = t.id
           WHERE t.kind IN ('payout', 'return') AND e.account = 'refunds' GROUP BY 1, 2) e USING (organization_id, order_id)
WHERE coalesce(r.amount, 0) <> coalesce(e.amount, 0)
UNION ALL
SELECT format('order %s is refunded, and %s of its tickets let somebody in', o.id, count(*))
FROM orders o JOIN tickets t ON t.organization_id = o.organization_id AND t.order_id = o.id
WHERE o.status = 'refunded' AND t.status IN ('valid', 'used') GROUP BY o.organization_id, o.id;

-- name: discounted
-- A code counts the uses of checkouts, and a checkout has its use as long as it can lead to a purchase. A returned use
-- remains as a row.
SELECT format('promo code %s counts %s uses for %s, its checkouts have %s for %s', p.id, p.uses, p.spent,
              coalesce(u.uses, 0), coalesce(u.spent, 0))
FROM promo_codes p
LEFT JOIN (SELECT organization_id, promo_code_id, count(*) AS uses, sum(amount) AS spent
           FROM promo_uses WHERE status = 'taken' GROUP BY 1, 2) u
    ON u.organization_id = p.organization_id AND u.promo_code_id = p.id
WHERE (p.uses, p.spent) IS DISTINCT FROM (coalesce(u.uses, 0), coalesce(u.spent, 0))
UNION ALL
SELECT format('promo code %s was used %s times for %s, where %s times and %s are allowed', p.id, u.uses, u.spent,
              coalesce(p.max_uses::text, 'any'), coalesce(p.budget::text, 'any'))
FROM promo_codes p
JOIN (SELECT organization_id, promo_code_id, count(*) AS uses, sum(amount) AS spent
      FROM promo_uses WHERE status = 'taken' GROUP BY 1, 2) u
    ON u.organization_id = p.organization_id AND u.promo_code_id = p.id
WHERE u.uses > p.max_uses OR u.spent > p.budget
UNION ALL
SELECT format('checkout %s is %s and has its use of promo code %s still', s.id, s.status, u.promo_code_id)
FROM promo_uses u JOIN checkout_sessions s ON s.organization_id = u.organization_id AND s.id = u.checkout_id
WHERE u.status = 'taken' AND s.status IN ('expired', 'left', 'cancelled') AND NOT EXISTS (
    SELECT FROM orders o WHERE o.organization_id = s.organization_id AND o.session_id = s.id AND o.status <> 'cancelled')
UNION ALL
SELECT format('checkout %s is %s and has given its use of promo code %s back', s.id, s.status, u.promo_code_id)
FROM promo_uses u JOIN checkout_sessions s ON s.organization_id = u.organization_id AND s.id = u.checkout_id
WHERE u.status = 'returned' AND s.status IN ('open', 'paying', 'completed')
UNION ALL
SELECT format('checkout %s takes %s off by promo code %s, which counts %s', s.id, s.quote ->> 'discount', u.promo_code_id,
              u.amount)
FROM promo_uses u JOIN checkout_sessions s ON s.organization_id = u.organization_id AND s.id = u.checkout_id
WHERE u.amount::text IS DISTINCT FROM s.quote ->> 'discount'
UNION ALL
SELECT format('checkout %s was priced with promo code %s, and has no use of it', s.id, s.promo_code)
FROM checkout_sessions s
WHERE s.promo_code IS NOT NULL AND NOT EXISTS (
    SELECT FROM promo_uses u JOIN promo_codes p ON p.organization_id = u.organization_id AND p.id = u.promo_code_id
    WHERE u.organization_id = s.organization_id AND u.checkout_id = s.id AND p.code = s.promo_code
      AND p.event_id = s.event_id)
UNION ALL
SELECT format('order %s has a discount of %s, and no promo code', o.id, o.quote ->> 'discount')
FROM orders o JOIN checkout_sessions s ON s.organization_id = o.organization_id AND s.id = o.session_id
WHERE (o.quote ->> 'discount')::bigint > 0 AND s.promo_code IS NULL;
