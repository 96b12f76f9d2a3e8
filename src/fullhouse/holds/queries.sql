-- Statements on holds. Placing and ending holds are functions (db/functions/holds): one call for a batch.

-- part: hold
id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id, quantity, status,
CASE WHEN held_until < 'infinity' THEN held_until END AS held_until,
CASE WHEN held_until < 'infinity' THEN floor(extract(epoch FROM held_until) * 1000)::bigint END AS held_until_unix_ms,
source, created_at

-- part: frozen
(SELECT f.seat_id FROM seat_holds f WHERE f.organization_id = :org AND f.event_id = :event_id
 AND f.attempt_id IS NOT NULL
 AND f.status = 'active' AND f.seat_id IS NOT NULL)

-- name: list_my_holds
SELECT {hold} FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status IN ('active', 'suspended')
  AND held_until > app.clock()
ORDER BY created_at, id;

-- name: list_unsold_zones
-- The same check as in the hold statement.
SELECT z.zone_id, s.outcome
FROM event_zones z
CROSS JOIN LATERAL (SELECT app.check_zone_sale(z.organization_id, z.event_id, z.zone_id, true, :promo_code?::text,
                                               app.clock())
                    AS outcome) s
WHERE z.organization_id = :org AND z.event_id = :event_id AND z.zone_id = ANY (:zone_ids::uuid[])
  AND s.outcome IS NOT NULL;

-- name: find_type_limit
SELECT name, max_per_order AS most FROM ticket_types
WHERE organization_id = :org AND event_id = :event_id AND id = :ticket_type_id;

-- name: list_kept_companions
-- The companion seats that are kept for this person beside these wheelchair spaces, nearest first. A space comes with
-- one companion seat (R9): if they hold one already, no other is offered.
SELECT c.companion_of, c.seat_id, s.seat_key, c.zone_id, z.name AS block_name, s.row_label AS row,
       s.number AS seat_number, coalesce(l.pricing_zones ->> c.zone_id::text, s.price_category, z.price_category)
           AS price_category
FROM event_seats c
JOIN event_seats w ON w.organization_id = :org AND w.event_id = :event_id AND w.seat_id = c.companion_of
JOIN seats s ON s.organization_id = :org AND s.id = c.seat_id
JOIN event_zones z ON z.organization_id = :org AND z.event_id = :event_id AND z.zone_id = c.zone_id
JOIN event_layouts l ON l.organization_id = :org AND l.event_id = :event_id
WHERE c.organization_id = :org AND c.event_id = :event_id AND c.companion_of = ANY (:seat_ids::uuid[])
  AND c.reserved_for = :user_id AND c.reserved_until > app.clock()
  AND (c.status = 'available' OR c.status = 'held' AND c.held_until <= app.clock())
  AND NOT EXISTS (SELECT FROM event_seats m JOIN seat_holds h ON h.organization_id = :org AND h.id = m.hold_id
                  WHERE m.organization_id = :org AND m.event_id = :event_id AND m.companion_of = c.companion_of
                    AND m.status = 'held' AND m.held_until > app.clock() AND h.user_id = :user_id)
ORDER BY c.companion_of, abs(c.ordinal - w.ordinal), c.ordinal;

-- name: list_chosen_seats
-- The seats of these holds. A seat that was picked alone was never checked for orphans; and the check of a basket is
-- void once one of its seats was released.
SELECT h.id AS hold_id, h.seat_id, h.created_at AS since,
       h.basket_id <> h.id AND NOT EXISTS (
           SELECT FROM seat_holds b WHERE b.organization_id = :org AND b.user_id = :user_id AND b.event_id = :event_id
           AND b.basket_id = h.basket_id AND b.status = 'cancelled') AS judged
FROM seat_holds h
WHERE h.organization_id = :org AND h.event_id = :event_id AND h.user_id = :user_id AND h.id = ANY (:hold_ids::uuid[])
  AND h.seat_id IS NOT NULL;

-- name: list_current_seats
SELECT s.ordinal, CASE WHEN s.status IN ('sold', 'blocked') OR s.status = 'held' AND s.held_until > app.clock()
                           THEN 'taken'
                       WHEN s.reserved_until > app.clock() THEN 'kept' ELSE 'free' END AS state,
       CASE s.status WHEN 'held' THEN (SELECT h.created_at FROM seat_holds h
                                       WHERE h.organization_id = :org AND h.id = s.hold_id)
                     WHEN 'sold' THEN (SELECT max(h.created_at) FROM seat_holds h
                                       WHERE h.organization_id = :org AND h.event_id = :event_id
                                         AND h.seat_id = s.seat_id
                                         AND h.status = 'converted') END AS since
