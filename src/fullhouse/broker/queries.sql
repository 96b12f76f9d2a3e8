-- Participations, and an operator's queries of the outbox.

-- name: lock_event
-- Locked against deletion until the transaction ends.
SELECT true FROM events WHERE organization_id = :org AND id = :event_id FOR KEY SHARE;

-- name: insert_count
INSERT INTO event_stats (organization_id, event_id, heat)
VALUES (:org, :event_id, app.heat(NULL, 1)) ON CONFLICT DO NOTHING;

-- name: lock_count
-- One at a time for each event: the former state of a participation must not change meanwhile.
SELECT active_participants FROM event_stats WHERE organization_id = :org AND event_id = :event_id FOR UPDATE;

-- name: record_join
-- Returns by how much the event's count changes. Of two messages with the same time the cancellation counts.
WITH was AS (
    SELECT active FROM participations WHERE organization_id = :org AND event_id = :event_id AND join_id = :join_id
), said AS (
    INSERT INTO participations AS p (organization_id, event_id, join_id, active, said_at)
    VALUES (:org, :event_id, :join_id, :active, :said_at)
    ON CONFLICT (organization_id, event_id, join_id) DO UPDATE SET active = excluded.active, said_at = excluded.said_at
    WHERE (excluded.said_at, NOT excluded.active) > (p.said_at, NOT p.active)
    RETURNING active
)
SELECT coalesce((SELECT active::integer FROM said)
                - coalesce((SELECT active::integer FROM was), 0), 0);

-- name: change_count
UPDATE event_stats SET active_participants = active_participants + :change
WHERE organization_id = :org AND event_id = :event_id;

-- name: set_count
-- Recounted from the active participations.
UPDATE event_stats
SET active_participants = (SELECT count(*) FROM participations p
                           WHERE p.organization_id = :org AND p.event_id = :event_id AND p.active)
WHERE organization_id = :org AND event_id = :event_id
RETURNING active_participants;

-- name: list_miscounted
SELECT s.organization_id, s.event_id
FROM event_stats s
LEFT JOIN (SELECT organization_id, event_id, count(*) FILTER (WHERE active) AS active
           FROM participations GROUP BY 1, 2) p USING (organization_id, event_id)
WHERE s.active_participants <> coalesce(p.active, 0)
ORDER BY 1, 2;

-- name: organization_exists
SELECT true FROM organizations WHERE id = :organization_id;

-- name: count_backlog
-- Counted up to a bound: a longer count every few seconds would cost more than it tells.
SELECT (SELECT count(*) FROM (SELECT FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL LIMIT 100000) u) AS unsent,
       (SELECT count(*) FROM (SELECT FROM outbox WHERE handled_at IS NULL LIMIT 100000) u) AS unhandled,
       (SELECT count(*) FROM outbox WHERE parked_at IS NOT NULL) AS parked_facts,
       (SELECT count(*) FROM owed_reactions WHERE parked_at IS NULL) AS owed,
       (SELECT count(*) FROM owed_reactions WHERE parked_at IS NOT NULL) AS parked_reactions,
       (SELECT count(*) FROM jobs.queue WHERE status = 'failed') AS failed_jobs,
       coalesce(extract(epoch FROM app.clock() - (SELECT created_at FROM outbox
           WHERE sent_at IS NULL AND parked_at IS NULL ORDER BY seq LIMIT 1)), 0)::double precision AS unsent_s,
       coalesce(extract(epoch FROM app.clock() - (SELECT created_at FROM outbox
           WHERE handled_at IS NULL ORDER BY seq LIMIT 1)), 0)::double precision AS unhandled_s;

