-- Scanning: which ticket was admitted at which gate.
--
-- `scans` is a set that only grows: what devices saw, online and offline. Where a ticket stands (`ticket_presence`) and
-- how many are inside (`scan_counts`) follow from it. A ticket is admitted once for each of its steps. Locks are taken
-- in one order: event, the event's scans, tickets, presence.

-- A device is made with a short code; the person who enters the code gets the token and the key, once.
CREATE TABLE scan_devices (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    gate_ids        uuid[] NOT NULL CHECK (cardinality(gate_ids) BETWEEN 1 AND 50),
    rights          text[] NOT NULL CHECK (rights <@ ARRAY['scan', 'search', 'override']),
    code_hash       bytea,                     -- until it is paired
    code_expires_at timestamptz,
    token_hash      bytea,
    sealed_key      bytea,                     -- what its snapshots are encrypted with
    paired_at       timestamptz,
    revoked_at      timestamptz,
    last_seen_at    timestamptz,
    battery         smallint CHECK (battery BETWEEN 0 AND 100),
    app_version     text CHECK (length(app_version) <= 40),
    clock_offset_s  integer,                   -- how far its clock was behind the server's at its last report
    created_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK ((token_hash IS NULL) = (paired_at IS NULL) AND (token_hash IS NULL) = (sealed_key IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX scan_devices_token ON scan_devices (organization_id, token_hash) WHERE token_hash IS NOT NULL;
CREATE UNIQUE INDEX scan_devices_code ON scan_devices (organization_id, code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX scan_devices_event ON scan_devices (organization_id, event_id, created_at, id);
CALL app.protect('scan_devices', 'SELECT, INSERT, UPDATE');

-- No foreign keys: a scan is written under its event's lock, and a key's check costs as much as the row. A rejected
-- scan may be of no ticket at all. Rows are only ever added; one that was undone says so.
CREATE TABLE scans (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    ticket_id       uuid,
    device_id       uuid NOT NULL,
    counter         bigint CHECK (counter >= 0),   -- the device's own: the same scan again is the same row
    gate_id         uuid NOT NULL,
    direction       text NOT NULL CHECK (direction IN ('in', 'out')),
    admitted        boolean NOT NULL,
    reason          text,                      -- why not; or what a supervisor overrode
    override        text,                      -- the supervisor's words
    test            boolean NOT NULL,          -- marked, and never counted
    offline         boolean NOT NULL DEFAULT false,
    at              timestamptz NOT NULL,      -- by the server's clock; of an offline scan, by the device's, corrected
    day             date NOT NULL,
    version         integer,                   -- what the ticket's presence became by it, if that was online
    place_no        integer,
    undone_at       timestamptz,
    undone_reason   text,
    recorded_at     timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK (admitted OR reason IS NOT NULL),
    CHECK (NOT admitted OR ticket_id IS NOT NULL)
);
CREATE UNIQUE INDEX scans_once ON scans (organization_id, device_id, counter) WHERE counter IS NOT NULL;
-- One admission for each step of a ticket, whatever any program does.
CREATE UNIQUE INDEX scans_one_a_step ON scans (organization_id, ticket_id, version) WHERE version IS NOT NULL;
CREATE INDEX scans_ticket ON scans (organization_id, ticket_id, at) WHERE ticket_id IS NOT NULL;
CREATE INDEX scans_event ON scans (organization_id, event_id, recorded_at);
-- A console queries every second how many were rejected today.
CREATE INDEX scans_rejected ON scans (organization_id, event_id, day) WHERE NOT admitted AND NOT test;
CALL app.protect('scans', 'SELECT, INSERT, UPDATE');

-- A ticket's presence, derived from its scans. `version` is the optimistic lock of decisions on what was read.
CREATE TABLE ticket_presence (
    organization_id uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    event_id        uuid NOT NULL,
    version         integer NOT NULL,
    inside          boolean NOT NULL,
    day             date NOT NULL,             -- of the last entry; who is inside is so on this day
    entries_today   integer NOT NULL CHECK (entries_today >= 0),
    entries         integer NOT NULL CHECK (entries >= 0),
    at              timestamptz NOT NULL,      -- of the last entry
    gate_id         uuid NOT NULL,             -- and where it was
    place_no        integer,                   -- of a place that was given at the gate, for this day
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, ticket_id)
) WITH (fillfactor = 70);
-- Without the time of change: with it in an index, every step of a ticket would write all of its indexes anew.
CREATE INDEX ticket_presence_event ON ticket_presence (organization_id, event_id);
CALL app.protect('ticket_presence');

-- How many are inside on a day: by the gate that they came in by, by zone, and in all.
CREATE TABLE scan_counts (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    day             date NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('gate', 'zone', 'event')),
    ref_id          uuid NOT NULL,
    inside          integer NOT NULL DEFAULT 0 CHECK (inside >= 0),
    entered         integer NOT NULL DEFAULT 0 CHECK (entered >= 0),
    places          integer NOT NULL DEFAULT 0,   -- the last number that was given
    PRIMARY KEY (organization_id, event_id, day, kind, ref_id)
) WITH (fillfactor = 50);
CALL app.protect('scan_counts');

-- Conflicts that offline devices caused, not knowing of each other. Every merge finds one again until it is resolved.
-- Either two scans, or one and the time at which the ticket became void or another person's. A scan can be both: a
-- second entry, with a ticket that was void.
CREATE TABLE scan_incidents (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    kind            text NOT NULL,
    first_scan_id   uuid,
    second_scan_id  uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    resolved_at     timestamptz,
    resolved_by     uuid,
    note            text CHECK (length(note) BETWEEN 1 AND 500),
    void_at         timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK ((resolved_at IS NULL) = (note IS NULL)),
    CHECK ((first_scan_id IS NULL) = (void_at IS NOT NULL))
);
CREATE UNIQUE INDEX scan_incidents_double ON scan_incidents (organization_id, second_scan_id)
    WHERE first_scan_id IS NOT NULL;
CREATE UNIQUE INDEX scan_incidents_void ON scan_incidents (organization_id, second_scan_id)
    WHERE first_scan_id IS NULL;
CREATE INDEX scan_incidents_event ON scan_incidents (organization_id, event_id, created_at, id);
CREATE INDEX scan_incidents_ticket ON scan_incidents (organization_id, ticket_id);
CALL app.protect('scan_incidents');
