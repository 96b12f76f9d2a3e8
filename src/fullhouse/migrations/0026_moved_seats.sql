-- A layout was changed after sales, and tickets were issued again for other seats: what their holders say to it. Whoever
-- got an equal or better seat and says nothing keeps it; whoever has no seat any more has the money back in the end.
CREATE TABLE ticket_moves (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    ticket_id       uuid NOT NULL,
    migration_id    uuid NOT NULL,
    event_id        uuid NOT NULL,
    from_place      text NOT NULL,
    to_place        text,               -- null: there is no seat for it
    respond_by      timestamptz NOT NULL,
    answer          text CHECK (answer IN ('accepted', 'refunded')),
    answered_at     timestamptz,
    PRIMARY KEY (organization_id, migration_id, ticket_id),
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets (organization_id, id)
);
CREATE INDEX ticket_moves_ticket ON ticket_moves (organization_id, ticket_id);
CREATE INDEX ticket_moves_due ON ticket_moves (respond_by) WHERE answer IS NULL;
CALL app.protect('ticket_moves', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('ticket_moves');
