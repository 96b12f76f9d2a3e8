-- Places without seats are counted per day where a ticket type is valid on some days (docs/adr/0037): tickets for Friday
-- leave Saturday as it is, and a pass counts on each of its days. Everything else counts on every day, as before.

-- Whether tickets of this type count on their own days alone. A seat is somebody's on every day (docs/adr/0019).
ALTER TABLE ticket_types
    ADD COLUMN by_day boolean NOT NULL GENERATED ALWAYS AS (kind = 'ga' AND valid_days <> '{}') STORED;
CREATE INDEX ticket_types_by_day ON ticket_types (organization_id, event_id) WHERE by_day;

-- Of an event's or zone's pool, what is held and sold as tickets of such a type. `held` and `sold` of the pool itself are
-- the places that count on every day, and `day_peak` is the most that these rows take on any one day: a pool is not
-- oversold on any day if it is not on that one. A row changes under its pool's lock.
CREATE TABLE day_places (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('zone', 'event')),
    ref_id          uuid NOT NULL,
    ticket_type_id  uuid NOT NULL,
    held            integer NOT NULL DEFAULT 0 CHECK (held >= 0),
    sold            integer NOT NULL DEFAULT 0 CHECK (sold >= 0),
    PRIMARY KEY (organization_id, event_id, kind, ref_id, ticket_type_id),
    FOREIGN KEY (organization_id, event_id, kind, ref_id) REFERENCES pools ON DELETE CASCADE,
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX day_places_type ON day_places (organization_id, ticket_type_id);
CALL app.protect('day_places');
ALTER TABLE pools ADD COLUMN day_peak integer NOT NULL DEFAULT 0 CHECK (day_peak >= 0),
                  DROP CONSTRAINT pools_never_oversold;
ALTER TABLE pools ADD CONSTRAINT pools_never_oversold CHECK (held + sold + day_peak <= capacity);

CREATE OR REPLACE FUNCTION app.count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    IF NEW.shrinks_to IS NOT NULL THEN
        NEW.capacity := least(NEW.capacity, greatest(NEW.shrinks_to, NEW.held + NEW.sold + NEW.day_peak));
        NEW.shrinks_to := CASE WHEN NEW.capacity > NEW.shrinks_to THEN NEW.shrinks_to END;
    END IF;
    RETURN NEW;
END $$;

