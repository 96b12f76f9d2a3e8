-- Waiting lists, looked at where it matters: whoever wants a seat makes the house look at that row, not at the hall.
--
-- A chain of free neighbours never leaves its row. So those who wait, in their order, are served from the rows that are
-- asked for, and nobody loses anything to a stranger elsewhere. Only a limit that all places share (the show's own, or
-- that of its types) makes one place as good as another: there the whole hall is looked at.

-- What somebody waits for, in one word: of ten thousand there are few different ones, and the first of each is next.
ALTER TABLE waitlist_entries ADD COLUMN wish text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    party::text || '|' || coalesce(zone_key, '') || '|' || coalesce(ticket_type_id::text, '') || '|' || accessible::text
) STORED;
CREATE INDEX waitlist_entries_wishes ON waitlist_entries (organization_id, event_id, wish, seq) WHERE status = 'waiting';

-- For each wish the first who has it. One step down the index for each, however many wait.
CREATE FUNCTION app.wishes(org uuid, show uuid) RETURNS SETOF waitlist_entries LANGUAGE sql STABLE AS $$
    WITH RECURSIVE known AS (
        SELECT min(e.wish) AS wish FROM waitlist_entries e
        WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'
        UNION ALL
        SELECT (SELECT min(e.wish) FROM waitlist_entries e
                WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting' AND e.wish > k.wish)
        FROM known k WHERE k.wish IS NOT NULL
    )
    SELECT f.* FROM known k CROSS JOIN LATERAL (
        SELECT e.* FROM waitlist_entries e
        WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting' AND e.wish = k.wish
        ORDER BY e.wish, e.seq LIMIT 1) f   -- as the index is sorted: another one would be read to the end
    WHERE k.wish IS NOT NULL
$$;


-- Tickets ------------------------------------------------------------------------------------------

-- The types that sell such places to such a party now.
CREATE FUNCTION app.types_selling(org uuid, show uuid, zone text, is_seated boolean, party integer) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    SELECT array(
        SELECT t.id FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND NOT t.hidden
          AND (t.kind = 'seated') = is_seated AND (t.zones = '{}' OR zone = ANY (t.zones))
          AND coalesce(t.sale_start_at, app.clock()) <= app.clock() AND coalesce(t.sale_end_at, app.clock()) >= app.clock()
          AND coalesce(t.max_per_order, party) >= party)
$$;

-- All zones whose places these types sell, if tickets could run out before the places do; null if they cannot.
CREATE FUNCTION app.zones_short_of(org uuid, show uuid, kinds uuid[], is_seated boolean) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    WITH limits AS (
        SELECT count(*) AS types, coalesce(sum(p.capacity), 0) AS tickets FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds)
    ), places AS (
        SELECT coalesce(array_agg(z.zone_id), '{}') AS zones, coalesce(sum(z.capacity), 0) AS places FROM event_zones z
        WHERE z.organization_id = org AND z.event_id = show
          AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = is_seated
          AND EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.id = ANY (kinds)
                      AND (t.zones = '{}' OR z.zone_key = ANY (t.zones)))
    )
    SELECT CASE WHEN types = cardinality(kinds) AND (tickets < places OR kinds = '{}') THEN zones END FROM limits, places
$$;

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
        SELECT coalesce(sum(p.held), 0) FROM pools p
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'zone' AND p.ref_id = ANY (zones)) END + (
        SELECT coalesce(sum(i.quantity), 0)
        FROM checkout_sessions c
        JOIN checkout_items i ON i.organization_id = org AND i.session_id = c.id AND i.zone_id = ANY (zones)
        JOIN seat_holds h ON h.organization_id = org AND h.id = i.hold_id AND h.status IN ('active', 'suspended')
                         AND h.held_until > clock
        WHERE c.organization_id = org AND c.event_id = show AND c.status IN ('open', 'paying'));
END $$;