FROM event_seats s
WHERE s.organization_id = :org AND s.event_id = :event_id AND s.seat_id = ANY (:seat_ids::uuid[]);

-- name: read_usage
SELECT coalesce(sum(quantity) FILTER (WHERE live), 0)::integer AS places, (count(*) FILTER (WHERE live))::integer
       AS holds,
       (count(*) FILTER (WHERE created_at > app.clock() - make_interval(secs => :window_s)))::integer AS recent
FROM (SELECT quantity, created_at,
             event_id = :event_id AND status IN ('active', 'suspended') AND held_until > app.clock() AS live
      FROM seat_holds WHERE organization_id = :org AND user_id = :user_id) h;

-- name: list_holds_of_basket
-- The baskets that an idempotency key may have created: the same request's, or one with another body.
SELECT {hold} FROM seat_holds
WHERE organization_id = :org AND keyed AND basket_id BETWEEN :first_id AND :last_id ORDER BY created_at, id;

-- name: find_hold
SELECT {hold} FROM seat_holds WHERE organization_id = :org AND id = :hold_id;

-- name: end_holds
SELECT hold_id, event_id, user_id, seat_id, quantity, ordinal, zone_id, ticket_type_id, held_until, age_s, version,
       held,
       sold, kept
FROM app.end_holds(:org, :hold_ids, :ending, :overdue_only, :actor_type, :actor_id?, :actor_name?, :reason?, :ip?,
                   :user_agent?, :request_id?);

-- name: record_refusals
-- Refusals made before the hold statement ran, in the same form as it writes its own (app.answer_hold).
INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id, after,
                       reason, ip, user_agent, request_id)
SELECT gen_random_uuid(), :org, app.clock(), 'user', f.user_id, 'seat_reserve_failed', 'event', f.event_id,
       jsonb_strip_nulls(jsonb_build_object('seat_id', f.seat_id, 'reason', f.code)), f.reason, f.ip, f.user_agent,
       f.request_id
FROM unnest(:event_ids::uuid[], :seat_ids[?]::uuid[], :codes::text[], :reasons::text[], :user_ids[?]::uuid[],
            :ips[?]::text[], :user_agents[?]::text[], :request_ids[?]::text[])
     AS f (event_id, seat_id, code, reason, user_id, ip, user_agent, request_id);

-- name: list_due_holds
-- For the sweep, across organisations: overdue holds, the oldest first.
SELECT organization_id, array_agg(id) AS ids
FROM (SELECT organization_id, id FROM seat_holds WHERE status = 'active' AND held_until <= app.clock()
      ORDER BY held_until LIMIT :limit) AS due
GROUP BY organization_id;

-- name: lock_events_of_holds
-- Events before seats: cancelling or postponing an event locks its seats in another order. An event that is being
-- changed is skipped: its holds end with that change, or in the next sweep.
WITH due AS MATERIALIZED (
    SELECT h.id, h.event_id FROM seat_holds h WHERE h.organization_id = :org AND h.id = ANY (:hold_ids::uuid[])
), ours AS MATERIALIZED (
    SELECT e.id FROM events e WHERE e.organization_id = :org AND e.id IN (SELECT event_id FROM due)
    ORDER BY e.id FOR SHARE SKIP LOCKED
)
SELECT array(SELECT due.id FROM due JOIN ours ON ours.id = due.event_id);

-- name: list_live_holds_of_event
-- Without those whose payment is running: its outcome decides.
SELECT array(SELECT id FROM seat_holds WHERE organization_id = :org AND event_id = :event_id
             AND status IN ('active', 'suspended') AND attempt_id IS NULL ORDER BY id LIMIT :limit);

-- name: list_overdue_holds
SELECT array(SELECT id FROM seat_holds WHERE organization_id = :org AND event_id = ANY (:event_ids::uuid[])
             AND status = 'active'
             AND held_until <= app.clock() ORDER BY id);

