-- Facts and what follows from them.

-- name: delivered
-- As far as a database can tell: no fact is passed over. That all of them are late is for the metrics to say; that one
-- is late while later ones went long ago is a loss, unless it waits behind one that the broker refuses.
SELECT format('fact %s (%s) of %s was passed over: the house never reacted', id, name, created_at)
FROM outbox
WHERE handled_at IS NULL AND created_at < app.clock() - interval '15 minutes'
  AND seq < (SELECT max(seq) FROM outbox WHERE handled_at < app.clock() - interval '1 minute')
UNION ALL
SELECT format('fact %s (%s) of %s was passed over: the broker never got it', id, name, created_at)
FROM outbox o
WHERE sent_at IS NULL AND parked_at IS NULL AND due_at < app.clock() - interval '15 minutes'
  -- One that was sent when it was written is of a history that the relay never had: the demo's.
  AND seq < (SELECT max(seq) FROM outbox WHERE sent_at < app.clock() - interval '1 minute' AND sent_at > created_at)
  AND NOT EXISTS (SELECT FROM outbox r WHERE r.sent_at IS NULL AND r.parked_at IS NULL AND r.attempts > 0
                  AND r.subject_id = o.subject_id AND r.seq < o.seq)
UNION ALL
SELECT format('fact %s is there %s times', id, count(*)) FROM outbox GROUP BY id HAVING count(*) > 1
UNION ALL
SELECT format('fact %s was processed %s times by %s', message_id, count(*), consumer)
FROM processed_messages GROUP BY organization_id, consumer, message_id HAVING count(*) > 1
UNION ALL
SELECT format('%s owes a reaction to fact %s, which is not there', consumer, message_id)
FROM owed_reactions w WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.id = w.message_id);

-- name: participants
SELECT format('show %s counts %s participants where %s take part', event_id, s.active_participants,
              coalesce(p.active, 0))
FROM event_stats s
LEFT JOIN (SELECT organization_id, event_id, count(*) FILTER (WHERE active) AS active
           FROM participations GROUP BY 1, 2) p USING (organization_id, event_id)
WHERE s.active_participants <> coalesce(p.active, 0);

-- name: announced
-- What a change must have announced. Facts are kept for a week, so younger changes are asked, and those older than the
-- moment in which a transaction may still be under way are all committed with their fact or not at all.
WITH expected AS (
    SELECT organization_id, 'order' AS entity, id, paid_at AS at, 'order.paid' AS fact
    FROM orders WHERE paid_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', id, issued_at, 'ticket.issued' FROM tickets
    UNION ALL SELECT organization_id, 'ticket', id, voided_at, 'ticket.voided' FROM tickets WHERE voided_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', id, transferred_at, 'ticket.transferred'
              FROM tickets WHERE transferred_at IS NOT NULL
    UNION ALL SELECT organization_id, 'order', order_id, created_at, 'order.refunded' FROM order_refunds
    UNION ALL SELECT organization_id, 'refund', id, updated_at, 'refund.' || status
              FROM refunds WHERE status IN ('done', 'failed')
    UNION ALL SELECT organization_id, 'order', id, updated_at, 'order.' || status
              FROM orders WHERE status IN ('needs_consent', 'cancelled')
    UNION ALL SELECT organization_id, 'event', id, published_at, 'event.published'
              FROM events WHERE published_at IS NOT NULL AND status IN ('published', 'live', 'ended')
    UNION ALL SELECT organization_id, 'event', id, cancelled_at, 'event.canceled' FROM events WHERE status = 'cancelled'
)
SELECT format('%s %s was never announced: there is no fact %s of it', e.entity, e.id, e.fact)
FROM expected e
WHERE e.at > app.clock() - interval '6 days' AND NOT EXISTS (
    SELECT FROM outbox o WHERE o.organization_id = e.organization_id AND o.subject_id = e.id AND o.name = e.fact);

-- name: mailed
-- Whoever must hear of a fact has a mail about it, once the reaction that writes it has run.
SELECT format('nobody was written to about fact %s (%s) of %s', o.id, o.name, o.subject_id)
FROM outbox o
JOIN (VALUES ('order.paid', 'send_tickets'), ('order.refunded', 'tell_refunded'), ('order.cancelled', 'tell_called_off'),
             ('order.paid_twice', 'tell_paid_twice'), ('ticket.transferred', 'tell_transfer')) w (name, writer)
    ON w.name = o.name
JOIN processed_messages p ON p.organization_id = o.organization_id AND p.message_id = o.id
                         AND p.consumer = 'fullhouse.messaging.handout_actions.Handout.' || w.writer
WHERE coalesce(o.payload ->> 'refunded', o.payload ->> 'amount', '1') <> '0'   -- of money, only where there is some
  AND NOT EXISTS (SELECT FROM mails m WHERE m.organization_id = o.organization_id AND m.about = o.id);
