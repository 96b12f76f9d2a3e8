-- Tickets: one for each place that was sold. A seat has one live ticket at most, whatever any program does.
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
    membership_id    uuid,                     -- whose right to be in the zone it is
    status           text NOT NULL DEFAULT 'valid' CHECK (status IN ('valid', 'used', 'cancelled', 'refunded')),
    reason           text,
    version          integer NOT NULL DEFAULT 1,
    issued_at        timestamptz NOT NULL DEFAULT app.clock(),
    transferred_at   timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, number),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id, order_id) REFERENCES orders (organization_id, id),
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX tickets_one_a_seat ON tickets (organization_id, event_id, seat_id)
    WHERE seat_id IS NOT NULL AND status IN ('valid', 'used');
CREATE INDEX tickets_order ON tickets (organization_id, order_id);
CREATE INDEX tickets_type ON tickets (organization_id, ticket_type_id);
CREATE INDEX tickets_holder ON tickets (organization_id, holder_user_id, issued_at, id);
CALL app.protect('tickets', 'SELECT, INSERT, UPDATE');

-- How many a show has issued: the last number.
CREATE TABLE ticket_counters (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    last            integer NOT NULL,
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CALL app.protect('ticket_counters', 'SELECT, INSERT, UPDATE');

-- What tickets are signed with. The private half is sealed; a retired key signs no more and is still
-- believed; a revoked one is not.
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
