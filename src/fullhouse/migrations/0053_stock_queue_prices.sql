-- What the public sees of an event's sale follows from what it sells, and not from its own window alone: the sale opens
-- with its first ticket type and closes with its last, and without any ticket, or with every place blocked, there is
-- none. Whatever writes any of this calls app.follow_stock in its own transaction, and forgets what was cached of it.

ALTER TABLE public_events ADD COLUMN has_tickets boolean NOT NULL DEFAULT true;
CREATE INDEX public_events_no_tickets ON public_events (start_at, event_id) WHERE NOT has_tickets;

CREATE FUNCTION app.stock(org uuid, event uuid, OUT opens_at timestamptz, OUT closes_at timestamptz,
                          OUT has_tickets boolean, OUT sold_out boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT greatest(e.sale_start_at, min(coalesce(t.sale_start_at, e.sale_start_at))),
           least(e.sale_end_at, max(coalesce(t.sale_end_at, e.sale_end_at))), count(t.id) > 0
    INTO opens_at, closes_at, has_tickets
    FROM events e
    LEFT JOIN ticket_types t ON t.organization_id = org AND t.event_id = event AND NOT t.hidden
    WHERE e.organization_id = org AND e.id = event
    GROUP BY e.sale_start_at, e.sale_end_at;
    sold_out := app.is_sold_out(org, event);
    -- Nothing is left: was there ever anything? Seats that are blocked are not for sale.
    IF sold_out AND EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = event)
       AND NOT EXISTS (SELECT FROM event_seats s WHERE s.organization_id = org AND s.event_id = event
                       AND s.status <> 'blocked')
       AND NOT EXISTS (SELECT FROM event_zones z
                       JOIN pools p ON p.organization_id = org AND p.event_id = event AND p.kind = 'zone'
                                   AND p.ref_id = z.zone_id
                       WHERE z.organization_id = org AND z.event_id = event AND p.capacity > 0
                         AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')) THEN
        has_tickets := false;
    END IF;
    sold_out := sold_out AND has_tickets;
END $$;

-- Says whether the public sees a difference.
CREATE FUNCTION app.follow_stock(org uuid, event uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- One after the other: who computed from an older snapshot must not have the last word.
    PERFORM FROM public_events p WHERE p.organization_id = org AND p.event_id = event FOR UPDATE;
    UPDATE public_events p
    SET sale_start_at = s.opens_at, sale_end_at = s.closes_at, has_tickets = s.has_tickets, sold_out = s.sold_out
    FROM app.stock(org, event) s
    WHERE p.organization_id = org AND p.event_id = event
      AND (p.sale_start_at, p.sale_end_at, p.has_tickets, p.sold_out)
          IS DISTINCT FROM (s.opens_at, s.closes_at, s.has_tickets, s.sold_out);
    RETURN FOUND;
END $$;

-- As in 0052, and: an event that has nothing to sell is not on sale yet.
CREATE OR REPLACE VIEW shows_of_any_house WITH (security_invoker = true) AS
SELECT p.event_id AS id, p.organization_id, o.slug AS organization, o.name AS organization_name, p.slug, p.title,
       p.description, p.category, 'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN NOT p.has_tickets THEN 'upcoming'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.sold_out, p.venue_name, p.city, p.city_norm, p.country, p.address, p.timezone, p.start_at AS start_time,
       p.end_at AS end_time, p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at,
       p.capacity, p.cover_image_ids, p.published_at, p.changed_at, p.search,
       o.status = 'active' AS house_is_open, p.owner_id, p.created_at, p.active_participants, p.has_tickets
FROM public_events p JOIN organizations o ON o.id = p.organization_id;

CREATE OR REPLACE VIEW public_shows WITH (security_invoker = true) AS
SELECT * FROM shows_of_any_house WHERE house_is_open;

-- What is shown already.
ALTER TABLE public_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ticket_types NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pools NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_layouts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_zones NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_seats NO FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events DISABLE TRIGGER note_change;  -- no organiser has changed anything
SELECT count(*) FILTER (WHERE app.follow_stock(organization_id, event_id)) FROM public_events;
ALTER TABLE public_events ENABLE TRIGGER note_change;
ALTER TABLE public_events FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE ticket_types FORCE ROW LEVEL SECURITY;
ALTER TABLE pools FORCE ROW LEVEL SECURITY;
ALTER TABLE event_layouts FORCE ROW LEVEL SECURITY;
ALTER TABLE event_zones FORCE ROW LEVEL SECURITY;
ALTER TABLE event_seats FORCE ROW LEVEL SECURITY;

-- Venues are asked for by their time zone, the oldest first.
DROP INDEX venues_timezone;
CREATE INDEX venues_timezone ON venues (organization_id, timezone, created_at, id);

-- Waiting rooms --------------------------------------------------------------------------------------

-- Whoever joins a line and vanishes is not offered a slot, and nobody waits for them. A sign of life says when the next
-- one is due (`every_s`); who has missed two of them is passed over. `absent` says that everybody was told so: the lines
-- in memory count those who are there.
ALTER TABLE queue_entries ADD COLUMN every_s smallint NOT NULL DEFAULT 240 CHECK (every_s > 0),
    ADD COLUMN absent boolean NOT NULL DEFAULT false;
CREATE INDEX queue_entries_there ON queue_entries (organization_id, event_id, place)
    WHERE status = 'waiting' AND NOT absent;

-- As in 0020, and: who is missed (`g`), and who has come back (`b`).
CREATE OR REPLACE FUNCTION app.queue_change(joined integer[], news app.queue_news[], room_too boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'j', CASE WHEN joined[1] <= joined[2] THEN joined END,
        'a', jsonb_agg(jsonb_build_array(n.seq, floor(extract(epoch FROM n.until) * 1000)::bigint))
             FILTER (WHERE n.code = 2),
        'e', jsonb_agg(jsonb_build_array(n.seq, n.code)) FILTER (WHERE n.code BETWEEN 3 AND 5),
        'g', jsonb_agg(n.seq) FILTER (WHERE n.code = 6),
        'b', jsonb_agg(n.seq) FILTER (WHERE n.code = 7),
        'r', CASE WHEN room_too THEN 1 END))
    FROM unnest(news) n
$$;

-- Lets people in, as many as there are free slots. The caller has the room's lock, and that is what makes it exact. A
-- slot is free once its row says so: one that somebody else is just prolonging or ending still counts. Whoever has
-- missed two polls is passed over and keeps the place; those near the front are marked, so that nobody counts them
-- among the people ahead. At most 200 at a time, and 100 who are missed, so that it can be told.
CREATE OR REPLACE FUNCTION app.queue_let_in(room queue_rooms) RETURNS app.queue_news[] LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    taken integer;
    news app.queue_news[];
    inside app.queue_news[];
    missed app.queue_news[];
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

    IF room.state IN ('open', 'draining', 'paused') AND room.drawn AND cardinality(news) <= 50 THEN
        WITH near AS MATERIALIZED (
            SELECT w.seq, w.seen_at, w.every_s FROM queue_entries w
            WHERE w.organization_id = room.organization_id AND w.event_id = room.event_id AND w.status = 'waiting'
              AND NOT w.absent
            ORDER BY w.place LIMIT 5000
        ), gone AS MATERIALIZED (
            SELECT o.seq FROM queue_entries o
            WHERE o.organization_id = room.organization_id AND o.event_id = room.event_id AND o.status = 'waiting'
              AND o.seq IN (SELECT seq FROM near WHERE seen_at <= clock - make_interval(secs => 2 * every_s))
            LIMIT 100 FOR UPDATE SKIP LOCKED
        ), marked AS (
            UPDATE queue_entries e SET absent = true FROM gone
            WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = gone.seq
              AND e.seen_at <= clock - make_interval(secs => 2 * e.every_s)
            RETURNING e.seq
        )
        SELECT coalesce(array_agg(ROW(seq, NULL, 6)::app.queue_news), '{}') INTO missed FROM marked;
        news := news || missed;
    END IF;

    SELECT count(*) INTO taken FROM queue_entries
    WHERE organization_id = room.organization_id AND event_id = room.event_id AND status = 'admitted';
    IF taken >= room.slots OR room.state NOT IN ('open', 'draining') OR NOT room.drawn THEN
        RETURN news;
    END IF;
    WITH next AS MATERIALIZED (
        SELECT w.seq FROM queue_entries w
        WHERE w.organization_id = room.organization_id AND w.event_id = room.event_id AND w.status = 'waiting'
          AND NOT w.absent AND w.seen_at > clock - make_interval(secs => 2 * w.every_s) AND w.expires_at > clock
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

-- A batch of people who want to come in to one show, in the order of their arrival, each once. There is an answer for
-- each: `admitted` and `waiting` are good, `again` may be good in the next batch, `full` asks for the room to be
-- opened, the rest are the codes of refusals. Line 0 is what changed. Numbers are dense: they are counted in the room's
-- row, in the transaction that writes the entries.
CREATE OR REPLACE FUNCTION app.queue_join(org uuid, sender text, event uuid, users uuid[])
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
    soon_s integer;   -- when the first sign of life of whoever joins is due
    returned app.queue_news[];
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

    -- As policy.every_s: near the front people are heard of at every poll, others once in a few minutes.
    soon_s := CASE WHEN room.next_seq <= 5000 OR (
        SELECT count(*) FROM (SELECT FROM queue_entries w WHERE w.organization_id = org AND w.event_id = event
                              AND w.status = 'waiting' AND NOT w.absent LIMIT 5000) n) < 5000 THEN 15 ELSE 240 END;
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
        SELECT o.seq, o.absent OR o.seen_at <= clock - make_interval(secs => 2 * o.every_s) AS absent
        FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.user_id = ANY (users) AND o.status = 'waiting'
          AND o.expires_at > clock AND o.expires_at < 'infinity'
        FOR UPDATE SKIP LOCKED
    ), heard AS (
        UPDATE queue_entries e SET seen_at = clock, every_s = soon_s, absent = false,
                                   expires_at = clock + interval '30 minutes'
        FROM again WHERE e.organization_id = org AND e.event_id = event AND e.seq = again.seq
        RETURNING e.seq, again.absent
    )
    SELECT coalesce(array_agg(ROW(h.seq, NULL, 7)::app.queue_news) FILTER (WHERE h.absent), '{}') INTO returned
    FROM heard h;
    news := news || returned;

    SELECT coalesce(array_agg(u.user_id ORDER BY u.n), '{}') INTO fresh
    FROM unnest(users) WITH ORDINALITY u (user_id, n)
    WHERE NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                      AND e.user_id = u.user_id AND e.status IN ('waiting', 'admitted'))
      AND (room.state = 'closed'
           OR NOT EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                          AND e.user_id = u.user_id AND e.cooldown_until > clock));
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
                                   every_s, expires_at, admitted_at)
        SELECT org, event, first_seq + n - 1, CASE WHEN room.state <> 'pre' THEN first_seq + n - 1 END, user_id,
               CASE room.state WHEN 'closed' THEN 'admitted' ELSE 'waiting' END, clock, clock, soon_s,
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
                WHEN c.until IS NOT NULL AND (room.state <> 'closed' OR refused = 'full') THEN 'queue_cooldown'
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

