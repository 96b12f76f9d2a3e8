-- The audit trail: whatever is in a state was brought there by somebody, and that was written down.

-- name: audited
-- What must be written down of each row, by one of these actions. Months of the audit may be detached, oldest first: of
-- what is older than the oldest month that is there, nothing is asked.
WITH since AS (
    SELECT coalesce(date_trunc('month', min(created_at), 'UTC'), '-infinity') AS at FROM audit_log
), expected AS (
    SELECT organization_id, 'seat_hold' AS entity, id, created_at AS at, ARRAY['seat_reserved'] AS actions FROM seat_holds
    UNION ALL SELECT organization_id, 'seat_hold', id, updated_at,
                     CASE status WHEN 'expired' THEN ARRAY['seat_hold_expired', 'hold.expired']   -- its former name
                                 ELSE ARRAY['hold.' || status] END
              FROM seat_holds WHERE status NOT IN ('active', 'suspended')
    -- Accounts.
    UNION ALL SELECT id, 'organization', id, created_at, ARRAY['organization.created'] FROM organizations
    UNION ALL SELECT id, 'organization', id, created_at, ARRAY['organization.suspended']
              FROM organizations WHERE status = 'suspended'
    UNION ALL SELECT organization_id, 'user', id, created_at, ARRAY['user.created'] FROM users
    UNION ALL SELECT organization_id, 'user', id, created_at, ARRAY['member.updated'] FROM users WHERE status = 'disabled'
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
    -- Seating.
    UNION ALL SELECT organization_id, 'layout', id, created_at, ARRAY['layout.created'] FROM layouts
    UNION ALL SELECT organization_id, 'layout', id, updated_at, ARRAY['layout.active']
              FROM layouts WHERE status = 'active'
    UNION ALL SELECT organization_id, 'layout', id, updated_at, ARRAY['layout.archived', 'layout.active']
              FROM layouts WHERE status = 'archived'   -- by hand, or by the version that took its place
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
    UNION ALL SELECT organization_id, 'refund', id, created_at, ARRAY['refund.requested', 'refund.found'] FROM refunds
    UNION ALL SELECT organization_id, 'refund', id, updated_at, ARRAY['refund.' || status]
              FROM refunds WHERE status IN ('done', 'failed')
    UNION ALL SELECT organization_id, 'ticket', id, issued_at, ARRAY['ticket.issued'] FROM tickets
    UNION ALL SELECT organization_id, 'ticket', id, voided_at, ARRAY['ticket.' || status]
              FROM tickets WHERE status IN ('cancelled', 'refunded')
    UNION ALL SELECT organization_id, 'ticket', id, transferred_at, ARRAY['ticket.transferred']
              FROM tickets WHERE transferred_at IS NOT NULL
    UNION ALL SELECT organization_id, 'ticket', ticket_id, answered_at, ARRAY['ticket.move_' || answer]
              FROM ticket_moves WHERE answer IN ('accepted', 'refunded')
    UNION ALL SELECT organization_id, 'event', event_id, created_at, ARRAY['refunds.started'] FROM refund_batches
    UNION ALL SELECT organization_id, 'event', event_id, finished_at, ARRAY['refunds.finished']
              FROM refund_batches WHERE status = 'done'
    -- The waitlist, the waiting room, the gates, webhooks, participations.
    UNION ALL SELECT organization_id, 'waitlist_entry', id, created_at, ARRAY['waitlist.joined'] FROM waitlist_entries
    UNION ALL SELECT organization_id, 'waitlist_entry', id, updated_at, ARRAY['waitlist.' || status]
              FROM waitlist_entries WHERE status IN ('offered', 'taken', 'lapsed')
    UNION ALL SELECT organization_id, 'event', event_id, updated_at, ARRAY['queue.opened']
              FROM queue_rooms WHERE state = 'open'
    UNION ALL SELECT organization_id, 'scan_device', id, created_at, ARRAY['scan_device.added'] FROM scan_devices
    UNION ALL SELECT organization_id, 'scan_device', id, paired_at, ARRAY['scan_device.paired']
              FROM scan_devices WHERE paired_at IS NOT NULL
    UNION ALL SELECT organization_id, 'scan_device', id, revoked_at, ARRAY['scan_device.revoked']
              FROM scan_devices WHERE revoked_at IS NOT NULL
    UNION ALL SELECT organization_id, 'scan_incident', id, resolved_at, ARRAY['scan_incident.resolved']
              FROM scan_incidents WHERE resolved_at IS NOT NULL
    UNION ALL SELECT organization_id, 'webhook', id, created_at, ARRAY['webhook.created'] FROM webhooks
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
    -- What is written down with another thing: its id stands in the row's `after`.
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
