-- A line that is sold out goes on for some. Sold out says that no ticket type is left that everybody may buy; whoever
-- holds places already, or has a promo code that shows a hidden type with tickets left, still has something to buy.

ALTER TABLE queue_entries ADD COLUMN promo_code text,                          -- with which somebody has joined
    ADD COLUMN is_buyer boolean NOT NULL DEFAULT false;   -- as it was seen last; looked at while the line is sold out
CREATE INDEX queue_entries_buyers ON queue_entries (organization_id, event_id)
    WHERE status = 'waiting' AND (is_buyer OR promo_code IS NOT NULL);

-- Whether a ticket of this type is left: of its own number, of the event's on its days, and of the places it is for.
CREATE FUNCTION app.has_tickets(org uuid, event uuid, t ticket_types) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = event
                       AND p.kind = 'ticket_type' AND p.ref_id = t.id AND p.sold >= p.capacity)
       AND coalesce(app.unsold_for(org, event, 'event', event, t.id) > 0, true)
       AND app.has_places(org, event, t)
$$;

-- As in 0056, by that.
CREATE OR REPLACE FUNCTION app.selling(org uuid, event uuid) RETURNS tstzmultirange LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN app.is_full(org, event) THEN '{}' ELSE coalesce((
        SELECT range_agg(tstzrange(w.opens_at, w.closes_at, '[]')) FILTER (WHERE w.opens_at <= w.closes_at)
        FROM ticket_types t
        JOIN events e ON e.organization_id = org AND e.id = event
        CROSS JOIN LATERAL (SELECT greatest(t.sale_start_at, e.sale_start_at) AS opens_at,
                                   least(t.sale_end_at, e.sale_end_at) AS closes_at) w
        WHERE t.organization_id = org AND t.event_id = event AND NOT t.hidden
          AND app.has_tickets(org, event, t)), '{}') END;
END $$;

-- Whether this code, as it is stored, shows a ticket type that is on sale and has tickets left.
CREATE FUNCTION app.code_sells(org uuid, event uuid, code text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT app.is_full(org, event) AND EXISTS (
        SELECT FROM promo_codes c
        JOIN ticket_types t ON t.organization_id = org AND t.event_id = event AND t.id = ANY (c.ticket_type_ids)
        WHERE c.organization_id = org AND c.event_id = event AND c.code = code_sells.code AND c.active
          AND coalesce(c.valid_from <= app.clock(), true) AND coalesce(app.clock() < c.valid_until, true)
          AND coalesce(c.uses < c.max_uses, true) AND coalesce(c.spent < c.budget, true)
          AND coalesce(t.sale_start_at <= app.clock(), true) AND coalesce(app.clock() <= t.sale_end_at, true)
          AND app.has_tickets(org, event, t))
$$;

-- Of these people, each with a code or none: who holds places of a sold-out event, or has a code that sells some.
CREATE FUNCTION app.buyers_of(org uuid, event uuid, people uuid[], codes text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(u.user_id), '{}')
    FROM unnest(people, codes) u (user_id, code)
    WHERE u.code IN (SELECT d.code FROM (SELECT DISTINCT unnest(codes) AS code) d
                     WHERE app.code_sells(org, event, d.code))
       OR EXISTS (SELECT FROM seat_holds h WHERE h.organization_id = org AND h.user_id = u.user_id
                  AND h.event_id = event AND h.status IN ('active', 'suspended') AND h.held_until > app.clock())
$$;

-- Looks again who is one, of those who have been or have a code, and of these people. The caller has the room's lock,
-- and the line is sold out. At most 100 who have changed, so that it can be told.
CREATE FUNCTION app.queue_find_buyers(org uuid, event uuid, people uuid[]) RETURNS app.queue_news[]
LANGUAGE plpgsql AS $$
DECLARE
    news app.queue_news[];
BEGIN
    WITH known AS MATERIALIZED (
        SELECT k.seq, k.user_id, k.promo_code, k.is_buyer FROM queue_entries k
        WHERE k.organization_id = org AND k.event_id = event AND k.status = 'waiting'
          AND (k.is_buyer OR k.promo_code IS NOT NULL)
        UNION
        SELECT k.seq, k.user_id, k.promo_code, k.is_buyer FROM queue_entries k
        WHERE k.organization_id = org AND k.event_id = event AND k.status = 'waiting' AND k.user_id = ANY (people)
    ), found AS MATERIALIZED (
        SELECT app.buyers_of(org, event, array_agg(k.user_id), array_agg(k.promo_code)) AS buyers FROM known k
    ), other AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.status = 'waiting' AND o.seq IN (
            SELECT k.seq FROM known k, found f WHERE k.is_buyer <> (k.user_id = ANY (f.buyers)))
        LIMIT 100 FOR UPDATE SKIP LOCKED
    ), marked AS (
        UPDATE queue_entries e SET is_buyer = NOT e.is_buyer FROM other
        WHERE e.organization_id = org AND e.event_id = event AND e.seq = other.seq
        RETURNING e.seq, e.is_buyer
    )
    SELECT coalesce(array_agg(ROW(seq, NULL, 8 + is_buyer::integer)::app.queue_news), '{}') INTO news FROM marked;
    RETURN news;
END $$;

