-- Holds: who has which seat, until when. The seat's row (event_seats) and the pool's row are the locks and the truth; a
-- hold's row tells their story. Locks are taken in one order everywhere: event, people, pools, seats, holds.

-- No foreign keys: the statement that writes a row holds the lock of its event, and a key's check costs as much as the
-- row. `prove` looks instead.
CREATE TABLE seat_holds (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    basket_id       uuid NOT NULL,   -- what was asked for together
    user_id         uuid NOT NULL,
    seat_id         uuid,
    zone_id         uuid,            -- the seat's, or the one whose places are held
    ticket_type_id  uuid,            -- in a show without a layout
    quantity        integer NOT NULL DEFAULT 1 CHECK (quantity > 0),
    status          text NOT NULL DEFAULT 'active'
                        CHECK (status IN ('active', 'suspended', 'converted', 'expired', 'cancelled')),
    held_until      timestamptz NOT NULL,   -- infinity while suspended or being paid for
    source          text NOT NULL CHECK (source IN ('web', 'scanner')),
    network         text,            -- where holds are limited by it
    keyed           boolean NOT NULL DEFAULT false,   -- the basket came with an Idempotency-Key
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK (CASE WHEN seat_id IS NOT NULL THEN zone_id IS NOT NULL AND ticket_type_id IS NULL AND quantity = 1
                ELSE (zone_id IS NULL) <> (ticket_type_id IS NULL) END)
) WITH (fillfactor = 80);
CREATE INDEX seat_holds_due ON seat_holds (held_until) WHERE status = 'active';
-- Whose it is: what somebody holds now, and how many they took of late.
CREATE INDEX seat_holds_person ON seat_holds (organization_id, user_id, created_at);
-- The next two only where there is something to look for: a limit by network, an Idempotency-Key.
CREATE INDEX seat_holds_network ON seat_holds (organization_id, event_id, network)
    WHERE network IS NOT NULL AND status IN ('active', 'suspended');
CREATE INDEX seat_holds_keyed ON seat_holds (organization_id, basket_id) WHERE keyed;
CALL app.protect('seat_holds');
CALL app.let_workers_find('seat_holds');

-- An outbox row is written in its organisation's own transaction; checking the key costs as much as the row.
ALTER TABLE outbox DROP CONSTRAINT outbox_organization_id_fkey;

-- A wheelchair place finds its companions by this; a column that never changes costs no update.
CREATE INDEX event_seats_companions ON event_seats (organization_id, event_id, companion_of)
    WHERE companion_of IS NOT NULL;

-- A line of a request: one seat, or a number of places in a pool.
CREATE TYPE app.hold_line AS (
    req integer, line integer, event_id uuid, user_id uuid, seat_id uuid, kind text, ref_id uuid, quantity integer,
    hold_id uuid, basket_id uuid, source text, network text, ttl_s integer, per_window integer, most_mine integer,
    most_near integer, keeps_companions boolean, basket_low uuid, basket_high uuid, ip text, user_agent text,
    request_id text
);

-- Tells other processes over the bus, as kit/bus.py does; what is too long for a NOTIFY becomes "look again".
-- Versions say which of two messages about a seat, or about a zone's places, is the newer one.
CREATE FUNCTION app.tell_seats(
    sender text, org uuid, event_id uuid, ordinals integer[], states smallint[], versions integer[], counts json)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    topic text := 'seats:' || event_id;
    packed text := json_build_array(sender, json_build_array(
                       json_build_array(topic, json_build_array(ordinals, states, versions, counts, org))));
BEGIN
    IF octet_length(packed) > 7900 THEN
        packed := json_build_array(sender, json_build_array(json_build_array(topic, NULL)));
    END IF;
    PERFORM pg_notify('fullhouse_bus', packed);
END $$;

