-- Waitlists. Functions make the offers (db/functions/waitlist); a trigger updates entries when the holds of an offer
-- end.

-- part: entry
e.id, e.event_id, e.seq, e.user_id, e.email, e.party, e.zone_key, e.ticket_type_id, e.accessible, e.status, e.basket_id,
e.answer_by, e.created_at, e.updated_at,
CASE e.status WHEN 'waiting' THEN (
    SELECT count(*) FROM waitlist_entries b WHERE b.organization_id = e.organization_id AND b.event_id = e.event_id
    AND b.status = 'waiting' AND b.seq < e.seq) END AS ahead

-- name: find_list
SELECT event_id, enabled, window_s, layout_id FROM waitlists WHERE organization_id = :org AND event_id = :event_id;

-- name: lock_list
SELECT event_id, enabled, window_s, layout_id FROM waitlists
WHERE organization_id = :org AND event_id = :event_id FOR UPDATE;

-- name: insert_list
-- Of two concurrent requests, one creates the row.
INSERT INTO waitlists (organization_id, event_id) VALUES (:org, :event_id) ON CONFLICT DO NOTHING;

-- name: update_list
UPDATE waitlists SET enabled = :enabled, window_s = :window_s, updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id
RETURNING event_id, enabled, window_s, layout_id;

-- name: set_neighbours
UPDATE waitlists
SET layout_id = :layout_id?, run_starts = :run_starts, whole_seats = :whole_seats, chair_seats = :chair_seats
WHERE organization_id = :org AND event_id = :event_id;

-- name: insert_entry
WITH counted AS (
    UPDATE waitlists SET next_seq = next_seq + 1
    WHERE organization_id = :org AND event_id = :event_id RETURNING next_seq - 1 AS seq
)
INSERT INTO waitlist_entries (id, organization_id, event_id, seq, user_id, email, secret_hash, party, zone_key,
                              ticket_type_id, accessible)
SELECT :id, :org, :event_id, counted.seq, :user_id, :email, :secret_hash, :party, :zone_key?, :ticket_type_id?,
       :accessible FROM counted;

-- name: entry_by_id
SELECT {entry} FROM waitlist_entries e WHERE e.organization_id = :org AND e.id = :entry_id;

-- name: find_newest_entry
-- The newest entry of a user for an event.
SELECT {entry} FROM waitlist_entries e
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.user_id = :user_id ORDER BY e.seq DESC LIMIT 1;

-- name: entry_by_secret
SELECT {entry} FROM waitlist_entries e WHERE e.organization_id = :org AND e.secret_hash = :secret_hash;

-- name: leave_entry
UPDATE waitlist_entries SET status = 'left' WHERE organization_id = :org AND id = :entry_id AND status = 'waiting';

-- name: close_list
UPDATE waitlist_entries SET status = 'left'
WHERE organization_id = :org AND event_id = :event_id AND status = 'waiting';

-- name: list_holds_of_offer
SELECT h.id AS hold_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, coalesce(z.name, t.name) AS zone_name,
       s.row_label AS row, s.number AS seat_number
FROM seat_holds h
LEFT JOIN event_zones z ON z.organization_id = :org AND z.event_id = h.event_id AND z.zone_id = h.zone_id
LEFT JOIN ticket_types t ON t.organization_id = :org AND t.id = h.ticket_type_id
LEFT JOIN seats s ON s.organization_id = :org AND s.id = h.seat_id
WHERE h.organization_id = :org AND h.basket_id = :basket_id? AND h.source = 'waitlist'
  AND h.status IN ('active', 'suspended')
  AND h.held_until > app.clock()
ORDER BY s.ordinal, h.id;

-- name: list_offered_hold_ids
-- All holds of each offer that includes one of these seats; of every offer, if none is given. Holds in payment stay.
SELECT array(
    SELECT h.id FROM waitlist_entries e
    JOIN seat_holds h ON h.organization_id = :org AND h.basket_id = e.basket_id AND h.source = 'waitlist'
    WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'offered'
      AND h.status IN ('active', 'suspended')
      AND h.attempt_id IS NULL
      AND (:seat_ids?::uuid[] IS NULL OR EXISTS (
          SELECT FROM seat_holds o
          WHERE o.organization_id = :org AND o.basket_id = e.basket_id AND o.source = 'waitlist'
          AND o.status IN ('active', 'suspended') AND o.seat_id = ANY (:seat_ids)))
    ORDER BY h.id);

-- name: set_withdrawing
SELECT set_config('app.withdrawing', :event_id, true);

-- name: offer_places
-- :rounds limits the offers per call: other holds of the event wait for this transaction.
SELECT outcome, hold_id, held_until, event_id, ordinal, zone_id, version, held, sold, user_id, seat_id, kind, ref_id,
       quantity
FROM app.offer_places(:org, :event_id, NULL, most => :rounds);

-- name: wheelchair_places
SELECT array(SELECT id FROM seats WHERE organization_id = :org AND id = ANY (:seat_ids::uuid[])
             AND category = 'wheelchair');

-- name: has_places
-- Not `IS NOT NULL`, which is true of a row only if none of its columns is null.
SELECT NOT (app.places_for(:org, :event_id, :party, :zone_key?, :ticket_type_id?, :accessible) IS NULL);

-- name: lists_to_serve
-- For the sweep, across organisations.
SELECT w.organization_id, w.event_id AS id FROM waitlists w
WHERE w.enabled AND EXISTS (SELECT FROM waitlist_entries e WHERE e.organization_id = w.organization_id
                            AND e.event_id = w.event_id AND e.status = 'waiting')
  AND EXISTS (SELECT FROM events s WHERE s.organization_id = w.organization_id AND s.id = w.event_id
              AND s.status IN ('published', 'live', 'postponed')
              AND app.clock() BETWEEN s.sale_start_at AND s.sale_end_at)
ORDER BY w.event_id;

-- name: list_entries
SELECT e.id, e.seq, e.user_id, e.email, e.party, e.zone_key, e.ticket_type_id, e.accessible, e.status, e.answer_by,
       e.created_at, e.updated_at
FROM waitlist_entries e
WHERE e.organization_id = :org AND e.event_id = :event_id AND (:status?::text IS NULL OR e.status = :status)
  AND (:after_seq?::bigint IS NULL OR e.seq > :after_seq)
ORDER BY e.seq LIMIT :limit;

-- name: count_entries
SELECT count(*) FILTER (WHERE status = 'waiting') AS waiting,
       coalesce(sum(party) FILTER (WHERE status = 'waiting'), 0) AS people_waiting,
       count(*) FILTER (WHERE status = 'offered') AS offered, count(*) FILTER (WHERE status = 'taken') AS taken,
       count(*) FILTER (WHERE status = 'lapsed') AS lapsed, count(*) FILTER (WHERE status = 'left') AS "left"
FROM waitlist_entries WHERE organization_id = :org AND event_id = :event_id;
