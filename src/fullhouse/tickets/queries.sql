-- The statements of tickets.

-- Ticket types -------------------------------------------------------------------------------------

-- part: type
t.id, t.event_id, t.name, t.description, t.tier, t.kind, t.price, t.currency, t.prices, t.zones, t.quantity,
t.sale_start_at, t.sale_end_at, t.entitlement, t.valid_days, t.max_daily_entries, t.max_per_order, t.hidden, t.position,
t.version, t.created_at, t.updated_at

-- part: counted_types
ticket_types t LEFT JOIN pools p ON p.organization_id = t.organization_id AND p.event_id = t.event_id
                                AND p.kind = 'ticket_type' AND p.ref_id = t.id

-- name: types_of_event
SELECT {type}, p.held, p.sold FROM {counted_types}
WHERE t.organization_id = :org AND t.event_id = :event_id ORDER BY t.position, t.created_at, t.id;

-- name: type_by_id
SELECT {type}, p.held, p.sold FROM {counted_types}
WHERE t.organization_id = :org AND t.event_id = :event_id AND t.id = :ticket_type_id;

-- part: unsold_to_type
-- What pool `p` has left unsold for tickets of type `t`.
CASE p.day_peak WHEN 0 THEN p.capacity - p.sold
                ELSE app.unsold_for(p.organization_id, p.event_id, p.kind, p.ref_id, t.id) END

-- name: sold_out_types
-- Of an event with a layout: the types for which everything is sold. Held seats and spots count as left.
SELECT t.id AS value
FROM ticket_types t
JOIN event_layouts l ON l.organization_id = t.organization_id AND l.event_id = t.event_id
WHERE t.organization_id = :org AND t.event_id = :event_id
  AND (EXISTS (SELECT FROM pools p WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'event'
               AND {unsold_to_type} <= 0)
       OR NOT EXISTS (
           SELECT FROM event_zones z
           JOIN pools p ON p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'zone'
               AND p.ref_id = z.zone_id
           WHERE z.organization_id = :org AND z.event_id = :event_id AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
             AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = (t.kind = 'seated')
             AND {unsold_to_type} > 0
             AND (t.kind <> 'seated' OR EXISTS (
                 SELECT FROM event_seats s
                 WHERE s.organization_id = :org AND s.event_id = :event_id AND s.zone_id = z.zone_id
                 AND s.status IN ('available', 'held')))));

-- name: sold_of_types
-- Counted from the tickets: types without a quantity have no pool.
SELECT ticket_type_id, count(*)::integer AS sold FROM tickets
WHERE organization_id = :org AND ticket_type_id = ANY (:ticket_type_ids::uuid[])
  AND status IN ('valid', 'used') GROUP BY ticket_type_id;

-- name: insert_type
INSERT INTO ticket_types AS t (id, organization_id, event_id, name, description, tier, kind, price, currency, prices,
                               zones,
                               quantity, sale_start_at, sale_end_at, entitlement, valid_days, max_daily_entries,
                               max_per_order, hidden, position)
VALUES (:id, :org, :event_id, :name, :description, :tier, :kind, :price, :currency, :prices, :zones, :quantity?,
        :sale_start_at?, :sale_end_at?, :entitlement, :valid_days, :max_daily_entries?, :max_per_order?, :hidden, :position)
RETURNING {type};

-- name: update_type
UPDATE ticket_types AS t
SET name = :name, description = :description, tier = :tier, kind = :kind, price = :price, currency = :currency,
    prices = :prices, zones = :zones, quantity = :quantity?,
    sale_start_at = :sale_start_at?, sale_end_at = :sale_end_at?, entitlement = :entitlement, valid_days = :valid_days,
    max_daily_entries = :max_daily_entries?,
    max_per_order = :max_per_order?, hidden = :hidden, position = :position, version = version + 1,
    updated_at = app.clock()
WHERE t.organization_id = :org AND t.event_id = :event_id AND t.id = :type_id
RETURNING {type};

-- name: move_days
UPDATE ticket_types
SET valid_days = array(SELECT day + :days::integer FROM unnest(valid_days) day ORDER BY 1), version = version + 1,
    updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id AND valid_days <> '{}';

-- name: delete_type
DELETE FROM ticket_types WHERE organization_id = :org AND event_id = :event_id AND id = :ticket_type_id;