-- A batch of requests of one organisation, in the order of their arrival. Each gets all of its lines or none, and there
-- is an answer for each line: `held` and `own` (it was theirs already) are good; `again` may be good in the next batch;
-- the rest are the codes of refusals. Line 0 is about seats that changed beside them. The caller sees to it that a
-- batch has one request of a person at most.
CREATE FUNCTION app.hold(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    overdue uuid[] := '{}';
    freed record;
BEGIN
    PERFORM set_config('app.org', org::text, true);

    -- The event first: whoever cancels it waits for us, or we see it cancelled.
    PERFORM FROM events WHERE organization_id = org AND id IN (SELECT event_id FROM unnest(lines))
    ORDER BY id FOR SHARE;

    -- Limits of people and networks: two batches do not count the same person at once.
    PERFORM pg_advisory_xact_lock(k.key)
    FROM (SELECT hashtextextended('user:' || user_id, 0) AS key FROM unnest(lines)
          UNION SELECT hashtextextended('net:' || org || network, 0) FROM unnest(lines) WHERE most_near IS NOT NULL
          ORDER BY 1) k;

    -- Pools: those whose places are asked for, and the show's own where it has one. One that is too small for all who
    -- ask gives back first what overdue holds still count in it.
    PERFORM FROM pools p
    WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) IN (
        SELECT event_id, kind, ref_id FROM unnest(lines) WHERE seat_id IS NULL
        UNION ALL SELECT event_id, 'event', event_id FROM unnest(lines))
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
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
                   coalesce(array_agg(ordinal) FILTER (WHERE ordinal IS NOT NULL), '{}') AS ordinals,
                   coalesce(array_agg(version) FILTER (WHERE ordinal IS NOT NULL), '{}') AS versions,
                   coalesce(json_agg(json_build_array(zone_id, held, sold, version)) FILTER (WHERE held IS NOT NULL),
                            '[]') AS counts
            FROM app.end_holds(org, overdue, 'expired', true, 'system', NULL, 'sweeper', NULL, NULL, NULL, NULL)
            GROUP BY event_id
        LOOP
            IF sender IS NOT NULL THEN
                PERFORM app.tell_seats(sender, org, freed.event_id, freed.ordinals,
                                       array_fill(0::smallint, ARRAY[cardinality(freed.ordinals)]), freed.versions,
                                       freed.counts);
            END IF;
            RETURN QUERY
            SELECT 0, 0, 'freed', NULL::uuid, NULL::timestamptz, NULL::integer, freed.event_id, o.ordinal, NULL::uuid,
                   o.version, NULL::integer, NULL::integer
            FROM unnest(freed.ordinals, freed.versions) AS o (ordinal, version)
            UNION ALL
            SELECT 0, 0, 'counted', NULL, NULL, NULL, freed.event_id, NULL, (c ->> 0)::uuid, (c ->> 3)::integer,
                   (c ->> 1)::integer, (c ->> 2)::integer
            FROM json_array_elements(freed.counts) c;
        END LOOP;
    END IF;

    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT x.*, row_number() OVER (PARTITION BY event_id, seat_id ORDER BY req) AS place
        FROM unnest(lines) x
    ), locked AS MATERIALIZED (
        -- In the order of their ids. One that another batch has locked at this moment is not waited for.
        SELECT s.event_id, s.seat_id, s.ordinal, s.zone_id, s.status, s.held_until, s.hold_id, s.reserved_for,
               s.reserved_until, s.version
        FROM wanted w
        JOIN event_seats s ON s.organization_id = org AND s.event_id = w.event_id AND s.seat_id = w.seat_id
        WHERE w.place = 1
        ORDER BY s.event_id, s.seat_id FOR UPDATE OF s SKIP LOCKED
    ), looked AS (
        SELECT w.*, s.ordinal, coalesce(s.zone_id, CASE w.kind WHEN 'zone' THEN w.ref_id END) AS zone_id,
               s.hold_id AS old_hold, s.held_until AS old_until, s.version + 1 AS version,
               CASE WHEN e.id IS NULL THEN 'event_not_found'
                    WHEN e.status NOT IN ('published', 'live') AND (e.status <> 'postponed' OR e.rescheduled_at IS NULL)
                        THEN 'event_not_available'
                    WHEN clock NOT BETWEEN e.sale_start_at AND e.sale_end_at THEN 'event_sales_closed'
                    WHEN w.seat_id IS NULL THEN 'free'
                    WHEN w.place > 1 THEN 'again'
                    WHEN s.seat_id IS NULL THEN CASE WHEN EXISTS (
                        SELECT FROM event_seats t WHERE t.organization_id = org AND t.event_id = w.event_id
                        AND t.seat_id = w.seat_id) THEN 'again' ELSE 'seat_not_found' END
                    WHEN s.status IN ('sold', 'blocked') THEN 'seat_not_available'
                    WHEN s.status = 'held' AND s.held_until > clock THEN CASE w.user_id WHEN (
                        SELECT h.user_id FROM seat_holds h WHERE h.organization_id = org AND h.id = s.hold_id)
                        THEN 'own' ELSE 'seat_held_by_another_user' END
                    WHEN s.reserved_until > clock AND s.reserved_for <> w.user_id THEN 'seat_not_available'
                    ELSE 'free' END AS state
        FROM wanted w
        LEFT JOIN events e ON e.organization_id = org AND e.id = w.event_id
        LEFT JOIN locked s ON s.event_id = w.event_id AND s.seat_id = w.seat_id AND w.place = 1
    ), asked AS (
        SELECT req, min(event_id::text)::uuid AS event_id, min(user_id::text)::uuid AS user_id, min(network) AS network,
               min(basket_low::text)::uuid AS basket_low, min(basket_high::text)::uuid AS basket_high,
               min(per_window) AS per_window, min(most_mine) AS most_mine, min(most_near) AS most_near,
               count(*) FILTER (WHERE state = 'free') AS fresh,
               bool_and(state IN ('free', 'own')) AS fits
        FROM looked GROUP BY req
    ), limited AS (
        -- Rows count, not places; those that were given back count too, and what is somebody's already does not.
        -- A basket with a key is held once: its repeat waited for the same lock, and sees the first one's rows.
        SELECT a.req, a.fits AND NOT a.repeated AS fits, CASE WHEN a.repeated THEN 'repeated'
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
                THEN 'max_holds_per_ip' END AS too_many
        FROM (SELECT *, basket_low IS NOT NULL AND EXISTS (
                  SELECT FROM seat_holds b WHERE b.organization_id = org
                  AND b.keyed AND b.basket_id BETWEEN basket_low AND basket_high) AS repeated FROM asked) a
    ), claims AS (
        SELECT l.req, l.line, l.event_id, l.kind, l.ref_id, l.quantity::bigint AS quantity
        FROM looked l JOIN limited m ON m.req = l.req AND m.fits AND m.too_many IS NULL
        WHERE l.seat_id IS NULL
        UNION ALL
        SELECT l.req, min(l.line), l.event_id, 'event', l.event_id, sum(l.quantity)
        FROM looked l JOIN limited m ON m.req = l.req AND m.fits AND m.too_many IS NULL
        JOIN pools p ON p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, 'event', l.event_id)
        WHERE l.state = 'free' GROUP BY l.req, l.event_id
    ), places AS (
        -- Who comes first is served first: a request fits if it does with all before it.
        SELECT c.*, p.capacity - p.held - p.sold AS room,
               sum(c.quantity) OVER (PARTITION BY c.event_id, c.kind, c.ref_id ORDER BY c.req, c.line) AS up_to_here
        FROM claims c
        LEFT JOIN pools p ON p.organization_id = org
                         AND (p.event_id, p.kind, p.ref_id) = (c.event_id, c.kind, c.ref_id)
    ), won AS (
        SELECT req FROM limited WHERE fits AND too_many IS NULL
        EXCEPT SELECT req FROM places WHERE up_to_here > room OR room IS NULL
    ), given AS (
        SELECT l.*, clock + make_interval(secs => l.ttl_s) AS until
        -- IS TRUE makes it a look-up in a table of hashes; as a join it would be planned for one row, and cost n².
        FROM looked l WHERE l.state = 'free' AND (l.req IN (SELECT req FROM won)) IS TRUE
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
        FROM claims c JOIN won USING (req) GROUP BY 1, 2, 3
    ), counted AS (
        UPDATE pools p SET held = p.held + f.quantity FROM filled f
        WHERE p.organization_id = org AND p.event_id = f.event_id AND p.kind = f.kind AND p.ref_id = f.ref_id
        RETURNING p.event_id, p.kind, p.ref_id, p.held, p.sold, p.version
    ), told_of AS (
        INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                quantity, held_until, source, network, keyed, created_at, updated_at)
        SELECT hold_id, org, event_id, basket_id, user_id, seat_id, zone_id,
               CASE kind WHEN 'ticket_type' THEN ref_id END, quantity, until, source, network, basket_low IS NOT NULL,
               clock, clock
        FROM given
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               after, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, 'user', user_id, 'seat_reserved', 'seat_hold', hold_id,
               jsonb_strip_nulls(jsonb_build_object('event_id', event_id, 'seat_id', seat_id, 'zone_id', zone_id,
                   'quantity', quantity, 'held_until', until, 'source', source)), ip, user_agent, request_id
        FROM given
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.placed', hold_id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', hold_id, 'event_id', event_id, 'seat_id', seat_id, 'zone_id', zone_id,
                   'ticket_type_id', CASE kind WHEN 'ticket_type' THEN ref_id END, 'quantity', quantity,
                   'user_id', user_id, 'basket_id', basket_id, 'held_until', until))
        FROM given
    ), told AS MATERIALIZED (
        SELECT app.tell_seats(sender, org, event_id, coalesce(s.ordinals, '{}'), coalesce(s.states, '{}'),
                              coalesce(s.versions, '{}'), coalesce(p.counts, '[]'))
        FROM (SELECT event_id, array_agg(ordinal) AS ordinals, array_agg(state) AS states,
                     array_agg(version) AS versions
              FROM (SELECT event_id, ordinal, 1::smallint AS state, version FROM seated
                    UNION ALL SELECT event_id, ordinal, 4::smallint, version FROM accompanied) changed
              GROUP BY event_id) s
        FULL JOIN (SELECT event_id, json_agg(json_build_array(ref_id, held, sold, version)) AS counts
                   FROM counted WHERE kind = 'zone' GROUP BY event_id) p USING (event_id)
        WHERE sender IS NOT NULL
    ), answers AS (
        SELECT l.req, l.line, CASE
                   WHEN m.too_many = 'repeated' THEN 'repeated'
                   WHEN l.state = 'own' THEN 'own'
                   WHEN w.req IS NOT NULL THEN 'held'
                   -- Another request of this batch was before us at this seat. If it got it, so be it.
                   WHEN l.state = 'again' AND EXISTS (SELECT FROM given g WHERE g.event_id = l.event_id
                                                      AND g.seat_id = l.seat_id) THEN 'seat_held_by_another_user'
                   WHEN l.state <> 'free' THEN l.state
                   WHEN m.too_many IS NOT NULL THEN m.too_many
                   ELSE coalesce((
                       -- It would not fit beside those who won; otherwise only somebody who failed stood in its way.
                       SELECT CASE WHEN p.room IS NULL THEN 'zone_not_found'
                                   WHEN p.quantity > p.room - coalesce(f.quantity, 0) THEN 'block_at_capacity'
                                   WHEN p.up_to_here > p.room THEN 'again' END
                       FROM places p LEFT JOIN filled f USING (event_id, kind, ref_id)
                       WHERE p.req = l.req AND p.line = l.line ORDER BY 1 DESC NULLS LAST LIMIT 1), 'not_tried')
                   END AS outcome,
               CASE WHEN l.state = 'own' THEN l.old_hold WHEN w.req IS NOT NULL THEN l.hold_id END AS hold_id,
               CASE WHEN w.req IS NOT NULL AND l.state = 'free' THEN clock + make_interval(secs => l.ttl_s)
                    ELSE l.old_until END AS held_until,
               l.ttl_s, l.ordinal, l.zone_id, l.version, l.event_id, l.seat_id, l.user_id, l.ip, l.user_agent,
               l.request_id
        FROM looked l
        JOIN limited m ON m.req = l.req
        LEFT JOIN won w ON w.req = l.req
    ), refused AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, action, entity_type, entity_id,
                               after, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, 'user', user_id, 'seat_reserve_failed', 'event', event_id,
               jsonb_strip_nulls(jsonb_build_object('seat_id', seat_id, 'zone_id', zone_id, 'reason', outcome)), ip,
               user_agent, request_id
        FROM answers WHERE outcome NOT IN ('held', 'own', 'again', 'not_tried', 'repeated', 'event_not_found')
    )
    SELECT a.req, a.line, a.outcome, a.hold_id, a.held_until,
           CASE WHEN a.outcome = 'seat_held_by_another_user' AND a.held_until IS NULL THEN a.ttl_s
                WHEN a.held_until < 'infinity'
                    THEN greatest(0, ceil(extract(epoch FROM a.held_until - clock)))::integer END,
           a.event_id, a.ordinal, a.zone_id, a.version, NULL::integer, NULL::integer
    FROM answers a WHERE (SELECT count(*) FROM told) >= 0
    UNION ALL
    SELECT 0, 0, 'accompanied', hold_id, NULL, NULL, event_id, ordinal, NULL, version, NULL, NULL FROM accompanied
    UNION ALL
    SELECT 0, 0, 'counted', NULL, NULL, NULL, event_id, NULL, ref_id, version, held, sold
    FROM counted WHERE kind = 'zone'
    ORDER BY 1, 2;