-- Signs of life, many at a time, each with when the next is due. Nobody is waited for: a row that somebody else has in
-- hand, as a draw has thousands, is heard of next time. `seen_s` says when it last was, so that nobody believes it has
-- been who was not. Who was missed is there again, in the old place; `back` says so.
DROP FUNCTION app.queue_heartbeats(uuid, uuid, integer[]);
CREATE FUNCTION app.queue_heartbeats(org uuid, sender text, event uuid, seqs integer[], everies integer[])
RETURNS TABLE (seq integer, status text, until timestamptz, seen_s integer, back boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    returned integer[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
    WITH alive AS MATERIALIZED (
        SELECT o.seq, o.absent OR o.seen_at <= clock - make_interval(secs => 2 * o.every_s) AS absent, s.every_s
        FROM unnest(seqs, everies) s (seq, every_s)
        JOIN queue_entries o ON o.organization_id = org AND o.event_id = event AND o.seq = s.seq
        WHERE o.status = 'waiting' AND o.expires_at > clock
        FOR UPDATE OF o SKIP LOCKED
    ), heard AS (
        UPDATE queue_entries e SET seen_at = clock, every_s = alive.every_s, absent = false,
            expires_at = CASE WHEN e.expires_at < 'infinity' THEN clock + interval '30 minutes' ELSE e.expires_at END
        FROM alive WHERE e.organization_id = org AND e.event_id = event AND e.seq = alive.seq
        RETURNING e.seq, alive.absent
    )
    SELECT coalesce(array_agg(h.seq) FILTER (WHERE h.absent), '{}') INTO returned FROM heard h;
    PERFORM app.tell_queue(sender, event, app.queue_change(
        NULL, array(SELECT ROW(s, NULL, 7)::app.queue_news FROM unnest(returned) s), false));
    RETURN QUERY
    SELECT e.seq, CASE WHEN e.status IN ('waiting', 'admitted') AND e.expires_at <= clock THEN 'expired'
                       ELSE e.status END,
           CASE WHEN e.expires_at < 'infinity' THEN e.expires_at END, floor(extract(epoch FROM e.seen_at))::integer,
           e.seq = ANY (returned)
    FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event AND e.seq = ANY (seqs);
END $$;

-- Prices -----------------------------------------------------------------------------------------------

-- A ticket's highest price is 9,999.99 of a currency like the dollar; of others it is as many times more as their units
-- are smaller (kit/money.py), or what the organisation says. The table keeps out what no currency needs.
ALTER TABLE ticket_types DROP CONSTRAINT ticket_types_price_check;
ALTER TABLE ticket_types ALTER COLUMN price TYPE bigint,
    ADD CONSTRAINT ticket_types_price_check CHECK (price BETWEEN 0 AND 99999999999);
ALTER TABLE organization_settings ADD COLUMN ticket_price_max bigint
    CHECK (ticket_price_max BETWEEN 1 AND 99999999999);
