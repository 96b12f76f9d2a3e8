-- A guest signs in: the events in which the guest has holds, checkouts or waiting-room positions.

-- part: session
id, event_id, user_id, status, expires_at, promo_code, currency, total, quote, created_at

-- part: live
organization_id = :org AND event_id = ANY (:event_ids::uuid[]) AND user_id = ANY (:user_ids::uuid[])
    AND status IN ('open', 'paying')

-- name: lock_events_of_guest
-- The events in which the guest has a hold, a checkout or a position in a waiting room. Positions are looked up by open
-- waiting room: one has up to a hundred thousand entries, but an organisation has few of them open. FOR SHARE: a
-- cancellation of the event waits for this transaction, or is visible to it.
WITH had AS MATERIALIZED (
    SELECT event_id FROM seat_holds
    WHERE organization_id = :org AND user_id = :guest_id AND status IN ('active', 'suspended')
      AND held_until > app.clock()
    UNION
    SELECT event_id FROM checkout_sessions
    WHERE organization_id = :org AND user_id = :guest_id AND status IN ('open', 'paying')
    UNION
    SELECT r.event_id FROM queue_rooms r
    CROSS JOIN LATERAL (SELECT 1 FROM queue_entries e WHERE e.organization_id = :org AND e.event_id = r.event_id
                        AND e.user_id = :guest_id AND e.status IN ('waiting', 'admitted') OFFSET 0) e
    WHERE r.organization_id = :org AND r.state <> 'closed'
), ours AS MATERIALIZED (
    SELECT e.id FROM events e
    WHERE e.organization_id = :org AND e.id IN (SELECT event_id FROM had) ORDER BY e.id FOR SHARE
)
SELECT array(SELECT id FROM ours ORDER BY id);

-- name: lock_checkouts
SELECT {session} FROM checkout_sessions WHERE {live} ORDER BY id FOR UPDATE;

-- name: lock_new_checkouts
-- Includes those begun while this transaction waited for the slot. SKIP LOCKED: waiting for one here could deadlock.
SELECT {session} FROM checkout_sessions WHERE {live} ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: events_with_checkouts
SELECT array(SELECT event_id FROM checkout_sessions WHERE {live} AND id <> ALL (:session_ids::uuid[]));

-- name: hand_over_checkout
UPDATE checkout_sessions SET user_id = :user_id, updated_at = app.clock()
WHERE organization_id = :org AND id = :session_id AND user_id = :guest_id AND status = 'open';
