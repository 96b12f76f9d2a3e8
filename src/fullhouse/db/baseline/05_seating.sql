-- Layouts, and the overlays of events on them.
--
-- A seat's identity belongs to a layout version and never changes; its state is a row for each event and seat
-- (event_seats). A layout version that has left the drafts is fixed, with its zones, seats and groups: a change makes
-- another version. An event stores what differs from its layout only.

-- One row is one version.
CREATE TABLE layouts (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    venue_id        uuid,
    family_id       uuid NOT NULL,   -- the first version's id: what all versions have in common
    version         integer NOT NULL CHECK (version > 0),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    description     text NOT NULL DEFAULT '',
    status          text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'archived')),
    total_capacity  integer NOT NULL CHECK (total_capacity > 0),
    seat_count      integer NOT NULL CHECK (seat_count BETWEEN 0 AND total_capacity),
    document        bytea NOT NULL,   -- the plan (fullhouse/1): JSON, deflated
    geometry        bytea NOT NULL,   -- the map (docs/seatmap-format.md), gzipped as it is served
    created_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, family_id, version),
    FOREIGN KEY (organization_id, venue_id) REFERENCES venues (organization_id, id) ON DELETE SET NULL (venue_id)
);
-- Events take the active version; there is one at most.
CREATE UNIQUE INDEX layouts_active ON layouts (organization_id, family_id) WHERE status = 'active';
CREATE INDEX layouts_venue ON layouts (organization_id, venue_id, created_at, id);
CALL app.protect('layouts');

