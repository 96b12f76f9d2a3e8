-- Mail: letters in text and HTML, and notices to everybody whom a change concerns.

-- A mail holds all that its delivery needs; `html` is blanked with `body` once it is sent. What is enclosed (tickets, a
-- calendar file) is only named here, and made when it is delivered.
ALTER TABLE mails
    ADD COLUMN template    text,
    ADD COLUMN about       uuid,   -- the fact that it tells of
    ADD COLUMN html        text,
    ADD COLUMN sender_name text,
    ADD COLUMN reply_to    text,
    ADD COLUMN enclosures  jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN attempts    integer NOT NULL DEFAULT 0,
    ADD COLUMN refused_at  timestamptz;   -- for good: no further attempt is made
-- Once for each fact and person, however often it is told.
CREATE UNIQUE INDEX mails_once ON mails (organization_id, about, template, lower(recipient)) WHERE about IS NOT NULL;
CREATE INDEX mails_sent ON mails (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mails_refused ON mails (refused_at) WHERE refused_at IS NOT NULL;

-- Something that everybody with a place in a show must know: written once, posted page by page.
CREATE TABLE notices (
    id              uuid NOT NULL,   -- the fact's
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,   -- no key: it outlives the show
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

-- Who is still to be told. Each person once, however many places they have; a page takes its rows away.
CREATE TABLE notice_recipients (
    organization_id uuid NOT NULL,
    notice_id       uuid NOT NULL,
    email           text NOT NULL,
    order_path      text,   -- their own page about it, if there is one
    FOREIGN KEY (organization_id, notice_id) REFERENCES notices (organization_id, id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED   -- people are gathered first, and a notice knows their number
);
CREATE UNIQUE INDEX notice_recipients_once ON notice_recipients (organization_id, notice_id, lower(email));
CALL app.protect('notice_recipients', 'SELECT, INSERT, DELETE');
