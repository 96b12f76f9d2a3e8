-- Venues, gates and events. Every key leads with the organisation.

-- Whether staff may create and change venues is the organisation's own decision.
ALTER TABLE organization_settings ADD COLUMN staff_may_edit_venues boolean NOT NULL DEFAULT true;

CREATE TABLE venues (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    slug            text NOT NULL CHECK (slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    kind            text NOT NULL CHECK (kind IN ('physical', 'virtual')),
    timezone        text NOT NULL,
    address         text CHECK (length(address) BETWEEN 5 AND 500),
    address_parts   jsonb NOT NULL DEFAULT '{}',
    city            text NOT NULL CHECK (length(city) BETWEEN 1 AND 50),
    country         text NOT NULL CHECK (length(country) BETWEEN 2 AND 56),
    latitude        double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude       double precision CHECK (longitude BETWEEN -180 AND 180),
    max_capacity    integer NOT NULL DEFAULT 0 CHECK (max_capacity >= 0),
    settings        jsonb NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug),
    CHECK (kind = 'virtual' OR address IS NOT NULL),
    CHECK ((latitude IS NULL) = (longitude IS NULL))
);
CREATE INDEX venues_newest ON venues (organization_id, created_at, id);
CREATE INDEX venues_city ON venues (organization_id, city);
CREATE INDEX venues_timezone ON venues (organization_id, timezone);
CALL app.protect('venues');

CREATE TABLE gates (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    venue_id        uuid NOT NULL,
    gate_code       text NOT NULL CHECK (gate_code ~ '^[A-Z0-9][A-Z0-9_-]{0,39}$'),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    status          text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    capacity        integer CHECK (capacity > 0),
    settings        jsonb NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, venue_id, gate_code),
    FOREIGN KEY (organization_id, venue_id) REFERENCES venues (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX gates_venue ON gates (organization_id, venue_id, status, gate_code);
CALL app.protect('gates');

-- The show. `status` is the stored lifecycle; whether it sells, scans or shows is derived (events/policy.py).
-- No counters here: what sells would wait for each other on this row.
CREATE TABLE events (
    id                   uuid NOT NULL UNIQUE,
    organization_id      uuid NOT NULL REFERENCES organizations (id),
    venue_id             uuid,
    slug                 text NOT NULL CHECK (slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'),
    name                 text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description          text NOT NULL CHECK (length(description) BETWEEN 1 AND 2000),
    category             text NOT NULL CHECK (category ~ '^[a-z0-9](_?[a-z0-9]){0,39}$'),
    status               text NOT NULL DEFAULT 'draft' CHECK (status IN
                             ('draft', 'published', 'live', 'ended', 'cancelled', 'postponed', 'archived')),
    start_at             timestamptz NOT NULL,
    end_at               timestamptz NOT NULL,
    doors_at             timestamptz NOT NULL,
    sale_start_at        timestamptz NOT NULL,
    sale_end_at          timestamptz NOT NULL,
    rescheduled_at       timestamptz,
    capacity             integer NOT NULL DEFAULT 0 CHECK (capacity >= 0),
    settings             jsonb NOT NULL DEFAULT '{}',
    -- The venue as it was when the show was made: it survives the venue's edit and deletion.
    venue_name           text NOT NULL,
    city                 text NOT NULL,
    country              text NOT NULL,
    address              text,
    timezone             text NOT NULL,
    recurrence_group_id  uuid,
    replaced_by_event_id uuid,
    postponement_reason  text CHECK (length(postponement_reason) <= 500),
    cancellation_reason  text CHECK (length(cancellation_reason) <= 500),
    created_by           uuid,
    dedupe_key           text NOT NULL,
    version              integer NOT NULL DEFAULT 1,
    published_at         timestamptz,
    cancelled_at         timestamptz,
    created_at           timestamptz NOT NULL DEFAULT app.clock(),
    updated_at           timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT events_slug UNIQUE (organization_id, slug),
    CONSTRAINT events_dedupe UNIQUE (organization_id, dedupe_key),
    CHECK (end_at >= start_at + interval '1 minute'),
    CHECK (doors_at <= start_at),
    CHECK (sale_start_at < sale_end_at),
    -- Compared as lengths: a moment plus two days is another moment where the session's clocks change.
    CHECK (sale_end_at - coalesce(rescheduled_at, start_at) <= end_at - start_at),
    CHECK (rescheduled_at IS NULL OR status = 'postponed' OR status IN ('cancelled', 'archived')),
    FOREIGN KEY (organization_id, venue_id) REFERENCES venues (organization_id, id) ON DELETE SET NULL (venue_id),
    FOREIGN KEY (organization_id, replaced_by_event_id) REFERENCES events (organization_id, id)
        ON DELETE SET NULL (replaced_by_event_id)
);
CREATE INDEX events_status ON events (organization_id, status, start_at);
CREATE INDEX events_start ON events (organization_id, start_at, id);
CREATE INDEX events_venue ON events (organization_id, venue_id, start_at);
CREATE INDEX events_mine ON events (organization_id, created_by, created_at DESC, id);
CREATE INDEX events_series ON events (organization_id, recurrence_group_id) WHERE recurrence_group_id IS NOT NULL;
-- For the foreign key: deleting a show looks for those that it replaces.
CREATE INDEX events_replaced ON events (organization_id, replaced_by_event_id) WHERE replaced_by_event_id IS NOT NULL;
-- The scheduler's: what changes by itself, across organisations.
CREATE INDEX events_doors ON events (doors_at) WHERE status = 'published';
CREATE INDEX events_resuming ON events (rescheduled_at) WHERE status = 'postponed' AND rescheduled_at IS NOT NULL;
CREATE INDEX events_ending ON events (end_at) WHERE status = 'live';
CALL app.protect('events');
CALL app.let_workers_find('events');

-- Which organisation a show belongs to: readable before anybody is known, because a public address names only the show.
-- It says nothing else. Writing it needs the organisation's own transaction.
CREATE TABLE event_directory (
    event_id        uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
ALTER TABLE event_directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_directory FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON event_directory FOR SELECT USING (true);
CREATE POLICY listing ON event_directory FOR INSERT TO fullhouse_app WITH CHECK (organization_id = app.org());
GRANT SELECT, INSERT ON event_directory TO fullhouse_app;
GRANT SELECT ON event_directory TO fullhouse_auditor;

CREATE FUNCTION app.list_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_directory (event_id, organization_id) VALUES (NEW.id, NEW.organization_id);
    RETURN NULL;
END $$;
CREATE TRIGGER list_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION app.list_event();