-- name: counts_of_type
-- The counts of the type's pool; without a pool, those of its tickets and of open checkouts and proposals, which will
-- release what they have counted. Requires the event's lock, under which no other transaction counts.
SELECT p.held, p.sold FROM pools p
WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'ticket_type' AND p.ref_id = :type_id
UNION ALL
SELECT (SELECT coalesce(sum(i.quantity), 0) FROM checkout_sessions s
        JOIN checkout_items i ON i.organization_id = :org AND i.session_id = s.id AND i.ticket_type_id = :type_id
            AND i.counted
        WHERE s.organization_id = :org AND s.event_id = :event_id AND s.status IN ('open', 'paying'))
     + (SELECT coalesce(sum(l.quantity), 0) FROM orders o
        JOIN order_lines l ON l.organization_id = :org AND l.order_id = o.id AND l.ticket_type_id = :type_id
            AND l.counted
        WHERE o.organization_id = :org AND o.event_id = :event_id AND o.status = 'needs_consent'),
       (SELECT count(*) FROM tickets
        WHERE organization_id = :org AND ticket_type_id = :type_id AND status IN ('valid', 'used'))
LIMIT 1;

-- name: put_type_pool
INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, held, sold)
VALUES (:org, :event_id, 'ticket_type', :type_id, :capacity, :held, :sold)
ON CONFLICT (organization_id, event_id, kind, ref_id) DO UPDATE SET capacity = excluded.capacity;

-- name: delete_type_pool
DELETE FROM pools WHERE organization_id = :org AND event_id = :event_id AND kind = 'ticket_type' AND ref_id = :type_id
AND held = 0 AND sold = 0;

-- name: is_type_held
-- Whether one is held directly, as in an event without a layout.
SELECT EXISTS (SELECT FROM seat_holds WHERE organization_id = :org AND ticket_type_id = :ticket_type_id
               AND status IN ('active', 'suspended'));

-- name: is_type_in_use
-- Whether one is held, or was ever ordered.
SELECT EXISTS (SELECT FROM seat_holds WHERE organization_id = :org AND ticket_type_id = :ticket_type_id
               AND status IN ('active', 'suspended'))
    OR EXISTS (SELECT FROM order_lines WHERE organization_id = :org AND ticket_type_id = :ticket_type_id);

-- name: zones_on_sale
SELECT zone_key AS value FROM event_zones WHERE organization_id = :org AND event_id = :event_id;

-- name: price_categories
SELECT price_category AS value FROM event_zones
WHERE organization_id = :org AND event_id = :event_id AND price_category IS NOT NULL
UNION
SELECT s.price_category FROM event_layouts l
JOIN seats s ON s.organization_id = l.organization_id AND s.layout_id = l.layout_id
WHERE l.organization_id = :org AND l.event_id = :event_id AND s.price_category IS NOT NULL;

-- name: lowest_prices
-- The lowest ticket price of each public event, of what everyone may buy, now or later. A type's base price counts only
-- if it sells a seat or zone without a price category: organisers may leave it at zero. Seats are read once for each
-- layout, and only if a type has prices by category.
WITH shown AS MATERIALIZED (
    SELECT t.event_id, t.id, t.kind = 'seated' AS seated, t.price, t.currency, t.prices, t.zones, l.layout_id,
           l.pricing_zones
    FROM {counted_types}
    JOIN events e ON e.organization_id = t.organization_id AND e.id = t.event_id
    LEFT JOIN event_layouts l ON l.organization_id = t.organization_id AND l.event_id = t.event_id
    WHERE t.organization_id = :org AND NOT t.hidden AND e.status IN ('published', 'live', 'postponed')
      AND least(t.sale_end_at, e.sale_end_at) >= app.clock() AND (p.ref_id IS NULL OR p.sold < p.capacity)
      AND NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = :org AND p.event_id = t.event_id
                      AND p.kind = 'event'
                      AND {unsold_to_type} <= 0)
), categories AS MATERIALIZED (
    SELECT DISTINCT s.zone_id, s.price_category FROM seats s
    WHERE s.organization_id = :org
      AND s.layout_id IN (SELECT layout_id FROM shown WHERE seated AND prices <> '{}')
), places AS MATERIALIZED (
    SELECT z.event_id, z.zone_id, z.zone_key, z.price_category, p.day_peak,
           z.zone_type IN ('reserved_seating', 'vip_reserved') AS seated
    FROM event_zones z
    JOIN pools p ON p.organization_id = z.organization_id AND p.event_id = z.event_id AND p.kind = 'zone'
                AND p.ref_id = z.zone_id
    WHERE z.organization_id = :org AND z.event_id IN (SELECT event_id FROM shown) AND z.access_mode = 'public'
      AND p.sold < p.capacity
)
SELECT t.event_id, min(t.currency) AS currency, min(coalesce((t.prices ->> coalesce(
           t.pricing_zones ->> z.zone_id::text, c.price_category, z.price_category))::bigint, t.price)) AS amount
