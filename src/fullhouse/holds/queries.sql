-- The statements of the holds room. Placing and ending holds are functions (migration 0009): one statement a batch.

-- part: hold
id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id, quantity, status,
CASE WHEN held_until < 'infinity' THEN held_until END AS held_until, source, created_at

-- name: my_holds
SELECT {hold} FROM seat_holds
WHERE organization_id = $1 AND event_id = $2 AND user_id = $3 AND status IN ('active', 'suspended')
  AND held_until > app.clock()
ORDER BY created_at, id;

-- name: holds_of_basket
-- Of all baskets that a key may have made: one, or one with another body.
SELECT {hold} FROM seat_holds
WHERE organization_id = $1 AND keyed AND basket_id BETWEEN $2 AND $3 ORDER BY created_at, id;

-- name: hold_by_id
SELECT {hold} FROM seat_holds WHERE organization_id = $1 AND id = $2;

-- name: end_holds
SELECT hold_id, event_id, user_id, seat_id, quantity, ordinal, zone_id, ticket_type_id, held_until, age_s, version, held,
       sold
FROM app.end_holds($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: due_holds
-- The sweep's question, across organisations: the oldest first.
SELECT organization_id, array_agg(id) AS ids
FROM (SELECT organization_id, id FROM seat_holds WHERE status = 'active' AND held_until <= app.clock()
      ORDER BY held_until LIMIT $1) AS due
GROUP BY organization_id;

-- name: live_holds_of_event
SELECT array(SELECT id FROM seat_holds WHERE organization_id = $1 AND event_id = $2
             AND status IN ('active', 'suspended') ORDER BY id LIMIT $3);

-- name: overdue_holds_of_event
SELECT array(SELECT id FROM seat_holds WHERE organization_id = $1 AND event_id = $2 AND status = 'active'
             AND held_until <= app.clock() ORDER BY id);

-- name: live_holds_of_seats
SELECT array(SELECT hold_id FROM event_seats WHERE organization_id = $1 AND event_id = $2 AND seat_id = ANY ($3::uuid[])
             AND status = 'held');

-- name: suspend_holds
-- They are kept and do not count down; seats first, as everywhere.
WITH kept AS (
    UPDATE event_seats SET held_until = 'infinity', version = version + 1
    WHERE organization_id = $1 AND event_id = $2 AND status = 'held' AND held_until > app.clock()
), companions AS (
    UPDATE event_seats SET reserved_until = 'infinity', version = version + 1
    WHERE organization_id = $1 AND event_id = $2 AND status = 'available' AND reserved_until > app.clock()
)
UPDATE seat_holds SET status = 'suspended', held_until = 'infinity', updated_at = app.clock()
WHERE organization_id = $1 AND event_id = $2 AND status = 'active' AND held_until > app.clock();

-- name: resume_holds
-- With a full time from now on, whether they were suspended or ran on.
WITH counting AS (
    UPDATE event_seats SET held_until = app.clock() + make_interval(secs => $3), version = version + 1
    WHERE organization_id = $1 AND event_id = $2 AND status = 'held' AND held_until > app.clock()
), companions AS (
    UPDATE event_seats SET reserved_until = app.clock() + make_interval(secs => $3), version = version + 1
    WHERE organization_id = $1 AND event_id = $2 AND status = 'available' AND reserved_until > app.clock()
)
UPDATE seat_holds SET status = 'active', held_until = app.clock() + make_interval(secs => $3), updated_at = app.clock()
WHERE organization_id = $1 AND event_id = $2 AND status IN ('active', 'suspended') AND held_until > app.clock();

-- name: is_on_sale
-- As the hold statement sees it.
SELECT (status IN ('published', 'live') OR status = 'postponed' AND rescheduled_at IS NOT NULL)
       AND app.clock() BETWEEN sale_start_at AND sale_end_at
FROM events WHERE organization_id = $1 AND id = $2;

-- name: is_in_sale
-- Somebody holds or has bought something.
SELECT EXISTS (SELECT FROM seat_holds WHERE organization_id = $1 AND event_id = $2
               AND status IN ('active', 'suspended') AND held_until > app.clock())
    OR EXISTS (SELECT FROM event_seats WHERE organization_id = $1 AND event_id = $2 AND status = 'sold')
    OR EXISTS (SELECT FROM pools WHERE organization_id = $1 AND event_id = $2 AND sold > 0);

-- name: live_holds
-- All of a show's, whoever has them.
SELECT id AS hold_id, user_id, coalesce(seat_id, zone_id, ticket_type_id) AS place, held_until
FROM seat_holds
WHERE organization_id = $1 AND event_id = $2 AND status IN ('active', 'suspended') AND held_until > app.clock();

-- name: shows_on_sale
-- Across organisations, for those who watch and mirror them.
SELECT organization_id, id AS event_id FROM events
WHERE status IN ('published', 'live', 'postponed') AND app.clock() BETWEEN sale_start_at AND sale_end_at
ORDER BY sale_end_at, id LIMIT 1000;

-- name: holds_of_stopped_shows
-- A show that is cancelled has none, and those of one that is postponed without a date wait.
SELECT count(*) FROM seat_holds h
JOIN events e ON e.organization_id = h.organization_id AND e.id = h.event_id
WHERE h.status IN ('active', 'suspended') AND h.held_until > app.clock()
  AND (e.status = 'cancelled' OR e.status = 'postponed' AND e.rescheduled_at IS NULL AND h.status = 'active');

-- name: hold_endings
SELECT status, count(*) AS holds FROM seat_holds
WHERE organization_id = $1 AND event_id = $2 AND status IN ('converted', 'expired', 'cancelled')
  AND updated_at > app.clock() - interval '1 day'
GROUP BY status;