-- As in 0053, and: for whom a line that is sold out goes on (`s`, with 1), and no longer does (with 0). Who joins it is
-- one of them: then `j` has a third number.
CREATE OR REPLACE FUNCTION app.queue_change(joined integer[], news app.queue_news[], room_too boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'j', CASE WHEN joined[1] <= joined[2] THEN joined END,
        'a', jsonb_agg(jsonb_build_array(n.seq, floor(extract(epoch FROM n.until) * 1000)::bigint))
             FILTER (WHERE n.code = 2),
        'e', jsonb_agg(jsonb_build_array(n.seq, n.code)) FILTER (WHERE n.code BETWEEN 3 AND 5),
        'g', jsonb_agg(n.seq) FILTER (WHERE n.code = 6),
        'b', jsonb_agg(n.seq) FILTER (WHERE n.code = 7),
        's', jsonb_agg(jsonb_build_array(n.seq, n.code - 8)) FILTER (WHERE n.code IN (8, 9)),
        'r', CASE WHEN room_too THEN 1 END))
    FROM unnest(news) n
$$;

-- As in 0053. Of a line that is sold out only the buyers are let in.
DROP FUNCTION app.queue_let_in(queue_rooms);
CREATE FUNCTION app.queue_let_in(room queue_rooms, only_buyers boolean) RETURNS app.queue_news[] LANGUAGE plpgsql AS $$
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
          AND (w.is_buyer OR NOT only_buyers)
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
CREATE OR REPLACE FUNCTION app.queue_admit(org uuid, sender text, event uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
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
    IF gone THEN
        news := app.queue_find_buyers(org, event, '{}');
    END IF;
    IF NOT gone OR EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                           AND e.status = 'waiting' AND e.is_buyer) THEN
        news := news || app.queue_let_in(room, gone);
    END IF;
    change := app.queue_change(NULL, news, gone <> room.sold_out);
    PERFORM app.tell_queue(sender, event, change);
    RETURN change;
END $$;

-- As in 0053, and: each with a promo code or without. Of a show that is sold out only buyers join the line.
DROP FUNCTION app.queue_join(uuid, text, uuid, uuid[]);
CREATE FUNCTION app.queue_join(org uuid, sender text, event uuid, users uuid[], codes text[])
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
    gone boolean := false;
    turned_away uuid[] := '{}';   -- there is nothing left for them
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
        IF room.state = 'draining' THEN
            refused := 'queue_closed';
            fresh := '{}';
        ELSE
            gone := app.is_sold_out(org, event);
        END IF;
        IF gone THEN
            SELECT coalesce(array_agg(f.user_id ORDER BY f.n) FILTER (WHERE f.is_buyer), '{}'),
                   coalesce(array_agg(f.user_id) FILTER (WHERE NOT f.is_buyer), '{}') INTO fresh, turned_away
            FROM (SELECT u.user_id, u.n, u.user_id = ANY (b.buyers) AS is_buyer
                  FROM unnest(fresh) WITH ORDINALITY u (user_id, n),
                       app.buyers_of(org, event, users, codes) b (buyers)) f;
        END IF;
        IF cardinality(fresh) > 0 AND room.state = 'closed' THEN
            -- Nobody waits here: whoever comes has a slot at once, while there are any.
            news := news || app.queue_let_in(room, gone);
            free := greatest(0, room.slots - (SELECT count(*) FROM queue_entries WHERE organization_id = org
                                              AND event_id = event AND status = 'admitted'));
            IF cardinality(fresh) > free THEN
                refused := CASE room.mode WHEN 'off' THEN 'checkout_full' ELSE 'full' END;
                fresh := fresh[:free];
            END IF;
        END IF;
    END IF;
    first_seq := room.next_seq;
    last_seq := room.next_seq + cardinality(fresh) - 1;
    IF last_seq >= first_seq THEN
        INSERT INTO queue_entries (organization_id, event_id, seq, place, user_id, status, joined_at, seen_at,
                                   every_s, expires_at, admitted_at, is_buyer)
        SELECT org, event, first_seq + n - 1, CASE WHEN room.state <> 'pre' THEN first_seq + n - 1 END, user_id,
               CASE room.state WHEN 'closed' THEN 'admitted' ELSE 'waiting' END, clock, clock, soon_s,
               CASE room.state WHEN 'closed' THEN clock + make_interval(secs => room.admit_window_s)
                               WHEN 'pre' THEN 'infinity' ELSE clock + interval '30 minutes' END,
               CASE room.state WHEN 'closed' THEN clock END, gone
        FROM unnest(fresh) WITH ORDINALITY u (user_id, n);
        UPDATE queue_rooms SET next_seq = last_seq + 1 WHERE organization_id = org AND event_id = event;
        IF room.state = 'closed' THEN
            news := news || array(SELECT ROW(s, clock + make_interval(secs => room.admit_window_s), 2)::app.queue_news
                                  FROM generate_series(first_seq, last_seq) s);
        ELSIF room.state = 'open' THEN
            news := news || app.queue_let_in(room, gone);
        END IF;
    END IF;
    IF array_remove(codes, NULL) <> '{}' THEN
        UPDATE queue_entries e SET promo_code = u.code
        FROM unnest(users, codes) u (user_id, code)
        WHERE e.organization_id = org AND e.event_id = event AND e.user_id = u.user_id AND e.status = 'waiting'
          AND u.code IS NOT NULL AND u.code IS DISTINCT FROM e.promo_code;
    END IF;
    IF room.sold_out AND room.state <> 'closed' THEN   -- who stands here already may hold places now, or have a code
        news := news || app.queue_find_buyers(org, event, users);
    END IF;

    change := app.queue_change(ARRAY[first_seq, last_seq] || CASE WHEN gone THEN ARRAY[1] ELSE '{}' END, news,
                               false);
    PERFORM app.tell_queue(sender, event, change);
    RETURN QUERY
    SELECT u.n::integer,
           CASE WHEN e.seq IS NOT NULL AND e.expires_at <= clock THEN 'again'
                WHEN e.seq IS NOT NULL THEN e.status
                WHEN u.user_id = ANY (turned_away) THEN 'sold_out'
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
