-- What leaves the program: emails, notices to everybody whom a change concerns, and webhooks.
--
-- An email is sent once for each fact and person, a webhook has one delivery for each message and address: the tables
-- refuse a second one. What was sent is blanked, because it may carry a sign-in link.


-- Email --------------------------------------------------------------------------------------------
-- Kept here until it is sent; without SMTP it stays and is shown as a local mailbox. An email holds all that its
-- delivery needs; `body` and `html` are blanked once it is sent. What is attached (tickets, a calendar file) is only
-- named here, and made when it is delivered.
CREATE TABLE mails (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    recipient       text NOT NULL,
    subject         text NOT NULL,
    body            text,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    sent_at         timestamptz,
    last_error      text,
    template        text,
    about           uuid,          -- the fact that it reports
    html            text,
    sender_name     text,
    reply_to        text,
    enclosures      jsonb NOT NULL DEFAULT '[]',
    attempts        integer NOT NULL DEFAULT 0,
    refused_at      timestamptz    -- for good: no further attempt is made
);
CREATE INDEX mails_newest ON mails (organization_id, created_at DESC, id);
-- Once for each fact and person, however often it is reported.
CREATE UNIQUE INDEX mails_once ON mails (organization_id, about, template, lower(recipient)) WHERE about IS NOT NULL;
CREATE INDEX mails_sent ON mails (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mails_refused ON mails (refused_at) WHERE refused_at IS NOT NULL;
-- Emails that were never sent are swept like those that were, and sign-in links much sooner.
CREATE INDEX mails_unsent ON mails (created_at) WHERE sent_at IS NULL;
CREATE INDEX mails_unsent_links ON mails (created_at) WHERE sent_at IS NULL AND template = 'sign_in_link';
CALL app.protect('mails');
CALL app.let_workers_find('mails', 'SELECT, DELETE');

-- The language of each address: emails go to addresses, and many who get one have no account. It is the one that they
-- last signed in with, or else first bought or joined a waitlist with; an address that is not here gets the
-- organisation's.
CREATE TABLE mail_readers (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text NOT NULL CHECK (email = lower(email)),
    language        text NOT NULL CHECK (language ~ '^[a-z]{2}$'),
    PRIMARY KEY (organization_id, email)
);
CALL app.protect('mail_readers', 'SELECT, INSERT, UPDATE');

-- Something that everybody with a ticket for an event must know: written once, sent page by page.
CREATE TABLE notices (
    id              uuid NOT NULL,   -- the fact's
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,   -- no key: it outlives the event
    template        text NOT NULL,
    letter          jsonb NOT NULL,
    total           integer NOT NULL CHECK (total > 0),
    posted          integer NOT NULL DEFAULT 0 CHECK (posted BETWEEN 0 AND total),
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    finished_at     timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK (finished_at IS NULL OR posted = total)
);
CREATE INDEX notices_of_event ON notices (organization_id, event_id, created_at, id);
CALL app.protect('notices', 'SELECT, INSERT, UPDATE');

-- Who is still to be notified. Each person once, however many tickets they have; a page deletes its rows.
CREATE TABLE notice_recipients (
    organization_id uuid NOT NULL,
    notice_id       uuid NOT NULL,
    email           text NOT NULL,
    order_path      text,   -- their own page about it, if there is one
    FOREIGN KEY (organization_id, notice_id) REFERENCES notices (organization_id, id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED   -- people are gathered first, and a notice has their number
);
CREATE UNIQUE INDEX notice_recipients_once ON notice_recipients (organization_id, notice_id, lower(email));
CALL app.protect('notice_recipients', 'SELECT, INSERT, DELETE');


-- Webhooks -----------------------------------------------------------------------------------------
-- The addresses at which an organisation wants to be notified. Signing needs the secret itself: it is sealed, not
-- hashed. After a rotation the former one signs too, for a day.
CREATE TABLE webhooks (
    id                    uuid NOT NULL UNIQUE,
    organization_id       uuid NOT NULL REFERENCES organizations (id),
    url                   text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    description           text NOT NULL DEFAULT '' CHECK (length(description) <= 200),
    events                text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 50),
    enabled               boolean NOT NULL DEFAULT true,
    disabled_because      text CHECK (disabled_because IN ('gone', 'failing')),  -- null: a person's own decision
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

-- One row for a message and an address: it is the log, and what an attempt is claimed by. `attempts` only ever grows,
-- and a job is for one of them: a job that runs twice finds its number gone. `failures` counts those since it was last
-- requested, and chooses the pause.
CREATE TABLE webhook_deliveries (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    webhook_id      uuid NOT NULL,
    message_id      uuid NOT NULL,
    type            text NOT NULL,
    body            text NOT NULL,      -- the same bytes in every attempt
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_try_at     timestamptz,
    claimed_until   timestamptz,        -- a worker is sending it; if that dies, it is free again from then on
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
-- The sweep's, across organisations: deliveries that are over, and tests of a webhook whose sender died.
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at) WHERE status <> 'pending';
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (created_at)
    WHERE status = 'pending' AND type = 'webhook.test';
CALL app.protect('webhook_deliveries');
CALL app.let_workers_find('webhook_deliveries', 'SELECT, DELETE');
