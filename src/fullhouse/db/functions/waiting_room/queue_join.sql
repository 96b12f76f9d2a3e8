-- A batch of people who join one event's waiting room, in the order of their arrival, each once, with or without a
-- promo code. Returns a row for each: `admitted` and `waiting` are successes, `again` may succeed in the next batch,
-- `full` asks the caller to open the room, the other outcomes are the codes of refusals. Row 0 is the change. Numbers
-- have no gaps: they are counted in the room's row, in the transaction that writes the entries. When an event is sold
-- out, only people who can still buy may join.
CREATE OR REPLACE FUNCTION app.queue_join(org uuid, sender text, event uuid, users uuid[], codes text[])
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
    soon_s integer;   -- when the first heartbeat of new entries is due
    returned app.queue_news[];
    gone boolean := false;
    turned_away uuid[] := '{}';   -- people who can buy nothing any more
BEGIN
    PERFORM set_config('app.org', org::text, true);
    -- The event first: a concurrent cancellation waits for this transaction, or is visible to it.
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

    -- As policy.every_s: near the front every poll writes a heartbeat, further back one in a few minutes.
    soon_s := CASE WHEN room.next_seq <= 5000 OR (
        SELECT count(*) FROM (SELECT FROM queue_entries w WHERE w.organization_id = org AND w.event_id = event
                              AND w.status = 'waiting' AND NOT w.absent LIMIT 5000) n) < 5000 THEN 15 ELSE 240 END;
    -- Overdue entries end, so that these people can get a new place.
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
    -- Joining again counts as a heartbeat.
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
            -- Nobody waits: people get a slot at once, while there are any.
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
    IF room.sold_out AND room.state <> 'closed' THEN   -- people in the queue may hold something now, or have a code
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
