-- Messaging: which facts the broker has, which the house itself has reacted to, and who takes part in a show.
-- docs/adr/0018-relay.md says why.

-- `sent_at`: the broker has confirmed it. `handled_at`: every reaction of the house has run, or is owed. The two know
-- nothing of each other: a broker that is away delays no mail, and one that is switched on later gets what waits.
ALTER TABLE outbox ADD COLUMN handled_at timestamptz, ADD COLUMN parked_at timestamptz;
DROP INDEX outbox_unsent, outbox_sent;
CREATE INDEX outbox_unsent ON outbox (seq) WHERE sent_at IS NULL AND parked_at IS NULL;
CREATE INDEX outbox_unhandled ON outbox (seq) WHERE handled_at IS NULL;
-- What the broker refused stands before its subject's later facts. Nearly always empty, so that writing a fact costs
-- no index on subjects.
CREATE INDEX outbox_refused ON outbox (subject_id, seq)
    WHERE sent_at IS NULL AND parked_at IS NULL AND attempts > 0;
CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;
CREATE INDEX outbox_handled ON outbox (handled_at) WHERE handled_at IS NOT NULL;

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

-- Reactions that failed and are tried again, in the order of their subject; after the last attempt they are parked.
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

-- Who takes part in a show, by what others told us (`join.confirmed`, `join.canceled`). The last word counts, by the
-- time at which it was said: an older one that comes late changes nothing.
CREATE TABLE participations (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    join_id         uuid NOT NULL,
    active          boolean NOT NULL,
    said_at         timestamptz NOT NULL,
    PRIMARY KEY (organization_id, event_id, join_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('participations', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('participations');

ALTER TABLE event_stats ADD COLUMN active_participants integer NOT NULL DEFAULT 0 CHECK (active_participants >= 0);
