-- From holds to an order. A checkout gathers what one person holds in one show and what it costs; a purchase freezes
-- the holds, asks for the money outside of any transaction, and sells them when it has come.
--
-- Locks: event, checkout, pools, seats, holds, promo codes, order. Who changes a show has its row for himself, so a
-- checkout's lock right behind it can cross nothing. A payment's outcome takes the attempt's lock before all others,
-- and nobody who has any of the others waits for an attempt whose outcome is open.

-- While it is paid for, a hold does not count down, and nobody ends it.
ALTER TABLE seat_holds ADD COLUMN attempt_id uuid,
                       ADD COLUMN frozen_at timestamptz,
                       ADD COLUMN held_before timestamptz;   -- until when it was held when it was frozen

-- Whoever would end, suspend or lengthen a frozen hold finds that there is no such row to change. It is sold, or
-- thawed.
CREATE FUNCTION app.keep_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep_frozen BEFORE UPDATE ON seat_holds FOR EACH ROW
    WHEN (OLD.status = 'active' AND OLD.attempt_id IS NOT NULL AND NEW.attempt_id IS NOT DISTINCT FROM OLD.attempt_id
          AND NEW.status <> 'converted')
    EXECUTE FUNCTION app.keep_frozen();

CREATE TABLE checkout_sessions (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    user_id         uuid NOT NULL,
    status          text NOT NULL DEFAULT 'open'
                        CHECK (status IN ('open', 'paying', 'completed', 'expired', 'left', 'cancelled')),
    expires_at      timestamptz NOT NULL,
    promo_code      text,
    currency        text NOT NULL,
    total           bigint NOT NULL CHECK (total >= 0),
    quote           jsonb NOT NULL,       -- the bill, line by line, as it was when the checkout began
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) WITH (fillfactor = 80);
-- One of a person in a show.
CREATE UNIQUE INDEX checkout_sessions_live ON checkout_sessions (organization_id, event_id, user_id)
    WHERE status IN ('open', 'paying');