-- name: lock_pools_of_events
SELECT FROM pools WHERE organization_id = :org AND event_id = ANY (:event_ids::uuid[])
ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: fit_event_pools
-- A trigger does this at the commit; done here, later reads in this transaction see the new limit.
SELECT FROM app.fit_event_pools(:org, :event_ids);

-- name: list_lowered_limits
-- Events whose limit is below that of their pool, or that have no pool yet, with what is held and sold on the fullest
-- day.
SELECT e.id AS event_id, e.name, l.capacity, (coalesce(p.held, t.held) + coalesce(d.held, 0))::integer AS held,
       (coalesce(p.sold, t.sold) + coalesce(d.sold, 0))::integer AS sold
FROM events e
CROSS JOIN LATERAL (SELECT app.event_limit(:org, e.id) AS capacity) l
LEFT JOIN pools p ON p.organization_id = :org AND p.event_id = e.id AND p.kind = 'event'
LEFT JOIN LATERAL app.taken_places(:org, e.id) t ON p.event_id IS NULL
LEFT JOIN LATERAL (
    SELECT sum(n.held) AS held, sum(n.sold) AS sold
    FROM app.taken_by_day(:org, e.id) n
    JOIN ticket_types y ON y.organization_id = :org AND y.id = n.ticket_type_id
    CROSS JOIN LATERAL unnest(y.valid_days) AS on_day
    GROUP BY on_day ORDER BY sum(n.held + n.sold) DESC LIMIT 1) d ON true
WHERE e.organization_id = :org AND e.id = ANY (:event_ids::uuid[])
  AND (p.event_id IS NULL OR l.capacity < coalesce(p.shrinks_to, p.capacity)) AND l.capacity IS NOT NULL
ORDER BY e.start_at, e.id;

-- name: list_live_holds_of_seats
-- Joined with live holds: a seat row may say `held` although its hold has ended.
SELECT array(SELECT h.id FROM event_seats s
             JOIN seat_holds h ON h.organization_id = :org AND h.id = s.hold_id AND h.status IN ('active', 'suspended')
             WHERE s.organization_id = :org AND s.event_id = :event_id AND s.seat_id = ANY (:seat_ids::uuid[])
               AND s.status = 'held');

-- name: list_holds_of_seats
SELECT seat_id, hold_id FROM event_seats
WHERE organization_id = :org AND event_id = :event_id AND seat_id = ANY (:seat_ids::uuid[]) AND status = 'held'
  AND hold_id IS NOT NULL
ORDER BY seat_id;

-- name: suspend_holds
-- Their time stops. Seats are updated before holds, as everywhere, to avoid deadlocks.
WITH kept AS (
    UPDATE event_seats SET held_until = 'infinity', version = version + 1
    WHERE organization_id = :org AND event_id = :event_id AND status = 'held' AND held_until > app.clock()
), companions AS (
    UPDATE event_seats SET reserved_until = 'infinity', version = version + 1
    WHERE organization_id = :org AND event_id = :event_id AND status = 'available' AND reserved_until > app.clock()
)
UPDATE seat_holds SET status = 'suspended', held_until = 'infinity', updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id AND status = 'active' AND held_until > app.clock();

-- name: resume_holds
-- Gives them a full time from now on, whether they were suspended or not. Frozen ones are left as they are.
WITH counting AS (
    UPDATE event_seats SET held_until = app.clock() + make_interval(secs => :ttl_s), version = version + 1
    WHERE organization_id = :org AND event_id = :event_id AND status = 'held' AND held_until > app.clock()
      AND seat_id NOT IN {frozen}
), companions AS (
    -- Of held wheelchair spaces only: beside a sold one, companion seats stay reserved without a limit.
    UPDATE event_seats c SET reserved_until = app.clock() + make_interval(secs => :ttl_s), version = c.version + 1
    FROM event_seats w
    WHERE c.organization_id = :org AND c.event_id = :event_id AND c.status = 'available'
      AND c.reserved_until > app.clock()
      AND w.organization_id = :org AND w.event_id = :event_id AND w.seat_id = c.companion_of AND w.status = 'held'
      AND w.seat_id NOT IN {frozen}
)
UPDATE seat_holds
SET status = 'active', held_until = app.clock() + make_interval(secs => :ttl_s), updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id AND status IN ('active', 'suspended')
  AND held_until > app.clock();

