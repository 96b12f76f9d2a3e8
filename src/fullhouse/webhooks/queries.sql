-- The statements of webhooks.

-- part: webhook
id, url, description, events, enabled, disabled_because, failures, failing_since, previous_secret_until, version,
created_at, updated_at

-- part: delivery
id, webhook_id, message_id, type, status, attempts, next_try_at, tried_at, left(body, 2048) AS request_body,
response_status, response_body, error, duration_ms, created_at

-- name: insert_webhook
-- Of concurrent inserts, each may be the last one within the limit.
INSERT INTO webhooks (id, organization_id, url, description, events, enabled, secret)
SELECT :id, :org, :url, :description, :events, :enabled, :secret
WHERE (SELECT count(*) FROM webhooks WHERE organization_id = :org) < :webhooks_max
RETURNING {webhook};

-- name: find_webhook
SELECT {webhook} FROM webhooks WHERE organization_id = :org AND id = :webhook_id;

-- name: lock_webhook
-- Does not block new deliveries, which only refer to it.
SELECT {webhook} FROM webhooks WHERE organization_id = :org AND id = :webhook_id FOR NO KEY UPDATE;

-- name: update_webhook
-- Enabling resets the failures; disabling by a person has no reason.
UPDATE webhooks
SET url = :url, description = :description, events = :events,
    disabled_because = CASE WHEN enabled <> :enabled THEN NULL ELSE disabled_because END,
    failures = CASE WHEN :enabled AND NOT enabled THEN 0 ELSE failures END,
    failing_since = CASE WHEN :enabled AND NOT enabled THEN NULL ELSE failing_since END,
    enabled = :enabled, version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND id = :webhook_id
RETURNING {webhook};

-- name: rotate_secret
UPDATE webhooks
SET previous_secret = secret, previous_secret_until = app.clock() + :overlap, secret = :secret, version = version + 1,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :webhook_id
RETURNING {webhook};

-- name: delete_webhook
DELETE FROM webhooks WHERE organization_id = :org AND id = :webhook_id;

-- name: list_webhooks
SELECT {webhook}
FROM webhooks
WHERE organization_id = :org AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: list_filters
SELECT array(SELECT DISTINCT unnest(events) FROM webhooks WHERE organization_id = :org AND enabled);

-- name: list_subscribed
-- Webhooks whose filters match a fact. Waits for one that is being deleted, and then leaves it out.
SELECT array_agg(id) FROM (
    SELECT id FROM webhooks WHERE organization_id = :org AND enabled AND events && :filters::text[] FOR KEY SHARE) w;

-- name: insert_deliveries
WITH put AS (
    INSERT INTO webhook_deliveries (id, organization_id, webhook_id, message_id, type, body, next_try_at)
    SELECT d.id, :org, d.webhook_id, :message_id, :type, :body, app.clock()
    FROM unnest(:ids::uuid[], :webhook_ids::uuid[]) AS d (id, webhook_id)
    ON CONFLICT ON CONSTRAINT webhook_deliveries_once DO NOTHING
    RETURNING id
)
SELECT array_agg(id) FROM put;

-- name: insert_test_delivery
-- Claimed from the beginning: the process that creates it sends it.
INSERT INTO webhook_deliveries (id, organization_id, webhook_id, message_id, type, body, next_try_at, claimed_until)
VALUES (:id, :org, :webhook_id, :message_id, :type, :body, app.clock(), app.clock() + :claim);

-- name: lock_attempt
SELECT d.id, d.webhook_id, d.message_id, d.type, d.body, d.status, d.attempts, d.failures, d.claimed_until,
       w.url, w.enabled, w.secret, w.previous_secret, w.previous_secret_until
FROM webhook_deliveries d JOIN webhooks w ON w.organization_id = d.organization_id AND w.id = d.webhook_id
WHERE d.organization_id = :org AND d.id = :delivery_id
FOR UPDATE OF d;

-- name: claim_delivery
UPDATE webhook_deliveries SET claimed_until = app.clock() + :claim WHERE organization_id = :org AND id = :delivery_id;

-- name: finish_attempt
-- Only if the attempt number is unchanged: another worker may have made this attempt meanwhile.
UPDATE webhook_deliveries
SET status = :status, attempts = attempts + 1, failures = CASE WHEN :status = 'delivered' THEN 0 ELSE failures + 1 END,
    next_try_at = app.clock() + :pause?::interval, claimed_until = NULL, tried_at = app.clock(),
    response_status = :response_status?, response_body = :response_body?, error = :error?, duration_ms = :duration_ms
WHERE organization_id = :org AND id = :delivery_id AND attempts = :attempts AND status = 'pending'
RETURNING {delivery};

-- name: record_success
UPDATE webhooks SET failures = 0, failing_since = NULL
WHERE organization_id = :org AND id = :webhook_id AND failures > 0;

-- name: record_failure
UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, app.clock())
WHERE organization_id = :org AND id = :webhook_id
RETURNING {webhook};

-- name: disable_webhook
UPDATE webhooks SET enabled = false, disabled_because = :reason, version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND id = :webhook_id AND enabled
RETURNING {webhook};

-- name: lock_delivery
SELECT {delivery} FROM webhook_deliveries
WHERE organization_id = :org AND webhook_id = :webhook_id AND id = :delivery_id FOR UPDATE;

-- name: reset_delivery
UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_try_at = app.clock()
WHERE organization_id = :org AND id = :delivery_id
RETURNING {delivery};

-- name: reset_failed_deliveries
-- The oldest first, each a little later than the one before. Pending ones are not selected again.
WITH failed AS (
    SELECT id FROM webhook_deliveries
    WHERE organization_id = :org AND webhook_id = :webhook_id AND status = 'failed' AND created_at >= :since
      AND type <> 'webhook.test'
    ORDER BY created_at, id LIMIT :limit
    FOR UPDATE SKIP LOCKED
), placed AS (
    SELECT id, (row_number() OVER (ORDER BY id) - 1 + :waiting::integer) * :pause::interval AS pause FROM failed
)
UPDATE webhook_deliveries d SET status = 'pending', failures = 0, next_try_at = app.clock() + p.pause
FROM placed p
WHERE d.organization_id = :org AND d.id = p.id
RETURNING d.id, d.attempts, p.pause;

-- name: list_deliveries
SELECT {delivery}
FROM webhook_deliveries
WHERE organization_id = :org AND webhook_id = :webhook_id AND (:status?::text IS NULL OR status = :status)
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) < (:after_at, :after_id?::uuid))
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: list_owner_emails
SELECT array_agg(email ORDER BY id) FROM users
WHERE organization_id = :org AND role = 'owner' AND status = 'active' AND email IS NOT NULL;

-- name: delete_old_deliveries
-- Finished deliveries; and tests whose sender died, because they are never retried.
DELETE FROM webhook_deliveries WHERE ctid IN (
    SELECT ctid FROM webhook_deliveries
    WHERE status <> 'pending' AND created_at < app.clock() - interval '30 days'
       OR status = 'pending' AND type = 'webhook.test' AND created_at < app.clock() - interval '1 day' LIMIT 1000);
