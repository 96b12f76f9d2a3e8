-- The second step of `app.hold`: decides the outcome of each line. Locks the seats; writes nothing.
--
-- First each line by itself (`looked`), then each request with all that its person holds (`judged`), then all requests
-- in their order against the free capacity (`places`). `capped` are the events with a limit of their own, `typed` those
-- with ticket types, `by_day` those with ticket types that count by day.
CREATE OR REPLACE FUNCTION app.judge_hold(org uuid, lines app.hold_line[], capped uuid[], typed uuid[], by_day uuid[])
RETURNS SETOF app.hold_judgement LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT x.*, row_number() OVER (PARTITION BY x.event_id, x.seat_id ORDER BY x.req) AS place,
               CASE WHEN t.by_day THEN t.id END AS day_type, t.valid_days AS days,
               -- Staff, and waitlist offers, are exempt from sale times: they have no `most_places`.
               n.of_type IS NULL AND x.most_places IS NOT NULL AND x.event_id = ANY (typed) AS by_place,
               CASE WHEN e.id IS NULL THEN 'event_not_found'
                    WHEN e.status NOT IN ('published', 'live') AND (e.status <> 'postponed' OR e.rescheduled_at IS NULL)
                        THEN 'event_not_available'
                    WHEN clock NOT BETWEEN e.sale_start_at AND e.sale_end_at THEN 'event_sales_closed'
                    WHEN n.of_type IS NULL THEN NULL
                    -- A hidden type can be held with a code that unlocks it, as at checkout.
                    WHEN t.id IS NULL OR t.hidden AND (t.id = ANY (c.ticket_type_ids)) IS NOT TRUE
                        THEN 'ticket_type_not_found'
                    WHEN clock < t.sale_start_at OR clock > t.sale_end_at OR CASE x.kind
                        WHEN 'zone' THEN t.kind <> 'ga' OR t.zones <> '{}' AND NOT EXISTS (
                            SELECT FROM event_zones z WHERE z.organization_id = org AND z.event_id = x.event_id
                            AND z.zone_id = x.ref_id AND z.zone_key = ANY (t.zones))
                        ELSE EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org
                                     AND l.event_id = x.event_id) END
                        THEN 'ticket_type_not_on_sale'
                    -- Everything that the person requests and holds of the type counts. A waitlist offer, or a request
                    -- of staff, is a booking of its own.
                    WHEN sum(x.quantity) OVER (PARTITION BY x.req, n.of_type) + CASE WHEN x.most_places IS NULL THEN 0 ELSE (
                        SELECT coalesce(sum(m.quantity), 0) FROM seat_holds m WHERE m.organization_id = org
                        AND m.event_id = x.event_id AND m.user_id = x.user_id AND m.ticket_type_id = t.id
                        AND m.status IN ('active', 'suspended') AND m.held_until > clock) END > t.max_per_order
                        THEN 'max_per_order' END AS closed,
               c.code AS valid_code
        FROM unnest(lines) x
        CROSS JOIN LATERAL (SELECT CASE x.kind WHEN 'ticket_type' THEN x.ref_id
                                               ELSE x.ticket_type_id END AS of_type) n
        LEFT JOIN LATERAL (SELECT * FROM events WHERE organization_id = org AND id = x.event_id OFFSET 0) e ON true
        LEFT JOIN LATERAL (SELECT * FROM ticket_types WHERE n.of_type IS NOT NULL AND organization_id = org
                           AND id = n.of_type AND event_id = x.event_id OFFSET 0) t ON true
        -- A code that is used up unlocks nothing, except for a person with a use of it in a running checkout.
        LEFT JOIN LATERAL (
            SELECT p.code, p.ticket_type_ids FROM promo_codes p
            WHERE x.promo_code IS NOT NULL AND p.organization_id = org AND p.event_id = x.event_id
              AND p.code = x.promo_code AND p.active
              AND coalesce(p.valid_from <= clock, true) AND coalesce(clock < p.valid_until, true)
              AND (coalesce(p.uses < p.max_uses, true) AND coalesce(p.spent < p.budget, true) OR EXISTS (
                  SELECT FROM promo_uses u
                  JOIN checkout_sessions s ON s.organization_id = org AND s.id = u.checkout_id
                  WHERE u.organization_id = org AND u.promo_code_id = p.id AND u.status = 'taken'
                    AND s.user_id = x.user_id AND s.status IN ('open', 'paying')))
            OFFSET 0) c ON true
    ), locked AS MATERIALIZED (
        -- In the order of their ids. Seats that another batch has locked are skipped (`again`).
        SELECT w.*, s.ordinal, s.zone_id, s.status, s.hold_id AS old_hold, s.held_until AS old_until, s.reserved_for,
               s.reserved_until, s.version + 1 AS version
        FROM wanted w
        JOIN event_seats s ON s.organization_id = org AND s.event_id = w.event_id AND s.seat_id = w.seat_id
        WHERE w.place = 1
        ORDER BY s.event_id, s.seat_id FOR UPDATE OF s SKIP LOCKED
    ), found AS (
        SELECT * FROM locked
        UNION ALL
        -- IS NOT TRUE makes it a hashed subplan; as a join it would be planned for one row, and take O(n²).
        SELECT w.*, NULL, CASE w.kind WHEN 'zone' THEN w.ref_id END, NULL, NULL, NULL, NULL, NULL, NULL
        FROM wanted w WHERE (w.hold_id IN (SELECT hold_id FROM locked)) IS NOT TRUE
    ), unsold AS MATERIALIZED (
        -- Zones that are requested without a type and that no type sells: few, however many lines there are.
        SELECT z.event_id, z.zone_id, z.seated, z.valid_code,
               app.check_zone_sale(org, z.event_id, z.zone_id, z.seated, z.valid_code, clock) AS why
        FROM (SELECT DISTINCT event_id, zone_id, seat_id IS NOT NULL AS seated, valid_code
              FROM found WHERE by_place AND closed IS NULL AND zone_id IS NOT NULL) z
    ), looked AS MATERIALIZED (
        SELECT f.*, CASE
                   WHEN closed IS NOT NULL THEN closed
                   WHEN f.seat_id IS NULL THEN coalesce(u.why, 'free')
                   WHEN place > 1 THEN 'again'
                   WHEN status IS NULL THEN CASE WHEN EXISTS (
                       SELECT FROM event_seats t WHERE t.organization_id = org AND t.event_id = f.event_id
                       AND t.seat_id = f.seat_id) THEN 'again' ELSE 'seat_not_found' END
                   WHEN status IN ('sold', 'blocked') THEN 'seat_not_available'
                   WHEN status = 'held' AND old_until > clock THEN CASE user_id WHEN (
                       SELECT h.user_id FROM seat_holds h WHERE h.organization_id = org AND h.id = f.old_hold)
                       THEN 'own' ELSE 'seat_held_by_another_user' END
                   WHEN reserved_until > clock AND reserved_for <> user_id THEN 'seat_not_available'
                   ELSE coalesce(u.why, 'free') END AS state
        FROM found f
        LEFT JOIN unsold u ON f.by_place AND u.event_id = f.event_id AND u.zone_id = f.zone_id
                          AND u.seated = (f.seat_id IS NOT NULL) AND u.valid_code IS NOT DISTINCT FROM f.valid_code
    ), summed AS (
        SELECT l.*, count(*) FILTER (WHERE state = 'free') OVER together AS fresh,
               sum(quantity) FILTER (WHERE state = 'free') OVER together AS fresh_places,
               count(most_chairs) FILTER (WHERE state = 'free') OVER together AS fresh_chairs,
               max(most_chairs) OVER together AS limit_of_chairs,
               bool_and(state IN ('free', 'own')) OVER together AS fits
        FROM looked l WINDOW together AS (PARTITION BY req)
    ), judged AS MATERIALIZED (
        -- The limit per window counts holds, not quantities: released ones count, `own` ones do not.
        -- A basket with a key is held once: its repeat waits for the same lock, and then sees the first one's rows.
        SELECT a.*, CASE WHEN a.line > 1 THEN NULL
            WHEN a.basket_low IS NOT NULL AND EXISTS (
                SELECT FROM seat_holds b WHERE b.organization_id = org
                AND b.keyed AND b.basket_id BETWEEN a.basket_low AND a.basket_high) THEN 'repeated'
            WHEN NOT a.fits OR a.fresh = 0 THEN NULL
            WHEN a.fresh + (SELECT count(*) FROM seat_holds t WHERE t.organization_id = org AND t.user_id = a.user_id
                            AND t.created_at > clock - interval '300 seconds') > a.per_window THEN 'too_many_holds'
            WHEN a.most_mine IS NOT NULL AND a.fresh + (
                SELECT count(*) FROM seat_holds m WHERE m.organization_id = org AND m.event_id = a.event_id
                AND m.user_id = a.user_id AND m.status IN ('active', 'suspended') AND m.held_until > clock)
                > a.most_mine
                THEN 'max_holds_per_user'
            WHEN a.most_near IS NOT NULL AND a.fresh + (
                SELECT count(*) FROM seat_holds m WHERE m.organization_id = org AND m.event_id = a.event_id
                AND m.network = a.network AND m.status IN ('active', 'suspended') AND m.held_until > clock)
                > a.most_near
                THEN 'max_holds_per_ip'
            -- The limits of a booking count quantities, with all that the person holds of the event.
            WHEN a.most_places IS NOT NULL AND a.fresh_places + (
                SELECT coalesce(sum(m.quantity), 0) FROM seat_holds m WHERE m.organization_id = org
                AND m.event_id = a.event_id AND m.user_id = a.user_id AND m.status IN ('active', 'suspended')
                AND m.held_until > clock) > a.most_places
                THEN 'max_seats_per_booking'
            WHEN a.fresh_chairs > 0 AND a.fresh_chairs + (
                SELECT count(*) FROM seat_holds m JOIN seats s ON s.organization_id = org AND s.id = m.seat_id
                WHERE m.organization_id = org AND m.event_id = a.event_id AND m.user_id = a.user_id
                AND m.status IN ('active', 'suspended') AND m.held_until > clock AND s.category = 'wheelchair')
                > a.limit_of_chairs
                THEN 'max_wheelchair_seats_per_booking' END AS verdict
        FROM summed a
    ), limited AS MATERIALIZED (
        SELECT j.*, max(verdict) OVER (PARTITION BY req) AS too_many FROM judged j
    ), claims AS (
        SELECT req, line, event_id, kind, ref_id, quantity::bigint AS quantity,
               CASE kind WHEN 'zone' THEN day_type END AS day_type, days
        FROM limited WHERE fits AND too_many IS NULL AND seat_id IS NULL
        UNION ALL
        SELECT req, line, event_id, 'ticket_type', ticket_type_id, quantity, NULL, NULL
        FROM limited l WHERE fits AND too_many IS NULL AND ticket_type_id IS NOT NULL AND EXISTS (
            SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = l.event_id AND p.kind = 'ticket_type'
            AND p.ref_id = l.ticket_type_id)   -- a type without a quantity has none
        UNION ALL
        SELECT req, min(line), event_id, 'event', event_id, sum(quantity), day_type, days
        FROM limited WHERE fits AND too_many IS NULL AND state = 'free' AND event_id = ANY (capped)
        GROUP BY req, event_id, day_type, days
    ), places AS (
        -- First come, first served: a request fits if it does together with all before it, on each of its days.
        SELECT c.*, coalesce(d.day, '-infinity') AS day, p.capacity - p.held - p.sold - coalesce(d.taken, 0) AS room,
               sum(c.quantity) OVER (PARTITION BY c.event_id, c.kind, c.ref_id, d.day ORDER BY c.req, c.line)
                   AS up_to_here
        FROM claims c
        LEFT JOIN LATERAL (SELECT * FROM pools WHERE organization_id = org AND event_id = c.event_id AND kind = c.kind
                           AND ref_id = c.ref_id OFFSET 0) p ON true
        LEFT JOIN LATERAL (SELECT l.day, l.held + l.sold AS taken
                           FROM app.day_loads(org, c.event_id, c.kind, c.ref_id) l
                           WHERE c.kind <> 'ticket_type' AND c.event_id = ANY (by_day)
                             AND (c.day_type IS NULL OR l.day = ANY (c.days))) d ON true
    ), lost AS (
        SELECT req FROM places WHERE up_to_here > room OR room IS NULL
    ), settled AS MATERIALIZED (
        SELECT l.*, l.fits AND l.too_many IS NULL AND (l.req IN (SELECT req FROM lost)) IS NOT TRUE AS won
        FROM limited l
    ), taken AS (
        SELECT p.event_id, p.kind, p.ref_id, p.day, sum(p.quantity) AS quantity
        FROM places p WHERE (p.req IN (SELECT req FROM lost)) IS NOT TRUE GROUP BY 1, 2, 3, 4
    )
    SELECT l.req, l.line, CASE
               WHEN l.too_many = 'repeated' THEN 'repeated'
               WHEN l.state = 'own' THEN 'own'
               WHEN l.won THEN 'held'
               -- An earlier request of this batch wanted the same seat, and got it.
               WHEN l.state = 'again' AND EXISTS (SELECT FROM settled g WHERE g.won AND g.state = 'free'
                                                  AND g.event_id = l.event_id AND g.seat_id = l.seat_id)
                   THEN 'seat_held_by_another_user'
               WHEN l.state <> 'free' THEN l.state
               WHEN l.too_many IS NOT NULL THEN l.too_many
               ELSE coalesce((
                   -- At capacity if it does not fit beside the winners; `again` if only failed requests were before it.
                   SELECT CASE WHEN p.room IS NULL THEN 'zone_not_found'
                               WHEN p.quantity > p.room - coalesce(f.quantity, 0) THEN 'block_at_capacity'
                               WHEN p.up_to_here > p.room THEN 'again' END
                   FROM places p LEFT JOIN taken f USING (event_id, kind, ref_id, day)
                   WHERE p.req = l.req AND p.line = l.line ORDER BY 1 DESC NULLS LAST LIMIT 1), 'not_tried')
               END,
           l.event_id, l.user_id, l.seat_id, l.kind, l.ref_id,
           CASE l.kind WHEN 'ticket_type' THEN l.ref_id ELSE l.ticket_type_id END, l.quantity, l.hold_id, l.basket_id,
           l.source, l.network, l.basket_low IS NOT NULL, clock + make_interval(secs => l.ttl_s), l.keeps_companions,
           l.ip, l.user_agent, l.request_id, l.ttl_s, l.ordinal, l.zone_id, l.version, l.status, l.old_hold,
           l.old_until, l.day_type
    FROM settled l;
END $$;
