-- Organisations, and the tables that every domain writes to in its own transaction: audit, outbox, idempotency keys.
--
-- An audit row and a fact are written in the transaction of the change that they describe, or not at all. Every table
-- with an organization_id is under row-level security (app.protect). Consumers deduplicate by a row of their own.


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
-- Append-only, by month, so that old months can be detached as a whole. No foreign keys: it outlives what it describes.
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
CALL app.protect('audit_log', 'SELECT, INSERT');

-- The catch-all: a row is never refused because a month's partition is missing.
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
ALTER TABLE audit_log_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log_default FORCE ROW LEVEL SECURITY;
SELECT app.make_audit_months();


-- Outbox -------------------------------------------------------------------------------------------
-- A fact is written in the transaction of the change that it describes. `seq` orders facts of one subject; it is never
-- used as "everything after n", because transactions commit out of order. No foreign key: a row is written in its
-- organisation's own transaction, and checking the key would cost as much as the row.
--
-- `sent_at`: the broker has confirmed it. `handled_at`: every async handler of the program has run, or is to be retried
-- (owed_reactions). The two are independent: an unavailable broker delays no email, and one that is enabled later gets
-- what waits. docs/adr/0018-relay.md says why.
CREATE TABLE outbox (
    id              uuid PRIMARY KEY,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    organization_id uuid NOT NULL,
    name            text NOT NULL,
    subject_id      uuid NOT NULL,
    payload         jsonb NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    due_at          timestamptz NOT NULL DEFAULT app.clock(),
    sent_at         timestamptz,
    attempts        integer NOT NULL DEFAULT 0,
    last_error      text,
    handled_at      timestamptz,
    parked_at       timestamptz
);
CREATE INDEX outbox_unsent ON outbox (seq) WHERE sent_at IS NULL AND parked_at IS NULL;
CREATE INDEX outbox_unhandled ON outbox (seq) WHERE handled_at IS NULL;
-- What the broker refused goes before its subject's later facts. Nearly always empty, so that writing a fact costs no
-- index on subjects.
CREATE INDEX outbox_refused ON outbox (subject_id, seq)
    WHERE sent_at IS NULL AND parked_at IS NULL AND attempts > 0;
CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;
CREATE INDEX outbox_handled ON outbox (handled_at) WHERE handled_at IS NOT NULL;
-- `fullhouse messages resend` reads the outbox by when facts were made. It grows in that order, so that a few bytes for
-- many pages are enough; an ordinary index would cost every fact of a sale.
CREATE INDEX outbox_created ON outbox USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
CALL app.protect('outbox', 'SELECT, INSERT');
CALL app.let_workers_find('outbox', 'SELECT, UPDATE, DELETE');

-- The outbox under the names of the event service's own document. Row-level security is the table's.
CREATE VIEW event_outbox WITH (security_invoker = true) AS
SELECT seq AS id, id AS message_id, name AS routing_key, payload AS body, created_at, sent_at, attempts, last_error
FROM outbox;
GRANT SELECT ON event_outbox TO fullhouse_app, fullhouse_worker, fullhouse_auditor;

-- A consumer's dedupe row, written in the transaction of its effect.
CREATE TABLE processed_messages (
    organization_id uuid NOT NULL,
    consumer        text NOT NULL,
    message_id      uuid NOT NULL,
    processed_at    timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, consumer, message_id)
);
CREATE INDEX processed_messages_age ON processed_messages USING brin (processed_at);
CALL app.protect('processed_messages', 'SELECT, INSERT');
CALL app.let_workers_find('processed_messages', 'SELECT, DELETE');

-- Async handlers that failed and are retried, in the order of their subject; after the last attempt they are
-- dead-lettered (`parked_at`).
CREATE TABLE owed_reactions (
    organization_id uuid NOT NULL,
    consumer        text NOT NULL,
    message_id      uuid NOT NULL,
    subject_id      uuid NOT NULL,
    seq             bigint NOT NULL,
    attempts        integer NOT NULL,
    due_at          timestamptz NOT NULL,
    last_error      text,
    parked_at       timestamptz,
    PRIMARY KEY (organization_id, consumer, message_id)
);
CREATE INDEX owed_reactions_due ON owed_reactions (due_at) WHERE parked_at IS NULL;
CREATE INDEX owed_reactions_order ON owed_reactions (organization_id, subject_id, consumer, seq)
    WHERE parked_at IS NULL;
CREATE INDEX owed_reactions_message ON owed_reactions (message_id);
CALL app.protect('owed_reactions', 'SELECT, INSERT');
CALL app.let_workers_find('owed_reactions', 'SELECT, UPDATE, DELETE');


-- Idempotency --------------------------------------------------------------------------------------
-- The row is inserted in the effect's own transaction: its key is what makes a second effect impossible.
CREATE TABLE idempotency_keys (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    principal       text NOT NULL,
    route           text NOT NULL,
    key             text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    body_hash       bytea NOT NULL,
    status          smallint,
    answer          bytea,     -- sealed: some responses carry a secret that is stored nowhere else
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, principal, route, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CALL app.protect('idempotency_keys', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('idempotency_keys', 'SELECT, DELETE');
