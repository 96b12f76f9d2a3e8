-- What an event sells: ticket types with their prices, promo codes, and the fees and taxes that come on top.
--
-- Amounts are integers in minor units. A code is never used more often, and never costs more, than it says: the table
-- refuses it. How many tickets of a type are left is counted in `pools`.

-- A counted limit is a row of `pools` (kind ticket_type), and there only where the organiser set a quantity: a type
-- without one sells as many as its zones have.
CREATE TABLE ticket_types (
    id                uuid NOT NULL,
    organization_id   uuid NOT NULL REFERENCES organizations (id),
    event_id          uuid NOT NULL,
    name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    description       text NOT NULL DEFAULT '' CHECK (length(description) <= 500),
    tier              text NOT NULL CHECK (tier IN ('general', 'vip', 'early_bird', 'custom')),
    kind              text NOT NULL CHECK (kind IN ('seated', 'ga')),
    -- The highest price depends on the currency and the organisation (organization_settings.ticket_price_max). The
    -- table keeps out what no currency needs.
    price             bigint NOT NULL CHECK (price BETWEEN 0 AND 99999999999),
    currency          text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    prices            jsonb NOT NULL DEFAULT '{}',       -- by price category, where they differ
    zones             text[] NOT NULL DEFAULT '{}',      -- the keys of those it sells; none means all
    quantity          integer CHECK (quantity BETWEEN 1 AND 100000),
    sale_start_at     timestamptz,                       -- otherwise the event's
    sale_end_at       timestamptz,
    entitlement       text NOT NULL CHECK (entitlement IN
                          ('single', 'limited_reentry_per_day', 'unlimited_multi_day', 'ga_seated', 'ga_standing')),
    valid_days        date[] NOT NULL DEFAULT '{}',      -- none means every day of the event
    max_daily_entries integer CHECK (max_daily_entries BETWEEN 1 AND 100),
    max_per_order     integer CHECK (max_per_order BETWEEN 1 AND 10),
    hidden            boolean NOT NULL DEFAULT false,    -- seen by those who have its code
    position          integer NOT NULL DEFAULT 0,
    version           integer NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL DEFAULT app.clock(),
    updated_at        timestamptz NOT NULL DEFAULT app.clock(),
    -- Whether tickets of this type count on their own days alone (docs/adr/0037): tickets for Friday leave Saturday as
    -- it is, and a pass counts on each of its days. A seat is somebody's on every day (docs/adr/0019).
    by_day            boolean NOT NULL GENERATED ALWAYS AS (kind = 'ga' AND valid_days <> '{}') STORED,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, name),
    CHECK (sale_start_at < sale_end_at),
    CHECK ((entitlement = 'limited_reentry_per_day') = (max_daily_entries IS NOT NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX ticket_types_event ON ticket_types (organization_id, event_id, position, created_at, id);
CREATE INDEX ticket_types_by_day ON ticket_types (organization_id, event_id) WHERE by_day;
CALL app.protect('ticket_types');

CREATE TABLE promo_codes (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    code            text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{2,39}$'),
    kind            text NOT NULL CHECK (kind IN ('percent', 'fixed', 'access')),
    basis_points    integer CHECK (basis_points BETWEEN 1 AND 10000),
    amount          integer CHECK (amount BETWEEN 1 AND 99999999),
    ticket_type_ids uuid[] NOT NULL DEFAULT '{}',        -- what it is valid for, and makes visible; none means all
    max_uses        integer CHECK (max_uses > 0),
    uses            integer NOT NULL DEFAULT 0,
    budget          bigint CHECK (budget > 0),           -- what it may cost in all, in minor units
    spent           bigint NOT NULL DEFAULT 0,
    valid_from      timestamptz,
    valid_until     timestamptz,
    active          boolean NOT NULL DEFAULT true,
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, code),
    CHECK ((kind = 'percent') = (basis_points IS NOT NULL)),
    CHECK ((kind = 'fixed') = (amount IS NOT NULL)),
    CHECK (valid_from < valid_until),
    CONSTRAINT promo_codes_never_overused CHECK (uses >= 0 AND uses <= max_uses),
    CONSTRAINT promo_codes_within_budget CHECK (spent >= 0 AND spent <= budget),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('promo_codes');

-- The uses of a code: one for each checkout. A released use stays as a row, so that it is not released twice.
CREATE TABLE promo_uses (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    checkout_id     uuid NOT NULL,
    promo_code_id   uuid NOT NULL,
    amount          bigint NOT NULL CHECK (amount >= 0),
    status          text NOT NULL DEFAULT 'taken' CHECK (status IN ('taken', 'returned')),
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, checkout_id, promo_code_id),
    FOREIGN KEY (organization_id, promo_code_id) REFERENCES promo_codes (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX promo_uses_code ON promo_uses (organization_id, promo_code_id);
CALL app.protect('promo_uses');

-- Fees and taxes: the organisation's (scope is itself), or an event's own in their place.
CREATE TABLE charge_lists (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    scope_id        uuid NOT NULL,
    charges         jsonb NOT NULL,
    version         integer NOT NULL DEFAULT 1,
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, scope_id)
);
CALL app.protect('charge_lists');
