-- Money. An attempt is one try to be paid for one order, by one provider; its id is the key under which the provider
-- charges, so that asking twice charges once. Nothing here knows what was sold: the ledger says for what it was.

CREATE TABLE payment_attempts (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    order_id        uuid NOT NULL,
    provider        text NOT NULL CHECK (provider IN ('free', 'test', 'stripe')),
    method          text CHECK (length(method) <= 200),        -- how, in the provider's words; never a card's number
    amount          bigint NOT NULL CHECK (amount >= 0),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    status          text NOT NULL DEFAULT 'started'
                        CHECK (status IN ('started', 'pending', 'captured', 'failed', 'unknown', 'abandoned')),
    surplus         boolean NOT NULL DEFAULT false,            -- captured, but its order is paid: it goes back
    provider_ref    text CHECK (length(provider_ref) <= 200),
    client_secret   text CHECK (length(client_secret) <= 500), -- with it the buyer's browser goes on at the provider
    failure_code    text,
    failure         text,
    refunded        bigint NOT NULL DEFAULT 0,                 -- asked back so far, whether it has arrived or not
    asked           integer NOT NULL DEFAULT 0,                -- how often the sweep has asked
    ask_at          timestamptz NOT NULL,                      -- when the sweep asks next
    give_up_at      timestamptz NOT NULL,                      -- what is pending then is called off
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK (NOT surplus OR status = 'captured'),
    CONSTRAINT payment_attempts_never_overrefunded
        CHECK (refunded BETWEEN 0 AND CASE WHEN status = 'captured' THEN amount ELSE 0 END)
) WITH (fillfactor = 80);
-- An order is paid once.
CREATE UNIQUE INDEX payment_attempts_paid ON payment_attempts (organization_id, order_id)
    WHERE status = 'captured' AND NOT surplus;
CREATE INDEX payment_attempts_order ON payment_attempts (organization_id, order_id);
CREATE UNIQUE INDEX payment_attempts_ref ON payment_attempts (provider, provider_ref) WHERE provider_ref IS NOT NULL;
-- The sweep's: those whose outcome is not known.
CREATE INDEX payment_attempts_due ON payment_attempts (ask_at) WHERE status IN ('started', 'pending', 'unknown');
CALL app.protect('payment_attempts', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('payment_attempts');

-- Money on its way back. Its id is the provider's key, as an attempt's is.
CREATE TABLE refunds (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    attempt_id      uuid NOT NULL,
    order_id        uuid NOT NULL,
    event_id        uuid NOT NULL,
    amount          bigint NOT NULL CHECK (amount > 0),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    status          text NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'unknown', 'done', 'failed')),
    reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    provider_ref    text,
    failure         text,
    asked           integer NOT NULL DEFAULT 0,
    ask_at          timestamptz NOT NULL DEFAULT app.clock(),
    requested_by    uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, attempt_id) REFERENCES payment_attempts (organization_id, id)
);
CREATE INDEX refunds_attempt ON refunds (organization_id, attempt_id);
CREATE INDEX refunds_order ON refunds (organization_id, order_id);
CREATE INDEX refunds_due ON refunds (ask_at) WHERE status IN ('requested', 'unknown');
CALL app.protect('refunds', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('refunds');

-- The ledger: what is posted stays. A debit is positive, a credit negative; the accounts are in payments/ledger.py.
CREATE TABLE ledger_transactions (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    kind            text NOT NULL,
    source_id       uuid NOT NULL,     -- the attempt or the refund that it is about
    order_id        uuid NOT NULL,
    event_id        uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, source_id, kind)
);
CREATE INDEX ledger_transactions_time ON ledger_transactions (organization_id, created_at, id);
CALL app.protect('ledger_transactions', 'SELECT, INSERT');

CREATE TABLE ledger_entries (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    transaction_id  uuid NOT NULL,
    position        smallint NOT NULL,
    account         text NOT NULL CHECK (account ~ '^[a-z]+(:[a-z]+)?$'),
    amount          bigint NOT NULL CHECK (amount <> 0),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    PRIMARY KEY (organization_id, transaction_id, position),
    FOREIGN KEY (organization_id, transaction_id) REFERENCES ledger_transactions (organization_id, id)
);
CALL app.protect('ledger_entries', 'SELECT, INSERT');

-- At the commit, so that a transaction's entries may be written one by one.
CREATE FUNCTION app.check_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ledger_entries e
               WHERE e.organization_id = NEW.organization_id AND e.transaction_id = NEW.transaction_id
               GROUP BY e.currency HAVING sum(e.amount) <> 0) THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON ledger_entries DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION app.check_balance();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_transactions
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();

-- What the test provider remembers, as a real one would at its own place: never written in a transaction of ours.
CREATE TABLE test_charges (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    key             uuid NOT NULL,          -- the attempt's or the refund's id
    kind            text NOT NULL CHECK (kind IN ('charge', 'refund')),
    method          text NOT NULL,
    amount          bigint NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'captured', 'declined', 'cancelled', 'refunded')),
    calls           integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, key)
);
CALL app.protect('test_charges', 'SELECT, INSERT, UPDATE');
