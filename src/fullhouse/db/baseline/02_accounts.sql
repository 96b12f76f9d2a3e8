-- People, their rights and the secrets they carry; an organisation's settings.
--
-- Every key leads with the organisation, so that a row cannot refer to another organisation's even by mistake. Tokens
-- are stored as hashes only. An organisation always has an active owner (functions/accounts/keep_an_owner.sql).

CREATE TABLE organization_settings (
    organization_id       uuid PRIMARY KEY REFERENCES organizations (id),
    currency              text NOT NULL DEFAULT 'EUR' CHECK (currency ~ '^[A-Z]{3}$'),
    locale                text NOT NULL DEFAULT 'en' CHECK (locale ~ '^[a-z]{2}(-[A-Z]{2})?$'),
    timezone              text NOT NULL DEFAULT 'UTC',
    contact_email         text,
    accent_color          text NOT NULL DEFAULT '#0F5C4D' CHECK (accent_color ~ '^#[0-9A-Fa-f]{6}$'),
    updated_at            timestamptz NOT NULL DEFAULT app.clock(),
    -- Whether staff may create and change venues is the organisation's own decision.
    staff_may_edit_venues boolean NOT NULL DEFAULT true,
    -- How many places one event of this organisation may have.
    event_capacity_max    integer NOT NULL DEFAULT 100000 CHECK (event_capacity_max BETWEEN 1 AND 1000000),
    -- The name in an email's "From" (unset: the organisation's), and where replies go (unset: its contact address).
    mail_sender_name      text CHECK (length(mail_sender_name) BETWEEN 1 AND 120),
    mail_reply_to         text CHECK (length(mail_reply_to) BETWEEN 3 AND 254 AND mail_reply_to LIKE '%_@_%'),
    -- Which sites may embed the box office in their own pages (docs/adr/0027-widget.md): none named, any. They go into
    -- a header as they are: nothing may stand here that could end it or add to it.
    embed_origins         text[] NOT NULL DEFAULT '{}'
        CHECK (cardinality(embed_origins) <= 20 AND array_position(embed_origins, NULL) IS NULL
               AND array_to_string(embed_origins, ' ') ~ '^(https?://[a-z0-9*.:-]+( |$))*$'),
    -- A ticket's highest price, in minor units. Unset: 9,999.99 of a currency like the dollar, and of others as many
    -- times more as their units are smaller (kit/money.py).
    ticket_price_max      bigint CHECK (ticket_price_max BETWEEN 1 AND 99999999999)
);
CALL app.protect('organization_settings', 'SELECT, INSERT, UPDATE');

CREATE TABLE users (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text CHECK (length(email) BETWEEN 3 AND 254 AND email LIKE '%_@_%'),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    role            text NOT NULL CHECK (role IN ('owner', 'admin', 'staff', 'scanner', 'customer')),
    status          text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
    password_hash   text,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    -- A guest has no address; team members have one.
    CHECK (email IS NOT NULL OR role = 'customer')
);
CREATE UNIQUE INDEX users_email ON users (organization_id, lower(email));
CREATE INDEX users_team ON users (organization_id, created_at, id) WHERE role <> 'customer';
CALL app.protect('users');

CREATE TABLE sessions (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    user_id         uuid NOT NULL,
    token_hash      bytea NOT NULL UNIQUE,
    method          text NOT NULL CHECK (method IN ('password', 'guest', 'magic_link', 'invitation')),
    ip              text,
    user_agent      text,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    expires_at      timestamptz NOT NULL,
    revoked_at      timestamptz,
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions (organization_id, user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CALL app.protect('sessions');
CALL app.let_workers_find('sessions', 'SELECT, DELETE');

CREATE TABLE magic_links (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text NOT NULL,
    token_hash      bytea NOT NULL UNIQUE,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    expires_at      timestamptz NOT NULL,
    used_at         timestamptz
);
CREATE INDEX magic_links_expiry ON magic_links (expires_at);
CALL app.protect('magic_links');
CALL app.let_workers_find('magic_links', 'SELECT, DELETE');

CREATE TABLE invitations (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 254 AND email LIKE '%_@_%'),
    role            text NOT NULL CHECK (role IN ('owner', 'admin', 'staff', 'scanner')),
    token_hash      bytea NOT NULL UNIQUE,
    invited_by      uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    expires_at      timestamptz NOT NULL,
    accepted_at     timestamptz,
    revoked_at      timestamptz,
    CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
-- A person has one open invitation; another one replaces it.
CREATE UNIQUE INDEX invitations_open ON invitations (organization_id, lower(email))
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
CALL app.protect('invitations');
CALL app.let_workers_find('invitations', 'SELECT, DELETE');

CREATE TABLE api_keys (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    scopes          text[] NOT NULL CHECK (cardinality(scopes) > 0),
    token_hash      bytea NOT NULL UNIQUE,
    hint            text NOT NULL,   -- the last characters, so that people can tell their keys apart
    created_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    expires_at      timestamptz,
    last_used_at    timestamptz,
    revoked_at      timestamptz
);
CREATE INDEX api_keys_newest ON api_keys (organization_id, created_at, id);
CALL app.protect('api_keys');

CREATE TABLE memberships (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    user_id         uuid NOT NULL,
    tier            text NOT NULL CHECK (tier ~ '^[a-z0-9](_?[a-z0-9]){0,62}$'),
    number          text NOT NULL CHECK (length(number) BETWEEN 1 AND 40),
    status          text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'revoked')),
    valid_from      timestamptz NOT NULL,
    valid_until     timestamptz,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, number),
    UNIQUE (organization_id, user_id, tier),
    CHECK (valid_until IS NULL OR valid_until > valid_from),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX memberships_newest ON memberships (organization_id, created_at, id);
CALL app.protect('memberships');

-- Platform staff belong to no organisation: two small tables without one, named in the isolation test.
CREATE TABLE platform_users (
    id            uuid PRIMARY KEY,
    email         text NOT NULL CHECK (length(email) BETWEEN 3 AND 254 AND email LIKE '%_@_%'),
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    role          text NOT NULL CHECK (role IN ('super_admin', 'tenant_manager')),
    status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT app.clock()
);
CREATE UNIQUE INDEX platform_users_email ON platform_users (lower(email));

CREATE TABLE platform_sessions (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES platform_users (id) ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT app.clock(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
-- Only the owner makes platform staff (`fullhouse user create … --role super_admin`): no request ever can.
GRANT SELECT ON platform_users TO fullhouse_app;
GRANT SELECT, INSERT, UPDATE ON platform_sessions TO fullhouse_app;
GRANT SELECT, DELETE ON platform_sessions TO fullhouse_worker;