-- Whether a place in one corner may be the last one for somebody who waits for another: the show's own limit is below
-- what its list and those who ask now would take, or a type's is below the places that it sells.
CREATE FUNCTION app.shares_a_limit(org uuid, show uuid, asked bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = show
                   AND p.kind IN ('event', 'ticket_type')) THEN
        RETURN false;
    END IF;
    RETURN coalesce(app.pool_room(org, show, 'event', show) < asked + (
               SELECT sum(e.party) FROM waitlist_entries e
               WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'), false)
        OR EXISTS (
            SELECT FROM event_zones z
            CROSS JOIN LATERAL (SELECT z.zone_type IN ('reserved_seating', 'vip_reserved') AS seated) k
            CROSS JOIN (SELECT DISTINCT w.party FROM app.wishes(org, show) w) w
            WHERE z.organization_id = org AND z.event_id = show
              AND app.zones_short_of(org, show, app.types_selling(org, show, z.zone_key, k.seated, w.party), k.seated)
                  <> '{}');
END $$;


-- Places for a party -------------------------------------------------------------------------------

-- A seat's id is its layout's, with the ordinal in the last 32 bits (seating/chart.py): neighbours are neighbours in the
-- primary key.
CREATE FUNCTION app.seat_at(layout uuid, ordinal integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (left(layout::text, 28) || lpad(to_hex(ordinal), 8, '0'))::uuid
$$;

-- Free seats side by side, as ranges of ordinals; `chair` is the first wheelchair place among them. Without `chairs`
-- those places are left out. `near`: only there. Nothing is joined with the list's arrays, because the planner takes them
-- for short: it would compare every seat with every row's beginning.
CREATE FUNCTION app.free_chains(org uuid, show uuid, chairs boolean, near int4multirange, busy uuid[] DEFAULT '{}')
RETURNS TABLE (zone_id uuid, chain int4range, chair integer) LANGUAGE sql STABLE AS $$
    WITH list AS MATERIALIZED (
        SELECT w.layout_id, array(SELECT unnest(w.run_starts)) AS starts,
               coalesce((SELECT range_agg(int4range(n, n + 1)) FROM unnest(w.whole_seats) n), '{}') AS wholes,
               coalesce((SELECT range_agg(int4range(n, n + 1)) FROM unnest(w.chair_seats) n), '{}') AS chairs
        FROM waitlists w WHERE w.organization_id = org AND w.event_id = show
    ), seen AS (
        SELECT s.* FROM event_seats s WHERE near IS NULL AND s.organization_id = org AND s.event_id = show
        UNION ALL
        SELECT s.* FROM list l CROSS JOIN unnest(near) r CROSS JOIN LATERAL (
            SELECT s.* FROM event_seats s
            WHERE s.organization_id = org AND s.event_id = show
              AND s.seat_id BETWEEN app.seat_at(l.layout_id, lower(r)) AND app.seat_at(l.layout_id, upper(r) - 1)
            OFFSET 0) s   -- a walk in the index for each range, whatever the planner expects of them
    ), free AS (
        SELECT s.zone_id, s.ordinal, width_bucket(s.ordinal, (SELECT starts FROM list)) AS run
        FROM seen s
        WHERE (s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
          AND (s.reserved_until <= app.clock()) IS NOT FALSE AND s.seat_id <> ALL (busy)
          AND NOT (SELECT wholes FROM list) @> s.ordinal
          AND (free_chains.chairs OR NOT (SELECT l.chairs FROM list l) @> s.ordinal)
    ), found AS (
        SELECT f.zone_id, unnest(range_agg(int4range(f.ordinal, f.ordinal + 1))) AS chain FROM free f
        GROUP BY f.zone_id, f.run
    )
    SELECT zone_id, chain, lower((SELECT l.chairs FROM list l) * int4multirange(chain)) FROM found
$$;

-- Side by side, without an aisle or somebody else between them: the block that fits best, because what a small party
-- leaves of a long row is worth less to the next one. A wheelchair place is for whoever asked for one, and then there is
-- one among them.
DROP FUNCTION app.seats_together(uuid, uuid, uuid, integer, boolean);
CREATE FUNCTION app.seats_together(
    org uuid, show uuid, zone uuid, party integer, chairs boolean, near int4multirange, busy uuid[])
RETURNS uuid[] LANGUAGE sql STABLE AS $$
    WITH best AS (
        SELECT CASE WHEN chairs THEN least(c.chair, upper(c.chain) - party) ELSE lower(c.chain) END AS start
        FROM app.free_chains(org, show, chairs, near, busy) c
        CROSS JOIN LATERAL (SELECT upper(c.chain) - lower(c.chain) AS length) l
        WHERE c.zone_id = zone AND length >= party AND (NOT chairs OR c.chair IS NOT NULL)
        ORDER BY length = party + 1, length, lower(c.chain) LIMIT 1
    )
    SELECT array_agg(app.seat_at(w.layout_id, n) ORDER BY n)
    FROM best b CROSS JOIN generate_series(b.start, b.start + party - 1) n
    JOIN waitlists w ON w.organization_id = org AND w.event_id = show
$$;

-- What there is for a party now: seats, or the pool that has room. Null if there is nothing. `zones` and `near`: only
-- there; `busy` are seats that somebody has locked.
DROP FUNCTION app.places_for(uuid, uuid, integer, text, uuid, boolean);
CREATE FUNCTION app.places_for(
    org uuid, show uuid, party integer, zone text, wanted_type uuid, chairs boolean, zones uuid[] DEFAULT NULL,
    near int4multirange DEFAULT NULL, busy uuid[] DEFAULT '{}')
RETURNS app.places LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    here record;
    found app.places;
BEGIN
    IF app.pool_room(org, show, 'event', show) < party THEN
        RETURN NULL;
    END IF;
    IF NOT EXISTS (SELECT FROM event_layouts l WHERE l.organization_id = org AND l.event_id = show) THEN
        SELECT NULL::uuid[], 'ticket_type', t.id INTO found FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND (t.id = wanted_type OR wanted_type IS NULL)
          AND NOT t.hidden AND NOT chairs
          AND coalesce(t.sale_start_at, clock) <= clock AND coalesce(t.sale_end_at, clock) >= clock
          AND coalesce(t.max_per_order, party) >= party AND app.pool_room(org, show, 'ticket_type', t.id) >= party
        ORDER BY t.position, t.created_at, t.id LIMIT 1;
        RETURN found;
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


-- Offers -------------------------------------------------------------------------------------------

-- Serves a show's list: the first whose party fits what is free, until nobody's does, or until so many were made. What is
-- offered leaves less for all who come after, so a wish that nothing fits is not tried again, nor a larger party's of its
-- kind. The rows are those of `app.hold`, for line 0. Without `near` the hall is looked at before the list is locked:
-- whoever wants to hold a seat does not wait for that.
DROP FUNCTION app.offer_places(uuid, uuid, text);
CREATE FUNCTION app.offer_places(
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
                             NULL)::app.hold_line ORDER BY n) INTO lines
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

-- Where lines ask for something that is free: the zones, and the rows of neighbours around the seats. Null: nowhere.
-- Everywhere, if places have no seats and zones to tell them apart by, or share a limit: then both are null in it.
CREATE TYPE app.whereabouts AS (anywhere boolean, zones uuid[], near int4multirange);
CREATE FUNCTION app.asked_for(org uuid, show uuid, lines app.hold_line[]) RETURNS app.whereabouts
LANGUAGE plpgsql STABLE AS $$
DECLARE
    starts integer[] := (SELECT w.run_starts FROM waitlists w WHERE w.organization_id = org AND w.event_id = show);
    asked bigint;
    found app.whereabouts;
BEGIN
    SELECT sum(x.quantity), bool_or(x.kind <> 'zone'), array_agg(DISTINCT x.zone_id),
           coalesce(range_agg(int4range(coalesce(starts[x.run], 0), coalesce(starts[x.run + 1], 2147483647)))
                    FILTER (WHERE x.run IS NOT NULL), '{}')
    INTO asked, found.anywhere, found.zones, found.near
    FROM (
        SELECT l.quantity, l.kind, coalesce(s.zone_id, l.ref_id) AS zone_id, width_bucket(s.ordinal, starts) AS run
        FROM unnest(lines) l
        LEFT JOIN LATERAL (SELECT * FROM event_seats e WHERE e.organization_id = org AND e.event_id = show
                           AND e.seat_id = l.seat_id OFFSET 0) s ON true
        WHERE l.event_id = show
          AND (l.seat_id IS NULL OR s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
    ) x;
    IF asked IS NULL THEN
        RETURN NULL;
    END IF;
    IF found.anywhere OR app.shares_a_limit(org, show, asked) THEN
        RETURN ROW(true, NULL, NULL)::app.whereabouts;
    END IF;
    RETURN ROW(false, found.zones, found.near)::app.whereabouts;
END $$;

-- `app.hold`, for everybody: where people wait for a show, they are served before what they wait for is given to
-- whoever asks. From the locks on, nothing of what is asked for comes free unseen.
CREATE OR REPLACE FUNCTION app.hold_in_turn(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer)
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
                RETURN QUERY SELECT * FROM app.offer_places(org, show, sender, place.zones, place.near);
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY SELECT * FROM app.hold(org, sender, lines);
END $$;
