-- Outgoing webhooks: addresses that an organisation wants to be told at, and the log of what was told.

-- Signing needs the secret itself: it is sealed, not hashed. After a rotation the former one signs too, for a day.
CREATE TABLE webhooks (
    id                    uuid NOT NULL UNIQUE,
    organization_id       uuid NOT NULL REFERENCES organizations (id),
    url                   text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    description           text NOT NULL DEFAULT '' CHECK (length(description) <= 200),
    events                text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 50),
    enabled               boolean NOT NULL DEFAULT true,
    disabled_because      text CHECK (disabled_because IN ('gone', 'failing')),  -- null: somebody's own decision
    failures              integer NOT NULL DEFAULT 0 CHECK (failures >= 0),      -- in a row, over all deliveries
    failing_since         timestamptz,
    secret                bytea NOT NULL,
    previous_secret       bytea,
    previous_secret_until timestamptz,
    version               integer NOT NULL DEFAULT 1,
    created_at            timestamptz NOT NULL DEFAULT app.clock(),
    updated_at            timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK (NOT enabled OR disabled_because IS NULL),
    CHECK ((failures = 0) = (failing_since IS NULL)),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);
CREATE INDEX webhooks_age ON webhooks (organization_id, created_at, id);
CALL app.protect('webhooks');

-- One row for a message and an address: it is the log, and what a try is claimed by. `attempts` only ever grows, and a
-- job is for one of them: a job that runs twice finds its number gone. `failures` counts those since it was last asked
-- for, and chooses the pause.
CREATE TABLE webhook_deliveries (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    webhook_id      uuid NOT NULL,
    message_id      uuid NOT NULL,
    type            text NOT NULL,
    body            text NOT NULL,      -- the same bytes in every try
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_try_at     timestamptz,
    claimed_until   timestamptz,        -- somebody is sending it; if they die, it is free again from then on
    tried_at        timestamptz,
    response_status smallint,
    response_body   text CHECK (length(response_body) <= 2048),
    error           text,
    duration_ms     integer,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT webhook_deliveries_once UNIQUE (organization_id, webhook_id, message_id),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhooks (organization_id, id) ON DELETE CASCADE,
    CHECK ((status = 'pending') = (next_try_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (organization_id, webhook_id, created_at DESC, id DESC);
-- The sweeper's, across organisations.
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at) WHERE status <> 'pending';
CALL app.protect('webhook_deliveries');
CALL app.let_workers_find('webhook_deliveries', 'SELECT, DELETE');