-- What these rows of a pool take on each day that a ticket type of the event names.
CREATE FUNCTION app.day_loads(org uuid, event uuid, pool_kind text, ref uuid)
RETURNS TABLE (day date, held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT d.day, coalesce(sum(c.held), 0), coalesce(sum(c.sold), 0)
    FROM ticket_types t CROSS JOIN LATERAL unnest(t.valid_days) AS d (day)
    LEFT JOIN day_places c ON c.organization_id = org AND c.event_id = event AND c.kind = pool_kind AND c.ref_id = ref
                          AND c.ticket_type_id = t.id
    WHERE t.organization_id = org AND t.event_id = event AND t.by_day
    GROUP BY d.day
$$;

CREATE FUNCTION app.follow_day_peak(org uuid, event uuid, pool_kind text, ref uuid) RETURNS void LANGUAGE sql AS $$
    UPDATE pools p SET day_peak = l.peak
    FROM (SELECT coalesce(max(l.held + l.sold), 0) AS peak FROM app.day_loads(org, event, pool_kind, ref) l) l
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
      AND p.day_peak <> l.peak
$$;
CREATE FUNCTION app.follow_day_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.follow_day_peak(c.organization_id, c.event_id, c.kind, c.ref_id)
    FROM (SELECT (CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END).*) c;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_day_places AFTER INSERT OR UPDATE OR DELETE ON day_places
    FOR EACH ROW EXECUTE FUNCTION app.follow_day_places();

-- A type's days move with the event, and may become more: the pools are judged with them.
CREATE FUNCTION app.follow_valid_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.follow_day_peak(c.organization_id, c.event_id, c.kind, c.ref_id)
    FROM (SELECT c.* FROM day_places c WHERE c.organization_id = NEW.organization_id AND c.ticket_type_id = NEW.id
          ORDER BY c.event_id, c.kind, c.ref_id) c;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_valid_days AFTER UPDATE ON ticket_types
    FOR EACH ROW WHEN (NEW.valid_days IS DISTINCT FROM OLD.valid_days)
    EXECUTE FUNCTION app.follow_valid_days();

-- How much room a pool has for tickets of a type: on its days, or on every day. Without a type: on every day.
CREATE FUNCTION app.room_for(org uuid, event uuid, pool_kind text, ref uuid, kind_of_ticket uuid) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT p.capacity - p.held - p.sold - CASE
               WHEN p.day_peak = 0 THEN 0
               WHEN t.by_day THEN (SELECT coalesce(max(l.held + l.sold), 0)
                                   FROM app.day_loads(org, event, pool_kind, ref) l WHERE l.day = ANY (t.valid_days))
               ELSE p.day_peak END
    FROM pools p LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = kind_of_ticket
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;

-- What a pool says in one number of each, for maps and lists: on the day that has most room, for there is something to
-- be had as long as there is on one day.
CREATE FUNCTION app.pool_counts(org uuid, event uuid, pool_kind text, ref uuid)
RETURNS TABLE (held integer, sold integer, version integer) LANGUAGE sql STABLE AS $$
    SELECT p.held + coalesce(l.held, 0)::integer, p.sold + coalesce(l.sold, 0)::integer, p.version
    FROM pools p LEFT JOIN LATERAL (
        SELECT l.held, l.sold FROM app.day_loads(org, event, pool_kind, ref) l
        ORDER BY l.held + l.sold, l.day LIMIT 1) l ON p.day_peak > 0
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;

-- A place of a zone may be held as a ticket of a type.
ALTER TABLE seat_holds DROP CONSTRAINT seat_holds_check;
ALTER TABLE seat_holds ADD CONSTRAINT seat_holds_place CHECK (
    CASE WHEN seat_id IS NOT NULL THEN zone_id IS NOT NULL AND ticket_type_id IS NULL AND quantity = 1
         ELSE zone_id IS NOT NULL OR ticket_type_id IS NOT NULL END);

CREATE FUNCTION app.counts_by_day(org uuid, kind_of_ticket uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT kind_of_ticket IS NOT NULL
       AND EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.id = kind_of_ticket AND t.by_day)
$$;

-- What is held and sold of an event on every day, by the holds and tickets themselves. A hold counts until its row says
-- that it ended, as it does in every pool.
CREATE OR REPLACE FUNCTION app.taken_places(org uuid, event uuid)
RETURNS TABLE (held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'active'
              AND NOT app.counts_by_day(org, h.ticket_type_id))
         + (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h   -- apart: each of the two has its index
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'suspended'
              AND NOT app.counts_by_day(org, h.ticket_type_id)),
           (SELECT count(*) FROM tickets t
            WHERE t.organization_id = org AND t.event_id = event AND t.status IN ('valid', 'used')
              AND NOT app.counts_by_day(org, t.ticket_type_id))
$$;

-- And what is on some days, by ticket type.
CREATE FUNCTION app.taken_by_day(org uuid, event uuid)
RETURNS TABLE (ticket_type_id uuid, zone_id uuid, held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT n.ticket_type_id, n.zone_id, sum(n.held), sum(n.sold)
    FROM ticket_types y CROSS JOIN LATERAL (
        SELECT h.ticket_type_id, h.zone_id, h.quantity AS held, 0 AS sold FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = event AND h.status IN ('active', 'suspended')
          AND h.ticket_type_id = y.id
        UNION ALL
        SELECT t.ticket_type_id, t.zone_id, 0, 1 FROM tickets t
        WHERE t.organization_id = org AND t.event_id = event AND t.status IN ('valid', 'used')
          AND t.ticket_type_id = y.id) n
    WHERE y.organization_id = org AND y.event_id = event AND y.by_day
    GROUP BY 1, 2
$$;

-- Gives events the pool that their limits ask for, or takes it away. The caller has their rows locked: nobody takes a
-- place meanwhile. Below what is taken, the table itself refuses (pools_never_oversold).
CREATE OR REPLACE FUNCTION app.fit_event_pools(org uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pools p
    WHERE p.organization_id = org AND p.event_id = ANY (ids) AND p.kind = 'event'
      AND app.event_limit(org, p.event_id) IS NULL;
    UPDATE pools p
    SET capacity = CASE WHEN p.shrinks_to IS NULL THEN e.most ELSE greatest(e.most, p.held + p.sold + p.day_peak) END,
        shrinks_to = CASE WHEN p.shrinks_to IS NOT NULL AND p.held + p.sold + p.day_peak > e.most THEN e.most END
    FROM (SELECT i.id, app.event_limit(org, i.id) AS most FROM unnest(ids) i (id)) e
    WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event'
      AND coalesce(p.shrinks_to, p.capacity) <> e.most;
    WITH fresh AS (
        INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, held, sold)
        SELECT org, e.id, 'event', e.id, app.event_limit(org, e.id), t.held, t.sold
        FROM unnest(ids) e (id) CROSS JOIN LATERAL app.taken_places(org, e.id) t
        WHERE app.event_limit(org, e.id) IS NOT NULL
          AND NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event')
        RETURNING event_id
    )
    INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, held, sold)
    SELECT org, f.event_id, 'event', f.event_id, d.ticket_type_id, sum(d.held), sum(d.sold)
    FROM fresh f CROSS JOIN LATERAL app.taken_by_day(org, f.event_id) d GROUP BY f.event_id, d.ticket_type_id;
END $$;

-- What was counted on every day before, of types that have days. A pool changes in one statement: one that shrinks does so
-- by what is left of it.
ALTER TABLE ticket_types NO FORCE ROW LEVEL SECURITY;
ALTER TABLE day_places NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pools NO FORCE ROW LEVEL SECURITY;
ALTER TABLE seat_holds NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tickets NO FORCE ROW LEVEL SECURITY;
ALTER TABLE day_places DISABLE TRIGGER follow_day_places;
INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, held, sold)
SELECT e.organization_id, e.event_id, p.kind, p.ref_id, d.ticket_type_id, sum(d.held), sum(d.sold)
FROM (SELECT DISTINCT organization_id, event_id FROM ticket_types WHERE by_day) e
CROSS JOIN LATERAL app.taken_by_day(e.organization_id, e.event_id) d
JOIN pools p ON p.organization_id = e.organization_id AND p.event_id = e.event_id
            AND (p.kind, p.ref_id) IN (('event', e.event_id), ('zone', d.zone_id))
