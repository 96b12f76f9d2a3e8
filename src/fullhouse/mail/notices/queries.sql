-- Notices: emails to everybody with a ticket or reservation for an event.

-- part: people
-- Holders and buyers of tickets; users with a hold at the moment of the change, or whose hold the change itself ended
-- (both rows carry the same timestamp). Sold holds do not count: the ticket does, and may have been refunded since.
SELECT p.email, '/my' AS order_path FROM tickets t
JOIN orders o ON o.organization_id = t.organization_id AND o.id = t.order_id
CROSS JOIN LATERAL (VALUES (t.holder_email), (o.buyer_email)) AS p (email)
WHERE t.organization_id = :org AND t.event_id = :event_id AND (t.status IN ('valid', 'used')
  OR t.updated_at >= :updated_at)
UNION ALL
SELECT u.email, NULL FROM seat_holds h
JOIN users u ON u.organization_id = h.organization_id AND u.id = h.user_id
WHERE h.organization_id = :org AND h.event_id = :event_id AND u.email IS NOT NULL AND u.status = 'active'
  AND (h.status = 'suspended' OR h.status = 'active' AND h.held_until > :updated_at
       OR h.status = 'cancelled' AND h.updated_at = :updated_at)

-- name: insert_recipients
-- Each person once.
INSERT INTO notice_recipients (organization_id, notice_id, email, order_path)
SELECT DISTINCT ON (lower(email)) :org::uuid, :notice_id::uuid, email, order_path
FROM ({people}) AS people
ORDER BY lower(email), order_path NULLS LAST
ON CONFLICT DO NOTHING;

-- name: insert_waitlist_recipients
-- People whose waitlist entry was ended by the change itself, except those who get the notice for ticket holders.
INSERT INTO notice_recipients (organization_id, notice_id, email, order_path)
SELECT DISTINCT ON (lower(e.email)) :org::uuid, :notice_id::uuid, e.email, NULL
FROM waitlist_entries e
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'left' AND e.updated_at = :updated_at
  AND lower(e.email) NOT IN (SELECT lower(people.email) FROM ({people}) AS people)
ORDER BY lower(e.email)
ON CONFLICT DO NOTHING;

-- name: insert_notice
INSERT INTO notices (id, organization_id, event_id, template, letter, total)
VALUES (:id, :org, :event_id, :template, :letter, :total);

-- name: find_notice
SELECT id, template, letter, total, posted, finished_at FROM notices WHERE organization_id = :org AND id = :notice_id;

-- name: lock_notice
SELECT id, template, letter, total, posted, finished_at FROM notices
WHERE organization_id = :org AND id = :notice_id FOR UPDATE;

-- name: claim_recipients
-- By ctid, which is safe because the notice is locked. A freshly filled table has no statistics, and a self-join by key
-- could be planned as a nested loop over all rows.
DELETE FROM notice_recipients WHERE organization_id = :org AND ctid = ANY (ARRAY(
    SELECT ctid FROM notice_recipients WHERE organization_id = :org AND notice_id = :notice_id LIMIT :limit))
RETURNING email, order_path IS NOT NULL AS has_ticket;

-- name: advance_notice
UPDATE notices SET posted = posted + :posted, finished_at = CASE WHEN :last THEN app.clock() END
WHERE organization_id = :org AND id = :notice_id;

-- name: list_notices
SELECT n.id, n.template, n.total, n.posted, count(m.sent_at)::integer AS sent, count(m.refused_at)::integer AS refused,
       n.created_at, n.finished_at
FROM notices n LEFT JOIN mails m ON m.organization_id = n.organization_id AND m.about = n.id
WHERE n.organization_id = :org AND n.event_id = :event_id
  AND (:after_at?::timestamptz IS NULL OR (n.created_at, n.id) > (:after_at, :after_id?::uuid))
GROUP BY n.organization_id, n.id
ORDER BY n.created_at, n.id LIMIT :limit;
