-- Emails to people in a waiting room. Only accounts have an address; guests watch the page.

-- name: list_rooms_to_email
-- Across organisations: waiting rooms that open soon, and those that admitted somebody in the last minutes.
SELECT r.organization_id, r.event_id AS id FROM queue_rooms r
WHERE r.state = 'pre' AND r.opens_at BETWEEN app.clock() AND app.clock() + interval '15 minutes'
UNION
SELECT e.organization_id, e.event_id FROM queue_entries e
WHERE e.status = 'admitted' AND e.admitted_at > app.clock() - interval '3 minutes';

-- name: find_opening
SELECT opens_at FROM queue_rooms
WHERE organization_id = :org AND event_id = :event_id AND state = 'pre'
  AND opens_at BETWEEN app.clock() AND app.clock() + interval '15 minutes';

-- name: list_early_visitors
-- People without an email about this opening yet, one page.
SELECT u.email FROM queue_entries e
JOIN users u ON u.organization_id = :org AND u.id = e.user_id AND u.email IS NOT NULL AND u.status = 'active'
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'waiting' AND NOT EXISTS (
    SELECT FROM mails m WHERE m.organization_id = :org AND m.about = :about AND m.template = :template
    AND lower(m.recipient) = lower(u.email))
LIMIT :limit;

-- name: list_absent_visitors
-- Admitted moments ago without a hold since, so probably not looking at the page, with time left to come. Without those
-- who have the email; first admitted first.
SELECT x.about, u.email, e.expires_at AS until FROM queue_entries e
CROSS JOIN LATERAL (SELECT md5(e.event_id || ' turn ' || e.seq)::uuid AS about) x
JOIN users u ON u.organization_id = :org AND u.id = e.user_id AND u.email IS NOT NULL AND u.status = 'active'
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'admitted'
  AND e.admitted_at BETWEEN app.clock() - interval '3 minutes' AND app.clock() - interval '20 seconds'
  AND e.expires_at > app.clock() + interval '30 seconds'
  AND NOT EXISTS (SELECT FROM seat_holds h WHERE h.organization_id = :org AND h.user_id = e.user_id
                  AND h.event_id = e.event_id AND h.created_at >= e.admitted_at)
  AND NOT EXISTS (SELECT FROM mails m WHERE m.organization_id = :org AND m.about = x.about AND m.template = :template)
ORDER BY e.admitted_at, e.seq LIMIT :limit;