GROUP BY 1, 2, 3, 4, 5;
ALTER TABLE day_places ENABLE TRIGGER follow_day_places;
UPDATE pools p SET held = p.held - d.held, sold = p.sold - d.sold, day_peak = (
    SELECT max(l.held + l.sold) FROM app.day_loads(p.organization_id, p.event_id, p.kind, p.ref_id) l)
FROM (SELECT organization_id, event_id, kind, ref_id, sum(held) AS held, sum(sold) AS sold FROM day_places
      GROUP BY 1, 2, 3, 4) d
WHERE (p.organization_id, p.event_id, p.kind, p.ref_id) = (d.organization_id, d.event_id, d.kind, d.ref_id);
ALTER TABLE ticket_types FORCE ROW LEVEL SECURITY;
ALTER TABLE day_places FORCE ROW LEVEL SECURITY;
ALTER TABLE pools FORCE ROW LEVEL SECURITY;
ALTER TABLE seat_holds FORCE ROW LEVEL SECURITY;
ALTER TABLE tickets FORCE ROW LEVEL SECURITY;


-- Holding ------------------------------------------------------------------------------------------

-- What zones have now, told to whoever looks at them (not without a sender).
CREATE FUNCTION app.zones_counted(org uuid, sender text, shows uuid[], zones uuid[])
RETURNS TABLE (event_id uuid, zone_id uuid, held integer, sold integer, version integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.event_id, p.ref_id, c.held, c.sold, c.version
    FROM pools p CROSS JOIN LATERAL app.pool_counts(org, p.event_id, 'zone', p.ref_id) c
    WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id = ANY (zones);
    IF sender IS NOT NULL THEN
        PERFORM app.tell_seats(sender, org, t.event_id, '{}', '{}', '{}', t.counts)
        FROM (SELECT p.event_id, json_agg(json_build_array(p.ref_id, c.held, c.sold, c.version)) AS counts
              FROM pools p CROSS JOIN LATERAL app.pool_counts(org, p.event_id, 'zone', p.ref_id) c
              WHERE p.organization_id = org AND p.event_id = ANY (shows) AND p.kind = 'zone' AND p.ref_id = ANY (zones)
              GROUP BY p.event_id) t;
    END IF;
END $$;

-- `ticket_type_id`: said of a zone's places that are held as tickets of that type.
ALTER TYPE app.hold_line ADD ATTRIBUTE ticket_type_id uuid;

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
    by_day := array(SELECT DISTINCT t.event_id FROM ticket_types t
                    WHERE t.organization_id = org AND t.event_id = ANY (asked) AND t.by_day);
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
    by_day uuid[];   -- events of which some places count on some days
BEGIN
    PERFORM set_config('app.org', org::text, true);
    PERFORM FROM events e
    WHERE e.organization_id = org AND e.id IN (
        SELECT h.event_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY e.id FOR SHARE;
    by_day := array(
        SELECT DISTINCT t.event_id FROM seat_holds h
        JOIN ticket_types t ON t.organization_id = org AND t.event_id = h.event_id AND t.by_day
        WHERE h.organization_id = org AND h.id = ANY (ids));
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
        SELECT e.event_id, k.kind, k.ref_id, k.day_type, sum(e.quantity) AS quantity
        FROM ended e
        CROSS JOIN LATERAL (SELECT CASE WHEN e.event_id = ANY (by_day) AND app.counts_by_day(org, e.ticket_type_id)
                                        THEN e.ticket_type_id END AS day_type) d
        CROSS JOIN LATERAL (VALUES
            ('event', e.event_id, d.day_type), ('ticket_type', e.ticket_type_id, NULL),
            ('zone', CASE WHEN e.seat_id IS NULL THEN e.zone_id END, d.day_type)) AS k (kind, ref_id, day_type)
        WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ), counted_by_day AS (
        UPDATE day_places p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
          AND p.ticket_type_id = l.day_type
    ), counted AS (
        UPDATE pools p SET held = p.held - l.quantity FROM places l
        WHERE p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (l.event_id, l.kind, l.ref_id)
          AND l.day_type IS NULL
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
    FROM counted c WHERE c.kind = 'zone' AND c.event_id <> ALL (by_day);
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT NULL::uuid, z.event_id, NULL::uuid, NULL::uuid, 0, NULL::integer, z.zone_id, NULL::uuid,
                            NULL::timestamptz, NULL::double precision, z.version, z.held, z.sold, NULL::integer
        FROM app.zones_counted(org, NULL, by_day, array(
                 SELECT h.zone_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
                 AND h.seat_id IS NULL AND h.event_id = ANY (by_day))) z;
    END IF;
END $$;


-- Selling ------------------------------------------------------------------------------------------

-- The third step, with the money there: holds, pools, orders and checkouts. Each order by itself: all of it or nothing.
-- `sold`: a row for each of its holds. Otherwise one row that says why not. `settled`: it was done before. `stopped`:
-- the show is cancelled or over. `gone`: not all of it is still held for this payment. `counted` is no order's: how full
-- a zone is now. A reserved seat's own row waits for its ticket (tickets/actions.py).
--
-- Locks as everywhere: event, checkouts, orders, pools, seats, holds, and of each kind in one order, so that two batches
-- never wait for each other in a circle.
CREATE OR REPLACE FUNCTION app.settle_orders(
    org uuid, show uuid, settled uuid[], attempts uuid[], actor_types text[], actor_ids uuid[], actor_names text[])
RETURNS TABLE (order_id uuid, outcome text, hold_id uuid, user_id uuid, seat_id uuid, quantity integer, zone_id uuid,
               ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer, held integer,
               sold integer)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    stopped boolean;
    whole uuid[] := '{}';   -- those of the orders that can be sold
    by_day uuid[] := array(SELECT t.id FROM ticket_types t
                           WHERE t.organization_id = org AND t.event_id = show AND t.by_day);
BEGIN
    SELECT e.status NOT IN ('published', 'live', 'postponed') INTO stopped
    FROM events e WHERE e.organization_id = org AND e.id = show FOR SHARE;
    PERFORM FROM checkout_sessions s
    WHERE s.organization_id = org
      AND s.id IN (SELECT o.session_id FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled))
    ORDER BY s.id FOR UPDATE;
    PERFORM FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled) ORDER BY o.id FOR UPDATE;
    IF NOT stopped THEN
        whole := array(SELECT o.id FROM orders o
                       WHERE o.organization_id = org AND o.id = ANY (settled) AND o.paid_at IS NULL);
    END IF;
    IF whole <> '{}' THEN
        PERFORM FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND (p.kind, p.ref_id) IN (
            SELECT 'event', show
            UNION ALL SELECT k.kind, k.ref_id
                      FROM order_lines l JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id
                      CROSS JOIN LATERAL (VALUES ('ticket_type', l.ticket_type_id), ('ticket_type', h.ticket_type_id),
                                                 ('zone', h.zone_id)) AS k (kind, ref_id)
                      WHERE l.organization_id = org AND l.order_id = ANY (whole))
        ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
        PERFORM app.lock_held_seats(org, show, array(
            SELECT l.hold_id FROM order_lines l WHERE l.organization_id = org AND l.order_id = ANY (whole)));
        whole := array(
            SELECT w.id FROM unnest(settled, attempts) AS w (id, attempt)
            WHERE w.id = ANY (whole) AND NOT EXISTS (
                SELECT FROM order_lines l
                LEFT JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id AND h.event_id = show
                                      AND h.status = 'active' AND h.attempt_id = w.attempt
                WHERE l.organization_id = org AND l.order_id = w.id AND h.id IS NULL));
    END IF;
    RETURN QUERY
    SELECT o.id, CASE WHEN o.paid_at IS NOT NULL THEN 'settled' WHEN stopped THEN 'stopped' ELSE 'gone' END,
           NULL::uuid, NULL::uuid, NULL::uuid, 0, NULL::uuid, NULL::uuid, NULL::timestamptz, NULL::double precision,
           NULL::integer, NULL::integer, NULL::integer
    FROM orders o WHERE o.organization_id = org AND o.id = ANY (settled) AND o.id <> ALL (whole);
    IF whole = '{}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH paid AS MATERIALIZED (
        SELECT p.* FROM unnest(settled, attempts, actor_types, actor_ids, actor_names)
                        AS p (order_id, attempt_id, actor_type, actor_id, actor_name)
        WHERE p.order_id = ANY (whole)
    ), converted AS (
        UPDATE seat_holds h SET status = 'converted', updated_at = clock
        FROM (SELECT DISTINCT l.hold_id, l.order_id FROM order_lines l
              WHERE l.organization_id = org AND l.order_id = ANY (whole)) AS l
        WHERE h.organization_id = org AND h.id = l.hold_id
        RETURNING h.id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_before, h.created_at,
                  l.order_id
    ), moved AS (
        -- A seat is not counted while it is held: its own row is the count.
        -- A place is held on the days of the type that it is held as, and sold on the days of the type that it is
        -- sold as.
        SELECT k.kind, k.ref_id, k.day_type, sum(k.held)::integer AS held, sum(k.sold)::integer AS sold
        FROM (SELECT p.kind, p.ref_id, d.id AS day_type, p.held * c.quantity AS held, 0 AS sold
              FROM converted c LEFT JOIN unnest(by_day) d (id) ON d.id = c.ticket_type_id
              CROSS JOIN LATERAL (VALUES
                  ('event', show, 1), ('zone', c.zone_id, CASE WHEN c.seat_id IS NULL THEN 1 ELSE 0 END)
              ) AS p (kind, ref_id, held)
              UNION ALL
              SELECT p.kind, p.ref_id, d.id, 0, l.quantity
              FROM order_lines l JOIN converted c ON c.id = l.hold_id
              LEFT JOIN unnest(by_day) d (id) ON d.id = l.ticket_type_id
              CROSS JOIN LATERAL (VALUES ('event', show), ('zone', c.zone_id)) p (kind, ref_id)
              WHERE l.organization_id = org AND l.order_id = ANY (whole)
              UNION ALL
              SELECT 'ticket_type', c.ticket_type_id, NULL, c.quantity, c.quantity FROM converted c
              UNION ALL
              SELECT 'ticket_type', l.ticket_type_id, NULL, l.quantity, l.quantity   -- what the checkout had counted
              FROM order_lines l WHERE l.organization_id = org AND l.order_id = ANY (whole) AND l.counted) k
        WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3
    ), counted_by_day AS (
        -- Where there is such a pool at all: an event without a limit has none.
        INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, sold)
        SELECT org, show, m.kind, m.ref_id, m.day_type, m.sold FROM moved m
        WHERE m.day_type IS NOT NULL AND EXISTS (
            SELECT FROM pools l WHERE l.organization_id = org AND l.event_id = show AND l.kind = m.kind
            AND l.ref_id = m.ref_id)
        ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
        SET sold = p.sold + excluded.sold, held = p.held - (
            SELECT m.held FROM moved m WHERE (m.kind, m.ref_id, m.day_type) = (p.kind, p.ref_id, p.ticket_type_id))
    ), counted AS (
        UPDATE pools p SET held = p.held - m.held, sold = p.sold + m.sold FROM moved m
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = m.kind AND p.ref_id = m.ref_id
          AND m.day_type IS NULL
        RETURNING p.kind, p.ref_id, p.held, p.sold, p.version
    ), completed AS (
        UPDATE orders o SET status = 'paid', paid_at = clock, updated_at = clock, consent_by = NULL
        WHERE o.organization_id = org AND o.id = ANY (whole)
        RETURNING o.session_id
    ), closed AS (
        UPDATE checkout_sessions s SET status = 'completed', updated_at = clock FROM completed o
        WHERE s.organization_id = org AND s.id = o.session_id AND s.status IN ('open', 'paying')
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, after)
        SELECT gen_random_uuid(), org, clock, p.actor_type, p.actor_id, p.actor_name, 'hold.converted', 'seat_hold',
               c.id, jsonb_strip_nulls(jsonb_build_object('event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'quantity', c.quantity, 'attempt_id', p.attempt_id))
        FROM converted c JOIN paid p ON p.order_id = c.order_id
        UNION ALL
        SELECT gen_random_uuid(), org, clock, p.actor_type, p.actor_id, p.actor_name, 'order.paid', 'order',
               p.order_id, jsonb_build_object('event_id', show, 'attempt_id', p.attempt_id)
        FROM paid p
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.converted', c.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', c.id, 'event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'ticket_type_id', c.ticket_type_id, 'quantity', c.quantity, 'user_id', c.user_id))
        FROM converted c
    )
    SELECT c.order_id, 'sold', c.id, c.user_id, c.seat_id, c.quantity, c.zone_id, c.ticket_type_id, c.held_before,
           extract(epoch FROM clock - c.created_at)::double precision, NULL::integer, NULL::integer, NULL::integer
    FROM converted c
    UNION ALL
    SELECT NULL, 'counted', NULL, NULL, NULL, 0, n.ref_id, NULL, NULL, NULL, n.version, n.held, n.sold
    FROM counted n WHERE n.kind = 'zone' AND by_day = '{}';
    IF by_day <> '{}' THEN
        RETURN QUERY SELECT NULL::uuid, 'counted', NULL::uuid, NULL::uuid, NULL::uuid, 0, z.zone_id, NULL::uuid,
                            NULL::timestamptz, NULL::double precision, z.version, z.held, z.sold
        FROM app.zones_counted(org, NULL, ARRAY[show], array(
                 SELECT h.zone_id FROM order_lines l JOIN seat_holds h ON h.organization_id = org AND h.id = l.hold_id
                 WHERE l.organization_id = org AND l.order_id = ANY (whole))) z;
    END IF;
END $$;

-- Money that comes late, when its places are no longer frozen for it: held once more, if that can be. Those that are
-- still the buyer's; otherwise the same places, if they are free. All of them or none.
CREATE OR REPLACE FUNCTION app.hold_again(org uuid, late uuid, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    known orders;
    counts boolean;   -- the checkout has given back what it had counted of the types
    holds uuid[];
    basket uuid := gen_random_uuid();
    broken text;
BEGIN
    SELECT o.* INTO known FROM orders o WHERE o.organization_id = org AND o.id = late;
    SELECT s.status NOT IN ('open', 'paying') INTO counts FROM checkout_sessions s
    WHERE s.organization_id = org AND s.id = known.session_id;
    SELECT array_agg(DISTINCT l.hold_id) INTO holds
    FROM order_lines l WHERE l.organization_id = org AND l.order_id = late;
    PERFORM FROM pools p
    WHERE p.organization_id = org AND p.event_id = known.event_id AND (p.kind, p.ref_id) IN (
        SELECT k.kind, k.ref_id FROM order_lines l CROSS JOIN LATERAL (VALUES
            ('event', known.event_id), ('ticket_type', l.ticket_type_id), ('zone', l.zone_id)) AS k (kind, ref_id)
        WHERE l.organization_id = org AND l.order_id = late)
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    IF counts AND EXISTS (
        SELECT FROM order_lines l
        JOIN pools p ON p.organization_id = org AND p.event_id = known.event_id AND p.kind = 'ticket_type'
                    AND p.ref_id = l.ticket_type_id
        WHERE l.organization_id = org AND l.order_id = late AND l.counted
        GROUP BY p.ref_id, p.capacity, p.held, p.sold HAVING sum(l.quantity) > p.capacity - p.held - p.sold) THEN
        RETURN false;
    END IF;
    IF NOT app.freeze_holds(org, known.event_id, known.user_id, holds, attempt) THEN
      BEGIN
        -- Some of it may still be the buyer's: what is not frozen for another payment is ended, to be had again. If
        -- that is not enough, it is as if nothing had been tried.
        PERFORM FROM app.end_holds(org, array(
            SELECT h.id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (holds)
            AND h.user_id = known.user_id AND h.status IN ('active', 'suspended') AND h.attempt_id IS NULL),
            'cancelled', false, 'system', NULL, 'payments', 'paid late', NULL, NULL, NULL);
        PERFORM FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = known.event_id AND s.seat_id IN (
            SELECT l.seat_id FROM order_lines l WHERE l.organization_id = org AND l.order_id = late
            UNION ALL SELECT c.seat_id FROM order_lines l
            JOIN event_seats c ON c.organization_id = org AND c.event_id = known.event_id AND c.companion_of = l.seat_id
            WHERE l.organization_id = org AND l.order_id = late)
        ORDER BY s.seat_id FOR UPDATE;
        IF EXISTS (SELECT FROM order_lines l
                   LEFT JOIN event_seats s ON s.organization_id = org AND s.event_id = known.event_id
                                          AND s.seat_id = l.seat_id
                   WHERE l.organization_id = org AND l.order_id = late AND l.seat_id IS NOT NULL
                     AND (s.status IS DISTINCT FROM 'available'
                          OR s.reserved_until > clock AND s.reserved_for <> known.user_id))
           OR EXISTS (
               -- `must`: without a pool there is no such place. What counts on some days is judged by the table itself.
               SELECT FROM (SELECT k.kind, k.ref_id, k.must,
                                   bool_and(k.kind <> 'ticket_type' AND NOT l.counted
                                            AND app.counts_by_day(org, l.ticket_type_id)) AS by_day,
                                   sum(l.quantity) AS quantity
                            FROM order_lines l CROSS JOIN LATERAL (VALUES
                                ('event', known.event_id, false),
                                ('zone', CASE WHEN l.seat_id IS NULL THEN l.zone_id END, true),
                                ('ticket_type', CASE WHEN NOT l.counted THEN l.ticket_type_id END, l.zone_id IS NULL)
                            ) AS k (kind, ref_id, must)
                            WHERE l.organization_id = org AND l.order_id = late AND k.ref_id IS NOT NULL
                            GROUP BY 1, 2, 3) w
               LEFT JOIN pools p ON p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind
                                AND p.ref_id = w.ref_id
               WHERE p.capacity - p.held - p.sold - CASE WHEN w.by_day THEN 0 ELSE p.day_peak END < w.quantity
                  OR p.ref_id IS NULL AND w.must) THEN
            RAISE EXCEPTION 'the places are gone' USING ERRCODE = 'FH001';
        END IF;
        UPDATE order_lines l SET hold_id = fresh.id
        FROM (SELECT o.hold_id, gen_random_uuid() AS id FROM order_lines o
              WHERE o.organization_id = org AND o.order_id = late GROUP BY 1) fresh
        WHERE l.organization_id = org AND l.order_id = late AND l.hold_id = fresh.hold_id;
        WITH held AS (
            INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, ticket_type_id,
                                    quantity, held_until, source, attempt_id, frozen_at, held_before, created_at,
                                    updated_at)
            SELECT l.hold_id, org, known.event_id, basket, known.user_id, min(l.seat_id::text)::uuid,
                   min(l.zone_id::text)::uuid, min(CASE WHEN NOT l.counted THEN l.ticket_type_id::text END)::uuid,
                   sum(l.quantity), 'infinity', 'web', attempt, clock, clock, clock, clock
            FROM order_lines l WHERE l.organization_id = org AND l.order_id = late GROUP BY l.hold_id
            RETURNING id, seat_id, zone_id, ticket_type_id, quantity
        ), seated AS (
            UPDATE event_seats s SET status = 'held', held_until = 'infinity', hold_id = h.id, reserved_for = NULL,
                                     reserved_until = NULL, version = s.version + 1
            FROM held h WHERE s.organization_id = org AND s.event_id = known.event_id AND s.seat_id = h.seat_id
        ), wanted AS (
            SELECT k.kind, k.ref_id, k.day_type, sum(h.quantity) AS quantity
            FROM held h
            CROSS JOIN LATERAL (SELECT CASE WHEN app.counts_by_day(org, h.ticket_type_id)
                                            THEN h.ticket_type_id END AS day_type) d
            CROSS JOIN LATERAL (VALUES
                ('event', known.event_id, d.day_type), ('ticket_type', h.ticket_type_id, NULL),
                ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END, d.day_type)) AS k (kind, ref_id, day_type)
            JOIN pools p ON p.organization_id = org AND (p.event_id, p.kind, p.ref_id) = (known.event_id, k.kind, k.ref_id)
            GROUP BY 1, 2, 3
        ), counted_by_day AS (
            INSERT INTO day_places AS p (organization_id, event_id, kind, ref_id, ticket_type_id, held)
            SELECT org, known.event_id, w.kind, w.ref_id, w.day_type, w.quantity FROM wanted w
            WHERE w.day_type IS NOT NULL
            ON CONFLICT (organization_id, event_id, kind, ref_id, ticket_type_id) DO UPDATE
            SET held = p.held + excluded.held
        ), counted AS (
            UPDATE pools p SET held = p.held + w.quantity FROM wanted w
            WHERE p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind AND p.ref_id = w.ref_id
              AND w.day_type IS NULL
        ), audited AS (
            INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_name, action, entity_type,
                                   entity_id, after, reason)
            SELECT gen_random_uuid(), org, clock, 'system', 'payments', 'seat_reserved', 'seat_hold', h.id,
                   jsonb_strip_nulls(jsonb_build_object('event_id', known.event_id, 'seat_id', h.seat_id,
                       'zone_id', h.zone_id, 'quantity', h.quantity)), 'paid late'
            FROM held h
        )
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.placed', h.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', h.id, 'event_id', known.event_id, 'seat_id', h.seat_id, 'zone_id', h.zone_id,
                   'ticket_type_id', h.ticket_type_id, 'quantity', h.quantity, 'user_id', known.user_id,
                   'basket_id', basket, 'held_until', clock))
        FROM held h;
      EXCEPTION
        WHEN SQLSTATE 'FH001' THEN
            RETURN false;
        WHEN check_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            IF broken <> 'pools_never_oversold' THEN
                RAISE;
            END IF;
            RETURN false;
      END;
    END IF;
    IF counts THEN
        UPDATE pools p SET held = p.held + w.quantity
        FROM (SELECT l.ticket_type_id, sum(l.quantity) AS quantity FROM order_lines l
              WHERE l.organization_id = org AND l.order_id = late AND l.counted GROUP BY 1) w
        WHERE p.organization_id = org AND p.event_id = known.event_id AND p.kind = 'ticket_type'
          AND p.ref_id = w.ticket_type_id;
    END IF;
    UPDATE orders o SET status = 'pending', reason = NULL, updated_at = clock
    WHERE o.organization_id = org AND o.id = late AND o.status = 'cancelled';
    RETURN true;
