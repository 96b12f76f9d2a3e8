-- The limits of a booking are judged where something is held, over all that the person has in the event, and so are a
-- ticket type's own: its time, its code, and how many of it one order may have. Judged per request, six single
-- requests became one order of six; and types that were not on sale yet could be held until nobody had any.

-- `most_places`: so many seats and places in one booking. `most_chairs`: said of a wheelchair place alone, so many of
-- them. `promo_code`: shows hidden types. Without a number there is no limit: staff, and what a waiting list offers.
ALTER TYPE app.hold_line ADD ATTRIBUTE most_places integer, ADD ATTRIBUTE most_chairs integer,
                         ADD ATTRIBUTE promo_code text;

-- A batch of requests of one organisation, in the order of their arrival. Each gets all of its lines or none, and there
-- is an answer for each line: `held` and `own` (it was theirs already) are good; `again` may be good in the next batch;
-- the rest are the codes of refusals. Line 0 is about seats that changed beside them. The caller sees to it that a
-- batch has one request of a person at most.
DROP FUNCTION app.hold(uuid, text, app.hold_line[]);
CREATE FUNCTION app.hold(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    overdue uuid[] := '{}';
    asked uuid[] := array(SELECT DISTINCT event_id FROM unnest(lines));
    capped uuid[];   -- shows that have a limit of their own
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
              UNION ALL SELECT e, 'event', e FROM unnest(asked) e)
          ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE) p
    HAVING count(*) > 0;
    IF FOUND THEN
        overdue := array(
            SELECT h.id
            FROM (SELECT event_id, kind, ref_id, sum(quantity) AS quantity FROM unnest(lines)
                  WHERE seat_id IS NULL GROUP BY 1, 2, 3
                  UNION ALL SELECT event_id, 'event', event_id, sum(quantity) FROM unnest(lines) GROUP BY 1) w
            JOIN pools p ON p.organization_id = org
                        AND (p.event_id, p.kind, p.ref_id) = (w.event_id, w.kind, w.ref_id)
                        AND w.quantity > p.capacity - p.held - p.sold
            JOIN seat_holds h ON h.organization_id = org AND h.event_id = p.event_id AND h.status = 'active'
                             AND h.held_until <= clock
            WHERE CASE p.kind WHEN 'zone' THEN h.seat_id IS NULL AND h.zone_id = p.ref_id
                              WHEN 'ticket_type' THEN h.ticket_type_id = p.ref_id ELSE true END);
    END IF;
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
               CASE WHEN e.id IS NULL THEN 'event_not_found'
                    WHEN e.status NOT IN ('published', 'live') AND (e.status <> 'postponed' OR e.rescheduled_at IS NULL)
                        THEN 'event_not_available'
                    WHEN clock NOT BETWEEN e.sale_start_at AND e.sale_end_at THEN 'event_sales_closed'
                    WHEN x.kind IS DISTINCT FROM 'ticket_type' THEN NULL
                    -- A hidden type is there for whoever has a code that shows it, as at checkout.
                    WHEN t.id IS NULL OR t.hidden AND NOT EXISTS (
                        SELECT FROM promo_codes c WHERE c.organization_id = org AND c.event_id = x.event_id
                        AND c.code = x.promo_code AND t.id = ANY (c.ticket_type_ids) AND c.active
                        AND coalesce(c.valid_from <= clock, true) AND coalesce(clock < c.valid_until, true))
                        THEN 'ticket_type_not_found'
                    WHEN clock < t.sale_start_at OR clock > t.sale_end_at OR EXISTS (
                        SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = x.event_id)
                        THEN 'ticket_type_not_on_sale'
                    -- Over all that somebody holds of it; an offer, and a request of staff, is a booking of its own.
                    WHEN x.quantity + CASE WHEN x.most_places IS NULL THEN 0 ELSE (
                        SELECT coalesce(sum(m.quantity), 0) FROM seat_holds m WHERE m.organization_id = org
                        AND m.event_id = x.event_id AND m.user_id = x.user_id AND m.ticket_type_id = t.id
                        AND m.status IN ('active', 'suspended') AND m.held_until > clock) END > t.max_per_order
                        THEN 'max_per_order' END AS closed
        FROM unnest(lines) x
        LEFT JOIN LATERAL (SELECT * FROM events WHERE organization_id = org AND id = x.event_id OFFSET 0) e ON true
        LEFT JOIN LATERAL (SELECT * FROM ticket_types WHERE x.kind = 'ticket_type' AND organization_id = org
                           AND id = x.ref_id AND event_id = x.event_id OFFSET 0) t ON true
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
    ), looked AS MATERIALIZED (
        SELECT f.*, CASE
                   WHEN closed IS NOT NULL THEN closed
                   WHEN seat_id IS NULL THEN 'free'
                   WHEN place > 1 THEN 'again'
                   WHEN status IS NULL THEN CASE WHEN EXISTS (
                       SELECT FROM event_seats t WHERE t.organization_id = org AND t.event_id = f.event_id
                       AND t.seat_id = f.seat_id) THEN 'again' ELSE 'seat_not_found' END
                   WHEN status IN ('sold', 'blocked') THEN 'seat_not_available'
                   WHEN status = 'held' AND old_until > clock THEN CASE user_id WHEN (
                       SELECT h.user_id FROM seat_holds h WHERE h.organization_id = org AND h.id = f.old_hold)
                       THEN 'own' ELSE 'seat_held_by_another_user' END
                   WHEN reserved_until > clock AND reserved_for <> user_id THEN 'seat_not_available'
                   ELSE 'free' END AS state
        FROM found f
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
        SELECT req, line, event_id, kind, ref_id, quantity::bigint AS quantity
        FROM limited WHERE fits AND too_many IS NULL AND seat_id IS NULL
        UNION ALL
        SELECT req, min(line), event_id, 'event', event_id, sum(quantity)
        FROM limited WHERE fits AND too_many IS NULL AND state = 'free' AND event_id = ANY (capped)
        GROUP BY req, event_id
    ), places AS (
        -- Who comes first is served first: a request fits if it does with all before it.
        SELECT c.*, p.capacity - p.held - p.sold AS room,
               sum(c.quantity) OVER (PARTITION BY c.event_id, c.kind, c.ref_id ORDER BY c.req, c.line) AS up_to_here
        FROM claims c
        LEFT JOIN LATERAL (SELECT * FROM pools WHERE organization_id = org AND event_id = c.event_id AND kind = c.kind
                           AND ref_id = c.ref_id OFFSET 0) p ON true
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
                                   CASE s.kind WHEN 'ticket_type' THEN s.ref_id END AS ticket_type_id, s.quantity,
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
        SELECT c.event_id, c.kind, c.ref_id, sum(c.quantity) AS quantity
        FROM claims c WHERE (c.req IN (SELECT req FROM lost)) IS NOT TRUE GROUP BY 1, 2, 3
    ), counted AS (
        UPDATE pools p SET held = p.held + f.quantity FROM filled f
        WHERE p.organization_id = org AND p.event_id = f.event_id AND p.kind = f.kind AND p.ref_id = f.ref_id
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version, p.capacity
    ), seen AS (
        SELECT * FROM counted
        WHERE kind = 'zone' OR kind = 'ticket_type' AND capacity - held - sold <= 20   -- tickets/policy.py, FEW
    ), told_of AS (
        INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                quantity, held_until, source, network, keyed, created_at, updated_at)
        SELECT hold_id, org, event_id, basket_id, user_id, seat_id, zone_id,
               CASE kind WHEN 'ticket_type' THEN ref_id END, quantity, until, source, network, basket_low IS NOT NULL,
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
                       FROM places p LEFT JOIN filled f USING (event_id, kind, ref_id)
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
END $$;

