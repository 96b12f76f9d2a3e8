-- The waiting room: who may choose and buy now. A room's row is the lock of everybody who is let in; an entry's row is
-- a place in the line, and while it says `admitted` it is a slot. Locks: event, room, entries; never the other way.

CREATE TABLE queue_rooms (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    mode            text NOT NULL DEFAULT 'auto' CHECK (mode IN ('auto', 'on', 'off')),
    state           text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'pre', 'open', 'paused', 'draining')),
    slots           integer NOT NULL DEFAULT 5 CHECK (slots BETWEEN 1 AND 10000),
    slots_since     timestamptz NOT NULL DEFAULT app.clock(),   -- a lower limit puts nobody out
    admit_window_s  integer NOT NULL DEFAULT 120 CHECK (admit_window_s BETWEEN 30 AND 1800),
    opens_at        timestamptz,                                -- the end of the pre-queue
    next_seq        integer NOT NULL DEFAULT 1,
    sold_out        boolean NOT NULL DEFAULT false,             -- as the last admission saw it
    -- The draw: the hash is public from the beginning; the seed is sealed until the room opens, then it is public too.
    seed_hash       bytea,
    sealed_seed     bytea,
    seed            bytea,
    tickets         integer,      -- how many numbers took part
    drawn           boolean NOT NULL DEFAULT true,              -- every number that took part has its place
    version         integer NOT NULL DEFAULT 1,
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id),
    CHECK (state <> 'pre' OR opens_at IS NOT NULL AND sealed_seed IS NOT NULL),
    CHECK ((seed IS NULL) = (tickets IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX queue_rooms_at_work ON queue_rooms (organization_id) WHERE state <> 'closed';
CALL app.protect('queue_rooms');
CALL app.let_workers_find('queue_rooms');

-- `seq` is the number that somebody got, dense and for good; `place` is where it stands in the line: the same number,
-- or what the draw made of it. No foreign keys: a row is written under the lock of its room.
CREATE TABLE queue_entries (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    seq             integer NOT NULL,
    place           integer,                 -- null until it is drawn
    user_id         uuid NOT NULL,
    status          text NOT NULL CHECK (status IN ('waiting', 'admitted', 'expired', 'left', 'done')),
    joined_at       timestamptz NOT NULL,
    seen_at         timestamptz NOT NULL,    -- the last heartbeat that was written down
    expires_at      timestamptz NOT NULL,    -- of the place; of the slot, once admitted. Infinity in the pre-queue.
    admitted_at     timestamptz,
    ended_at        timestamptz,
    cooldown_until  timestamptz,
    PRIMARY KEY (organization_id, event_id, seq),
    CHECK (status <> 'admitted' OR admitted_at IS NOT NULL)
) WITH (fillfactor = 80);
-- A person has one place at a time.
CREATE UNIQUE INDEX queue_entries_live ON queue_entries (organization_id, event_id, user_id)
    WHERE status IN ('waiting', 'admitted');
CREATE UNIQUE INDEX queue_entries_line ON queue_entries (organization_id, event_id, place) WHERE status = 'waiting';
CREATE INDEX queue_entries_slots ON queue_entries (organization_id, event_id) WHERE status = 'admitted';
CREATE INDEX queue_entries_due ON queue_entries (expires_at) WHERE status IN ('waiting', 'admitted');
CREATE INDEX queue_entries_cooling ON queue_entries (organization_id, event_id, user_id)
    WHERE cooldown_until IS NOT NULL;
CALL app.protect('queue_entries', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('queue_entries');

-- Nothing is left that could become free: what is held may still come back. Either the show's own limit is reached, or
-- every seat and standing place of its layout is sold, or all of its ticket types are.
CREATE FUNCTION app.is_sold_out(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event AND p.kind = 'event'
               AND p.sold >= p.capacity) THEN
        RETURN true;
    END IF;
    IF EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status IN ('available', 'held'))
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.sold < p.capacity
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')) THEN
        RETURN true;
    END IF;
    RETURN EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.event_id = event)
        AND NOT EXISTS (
            SELECT FROM ticket_types t
            LEFT JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'ticket_type'
                             AND p.ref_id = t.id
            WHERE t.organization_id = org AND t.event_id = event AND (p.ref_id IS NULL OR p.sold < p.capacity));
END $$;

-- Null if the show sells, otherwise why not, as the hold statement sees it. A pre-queue stands before the sale.
CREATE FUNCTION app.why_no_queue(org uuid, event uuid, state text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT CASE
        WHEN NOT (e.status IN ('published', 'live') OR e.status = 'postponed' AND e.rescheduled_at IS NOT NULL)
            THEN 'event_not_available'
        WHEN app.clock() > e.sale_end_at OR app.clock() < e.sale_start_at AND state <> 'pre' THEN 'event_sales_closed'
        END FROM events e WHERE e.organization_id = org AND e.id = event);
END $$;

-- What changed, in few words, as the lines in memory read it: joined (from, to), admitted (number, until), ended.
CREATE TYPE app.queue_news AS (seq integer, until timestamptz, code integer);

CREATE FUNCTION app.queue_change(joined integer[], news app.queue_news[], room_too boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'j', CASE WHEN joined[1] <= joined[2] THEN joined END,
        'a', jsonb_agg(jsonb_build_array(n.seq, floor(extract(epoch FROM n.until) * 1000)::bigint))
             FILTER (WHERE n.code = 2),
        'e', jsonb_agg(jsonb_build_array(n.seq, n.code)) FILTER (WHERE n.code > 2),
        'r', CASE WHEN room_too THEN 1 END))
    FROM unnest(news) n