FROM shown t
LEFT JOIN places z ON z.event_id = t.event_id AND z.seated = t.seated
                  AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))
                  AND (z.day_peak = 0 OR app.unsold_for(:org, t.event_id, 'zone', z.zone_id, t.id) > 0)
LEFT JOIN categories c ON c.zone_id = z.zone_id AND z.seated
WHERE t.layout_id IS NULL OR z.zone_id IS NOT NULL
GROUP BY t.event_id;

-- name: places_of_holds
-- Each hold with its seat or zone, and the price category of it.
SELECT h.id AS hold_id, h.user_id, h.quantity, h.ticket_type_id, h.seat_id, h.zone_id, z.zone_key,
       coalesce(l.pricing_zones ->> h.zone_id::text, s.price_category, z.price_category) AS price_category
FROM seat_holds h
LEFT JOIN event_zones z ON z.organization_id = h.organization_id AND z.event_id = h.event_id AND z.zone_id = h.zone_id
LEFT JOIN event_layouts l ON l.organization_id = h.organization_id AND l.event_id = h.event_id
LEFT JOIN seats s ON s.organization_id = h.organization_id AND s.id = h.seat_id
WHERE h.organization_id = :org AND h.event_id = :event_id AND h.id = ANY (:hold_ids::uuid[]);

-- name: event_limit
SELECT app.event_limit(:org, :event_id);

-- name: places_left_of_event
-- How many more tickets of each type the event's capacity allows, on the type's days; no rows without a limit.
SELECT t.id AS ticket_type_id, app.room_for(:org, :event_id, 'event', :event_id, t.id)::integer AS places
FROM pools p JOIN ticket_types t ON t.organization_id = p.organization_id AND t.event_id = p.event_id
WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'event';

-- name: lock_type_pools
SELECT ref_id AS ticket_type_id, capacity - held - sold AS places FROM pools
WHERE organization_id = :org AND event_id = :event_id AND kind = 'ticket_type' AND ref_id = ANY (:type_ids::uuid[])
ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: count_type_pools
-- Skips pools that would be oversold: their rows are missing in the result.
UPDATE pools p SET held = p.held + w.held, sold = p.sold + w.sold
FROM unnest(:type_ids::uuid[], :held::integer[], :sold::integer[]) AS w (ref_id, held, sold)
WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'ticket_type' AND p.ref_id = w.ref_id
  AND p.held + w.held + p.sold + w.sold <= p.capacity
RETURNING p.ref_id AS value;

-- Promo codes --------------------------------------------------------------------------------------

-- part: promo
id, event_id, code, kind, basis_points, amount, ticket_type_ids, max_uses, uses, budget, spent, valid_from, valid_until,
active, version, created_at, updated_at

-- name: promos_of_event
SELECT {promo} FROM promo_codes WHERE organization_id = :org AND event_id = :event_id ORDER BY created_at, id;

-- name: promo_by_id
SELECT {promo} FROM promo_codes WHERE organization_id = :org AND event_id = :event_id AND id = :promo_id;

-- name: lock_promo
SELECT {promo} FROM promo_codes WHERE organization_id = :org AND event_id = :event_id AND id = :promo_id FOR UPDATE;

-- name: promo_by_code
SELECT {promo} FROM promo_codes WHERE organization_id = :org AND event_id = :event_id AND code = :code;

-- name: lock_promo_by_code
SELECT {promo} FROM promo_codes WHERE organization_id = :org AND event_id = :event_id AND code = :code FOR UPDATE;

-- name: lock_promos_by_code
SELECT FROM promo_codes
WHERE organization_id = :org AND event_id = :event_id AND code = ANY (:codes::text[]) ORDER BY code FOR UPDATE;