-- Serves a show's list: the first whose party fits what is free, until nobody's does, or until so many were made. What is
-- offered leaves less for all who come after, so a wish that nothing fits is not tried again, nor a larger party's of its
-- kind. The rows are those of `app.hold`, for line 0. Without `near` the hall is looked at before the list is locked:
-- whoever wants to hold a seat does not wait for that.
CREATE OR REPLACE FUNCTION app.offer_places(
    org uuid, show uuid, sender text, zones uuid[] DEFAULT NULL, near int4multirange DEFAULT NULL,
    most integer DEFAULT NULL)
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    sells_until timestamptz;
    list waitlists;
    next_one waitlist_entries;
    vain text[] := '{}';
    busy uuid[] := '{}';
    taken uuid[];
    made integer := 0;
    places app.places;
    basket uuid;
    ttl_s integer;
    lines app.hold_line[];
    got app.held_row[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
    IF near IS NULL THEN
        near := coalesce((
            SELECT range_agg(c.chain) FROM app.free_chains(org, show, true, NULL) c
            WHERE upper(c.chain) - lower(c.chain) >= (SELECT min(w.party) FROM app.wishes(org, show) w)), '{}');
    END IF;
    SELECT e.sale_end_at INTO sells_until FROM events e
    WHERE e.organization_id = org AND e.id = show
      AND (e.status IN ('published', 'live') OR e.status = 'postponed' AND e.rescheduled_at IS NOT NULL)
      AND clock BETWEEN e.sale_start_at AND e.sale_end_at
    FOR SHARE;
    SELECT w.* INTO list FROM waitlists w WHERE w.organization_id = org AND w.event_id = show FOR UPDATE;
    IF sells_until IS NULL OR list.enabled IS NOT TRUE THEN
        RETURN;
    END IF;
    ttl_s := least(list.window_s, floor(extract(epoch FROM sells_until - clock)));
    LOOP
        EXIT WHEN ttl_s < 60 OR made >= most;   -- sooner, nobody could take it any more
        SELECT w.* INTO next_one FROM app.wishes(org, show) w WHERE w.wish <> ALL (vain) ORDER BY w.seq LIMIT 1;
        EXIT WHEN NOT FOUND;
        places := app.places_for(org, show, next_one.party, next_one.zone_key, next_one.ticket_type_id,
                                 next_one.accessible, zones, near, busy);
        IF places IS NULL THEN
            vain := vain || array(
                SELECT w.wish FROM app.wishes(org, show) w
                WHERE w.party >= next_one.party AND w.accessible = next_one.accessible
                  AND (w.zone_key, w.ticket_type_id) IS NOT DISTINCT FROM (next_one.zone_key, next_one.ticket_type_id));
            CONTINUE;
        END IF;
        basket := gen_random_uuid();
        SELECT array_agg(ROW(1, n, show, next_one.user_id, seat, places.kind, places.ref_id,
                             CASE WHEN places.seats IS NULL THEN next_one.party ELSE 1 END, gen_random_uuid(), basket,
                             'waitlist', NULL, ttl_s, 2147483647, NULL, NULL,
                             next_one.accessible AND app.keeps_companions(org, show), NULL, NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL)::app.hold_line ORDER BY n) INTO lines
        FROM unnest(coalesce(places.seats, ARRAY[NULL::uuid])) WITH ORDINALITY AS s (seat, n);
        SELECT array_agg(ROW(h.req, h.line, h.outcome, h.hold_id, h.held_until, h.left_s, h.event_id, h.ordinal, h.zone_id,
                             h.version, h.held, h.sold)::app.held_row) INTO got
        FROM app.hold(org, sender, lines) h;
        IF NOT EXISTS (SELECT FROM unnest(got) r WHERE r.req = 1 AND r.outcome <> 'held') THEN
            made := made + 1;
            UPDATE waitlist_entries e
            SET status = 'offered', basket_id = basket, answer_by = clock + make_interval(secs => ttl_s)
            WHERE e.organization_id = org AND e.id = next_one.id;
        ELSE
            -- Somebody has one of them locked in this moment: the same party may sit elsewhere, and the next round sees
            -- what came of it.
            taken := array(SELECT places.seats[r.line] FROM unnest(got) r WHERE r.req = 1 AND r.outcome IN (
                               'again', 'seat_held_by_another_user', 'seat_not_available'));
            IF places.seats IS NULL OR taken = '{}' THEN
                vain := vain || next_one.wish;
            ELSE
                busy := busy || taken;
            END IF;
        END IF;
        RETURN QUERY
        SELECT 0, 0, CASE r.outcome WHEN 'held' THEN 'offered' ELSE r.outcome END, r.hold_id, r.held_until, r.left_s,
               r.event_id, r.ordinal, r.zone_id, r.version, r.held, r.sold
        FROM unnest(got) r WHERE r.req = 0 OR r.outcome = 'held';
    END LOOP;
END $$;

-- `app.hold`, for everybody: where people wait for a show, they are served before what they wait for is given to
-- whoever asks. From the locks on, nothing of what is asked for comes free unseen.
DROP FUNCTION app.hold_in_turn(uuid, text, app.hold_line[]);
CREATE FUNCTION app.hold_in_turn(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer,
               seat_status text, locked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    waited uuid[];
    show uuid;
    place app.whereabouts;
BEGIN
    PERFORM set_config('app.org', org::text, true);
    waited := array(
        SELECT s.id FROM (SELECT DISTINCT event_id AS id FROM unnest(lines)) s
        WHERE EXISTS (SELECT FROM waitlist_entries e WHERE e.organization_id = org AND e.event_id = s.id
                      AND e.status = 'waiting')
        ORDER BY s.id);
    IF waited <> '{}' THEN
        PERFORM FROM events e WHERE e.organization_id = org AND e.id IN (SELECT event_id FROM unnest(lines))
        ORDER BY e.id FOR SHARE;
        PERFORM FROM waitlists w WHERE w.organization_id = org AND w.event_id = ANY (waited)
        ORDER BY w.event_id FOR UPDATE;
        PERFORM FROM pools p WHERE p.organization_id = org AND p.event_id = ANY (waited)
        ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
        PERFORM FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = ANY (waited)
          AND s.seat_id IN (SELECT seat_id FROM unnest(lines))
        ORDER BY s.event_id, s.seat_id FOR UPDATE;
        FOREACH show IN ARRAY waited LOOP
            -- Whoever asks for what is taken anyway is no reason to look.
            place := app.asked_for(org, show, lines);
            IF place.anywhere IS NOT NULL THEN
                RETURN QUERY
                SELECT o.*, NULL::text, NULL::timestamptz
                FROM app.offer_places(org, show, sender, place.zones, place.near) o;
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY SELECT * FROM app.hold(org, sender, lines);
END $$;


-- Ends holds. The audit calls an expiry as the reserve workflow does, and says what the status was and is.
-- The event is locked first, as by every statement that counts in its pools: an edit of its capacity that creates the
-- event's pool (app.fit_event_pools) counts a hold either before it ends or not at all.
-- A seat that accompanies a place which somebody has is kept for them. Its hold's row then has no
-- `ordinal` but `kept`. Places and companions are locked together with the seats that end, in the same order.
CREATE OR REPLACE FUNCTION app.end_holds(
    org uuid, ids uuid[], ending text, overdue_only boolean, actor_type text, actor_id uuid, actor_name text,
    why text, ip text, user_agent text, request_id text)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, quantity integer, ordinal integer,
               zone_id uuid, ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer,
               held integer, sold integer, kept integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
    PERFORM FROM events e
    WHERE e.organization_id = org AND e.id IN (
        SELECT h.event_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY e.id FOR SHARE;
    PERFORM FROM pools p
    WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) IN (
        SELECT h.event_id, k.kind, k.ref_id
        FROM seat_holds h CROSS JOIN LATERAL (VALUES
            ('event', h.event_id), ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END),
            ('ticket_type', h.ticket_type_id)) AS k (kind, ref_id)
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    PERFORM FROM event_seats s
    WHERE s.organization_id = org AND (s.event_id, s.seat_id) IN (
        SELECT h.event_id, n.seat_id
        FROM seat_holds h
        JOIN event_seats e ON e.organization_id = org AND (e.event_id, e.seat_id) = (h.event_id, h.seat_id)
        CROSS JOIN LATERAL (
            VALUES (e.seat_id), (e.companion_of)
            UNION ALL SELECT c.seat_id FROM event_seats c
            WHERE c.organization_id = org AND c.event_id = e.event_id AND c.companion_of = e.seat_id) AS n (seat_id)
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY s.event_id, s.seat_id FOR UPDATE;

    RETURN QUERY
    WITH ended AS (
        UPDATE seat_holds h SET status = ending, updated_at = clock
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status IN ('active', 'suspended')
          AND (NOT overdue_only OR h.held_until <= clock)
        RETURNING h.id, h.event_id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_until,
                  h.created_at
    ), freed AS (
        UPDATE event_seats s SET status = 'available', held_until = NULL, hold_id = NULL, version = s.version + 1,
                                 (reserved_for, reserved_until) = (
                                     SELECT k.user_id, k.until
                                     FROM app.keeper_of_companions(org, s.event_id, s.companion_of,
                                                               array(SELECT g.id FROM ended g)) k
                                     WHERE s.companion_of IS NOT NULL)
        FROM ended e
        WHERE s.organization_id = org AND s.event_id = e.event_id AND s.seat_id = e.seat_id AND s.status = 'held'
          AND s.hold_id = e.id
        RETURNING s.event_id, s.seat_id, s.ordinal, s.version, s.reserved_for IS NOT NULL AS kept
    ), unaccompanied AS (
        UPDATE event_seats s SET reserved_for = NULL, reserved_until = NULL, version = s.version + 1
        FROM ended e JOIN freed f USING (event_id, seat_id)
        WHERE s.organization_id = org AND s.event_id = e.event_id AND s.companion_of = e.seat_id
          AND s.reserved_for = e.user_id
          AND NOT EXISTS (SELECT FROM freed o WHERE o.event_id = s.event_id AND o.seat_id = s.seat_id)
        RETURNING s.event_id, s.ordinal, s.version
    ), places AS (
        SELECT e.event_id, 'zone' AS kind, e.zone_id AS ref_id, sum(e.quantity) AS quantity
        FROM ended e WHERE e.seat_id IS NULL AND e.zone_id IS NOT NULL GROUP BY 1, 3
        UNION ALL SELECT e.event_id, 'ticket_type', e.ticket_type_id, sum(e.quantity)
        FROM ended e WHERE e.ticket_type_id IS NOT NULL GROUP BY 1, 3
        UNION ALL SELECT e.event_id, 'event', e.event_id, sum(e.quantity) FROM ended e GROUP BY 1
    ), counted AS (
        UPDATE pools p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, before, after, reason, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, actor_type, actor_id, actor_name,
               CASE ending WHEN 'expired' THEN 'seat_hold_expired' ELSE 'hold.' || ending END, 'seat_hold', e.id,
               jsonb_build_object('status', CASE e.held_until WHEN 'infinity' THEN 'suspended' ELSE 'active' END),
               jsonb_strip_nulls(jsonb_build_object('event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'quantity', e.quantity, 'status', ending)), why, ip, user_agent, request_id
        FROM ended e
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.' || ending, e.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', e.id, 'event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'ticket_type_id', e.ticket_type_id, 'quantity', e.quantity, 'user_id', e.user_id, 'reason', why))
        FROM ended e
    )
    SELECT e.id, e.event_id, e.user_id, e.seat_id, e.quantity, CASE WHEN NOT f.kept THEN f.ordinal END, e.zone_id,
           e.ticket_type_id, e.held_until, extract(epoch FROM clock - e.created_at)::double precision, f.version,
           NULL::integer, NULL::integer, CASE WHEN f.kept THEN f.ordinal END
    FROM ended e LEFT JOIN freed f USING (event_id, seat_id)
    UNION ALL
    SELECT NULL, u.event_id, NULL, NULL, 0, u.ordinal, NULL, NULL, NULL, NULL, u.version, NULL, NULL, NULL
    FROM unaccompanied u
    UNION ALL
    SELECT NULL, c.event_id, NULL, NULL, 0, NULL, c.ref_id, NULL, NULL, NULL, c.version, c.held, c.sold, NULL
    FROM counted c WHERE c.kind = 'zone';
END $$;


-- A checkout's time ---------------------------------------------------------------------------------

-- A hold has its checkout's time, once: what was in a checkout before has had it. Returns those that have more time now,
-- for whoever mirrors them.
CREATE FUNCTION app.prolong_holds(org uuid, show uuid, ids uuid[], until timestamptz)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, zone_id uuid, ticket_type_id uuid,
               held_before timestamptz, held_until timestamptz, ordinal integer, version integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    RETURN QUERY
    WITH short AS MATERIALIZED (
        SELECT h.id, h.held_until FROM seat_holds h
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status = 'active' AND h.attempt_id IS NULL
          AND h.held_until > clock AND h.held_until < until
          AND NOT EXISTS (SELECT FROM checkout_items i WHERE i.organization_id = org AND i.hold_id = h.id)
    ), kept AS (
        UPDATE seat_holds h SET held_until = until, updated_at = clock
        FROM short s WHERE h.organization_id = org AND h.id = s.id
        RETURNING h.id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, s.held_until AS held_before
    ), seated AS (
        UPDATE event_seats s SET held_until = until, version = s.version + 1
        FROM kept k
        WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = k.seat_id AND s.hold_id = k.id
        RETURNING s.seat_id, s.ordinal, s.version
    )
    SELECT k.id, show, k.user_id, k.seat_id, k.zone_id, k.ticket_type_id, k.held_before, until, s.ordinal, s.version
    FROM kept k LEFT JOIN seated s USING (seat_id);
    PERFORM app.follow_places(org, show, ids);
END $$;
CREATE INDEX checkout_items_hold ON checkout_items (organization_id, hold_id);

-- The payment came to nothing: they have the time that they had, and the payment has used it up like anything else.
-- A hold that each declined card gave back the time of its payment was held for as long as somebody had cards. In an
-- event that waits for its new date they wait with it.
DROP FUNCTION app.thaw_holds(uuid, uuid, uuid[], uuid, integer);
CREATE FUNCTION app.thaw_holds(org uuid, show uuid, ids uuid[], attempt uuid) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    waits boolean := (SELECT e.status = 'postponed' AND e.rescheduled_at IS NULL FROM events e
                      WHERE e.organization_id = org AND e.id = show);
    thawed integer;
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    WITH thawing AS (
        UPDATE seat_holds h
        SET attempt_id = NULL, frozen_at = NULL, held_before = NULL, updated_at = clock,
            status = CASE WHEN waits THEN 'suspended' ELSE 'active' END,
            held_until = CASE WHEN waits THEN 'infinity' ELSE h.held_before END
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status = 'active' AND h.attempt_id = attempt
        RETURNING h.id, h.seat_id, h.held_until
    ), seated AS (
        UPDATE event_seats s SET held_until = t.held_until, version = s.version + 1
        FROM thawing t
        WHERE s.organization_id = org AND s.event_id = show AND s.seat_id = t.seat_id AND s.hold_id = t.id
    )
    SELECT count(*) INTO thawed FROM thawing;
    PERFORM app.follow_places(org, show, ids);
    RETURN thawed;
END $$;