$$;

-- Tells the other processes over the bus, as kit/bus.py does. Callers keep a change short enough for a NOTIFY.
CREATE FUNCTION app.tell_queue(sender text, event uuid, change jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF sender IS NOT NULL AND change <> '{}' THEN
        PERFORM pg_notify('fullhouse_bus', json_build_array(sender, json_build_array(
            json_build_array('queue:' || event, change)))::text);
    END IF;
END $$;

-- Lets people in, as many as there are free slots. The caller has the room's lock, and that is what makes it exact. A
-- slot is free once its row says so: one that somebody else is just prolonging or ending still counts. Whoever was not
-- heard of for a while is passed over and keeps the place. At most 200 at a time, so that it can be told.
CREATE FUNCTION app.queue_let_in(room queue_rooms) RETURNS app.queue_news[] LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    taken integer;
    news app.queue_news[];
    inside app.queue_news[];
BEGIN
    -- Materialized: as a mere part of the join it could be asked once a row, and have a new answer each time.
    WITH overdue AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = room.organization_id AND o.event_id = room.event_id AND o.status = 'admitted'
          AND o.expires_at <= clock
        LIMIT 200 FOR UPDATE SKIP LOCKED
    ), ended AS (
        UPDATE queue_entries e SET status = 'expired', ended_at = clock FROM overdue
        WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = overdue.seq
        RETURNING e.seq
    )
    SELECT coalesce(array_agg(ROW(seq, NULL, 3)::app.queue_news), '{}') INTO news FROM ended;

    SELECT count(*) INTO taken FROM queue_entries
    WHERE organization_id = room.organization_id AND event_id = room.event_id AND status = 'admitted';
    IF taken >= room.slots OR room.state NOT IN ('open', 'draining') OR NOT room.drawn THEN
        RETURN news;
    END IF;
    WITH next AS MATERIALIZED (
        SELECT w.seq FROM queue_entries w
        WHERE w.organization_id = room.organization_id AND w.event_id = room.event_id AND w.status = 'waiting'
          AND w.seen_at > clock - interval '8 minutes' AND w.expires_at > clock
        ORDER BY w.place LIMIT least(room.slots - taken, 200) FOR UPDATE   -- a sign of life must not cost a turn
    ), admitted AS (
        UPDATE queue_entries e SET status = 'admitted', admitted_at = clock,
                                   expires_at = clock + make_interval(secs => room.admit_window_s)
        FROM next WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = next.seq
        RETURNING e.seq, e.expires_at
    )
    SELECT coalesce(array_agg(ROW(seq, expires_at, 2)::app.queue_news), '{}') INTO inside FROM admitted;
    RETURN news || inside;
END $$;

