-- What operators and sweeps look for among messages is found without reading a whole table.

-- `fullhouse messages resend` goes through the outbox by when facts were made. It grows in that order, so that a few bytes
-- for many pages do; an ordinary index would cost every fact of a sale.
CREATE INDEX outbox_created ON outbox USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);

-- Mails that never left: swept like those that did, and ways in much sooner.
CREATE INDEX mails_unsent ON mails (created_at) WHERE sent_at IS NULL;
CREATE INDEX mails_unsent_links ON mails (created_at) WHERE sent_at IS NULL AND template = 'sign_in_link';

-- Jobs that were given up are counted every few seconds, however many others wait.
CREATE INDEX queue_failed ON jobs.queue (id) WHERE status = 'failed';

-- Tests of a webhook whose sender died.
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (created_at) WHERE status = 'pending' AND type = 'webhook.test';