END $$;


-- Reading ------------------------------------------------------------------------------------------

-- How many of a pool are not sold, to tickets of a type: on its days, or on every day.
CREATE FUNCTION app.unsold_for(org uuid, event uuid, pool_kind text, ref uuid, kind_of_ticket uuid) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT p.capacity - p.sold - CASE
               WHEN p.day_peak = 0 THEN 0
               ELSE (SELECT coalesce(max(l.sold), 0) FROM app.day_loads(org, event, pool_kind, ref) l
                     WHERE t.by_day IS NOT TRUE OR l.day = ANY (t.valid_days)) END
    FROM pools p LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = kind_of_ticket
    WHERE p.organization_id = org AND p.event_id = event AND p.kind = pool_kind AND p.ref_id = ref
$$;

-- A pool's room, on the days of a ticket type or on every day, with what overdue holds still count in it on every day:
-- whoever takes it ends those first.
DROP FUNCTION app.pool_room(uuid, uuid, text, uuid);
CREATE FUNCTION app.pool_room(org uuid, show uuid, pool_kind text, ref uuid, kind_of_ticket uuid DEFAULT NULL)
RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT app.room_for(org, show, pool_kind, ref, kind_of_ticket) + coalesce((
        SELECT sum(h.quantity) FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = show AND h.status = 'active' AND h.held_until <= app.clock()
          AND CASE pool_kind WHEN 'ticket_type' THEN h.ticket_type_id = ref
                             ELSE (pool_kind = 'event' OR h.seat_id IS NULL AND h.zone_id = ref)
                                  AND NOT app.counts_by_day(org, h.ticket_type_id) END), 0)