-- Admission, for whoever heard that a slot is free, and for the loop that looks anyway. Returns what changed.
CREATE FUNCTION app.queue_admit(org uuid, sender text, event uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    room queue_rooms;
    gone boolean;
    news app.queue_news[] := '{}';
    change jsonb;
BEGIN
    PERFORM set_config('app.org', org::text, true);
    SELECT * INTO room FROM queue_rooms WHERE organization_id = org AND event_id = event FOR UPDATE;
    IF NOT FOUND OR room.state = 'closed' OR app.why_no_queue(org, event, room.state) IS NOT NULL THEN
        RETURN '{}';
    END IF;
    gone := app.is_sold_out(org, event);
    IF gone <> room.sold_out THEN
        UPDATE queue_rooms SET sold_out = gone, version = version + 1
        WHERE organization_id = org AND event_id = event;
    END IF;
    IF NOT gone THEN
        news := app.queue_let_in(room);
    END IF;
    change := app.queue_change(NULL, news, gone <> room.sold_out);
    PERFORM app.tell_queue(sender, event, change);
    RETURN change;
END $$;

-- A batch of people who want to come in to one show, in the order of their arrival, each once. There is an answer for
-- each: `admitted` and `waiting` are good, `again` may be good in the next batch, `full` asks for the room to be
-- opened, the rest are the codes of refusals. Line 0 is what changed. Numbers are dense: they are counted in the room's
-- row, in the transaction that writes the entries.
CREATE FUNCTION app.queue_join(org uuid, sender text, event uuid, users uuid[])
RETURNS TABLE (req integer, outcome text, seq integer, until timestamptz, wait_s integer, change jsonb)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    room queue_rooms;
    refused text;
    news app.queue_news[] := '{}';
    free integer := 0;
    fresh uuid[];
    first_seq integer;
    last_seq integer;
BEGIN
    PERFORM set_config('app.org', org::text, true);
    -- The event first: whoever cancels it waits for us, or we see it cancelled.
    PERFORM FROM events WHERE organization_id = org AND id = event FOR SHARE;
    IF NOT FOUND THEN
        RETURN QUERY SELECT n::integer, 'event_not_found', NULL::integer, NULL::timestamptz, NULL::integer, NULL::jsonb
                     FROM unnest(users) WITH ORDINALITY u (user_id, n);
        RETURN;
    END IF;
    SELECT * INTO room FROM queue_rooms WHERE organization_id = org AND event_id = event FOR UPDATE;
    refused := app.why_no_queue(org, event, coalesce(room.state, 'closed'));
    IF refused IS NOT NULL THEN
        RETURN QUERY SELECT n::integer, refused, NULL::integer, NULL::timestamptz, NULL::integer, NULL::jsonb
                     FROM unnest(users) WITH ORDINALITY u (user_id, n);
        RETURN;
    END IF;
    IF room.event_id IS NULL THEN
        INSERT INTO queue_rooms (organization_id, event_id) VALUES (org, event) ON CONFLICT DO NOTHING;
        SELECT * INTO room FROM queue_rooms WHERE organization_id = org AND event_id = event FOR UPDATE;
    END IF;

    -- Whose time is over has no place any more, and may have a new one.
    WITH overdue AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.user_id = ANY (users)
          AND o.status IN ('waiting', 'admitted') AND o.expires_at <= clock
        FOR UPDATE SKIP LOCKED
    ), ended AS (
        UPDATE queue_entries e SET status = 'expired', ended_at = clock
        FROM overdue WHERE e.organization_id = org AND e.event_id = event AND e.seq = overdue.seq
        RETURNING e.seq
    )
    SELECT coalesce(array_agg(ROW(seq, NULL, 3)::app.queue_news), '{}') INTO news FROM ended;
    -- To come again is a sign of life.
    WITH again AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.user_id = ANY (users) AND o.status = 'waiting'
          AND o.expires_at > clock AND o.expires_at < 'infinity'
        FOR UPDATE SKIP LOCKED
    )
    UPDATE queue_entries e SET seen_at = clock, expires_at = clock + interval '30 minutes'
    FROM again WHERE e.organization_id = org AND e.event_id = event AND e.seq = again.seq;

    SELECT coalesce(array_agg(u.user_id ORDER BY u.n), '{}') INTO fresh
    FROM unnest(users) WITH ORDINALITY u (user_id, n)
    WHERE NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                      AND e.user_id = u.user_id AND e.status IN ('waiting', 'admitted'))
      AND NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                      AND e.user_id = u.user_id AND e.cooldown_until > clock);
    IF cardinality(fresh) > 0 THEN
        refused := CASE WHEN room.state = 'draining' THEN 'queue_closed'
                        WHEN app.is_sold_out(org, event) THEN 'sold_out' END;
        IF refused IS NULL AND room.state = 'closed' THEN
            -- Nobody waits here: whoever comes has a slot at once, while there are any.
            news := news || app.queue_let_in(room);
            free := greatest(0, room.slots - (SELECT count(*) FROM queue_entries WHERE organization_id = org
                                              AND event_id = event AND status = 'admitted'));
            IF cardinality(fresh) > free THEN
                refused := CASE room.mode WHEN 'off' THEN 'checkout_full' ELSE 'full' END;
                fresh := fresh[:free];
            END IF;
        ELSIF refused IS NOT NULL THEN
            fresh := '{}';
        END IF;
    END IF;
    first_seq := room.next_seq;
    last_seq := room.next_seq + cardinality(fresh) - 1;
    IF last_seq >= first_seq THEN
        INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at,
                                   expires_at, admitted_at)
        SELECT org, event, first_seq + n - 1, CASE WHEN room.state <> 'pre' THEN first_seq + n - 1 END, user_id,
               CASE room.state WHEN 'closed' THEN 'admitted' ELSE 'waiting' END, clock, clock,
               CASE room.state WHEN 'closed' THEN clock + make_interval(secs => room.admit_window_s)
                               WHEN 'pre' THEN 'infinity' ELSE clock + interval '30 minutes' END,
               CASE room.state WHEN 'closed' THEN clock END
        FROM unnest(fresh) WITH ORDINALITY u (user_id, n);
        UPDATE queue_rooms SET next_seq = last_seq + 1 WHERE organization_id = org AND event_id = event;
        IF room.state = 'closed' THEN
            news := news || array(SELECT ROW(s, clock + make_interval(secs => room.admit_window_s), 2)::app.queue_news
                                  FROM generate_series(first_seq, last_seq) s);
        ELSIF room.state = 'open' THEN
            news := news || app.queue_let_in(room);
        END IF;
    END IF;

    change := app.queue_change(ARRAY[first_seq, last_seq], news, false);
    PERFORM app.tell_queue(sender, event, change);
    RETURN QUERY
    SELECT u.n::integer,
           CASE WHEN e.seq IS NOT NULL AND e.expires_at <= clock THEN 'again'
                WHEN e.seq IS NOT NULL THEN e.status
                WHEN c.until IS NOT NULL THEN 'queue_cooldown'
                ELSE coalesce(refused, 'again') END,
           e.seq, CASE WHEN e.expires_at < 'infinity' THEN e.expires_at END,
           ceil(extract(epoch FROM c.until - clock))::integer, NULL::jsonb
    FROM unnest(users) WITH ORDINALITY u (user_id, n)
    LEFT JOIN queue_entries e ON e.organization_id = org AND e.event_id = event AND e.user_id = u.user_id
                             AND e.status IN ('waiting', 'admitted')
    LEFT JOIN LATERAL (SELECT max(k.cooldown_until) AS until FROM queue_entries k
                       WHERE k.organization_id = org AND k.event_id = event AND k.user_id = u.user_id
                         AND k.cooldown_until > clock) c ON true
    UNION ALL SELECT 0, room.state, NULL, NULL, NULL, change
    ORDER BY 1;
END $$;

-- Signs of life, many at a time. Nobody is waited for: a row that somebody else has in hand is heard of next time.
CREATE FUNCTION app.queue_heartbeats(org uuid, event uuid, seqs integer[])
RETURNS TABLE (seq integer, status text, until timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
    WITH alive AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.seq = ANY (seqs) AND o.status = 'waiting'
          AND o.expires_at > clock
        FOR UPDATE SKIP LOCKED
    )
    UPDATE queue_entries e SET seen_at = clock,
        expires_at = CASE WHEN e.expires_at < 'infinity' THEN clock + interval '30 minutes' ELSE e.expires_at END
    FROM alive WHERE e.organization_id = org AND e.event_id = event AND e.seq = alive.seq;
    RETURN QUERY
    SELECT e.seq, CASE WHEN e.status IN ('waiting', 'admitted') AND e.expires_at <= clock THEN 'expired'
                       ELSE e.status END,
           CASE WHEN e.expires_at < 'infinity' THEN e.expires_at END
    FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event AND e.seq = ANY (seqs);
END $$;
