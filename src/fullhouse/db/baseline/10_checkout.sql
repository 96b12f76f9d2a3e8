-- From holds to an order.
--
-- A checkout gathers what one person holds in one event and what it costs; a purchase freezes the holds, requests the
-- money outside of any transaction, and sells them when it has come. A purchase happens once for its key.
--
-- Locks: event, checkout, pools, seats, holds, promo codes, order. A transaction that changes an event has the event's
-- row exclusively, so taking a checkout's lock directly after it cannot deadlock. A payment's outcome takes the
-- attempt's lock before all others, and no transaction that has any of the others waits for an attempt whose outcome is
-- open.

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
    quote           jsonb NOT NULL,       -- the bill, item by item, as it was when the checkout began
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) WITH (fillfactor = 80);
-- One checkout of a person in an event.
CREATE UNIQUE INDEX checkout_sessions_live ON checkout_sessions (organization_id, event_id, user_id)
    WHERE status IN ('open', 'paying');
CREATE INDEX checkout_sessions_due ON checkout_sessions (expires_at) WHERE status = 'open';
-- An event's report counts its checkouts.
CREATE INDEX checkout_sessions_show ON checkout_sessions (organization_id, event_id, created_at);
CALL app.protect('checkout_sessions', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('checkout_sessions');

-- So many places of a hold, as tickets of a type. `counted`: by the checkout, in the type's pool if it has one; a hold
-- of a type counts itself.
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
CREATE INDEX checkout_items_hold ON checkout_items (organization_id, hold_id);
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
-- A ticket is of a type. One that was deleted while somebody paid for it could not be issued, and the money would be
-- stuck: a type that was ever ordered stays. Not validated: an older installation may have orders of deleted types.
ALTER TABLE order_lines ADD CONSTRAINT order_lines_type_fkey
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id) NOT VALID;
CREATE INDEX order_lines_type ON order_lines (organization_id, ticket_type_id);
CALL app.protect('order_lines', 'SELECT, INSERT, UPDATE');
