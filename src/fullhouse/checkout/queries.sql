-- The statements of checkout. Placing an order and settling a batch of orders are functions (db/functions/checkout),
-- one statement each.

-- part: session
id, event_id, user_id, status, expires_at, promo_code, currency, total, quote, created_at

-- part: item
i.hold_id, i.ticket_type_id, i.name, i.seat_id, i.zone_id, i.quantity, i.unit, i.net, i.counted, i.attendee_name,
i.attendee_email, i.membership_id

-- part: order
id, event_id, user_id, session_id, attempt_id, code, status, provider, currency, total, quote, buyer_name, buyer_email,
reason, consent_by, created_at, paid_at

-- part: order_row
id, event_id, code, status, provider, currency, total, buyer_name, buyer_email, created_at, paid_at

-- name: lock_event
-- Locks the event against changes until this transaction ends. `on_sale`, or the reason why it does not sell.
SELECT CASE WHEN status NOT IN ('published', 'live') AND (status <> 'postponed' OR rescheduled_at IS NULL)
                THEN 'event_not_available'
            WHEN app.clock() NOT BETWEEN sale_start_at AND sale_end_at THEN 'event_sales_closed'
            ELSE 'on_sale' END
FROM events WHERE organization_id = :org AND id = :event_id FOR SHARE;

-- name: session_by_id
SELECT {session} FROM checkout_sessions WHERE organization_id = :org AND id = :session_id;

-- name: lock_session
SELECT {session} FROM checkout_sessions WHERE organization_id = :org AND id = :session_id FOR UPDATE;

-- name: lock_pools
-- Locks all pools that this transaction counts in, before it counts in any, in the global lock order.
SELECT FROM pools
WHERE organization_id = :org AND event_id = :event_id
  AND (kind = 'event' OR kind = 'zone' AND ref_id = ANY (:zone_ids::uuid[])
       OR kind = 'ticket_type' AND ref_id = ANY (:type_ids::uuid[]))
ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: live_session
SELECT {session} FROM checkout_sessions
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status IN ('open', 'paying');

-- name: lock_live_session
SELECT {session} FROM checkout_sessions
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND status IN ('open', 'paying')
    FOR UPDATE;

-- name: live_holds
-- Those of these holds that belong to this person, are live and not frozen.
SELECT id, quantity FROM seat_holds
WHERE organization_id = :org AND event_id = :event_id AND user_id = :user_id AND id = ANY (:hold_ids::uuid[])
  AND status = 'active'
  AND held_until > app.clock() AND attempt_id IS NULL;

-- name: insert_session
INSERT INTO checkout_sessions (id, organization_id, event_id, user_id, expires_at, promo_code, currency, total, quote)
VALUES (:id, :org, :event_id, :user_id, :expires_at, :promo_code?, :currency, :total, :quote)
RETURNING {session};

-- name: insert_items
-- A hold that is not of a ticket type is counted in the type's pool by the checkout, if the type has a pool.
INSERT INTO checkout_items (organization_id, session_id, position, hold_id, ticket_type_id, name, seat_id, zone_id,
                            quantity, unit, net, counted, attendee_name, attendee_email, membership_id)
SELECT :org, :session_id, i.position, i.hold_id, i.ticket_type_id, i.name, h.seat_id, h.zone_id, i.quantity, i.unit,
       i.net,
       h.ticket_type_id IS NULL, i.attendee_name, i.attendee_email, i.membership_id
FROM unnest(:hold_ids::uuid[], :ticket_type_ids::uuid[], :names::text[], :quantities::integer[], :units::bigint[],
            :nets::bigint[], :attendee_names[?]::text[], :attendee_emails[?]::text[],
            :membership_ids[?]::uuid[]) WITH ORDINALITY
     AS i (hold_id, ticket_type_id, name, quantity, unit, net, attendee_name, attendee_email, membership_id, position)
JOIN seat_holds h ON h.organization_id = :org AND h.id = i.hold_id;

-- name: items_of_session
SELECT {item}, CASE WHEN h.held_until < 'infinity' THEN h.held_until END AS held_until,
       CASE WHEN h.held_until > app.clock() THEN h.status ELSE 'expired' END AS hold_status
FROM checkout_items i
LEFT JOIN seat_holds h ON h.organization_id = i.organization_id AND h.id = i.hold_id
WHERE i.organization_id = :org AND i.session_id = :session_id ORDER BY i.position;

-- part: right
w.place::integer AS place, z.zone_id, z.name, p.email, m.id AS membership_id,
CASE z.access_mode WHEN 'role_based' THEN :role::text = ANY (z.allowed_roles)
                   WHEN 'membership_tier' THEN m.id IS NOT NULL OR g.email IS NOT NULL
                   ELSE g.email IS NOT NULL END AS allowed

-- part: rights
JOIN event_zones z ON z.organization_id = :org AND z.event_id = :event_id AND z.zone_id = w.zone_id
    AND z.access_mode <> 'public'
CROSS JOIN LATERAL (SELECT lower(coalesce(w.email, (SELECT u.email FROM users u WHERE u.organization_id = :org
                                                    AND u.id = :user_id))) AS email) p