-- name: count_mail_backlog
-- Counted up to a bound, as above. An email is given up with its job; `fullhouse jobs --retry` tries both again.
WITH given_up AS (
    SELECT m.id
    FROM jobs.queue q
    CROSS JOIN LATERAL (SELECT convert_from(q.payload, 'UTF8')::jsonb AS job) p
    CROSS JOIN LATERAL jsonb_array_elements_text(p.job #> '{payload,mail_ids}') AS listed (id)
    JOIN mails m ON m.organization_id = (p.job ->> 'organization_id')::uuid AND m.id = listed.id::uuid
    WHERE q.status = 'failed' AND q.entrypoint = 'mail.deliver'
      AND m.sent_at IS NULL AND m.refused_at IS NULL AND m.body IS NOT NULL
), unsent AS (
    SELECT id, last_error, created_at FROM mails
    WHERE sent_at IS NULL AND refused_at IS NULL AND body IS NOT NULL ORDER BY created_at LIMIT 100000
)
SELECT count(*) FILTER (WHERE last_error IS NULL) AS waiting,
       count(*) FILTER (WHERE last_error IS NOT NULL) AS delayed,
       (SELECT count(*) FROM given_up) AS given_up,
       coalesce(extract(epoch FROM app.clock() - min(created_at)), 0)::double precision AS oldest_s
FROM unsent WHERE id NOT IN (SELECT id FROM given_up);

-- name: list_dead_lettered
SELECT 'broker' AS consumer, id AS message_id, organization_id, name, subject_id, attempts, parked_at, last_error
FROM outbox WHERE parked_at IS NOT NULL
UNION ALL
SELECT w.consumer, w.message_id, w.organization_id, o.name, w.subject_id, w.attempts, w.parked_at, w.last_error
FROM owed_reactions w JOIN outbox o ON o.id = w.message_id
WHERE w.parked_at IS NOT NULL
ORDER BY parked_at, message_id;

-- name: retry_facts
-- Null means all that are dead-lettered.
UPDATE outbox SET parked_at = NULL, attempts = 0, due_at = app.clock()
WHERE parked_at IS NOT NULL AND (:fact_ids?::uuid[] IS NULL OR id = ANY (:fact_ids));

-- name: retry_handler_calls
UPDATE owed_reactions SET parked_at = NULL, attempts = 0, due_at = app.clock()
WHERE parked_at IS NOT NULL AND (:message_ids?::uuid[] IS NULL OR message_id = ANY (:message_ids));

-- name: give_up_facts
-- They are never sent to the broker, and stored as long as any other.
UPDATE outbox SET parked_at = NULL, sent_at = app.clock() WHERE parked_at IS NOT NULL AND id = ANY (:fact_ids);

-- name: give_up_handler_calls
DELETE FROM owed_reactions WHERE parked_at IS NOT NULL AND message_id = ANY (:message_ids);

-- name: resend
UPDATE outbox SET sent_at = NULL, attempts = 0, due_at = app.clock()
WHERE sent_at IS NOT NULL AND created_at >= :since AND created_at < :until
  AND (:pattern?::text IS NULL OR name LIKE :pattern);

-- name: delete_old_facts
-- A week after all consumers had it. What is still to be sent to the broker stays.
DELETE FROM outbox WHERE id IN (
    SELECT id FROM outbox o
    WHERE handled_at < app.clock() - interval '7 days' AND sent_at < app.clock() - interval '7 days'
      AND parked_at IS NULL AND NOT EXISTS (SELECT FROM owed_reactions w WHERE w.message_id = o.id)
    LIMIT 1000);

-- name: delete_old_facts_without_broker
-- The same without a broker: one that is configured later gets the facts of the last week.
DELETE FROM outbox WHERE id IN (
    SELECT id FROM outbox o
    WHERE handled_at < app.clock() - interval '7 days' AND coalesce(sent_at,
        created_at) < app.clock() - interval '7 days'
      AND parked_at IS NULL AND NOT EXISTS (SELECT FROM owed_reactions w WHERE w.message_id = o.id)
    LIMIT 1000);

-- name: delete_old_processed
-- Long after the fact's outbox row is deleted: a broker may deliver a message again days later.
DELETE FROM processed_messages WHERE ctid IN (
    SELECT ctid FROM processed_messages WHERE processed_at < app.clock() - interval '30 days' LIMIT 1000);