CREATE TABLE zones (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    layout_id       uuid NOT NULL,
    position        integer NOT NULL,   -- in the plan: the map's zone number
    zone_key        text NOT NULL,
    name            text NOT NULL,
    zone_type       text NOT NULL CHECK (zone_type IN
                        ('reserved_seating', 'ga_seated', 'ga_standing', 'vip_reserved', 'vip_standing')),
    capacity        integer NOT NULL CHECK (capacity > 0),
    access_mode     text NOT NULL CHECK (access_mode IN ('public', 'membership_tier', 'role_based', 'whitelist')),
    membership_tier text CHECK ((access_mode = 'membership_tier') = (membership_tier IS NOT NULL)),
    allowed_roles   text[] NOT NULL DEFAULT '{}'
                        CHECK ((access_mode = 'role_based') = (cardinality(allowed_roles) > 0)),
    price_category  text,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, layout_id, id),
    UNIQUE (organization_id, layout_id, zone_key),
    FOREIGN KEY (organization_id, layout_id) REFERENCES layouts (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('zones');

-- The zone's foreign key is the only one: a zone has a layout and an organisation. Keys are checked row by row, and a
-- layout may have a hundred thousand seats.
CREATE TABLE seats (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL,
    layout_id       uuid NOT NULL,
    ordinal         integer NOT NULL CHECK (ordinal >= 0),
    seat_key        text NOT NULL,   -- the same seat in every version
    zone_id         uuid NOT NULL,
    section         text NOT NULL,
    row_label       text NOT NULL,
    number          text NOT NULL,
    category        text NOT NULL CHECK (category IN
                        ('standard', 'wheelchair', 'companion', 'restricted_view', 'aisle')),
    price_category  text,
    companion_of    uuid,   -- the wheelchair space that this seat accompanies
    PRIMARY KEY (organization_id, layout_id, ordinal),
    UNIQUE (organization_id, layout_id, seat_key),
    CHECK (companion_of IS NULL OR category = 'companion'),
    FOREIGN KEY (organization_id, layout_id, zone_id) REFERENCES zones (organization_id, layout_id, id)
        ON DELETE CASCADE
);
CALL app.protect('seats');

CREATE TABLE seat_groups (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    layout_id       uuid NOT NULL,
    group_key       text NOT NULL,
    group_type      text NOT NULL CHECK (group_type IN
                        ('wheelchair_pair', 'family_block', 'vip_table', 'reserved_block')),
    sold_as         text NOT NULL CHECK (sold_as IN ('whole', 'seats')),
    ordinals        integer[] NOT NULL CHECK (cardinality(ordinals) > 0),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, layout_id, group_key),
    FOREIGN KEY (organization_id, layout_id) REFERENCES layouts (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('seat_groups');


-- Events with a layout -----------------------------------------------------------------------------
-- An event's overlay: only its differences from the layout.
CREATE TABLE event_layouts (
    event_id        uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    layout_id       uuid NOT NULL,
    disabled_zones  uuid[] NOT NULL DEFAULT '{}',
    zone_overrides  jsonb NOT NULL DEFAULT '{}',
    pricing_zones   jsonb NOT NULL DEFAULT '{}',
    policy          jsonb NOT NULL DEFAULT '{}',   -- the seating policy's fields that this event overrides
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, layout_id) REFERENCES layouts (organization_id, id)
);
CREATE INDEX event_layouts_layout ON event_layouts (organization_id, layout_id);
CALL app.protect('event_layouts');

-- The zones of an event with its overlay applied: a zone that is disabled has no row.
CREATE TABLE event_zones (
    organization_id     uuid NOT NULL REFERENCES organizations (id),
    event_id            uuid NOT NULL,
    zone_id             uuid NOT NULL,
    position            integer NOT NULL,
    zone_key            text NOT NULL,
    name                text NOT NULL,
    zone_type           text NOT NULL CHECK (zone_type IN
                            ('reserved_seating', 'ga_seated', 'ga_standing', 'vip_reserved', 'vip_standing')),
    capacity            integer NOT NULL CHECK (capacity > 0),
    access_mode         text NOT NULL CHECK (access_mode IN ('public', 'membership_tier', 'role_based', 'whitelist')),
    membership_tier     text CHECK ((access_mode = 'membership_tier') = (membership_tier IS NOT NULL)),
    allowed_roles       text[] NOT NULL DEFAULT '{}'
                            CHECK ((access_mode = 'role_based') = (cardinality(allowed_roles) > 0)),
    price_category      text,
    companions_released boolean NOT NULL DEFAULT false,   -- for good: docs/adr/0015
    PRIMARY KEY (organization_id, event_id, zone_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES event_layouts (organization_id, event_id) ON DELETE CASCADE
);
CALL app.protect('event_zones');

-- The persons who may book in a zone that is restricted to a list.
CREATE TABLE zone_guests (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    zone_id         uuid NOT NULL,
    email           text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
    name            text NOT NULL DEFAULT '' CHECK (length(name) <= 120),
    added_by        uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id, zone_id, email),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('zone_guests');

-- The platform's settings for an organisation: values that differ from the defaults, and those that no event may
-- override.
CREATE TABLE seating_policies (
    organization_id uuid PRIMARY KEY REFERENCES organizations (id),
    values          jsonb NOT NULL DEFAULT '{}',
    mandatory       text[] NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    updated_at      timestamptz NOT NULL DEFAULT app.clock()
);
CALL app.protect('seating_policies');


-- Another layout after sales -----------------------------------------------------------------------
-- An event with sold tickets changes its layout: who moves where is planned first, then approved, then done at once.
CREATE TABLE layout_migrations (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    from_layout_id  uuid NOT NULL,
    to_layout_id    uuid NOT NULL,
    status          text NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'applied', 'discarded')),
    respond_by      timestamptz NOT NULL,   -- until then a holder may ask for the money instead
    planned_by      uuid,
    approved_by     uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    applied_at      timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'applied') = (applied_at IS NOT NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, from_layout_id) REFERENCES layouts (organization_id, id),
    FOREIGN KEY (organization_id, to_layout_id) REFERENCES layouts (organization_id, id)
);
CREATE UNIQUE INDEX layout_migrations_open ON layout_migrations (organization_id, event_id) WHERE status = 'planned';
CREATE INDEX layout_migrations_event ON layout_migrations (organization_id, event_id, created_at, id);
CALL app.protect('layout_migrations');

CREATE TABLE seat_moves (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    migration_id    uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    from_seat_id    uuid NOT NULL,
    to_seat_id      uuid,            -- null: there is no seat for this ticket
    kind            text NOT NULL CHECK (kind IN ('same', 'equal_or_better', 'unplaced')),
    reason          text NOT NULL DEFAULT '',
    PRIMARY KEY (organization_id, migration_id, ticket_id),
    UNIQUE (organization_id, migration_id, to_seat_id),
    CHECK ((kind = 'unplaced') = (to_seat_id IS NULL)),
    FOREIGN KEY (organization_id, migration_id) REFERENCES layout_migrations (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('seat_moves');
