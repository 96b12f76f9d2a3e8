-- Notices: what everybody with a place in a show must know.

-- part: people
-- Whoever has a ticket, and who bought it; who held a place when it was told, or lost it by that very change: both have
-- the same moment. A hold that was sold says nothing: the ticket does, and may have been given back since.
SELECT p.email, '/my' AS order_path FROM tickets t
JOIN orders o ON o.organization_id = t.organization_id AND o.id = t.order_id
CROSS JOIN LATERAL (VALUES (t.holder_email), (o.buyer_email)) AS p (email)
WHERE t.organization_id = $1 AND t.event_id = $3 AND (t.status IN ('valid', 'used') OR t.updated_at >= $4)
UNION ALL
SELECT u.email, NULL FROM seat_holds h
JOIN users u ON u.organization_id = h.organization_id AND u.id = h.user_id
WHERE h.organization_id = $1 AND h.event_id = $3 AND u.email IS NOT NULL AND u.status = 'active'
  AND (h.status = 'suspended' OR h.status = 'active' AND h.held_until > $4
       OR h.status = 'cancelled' AND h.updated_at = $4)

-- name: gather_people
-- Each person once.
INSERT INTO notice_recipients (organization_id, notice_id, email, order_path)
SELECT DISTINCT ON (lower(email)) $1::uuid, $2::uuid, email, order_path
FROM ({people}) AS people
ORDER BY lower(email), order_path NULLS LAST
ON CONFLICT DO NOTHING;

-- name: gather_waiting
-- Whose place on the list ended by that very change, unless they are among those who are told anyway.
INSERT INTO notice_recipients (organization_id, notice_id, email, order_path)
SELECT DISTINCT ON (lower(e.email)) $1::uuid, $2::uuid, e.email, NULL
FROM waitlist_entries e
WHERE e.organization_id = $1 AND e.event_id = $3 AND e.status = 'left' AND e.updated_at = $4
  AND lower(e.email) NOT IN (SELECT lower(people.email) FROM ({people}) AS people)
ORDER BY lower(e.email)
ON CONFLICT DO NOTHING;

-- name: insert_notice
INSERT INTO notices (id, organization_id, event_id, template, letter, total) VALUES ($2, $1, $3, $4, $5, $6);

-- name: notice_by_id
SELECT id, template, letter, total, posted, finished_at FROM notices WHERE organization_id = $1 AND id = $2;

-- name: lock_notice
SELECT id, template, letter, total, posted, finished_at FROM notices WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: take_people
-- By their places in the table: nobody else takes any, as the notice is locked. A fresh list has no statistics, and a
-- join of it with itself may compare everybody with everybody.
DELETE FROM notice_recipients WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM notice_recipients WHERE organization_id = $1 AND notice_id = $2 LIMIT $3))
RETURNING email, order_path IS NOT NULL AS has_ticket;

-- name: advance_notice
UPDATE notices SET posted = posted + $3, finished_at = CASE WHEN $4 THEN app.clock() END
WHERE organization_id = $1 AND id = $2;

-- name: list_notices
SELECT n.id, n.template, n.total, n.posted, count(m.sent_at)::integer AS sent, count(m.refused_at)::integer AS refused,
       n.created_at, n.finished_at
FROM notices n LEFT JOIN mails m ON m.organization_id = n.organization_id AND m.about = n.id
WHERE n.organization_id = $1 AND n.event_id = $2
  AND ($3::timestamptz IS NULL OR (n.created_at, n.id) > ($3, $4::uuid))
GROUP BY n.organization_id, n.id
ORDER BY n.created_at, n.id LIMIT $5;