-- name: insert_promo
INSERT INTO promo_codes (id, organization_id, event_id, code, kind, basis_points, amount, ticket_type_ids, max_uses,
                         budget,
                         valid_from, valid_until, active)
VALUES (:id, :org, :event_id, :code, :kind, :basis_points?, :amount?, :ticket_type_ids, :max_uses?, :budget?, :valid_from?,
        :valid_until?, :active)
RETURNING {promo};

-- name: update_promo
UPDATE promo_codes
SET ticket_type_ids = :ticket_type_ids, max_uses = :max_uses?, budget = :budget?, valid_from = :valid_from?,
    valid_until = :valid_until?, active = :active,
    version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id AND id = :promo_id
RETURNING {promo};

-- name: delete_promo
DELETE FROM promo_codes p WHERE organization_id = :org AND event_id = :event_id AND id = :promo_id
AND NOT EXISTS (SELECT FROM promo_uses u WHERE u.organization_id = :org AND u.promo_code_id = p.id);

-- name: count_promo_use
-- Requires the code's lock. The table's constraints enforce the same limits.
WITH used AS (
    UPDATE promo_codes SET uses = uses + 1, spent = spent + :amount
    WHERE organization_id = :org AND id = :promo_id AND active AND (max_uses IS NULL OR uses < max_uses)
      AND (budget IS NULL OR spent + :amount <= budget)
    RETURNING id
)
INSERT INTO promo_uses (organization_id, checkout_id, promo_code_id, amount) SELECT :org, :checkout_id, id, :amount
FROM used;

-- name: release_promo_uses
WITH returned AS (
    UPDATE promo_uses SET status = 'returned'
    WHERE organization_id = :org AND checkout_id = ANY (:checkout_ids::uuid[]) AND status = 'taken'
    RETURNING promo_code_id, amount
)
UPDATE promo_codes p SET uses = p.uses - r.uses, spent = p.spent - r.amount
FROM (SELECT promo_code_id, count(*) AS uses, sum(amount)::bigint AS amount FROM returned GROUP BY 1) r
WHERE p.organization_id = :org AND p.id = r.promo_code_id;

-- name: count_promo_use_again
-- Counts a checkout's released use again, if the code has one left. The code need not be active any more: it was when
-- the checkout began.
WITH due AS MATERIALIZED (
    SELECT promo_code_id, amount FROM promo_uses
    WHERE organization_id = :org AND checkout_id = :checkout_id AND status = 'returned' FOR UPDATE
), used AS (
    UPDATE promo_codes p SET uses = p.uses + 1, spent = p.spent + d.amount
    FROM due d
    WHERE p.organization_id = :org AND p.id = d.promo_code_id AND (p.max_uses IS NULL OR p.uses < p.max_uses)
      AND (p.budget IS NULL OR p.spent + d.amount <= p.budget)
    RETURNING p.id
), taken AS (
    UPDATE promo_uses u SET status = 'taken' FROM used
    WHERE u.organization_id = :org AND u.checkout_id = :checkout_id AND u.promo_code_id = used.id
    RETURNING u.promo_code_id
)
SELECT CASE WHEN NOT EXISTS (SELECT FROM due) THEN 'kept' WHEN EXISTS (SELECT FROM taken) THEN 'again'
            ELSE 'used_up' END;

-- Charges ------------------------------------------------------------------------------------------

-- name: charge_lists
SELECT scope_id, charges, version FROM charge_lists
WHERE organization_id = :org AND scope_id = ANY (:scope_ids::uuid[]);

-- name: events_without_charges
-- Public events that use the organisation's charges.
SELECT id AS value FROM events e
WHERE organization_id = :org AND status IN ('published', 'live', 'postponed') AND sale_end_at >= app.clock()
  AND NOT EXISTS (SELECT FROM charge_lists c WHERE c.organization_id = :org AND c.scope_id = e.id);

-- name: put_charges
INSERT INTO charge_lists (organization_id, scope_id, charges) VALUES (:org, :scope_id?, :charges)
ON CONFLICT (organization_id, scope_id) DO UPDATE
SET charges = excluded.charges, version = charge_lists.version + 1, updated_at = app.clock()
RETURNING scope_id, charges, version;

-- name: delete_charges
DELETE FROM charge_lists WHERE organization_id = :org AND scope_id = :scope_id;