-- name: is_on_sale
-- The same conditions as in the hold statement.
SELECT (status IN ('published', 'live') OR status = 'postponed' AND rescheduled_at IS NOT NULL)
       AND app.clock() BETWEEN sale_start_at AND sale_end_at
FROM events WHERE organization_id = :org AND id = :event_id;

-- name: is_in_sale
-- Whether anything is held or sold.
SELECT EXISTS (SELECT FROM seat_holds WHERE organization_id = :org AND event_id = :event_id
               AND status IN ('active', 'suspended') AND held_until > app.clock())
    OR EXISTS (SELECT FROM event_seats WHERE organization_id = :org AND event_id = :event_id AND status = 'sold')
    OR EXISTS (SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id AND sold > 0)
    OR EXISTS (SELECT FROM day_places WHERE organization_id = :org AND event_id = :event_id AND sold > 0);

-- name: list_holders
-- People who hold something when the waiting room opens, by when they began.
SELECT user_id, max(held_until) AS until FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND status IN ('active', 'suspended') AND held_until > app.clock()
GROUP BY user_id ORDER BY min(created_at), user_id;

-- name: list_live_holds
-- All live holds of an event.
SELECT id AS hold_id, user_id, coalesce(seat_id, zone_id, ticket_type_id) AS place, held_until
FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND status IN ('active', 'suspended')
  AND held_until > app.clock();

-- name: count_people_inside
-- As the gates have counted today.
SELECT coalesce(sum(c.inside), 0)::integer
FROM events e
JOIN scan_counts c ON c.organization_id = :org AND c.event_id = e.id AND c.kind = 'event'
                  AND c.day = app.day_of(app.clock(), e.timezone, e.settings)
WHERE e.organization_id = :org AND e.id = :event_id;

-- name: list_events_on_sale
-- Across organisations, for the sale monitor and the mirror in Redis.
SELECT organization_id, id AS event_id FROM events
WHERE status IN ('published', 'live', 'postponed') AND app.clock() BETWEEN sale_start_at AND sale_end_at
ORDER BY sale_end_at, id LIMIT 1000;

-- name: list_stopped_events
-- Cancelled events, and events postponed without a new date, that still have live tickets (not refunded yet, or their
-- holders wait for the new date) or live holds. `wrong` counts the holds that should not be live: all of a cancelled
-- event, and those of a postponed one that are not suspended.
WITH stopped AS MATERIALIZED (
    SELECT organization_id, id, venue_id, status FROM events
    WHERE status = 'cancelled' OR status = 'postponed' AND rescheduled_at IS NULL
), valid AS (
    SELECT e.id, count(*)::integer AS tickets
    FROM stopped e JOIN tickets t ON t.organization_id = e.organization_id AND t.event_id = e.id AND t.status = 'valid'
    GROUP BY 1
), live AS (
    SELECT e.id, count(*)::integer AS holds,
           (count(*) FILTER (WHERE e.status = 'cancelled' OR h.status = 'active'))::integer AS wrong
    FROM stopped e JOIN seat_holds h ON h.organization_id = e.organization_id AND h.event_id = e.id
                                    AND h.status IN ('active', 'suspended') AND h.held_until > app.clock()
    GROUP BY 1
)
SELECT e.organization_id, e.id AS event_id, e.venue_id, e.status, coalesce(v.tickets, 0) AS tickets,
       coalesce(l.holds, 0) AS holds, coalesce(l.wrong, 0) AS wrong
FROM stopped e LEFT JOIN valid v USING (id) LEFT JOIN live l USING (id)
WHERE v.tickets > 0 OR l.holds > 0
ORDER BY e.organization_id, e.id;

-- name: count_endings
SELECT status, count(*) AS holds FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND status IN ('converted', 'expired', 'cancelled')
  AND updated_at > app.clock() - interval '1 day'
GROUP BY status;

-- name: count_endings_by_hour
-- The last 24 hours, including those without endings, so that a spike can be compared with its neighbours. Holds are
-- aggregated before the join, in one scan.
WITH ended AS (
    SELECT date_trunc('hour', updated_at) AS hour, status, count(*) AS holds FROM seat_holds
    WHERE organization_id = :org AND event_id = ANY (:event_ids::uuid[])
      AND status IN ('converted', 'expired', 'cancelled')
      AND updated_at >= date_trunc('hour', app.clock()) - interval '23 hours'
    GROUP BY 1, 2
)
SELECT hour, coalesce(sum(holds) FILTER (WHERE status = 'converted'), 0)::bigint AS converted,
       coalesce(sum(holds) FILTER (WHERE status = 'expired'), 0)::bigint AS expired,
       coalesce(sum(holds) FILTER (WHERE status = 'cancelled'), 0)::bigint AS cancelled
