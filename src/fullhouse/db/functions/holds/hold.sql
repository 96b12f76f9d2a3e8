-- A batch of requests of one organisation, in the order of their arrival. Each gets all of its lines or none, and there
-- is an answer for each line: `held` and `own` (it was theirs already) are good; `again` may be good in the next batch;
-- the rest are the codes of refusals. Line 0 is about seats that changed beside them. The caller sees to it that a
-- batch has one request of a person at most.
CREATE OR REPLACE FUNCTION app.hold(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    overdue uuid[] := '{}';
    asked uuid[] := array(SELECT DISTINCT event_id FROM unnest(lines));
    capped uuid[];   -- events that have a limit of their own
    typed uuid[];    -- events that sell by ticket types
    by_day uuid[];   -- events of which some places count on some days
    freed record;
BEGIN
    PERFORM set_config('app.org', org::text, true);

    -- The event first: whoever cancels it waits for us, or we see it cancelled.
    PERFORM FROM events WHERE organization_id = org AND id = ANY (asked) ORDER BY id FOR SHARE;

    -- Limits of people and networks: two batches do not count the same person at once.
    PERFORM pg_advisory_xact_lock(k.key)
    FROM (SELECT hashtextextended('user:' || user_id, 0) AS key FROM unnest(lines)
          UNION SELECT hashtextextended('net:' || org || network, 0) FROM unnest(lines) WHERE most_near IS NOT NULL
          ORDER BY 1) k;

    -- Pools: those whose places are asked for, and the show's own where it has one. One that is too small for all who
    -- ask gives back first what overdue holds still count in it.
    SELECT array_agg(p.event_id) FILTER (WHERE p.kind = 'event') INTO capped
    FROM (SELECT event_id, kind FROM pools p
          WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) IN (
              SELECT event_id, kind, ref_id FROM unnest(lines) WHERE seat_id IS NULL
              UNION ALL SELECT event_id, 'ticket_type', ticket_type_id FROM unnest(lines)
                        WHERE ticket_type_id IS NOT NULL
              UNION ALL SELECT e, 'event', e FROM unnest(asked) e)
          ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE) p
    HAVING count(*) > 0;
    IF FOUND THEN
        overdue := array(
            SELECT h.id
            FROM (SELECT event_id, kind, ref_id, sum(quantity) AS quantity FROM unnest(lines)
                  WHERE seat_id IS NULL GROUP BY 1, 2, 3
                  UNION ALL SELECT event_id, 'ticket_type', ticket_type_id, sum(quantity) FROM unnest(lines)
                            WHERE ticket_type_id IS NOT NULL GROUP BY 1, 3
                  UNION ALL SELECT event_id, 'event', event_id, sum(quantity) FROM unnest(lines) GROUP BY 1) w
            JOIN pools p ON p.organization_id = org
                        AND (p.event_id, p.kind, p.ref_id) = (w.event_id, w.kind, w.ref_id)
                        AND w.quantity > p.capacity - p.held - p.sold - p.day_peak
            JOIN seat_holds h ON h.organization_id = org AND h.event_id = p.event_id AND h.status = 'active'
                             AND h.held_until <= clock
            WHERE CASE p.kind WHEN 'zone' THEN h.seat_id IS NULL AND h.zone_id = p.ref_id
                              WHEN 'ticket_type' THEN h.ticket_type_id = p.ref_id ELSE true END);
    END IF;
    SELECT coalesce(array_agg(DISTINCT t.event_id), '{}'),
           coalesce(array_agg(DISTINCT t.event_id) FILTER (WHERE t.by_day), '{}') INTO typed, by_day
    FROM ticket_types t WHERE t.organization_id = org AND t.event_id = ANY (asked);
    IF overdue <> '{}' THEN
        FOR freed IN
            SELECT event_id,
                   coalesce(array_agg(coalesce(ordinal, kept)) FILTER (WHERE seen), '{}') AS ordinals,
                   coalesce(array_agg(CASE WHEN ordinal IS NULL THEN 4 ELSE 0 END::smallint) FILTER (WHERE seen), '{}')
                       AS states,
                   coalesce(array_agg(version) FILTER (WHERE seen), '{}') AS versions,
                   coalesce(json_agg(json_build_array(zone_id, held, sold, version)) FILTER (WHERE held IS NOT NULL),
                            '[]') AS counts
            FROM (SELECT *, coalesce(ordinal, kept) IS NOT NULL AS seen FROM app.end_holds(
                      org, overdue, 'expired', true, 'system', NULL, 'sweeper', NULL, NULL, NULL, NULL)) e
            GROUP BY event_id
        LOOP
            IF sender IS NOT NULL THEN
                PERFORM app.tell_seats(sender, org, freed.event_id, freed.ordinals, freed.states, freed.versions,
                                       freed.counts);
            END IF;
            RETURN QUERY
            SELECT 0, 0, CASE o.state WHEN 0 THEN 'freed' ELSE 'accompanied' END, NULL::uuid, NULL::timestamptz,
                   NULL::integer, freed.event_id, o.ordinal, NULL::uuid, o.version, NULL::integer, NULL::integer,
                   NULL::text, NULL::timestamptz
            FROM unnest(freed.ordinals, freed.states, freed.versions) AS o (ordinal, state, version)
            UNION ALL
            SELECT 0, 0, 'counted', NULL, NULL, NULL, freed.event_id, NULL, (c ->> 0)::uuid, (c ->> 3)::integer,
                   (c ->> 1)::integer, (c ->> 2)::integer, NULL, NULL
            FROM json_array_elements(freed.counts) c;
        END LOOP;
    END IF;

    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT x.*, row_number() OVER (PARTITION BY x.event_id, x.seat_id ORDER BY x.req) AS place,
               CASE WHEN t.by_day THEN t.id END AS day_type, t.valid_days AS days,
               -- Staff keep places when they like, and so does a waiting list: neither has a number here.
               n.of_type IS NULL AND x.most_places IS NOT NULL AND x.event_id = ANY (typed) AS by_place,
               CASE WHEN e.id IS NULL THEN 'event_not_found'
                    WHEN e.status NOT IN ('published', 'live') AND (e.status <> 'postponed' OR e.rescheduled_at IS NULL)
                        THEN 'event_not_available'
                    WHEN clock NOT BETWEEN e.sale_start_at AND e.sale_end_at THEN 'event_sales_closed'
                    WHEN n.of_type IS NULL THEN NULL
                    -- A hidden type is there for whoever has a code that shows it, as at checkout.
                    WHEN t.id IS NULL OR t.hidden AND NOT EXISTS (
                        SELECT FROM promo_codes c WHERE c.organization_id = org AND c.event_id = x.event_id
                        AND c.code = x.promo_code AND t.id = ANY (c.ticket_type_ids) AND c.active
                        AND coalesce(c.valid_from <= clock, true) AND coalesce(clock < c.valid_until, true))
                        THEN 'ticket_type_not_found'
                    WHEN clock < t.sale_start_at OR clock > t.sale_end_at OR CASE x.kind
                        WHEN 'zone' THEN t.kind <> 'ga' OR t.zones <> '{}' AND NOT EXISTS (
                            SELECT FROM event_zones z WHERE z.organization_id = org AND z.event_id = x.event_id
                            AND z.zone_id = x.ref_id AND z.zone_key = ANY (t.zones))
                        ELSE EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org
                                     AND l.event_id = x.event_id) END
                        THEN 'ticket_type_not_on_sale'
                    -- Over all that somebody holds of it; an offer, and a request of staff, is a booking of its own.
                    WHEN x.quantity + CASE WHEN x.most_places IS NULL THEN 0 ELSE (
                        SELECT coalesce(sum(m.quantity), 0) FROM seat_holds m WHERE m.organization_id = org
                        AND m.event_id = x.event_id AND m.user_id = x.user_id AND m.ticket_type_id = t.id
                        AND m.status IN ('active', 'suspended') AND m.held_until > clock) END > t.max_per_order
                        THEN 'max_per_order' END AS closed
        FROM unnest(lines) x
        CROSS JOIN LATERAL (SELECT CASE x.kind WHEN 'ticket_type' THEN x.ref_id
                                               ELSE x.ticket_type_id END AS of_type) n
        LEFT JOIN LATERAL (SELECT * FROM events WHERE organization_id = org AND id = x.event_id OFFSET 0) e ON true
        LEFT JOIN LATERAL (SELECT * FROM ticket_types WHERE n.of_type IS NOT NULL AND organization_id = org
                           AND id = n.of_type AND event_id = x.event_id OFFSET 0) t ON true
    ), locked AS MATERIALIZED (
        -- In the order of their ids. One that another batch has locked at this moment is not waited for.
        SELECT w.*, s.ordinal, s.zone_id, s.status, s.hold_id AS old_hold, s.held_until AS old_until, s.reserved_for,
               s.reserved_until, s.version + 1 AS version
        FROM wanted w
        JOIN event_seats s ON s.organization_id = org AND s.event_id = w.event_id AND s.seat_id = w.seat_id
        WHERE w.place = 1
        ORDER BY s.event_id, s.seat_id FOR UPDATE OF s SKIP LOCKED
    ), found AS (
        SELECT * FROM locked
        UNION ALL
        -- IS NOT TRUE makes it a look-up in a table of hashes; as a join it would be planned for one row, and cost n².
        SELECT w.*, NULL, CASE w.kind WHEN 'zone' THEN w.ref_id END, NULL, NULL, NULL, NULL, NULL, NULL
        FROM wanted w WHERE (w.hold_id IN (SELECT hold_id FROM locked)) IS NOT TRUE
    ), unsold AS MATERIALIZED (
        -- Zones whose places are asked for without a type, and that no type sells: a few, however many lines there are.
        SELECT z.event_id, z.zone_id, z.seated, z.promo_code,
               app.check_zone_sale(org, z.event_id, z.zone_id, z.seated, z.promo_code, clock) AS why
        FROM (SELECT DISTINCT event_id, zone_id, seat_id IS NOT NULL AS seated, promo_code
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
                          AND u.seated = (f.seat_id IS NOT NULL) AND u.promo_code IS NOT DISTINCT FROM f.promo_code
    ), summed AS (
        SELECT l.*, count(*) FILTER (WHERE state = 'free') OVER together AS fresh,
               sum(quantity) FILTER (WHERE state = 'free') OVER together AS fresh_places,
               count(most_chairs) FILTER (WHERE state = 'free') OVER together AS fresh_chairs,
               max(most_chairs) OVER together AS limit_of_chairs,
               bool_and(state IN ('free', 'own')) OVER together AS fits
        FROM looked l WINDOW together AS (PARTITION BY req)
    ), judged AS MATERIALIZED (
        -- Rows count, not places; those that were given back count too, and what is somebody's already does not.
        -- A basket with a key is held once: its repeat waited for the same lock, and sees the first one's rows.
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
            -- A booking's limits: places count, with all that the person has in the event.
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
        -- Who comes first is served first: a request fits if it does with all before it, on each day that it counts on.
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
    ), given AS MATERIALIZED (
        SELECT s.*, until, jsonb_strip_nulls(to_jsonb(story)) AS story
        FROM settled s
        CROSS JOIN LATERAL (SELECT clock + make_interval(secs => s.ttl_s) AS until) u
        CROSS JOIN LATERAL (SELECT 1 AS version, s.hold_id AS subject_id, s.event_id, s.seat_id, s.zone_id,
                                   CASE s.kind WHEN 'ticket_type' THEN s.ref_id ELSE s.ticket_type_id END
                                       AS ticket_type_id, s.quantity,
                                   s.user_id, s.basket_id, until AS held_until, s.source, 'active' AS status) story
        WHERE s.won AND s.state = 'free'
    ), seated AS (
        UPDATE event_seats s SET status = 'held', held_until = g.until, hold_id = g.hold_id, reserved_for = NULL,
                                 reserved_until = NULL, version = s.version + 1
        FROM given g
        WHERE s.organization_id = org AND s.event_id = g.event_id AND s.seat_id = g.seat_id
        RETURNING s.event_id, s.ordinal, s.version
    ), accompanied AS (
        -- Companion seats are kept for whoever has the wheelchair place, for as long.
        UPDATE event_seats s SET reserved_for = g.user_id, reserved_until = g.until, version = s.version + 1
        FROM given g
        WHERE g.keeps_companions AND s.organization_id = org AND s.event_id = g.event_id AND s.companion_of = g.seat_id
          AND NOT (SELECT companions_released FROM event_zones z WHERE z.organization_id = org
                   AND z.event_id = g.event_id AND z.zone_id = g.zone_id)
          AND (s.status = 'available' OR s.status = 'held' AND s.held_until <= clock)
          AND NOT EXISTS (SELECT FROM given o WHERE o.event_id = s.event_id AND o.seat_id = s.seat_id)
        RETURNING s.event_id, s.ordinal, s.version, g.hold_id
    ), filled AS (
        SELECT c.event_id, c.kind, c.ref_id, c.day_type, sum(c.quantity) AS quantity
        FROM claims c WHERE (c.req IN (SELECT req FROM lost)) IS NOT TRUE GROUP BY 1, 2, 3, 4
    ), taken AS (
        SELECT p.event_id, p.kind, p.ref_id, p.day, sum(p.quantity) AS quantity
        FROM places p WHERE (p.req IN (SELECT req FROM lost)) IS NOT TRUE GROUP BY 1, 2, 3, 4
    ), counted_by_day AS (
        INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, held)
        SELECT org, f.event_id, f.kind, f.ref_id, f.day_type, f.quantity FROM filled f WHERE f.day_type IS NOT NULL
        ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
        SET held = p.held + excluded.held
    ), counted AS (
        UPDATE pools p SET held = p.held + f.quantity FROM filled f
        WHERE p.organization_id = org AND p.event_id = f.event_id AND p.kind = f.kind AND p.ref_id = f.ref_id
          AND f.day_type IS NULL
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version, p.capacity
    ), seen AS (
        SELECT * FROM counted
        WHERE kind = 'zone' AND event_id <> ALL (by_day)
           OR kind = 'ticket_type' AND capacity - held - sold <= 20   -- tickets/policy.py, FEW
    ), told_of AS (
        INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                quantity, held_until, source, network, keyed, created_at, updated_at)
        SELECT hold_id, org, event_id, basket_id, user_id, seat_id, zone_id,
               CASE kind WHEN 'ticket_type' THEN ref_id ELSE ticket_type_id END, quantity, until, source, network,
               basket_low IS NOT NULL,
               clock, clock
        FROM given
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               before, after, ip, user_agent, request_id)
        SELECT hold_id, org, clock, 'user', user_id, 'seat_reserved', 'seat_hold', hold_id,
               CASE WHEN seat_id IS NOT NULL THEN '{"status": "available"}'::jsonb END, story, ip, user_agent,
               request_id
        FROM given
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        -- Of a seat also in the reserve workflow's own words.
        SELECT hold_id, org, 'hold.placed', hold_id,
               CASE WHEN seat_id IS NULL THEN story
                    ELSE story || jsonb_build_object('type', 'SeatReserved', 'hold_id', hold_id,
                                                     'organization_id', org, 'timestamp', clock) END
        FROM given
    ), told AS MATERIALIZED (
        SELECT app.tell_shows(sender, coalesce(array_agg(json_build_array('seats:' || event_id, json_build_array(
                   coalesce(s.ordinals, '{}'), coalesce(s.states, '{}'), coalesce(s.versions, '{}'),
                   coalesce(p.counts, '[]'), org))), '{}'))
        FROM (SELECT event_id, array_agg(ordinal) AS ordinals, array_agg(state) AS states,
                     array_agg(version) AS versions
              FROM (SELECT event_id, ordinal, 1::smallint AS state, version FROM seated
                    UNION ALL SELECT event_id, ordinal, 4::smallint, version FROM accompanied) changed
              GROUP BY event_id) s
        FULL JOIN (SELECT event_id, json_agg(json_build_array(ref_id, held, sold, version)) AS counts
                   FROM seen GROUP BY event_id) p USING (event_id)
        WHERE sender IS NOT NULL
    ), answers AS (
        SELECT l.req, l.line, CASE
                   WHEN l.too_many = 'repeated' THEN 'repeated'
                   WHEN l.state = 'own' THEN 'own'
                   WHEN l.won THEN 'held'
                   -- Another request of this batch was before us at this seat. If it got it, so be it.
                   WHEN l.state = 'again' AND EXISTS (SELECT FROM given g WHERE g.event_id = l.event_id
                                                      AND g.seat_id = l.seat_id) THEN 'seat_held_by_another_user'
                   WHEN l.state <> 'free' THEN l.state
                   WHEN l.too_many IS NOT NULL THEN l.too_many
                   ELSE coalesce((
                       -- It would not fit beside those who won; otherwise only somebody who failed stood in its way.
                       SELECT CASE WHEN p.room IS NULL THEN 'zone_not_found'
                                   WHEN p.quantity > p.room - coalesce(f.quantity, 0) THEN 'block_at_capacity'
                                   WHEN p.up_to_here > p.room THEN 'again' END
                       FROM places p LEFT JOIN taken f USING (event_id, kind, ref_id, day)
                       WHERE p.req = l.req AND p.line = l.line ORDER BY 1 DESC NULLS LAST LIMIT 1), 'not_tried')
                   END AS outcome,
               CASE WHEN l.state = 'own' THEN l.old_hold WHEN l.won THEN l.hold_id END AS hold_id,
               CASE WHEN l.won AND l.state = 'free' THEN clock + make_interval(secs => l.ttl_s)
                    ELSE l.old_until END AS held_until,
               -- To others, a seat that is kept for whoever has the place beside it looks blocked.
               CASE WHEN l.state = 'seat_not_available'
                    THEN CASE l.status WHEN 'sold' THEN 'sold' ELSE 'blocked' END END AS seat_status,
               CASE WHEN l.state = 'own' THEN (SELECT h.created_at FROM seat_holds h WHERE h.organization_id = org
                                               AND h.id = l.old_hold)
                    WHEN l.won THEN clock END AS locked_at,
               l.hold_id AS asked_as, l.ttl_s, l.ordinal, l.zone_id, l.version, l.event_id, l.seat_id, l.user_id,
               l.ip, l.user_agent, l.request_id
        FROM settled l
    ), refused AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               after, ip, user_agent, request_id)
        SELECT asked_as, org, clock, 'user', user_id, 'seat_reserve_failed', 'event', event_id,
               jsonb_strip_nulls(jsonb_build_object('seat_id', seat_id, 'zone_id', zone_id, 'reason', outcome)), ip,
               user_agent, request_id
        FROM answers WHERE outcome NOT IN ('held', 'own', 'again', 'not_tried', 'repeated', 'event_not_found')
    )
    SELECT a.req, a.line, a.outcome, a.hold_id,
           CASE WHEN a.outcome = 'seat_held_by_another_user' AND a.held_until IS NULL
                THEN clock + make_interval(secs => a.ttl_s) ELSE a.held_until END,
           CASE WHEN a.outcome = 'seat_held_by_another_user' AND a.held_until IS NULL THEN a.ttl_s
                WHEN a.held_until < 'infinity'
                    THEN greatest(0, ceil(extract(epoch FROM a.held_until - clock)))::integer END,
           a.event_id, a.ordinal, a.zone_id, a.version, NULL::integer, NULL::integer, a.seat_status, a.locked_at
    FROM answers a WHERE (SELECT count(*) FROM told) >= 0
    UNION ALL
    SELECT 0, 0, 'accompanied', hold_id, NULL, NULL, event_id, ordinal, NULL, version, NULL, NULL, NULL, NULL
    FROM accompanied
    UNION ALL
    SELECT 0, 0, 'counted', NULL, NULL, NULL, event_id, NULL, ref_id, version, held, sold, NULL, NULL
    FROM seen
    ORDER BY 1, 2;

    -- Of zones that are counted per day, after that: the statement itself does not see what it made of them.
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT 0, 0, 'counted', NULL::uuid, NULL::timestamptz, NULL::integer, z.event_id, NULL::integer,
                            z.zone_id, z.version, z.held, z.sold, NULL::text, NULL::timestamptz
        FROM app.zones_counted(org, sender, by_day, array(
                 SELECT l.ref_id FROM unnest(lines) l WHERE l.kind = 'zone' AND l.event_id = ANY (by_day))) z;
    END IF;
END $$;