END $$;

-- Ends holds, whatever the reason: time, their owner, staff, a show that is cancelled, a seat that is blocked. Frees
-- what they have, if it is still theirs. Of two who want to end a hold, or to sell what it holds, one wins.
CREATE FUNCTION app.end_holds(
    org uuid, ids uuid[], ending text, overdue_only boolean, actor_type text, actor_id uuid, actor_name text,
    why text, ip text, user_agent text, request_id text)
RETURNS TABLE (hold_id uuid, event_id uuid, user_id uuid, seat_id uuid, quantity integer, ordinal integer,
               zone_id uuid, ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer,
               held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
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
        SELECT h.event_id, h.seat_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY s.event_id, s.seat_id FOR UPDATE;

    RETURN QUERY
    WITH ended AS (
        UPDATE seat_holds h SET status = ending, updated_at = clock
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.status IN ('active', 'suspended')
          AND (NOT overdue_only OR h.held_until <= clock)
        RETURNING h.id, h.event_id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_until,
                  h.created_at
    ), freed AS (
        UPDATE event_seats s SET status = 'available', held_until = NULL, hold_id = NULL, version = s.version + 1
        FROM ended e
        WHERE s.organization_id = org AND s.event_id = e.event_id AND s.seat_id = e.seat_id AND s.status = 'held'
          AND s.hold_id = e.id
        RETURNING s.event_id, s.seat_id, s.ordinal, s.version
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
                               entity_id, after, reason, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, actor_type, actor_id, actor_name, 'hold.' || ending, 'seat_hold', e.id,
               jsonb_strip_nulls(jsonb_build_object('event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'quantity', e.quantity)), why, ip, user_agent, request_id
        FROM ended e
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.' || ending, e.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', e.id, 'event_id', e.event_id, 'seat_id', e.seat_id, 'zone_id', e.zone_id,
                   'ticket_type_id', e.ticket_type_id, 'quantity', e.quantity, 'user_id', e.user_id, 'reason', why))
        FROM ended e
    )
    SELECT e.id, e.event_id, e.user_id, e.seat_id, e.quantity, f.ordinal, e.zone_id, e.ticket_type_id, e.held_until,
           extract(epoch FROM clock - e.created_at)::double precision, f.version, NULL::integer, NULL::integer
    FROM ended e LEFT JOIN freed f USING (event_id, seat_id)
    UNION ALL
    SELECT NULL, u.event_id, NULL, NULL, 0, u.ordinal, NULL, NULL, NULL, NULL, u.version, NULL, NULL
    FROM unaccompanied u
    UNION ALL
    SELECT NULL, c.event_id, NULL, NULL, 0, NULL, c.ref_id, NULL, NULL, NULL, c.version, c.held, c.sold
    FROM counted c WHERE c.kind = 'zone';
END $$;