FROM generate_series(date_trunc('hour', app.clock()) - interval '23 hours', date_trunc('hour', app.clock()),
                     interval '1 hour') AS hour
LEFT JOIN ended USING (hour) GROUP BY hour ORDER BY hour;

-- Holds that are paid for --------------------------------------------------------------------------

-- name: freeze_holds
SELECT app.freeze_holds(:org, :event_id, :user_id, :hold_ids, :attempt_id);

-- name: thaw_holds
SELECT app.thaw_holds(:org, :event_id, :hold_ids, :attempt_id);

-- name: prolong_holds
SELECT hold_id, event_id, user_id, seat_id, zone_id, ticket_type_id, held_before, held_until, ordinal, version,
       NULL::integer AS quantity
FROM app.prolong_holds(:org, :event_id, :hold_ids, :until);

-- name: list_deadlines
-- The live ones among these holds, with their deadlines before the payment and now.
SELECT h.id AS hold_id, h.event_id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id,
       coalesce(h.held_before, 'infinity') AS held_before, h.held_until, s.ordinal, s.version, h.quantity
FROM seat_holds h
LEFT JOIN event_seats s ON s.organization_id = :org AND s.event_id = h.event_id AND s.seat_id = h.seat_id
                       AND s.hold_id = h.id
WHERE h.organization_id = :org AND h.id = ANY (:hold_ids::uuid[]) AND h.status IN ('active', 'suspended');

-- name: list_companion_versions
-- The companion seats that are reserved beside these wheelchair spaces.
SELECT ordinal, version FROM event_seats
WHERE organization_id = :org AND event_id = :event_id AND companion_of = ANY (:seat_ids::uuid[])
  AND status = 'available'
  AND reserved_until > app.clock();

-- name: detach_payment
-- Detaches the payment, so that they can be ended.
UPDATE seat_holds SET attempt_id = NULL, updated_at = app.clock()
WHERE organization_id = :org AND id = ANY (:hold_ids::uuid[]) AND status = 'active' AND attempt_id IS NOT NULL;

-- Handing over a guest's holds at sign-in -------------------------------------------------------------

-- part: comes_along
h.organization_id = :org AND h.event_id = ANY (:event_ids::uuid[]) AND h.user_id = :user_id
    AND h.status IN ('active', 'suspended')
AND h.held_until > app.clock() AND h.attempt_id IS NULL AND h.source <> 'waitlist'

-- name: lock_users
-- The same advisory locks as `app.hold` takes, in the same order.
SELECT pg_advisory_xact_lock(k.key)::text
FROM (SELECT hashtextextended('user:' || u, 0) AS key FROM unnest(:user_ids::uuid[]) u ORDER BY 1) k;

-- name: lock_pools_of_guest
-- All pools that the release of surplus holds, or of what a checkout counted of ticket types, may change; in one order.
SELECT FROM pools p
WHERE p.organization_id = :org AND p.event_id = ANY (:event_ids::uuid[])
  AND (p.kind = 'ticket_type' AND p.ref_id = ANY (:type_ids::uuid[]) OR (p.event_id, p.kind, p.ref_id) IN (
    SELECT h.event_id, k.kind, k.ref_id
    FROM seat_holds h CROSS JOIN LATERAL (VALUES
        ('event', h.event_id), ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END),
        ('ticket_type', h.ticket_type_id)) AS k (kind, ref_id)
    WHERE {comes_along}))
ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;

-- name: lock_seats_of_guest
-- Seats and companion seats together, in the order of app.end_holds.
SELECT FROM event_seats s
WHERE s.organization_id = :org AND (s.event_id, s.seat_id) IN (
    SELECT h.event_id, n.seat_id
    FROM seat_holds h
    JOIN event_seats e ON e.organization_id = :org AND (e.event_id, e.seat_id) = (h.event_id, h.seat_id)
    CROSS JOIN LATERAL (
        VALUES (e.seat_id), (e.companion_of)
        UNION ALL SELECT c.seat_id FROM event_seats c
        WHERE c.organization_id = :org AND c.event_id = e.event_id AND c.companion_of = e.seat_id) AS n (seat_id)
    WHERE {comes_along})