-- Tickets ------------------------------------------------------------------------------------------

-- part: ticket
id, event_id, order_id, ticket_type_id, seat_id, zone_id, number, code, holder_name, holder_email, holder_user_id,
membership_id, status, reason, version, issued_at, transferred_at

-- name: next_numbers
-- The last of :count new numbers. Other sales of the event wait for this row, so it is updated as late as possible.
INSERT INTO ticket_counters AS c (organization_id, event_id, last) VALUES (:org, :event_id, :count)
ON CONFLICT (organization_id, event_id) DO UPDATE SET last = c.last + :count
RETURNING last;

-- name: insert_tickets
WITH sold AS MATERIALIZED (
    SELECT x.*
    FROM unnest(:order_ids::uuid[], :ids::uuid[], :ticket_type_ids::uuid[], :seat_ids[?]::uuid[], :zone_ids[?]::uuid[],
                :numbers::text[], :codes::text[],
                           :nonces::bytea[], :holder_names::text[], :holder_emails::text[], :holder_user_ids[?]::uuid[],
                           :membership_ids[?]::uuid[], :actor_types::text[], :actor_ids[?]::uuid[],
                           :actor_names[?]::text[], :ips[?]::text[], :user_agents[?]::text[], :request_ids[?]::text[])
         AS x (order_id, id, ticket_type_id, seat_id, zone_id, number, code, nonce, holder_name, holder_email,
               holder_user_id, membership_id, actor_type, actor_id, actor_name, ip, user_agent, request_id)
), written AS (
    INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, seat_id, zone_id, number, code, nonce,
                         holder_name, holder_email, holder_user_id, membership_id)
    SELECT id, :org, :event_id, order_id, ticket_type_id, seat_id, zone_id, number, code, nonce, holder_name,
           holder_email,
           holder_user_id, membership_id
    FROM sold
    RETURNING {ticket}
), audited AS (
    INSERT INTO audit_log (id, organization_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, after,
                           ip,
                           user_agent, request_id)
    SELECT gen_random_uuid(), :org, actor_type, actor_id, actor_name, 'ticket.issued', 'ticket', id,
           jsonb_strip_nulls(jsonb_build_object('event_id', :event_id::uuid, 'order_id', order_id, 'number', number,
               'ticket_type_id', ticket_type_id, 'seat_id', seat_id, 'zone_id', zone_id)), ip, user_agent, request_id
    FROM sold
), announced AS (
    INSERT INTO outbox (id, organization_id, name, subject_id, payload)
    SELECT gen_random_uuid(), :org, 'ticket.issued', id, jsonb_strip_nulls(jsonb_build_object('version', 1,
               'subject_id', id, 'event_id', event_id, 'order_id', order_id, 'number', number,
               'ticket_type_id', ticket_type_id, 'seat_id', seat_id, 'zone_id', zone_id,
               'holder_user_id', holder_user_id))
    FROM written
)
SELECT {ticket} FROM written ORDER BY number;

-- name: sell_seats
-- Held seats become sold.
UPDATE event_seats s SET status = 'sold', ticket_id = w.ticket_id, hold_id = NULL, held_until = NULL,
                         reserved_for = NULL, reserved_until = NULL, version = s.version + 1
FROM unnest(:seat_ids::uuid[], :ticket_ids::uuid[]) AS w (seat_id, ticket_id)
WHERE s.organization_id = :org AND s.event_id = :event_id AND s.seat_id = w.seat_id AND s.status = 'held'
RETURNING s.ordinal, s.version;

-- name: free_seats
-- Seats of void tickets are on sale again.
UPDATE event_seats s SET status = 'available', ticket_id = NULL, version = s.version + 1
WHERE s.organization_id = :org AND s.event_id = :event_id AND s.status = 'sold'
  AND s.ticket_id = ANY (:ticket_ids::uuid[])
RETURNING s.ordinal, s.version;

-- name: lock_sold_seats
SELECT FROM event_seats
WHERE organization_id = :org AND event_id = :event_id AND ticket_id = ANY (:ticket_ids::uuid[])
ORDER BY event_id, seat_id FOR UPDATE;

