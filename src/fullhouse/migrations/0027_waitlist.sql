-- Waiting lists: places that come back go to those who wait for them, before anybody else can have them.
--
-- An offer is a basket of holds like any other, with a longer time: so it takes room, is bought at the checkout, and
-- ends like every hold. What an entry says of its offer follows the holds, by trigger: no way of ending one forgets it.
--
-- Locks: event, list, pools, seats, holds, entries. Whoever serves a list has its row for himself.

-- Of a show; there is none before somebody joins or the organiser says something.
CREATE TABLE waitlists (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    enabled         boolean NOT NULL DEFAULT true,
    window_s        integer NOT NULL DEFAULT 86400 CHECK (window_s BETWEEN 900 AND 604800),   -- to take an offer
    next_seq        bigint NOT NULL DEFAULT 1,
    -- Who sits beside whom is in the layout's document; these are the ordinals at which chains of neighbours begin, those
    -- of seats that are sold as a whole only (tables), which nobody is offered, and those of wheelchair places.
    layout_id       uuid,
    run_starts      integer[] NOT NULL DEFAULT '{}',
    whole_seats     integer[] NOT NULL DEFAULT '{}',
    chair_seats     integer[] NOT NULL DEFAULT '{}',
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('waitlists');
CALL app.let_workers_find('waitlists');

CREATE TABLE waitlist_entries (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    seq             bigint NOT NULL,      -- in the order in which people joined: who is first is served first
    user_id         uuid NOT NULL,
    email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    secret_hash     bytea NOT NULL,
    party           smallint NOT NULL CHECK (party BETWEEN 1 AND 10),
    zone_key        text,                 -- null: anywhere. A zone keeps its key when the layout has another version.
    ticket_type_id  uuid,                 -- in a show without a layout; null: any
    accessible      boolean NOT NULL DEFAULT false,
    status          text NOT NULL DEFAULT 'waiting'
                        CHECK (status IN ('waiting', 'offered', 'taken', 'lapsed', 'left')),
    basket_id       uuid,                 -- of the holds that are the offer
    answer_by       timestamptz,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, seq),
    CONSTRAINT waitlist_entries_offer UNIQUE (organization_id, basket_id),
    CHECK (zone_key IS NULL OR ticket_type_id IS NULL),
    CHECK (CASE status WHEN 'waiting' THEN basket_id IS NULL WHEN 'left' THEN true ELSE basket_id IS NOT NULL END),
    CHECK ((basket_id IS NULL) = (answer_by IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES waitlists (organization_id, event_id) ON DELETE CASCADE
) WITH (fillfactor = 80);
-- One of a person in a show, by account and by address.
CREATE UNIQUE INDEX waitlist_entries_person ON waitlist_entries (organization_id, event_id, user_id)
    WHERE status IN ('waiting', 'offered');
CREATE UNIQUE INDEX waitlist_entries_address ON waitlist_entries (organization_id, event_id, lower(email))
    WHERE status IN ('waiting', 'offered');
-- Everybody who holds a seat asks this one whether somebody waits.
CREATE INDEX waitlist_entries_next ON waitlist_entries (organization_id, event_id, seq) WHERE status = 'waiting';
CREATE INDEX waitlist_entries_mine ON waitlist_entries (organization_id, user_id, event_id, seq);
CREATE UNIQUE INDEX waitlist_entries_secret ON waitlist_entries (organization_id, secret_hash);
CALL app.protect('waitlist_entries', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('waitlist_entries');

-- What may become of an entry. `offered` goes back to `waiting` if the house takes the places away, not the person.
CREATE FUNCTION app.move_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (('waiting', 'offered'), ('waiting', 'left'), ('offered', 'taken'),
        ('offered', 'lapsed'), ('offered', 'left'), ('offered', 'waiting')) THEN
        RAISE EXCEPTION 'an entry that is % does not become %', OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.updated_at := app.clock();
    RETURN NEW;
END $$;
CREATE TRIGGER move_entry BEFORE UPDATE OF status ON waitlist_entries FOR EACH ROW
    EXECUTE FUNCTION app.move_entry();

-- An offer that is made or ends tells so by itself. To join, and to leave before an offer, is a person's own act.
CREATE FUNCTION app.tell_offer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE NEW.status WHEN 'waiting' THEN 'withdrawn' ELSE NEW.status END;
    story jsonb := jsonb_strip_nulls(jsonb_build_object('version', 1, 'subject_id', NEW.id, 'event_id', NEW.event_id,
        'user_id', NEW.user_id, 'party', NEW.party, 'answer_by', NEW.answer_by));
BEGIN
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_name, action, entity_type, entity_id, after)
    VALUES (gen_random_uuid(), NEW.organization_id, app.clock(), 'system', 'waiting list', 'waitlist.' || what,
            'waitlist_entry', NEW.id, story);
    INSERT INTO outbox (id, organization_id, name, subject_id, payload)
    VALUES (gen_random_uuid(), NEW.organization_id, 'waitlist.' || what, NEW.id, story);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_offer AFTER UPDATE OF status ON waitlist_entries FOR EACH ROW
    WHEN (OLD.status = 'offered' OR NEW.status = 'offered') EXECUTE FUNCTION app.tell_offer();


-- The holds of an offer ----------------------------------------------------------------------------

ALTER TABLE seat_holds DROP CONSTRAINT seat_holds_source_check,
    ADD CONSTRAINT seat_holds_source_check CHECK (source IN ('web', 'scanner', 'waitlist'));
CREATE INDEX seat_holds_offered ON seat_holds (organization_id, basket_id) WHERE source = 'waitlist';

-- When the last of an offer's holds is over. Whoever takes places away from those who were offered them says so for the
-- transaction (`app.withdrawing`): they wait on, where they stood.
CREATE FUNCTION app.follow_offer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    withdrawn boolean := coalesce(current_setting('app.withdrawing', true), '') = NEW.event_id::text;
    ending text := (
        SELECT CASE WHEN bool_or(h.status IN ('active', 'suspended')) THEN NULL
                    WHEN bool_or(h.status = 'converted') THEN 'taken'
                    WHEN withdrawn THEN 'waiting'
                    WHEN bool_or(h.status = 'expired') THEN 'lapsed'
                    ELSE 'left' END
        FROM seat_holds h
        WHERE h.organization_id = NEW.organization_id AND h.basket_id = NEW.basket_id AND h.source = 'waitlist');
BEGIN
    UPDATE waitlist_entries e
    SET status = ending, basket_id = CASE WHEN ending <> 'waiting' THEN e.basket_id END,
        answer_by = CASE WHEN ending <> 'waiting' THEN e.answer_by END
    WHERE ending IS NOT NULL AND e.organization_id = NEW.organization_id AND e.basket_id = NEW.basket_id
      AND e.status = 'offered';
    RETURN NULL;
END $$;
CREATE TRIGGER follow_offer AFTER UPDATE OF status ON seat_holds FOR EACH ROW
    WHEN (NEW.source = 'waitlist' AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION app.follow_offer();


-- Places for a party -------------------------------------------------------------------------------

-- How many more tickets the types that sell such places have, for those who hold some of them but no type yet, too. A
-- place without a ticket to buy is nothing to offer.
CREATE FUNCTION app.tickets_left(org uuid, show uuid, zone text, is_seated boolean, party integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    clock timestamptz := app.clock();
    kinds uuid[] := array(
        SELECT t.id FROM ticket_types t
        WHERE t.organization_id = org AND t.event_id = show AND NOT t.hidden
          AND (t.kind = 'seated') = is_seated AND (t.zones = '{}' OR zone = ANY (t.zones))
          AND coalesce(t.sale_start_at, clock) <= clock AND coalesce(t.sale_end_at, clock) >= clock
          AND coalesce(t.max_per_order, party) >= party);
    zones uuid[];
    room bigint;
    unlimited boolean;
BEGIN
    SELECT coalesce(sum(p.capacity - p.held - p.sold), 0), count(*) < cardinality(kinds) INTO room, unlimited
    FROM pools p
    WHERE p.organization_id = org AND p.event_id = show AND p.kind = 'ticket_type' AND p.ref_id = ANY (kinds);
    IF unlimited THEN
        RETURN party;
    END IF;
    zones := array(
        SELECT z.zone_id FROM event_zones z
        WHERE z.organization_id = org AND z.event_id = show
          AND (z.zone_type IN ('reserved_seating', 'vip_reserved')) = is_seated
          AND EXISTS (SELECT FROM ticket_types t WHERE t.organization_id = org AND t.id = ANY (kinds)
                      AND (t.zones = '{}' OR z.zone_key = ANY (t.zones))));
    -- What is held there, less what checkouts have counted of it already.
    RETURN room - CASE WHEN is_seated THEN (
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

-- A pool's room, with what overdue holds still count in it: whoever takes it ends those first.
CREATE FUNCTION app.pool_room(org uuid, show uuid, pool_kind text, ref uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT p.capacity - p.held - p.sold + coalesce((
        SELECT sum(h.quantity) FROM seat_holds h
        WHERE h.organization_id = org AND h.event_id = show AND h.status = 'active' AND h.held_until <= app.clock()
          AND CASE pool_kind WHEN 'zone' THEN h.seat_id IS NULL AND h.zone_id = ref
                             WHEN 'ticket_type' THEN h.ticket_type_id = ref ELSE true END), 0)
    FROM pools p
    WHERE p.organization_id = org AND p.event_id = show AND p.kind = pool_kind AND p.ref_id = ref
$$;

-- Side by side, without an aisle or somebody else between them: the block that fits best, because what a small party
-- leaves of a long row is worth less to the next one. A wheelchair place is for whoever asked for one, and then there is
-- one among them.
CREATE FUNCTION app.seats_together(org uuid, show uuid, zone uuid, party integer, chairs boolean)
RETURNS uuid[] LANGUAGE sql STABLE AS $$
    WITH list AS MATERIALIZED (
        SELECT w.run_starts, w.whole_seats, w.chair_seats FROM waitlists w
        WHERE w.organization_id = org AND w.event_id = show
    ), free AS (
        -- A seat that is not free leaves a gap in the ordinals, so a chain is what has neither a gap nor a beginning.
        SELECT s.seat_id, s.ordinal, begins.n AS begins, chair.n AS chair
        FROM event_seats s
        LEFT JOIN (SELECT unnest(run_starts) AS n FROM list) begins ON begins.n = s.ordinal
        LEFT JOIN (SELECT unnest(whole_seats) AS n FROM list) whole ON whole.n = s.ordinal
        LEFT JOIN (SELECT unnest(chair_seats) AS n FROM list) chair ON chair.n = s.ordinal
        WHERE s.organization_id = org AND s.event_id = show AND s.zone_id = zone
          AND (s.status = 'available' OR s.status = 'held' AND s.held_until <= app.clock())
          AND (s.reserved_until <= app.clock()) IS NOT FALSE
          AND whole.n IS NULL AND (chairs OR chair.n IS NULL)
    ), chains AS (
        SELECT f.*, ordinal - row_number() OVER in_order AS gaps, count(begins) OVER in_order AS run
        FROM free f WINDOW in_order AS (ORDER BY ordinal)
    ), best AS (
        SELECT run, gaps, CASE WHEN chairs THEN least(min(chair), max(ordinal) - party + 1) ELSE min(ordinal) END AS start
        FROM chains GROUP BY run, gaps
        HAVING count(*) >= party AND (NOT chairs OR count(chair) > 0)
        ORDER BY count(*) = party + 1, count(*), min(ordinal) LIMIT 1
    )
    SELECT array_agg(c.seat_id ORDER BY c.ordinal)
    FROM best b JOIN chains c ON c.run = b.run AND c.gaps = b.gaps
    WHERE c.ordinal BETWEEN b.start AND b.start + party - 1
$$;

CREATE TYPE app.places AS (seats uuid[], kind text, ref_id uuid);

-- What there is for a party now: seats, or the pool that has room. Null if there is nothing.
CREATE FUNCTION app.places_for(org uuid, show uuid, party integer, zone text, wanted_type uuid, chairs boolean)
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
        ORDER BY z.position
    LOOP
        CONTINUE WHEN app.tickets_left(org, show, here.zone_key, here.seated, party) < party;
        IF here.seated THEN
            found := (app.seats_together(org, show, here.zone_id, party, chairs), NULL, NULL);
        ELSIF NOT chairs AND app.pool_room(org, show, 'zone', here.zone_id) >= party THEN
            found := (NULL, 'zone', here.zone_id);
        END IF;
        EXIT WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL;
    END LOOP;
    RETURN CASE WHEN found.seats IS NOT NULL OR found.ref_id IS NOT NULL THEN found END;
END $$;


-- Offers -------------------------------------------------------------------------------------------

CREATE TYPE app.held_row AS (   -- what `app.hold` answers
    req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer, event_id uuid,
    ordinal integer, zone_id uuid, version integer, held integer, sold integer
);

-- Serves a show's list: the first whose party fits what is free, until nobody's does. What is offered leaves less for
-- all who come after, so a wish that nothing fits is not tried again. The rows are those of `app.hold`, for line 0.
CREATE FUNCTION app.offer_places(org uuid, show uuid, sender text)
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
    wish text;
    places app.places;
    basket uuid;
    ttl_s integer;
    lines app.hold_line[];
    got app.held_row[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
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
        EXIT WHEN ttl_s < 60;   -- nobody could take it any more
        SELECT e.* INTO next_one FROM waitlist_entries e
        WHERE e.organization_id = org AND e.event_id = show AND e.status = 'waiting'
          AND concat_ws('|', e.party, e.zone_key, e.ticket_type_id, e.accessible) <> ALL (vain)
        ORDER BY e.seq LIMIT 1;
        EXIT WHEN NOT FOUND;
        wish := concat_ws('|', next_one.party, next_one.zone_key, next_one.ticket_type_id, next_one.accessible);
        places := app.places_for(org, show, next_one.party, next_one.zone_key, next_one.ticket_type_id, next_one.accessible);
        IF places IS NULL THEN
            vain := vain || wish;
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
        -- Somebody has one of them locked in this moment: the next round sees what came of it.
        IF EXISTS (SELECT FROM unnest(got) r WHERE r.req = 1 AND r.outcome <> 'held') THEN
            vain := vain || wish;
        ELSE
            UPDATE waitlist_entries e
            SET status = 'offered', basket_id = basket, answer_by = clock + make_interval(secs => ttl_s)
            WHERE e.organization_id = org AND e.id = next_one.id;
        END IF;
        RETURN QUERY
        SELECT 0, 0, CASE r.outcome WHEN 'held' THEN 'offered' ELSE r.outcome END, r.hold_id, r.held_until, r.left_s,
               r.event_id, r.ordinal, r.zone_id, r.version, r.held, r.sold
        FROM unnest(got) r WHERE r.req = 0 OR r.outcome = 'held';
    END LOOP;
END $$;

-- `app.hold`, for everybody: where people wait for a show, they are served before what they wait for is given to
-- whoever asks. From the locks on, nothing of what is asked for comes free unseen.
CREATE FUNCTION app.hold_in_turn(org uuid, sender text, lines app.hold_line[])
RETURNS TABLE (req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer,
               event_id uuid, ordinal integer, zone_id uuid, version integer, held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    waited uuid[];
    show uuid;
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
            -- Whoever asks for what is taken anyway is no reason to look at the whole hall.
            IF EXISTS (SELECT FROM unnest(lines) l
                       LEFT JOIN event_seats s ON s.organization_id = org AND s.event_id = show
                                              AND s.seat_id = l.seat_id
                       WHERE l.event_id = show
                         AND (l.seat_id IS NULL OR s.status = 'available'
                              OR s.status = 'held' AND s.held_until <= app.clock())) THEN
                RETURN QUERY SELECT * FROM app.offer_places(org, show, sender);
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY SELECT * FROM app.hold(org, sender, lines);
END $$;
