-- The audit trail: every state was reached by an action that has an audit row.

-- name: audited
-- The audit row that each row must have, with one of these actions. Months of the audit may be detached, oldest first:
-- changes before the oldest month that is attached are not checked.
WITH since AS (
    SELECT coalesce(date_trunc('month', min(created_at), 'UTC'), '-infinity') AS at FROM audit_log
), expected AS (
    SELECT organization_id, 'seat_hold' AS entity, id, created_at AS at, ARRAY['seat_reserved'] AS actions FROM seat_holds
    UNION ALL SELECT organization_id, 'seat_hold', id, updated_at,
                     CASE status WHEN 'expired' THEN ARRAY['seat_hold_expired', 'hold.expired']   -- its former name
                                 ELSE ARRAY['hold.' || status] END
              FROM seat_holds WHERE status NOT IN ('active', 'suspended')
    -- The owner is not the user who made it: a guest signed in.
    UNION ALL SELECT h.organization_id, 'seat_hold', h.id, h.updated_at, ARRAY['hold.handed_over']
              FROM seat_holds h JOIN audit_log a ON a.organization_id = h.organization_id AND a.entity_type = 'seat_hold'
                                                AND a.entity_id = h.id AND a.action = 'seat_reserved'
              WHERE a.actor_type = 'user' AND a.actor_id <> h.user_id
    UNION ALL SELECT s.organization_id, 'checkout', s.id, s.updated_at, ARRAY['checkout.handed_over']
              FROM checkout_sessions s JOIN audit_log a ON a.organization_id = s.organization_id
                                                       AND a.entity_type = 'checkout' AND a.entity_id = s.id
                                                       AND a.action = 'checkout.started'
              WHERE a.actor_type = 'user' AND a.actor_id <> s.user_id
    -- Accounts.
    UNION ALL SELECT id, 'organization', id, created_at, ARRAY['organization.created'] FROM organizations
    UNION ALL SELECT id, 'organization', id, created_at, ARRAY['organization.suspended']
              FROM organizations WHERE status = 'suspended'
    UNION ALL SELECT organization_id, 'user', id, created_at, ARRAY['user.created'] FROM users
    UNION ALL SELECT organization_id, 'user', id, created_at, ARRAY['member.updated'] FROM users WHERE status = 'disabled'
    UNION ALL SELECT id, 'organization', id, updated_at,
                     ARRAY['organization.updated', 'organization.suspended', 'organization.active']
              FROM organizations WHERE updated_at > created_at
    UNION ALL SELECT organization_id, 'user', id, updated_at,
                     ARRAY['user.updated', 'member.updated', 'member.joined', 'user.password_reset',
                           'user.password_changed']
              FROM users WHERE updated_at > created_at
    UNION ALL SELECT organization_id, 'invitation', id, revoked_at, ARRAY['invitation.revoked']
              FROM invitations i WHERE revoked_at IS NOT NULL AND NOT EXISTS (   -- by one that took its place
                  SELECT FROM invitations n WHERE n.organization_id = i.organization_id AND n.id <> i.id
                  AND lower(n.email) = lower(i.email) AND n.created_at = i.revoked_at)
    UNION ALL SELECT organization_id, 'membership', id, updated_at, ARRAY['membership.updated']
              FROM memberships WHERE updated_at > created_at
    UNION ALL SELECT organization_id, 'api_key', id, created_at, ARRAY['api_key.created'] FROM api_keys
    UNION ALL SELECT organization_id, 'api_key', id, revoked_at, ARRAY['api_key.revoked']
              FROM api_keys WHERE revoked_at IS NOT NULL
    UNION ALL SELECT organization_id, 'invitation', id, created_at, ARRAY['member.invited'] FROM invitations
    UNION ALL SELECT organization_id, 'membership', id, created_at, ARRAY['membership.granted'] FROM memberships
    UNION ALL SELECT organization_id, 'membership', id, created_at, ARRAY['membership.updated']
              FROM memberships WHERE status <> 'active'
    -- Events and venues.
    UNION ALL SELECT organization_id, 'venue', id, created_at, ARRAY['venue.created'] FROM venues
    UNION ALL SELECT organization_id, 'gate', id, created_at, ARRAY['gate.created'] FROM gates
    UNION ALL SELECT organization_id, 'image', id, created_at, ARRAY['image.uploaded'] FROM images
    UNION ALL SELECT organization_id, 'event', id, created_at, ARRAY['event.created'] FROM events
    UNION ALL SELECT organization_id, 'event', id, created_at, ARRAY['event.publish']
              FROM events WHERE status IN ('published', 'live', 'ended')
    UNION ALL SELECT e.organization_id, 'event', e.id, e.created_at, ARRAY[w.action]
              FROM events e JOIN (VALUES ('live', 'event.start'), ('ended', 'event.end'), ('postponed', 'event.postpone'),
                                         ('cancelled', 'event.cancel'), ('archived', 'event.archive')) w (status, action)
                USING (status)
    UNION ALL SELECT organization_id, 'venue', id, updated_at, ARRAY['venue.updated'] FROM venues WHERE version > 1
    UNION ALL SELECT organization_id, 'gate', id, updated_at, ARRAY['gate.updated'] FROM gates WHERE version > 1
    UNION ALL SELECT organization_id, 'event', id, updated_at,
                     ARRAY['event.updated', 'event.publish', 'event.unpublish', 'event.start', 'event.end',
                           'event.postpone', 'event.reschedule', 'event.cancel', 'event.archive']
              FROM events WHERE version > 1 AND venue_id IS NOT NULL   -- without one it may be the venue that was deleted
    UNION ALL SELECT organization_id, 'event', id, updated_at, ARRAY['event.reschedule', 'event.postpone']
              FROM events WHERE rescheduled_at IS NOT NULL
    -- Seating.
    UNION ALL SELECT organization_id, 'layout', id, created_at, ARRAY['layout.created'] FROM layouts
    UNION ALL SELECT organization_id, 'layout', id, updated_at, ARRAY['layout.active']
              FROM layouts WHERE status = 'active'
    UNION ALL SELECT organization_id, 'layout', id, updated_at, ARRAY['layout.archived', 'layout.active']
              FROM layouts WHERE status = 'archived'   -- by hand, or by the version that took its place
    UNION ALL SELECT organization_id, 'layout', id, updated_at, ARRAY['layout.updated']
              FROM layouts WHERE status = 'draft' AND updated_at > created_at
    UNION ALL SELECT DISTINCT z.organization_id, 'event', z.event_id, e.created_at, ARRAY['companions.released']
              FROM event_zones z JOIN events e ON e.organization_id = z.organization_id AND e.id = z.event_id
              WHERE z.companions_released
    UNION ALL SELECT organization_id, 'event', event_id, created_at, ARRAY['event.layout_set', 'layout_migration.applied']
              FROM event_layouts
    UNION ALL SELECT organization_id, 'event', event_id, created_at, ARRAY['event.policy_set', 'event.layout_set']
              FROM event_layouts WHERE policy <> '{}'
    UNION ALL SELECT organization_id, 'organization', organization_id, updated_at, ARRAY['seating_policy.updated']
              FROM seating_policies
    UNION ALL SELECT organization_id, 'event', event_id, min(created_at), ARRAY['zone.guests_added']
              FROM zone_guests GROUP BY 1, 3
    -- Ticket types, codes and charges.
    UNION ALL SELECT organization_id, 'ticket_type', id, created_at, ARRAY['ticket_type.created'] FROM ticket_types
    UNION ALL SELECT organization_id, 'promo_code', id, created_at, ARRAY['promo_code.created'] FROM promo_codes
    UNION ALL SELECT organization_id, 'ticket_type', id, updated_at, ARRAY['ticket_type.updated']
              FROM ticket_types WHERE version > 1
    UNION ALL SELECT organization_id, 'promo_code', id, updated_at, ARRAY['promo_code.updated']
              FROM promo_codes WHERE version > 1
    UNION ALL SELECT organization_id, CASE scope_id WHEN organization_id THEN 'organization' ELSE 'event' END, scope_id,
                     updated_at, ARRAY['charges.updated']
              FROM charge_lists
    -- Checkouts, orders, payments, refunds, tickets.
    UNION ALL SELECT organization_id, 'checkout', id, created_at, ARRAY['checkout.started'] FROM checkout_sessions
    UNION ALL SELECT organization_id, 'checkout', id, updated_at, ARRAY['checkout.' || status]
              FROM checkout_sessions s
              WHERE status IN ('expired', 'left', 'cancelled') AND NOT EXISTS (   -- by the start of the one in its place
                  SELECT FROM audit_log a WHERE a.organization_id = s.organization_id AND a.action = 'checkout.started'
                  AND a.after ->> 'instead_of' = s.id::text)
    UNION ALL SELECT organization_id, 'order', id, created_at, ARRAY['order.placed'] FROM orders
    UNION ALL SELECT organization_id, 'order', id, paid_at, ARRAY['order.paid'] FROM orders WHERE paid_at IS NOT NULL
    UNION ALL SELECT organization_id, 'order', id, updated_at, ARRAY['order.' || status]
              FROM orders WHERE status IN ('needs_consent', 'cancelled')
    UNION ALL SELECT organization_id, 'payment_attempt', id, updated_at, ARRAY['payment.failed']
              FROM payment_attempts WHERE status IN ('failed', 'abandoned')
    UNION ALL SELECT organization_id, 'payment_attempt', id, updated_at, ARRAY['payment.' || failure_code]
              FROM payment_attempts WHERE status = 'unknown' AND failure_code IN ('wrong_amount', 'wrong_currency')
    UNION ALL SELECT organization_id, 'order', order_id, created_at, ARRAY['order.consented']
              FROM ledger_transactions WHERE kind = 'consent'
    UNION ALL SELECT organization_id, 'refund', id, created_at, ARRAY['refund.requested', 'refund.found'] FROM refunds
    UNION ALL SELECT organization_id, 'refund', id, updated_at, ARRAY['refund.retried']
              FROM refunds WHERE tries > CASE WHEN paid_outside IS NULL THEN 1 ELSE 2 END
    UNION ALL SELECT organization_id, 'refund', id, updated_at, ARRAY['refund.' || status]
              FROM refunds WHERE status IN ('done', 'failed')
    UNION ALL SELECT organization_id, 'ticket', id, issued_at, ARRAY['ticket.issued'] FROM tickets
    UNION ALL SELECT organization_id, 'ticket', id, voided_at, ARRAY['ticket.' || status]
              FROM tickets WHERE status IN ('cancelled', 'refunded')
    UNION ALL SELECT organization_id, 'ticket', id, transferred_at, ARRAY['ticket.transferred']
              FROM tickets WHERE transferred_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', ticket_id, answered_at, ARRAY['ticket.move_' || answer]
              FROM ticket_moves WHERE answer IN ('accepted', 'refunded')
    UNION ALL SELECT m.organization_id, 'ticket', m.ticket_id, g.applied_at, ARRAY['ticket.moved']
              FROM ticket_moves m JOIN layout_migrations g ON g.organization_id = m.organization_id AND g.id = m.migration_id
              WHERE g.applied_at IS NOT NULL
    UNION ALL SELECT organization_id, 'organization', organization_id, retired_at, ARRAY['ticket_key.rotated']
              FROM ticket_keys WHERE retired_at IS NOT NULL
    UNION ALL SELECT organization_id, 'event', event_id, created_at, ARRAY['refunds.started'] FROM refund_batches
    UNION ALL SELECT organization_id, 'event', event_id, finished_at, ARRAY['refunds.finished']
              FROM refund_batches WHERE status = 'done'
    -- The waitlist, the waiting room, the gates, webhooks, participations.
    UNION ALL SELECT organization_id, 'waitlist_entry', id, created_at, ARRAY['waitlist.joined'] FROM waitlist_entries
    UNION ALL SELECT organization_id, 'waitlist_entry', id, updated_at, ARRAY['waitlist.' || status]
              FROM waitlist_entries WHERE status IN ('offered', 'taken', 'lapsed')
    UNION ALL SELECT organization_id, 'waitlist_entry', id, updated_at, ARRAY['waitlist.left']
              FROM waitlist_entries w WHERE status = 'left' AND NOT EXISTS (   -- with all who waited for the event
                  SELECT FROM audit_log a WHERE a.organization_id = w.organization_id AND a.entity_type = 'event'
                  AND a.entity_id = w.event_id AND a.action = 'waitlist.closed')
    UNION ALL SELECT organization_id, 'event', event_id, updated_at, ARRAY['waitlist.settings_changed']
              FROM waitlists WHERE NOT enabled OR window_s <> 86400   -- other than a list begins with
    UNION ALL SELECT organization_id, 'event', event_id, updated_at, ARRAY['queue.opened']
              FROM queue_rooms WHERE state = 'open'
    UNION ALL SELECT organization_id, 'event', event_id, updated_at, ARRAY['queue.' || state]
              FROM queue_rooms WHERE state IN ('paused', 'draining')
    UNION ALL SELECT q.organization_id, 'event', q.event_id, q.updated_at, ARRAY['queue.closed']
              FROM queue_rooms q WHERE q.state = 'closed' AND EXISTS (
                  SELECT FROM audit_log a WHERE a.organization_id = q.organization_id AND a.entity_type = 'event'
                  AND a.entity_id = q.event_id AND a.action = 'queue.opened')
    UNION ALL SELECT organization_id, 'scan_device', id, created_at, ARRAY['scan_device.added'] FROM scan_devices
    UNION ALL SELECT organization_id, 'scan_device', id, paired_at, ARRAY['scan_device.paired']
              FROM scan_devices WHERE paired_at IS NOT NULL
    UNION ALL SELECT organization_id, 'scan_device', id, revoked_at, ARRAY['scan_device.revoked']
              FROM scan_devices WHERE revoked_at IS NOT NULL
    UNION ALL SELECT organization_id, 'scan_incident', id, resolved_at, ARRAY['scan_incident.resolved']
              FROM scan_incidents WHERE resolved_at IS NOT NULL
    UNION ALL SELECT organization_id, 'webhook', id, created_at, ARRAY['webhook.created'] FROM webhooks
    UNION ALL SELECT organization_id, 'webhook', id, updated_at,
                     ARRAY['webhook.updated', 'webhook.secret_rotated', 'webhook.given_up']
              FROM webhooks WHERE version > 1
    UNION ALL SELECT organization_id, 'webhook', id, updated_at, ARRAY['webhook.secret_rotated']
              FROM webhooks WHERE previous_secret IS NOT NULL
    UNION ALL SELECT organization_id, 'webhook', id, updated_at, ARRAY['webhook.given_up']
              FROM webhooks WHERE disabled_because IS NOT NULL
    UNION ALL SELECT organization_id, 'event', event_id, created_at, ARRAY['notice.started'] FROM notices
    UNION ALL SELECT organization_id, 'participation', join_id, said_at, ARRAY['participation.confirmed']
              FROM participations WHERE active
), missing AS (
    SELECT e.entity, e.id, e.actions
    FROM expected e CROSS JOIN since
    WHERE e.at >= since.at AND NOT EXISTS (
        SELECT FROM audit_log a
        WHERE a.organization_id = e.organization_id AND a.entity_type = e.entity AND a.entity_id = e.id
          AND a.action = ANY (e.actions))
), expected_inside AS (
    -- Entities that are audited with another one: the id is in the row's `after`.
    SELECT organization_id, 'session' AS entity, id::text AS id, created_at AS at, 'session.opened' AS action FROM sessions
    UNION ALL SELECT organization_id, 'scan', id::text, undone_at, 'ticket.scan_undone'
              FROM scans WHERE undone_at IS NOT NULL AND ticket_id IS NOT NULL
    UNION ALL SELECT organization_id, 'layout migration', id::text, created_at, 'layout_migration.planned'
              FROM layout_migrations
    UNION ALL SELECT organization_id, 'layout migration', id::text, created_at, 'layout_migration.' || status
              FROM layout_migrations WHERE status <> 'planned'
    UNION ALL SELECT organization_id, 'order refund', id::text, created_at, 'order.refunded' FROM order_refunds
    UNION ALL SELECT s.organization_id, 'blocked seat', s.seat_id::text, l.created_at, 'seats.blocked'
              FROM event_seats s JOIN event_layouts l USING (organization_id, event_id)
              WHERE s.status = 'blocked' AND s.version > 1   -- a seat that was blocked from the start has its first version
), said AS (
    SELECT a.organization_id, a.action, k.id
    FROM audit_log a
    CROSS JOIN LATERAL (
        SELECT coalesce(a.after ->> 'session_id', a.after ->> 'scan_id', a.after ->> 'migration_id',
                        a.after ->> 'refund_id') AS id
        WHERE a.action <> 'seats.blocked'
        UNION ALL SELECT jsonb_array_elements_text(a.after -> 'seat_ids') WHERE a.action = 'seats.blocked') k
    WHERE a.action IN ('session.opened', 'ticket.scan_undone', 'layout_migration.planned', 'layout_migration.applied',
                       'layout_migration.discarded', 'order.refunded', 'seats.blocked')
)
SELECT format('%s %s has no audit row %s', replace(entity, '_', ' '), id, array_to_string(actions, ' or ')) FROM missing
UNION ALL
SELECT format('%s %s stands in no audit row %s', e.entity, e.id, e.action)
FROM expected_inside e CROSS JOIN since
WHERE e.at >= since.at AND NOT EXISTS (
    SELECT FROM said s WHERE s.organization_id = e.organization_id AND s.action = e.action AND s.id = e.id);
