-- The statements of webhooks.

-- part: webhook
id, url, description, events, enabled, disabled_because, failures, failing_since, previous_secret_until, version,
created_at, updated_at

-- part: delivery
id, webhook_id, message_id, type, status, attempts, next_try_at, tried_at, left(body, 2048) AS request_body,
response_status, response_body, error, duration_ms, created_at

-- name: insert_webhook
-- Of several at once, each may be the last one that fits.
INSERT INTO webhooks (id, organization_id, url, description, events, enabled, secret)
SELECT $1, $2, $3, $4, $5, $6, $7
WHERE (SELECT count(*) FROM webhooks WHERE organization_id = $2) < $8
RETURNING {webhook};

-- name: webhook_by_id
SELECT {webhook} FROM webhooks WHERE organization_id = $1 AND id = $2;

-- name: lock_webhook
-- Not against new deliveries, which only refer to it.
SELECT {webhook} FROM webhooks WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE;

-- name: update_webhook
-- Enabling is a fresh start; disabling by hand is nobody's fault.
UPDATE webhooks
SET url = $3, description = $4, events = $5,
    disabled_because = CASE WHEN enabled <> $6 THEN NULL ELSE disabled_because END,
    failures = CASE WHEN $6 AND NOT enabled THEN 0 ELSE failures END,
    failing_since = CASE WHEN $6 AND NOT enabled THEN NULL ELSE failing_since END,
    enabled = $6, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {webhook};

-- name: rotate_secret
UPDATE webhooks
SET previous_secret = secret, previous_secret_until = app.clock() + $4, secret = $3, version = version + 1,
    updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {webhook};

-- name: delete_webhook
DELETE FROM webhooks WHERE organization_id = $1 AND id = $2;

-- name: list_webhooks
SELECT {webhook}
FROM webhooks
WHERE organization_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid))
ORDER BY created_at, id LIMIT $4;

-- name: wanting
-- Whose filters let a fact through. One that is being deleted is waited for, and then not there.
SELECT array_agg(id) FROM (
    SELECT id FROM webhooks WHERE organization_id = $1 AND enabled AND events && $2::text[] FOR KEY SHARE) w;

-- name: insert_deliveries
WITH put AS (
    INSERT INTO webhook_deliveries (id, organization_id, webhook_id, message_id, type, body, next_try_at)
    SELECT d.id, $1, d.webhook_id, $2, $3, $4, app.clock() FROM unnest($5::uuid[], $6::uuid[]) AS d (id, webhook_id)
    ON CONFLICT ON CONSTRAINT webhook_deliveries_once DO NOTHING
    RETURNING id
)
SELECT array_agg(id) FROM put;

-- name: insert_test
-- Claimed from the beginning: whoever makes it sends it.
INSERT INTO webhook_deliveries (id, organization_id, webhook_id, message_id, type, body, next_try_at, claimed_until)
VALUES ($1, $2, $3, $4, $5, $6, app.clock(), app.clock() + $7);

-- name: lock_tried
SELECT d.id, d.webhook_id, d.message_id, d.type, d.body, d.status, d.attempts, d.failures, d.claimed_until,
       w.url, w.enabled, w.secret, w.previous_secret, w.previous_secret_until
FROM webhook_deliveries d JOIN webhooks w ON w.organization_id = d.organization_id AND w.id = d.webhook_id
WHERE d.organization_id = $1 AND d.id = $2
FOR UPDATE OF d;

-- name: claim
UPDATE webhook_deliveries SET claimed_until = app.clock() + $3 WHERE organization_id = $1 AND id = $2;

-- name: finish
-- Only the try that it was: somebody else may have made it meanwhile.
UPDATE webhook_deliveries
SET status = $4, attempts = attempts + 1, failures = CASE WHEN $4 = 'delivered' THEN 0 ELSE failures + 1 END,
    next_try_at = app.clock() + $5::interval, claimed_until = NULL, tried_at = app.clock(),
    response_status = $6, response_body = $7, error = $8, duration_ms = $9
WHERE organization_id = $1 AND id = $2 AND attempts = $3 AND status = 'pending'
RETURNING {delivery};

-- name: note_success
UPDATE webhooks SET failures = 0, failing_since = NULL WHERE organization_id = $1 AND id = $2 AND failures > 0;

-- name: note_failure
UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, app.clock())
WHERE organization_id = $1 AND id = $2
RETURNING {webhook};

-- name: give_up
UPDATE webhooks SET enabled = false, disabled_because = $3, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2 AND enabled
RETURNING {webhook};

-- name: lock_delivery
SELECT {delivery} FROM webhook_deliveries WHERE organization_id = $1 AND webhook_id = $2 AND id = $3 FOR UPDATE;

-- name: ask_again
UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_try_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {delivery};

-- name: ask_failed_again
-- The oldest first, each a little later than the one before. One that waits already is not asked for twice.
WITH failed AS (
    SELECT id FROM webhook_deliveries
    WHERE organization_id = $1 AND webhook_id = $2 AND status = 'failed' AND created_at >= $3 AND type <> 'webhook.test'
    ORDER BY created_at, id LIMIT $4
    FOR UPDATE SKIP LOCKED
), placed AS (
    SELECT id, (row_number() OVER (ORDER BY id) - 1 + $5::integer) * $6::interval AS pause FROM failed
)
UPDATE webhook_deliveries d SET status = 'pending', failures = 0, next_try_at = app.clock() + p.pause
FROM placed p
WHERE d.organization_id = $1 AND d.id = p.id
RETURNING d.id, d.attempts, p.pause;

-- name: list_deliveries
SELECT {delivery}
FROM webhook_deliveries
WHERE organization_id = $1 AND webhook_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
ORDER BY created_at DESC, id DESC LIMIT $6;

-- name: owners
SELECT array_agg(email ORDER BY id) FROM users
WHERE organization_id = $1 AND role = 'owner' AND status = 'active' AND email IS NOT NULL;

-- name: forget_deliveries
-- What is done with; and tests whose sender died, as nobody tries them again.
DELETE FROM webhook_deliveries WHERE ctid IN (
    SELECT ctid FROM webhook_deliveries
    WHERE status <> 'pending' AND created_at < app.clock() - interval '30 days'
       OR status = 'pending' AND type = 'webhook.test' AND created_at < app.clock() - interval '1 day' LIMIT 1000);
