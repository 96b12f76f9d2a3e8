-- Statements of the waiting room. Joining, admitting and heartbeats are functions (db/functions/waiting_room).

-- part: columns
organization_id, event_id, mode, state, slots, admit_window_s, opens_at, next_seq, sold_out, seed_hash, sealed_seed,
seed, tickets, drawn, version

-- name: find_room
SELECT {columns} FROM queue_rooms WHERE organization_id = :org AND event_id = :event_id;

-- name: create_room
INSERT INTO queue_rooms (organization_id, event_id) VALUES (:org, :event_id) ON CONFLICT DO NOTHING;

-- name: lock_room
SELECT {columns} FROM queue_rooms WHERE organization_id = :org AND event_id = :event_id FOR UPDATE;

-- name: lock_event
-- Locked before the room, as everywhere. Returns whether the event is on sale now.
SELECT app.why_no_queue(:org, :event_id, 'closed') IS NULL FROM events
WHERE organization_id = :org AND id = :event_id FOR SHARE;

-- name: write_room
UPDATE queue_rooms
SET mode = :mode, state = :state, slots = :slots, admit_window_s = :admit_window_s, opens_at = :opens_at?,
    seed_hash = :seed_hash?,
    sealed_seed = :sealed_seed?, seed = :seed?, tickets = :tickets?, drawn = :drawn, version = version + 1,
    updated_at = app.clock(),
    slots_since = CASE WHEN slots = :slots THEN slots_since ELSE app.clock() END
WHERE organization_id = :org AND event_id = :event_id;

-- name: find_admission
SELECT seq, expires_at FROM queue_entries
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status = 'admitted'
  AND expires_at > app.clock();

-- name: lock_admission
SELECT seq, expires_at FROM queue_entries
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status = 'admitted'
  AND expires_at > app.clock()
FOR UPDATE;

-- name: extend_slot
-- A slot that is overdue but not ended yet still counts, so it can be extended.
UPDATE queue_entries SET expires_at = greatest(expires_at, :until)
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status = 'admitted'
RETURNING seq, expires_at;

-- name: extend_choosing
-- Choosing seats extends the slot by as long as these would be held, up to `at_most` since the admission.
UPDATE queue_entries SET expires_at = greatest(expires_at, least(app.clock() + make_interval(secs => :seconds),
                                                                 admitted_at + :at_most::interval))
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status = 'admitted'
  AND expires_at > app.clock()
RETURNING seq, expires_at;

-- name: end_slots
-- Locked in one order, as everywhere where several end.
WITH inside AS MATERIALIZED (
    SELECT seq FROM queue_entries
    WHERE organization_id = :org AND event_id = :event_id AND user_id = ANY (:user_ids::uuid[]) AND status = 'admitted'
    ORDER BY seq FOR UPDATE
)
UPDATE queue_entries e SET status = :status, ended_at = app.clock()
FROM inside WHERE e.organization_id = :org AND e.event_id = :event_id AND e.seq = inside.seq
RETURNING e.seq AS value;

-- name: is_in_checkout
SELECT EXISTS (SELECT FROM checkout_sessions WHERE organization_id = :org AND event_id = :event_id
               AND user_id = :user_id
               AND (status = 'paying' OR status = 'open' AND expires_at > app.clock()));

-- name: leave_queue
-- Leaving the queue starts a cooldown before joining again; giving up a slot does not.
UPDATE queue_entries SET status = 'left', ended_at = app.clock(),
    cooldown_until = CASE WHEN status = 'waiting' THEN app.clock() + :cooldown::interval END
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status IN ('waiting', 'admitted')
  AND expires_at > app.clock()
RETURNING seq, cooldown_until IS NULL AS was_slot;

-- name: lock_rooms
-- Locked before their entries: joining locks the room, too.
SELECT event_id, state FROM queue_rooms WHERE organization_id = :org AND event_id = ANY (:event_ids::uuid[])
ORDER BY event_id FOR UPDATE;

-- name: lock_places
SELECT event_id, user_id, seq, coalesce(place, seq) AS place, status = 'admitted' AS inside,
       expires_at <= app.clock() AS overdue
FROM queue_entries
WHERE organization_id = :org AND event_id = ANY (:event_ids::uuid[]) AND user_id = ANY (:user_ids::uuid[])
  AND status IN ('waiting', 'admitted')
ORDER BY event_id, seq FOR UPDATE;

-- name: end_place
UPDATE queue_entries SET status = :status, ended_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id AND seq = :seq AND status IN ('waiting', 'admitted');

-- name: hand_over_place
UPDATE queue_entries SET user_id = :user_id
WHERE organization_id = :org AND event_id = :event_id AND seq = :seq AND status IN ('waiting', 'admitted');

-- name: admit_holders_first
-- People who hold seats when the room opens: at the front of the queue, admitted while there are slots, in this order.
WITH room AS (
    SELECT next_seq, slots, admit_window_s FROM queue_rooms WHERE organization_id = :org AND event_id = :event_id
), free AS (
    SELECT room.slots - count(e.seq) AS free FROM room
    LEFT JOIN queue_entries e ON e.organization_id = :org AND e.event_id = :event_id AND e.status = 'admitted'
    GROUP BY room.slots
), people AS (
    SELECT p.user_id, p.until, row_number() OVER (ORDER BY p.n)::integer AS n
    FROM unnest(:user_ids::uuid[], :untils::timestamptz[]) WITH ORDINALITY p (user_id, until, n)
    WHERE NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = :org AND e.event_id = :event_id
                      AND e.user_id = p.user_id AND e.status IN ('waiting', 'admitted'))
), counted AS (
    UPDATE queue_rooms SET next_seq = next_seq + (SELECT count(*) FROM people)
    WHERE organization_id = :org AND event_id = :event_id
)
INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at, expires_at,
                           admitted_at, is_buyer)