$$;

CREATE OR REPLACE FUNCTION app.places_for(
    org uuid, show uuid, party integer, zone text, wanted_type uuid, chairs boolean, zones uuid[] DEFAULT NULL,
    near int4multirange DEFAULT NULL, busy uuid[] DEFAULT '{}')
RETURNS app.places LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    here record;
    found app.places;
BEGIN
    IF NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = show) THEN
        SELECT NULL::uuid[], 'ticket_type', t.id INTO found FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND (t.id = wanted_type OR wanted_type IS NULL)
          AND NOT t.hidden AND NOT chairs
          AND coalesce(t.sale_start_at, clock) <= clock AND coalesce(t.sale_end_at, clock) >= clock
          AND coalesce(t.max_per_order, party) >= party AND app.pool_room(org, show, 'ticket_type', t.id) >= party
          AND coalesce(app.pool_room(org, show, 'event', show, t.id) >= party, true)
        ORDER BY t.position, t.created_at, t.id LIMIT 1;
        RETURN found;
    END IF;
    IF app.pool_room(org, show, 'event', show) < party THEN
        RETURN NULL;
    END IF;
    FOR here IN
        SELECT z.zone_id, z.zone_key, z.zone_type IN ('reserved_seating', 'vip_reserved') AS seated FROM event_zones z
        WHERE z.organization_id = org AND z.event_id = show
          AND (z.zone_key = zone OR zone IS NULL AND z.access_mode = 'public')
          AND (zones IS NULL OR z.zone_id = ANY (zones))
        ORDER BY z.position
    LOOP
        CONTINUE WHEN app.tickets_left(org, show, here.zone_key, here.seated, party) < party;
        IF here.seated THEN
            found := (app.seats_together(org, show, here.zone_id, party, chairs, near, busy), NULL, NULL);
        ELSIF NOT chairs AND app.pool_room(org, show, 'zone', here.zone_id) >= party THEN
            found := (NULL, 'zone', here.zone_id);
        END IF;
        EXIT WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL;
    END LOOP;
    RETURN CASE WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL THEN found END;