LEFT JOIN LATERAL (
    SELECT m.id FROM users u JOIN memberships m ON m.organization_id = :org AND m.user_id = u.id
    WHERE u.organization_id = :org AND lower(u.email) = p.email AND m.tier = z.membership_tier AND m.status = 'active'
      AND m.valid_from <= app.clock() AND (m.valid_until IS NULL OR app.clock() < m.valid_until)
    ORDER BY m.created_at LIMIT 1) m ON z.access_mode = 'membership_tier'
LEFT JOIN zone_guests g ON g.organization_id = :org AND g.event_id = :event_id AND g.zone_id = z.zone_id
    AND g.email = p.email
ORDER BY w.place

-- name: rights_to_enter
-- Of items in restricted zones: whether the attendee, or the buyer if none is named, may enter.
SELECT {right}
FROM unnest(:zone_ids[?]::uuid[], :emails[?]::text[]) WITH ORDINALITY AS w (zone_id, email, place) {rights};

-- name: rights_of_order
-- The same for the items of an order, each with the membership that it was placed with.
SELECT {right}, w.quantity, w.membership_id AS named
FROM (SELECT l.zone_id, l.attendee_email AS email, l.position AS place, l.quantity, l.membership_id
      FROM order_lines l WHERE l.organization_id = :org AND l.order_id = :order_id) AS w {rights};

-- name: save_item_memberships
UPDATE order_lines l SET membership_id = w.membership_id
FROM unnest(:positions::smallint[], :membership_ids[?]::uuid[]) AS w (position, membership_id)
WHERE l.organization_id = :org AND l.order_id = :order_id AND l.position = w.position;

-- name: end_session
-- Of two concurrent callers, one ends it.
UPDATE checkout_sessions SET status = :status, updated_at = app.clock()
WHERE organization_id = :org AND id = :session_id AND status = ANY (:from_statuses::text[])
  AND (:status <> 'expired' OR expires_at <= app.clock())
RETURNING {session};

-- name: reopen_session
-- Its payment failed: it may be paid in another way in its remaining time.
UPDATE checkout_sessions SET status = 'open', updated_at = app.clock()
WHERE organization_id = :org AND id = :session_id AND status = 'paying'
RETURNING {session};

-- name: due_sessions
-- For the expiry job, across organisations, oldest first.
SELECT organization_id, id FROM checkout_sessions WHERE status = 'open' AND expires_at <= app.clock()
ORDER BY expires_at LIMIT :limit;

-- name: overdue_sessions_of_event
-- A checkout with a running payment is not overdue.
SELECT {session} FROM checkout_sessions WHERE organization_id = :org AND event_id = :event_id AND status = 'open'
AND expires_at <= app.clock() ORDER BY id FOR UPDATE;

-- name: live_sessions_of_event
SELECT {session} FROM checkout_sessions
WHERE organization_id = :org AND event_id = :event_id AND status IN ('open', 'paying')
ORDER BY id LIMIT :limit FOR UPDATE;

-- Orders -------------------------------------------------------------------------------------------

-- name: place_order
-- Also returns whether one of its zones is restricted, which cannot change while its seats are held.
SELECT outcome, order_id, event_id, total, currency, EXISTS (
    SELECT FROM checkout_items i
    JOIN checkout_sessions s ON s.organization_id = :org AND s.id = i.session_id
    JOIN event_zones z ON z.organization_id = :org AND z.event_id = s.event_id AND z.zone_id = i.zone_id
    WHERE i.organization_id = :org AND i.session_id = :session_id AND z.access_mode <> 'public') AS is_restricted
FROM app.place_order(
    :org, :session_id, :user_id, :order_id, :attempt_id, :code, :secret_hash, :provider, :method?, :buyer_name,
    :buyer_email, :key, :body_hash, :first_ask_s, :give_up_s, :tickets_max, :actor_type, :actor_name?, :ip?,
    :user_agent?, :request_id?);

-- name: settle_orders
SELECT order_id, outcome, hold_id, user_id, seat_id, quantity, zone_id, ticket_type_id, held_until, age_s, version,
       held,
       sold
FROM app.settle_orders(:org, :event_id, :order_ids, :attempt_ids, :actor_types, :actor_ids[?], :actor_names[?]);

-- name: hold_again
SELECT app.hold_again(:org, :order_id, :attempt_id);

-- name: layout_of_event
SELECT layout_id FROM event_layouts WHERE organization_id = :org AND event_id = :event_id;

-- name: is_bought_by_other_order
-- Whether another order of the same buyer for the same holds is paid or being paid.
SELECT EXISTS (
    SELECT FROM orders mine
    JOIN orders o ON o.organization_id = :org AND o.user_id = mine.user_id AND o.event_id = mine.event_id
                 AND o.id <> mine.id AND o.status <> 'cancelled'
    JOIN order_lines l ON l.organization_id = :org AND l.order_id = o.id
    JOIN order_lines m ON m.organization_id = :org AND m.order_id = mine.id AND m.hold_id = l.hold_id
    WHERE mine.organization_id = :org AND mine.id = :order_id);

