-- Outcomes of holds and checkouts. An overdue hold counts as expired, even if the sweep has not run.

-- part: show
e.id AS event_id, e.name, e.status, e.start_at, e.rescheduled_at, e.timezone, e.capacity,
CASE e.status WHEN 'cancelled' THEN e.cancellation_reason WHEN 'postponed' THEN e.postponement_reason END AS reason,
coalesce(e.rescheduled_at, e.start_at) AS date

-- part: fate
CASE h.status WHEN 'converted' THEN 'sold' WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'released'
              WHEN 'active' THEN CASE WHEN h.held_until <= app.clock() THEN 'expired' ELSE 'live' END
              ELSE 'live' END

-- part: in_checkout
-- The holds of an event that reached a checkout. A late payment has holds of its own, which only its order names.
SELECT i.hold_id FROM checkout_sessions s
JOIN checkout_items i ON i.organization_id = s.organization_id AND i.session_id = s.id
WHERE s.organization_id = :org AND s.event_id = p.event_id
UNION
SELECT l.hold_id FROM orders o
JOIN order_lines l ON l.organization_id = o.organization_id AND l.order_id = o.id
WHERE o.organization_id = :org AND o.event_id = p.event_id

-- part: counted
-- For each event in `page`. Live holds are counted for all events at once: their index has no event_id.
counting AS (
    SELECT h.event_id, {fate} AS fate, count(*) AS holds, sum(h.quantity) AS places
    FROM seat_holds h
    WHERE h.organization_id = :org AND h.status = 'active' AND h.event_id IN (SELECT event_id FROM page)
    GROUP BY 1, 2
)
SELECT p.event_id, p.name, p.status, p.start_at, p.rescheduled_at, p.timezone, p.capacity, p.reason,
       h.placed, h.sold, h.expired, h.released, h.live, h.places, h.places_sold,
       (SELECT count(*) FROM ({in_checkout}) held)::integer AS in_checkout,
       c.started, c.bought, c.given_up, c.ran_out, c.stopped, c.open
FROM page p
CROSS JOIN LATERAL (
    SELECT coalesce(sum(holds), 0)::integer AS placed,
           coalesce(sum(holds) FILTER (WHERE fate = 'sold'), 0)::integer AS sold,
           coalesce(sum(holds) FILTER (WHERE fate = 'expired'), 0)::integer AS expired,
           coalesce(sum(holds) FILTER (WHERE fate = 'released'), 0)::integer AS released,
           coalesce(sum(holds) FILTER (WHERE fate = 'live'), 0)::integer AS live,
           coalesce(sum(places), 0)::integer AS places,
           coalesce(sum(places) FILTER (WHERE fate = 'sold'), 0)::integer AS places_sold
    FROM (SELECT {fate} AS fate, count(*) AS holds, sum(h.quantity) AS places
          FROM (SELECT status, quantity, NULL::timestamptz AS held_until FROM seat_holds
                WHERE organization_id = :org AND event_id = p.event_id AND status <> 'active') h
          GROUP BY 1
          UNION ALL SELECT fate, holds, places FROM counting WHERE event_id = p.event_id) fates) h
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS started,
           count(*) FILTER (WHERE fate = 'bought')::integer AS bought,
           count(*) FILTER (WHERE fate = 'left')::integer AS given_up,
           count(*) FILTER (WHERE fate = 'expired')::integer AS ran_out,
           count(*) FILTER (WHERE fate = 'stopped')::integer AS stopped,
           count(*) FILTER (WHERE fate = 'open')::integer AS open
    FROM (SELECT CASE WHEN o.paid THEN 'bought' WHEN o.asked OR s.status = 'paying' THEN 'open'
                      WHEN s.status = 'cancelled' THEN 'stopped' WHEN s.status = 'expired' THEN 'expired'
                      WHEN s.status = 'open' THEN CASE WHEN s.expires_at <= app.clock() THEN 'expired' ELSE 'open' END
                      ELSE 'left' END AS fate
          -- A restarted checkout ended at the moment at which its buyer's next one began.
          FROM (SELECT id, status, expires_at, updated_at,
                       lead(created_at) OVER (PARTITION BY user_id ORDER BY created_at, id) AS next_at
                FROM checkout_sessions WHERE organization_id = :org AND event_id = p.event_id) s
          LEFT JOIN (SELECT session_id, bool_or(paid_at IS NOT NULL) AS paid, bool_or(status = 'needs_consent') AS asked
                     FROM orders WHERE organization_id = :org AND event_id = p.event_id GROUP BY 1) o
                 ON o.session_id = s.id
          WHERE s.status <> 'left' OR s.next_at IS DISTINCT FROM s.updated_at) fates) c

-- name: list_reports
-- Announced events, the latest date first.
WITH page AS MATERIALIZED (
    SELECT {show} FROM events e
    WHERE e.organization_id = :org AND e.status <> 'draft' AND (:status?::text IS NULL OR e.status = :status)
      AND (:since?::timestamptz IS NULL OR coalesce(e.rescheduled_at, e.start_at) >= :since)
      AND (:until?::timestamptz IS NULL OR coalesce(e.rescheduled_at, e.start_at) < :until)
      AND (:after_at?::timestamptz IS NULL
           OR (coalesce(e.rescheduled_at, e.start_at), e.id) < (:after_at, :after_id?::uuid))
    ORDER BY coalesce(e.rescheduled_at, e.start_at) DESC, e.id DESC LIMIT :limit
), {counted}
ORDER BY p.date DESC, p.event_id DESC;

-- name: find_report
WITH page AS MATERIALIZED (
    SELECT {show} FROM events e WHERE e.organization_id = :org AND e.id = :event_id
), {counted};

-- name: report_days
-- By the day, in the event's time zone, on which a hold was placed.
WITH bound AS MATERIALIZED (
    SELECT held.hold_id FROM (SELECT :event_id::uuid AS event_id) p CROSS JOIN LATERAL ({in_checkout}) held
)
SELECT day, count(*)::integer AS placed, count(hold_id)::integer AS in_checkout,
       count(*) FILTER (WHERE fate = 'sold')::integer AS sold,
       count(*) FILTER (WHERE fate = 'expired')::integer AS expired,
       count(*) FILTER (WHERE fate = 'released')::integer AS released,
       count(*) FILTER (WHERE fate = 'live')::integer AS live
FROM (SELECT (h.created_at AT TIME ZONE :timezone::text)::date AS day, {fate} AS fate, b.hold_id
      FROM (SELECT id, status, held_until, created_at FROM seat_holds
            WHERE organization_id = :org AND event_id = :event_id AND status <> 'active'
            UNION ALL
            SELECT id, status, held_until, created_at FROM seat_holds
            WHERE organization_id = :org AND event_id = :event_id AND status = 'active') h
      LEFT JOIN bound b ON b.hold_id = h.id) fates
GROUP BY day ORDER BY day;

-- name: time_to_sale
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM updated_at - created_at)) FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND status = 'converted';

-- name: released_by_house
-- Released by anybody except the holder, by the audit row of the same moment.
SELECT count(*) FROM seat_holds h
JOIN audit_log a ON a.organization_id = h.organization_id AND a.entity_type = 'seat_hold' AND a.entity_id = h.id
                AND a.created_at = h.updated_at AND a.action = 'hold.cancelled'
WHERE h.organization_id = :org AND h.event_id = :event_id AND h.status = 'cancelled'
  AND (a.actor_type <> 'user' OR a.actor_id IS DISTINCT FROM h.user_id);
