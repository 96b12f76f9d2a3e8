-- People, their rights and the secrets they carry. Every key leads with the organisation, so that a row cannot
-- point into another one even by mistake.

CREATE TABLE organization_settings (
    organization_id uuid PRIMARY KEY REFERENCES organizations (id),
    currency        text NOT NULL DEFAULT 'EUR' CHECK (currency ~ '^[A-Z]{3}$'),
    locale          text NOT NULL DEFAULT 'en' CHECK (locale ~ '^[a-z]{2}(-[A-Z]{2})?$'),
    timezone        text NOT NULL DEFAULT 'UTC',
    contact_email   text,
    accent_color    text NOT NULL DEFAULT '#0F5C4D' CHECK (accent_color ~ '^#[0-9A-Fa-f]{6}$'),
    updated_at      timestamptz NOT NULL DEFAULT app.clock()
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
    -- A guest has no address; whoever works here does.
    CHECK (email IS NOT NULL OR role = 'customer')
);
CREATE UNIQUE INDEX users_email ON users (organization_id, lower(email));
CREATE INDEX users_team ON users (organization_id, created_at, id) WHERE role <> 'customer';
CALL app.protect('users');

-- An organisation never loses its last owner. The organisation's row is the lock: of two owners who step down
-- at once, the second waits, sees the first one gone, and is refused.
CREATE FUNCTION app.keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.role <> 'owner' OR OLD.status <> 'active' THEN
        RETURN NULL;
    END IF;
    PERFORM FROM organizations WHERE id = OLD.organization_id FOR NO KEY UPDATE;
    PERFORM FROM users
      WHERE organization_id = OLD.organization_id AND role = 'owner' AND status = 'active';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the last owner cannot step down' USING ERRCODE = 'check_violation', CONSTRAINT = 'last_owner';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_an_owner AFTER UPDATE OF role, status OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION app.keep_an_owner();

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
-- One open invitation a person; asking again replaces it.
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

-- Platform staff stand outside every organisation: two small tables without one, named in the isolation test.
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

-- Every request asks "whose token is this?". One round trip: the token names its organisation, the function enters
-- it for this statement only, and row-level security does the rest.
CREATE FUNCTION app.who_has_session(org uuid, hash bytea)
RETURNS TABLE (session_id uuid, user_id uuid, name text, email text, role text, expires_at timestamptz)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT s.id, u.id, u.name, u.email, u.role, s.expires_at
        FROM sessions s
        JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
        JOIN organizations o ON o.id = s.organization_id
        WHERE s.token_hash = hash AND s.revoked_at IS NULL AND s.expires_at > app.clock()
          AND u.status = 'active' AND o.status = 'active';
END $$;

CREATE FUNCTION app.who_has_key(org uuid, hash bytea)
RETURNS TABLE (key_id uuid, name text, scopes text[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT k.id, k.name, k.scopes
        FROM api_keys k
        JOIN organizations o ON o.id = k.organization_id
        WHERE k.token_hash = hash AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > app.clock()) AND o.status = 'active';
END $$;
