-- The ground: time, tenancy, and the tables that every room writes to in its own transaction.
-- The roles exist already (kit/migrate.py makes them): fullhouse_app serves, fullhouse_worker finds work,
-- fullhouse_auditor reads everything and writes nothing. None of them owns a table.

CREATE SCHEMA app;
GRANT USAGE ON SCHEMA app TO fullhouse_app, fullhouse_worker, fullhouse_auditor;

-- The one clock. Tests replace the function to move time; nobody but the owner can.
CREATE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now();

-- The organisation of this transaction, or null: and null equals nothing, so an unset tenant sees no row.
CREATE FUNCTION app.org() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.org', true), '')::uuid;

-- Puts a tenant table under row-level security. Every table with an organization_id goes through here.
CREATE PROCEDURE app.protect(tbl regclass, verbs text DEFAULT 'SELECT, INSERT, UPDATE, DELETE')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
    EXECUTE format('CREATE POLICY tenant ON %s TO fullhouse_app
                    USING (organization_id = app.org()) WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY auditor ON %s FOR SELECT TO fullhouse_auditor USING (true)', tbl);
    EXECUTE format('GRANT %s ON %s TO fullhouse_app', verbs, tbl);
    EXECUTE format('GRANT SELECT ON %s TO fullhouse_auditor', tbl);
END $$;

-- Lets workers look for work across organisations. The effect itself runs in the row's own tenant transaction.
CREATE PROCEDURE app.let_workers_find(tbl regclass, verbs text DEFAULT 'SELECT')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY finder ON %s TO fullhouse_worker USING (true)', tbl);
    EXECUTE format('GRANT %s ON %s TO fullhouse_worker', verbs, tbl);
END $$;

CREATE FUNCTION app.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% rows are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;


-- Organisations ------------------------------------------------------------------------------------
-- The directory (slug -> id) is readable before anybody is signed in; writing it needs its own tenant transaction.
CREATE TABLE organizations (
    id         uuid PRIMARY KEY,
    slug       text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9](-?[a-z0-9]){1,62}$'),
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    status     text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
    created_at timestamptz NOT NULL DEFAULT app.clock(),
    updated_at timestamptz NOT NULL DEFAULT app.clock()
);
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON organizations FOR SELECT USING (true);
CREATE POLICY creating ON organizations FOR INSERT TO fullhouse_app WITH CHECK (id = app.org());
CREATE POLICY writing ON organizations FOR UPDATE TO fullhouse_app USING (id = app.org()) WITH CHECK (id = app.org());
GRANT SELECT, INSERT, UPDATE ON organizations TO fullhouse_app;
GRANT SELECT ON organizations TO fullhouse_worker, fullhouse_auditor;


-- Audit --------------------------------------------------------------------------------------------
-- Append-only, by month, so that old months can be detached as a whole. No foreign keys: it outlives what it tells of.
CREATE TABLE audit_log (
    id                 uuid NOT NULL,
    organization_id    uuid NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT app.clock(),
    actor_type         text NOT NULL CHECK (actor_type IN ('user', 'api_key', 'device', 'platform', 'system')),
    actor_id           uuid,
    actor_name         text,
    action             text NOT NULL,
    entity_type        text NOT NULL,
    entity_id          uuid,
    before             jsonb,
    after              jsonb,
    reason             text,
    approval_reference text,
    ip                 text,
    user_agent         text,
    request_id         text,
    PRIMARY KEY (organization_id, created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX audit_log_entity ON audit_log (organization_id, entity_type, entity_id, created_at);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CALL app.protect('audit_log', 'SELECT, INSERT');

-- The catch-all: a row is never refused because a month's partition is missing.
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
ALTER TABLE audit_log_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log_default FORCE ROW LEVEL SECURITY;

-- Definer, because the roles that call it own nothing. It takes no argument and returns only a count.
CREATE FUNCTION app.make_audit_months() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    month date;
    made  integer := 0;
    name  text;
BEGIN
    FOR ahead IN 0..3 LOOP
        month := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date;
        name := 'audit_log_' || to_char(month, 'YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE public.%I PARTITION OF public.audit_log FOR VALUES FROM (%L) TO (%L)', name,
                           month || ' 00:00+00', (month + interval '1 month')::date || ' 00:00+00');
        EXCEPTION WHEN check_violation THEN
            CONTINUE;  -- the catch-all has rows of that month already: they stay there, all of them
        END;
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', name);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
REVOKE EXECUTE ON FUNCTION app.make_audit_months() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app.make_audit_months() TO fullhouse_worker;
SELECT app.make_audit_months();


-- Outbox -------------------------------------------------------------------------------------------
-- A fact is written in the transaction of the change that it tells of. `seq` orders facts of one subject; it is
-- never used as "everything after n", because transactions commit out of order.
CREATE TABLE outbox (
    id              uuid PRIMARY KEY,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    name            text NOT NULL,
    subject_id      uuid NOT NULL,
    payload         jsonb NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    due_at          timestamptz NOT NULL DEFAULT app.clock(),
    sent_at         timestamptz,
    attempts        integer NOT NULL DEFAULT 0,
    last_error      text
);
CREATE INDEX outbox_unsent ON outbox (due_at, seq) WHERE sent_at IS NULL;
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
CALL app.protect('outbox', 'SELECT, INSERT');
CALL app.let_workers_find('outbox', 'SELECT, UPDATE, DELETE');


-- Idempotency --------------------------------------------------------------------------------------
-- The row is inserted in the effect's own transaction: its key is what makes a second effect impossible.
CREATE TABLE idempotency_keys (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    principal       text NOT NULL,
    route           text NOT NULL,
    key             text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    body_hash       bytea NOT NULL,
    status          smallint,
    answer          bytea,     -- sealed: some answers carry a secret that is stored nowhere else
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, principal, route, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CALL app.protect('idempotency_keys', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('idempotency_keys', 'SELECT, DELETE');


-- Mail ---------------------------------------------------------------------------------------------
-- Kept here until it is sent; without SMTP it stays and is shown as a local mailbox. The text of a sent mail is
-- blanked, because it may carry a sign-in link.
CREATE TABLE mails (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    recipient       text NOT NULL,
    subject         text NOT NULL,
    body            text,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    sent_at         timestamptz,
    last_error      text
);
CREATE INDEX mails_newest ON mails (organization_id, created_at DESC, id);
CALL app.protect('mails');
CALL app.let_workers_find('mails', 'SELECT, DELETE');