-- name: lock_pools
SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id
AND (kind = 'event' OR kind = 'zone' AND ref_id = ANY (:zone_ids::uuid[]) OR kind = 'ticket_type'
     AND ref_id = ANY (:type_ids::uuid[]))
ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: release_sold_places
-- Reduces the sold counts of zones, event and types by these void tickets.
WITH void AS (
    SELECT zone_id, ticket_type_id FROM tickets
    WHERE organization_id = :org AND event_id = :event_id AND id = ANY (:ticket_ids::uuid[])
), places AS (
    SELECT k.kind, k.ref_id, k.day_type, count(*) AS n
    FROM void v JOIN ticket_types y ON y.organization_id = :org AND y.id = v.ticket_type_id
    CROSS JOIN LATERAL (SELECT CASE WHEN y.by_day THEN y.id END AS day_type) d
    CROSS JOIN LATERAL (VALUES ('event', :event_id, d.day_type), ('zone', v.zone_id, d.day_type),
                               ('ticket_type', v.ticket_type_id, NULL)) AS k (kind, ref_id, day_type)
    WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3
), by_day AS (
    UPDATE day_places p SET sold = p.sold - l.n FROM places l
    WHERE p.organization_id = :org AND p.event_id = :event_id
      AND (p.kind, p.ref_id, p.ticket_type_id) = (l.kind, l.ref_id, l.day_type)
)
UPDATE pools p SET sold = CASE p.kind WHEN 'ticket_type' THEN greatest(0, p.sold - l.n) ELSE p.sold - l.n END
FROM places l
WHERE p.organization_id = :org AND p.event_id = :event_id AND (p.kind, p.ref_id) = (l.kind, l.ref_id)
  AND l.day_type IS NULL;

-- name: zones_counted
SELECT zone_id, held, sold, version FROM app.zones_counted(:org, NULL, ARRAY[:event_id::uuid], :zone_ids);

-- name: ticket_by_id
SELECT {ticket} FROM tickets WHERE organization_id = :org AND id = :ticket_id;

-- name: tickets_of_order
SELECT {ticket} FROM tickets WHERE organization_id = :org AND order_id = :order_id ORDER BY number;

