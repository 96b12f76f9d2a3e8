-- Writes a batch of one organisation's scans. `done`: written. `again`: decided on stale rows, or over capacity with the
-- scans before it in the batch; the caller reads and decides it again.
CREATE OR REPLACE FUNCTION app.scan(org uuid, sender text, lines app.scan_line[])
RETURNS TABLE (req integer, outcome text, place_no integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);

    -- Locks the event first: a concurrent cancellation waits for this batch, or this batch sees its new version.
    PERFORM FROM events WHERE organization_id = org AND id IN (SELECT event_id FROM unnest(lines))
    ORDER BY id FOR SHARE;
    -- One batch at a time updates an event's counts.
    PERFORM app.lock_scans(event_id) FROM (SELECT DISTINCT event_id FROM unnest(lines) WHERE counts ORDER BY 1) shows;
    INSERT INTO scan_counts (organization_id, event_id, day, kind, ref_id)
    SELECT DISTINCT org, l.event_id, l.day, k.kind, k.ref_id
    FROM unnest(lines) l
    CROSS JOIN LATERAL (VALUES ('event', l.event_id), ('gate', l.count_gate_id), ('gate', l.gate_id),
                               ('zone', l.zone_id)) k (kind, ref_id)
    WHERE l.counts AND k.ref_id IS NOT NULL
    ON CONFLICT DO NOTHING;
    PERFORM FROM tickets t
    WHERE t.organization_id = org AND t.id IN (SELECT ticket_id FROM unnest(lines) WHERE counts)
    ORDER BY t.id FOR UPDATE;

    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT x.*, row_number() OVER (PARTITION BY x.ticket_id, x.counts ORDER BY x.req) AS turn
        FROM unnest(lines) x
    ), looked AS MATERIALIZED (
        SELECT w.*, CASE WHEN NOT w.counts THEN 'noted'
                         WHEN w.turn > 1 OR (e.version, g.version, t.version)
                              IS DISTINCT FROM (w.event_version, w.gate_version, w.ticket_version) THEN 'again'
                         ELSE 'fresh' END AS state
        FROM wanted w
        LEFT JOIN events e ON e.organization_id = org AND e.id = w.event_id
        LEFT JOIN gates g ON g.organization_id = org AND g.id = w.gate_id
        LEFT JOIN tickets t ON t.organization_id = org AND t.id = w.ticket_id
    ), moved AS MATERIALIZED (
        -- `inside` counts at the gate of the last entry; `entered` at the gate of this scan, also for re-entries.
        SELECT l.req, l.event_id, l.day, k.kind, k.ref_id, k.capacity, k.step, k.entered
        FROM looked l
        CROSS JOIN LATERAL (SELECT (l.direction = 'in')::integer AS entered) d
        CROSS JOIN LATERAL (VALUES
            ('event', l.event_id, NULL::integer, l.step, d.entered),
            ('zone', l.zone_id, l.zone_capacity, l.step, d.entered),
            ('gate', l.count_gate_id, l.gate_capacity, l.step, 0),
            ('gate', l.gate_id, NULL, 0, d.entered)) k (kind, ref_id, capacity, step, entered)
        WHERE l.state = 'fresh' AND k.ref_id IS NOT NULL AND (k.step, k.entered) <> (0, 0)
    ), crowded AS (
        -- In order of `req`: a scan fits if it stays within capacity together with all before it.
        SELECT q.req
        FROM (SELECT m.req, m.step, m.capacity, c.inside + sum(greatest(m.step, 0)) OVER (
                  PARTITION BY m.event_id, m.day, m.kind, m.ref_id ORDER BY m.req) AS would_be
              FROM moved m
              JOIN scan_counts c ON c.organization_id = org
                                AND (c.event_id, c.day, c.kind, c.ref_id) = (m.event_id, m.day, m.kind, m.ref_id)) q
        WHERE q.step > 0 AND q.would_be > q.capacity
    ), placed AS (
        SELECT l.req, c.places + row_number() OVER (
                   PARTITION BY l.event_id, l.day, l.zone_id ORDER BY l.req) AS place_no
        FROM looked l
        JOIN scan_counts c ON c.organization_id = org
                          AND (c.event_id, c.day, c.kind, c.ref_id) = (l.event_id, l.day, 'zone', l.zone_id)
        WHERE l.state = 'fresh' AND l.wants_place
    ), ready AS (
        SELECT l.*, coalesce(n.place_no, l.place_no)::integer AS place
        FROM looked l LEFT JOIN placed n USING (req)
        WHERE l.state = 'fresh' AND l.req NOT IN (SELECT req FROM crowded)
    ), stood AS (
        INSERT INTO ticket_presence AS p (organization_id, ticket_id, event_id, version, inside, day, entries_today,
                                          entries, at, gate_id, place_no, updated_at)
        SELECT org, r.ticket_id, r.event_id, r.expected + 1, r.inside, r.presence_day, r.entries_today, r.entries,
               r.last_at, r.last_gate_id, r.place, clock
        FROM ready r ORDER BY r.ticket_id
        ON CONFLICT (organization_id, ticket_id) DO UPDATE
        SET version = excluded.version, inside = excluded.inside, day = excluded.day, at = excluded.at,
            entries_today = excluded.entries_today, entries = excluded.entries, gate_id = excluded.gate_id,
            place_no = excluded.place_no, updated_at = excluded.updated_at
        WHERE p.version = excluded.version - 1
        RETURNING p.ticket_id
    ), won AS MATERIALIZED (
        SELECT r.* FROM ready r WHERE (r.ticket_id IN (SELECT ticket_id FROM stood)) IS TRUE
    ), counted AS (
        UPDATE scan_counts c
        SET inside = greatest(c.inside + d.step, 0), entered = c.entered + d.entered, places = greatest(c.places, d.places)
        FROM (SELECT m.event_id, m.day, m.kind, m.ref_id, sum(m.step) AS step,
                     sum(m.entered) AS entered,
                     coalesce(max(w.place) FILTER (WHERE m.kind = 'zone'), 0) AS places
              FROM moved m JOIN won w USING (req) GROUP BY 1, 2, 3, 4) d
        WHERE c.organization_id = org AND (c.event_id, c.day, c.kind, c.ref_id) = (d.event_id, d.day, d.kind, d.ref_id)
    ), used AS (
        UPDATE tickets t SET status = 'used', version = t.version + 1, updated_at = clock
        FROM won w WHERE w.uses AND t.organization_id = org AND t.id = w.ticket_id AND t.status = 'valid'
    ), written AS (
        SELECT l.*, NULL::integer AS place FROM looked l WHERE l.state = 'noted' UNION ALL SELECT w.* FROM won w
    ), logged AS (
        INSERT INTO scans (id, organization_id, event_id, ticket_id, device_id, counter, gate_id, direction, admitted,
                           reason, override, test, at, day, version, place_no)
        SELECT scan_id, org, event_id, ticket_id, device_id, counter, gate_id, direction, admitted, reason, override,
               test, at, day, CASE WHEN counts THEN expected + 1 END, place
        FROM written   -- an existing scan raises and rolls back the batch: counts must not change twice
    ), audited AS (
        INSERT INTO audit_log (id, organization_id, created_at, actor_type, actor_id, actor_name, action, entity_type,
                               entity_id, after, reason, ip, user_agent, request_id)
        SELECT gen_random_uuid(), org, clock, 'device', device_id, device_name, 'ticket.scanned', 'ticket', ticket_id,
               jsonb_strip_nulls(jsonb_build_object('scan_id', scan_id, 'event_id', event_id, 'gate_id', gate_id,
                   'direction', direction, 'day', day, 'overrode', reason)), override, ip, user_agent, request_id
        FROM won
    ), announced AS (
        INSERT INTO outbox (id, organization_id, name, subject_id, payload)
        SELECT gen_random_uuid(), org, CASE WHEN w.admitted THEN 'ticket.scanned' ELSE 'ticket.scan_rejected' END,
               coalesce(w.ticket_id, w.device_id), jsonb_build_object('version', 1,
                   'subject_id', coalesce(w.ticket_id, w.device_id), 'event_id', w.event_id, 'scan_id', w.scan_id,
                   'ticket_id', w.ticket_id, 'gate_id', w.gate_id, 'device_id', w.device_id, 'direction', w.direction,
                   'reason', w.reason)
        FROM written w
        WHERE NOT w.test
    ), seen AS (
        -- At most once a minute: updating the row with every scan would serialise the device's scans.
        UPDATE scan_devices d SET last_seen_at = clock, battery = coalesce(b.battery, d.battery),
                                  app_version = coalesce(b.app_version, d.app_version)
        FROM (SELECT DISTINCT ON (device_id) device_id, battery, app_version FROM wanted ORDER BY device_id, req DESC) b
        WHERE d.organization_id = org AND d.id = b.device_id
          AND (d.last_seen_at IS NULL OR d.last_seen_at < clock - interval '60 seconds')
    ), told AS (
        SELECT pg_notify('fullhouse_bus', json_build_array(sender, json_build_array(
                   json_build_array('scans:' || event_id, NULL)))::text)
        FROM (SELECT DISTINCT event_id FROM won) changed
        WHERE sender IS NOT NULL
    )
    SELECT l.req, CASE WHEN l.state = 'noted' OR w.req IS NOT NULL THEN 'done' ELSE 'again' END, w.place
    FROM looked l LEFT JOIN won w USING (req)
    WHERE (SELECT count(*) FROM told) >= 0;
END $$;
