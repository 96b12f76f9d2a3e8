-- Reads all inputs of the decision for these scans. `gate_id` defaults to the device's first gate. A former code finds
-- the ticket as well; the decision detects that the code is not the current one.
CREATE OR REPLACE FUNCTION app.scan_facts(org uuid, asks app.scan_ask[])
RETURNS TABLE (
    req integer, now timestamptz, event_id uuid, device_rights text[], device_revoked boolean, gate_allowed boolean,
    event_status text, event_version integer, start_at timestamptz, end_at timestamptz, rescheduled_at timestamptz,
    timezone text, assign_places boolean, day date, gate_id uuid, gate_name text, gate_open boolean,
    gate_capacity integer, gate_version integer, gate_inside integer, ticket_id uuid, ticket_event_id uuid,
    ticket_status text, ticket_version integer, nonce bytea, number text, code text, holder_name text, type_name text,
    entitlement text, max_daily_entries integer, valid_days date[], zone_id uuid, zone_name text, zone_type text,
    zone_capacity integer, zone_inside integer, section text, row_label text, seat text, category text, companions text,
    membership_status text, member_from timestamptz, member_until timestamptz, presence_version integer,
    inside boolean, presence_day date, entries_today integer, entries integer, last_at timestamptz,
    last_gate_id uuid, last_gate text, place_no integer, public_key bytea, key_revoked boolean,
    prior_id uuid, prior_admitted boolean, prior_reason text, prior_at timestamptz, prior_test boolean,
    prior_ticket_id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
    SELECT a.req, clock, d.event_id, d.rights, d.revoked_at IS NOT NULL, g.id = ANY (d.gate_ids),
           e.status, e.version, e.start_at, e.end_at, e.rescheduled_at,
           e.timezone, e.settings @> '{"assign_places": true}', x.day, g.id, g.name, g.status = 'open',
           g.capacity, g.version, coalesce(gc.inside, 0), t.id, t.event_id,
           t.status, t.version, t.nonce, t.number, t.code, t.holder_name, y.name,
           y.entitlement, y.max_daily_entries, y.valid_days, t.zone_id, z.name, z.zone_type,
           z.capacity, coalesce(zc.inside, 0), s.section, s.row_label, s.number, s.category,
           CASE s.category WHEN 'wheelchair' THEN (
               SELECT string_agg(format('Row %s, seat %s', c.row_label, c.number), '; ' ORDER BY c.ordinal)
               FROM seats c WHERE c.organization_id = org AND c.layout_id = s.layout_id AND c.companion_of = s.id) END,
           m.status, m.valid_from, m.valid_until, coalesce(p.version, 0),
           coalesce(p.inside, false), p.day, coalesce(p.entries_today, 0), coalesce(p.entries, 0), p.at,
           p.gate_id, pg.name, p.place_no, k.public_key, k.revoked_at IS NOT NULL,
           r.id, r.admitted, r.reason, r.at, r.test, r.ticket_id
    FROM (SELECT q.*, coalesce(q.ticket_id, (
              SELECT c.id FROM tickets c WHERE c.organization_id = org AND c.code = q.code), (
              SELECT o.ticket_id FROM former_codes o WHERE o.organization_id = org AND o.code = q.code)) AS wanted
          FROM unnest(asks) q OFFSET 0) a   -- OFFSET 0: finds the ticket id first, so that the joins use its index
    JOIN scan_devices d ON d.organization_id = org AND d.id = a.device_id
    JOIN events e ON e.organization_id = org AND e.id = d.event_id
    CROSS JOIN LATERAL (SELECT app.day_of(clock, e.timezone, e.settings) AS day) x
    LEFT JOIN gates g ON g.organization_id = org AND g.id = coalesce(a.gate_id, d.gate_ids[1])
    LEFT JOIN tickets t ON t.organization_id = org AND t.id = a.wanted
    LEFT JOIN ticket_types y ON y.organization_id = org AND y.id = t.ticket_type_id
    LEFT JOIN event_zones z ON z.organization_id = org AND z.event_id = t.event_id AND z.zone_id = t.zone_id
    LEFT JOIN seats s ON s.organization_id = org AND s.id = t.seat_id
    LEFT JOIN memberships m ON m.organization_id = org AND m.id = t.membership_id
    LEFT JOIN ticket_presence p ON p.organization_id = org AND p.ticket_id = t.id
    LEFT JOIN gates pg ON pg.organization_id = org AND pg.id = p.gate_id
    LEFT JOIN scan_counts gc ON gc.organization_id = org AND gc.event_id = e.id AND gc.day = x.day AND gc.kind = 'gate'
                            AND gc.ref_id = g.id
    LEFT JOIN scan_counts zc ON zc.organization_id = org AND zc.event_id = e.id AND zc.day = x.day AND zc.kind = 'zone'
                            AND zc.ref_id = t.zone_id
    LEFT JOIN ticket_keys k ON k.organization_id = org AND k.key_id = a.key_id
    LEFT JOIN scans r ON r.organization_id = org AND r.device_id = a.device_id AND r.counter = a.counter;
END $$;
