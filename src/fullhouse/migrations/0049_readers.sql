-- In which language somebody reads, by their address: letters go to addresses, and many who get one have no account. It is
-- what they signed in with the last time, or else first bought or waited with; whoever is not here is written to as the
-- organisation speaks.
CREATE TABLE mail_readers (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text NOT NULL CHECK (email = lower(email)),
    language        text NOT NULL CHECK (language ~ '^[a-z]{2}$'),
    PRIMARY KEY (organization_id, email)
);
CALL app.protect('mail_readers', 'SELECT, INSERT, UPDATE');