SELECT :org, :event_id, room.next_seq + n - 1, room.next_seq + n - 1, user_id,
       CASE WHEN n <= free THEN 'admitted' ELSE 'waiting' END, app.clock(), app.clock(),
       CASE WHEN n <= free THEN greatest(least(until, app.clock() + interval '30 minutes'),
                                      app.clock() + make_interval(secs => admit_window_s))
            ELSE app.clock() + interval '30 minutes' END,
       CASE WHEN n <= free THEN app.clock() END, true
FROM people, room, free
RETURNING seq, status, expires_at;

-- name: admit_people
SELECT app.queue_admit(:org, :sender?, :event_id);

-- name: list_active_rooms
-- Across organisations, for the loop: whether a room is due to open, is drawn, and has nobody waiting.
SELECT r.organization_id, r.event_id, r.state, r.mode, r.drawn, r.state = 'pre' AND r.opens_at <= app.clock() AS due,
       NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = r.organization_id
                   AND e.event_id = r.event_id AND e.status = 'waiting') AS empty
FROM queue_rooms r WHERE r.state <> 'closed' ORDER BY r.organization_id, r.event_id;

-- name: list_due_entries
-- Across organisations: overdue places and slots, the oldest first.
SELECT organization_id, event_id, array_agg(seq) AS seqs
FROM (SELECT organization_id, event_id, seq FROM queue_entries
      WHERE status IN ('waiting', 'admitted') AND expires_at <= app.clock() ORDER BY expires_at LIMIT :limit) AS due
GROUP BY organization_id, event_id;

-- name: expire_entries
WITH overdue AS MATERIALIZED (
    SELECT o.seq FROM queue_entries o
    WHERE o.organization_id = :org AND o.event_id = :event_id AND o.seq = ANY (:seqs::integer[])
      AND o.status IN ('waiting', 'admitted') AND o.expires_at <= app.clock()
    FOR UPDATE SKIP LOCKED
)
UPDATE queue_entries e SET status = 'expired', ended_at = app.clock()
FROM overdue WHERE e.organization_id = :org AND e.event_id = :event_id AND e.seq = overdue.seq
RETURNING e.seq, e.admitted_at IS NOT NULL AS was_slot;

-- name: list_undrawn
SELECT array(SELECT seq FROM queue_entries WHERE organization_id = :org AND event_id = :event_id AND seq <= :last_seq
             AND place IS NULL
             ORDER BY seq LIMIT :limit);

-- name: write_places
-- The lifetime of a drawn place begins now. Whether its owner is present depends on the last heartbeat.
UPDATE queue_entries e SET place = d.place, expires_at = app.clock() + interval '30 minutes'
FROM unnest(:seqs::integer[], :places::integer[]) AS d (seq, place)
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.seq = d.seq;

-- name: mark_drawn
UPDATE queue_rooms SET drawn = true, version = version + 1 WHERE organization_id = :org AND event_id = :event_id;

-- name: is_empty
-- Nobody waits, and a person who joins now would get a slot at once.
SELECT NOT EXISTS (SELECT FROM queue_entries WHERE organization_id = :org AND event_id = :event_id
                   AND status = 'waiting')
   AND (SELECT count(*) FROM queue_entries WHERE organization_id = :org AND event_id = :event_id
        AND status = 'admitted') < :slots;

-- name: load_chunk
-- A chunk of the queue, to be loaded into memory: columns by number, and the numbers that can buy although the event is
-- sold out.
SELECT array_agg(seq) AS seqs,
       array_agg(CASE status WHEN 'waiting' THEN 1 WHEN 'admitted' THEN 2 WHEN 'expired' THEN 3 WHEN 'left' THEN 4
                 ELSE 5 END::smallint) AS codes,
       array_agg(extract(epoch FROM seen_at)::integer) AS seen, array_agg(absent) AS away,
       array_agg(seq) FILTER (WHERE status = 'waiting' AND is_buyer) AS buyers
FROM queue_entries WHERE organization_id = :org AND event_id = :event_id AND seq >= :first_seq AND seq < :end_seq;

-- name: list_slots
SELECT seq, expires_at FROM queue_entries WHERE organization_id = :org AND event_id = :event_id AND status = 'admitted';

-- name: count_recent_admissions
SELECT extract(epoch FROM admitted_at)::float8 AS at_s, count(*)::integer AS people FROM queue_entries
WHERE organization_id = :org AND event_id = :event_id AND admitted_at > app.clock() - interval '15 minutes'
GROUP BY 1 ORDER BY 1;

-- name: count_people
-- Across organisations, for the metrics.
SELECT organization_id, event_id, count(*) FILTER (WHERE status = 'waiting')::integer AS waiting,
       count(*) FILTER (WHERE status = 'admitted')::integer AS admitted
FROM queue_entries WHERE status IN ('waiting', 'admitted') GROUP BY 1, 2;

-- name: join_queue
SELECT * FROM app.queue_join(:org, :sender?, :event_id, :user_ids, :promo_codes[?]);

-- name: write_heartbeats
SELECT * FROM app.queue_heartbeats(:org, :sender?, :event_id, :seqs, :every_s);