-- name: order_by_id
SELECT {order} FROM orders WHERE organization_id = :org AND id = :order_id?;

-- name: orders_by_ids
SELECT {order} FROM orders WHERE organization_id = :org AND id = ANY (:order_ids::uuid[]);

-- name: lock_order
SELECT {order} FROM orders WHERE organization_id = :org AND id = :order_id FOR UPDATE;

-- name: order_by_key
SELECT id, body_hash FROM orders WHERE organization_id = :org AND user_id = :user_id AND purchase_key = :purchase_key;

-- name: order_by_secret
SELECT {order} FROM orders WHERE organization_id = :org AND secret_hash = :secret_hash;

-- name: order_of_session
SELECT id FROM orders
WHERE organization_id = :org AND session_id = :session_id ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: items_of_order
SELECT {item} FROM order_lines i WHERE i.organization_id = :org AND i.order_id = :order_id ORDER BY i.position;

-- name: places_of_order
SELECT i.quantity, coalesce(z.name, i.name) AS zone_name, s.row_label AS row, s.number AS seat
FROM order_lines i
JOIN orders o ON o.organization_id = :org AND o.id = i.order_id
LEFT JOIN event_zones z ON z.organization_id = :org AND z.event_id = o.event_id AND z.zone_id = i.zone_id
LEFT JOIN seats s ON s.organization_id = :org AND s.id = i.seat_id
WHERE i.organization_id = :org AND i.order_id = :order_id ORDER BY i.position;

-- name: sold_places
-- The current seats and zones of an order's tickets.
SELECT t.zone_id, t.seat_id, t.ticket_type_id FROM tickets t
WHERE t.organization_id = :org AND t.order_id = :order_id AND t.status IN ('valid', 'used')
ORDER BY t.id;

-- name: items_of_orders
SELECT i.order_id, {item} FROM order_lines i WHERE i.organization_id = :org AND i.order_id = ANY (:order_ids::uuid[])
ORDER BY i.order_id, i.position;

-- name: pending_orders_of_event
SELECT {order} FROM orders WHERE organization_id = :org AND event_id = :event_id AND status = 'pending' ORDER BY id;

-- name: proposals_of_event
SELECT {order} FROM orders
WHERE organization_id = :org AND event_id = :event_id AND status = 'needs_consent' ORDER BY id
FOR UPDATE;

-- name: cancel_order
UPDATE orders SET status = 'cancelled', reason = :reason, updated_at = app.clock(), consent_by = NULL
WHERE organization_id = :org AND id = :order_id AND status IN ('pending', 'needs_consent')
RETURNING {order};

-- name: cancel_or_update_order
UPDATE orders SET status = 'cancelled', reason = :reason, updated_at = app.clock(), consent_by = NULL
WHERE organization_id = :org AND id = :order_id AND status IN ('pending', 'needs_consent', 'cancelled')
RETURNING {order};

-- name: propose_seats
-- The buyer must answer within :consent_s and before the event starts; if it is live, before it ends.
SELECT CASE WHEN until > app.clock() + make_interval(secs => :least_s)
       THEN app.propose_seats(:org, :order_id, :attempt_id, until, :begins, :wholes) ELSE false END
FROM (SELECT least(app.clock() + make_interval(secs => :consent_s), CASE
          WHEN e.status = 'live' THEN e.end_at
          WHEN e.status = 'postponed' THEN coalesce(e.rescheduled_at, 'infinity')
          ELSE e.start_at END) AS until
      FROM orders o JOIN events e ON e.organization_id = :org AND e.id = o.event_id
      WHERE o.organization_id = :org AND o.id = :order_id) asked;

-- name: due_consents
SELECT organization_id, id FROM orders WHERE status = 'needs_consent' AND consent_by <= app.clock()
ORDER BY consent_by LIMIT :limit;

-- name: count_sale
-- Counts the sale, and raises the event's heat.
UPDATE event_stats SET sold = sold + :tickets, heat = app.heat(heat, 20 * :tickets), unranked = true
WHERE organization_id = :org AND event_id = :event_id;

-- name: is_any_pool_full
-- Whether the event, one of these zones (:zone_ids) or one of these ticket types (:type_ids) is sold out, on one day at
-- least.
SELECT EXISTS (SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id AND sold + day_peak >= capacity
               AND (kind = 'event' OR kind = 'zone' AND ref_id = ANY (:zone_ids::uuid[])
                    OR kind = 'ticket_type' AND ref_id = ANY (:type_ids::uuid[])));

-- name: list_orders
SELECT {order_row} FROM orders
WHERE organization_id = :org AND (:user_id?::uuid IS NULL OR user_id = :user_id)
  AND (:event_id?::uuid IS NULL OR event_id = :event_id)
  AND (:status?::text IS NULL OR status = :status) AND (:code?::text IS NULL OR code = upper(:code))
  AND (:buyer_email?::text IS NULL OR lower(buyer_email) = lower(:buyer_email))
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;