-- name: lock_tickets
SELECT {ticket} FROM tickets WHERE organization_id = :org AND id = ANY (:ticket_ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: void_tickets
UPDATE tickets
SET status = :status, reason = :reason?, voided_at = app.clock(), version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND id = ANY (:ticket_ids::uuid[]) AND status IN ('valid', 'used')
RETURNING {ticket};

-- part: printed
t.id, t.event_id, t.order_id, t.ticket_type_id, t.seat_id, t.zone_id, t.number, t.code, t.holder_name, t.holder_email,
t.holder_user_id, t.membership_id, t.status, t.reason, t.version, t.issued_at, t.transferred_at, t.nonce,
o.user_id AS buyer_id, o.code AS order_code, y.name AS type_name, y.entitlement, o.currency, e.name AS event_name,
e.slug AS event_slug, e.status AS event_status, e.start_at, e.end_at, e.doors_at, e.rescheduled_at,
CASE WHEN e.status = 'postponed' AND e.rescheduled_at IS NULL THEN timestamptz '9999-01-01 00:00Z'
     ELSE coalesce(e.rescheduled_at, e.start_at) END AS plays_at, e.timezone,
e.venue_name, e.address, e.city, z.name AS zone_name, s.section, s.row_label AS row, s.number AS seat, s.category,
(SELECT min(l.unit) FROM order_lines l WHERE l.organization_id = t.organization_id AND l.order_id = t.order_id
 AND l.ticket_type_id = t.ticket_type_id AND l.seat_id IS NOT DISTINCT FROM t.seat_id)::bigint AS unit

-- part: printed_from
tickets t
JOIN orders o ON o.organization_id = t.organization_id AND o.id = t.order_id
JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
JOIN events e ON e.organization_id = t.organization_id AND e.id = t.event_id
LEFT JOIN event_zones z ON z.organization_id = t.organization_id AND z.event_id = t.event_id AND z.zone_id = t.zone_id
LEFT JOIN seats s ON s.organization_id = t.organization_id AND s.id = t.seat_id

-- name: printable_ticket
SELECT {printed} FROM {printed_from} WHERE t.organization_id = :org AND t.id = :ticket_id;

-- name: printable_tickets_of_order
SELECT {printed} FROM {printed_from} WHERE t.organization_id = :org AND t.order_id = :order_id ORDER BY t.number;

-- part: over
-- A postponed event is not over, even after its original date.
(e.status IN ('ended', 'cancelled', 'archived') OR e.end_at < app.clock() AND e.status <> 'postponed')

-- name: tickets_of_holder
-- Newest first. :group is not the status alone: a valid ticket of an event that is over is `past`.
SELECT {printed} FROM {printed_from}
WHERE t.organization_id = :org AND t.holder_user_id = :user_id AND (:status?::text IS NULL OR t.status = :status)
  AND (:group?::text IS NULL OR :group = CASE WHEN t.status IN ('cancelled', 'refunded') THEN 'refunded'
                                     WHEN {over} THEN 'past' ELSE 'upcoming' END)
  AND (:after_at?::timestamptz IS NULL OR (t.issued_at, t.id) < (:after_at, :after_id?::uuid))
ORDER BY t.issued_at DESC, t.id DESC LIMIT :limit;

-- name: upcoming_tickets
-- The soonest event first: it is the one that a holder at a gate looks for. Events without a date come last.
SELECT * FROM (
    SELECT {printed} FROM {printed_from}
    WHERE t.organization_id = :org AND t.holder_user_id = :user_id AND (:status?::text IS NULL OR t.status = :status)
      AND t.status NOT IN ('cancelled', 'refunded') AND NOT {over}) to_come
WHERE :after_at?::timestamptz IS NULL OR (plays_at, id) > (:after_at, :after_id?::uuid)
ORDER BY plays_at, id LIMIT :limit;

-- name: transferred_tickets
-- Tickets that a buyer has transferred. Found by their orders: a ticket does not store its former holders.
SELECT {printed} FROM {printed_from}
WHERE o.organization_id = :org AND o.user_id = :user_id AND t.transferred_at IS NOT NULL
  AND t.holder_user_id IS DISTINCT
FROM :user_id
  AND (:after_at?::timestamptz IS NULL OR (t.issued_at, t.id) < (:after_at, :after_id?::uuid))
ORDER BY t.issued_at DESC, t.id DESC LIMIT :limit;

-- name: transfer_ticket
-- Requires the ticket's lock. Voids what the former holder knows: the QR code, by a new nonce, and the text code. In a
-- members' zone the ticket is bound to the new holder's membership, which the gate checks.
WITH former AS (
    INSERT INTO former_codes (organization_id, code, ticket_id, event_id)
    SELECT organization_id, code, id, event_id FROM tickets
    WHERE organization_id = :org AND id = :ticket_id AND version = :version AND status = 'valid'
)
UPDATE tickets t
SET holder_name = :holder_name, holder_email = :holder_email, holder_user_id = :holder_user_id, nonce = :nonce,
    code = :code,
                     transferred_at = app.clock(), version = version + 1, updated_at = app.clock(), membership_id = (
    SELECT m.id FROM event_zones z
    JOIN memberships m ON m.organization_id = :org AND m.user_id = :holder_user_id AND m.tier = z.membership_tier
        AND m.status = 'active'
                      AND m.valid_from <= app.clock() AND (m.valid_until IS NULL OR app.clock() < m.valid_until)
    WHERE z.organization_id = :org AND z.event_id = t.event_id AND z.zone_id = t.zone_id
      AND z.access_mode = 'membership_tier'
    ORDER BY m.created_at LIMIT 1)
WHERE organization_id = :org AND id = :ticket_id AND version = :version AND status = 'valid'
RETURNING {ticket};

-- Keys ---------------------------------------------------------------------------------------------

-- name: ticket_keys
SELECT key_id, public_key, created_at, retired_at, revoked_at FROM ticket_keys
WHERE organization_id = :org ORDER BY key_id;

-- name: signing_key
SELECT key_id, sealed_key FROM ticket_keys WHERE organization_id = :org AND retired_at IS NULL;

-- name: retire_key
UPDATE ticket_keys SET retired_at = app.clock(), revoked_at = CASE WHEN :revoke THEN app.clock() END
WHERE organization_id = :org AND retired_at IS NULL;

-- name: insert_key
-- Of two transactions that find no key, one inserts it.
INSERT INTO ticket_keys (organization_id, key_id, public_key, sealed_key)
SELECT :org, coalesce(max(key_id), 0) + 1, :public_key, :sealed_key FROM ticket_keys WHERE organization_id = :org
ON CONFLICT DO NOTHING;
