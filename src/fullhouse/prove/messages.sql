-- Facts, their handlers and their emails.

-- name: delivered
-- As far as the database shows: no fact is skipped. If all are late, the metrics show it; if one is late while later ones
-- were processed long ago, it is lost, unless it waits behind one that the broker rejects.
SELECT format('fact %s (%s) of %s was skipped: it was never handled', id, name, created_at)
FROM outbox
WHERE handled_at IS NULL AND created_at < app.clock() - interval '15 minutes'
  AND seq < (SELECT max(seq) FROM outbox WHERE handled_at < app.clock() - interval '1 minute')
UNION ALL
SELECT format('fact %s (%s) of %s was skipped: it was never sent to the broker', id, name, created_at)
FROM outbox o
WHERE sent_at IS NULL AND parked_at IS NULL AND due_at < app.clock() - interval '15 minutes'
  -- The demo's facts are written as sent already: the relay never had them.
  AND seq < (SELECT max(seq) FROM outbox WHERE sent_at < app.clock() - interval '1 minute' AND sent_at > created_at)
  AND NOT EXISTS (SELECT FROM outbox r WHERE r.sent_at IS NULL AND r.parked_at IS NULL AND r.attempts > 0
                  AND r.subject_id = o.subject_id AND r.seq < o.seq)
UNION ALL
SELECT format('fact %s is there %s times', id, count(*)) FROM outbox GROUP BY id HAVING count(*) > 1
UNION ALL
SELECT format('fact %s was processed %s times by %s', message_id, count(*), consumer)
FROM processed_messages GROUP BY organization_id, consumer, message_id HAVING count(*) > 1
UNION ALL
SELECT format('%s is to retry fact %s, which does not exist', consumer, message_id)
FROM owed_reactions w WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.id = w.message_id);

-- name: participants
SELECT format('event %s counts %s participants where %s take part', event_id, s.active_participants,
              coalesce(p.active, 0))
FROM event_stats s
LEFT JOIN (SELECT organization_id, event_id, count(*) FILTER (WHERE active) AS active
           FROM participations GROUP BY 1, 2) p USING (organization_id, event_id)
WHERE s.active_participants <> coalesce(p.active, 0);

-- name: announced
-- The fact that each change must have. Facts are stored for a week, so only changes of the last six days are checked; a
-- change and its fact are committed together. Where a row does not show when it changed, or changes several times, its
-- audit rows do: each has a fact of its own.
WITH expected AS (
    SELECT organization_id, 'order' AS entity, id, paid_at AS at, 'order.paid' AS fact
    FROM orders WHERE paid_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', id, issued_at, 'ticket.issued' FROM tickets
    UNION ALL SELECT organization_id, 'ticket', id, voided_at, 'ticket.voided' FROM tickets WHERE voided_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', id, transferred_at, 'ticket.transferred'
              FROM tickets WHERE transferred_at IS NOT NULL
    UNION ALL SELECT organization_id, 'payment', source_id, created_at, 'payment.captured'
              FROM ledger_transactions WHERE kind = 'capture'
    UNION ALL SELECT t.organization_id, 'order', t.order_id, t.created_at, 'order.paid_twice'
              FROM ledger_transactions t
              JOIN payment_attempts a ON a.organization_id = t.organization_id AND a.id = t.source_id AND a.surplus
              WHERE t.kind = 'capture'
    UNION ALL SELECT organization_id, 'order', order_id, created_at, 'order.refunded' FROM order_refunds
    UNION ALL SELECT organization_id, 'event', id, published_at, 'event.published'
              FROM events WHERE published_at IS NOT NULL AND status IN ('published', 'live', 'ended')
    UNION ALL SELECT organization_id, 'event', id, cancelled_at, 'event.canceled' FROM events WHERE status = 'cancelled'
    UNION ALL SELECT a.organization_id, w.entity, a.entity_id, a.created_at, w.fact
              FROM audit_log a
              JOIN (VALUES ('event', 'event.start', 'event.started'), ('event', 'event.end', 'event.ended'),
                           ('event', 'event.postpone', 'event.postponed'),
                           ('event', 'event.reschedule', 'event.rescheduled'),
                           ('order', 'order.needs_consent', 'order.needs_consent'),
                           ('order', 'order.cancelled', 'order.cancelled'),
                           ('payment', 'payment.failed', 'payment.failed'),
                           ('refund', 'refund.requested', 'refund.requested'), ('refund', 'refund.done', 'refund.done'),
                           ('refund', 'refund.failed', 'refund.failed')) w (entity, action, fact) USING (action)
)
SELECT format('%s %s was never announced: there is no fact %s of it', e.entity, e.id, e.fact)
FROM (SELECT organization_id, entity, id, fact, count(*) AS times FROM expected
      WHERE at > app.clock() - interval '6 days' GROUP BY 1, 2, 3, 4) e
