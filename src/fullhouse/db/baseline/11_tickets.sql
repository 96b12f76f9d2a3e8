-- Tickets that were issued: one for each place that was sold.
--
-- A seat has one live ticket at most, whatever any program does. A ticket has a time of voiding exactly if it is void.
-- A transferred ticket has another code and another nonce: its former holder's let nobody in.

CREATE TABLE tickets (
    id               uuid NOT NULL,
    organization_id  uuid NOT NULL REFERENCES organizations (id),
    event_id         uuid NOT NULL,
    order_id         uuid NOT NULL,
    ticket_type_id   uuid NOT NULL,
    seat_id          uuid,
    zone_id          uuid,
    number           text NOT NULL,            -- EVENT-SEQ, for people
    code             text NOT NULL CHECK (code ~ '^[2-9A-HJ-NP-Z]{8}$'),   -- accepted at the gate beside the QR
    nonce            bytea NOT NULL CHECK (length(nonce) = 8),             -- a new one voids the old QR
    holder_name      text NOT NULL,
    holder_email     text NOT NULL,
    holder_user_id   uuid,
    membership_id    uuid,                     -- the one that gives the right to be in the zone
    status           text NOT NULL DEFAULT 'valid' CHECK (status IN ('valid', 'used', 'cancelled', 'refunded')),
    reason           text,
    version          integer NOT NULL DEFAULT 1,
    issued_at        timestamptz NOT NULL DEFAULT app.clock(),
    transferred_at   timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT app.clock(),
    voided_at        timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, number),
    UNIQUE (organization_id, code),
    CHECK ((voided_at IS NOT NULL) = (status IN ('cancelled', 'refunded'))),
    FOREIGN KEY (organization_id, order_id) REFERENCES orders (organization_id, id),
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) WITH (fillfactor = 85);
-- Without the status, so that a ticket that becomes used changes no index.
CREATE UNIQUE INDEX tickets_one_a_seat ON tickets (organization_id, event_id, seat_id)
    WHERE seat_id IS NOT NULL AND voided_at IS NULL;
CREATE INDEX tickets_order ON tickets (organization_id, order_id);
CREATE INDEX tickets_type ON tickets (organization_id, ticket_type_id);
CREATE INDEX tickets_holder ON tickets (organization_id, holder_user_id, issued_at, id);
CALL app.protect('tickets', 'SELECT, INSERT, UPDATE');
-- The anomaly check looks for tickets that are still valid for cancelled and postponed events, across organisations.
CALL app.let_workers_find('tickets');

-- How many an event has issued: the last number.
CREATE TABLE ticket_counters (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    last            integer NOT NULL,
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CALL app.protect('ticket_counters', 'SELECT, INSERT, UPDATE');

-- What tickets are signed with. The private half is sealed; a retired key signs no more and is still accepted; a
-- revoked one is not.
CREATE TABLE ticket_keys (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    key_id          smallint NOT NULL CHECK (key_id > 0),
    public_key      bytea NOT NULL CHECK (length(public_key) = 32),
    sealed_key      bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    retired_at      timestamptz,
    revoked_at      timestamptz CHECK (revoked_at IS NULL OR retired_at IS NOT NULL),
    PRIMARY KEY (organization_id, key_id)
);
CREATE UNIQUE INDEX ticket_keys_current ON ticket_keys (organization_id) WHERE retired_at IS NULL;
CALL app.protect('ticket_keys', 'SELECT, INSERT, UPDATE');

-- The codes that tickets had before they changed hands. They are kept, so that a gate can say why it rejects one, and
-- what was admitted by one offline is found.
CREATE TABLE former_codes (
    organization_id uuid NOT NULL,
    code            text NOT NULL,
    ticket_id       uuid NOT NULL,
    event_id        uuid NOT NULL,
    replaced_at     timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, code),
    FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets (organization_id, id)
);
CREATE INDEX former_codes_event ON former_codes (organization_id, event_id);
CALL app.protect('former_codes', 'SELECT, INSERT');

-- A layout was changed after sales (layout_migrations), and tickets were issued again for other seats: how their
-- holders respond. A holder who got an equal or better seat and does not respond keeps it; one who has no seat any more
-- is refunded in the end.
CREATE TABLE ticket_moves (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    ticket_id       uuid NOT NULL,
    migration_id    uuid NOT NULL,
    event_id        uuid NOT NULL,
    from_place      text NOT NULL,
    to_place        text,               -- null: there is no seat for it
    respond_by      timestamptz NOT NULL,
    answer          text CHECK (answer IN ('accepted', 'refunded')),
    answered_at     timestamptz,
    PRIMARY KEY (organization_id, migration_id, ticket_id),
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets (organization_id, id)
);
CREATE INDEX ticket_moves_ticket ON ticket_moves (organization_id, ticket_id);
CREATE INDEX ticket_moves_due ON ticket_moves (respond_by) WHERE answer IS NULL;
CALL app.protect('ticket_moves', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('ticket_moves');