END $$;

-- How many more tickets the types that sell such places have, for those who hold some of them but no type yet, too. A
-- place without a ticket to buy is nothing to offer. Null: as many as there are places.
CREATE OR REPLACE FUNCTION app.tickets_left(org uuid, show uuid, zone text, is_seated boolean, party integer)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    kinds uuid[] := app.types_selling(org, show, zone, is_seated, party);
    zones uuid[] := app.zones_short_of(org, show, kinds, is_seated);
BEGIN
    IF zones IS NULL THEN
        RETURN NULL;
    END IF;
    -- Less what is held there, of which checkouts have counted some already.
    RETURN (
        SELECT coalesce(sum(p.capacity - p.held - p.sold), 0) FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds))
    - CASE WHEN is_seated THEN (
        SELECT count(*) FROM event_seats s
        WHERE s.organization_id = org AND s.event_id = show AND s.zone_id = ANY (zones) AND s.status = 'held'
          AND s.held_until > clock)
    ELSE (
        -- What is held as a ticket of a type is counted in that type already.
        SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = show AND h.status IN ('active', 'suspended')
          AND h.seat_id IS NULL AND h.ticket_type_id IS NULL AND h.zone_id = ANY (zones)) END + (
        SELECT coalesce(sum(i.quantity), 0)
        FROM checkout_sessions c
        JOIN checkout_items i ON i.organization_id = org AND i.session_id = c.id AND i.zone_id = ANY (zones)
        JOIN seat_holds h ON h.organization_id = org AND h.id = i.hold_id AND h.status IN ('active', 'suspended')
                         AND h.held_until > clock
        WHERE c.organization_id = org AND c.event_id = show AND c.status IN ('open', 'paying'));
