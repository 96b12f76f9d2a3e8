-- Refunds of orders that were decided: by staff, or because an event was cancelled.
--
-- A cancellation refunds an order once, whatever fails meanwhile. An order that cannot be refunded hinders no other: it
-- is retried. The money itself is in `refunds` (09_payments.sql).

-- What was refunded of an order, and why. Its id is the refund's, if money goes back: free tickets are returned too.
CREATE TABLE order_refunds (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    order_id        uuid NOT NULL,
    event_id        uuid NOT NULL,
    amount          bigint NOT NULL CHECK (amount >= 0),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    fees            text NOT NULL CHECK (fees IN ('keep', 'return')),
    ticket_ids      uuid[] NOT NULL,
    reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    batch           boolean NOT NULL DEFAULT false,     -- by the cancellation of its event
    requested_by    uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, order_id) REFERENCES orders (organization_id, id)
);
-- A cancellation refunds an order once, whatever fails meanwhile.
CREATE UNIQUE INDEX order_refunds_once ON order_refunds (organization_id, order_id) WHERE batch;
CREATE INDEX order_refunds_order ON order_refunds (organization_id, order_id);
CREATE INDEX order_refunds_event ON order_refunds (organization_id, event_id);
CALL app.protect('order_refunds', 'SELECT, INSERT');

-- A cancelled event whose orders are refunded, one by one. Its progress is stored in the orders.
CREATE TABLE refund_batches (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    status          text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
    orders          integer NOT NULL CHECK (orders > 0),
    reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    look_at         timestamptz NOT NULL DEFAULT app.clock(),   -- when a worker goes on with it
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    finished_at     timestamptz CHECK ((finished_at IS NOT NULL) = (status = 'done')),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
);
CREATE INDEX refund_batches_due ON refund_batches (look_at) WHERE status = 'running';
CALL app.protect('refund_batches', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('refund_batches');

-- An order that could not be refunded: it is retried, later and later.
CREATE TABLE refund_failures (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    order_id        uuid NOT NULL,
    error           text NOT NULL,
    tries           integer NOT NULL DEFAULT 1,
    try_at          timestamptz NOT NULL,
    PRIMARY KEY (organization_id, order_id),
    FOREIGN KEY (organization_id, order_id) REFERENCES orders (organization_id, id)
);
CREATE INDEX refund_failures_event ON refund_failures (organization_id, event_id);
CALL app.protect('refund_failures');