CREATE INDEX checkout_sessions_due ON checkout_sessions (expires_at) WHERE status = 'open';
CALL app.protect('checkout_sessions', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('checkout_sessions');

-- So many places of a hold, as tickets of a type. `counted`: by the checkout, in the type's pool if it has one; a hold
-- of a type outright counts itself.
CREATE TABLE checkout_items (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    session_id      uuid NOT NULL,
    position        smallint NOT NULL,
    hold_id         uuid NOT NULL,
    ticket_type_id  uuid NOT NULL,
    name            text NOT NULL,
    seat_id         uuid,
    zone_id         uuid,
    quantity        integer NOT NULL CHECK (quantity BETWEEN 1 AND 10),
    unit            bigint NOT NULL,
    net             bigint NOT NULL,      -- of all of them, after their part of the discount
    counted         boolean NOT NULL,
    attendee_name   text,
    attendee_email  text,
    membership_id   uuid,
    PRIMARY KEY (organization_id, session_id, position),
    FOREIGN KEY (organization_id, session_id) REFERENCES checkout_sessions (organization_id, id)
);
CALL app.protect('checkout_items', 'SELECT, INSERT');

CREATE TABLE orders (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    user_id         uuid NOT NULL,
    session_id      uuid NOT NULL,
    attempt_id      uuid NOT NULL,
    code            text NOT NULL CHECK (code ~ '^[2-9A-HJ-NP-Z]{8}$'),
    secret_hash     bytea NOT NULL,
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN
                        ('pending', 'paid', 'needs_consent', 'cancelled', 'partly_refunded', 'refunded')),
    provider        text NOT NULL,
    currency        text NOT NULL,
    total           bigint NOT NULL CHECK (total >= 0),
    quote           jsonb NOT NULL,
    buyer_name      text NOT NULL CHECK (length(buyer_name) BETWEEN 1 AND 120),
    buyer_email     text NOT NULL CHECK (length(buyer_email) BETWEEN 3 AND 254),
    purchase_key    text NOT NULL CHECK (length(purchase_key) BETWEEN 1 AND 255),
    body_hash       bytea NOT NULL,
    reason          text,                 -- why it was cancelled, or needs consent
    consent_by      timestamptz,          -- until then other places are held: the first ones were gone
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    paid_at         timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    -- A purchase happens once for its key.
    CONSTRAINT orders_once UNIQUE (organization_id, user_id, purchase_key),
    CHECK ((status IN ('paid', 'partly_refunded', 'refunded')) = (paid_at IS NOT NULL)),
    CHECK ((status = 'needs_consent') = (consent_by IS NOT NULL)),
    FOREIGN KEY (organization_id, session_id) REFERENCES checkout_sessions (organization_id, id)
) WITH (fillfactor = 80);
CREATE INDEX orders_newest ON orders (organization_id, created_at, id);
CREATE INDEX orders_mine ON orders (organization_id, user_id, created_at, id);
CREATE INDEX orders_event ON orders (organization_id, event_id, created_at, id);
CREATE UNIQUE INDEX orders_secret ON orders (organization_id, secret_hash);
CREATE INDEX orders_consent ON orders (consent_by) WHERE status = 'needs_consent';
CALL app.protect('orders', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('orders');

CREATE TABLE order_lines (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    order_id        uuid NOT NULL,
    position        smallint NOT NULL,
    hold_id         uuid NOT NULL,
    ticket_type_id  uuid NOT NULL,
    name            text NOT NULL,
    seat_id         uuid,
    zone_id         uuid,
    quantity        integer NOT NULL CHECK (quantity BETWEEN 1 AND 10),
    unit            bigint NOT NULL,
    net             bigint NOT NULL,
    counted         boolean NOT NULL,
    attendee_name   text,
    attendee_email  text,
    membership_id   uuid,
    PRIMARY KEY (organization_id, order_id, position),
    FOREIGN KEY (organization_id, order_id) REFERENCES orders (organization_id, id)
);
CREATE INDEX order_lines_type ON order_lines (organization_id, ticket_type_id);
CALL app.protect('order_lines', 'SELECT, INSERT, UPDATE');


-- Holds that are sold ------------------------------------------------------------------------------

-- Seats before holds, and companions with their places, in one order.
CREATE FUNCTION app.lock_held_seats(org uuid, show uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_seats s
    WHERE s.organization_id = org AND s.event_id = show AND s.seat_id IN (
        SELECT h.seat_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
        UNION ALL
        SELECT c.seat_id FROM seat_holds h
        JOIN event_seats c ON c.organization_id = org AND c.event_id = show AND c.companion_of = h.seat_id
        WHERE h.organization_id = org AND h.id = ANY (ids))
    ORDER BY s.seat_id FOR UPDATE;
    PERFORM FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids) ORDER BY h.id FOR UPDATE;
END $$;

-- Companion seats follow their places; most shows have none, and then it costs one look.
CREATE FUNCTION app.follow_places(org uuid, show uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    places uuid[] := array(SELECT h.seat_id FROM seat_holds h WHERE h.organization_id = org AND h.id = ANY (ids)
                           AND EXISTS (SELECT FROM event_seats c WHERE c.organization_id = org AND c.event_id = show
                                       AND c.companion_of = h.seat_id));
BEGIN
    IF places <> '{}' THEN
        PERFORM FROM app.keep_companions(org, show, places);
    END IF;
END $$;

-- All of them, if all are this person's and live; otherwise none. Says whether they are frozen.
CREATE FUNCTION app.freeze_holds(org uuid, show uuid, person uuid, ids uuid[], attempt uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM app.lock_held_seats(org, show, ids);
    IF (SELECT count(*) FROM seat_holds h
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.event_id = show AND h.user_id = person
          AND h.status = 'active' AND h.held_until > clock AND h.attempt_id IS NULL) < cardinality(ids) THEN
        RETURN false;
    END IF;
    UPDATE seat_holds h SET attempt_id = attempt, frozen_at = clock, held_before = h.held_until,
                            held_until = 'infinity', updated_at = clock
    WHERE h.organization_id = org AND h.id = ANY (ids);
    UPDATE event_seats s SET held_until = 'infinity', version = s.version + 1
    FROM seat_holds h
    WHERE h.organization_id = org AND h.id = ANY (ids) AND s.organization_id = org AND s.event_id = show
      AND s.seat_id = h.seat_id AND s.hold_id = h.id;
    PERFORM app.follow_places(org, show, ids);
    RETURN true;
END $$;

-- The payment came to nothing: they have the time back that they had, and a little to think. In a show that waits for
-- its new date they wait with it.
CREATE FUNCTION app.thaw_holds(org uuid, show uuid, ids uuid[], attempt uuid, least_s integer) RETURNS integer
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
            held_until = CASE WHEN waits THEN 'infinity' ELSE
                clock + greatest(h.held_before - h.frozen_at, make_interval(secs => least_s)) END
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

-- Places that were held are sold: the counters move, and the holds say so. All of them or none: no row. A reserved
-- seat's own row waits for its ticket (tickets/actions.py). `types` and `quantities` are what the checkout had counted
-- in the pools of types. The zones' counts come back as rows without a hold.
CREATE FUNCTION app.convert_holds(
    org uuid, show uuid, ids uuid[], attempt uuid, types uuid[], quantities integer[], actor_type text, actor_id uuid,
    actor_name text)
RETURNS TABLE (hold_id uuid, user_id uuid, seat_id uuid, quantity integer, zone_id uuid, ticket_type_id uuid,
               held_until timestamptz, age_s double precision, version integer, held integer, sold integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM FROM pools p
    WHERE p.organization_id = org AND p.event_id = show AND (p.kind, p.ref_id) IN (
        SELECT 'event', show
        UNION ALL SELECT 'ticket_type', t FROM unnest(types) t
        UNION ALL SELECT 'ticket_type', h.ticket_type_id FROM seat_holds h
                  WHERE h.organization_id = org AND h.id = ANY (ids) AND h.ticket_type_id IS NOT NULL
        UNION ALL SELECT 'zone', h.zone_id FROM seat_holds h
                  WHERE h.organization_id = org AND h.id = ANY (ids) AND h.zone_id IS NOT NULL)
    ORDER BY p.event_id, p.kind, p.ref_id FOR UPDATE;
    PERFORM app.lock_held_seats(org, show, ids);
    IF (SELECT count(*) FROM seat_holds h
        WHERE h.organization_id = org AND h.id = ANY (ids) AND h.event_id = show AND h.status = 'active'
          AND h.attempt_id = attempt) < cardinality(ids) THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH converted AS (
        UPDATE seat_holds h SET status = 'converted', updated_at = clock
        WHERE h.organization_id = org AND h.id = ANY (ids)
        RETURNING h.id, h.user_id, h.seat_id, h.zone_id, h.ticket_type_id, h.quantity, h.held_before, h.created_at
    ), moved AS (
        -- A seat is not counted while it is held: its own row is the count.
        SELECT k.kind, k.ref_id, sum(k.held)::integer AS held, sum(k.sold)::integer AS sold
        FROM (SELECT 'event' AS kind, show AS ref_id, c.quantity AS held, c.quantity AS sold FROM converted c
              UNION ALL SELECT 'ticket_type', c.ticket_type_id, c.quantity, c.quantity FROM converted c
                        WHERE c.ticket_type_id IS NOT NULL
              UNION ALL SELECT 'zone', c.zone_id, CASE WHEN c.seat_id IS NULL THEN c.quantity ELSE 0 END, c.quantity
                        FROM converted c WHERE c.zone_id IS NOT NULL
              UNION ALL SELECT 'ticket_type', t.id, t.quantity, t.quantity
                        FROM unnest(types, quantities) AS t (id, quantity)) k
        GROUP BY 1, 2
    ), counted AS (
        UPDATE pools p SET held = p.held - m.held, sold = p.sold + m.sold FROM moved m
        WHERE p.organization_id = org AND p.event_id = show AND p.kind = m.kind AND p.ref_id = m.ref_id
        RETURNING p.kind, p.ref_id, p.held, p.sold, p.version
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, after)
        SELECT gen_random_uuid(), org, clock, actor_type, actor_id, actor_name, 'hold.converted', 'seat_hold', c.id,
               jsonb_strip_nulls(jsonb_build_object('event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'quantity', c.quantity, 'attempt_id', attempt))
        FROM converted c
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, 'hold.converted', c.id, jsonb_strip_nulls(jsonb_build_object('version', 1,
                   'subject_id', c.id, 'event_id', show, 'seat_id', c.seat_id, 'zone_id', c.zone_id,
                   'ticket_type_id', c.ticket_type_id, 'quantity', c.quantity, 'user_id', c.user_id))
        FROM converted c
    )
    SELECT c.id, c.user_id, c.seat_id, c.quantity, c.zone_id, c.ticket_type_id, c.held_before,
           extract(epoch FROM clock - c.created_at)::double precision, NULL::integer, NULL::integer, NULL::integer
    FROM converted c
    UNION ALL
    SELECT NULL, NULL, NULL, 0, n.ref_id, NULL, NULL, NULL, n.version, n.held, n.sold
    FROM counted n WHERE n.kind = 'zone';
END $$;


-- The purchase -------------------------------------------------------------------------------------

-- Plans are kept, and read no table whole, whatever the caller's session prefers: planning would take longer than all the
-- rest.

-- The first step: everything is checked again under the locks, the holds are frozen, and the order and its attempt are
-- written; or nothing is, and the word says why. A key that was used before gives its order back.
CREATE FUNCTION app.place_order(
    org uuid, checkout uuid, person uuid, new_order uuid, new_attempt uuid, order_code text, secret bytea, way text,
    way_method text, name text, email text, key text, hashed bytea, ask_s integer, give_up_s integer, most integer,
    actor_type text, actor_name text, ip text, user_agent text, request_id text)
RETURNS TABLE (outcome text, order_id uuid, event_id uuid, total bigint, currency text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    show events;
    chosen checkout_sessions;
    known orders;
    holds uuid[];
    places bigint;
BEGIN
    SELECT s.* INTO chosen FROM checkout_sessions s
    WHERE s.organization_id = org AND s.id = checkout AND s.user_id = person;
    IF NOT FOUND THEN
        RETURN QUERY SELECT 'not_found', NULL::uuid, NULL::uuid, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    -- Who cancels the show waits for us, or we see it cancelled.
    SELECT e.* INTO show FROM events e WHERE e.organization_id = org AND e.id = chosen.event_id FOR SHARE;
    SELECT s.* INTO chosen FROM checkout_sessions s WHERE s.organization_id = org AND s.id = checkout FOR UPDATE;
    SELECT o.* INTO known FROM orders o
    WHERE o.organization_id = org AND o.user_id = person AND o.purchase_key = key;
    IF FOUND THEN
        RETURN QUERY SELECT CASE WHEN known.body_hash = hashed THEN 'repeated' ELSE 'key_reused' END,
                            known.id, known.event_id, known.total, known.currency;
        RETURN;
    END IF;
    SELECT array_agg(DISTINCT i.hold_id), sum(i.quantity) INTO holds, places
    FROM checkout_items i WHERE i.organization_id = org AND i.session_id = checkout;
    outcome := CASE
        WHEN chosen.status = 'paying' THEN 'payment_running'
        WHEN chosen.status = 'completed' THEN 'checkout_completed'
        WHEN show.status NOT IN ('published', 'live') AND (show.status <> 'postponed' OR show.rescheduled_at IS NULL)
            THEN 'event_not_available'
        WHEN chosen.status <> 'open' OR chosen.expires_at <= clock THEN 'checkout_expired'
        WHEN clock NOT BETWEEN show.sale_start_at AND show.sale_end_at THEN 'event_sales_closed'
        WHEN EXISTS (SELECT FROM checkout_items i
                     LEFT JOIN ticket_types t ON t.organization_id = org AND t.id = i.ticket_type_id
                     WHERE i.organization_id = org AND i.session_id = checkout
                       AND (t.id IS NULL OR clock < t.sale_start_at OR clock > t.sale_end_at))
            THEN 'ticket_type_not_on_sale'
        WHEN places > most THEN 'too_many_tickets'
        WHEN (chosen.total = 0) <> (way = 'free') THEN 'wrong_provider'
        WHEN NOT app.freeze_holds(org, chosen.event_id, person, holds, new_attempt) THEN 'hold_expired'
        ELSE 'placed' END;
    IF outcome <> 'placed' THEN
        RETURN QUERY SELECT outcome, NULL::uuid, chosen.event_id, chosen.total, chosen.currency;
        RETURN;
    END IF;
    INSERT INTO orders (id, organization_id, event_id, user_id, session_id, attempt_id, code, secret_hash, provider,
                        currency, total, quote, buyer_name, buyer_email, purchase_key, body_hash)
    VALUES (new_order, org, chosen.event_id, person, checkout, new_attempt, order_code, secret, way, chosen.currency,
            chosen.total, chosen.quote, name, email, key, hashed);
    INSERT INTO order_lines (organization_id, order_id, position, hold_id, ticket_type_id, name, seat_id, zone_id,
                             quantity, unit, net, counted, attendee_name, attendee_email, membership_id)
    SELECT org, new_order, i.position, i.hold_id, i.ticket_type_id, i.name, i.seat_id, i.zone_id, i.quantity, i.unit,
           i.net, i.counted, i.attendee_name, i.attendee_email, i.membership_id
    FROM checkout_items i WHERE i.organization_id = org AND i.session_id = checkout;
    INSERT INTO payment_attempts (id, organization_id, order_id, provider, method, amount, currency, ask_at, give_up_at)
    VALUES (new_attempt, org, new_order, way, way_method, chosen.total, chosen.currency,
            clock + make_interval(secs => ask_s), clock + make_interval(secs => give_up_s));
    UPDATE checkout_sessions s SET status = 'paying', updated_at = clock
    WHERE s.organization_id = org AND s.id = checkout;
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                           entity_id, after, ip, user_agent, request_id)
    VALUES (gen_random_uuid(), org, clock, actor_type, person, actor_name, 'order.placed', 'order', new_order,
            jsonb_build_object('event_id', chosen.event_id, 'total', chosen.total, 'currency', chosen.currency,
                'provider', way), ip, user_agent, request_id);
    RETURN QUERY SELECT outcome, new_order, chosen.event_id, chosen.total, chosen.currency;
END $$;

-- The third step, with the money there: holds, pools, order and checkout. `sold`: all of it, and the rows say what.
-- `gone`: not all of it is still held for this payment. `stopped`: the show is cancelled or over. `settled`: it was
-- done before.
CREATE FUNCTION app.settle_order(org uuid, settled uuid, attempt uuid, actor_type text, actor_id uuid, actor_name text)
RETURNS TABLE (outcome text, hold_id uuid, user_id uuid, seat_id uuid, quantity integer, zone_id uuid,
               ticket_type_id uuid, held_until timestamptz, age_s double precision, version integer, held integer,
               sold integer)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    of_show uuid;
    of_checkout uuid;
    state text;
    holds uuid[];
BEGIN
    SELECT o.event_id, o.session_id INTO of_show, of_checkout
    FROM orders o WHERE o.organization_id = org AND o.id = settled;
    SELECT e.status INTO state FROM events e WHERE e.organization_id = org AND e.id = of_show FOR SHARE;
    PERFORM FROM checkout_sessions s WHERE s.organization_id = org AND s.id = of_checkout FOR UPDATE;
    outcome := CASE
        WHEN (SELECT o.paid_at FROM orders o WHERE o.organization_id = org AND o.id = settled FOR UPDATE) IS NOT NULL
            THEN 'settled'
        WHEN state NOT IN ('published', 'live', 'postponed') THEN 'stopped' END;
    IF outcome IS NULL THEN
        SELECT array_agg(DISTINCT l.hold_id) INTO holds FROM order_lines l
        WHERE l.organization_id = org AND l.order_id = settled;
        RETURN QUERY
        SELECT 'sold', c.* FROM app.convert_holds(
            org, of_show, holds, attempt,
            array(SELECT l.ticket_type_id FROM order_lines l WHERE l.organization_id = org AND l.order_id = settled
                  AND l.counted ORDER BY l.position),
            array(SELECT l.quantity FROM order_lines l WHERE l.organization_id = org AND l.order_id = settled
                  AND l.counted ORDER BY l.position),
            actor_type, actor_id, actor_name) c;
        outcome := CASE WHEN FOUND THEN 'sold' ELSE 'gone' END;
    END IF;
    IF outcome <> 'sold' THEN
        RETURN QUERY SELECT outcome, NULL::uuid, NULL::uuid, NULL::uuid, 0, NULL::uuid, NULL::uuid, NULL::timestamptz,
                            NULL::double precision, NULL::integer, NULL::integer, NULL::integer;
        RETURN;
    END IF;
    UPDATE orders o SET status = 'paid', paid_at = clock, updated_at = clock, consent_by = NULL
    WHERE o.organization_id = org AND o.id = settled;
    UPDATE checkout_sessions s SET status = 'completed', updated_at = clock
    WHERE s.organization_id = org AND s.id = of_checkout AND s.status IN ('open', 'paying');
    INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                           entity_id, after)
    VALUES (gen_random_uuid(), org, clock, actor_type, actor_id, actor_name, 'order.paid', 'order', settled,
            jsonb_build_object('event_id', of_show, 'attempt_id', attempt));
END $$;

-- Money that comes late, when its places are no longer frozen for it: held once more, if that can be. Those that are
-- still the buyer's; otherwise the same places, if they are free. All of them or none.
CREATE FUNCTION app.hold_again(org uuid, late uuid, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    known orders;
    counts boolean;   -- the checkout has given back what it had counted of the types
    holds uuid[];
    basket uuid := gen_random_uuid();
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
               SELECT FROM (SELECT k.kind, k.ref_id, sum(l.quantity) AS quantity
                            FROM order_lines l CROSS JOIN LATERAL (VALUES
                                ('event', known.event_id), ('zone', CASE WHEN l.seat_id IS NULL THEN l.zone_id END),
                                ('ticket_type', CASE WHEN NOT l.counted THEN l.ticket_type_id END)) AS k (kind, ref_id)
                            WHERE l.organization_id = org AND l.order_id = late AND k.ref_id IS NOT NULL
                            GROUP BY 1, 2) w
               LEFT JOIN pools p ON p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind
                                AND p.ref_id = w.ref_id
               WHERE p.capacity - p.held - p.sold < w.quantity OR p.ref_id IS NULL AND w.kind <> 'event') THEN
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
        ), counted AS (
            UPDATE pools p SET held = p.held + w.quantity
            FROM (SELECT k.kind, k.ref_id, sum(h.quantity) AS quantity
                  FROM held h CROSS JOIN LATERAL (VALUES
                      ('event', known.event_id), ('zone', CASE WHEN h.seat_id IS NULL THEN h.zone_id END),
                      ('ticket_type', h.ticket_type_id)) AS k (kind, ref_id)
                  WHERE k.ref_id IS NOT NULL GROUP BY 1, 2) w
            WHERE p.organization_id = org AND p.event_id = known.event_id AND p.kind = w.kind AND p.ref_id = w.ref_id
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
      EXCEPTION WHEN SQLSTATE 'FH001' THEN
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

-- If the same places are gone: others in the same zone, of the same price and kind, side by side if there are any, as
-- near as can be. The order's lines name them from then on, and they are held until the buyer has consented, or not.
-- False: there are none.
CREATE FUNCTION app.propose_seats(org uuid, late uuid, attempt uuid, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    show uuid := (SELECT o.event_id FROM orders o WHERE o.organization_id = org AND o.id = late);
    party record;
    found_seats uuid[];
BEGIN
    IF EXISTS (SELECT FROM order_lines l WHERE l.organization_id = org AND l.order_id = late AND l.seat_id IS NULL) THEN
        RETURN false;
    END IF;
    FOR party IN
        SELECT s.zone_id, s.price_category, s.category IN ('wheelchair', 'companion') AS accessible, count(*) AS people,
               min(s.ordinal) AS near, array_agg(l.position ORDER BY s.ordinal) AS positions
        FROM order_lines l JOIN seats s ON s.organization_id = org AND s.id = l.seat_id
        WHERE l.organization_id = org AND l.order_id = late GROUP BY 1, 2, 3
    LOOP
        WITH free AS (
            SELECT e.seat_id, e.ordinal, s.row_label, s.section, e.ordinal - row_number() OVER (
                       PARTITION BY s.section, s.row_label ORDER BY e.ordinal) AS run
            FROM event_seats e JOIN seats s ON s.organization_id = org AND s.id = e.seat_id
            WHERE e.organization_id = org AND e.event_id = show AND e.zone_id = party.zone_id AND e.status = 'available'
              AND e.reserved_for IS NULL AND s.price_category IS NOT DISTINCT FROM party.price_category
              AND s.category IN ('wheelchair', 'companion') = party.accessible AND s.category <> 'restricted_view'
        ), runs AS (
            SELECT section, row_label, run, count(*) >= party.people AS together, min(abs(ordinal - party.near)) AS away
            FROM free GROUP BY 1, 2, 3
        )
        SELECT array_agg(seat_id ORDER BY ordinal) INTO found_seats
        FROM (SELECT f.seat_id, f.ordinal FROM free f JOIN runs r USING (section, row_label, run)
              ORDER BY r.together DESC, CASE WHEN r.together THEN r.away END, r.section, r.row_label, r.run,
                       abs(f.ordinal - party.near)
              LIMIT party.people) best;
        IF coalesce(cardinality(found_seats), 0) < party.people THEN
            RAISE EXCEPTION 'there are no others' USING ERRCODE = 'FH001';
        END IF;
        UPDATE order_lines l SET seat_id = other.seat_id
        FROM unnest(party.positions, found_seats) AS other (position, seat_id)
        WHERE l.organization_id = org AND l.order_id = late AND l.position = other.position;
    END LOOP;
    IF NOT app.hold_again(org, late, attempt) THEN
        RAISE EXCEPTION 'somebody was faster' USING ERRCODE = 'FH001';
    END IF;
    UPDATE orders o SET status = 'needs_consent', consent_by = until, updated_at = app.clock(),
                        reason = 'the places were gone when the money came'
    WHERE o.organization_id = org AND o.id = late;
    -- What the checkout had counted is the proposal's now.
    UPDATE checkout_sessions s SET status = 'completed', updated_at = app.clock()
    FROM orders o
    WHERE o.organization_id = org AND o.id = late AND s.organization_id = org AND s.id = o.session_id
      AND s.status IN ('open', 'paying');
    RETURN true;
EXCEPTION WHEN SQLSTATE 'FH001' THEN
    RETURN false;
END $$;