END $$;

-- The event is full on each day that it sells, or no place is left, or no type that everybody may buy has any. A type
-- whose time is over has nothing left, however many were not sold.
CREATE OR REPLACE FUNCTION app.is_sold_out(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event AND p.kind = 'event'
               AND p.sold + coalesce((SELECT min(l.sold) FROM app.day_loads(org, event, 'event', event) l
                                      WHERE p.day_peak > 0), 0) >= p.capacity) THEN
        RETURN true;
    END IF;
    IF EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status IN ('available', 'held'))
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.sold + coalesce((
                             SELECT min(l.sold) FROM app.day_loads(org, event, 'zone', p.ref_id) l
                             WHERE p.day_peak > 0), 0) < p.capacity
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')) THEN
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden)
        AND NOT EXISTS (
            SELECT FROM ticket_types t
            LEFT JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'ticket_type'
                             AND p.ref_id = t.id
            WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
              AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
              AND (t.sale_end_at IS NULL OR t.sale_end_at > app.clock()) AND (p.ref_id IS NULL OR p.sold < p.capacity));
END $$;

-- Once a ticket is sold, the version stays; only a relocation moves it (it says so for its transaction).
CREATE OR REPLACE FUNCTION app.keep_event_layout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (TG_OP = 'DELETE' OR NEW.layout_id <> OLD.layout_id)
       AND coalesce(current_setting('app.relocating', true), '') <> OLD.event_id::text
       AND (EXISTS (SELECT FROM event_seats WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                    AND status = 'sold')
            OR EXISTS (SELECT FROM pools WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                       AND sold > 0)
            OR EXISTS (SELECT FROM day_places WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                       AND sold > 0)) THEN
        RAISE EXCEPTION 'tickets are sold on this layout' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
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
                             NULL, NULL, NULL, NULL, NULL)::app.hold_line ORDER BY n) INTO lines
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