ORDER BY s.event_id, s.seat_id FOR UPDATE;

-- name: lock_holds_of_guest
-- The oldest basket first, the holds of a basket together.
SELECT h.id AS hold_id, h.event_id, h.basket_id, h.quantity, coalesce(s.category = 'wheelchair', false) AS wheelchair
FROM seat_holds h LEFT JOIN seats s ON s.organization_id = :org AND s.id = h.seat_id
WHERE {comes_along}
ORDER BY h.event_id, h.created_at, h.basket_id, h.id FOR UPDATE OF h;

-- name: read_load
SELECT count(*)::integer AS holds, count(*) FILTER (WHERE s.category = 'wheelchair')::integer AS wheelchairs,
       coalesce(sum(h.quantity), 0)::integer AS places
FROM seat_holds h LEFT JOIN seats s ON s.organization_id = :org AND s.id = h.seat_id
WHERE h.organization_id = :org AND h.event_id = :event_id AND h.user_id = :user_id
  AND h.status IN ('active', 'suspended')
  AND h.held_until > app.clock();

-- name: read_booking_load
-- The load of these holds. A waitlist offer has the size that was asked for: alone, it is within every limit.
SELECT count(*)::integer AS holds, count(*) FILTER (WHERE s.category = 'wheelchair')::integer AS wheelchairs,
       coalesce(sum(h.quantity), 0)::integer AS places
FROM seat_holds h LEFT JOIN seats s ON s.organization_id = :org AND s.id = h.seat_id
WHERE h.organization_id = :org AND h.id = ANY (:hold_ids::uuid[])
HAVING bool_or(h.source <> 'waitlist');

-- name: hand_over
-- Seats and holds are locked by the caller. The seats' versions are incremented because mirrors show the holder.
WITH handed AS (
    UPDATE seat_holds h SET user_id = :user_id, updated_at = app.clock()
    WHERE h.organization_id = :org AND h.id = ANY (:hold_ids::uuid[]) AND h.user_id = :guest_id
      AND h.status IN ('active', 'suspended') AND h.held_until > app.clock() AND h.attempt_id IS NULL
    RETURNING h.id, h.event_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_until
), seated AS (
    UPDATE event_seats s SET version = s.version + 1
    FROM handed h
    WHERE s.organization_id = :org AND s.event_id = h.event_id AND s.seat_id = h.seat_id AND s.hold_id = h.id
    RETURNING s.event_id, s.seat_id, s.ordinal, s.version
), audited AS (
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                           before,
                           after, ip, user_agent, request_id)
    SELECT gen_random_uuid(), :org, app.clock(), 'user', :user_id, 'hold.handed_over', 'seat_hold', h.id,
           jsonb_build_object('user_id', :guest_id::uuid), jsonb_strip_nulls(jsonb_build_object('user_id',
           :user_id::uuid,
               'event_id', h.event_id, 'seat_id', h.seat_id, 'zone_id', h.zone_id, 'quantity', h.quantity)), :ip?,
               :user_agent?, :request_id?
    FROM handed h
), announced AS (
    INSERT INTO outbox (id, organization_id, name, subject_id, payload)
    SELECT gen_random_uuid(), :org, 'hold.handed_over', h.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
               'subject_id', h.id, 'event_id', h.event_id, 'seat_id', h.seat_id, 'zone_id', h.zone_id,
               'ticket_type_id', h.ticket_type_id, 'quantity', h.quantity, 'user_id', :user_id::uuid, 'guest_id',
               :guest_id::uuid))
    FROM handed h
)
SELECT h.id AS hold_id, h.event_id, h.seat_id, h.zone_id, h.ticket_type_id, h.held_until, s.ordinal, s.version
FROM handed h LEFT JOIN seated s USING (event_id, seat_id);

-- name: keep_companions
SELECT ordinal, version FROM app.keep_companions(:org, :event_id, :seat_ids);

-- name: place_holds
-- A batch of requests. Events with a waitlist serve the people on it first.
SELECT * FROM app.hold_in_turn(:org, :sender?, :lines);