LEFT JOIN (SELECT organization_id, subject_id AS id, name AS fact, count(*) AS times FROM outbox GROUP BY 1, 2, 3) o
    USING (organization_id, id, fact)
WHERE e.times > coalesce(o.times, 0);

-- name: mailed
-- An async handler that has run wrote its email, unless there was no reason for one: no money moved, or the offer had
-- ended. An offer that is still open was open then. A notice has an email for each person that it counts as posted, and a
-- fact that concerns ticket holders has a notice.
WITH letters (fact, consumer, template) AS (VALUES
    ('order.paid', 'tickets.email', 'order_confirmed'),
    ('order.refunded', 'refunds.email', 'order_refunded'),
    ('order.cancelled', 'orders.email_cancelled', 'order_called_off'),
    ('order.paid_twice', 'orders.email_paid_twice', 'paid_twice'),
    ('order.needs_consent', 'orders.email_other_seats', 'other_seats'),
    ('ticket.transferred', 'tickets.email_transfer', 'ticket_received'),
    ('ticket.transferred', 'tickets.email_transfer', 'ticket_sent'),
    ('waitlist.joined', 'waitlist.email_joined', 'waiting_list_joined'),
    ('waitlist.offered', 'waitlist.email_offered', 'waiting_list_offer'),
    ('waitlist.lapsed', 'waitlist.email_lapsed', 'waiting_list_lapsed'),
    ('event.layout_migrated', 'tickets.email_moved_seats', 'seats_moved')
), handled AS (
    SELECT o.*, p.consumer, p.processed_at
    FROM outbox o JOIN processed_messages p ON p.organization_id = o.organization_id AND p.message_id = o.id
)
SELECT format('fact %s (%s) of %s has no email %s', h.id, h.name, h.subject_id, l.template)
FROM handled h JOIN letters l ON l.fact = h.name AND h.consumer = l.consumer
WHERE CASE l.template
          WHEN 'order_refunded' THEN h.payload ->> 'amount' <> '0'
          WHEN 'order_called_off' THEN h.payload ->> 'refunded' <> '0'
          WHEN 'other_seats' THEN EXISTS (
              SELECT FROM orders o WHERE o.organization_id = h.organization_id AND o.id = h.subject_id
              AND o.status = 'needs_consent' AND o.consent_by > h.processed_at)
          WHEN 'waiting_list_offer' THEN EXISTS (
              SELECT FROM waitlist_entries e WHERE e.organization_id = h.organization_id AND e.id = h.subject_id
              AND e.status = 'offered' AND e.answer_by = (h.payload ->> 'answer_by')::timestamptz)
          WHEN 'seats_moved' THEN EXISTS (
              SELECT FROM ticket_moves m WHERE m.organization_id = h.organization_id
              AND m.migration_id = (h.payload ->> 'migration_id')::uuid)
          ELSE true END
  AND NOT EXISTS (SELECT FROM mails m WHERE m.organization_id = h.organization_id AND m.about = h.id
                  AND m.template = l.template)
UNION ALL
SELECT format('fact %s (%s) of %s has no notice to ticket holders', h.id, h.name, h.subject_id)
FROM handled h
WHERE h.consumer = 'notices.email_ticket_holders'
  AND h.name IN ('event.canceled', 'event.postponed', 'event.rescheduled')
  AND EXISTS (SELECT FROM tickets t WHERE t.organization_id = h.organization_id AND t.event_id = h.subject_id
              AND t.issued_at < h.created_at AND (t.status IN ('valid', 'used') OR t.updated_at >= h.created_at))
  AND NOT EXISTS (SELECT FROM notices n WHERE n.organization_id = h.organization_id AND n.id = h.id)
UNION ALL
-- Emails are kept for 90 days.
SELECT format('notice %s of event %s has %s emails for %s people', n.id, n.event_id, count(m.id), n.posted)
FROM notices n LEFT JOIN mails m ON m.organization_id = n.organization_id AND m.about = n.id AND m.template = n.template
WHERE n.created_at > app.clock() - interval '60 days'
GROUP BY n.organization_id, n.id HAVING count(m.id) <> n.posted;
