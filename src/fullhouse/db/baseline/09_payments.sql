-- Money: attempts to be paid, refunds, and the ledger.
--
-- An order is paid once, and no more is given back than was paid: the tables refuse it. What is posted to the ledger
-- stays, and every transaction balances. Nothing here knows what was sold: the ledger says which order money was for.

-- An attempt is one try to be paid for one order, by one provider; its id is the key under which the provider charges,
-- so that asking twice charges once.
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
    surplus         boolean NOT NULL DEFAULT false,            -- captured, but its order is paid: it is refunded
    provider_ref    text CHECK (length(provider_ref) <= 200),
    client_secret   text CHECK (length(client_secret) <= 500), -- with it the buyer's browser goes on at the provider
    failure_code    text,
    failure         text,
    refunded        bigint NOT NULL DEFAULT 0,                 -- requested back so far, whether it has arrived or not
    asked           integer NOT NULL DEFAULT 0,                -- how often the sweep has asked
    ask_at          timestamptz NOT NULL,                      -- when the sweep asks next
    give_up_at      timestamptz NOT NULL,                      -- what is pending then is cancelled
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
-- For the sweep: attempts whose outcome is unknown.
CREATE INDEX payment_attempts_due ON payment_attempts (ask_at) WHERE status IN ('started', 'pending', 'unknown');
CALL app.protect('payment_attempts', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('payment_attempts');

-- Money on its way back. Its id is the provider's key, as an attempt's is. Money that a provider refused to give back
-- is still owed: it is retried, or paid another way.
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
    -- Each try has a key of its own at the provider, which remembers its refusals too. A payment outside of the system
    -- is a try as well, so that each has its own entries in the ledger.
    tries           integer NOT NULL DEFAULT 1 CHECK (tries > 0),
    paid_outside    text CHECK (length(paid_outside) BETWEEN 1 AND 500),   -- how, in the words of the person who did it
    PRIMARY KEY (organization_id, id),
    CONSTRAINT refunds_outside CHECK (paid_outside IS NULL OR status = 'done'),
    FOREIGN KEY (organization_id, attempt_id) REFERENCES payment_attempts (organization_id, id)
);
CREATE INDEX refunds_attempt ON refunds (organization_id, attempt_id);
CREATE INDEX refunds_order ON refunds (organization_id, order_id);
CREATE INDEX refunds_event ON refunds (organization_id, event_id);
CREATE INDEX refunds_due ON refunds (ask_at) WHERE status IN ('requested', 'unknown');
-- A refund that was made at the provider itself is recorded once, however often it is reported.
CREATE UNIQUE INDEX refunds_ref ON refunds (organization_id, attempt_id, provider_ref) WHERE provider_ref IS NOT NULL;
CALL app.protect('refunds', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('refunds');


-- Ledger -------------------------------------------------------------------------------------------
-- What is posted stays. A debit is positive, a credit negative; payments/ledger/actions.py has the accounts.
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
CREATE INDEX ledger_transactions_order ON ledger_transactions (organization_id, order_id);
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


-- Providers ----------------------------------------------------------------------------------------
-- The test provider's own state, which a real one has in its own system: never written in a transaction of fullhouse.
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

-- What a provider reported about money that no organisation knows, or that is not as it was agreed. It may belong to no
-- organisation, so only the operator reads it: the application only adds to it.
CREATE TABLE parked_payments (
    provider    text NOT NULL,
    news_id     text NOT NULL CHECK (length(news_id) BETWEEN 1 AND 200),   -- the provider's: a repeat is stored once
    kind        text NOT NULL CHECK (length(kind) BETWEEN 1 AND 200),
    reason      text NOT NULL,
    said        jsonb NOT NULL,
    received_at timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (provider, news_id)
);
GRANT INSERT ON parked_payments TO fullhouse_app;
