-- Devices ------------------------------------------------------------------------------------------

-- part: device
id, event_id, name, gate_ids, rights, paired_at, revoked_at, last_seen_at, battery, app_version, clock_offset_s,
created_at

-- name: insert_device
INSERT INTO scan_devices (id, organization_id, event_id, name, gate_ids, rights, code_hash, code_expires_at, created_by)
VALUES (:id, :org, :event_id, :name, :gate_ids, :rights, :code_hash, :code_expires_at, :created_by)
RETURNING {device};

-- name: organization_id_by_slug
SELECT id FROM organizations WHERE slug = lower(:slug) AND status = 'active';

-- name: pair_device
-- The code works once: of two concurrent pairings, one wins.
UPDATE scan_devices
SET token_hash = :token_hash, sealed_key = :sealed_key, app_version = :app_version?, code_hash = NULL,
    code_expires_at = NULL,
    paired_at = app.clock(), last_seen_at = app.clock()
WHERE organization_id = :org AND code_hash = :code_hash AND code_expires_at > app.clock() AND revoked_at IS NULL
RETURNING {device};

-- name: revoke_device
UPDATE scan_devices SET revoked_at = app.clock(), code_hash = NULL, code_expires_at = NULL
WHERE organization_id = :org AND id = :device_id AND revoked_at IS NULL
RETURNING {device};

-- name: devices_of_event
SELECT {device} FROM scan_devices
WHERE organization_id = :org AND (:event_id?::uuid IS NULL OR event_id = :event_id) ORDER BY created_at, id LIMIT 1000;

-- name: device_by_id
SELECT {device} FROM scan_devices WHERE organization_id = :org AND id = :device_id AND revoked_at IS NULL;

-- name: former_devices
-- Of the same event, including revoked devices.
SELECT {device}, token_hash FROM scan_devices
WHERE organization_id = :org AND event_id = :event_id AND id = ANY (:device_ids::uuid[]) AND token_hash IS NOT NULL;

-- name: sealed_key
SELECT sealed_key FROM scan_devices WHERE organization_id = :org AND id = :device_id AND revoked_at IS NULL;

-- name: record_device_seen
UPDATE scan_devices
SET last_seen_at = app.clock(), battery = coalesce(:battery?, battery),
    app_version = coalesce(:app_version?, app_version),
    clock_offset_s = coalesce(:clock_offset_s?, clock_offset_s)
WHERE organization_id = :org AND id = :device_id
  AND (:clock_offset_s::integer IS NOT NULL OR last_seen_at IS NULL
       OR last_seen_at < app.clock() - interval '60 seconds');

-- name: list_gates
-- The gates of the event's venue.
SELECT g.id, g.gate_code, g.name, g.status, g.capacity
FROM events e JOIN gates g ON g.organization_id = e.organization_id AND g.venue_id = e.venue_id
WHERE e.organization_id = :org AND e.id = :event_id AND (:gate_ids?::uuid[] IS NULL OR g.id = ANY (:gate_ids))
ORDER BY g.gate_code;

-- Scans --------------------------------------------------------------------------------------------

-- part: scan
id, event_id, ticket_id, device_id, counter, gate_id, direction, admitted, reason, override, test, offline, at, day,
undone_at, undone_reason

-- name: scan_by_id
SELECT {scan} FROM scans WHERE organization_id = :org AND id = :scan_id;

-- name: undo_scan
UPDATE scans SET undone_at = app.clock(), undone_reason = :undone_reason
WHERE organization_id = :org AND id = :scan_id AND undone_at IS NULL AND admitted AND NOT test
RETURNING {scan};

-- name: search_tickets
SELECT t.id AS ticket_id, t.number, t.code, t.status, t.holder_name, o.code AS order_code, y.name AS type_name,
       z.name AS zone_name, s.section, s.row_label AS row, s.number AS seat,
       coalesce(p.inside AND p.day = app.day_of(app.clock(), e.timezone, e.settings), false) AS inside,
       coalesce(p.entries, 0) AS entries, p.at AS last_at
FROM tickets t
JOIN events e ON e.organization_id = t.organization_id AND e.id = t.event_id
JOIN orders o ON o.organization_id = t.organization_id AND o.id = t.order_id
JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
LEFT JOIN event_zones z ON z.organization_id = t.organization_id AND z.event_id = t.event_id AND z.zone_id = t.zone_id
LEFT JOIN seats s ON s.organization_id = t.organization_id AND s.id = t.seat_id
LEFT JOIN ticket_presence p ON p.organization_id = t.organization_id AND p.ticket_id = t.id
WHERE t.organization_id = :org AND t.event_id = :event_id
  AND (t.code = upper(:words) OR upper(t.number) = upper(:words) OR o.code = upper(:words)
       OR t.id = (SELECT f.ticket_id FROM former_codes f WHERE f.organization_id = :org AND f.code = upper(:words))
       OR strpos(lower(t.holder_name), lower(:words)) > 0)
ORDER BY t.holder_name, t.number LIMIT 50;

-- Merging ------------------------------------------------------------------------------------------

-- name: lock_scans
SELECT app.lock_scans(:event_id);

-- name: former_codes
SELECT code, ticket_id, replaced_at FROM former_codes
WHERE organization_id = :org AND event_id = :event_id AND code = ANY (:codes::text[]);

-- name: tickets_to_merge
-- By code or by id, locked in the order of ids.
SELECT t.id, t.code, t.nonce, t.status, t.voided_at, t.transferred_at, t.zone_id, y.entitlement, y.max_daily_entries
FROM tickets t JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
WHERE t.organization_id = :org AND t.event_id = :event_id AND t.id = ANY (array(
    SELECT c.id FROM tickets c WHERE c.organization_id = :org AND c.code = ANY (:codes::text[])
    UNION SELECT unnest(:ticket_ids::uuid[])))
ORDER BY t.id FOR UPDATE OF t;

-- name: insert_scans
-- Existing scans stay unchanged, except those stored as refused that the device admitted: they become admitted. As in
-- `app.scan` for online scans, admitted ones are audited and all are written to the outbox. Audit and outbox rows reuse
-- the scan's time-ordered id, which keeps three indexes compact; unless the scan existed before, as its id may then be
-- taken. Returns the ids of the scans that are new or changed.
WITH new AS (
    INSERT INTO scans AS s (id, organization_id, event_id, ticket_id, device_id, counter, gate_id, direction, admitted,
                            reason, override, test, offline, at, day)
    SELECT x.id, :org, :event_id, x.ticket_id, :device_id, x.counter, x.gate_id, x.direction, x.admitted, x.reason,
           x.override, x.test,
           true, x.at, x.day
    FROM unnest(:scans::app.told_scan[]) x
    ON CONFLICT (organization_id, device_id, counter) WHERE counter IS NOT NULL DO UPDATE
    SET admitted = true, offline = true, reason = excluded.reason, override = excluded.override
    WHERE NOT (s.admitted OR s.test OR excluded.test) AND excluded.admitted
      AND (s.ticket_id, s.direction) = (excluded.ticket_id, excluded.direction)
    RETURNING s.*, CASE WHEN s.xmax = 0 THEN s.id ELSE gen_random_uuid() END AS told_as
), audited AS (
    INSERT INTO audit_log (id, organization_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, after,
                           reason, ip, user_agent, request_id)
    SELECT told_as, :org, :actor_type, :actor_id?, :actor_name?, 'ticket.scanned', 'ticket', ticket_id,
           jsonb_strip_nulls(jsonb_build_object('scan_id', id, 'event_id', event_id, 'gate_id', gate_id,
               'direction', direction, 'day', day, 'overrode', reason, 'offline_at', at)), override, :ip?, :user_agent?,
               :request_id?
    FROM new WHERE admitted AND NOT test
), announced AS (
    INSERT INTO outbox (id, organization_id, name, subject_id, payload)
    SELECT told_as, :org, CASE WHEN admitted THEN 'ticket.scanned' ELSE 'ticket.scan_rejected' END,
           coalesce(ticket_id, device_id), jsonb_build_object('version', 1, 'subject_id',
           coalesce(ticket_id, device_id),
               'event_id', event_id, 'scan_id', id, 'ticket_id', ticket_id, 'gate_id', gate_id, 'device_id', device_id,
               'direction', direction, 'reason', reason)
    FROM new WHERE NOT test ORDER BY at, counter
)
SELECT array_agg(id) FROM new;

-- part: kept
id, ticket_id, device_id, counter, at, day, direction, gate_id, override IS NOT NULL AS overridden

-- name: scans_by_id
SELECT {kept} FROM scans WHERE organization_id = :org AND id = ANY (:scan_ids::uuid[]);

-- name: list_counting_scans
-- The counting scans of these tickets.
SELECT {kept} FROM scans
WHERE organization_id = :org AND ticket_id = ANY (:ticket_ids::uuid[]) AND admitted AND NOT test AND undone_at IS NULL;

-- name: upsert_presence
INSERT INTO ticket_presence AS p (organization_id, ticket_id, event_id, version, inside, day, entries_today, entries,
                                  at, gate_id)
SELECT :org, x.ticket_id, :event_id, 1, x.inside, x.day, x.entries_today, x.entries, x.at, x.gate_id
FROM unnest(:stands::app.stand[]) x ORDER BY x.ticket_id
ON CONFLICT (organization_id, ticket_id) DO UPDATE
SET version = p.version + 1, inside = excluded.inside, day = excluded.day, entries_today = excluded.entries_today,
    entries = excluded.entries, at = excluded.at, gate_id = excluded.gate_id, updated_at = app.clock(),
    place_no = CASE WHEN p.day = excluded.day THEN p.place_no END;

-- name: reset_presence
-- Resets tickets without counting scans. The row stays, since concurrent decisions check its version.
UPDATE ticket_presence
SET version = version + 1, inside = false, entries_today = 0, entries = 0, updated_at = app.clock()
WHERE organization_id = :org AND ticket_id = ANY (:ticket_ids::uuid[]);

-- name: set_ticket_status
UPDATE tickets SET status = :status, version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND id = ANY (:ticket_ids::uuid[]) AND status <> :status;

-- name: add_to_counts
-- Adds the differences. The event's scan lock is held, so values read are still current when written. Counts stop at
-- zero: a wrong count is for `fullhouse prove` to find, and no reason to refuse a scan.
INSERT INTO scan_counts AS c (organization_id, event_id, day, kind, ref_id, inside, entered)
SELECT :org, :event_id, x.day, x.kind, x.ref_id, greatest(coalesce(was.inside, 0) + x.inside, 0),
       greatest(coalesce(was.entered, 0) + x.entered, 0)
FROM unnest(:days::date[], :kinds::text[], :ref_ids::uuid[], :inside::integer[], :entered::integer[])
    AS x (day, kind, ref_id, inside, entered)
LEFT JOIN scan_counts was ON was.organization_id = :org AND was.event_id = :event_id
                         AND (was.day, was.kind, was.ref_id) = (x.day, x.kind, x.ref_id)
ON CONFLICT (organization_id, event_id, day, kind, ref_id) DO UPDATE
SET inside = excluded.inside, entered = excluded.entered;

-- name: delete_zone_counts
DELETE FROM scan_counts WHERE organization_id = :org AND event_id = :event_id AND kind = 'zone';

-- name: list_scanned_tickets
SELECT array_agg(ticket_id) FROM ticket_presence WHERE organization_id = :org AND event_id = :event_id;

-- name: restore_spot_numbers
UPDATE scan_counts c SET places = p.last
FROM (SELECT p.day, t.zone_id, max(p.place_no) AS last
      FROM ticket_presence p JOIN tickets t ON t.organization_id = p.organization_id AND t.id = p.ticket_id
      WHERE p.organization_id = :org AND p.event_id = :event_id AND p.place_no IS NOT NULL GROUP BY 1, 2) p
WHERE c.organization_id = :org AND c.event_id = :event_id AND (c.day, c.kind, c.ref_id) = (p.day, 'zone', p.zone_id);

-- name: upsert_incidents
-- Upserts the incidents that a merge finds: a known one keeps its id, resolution and note.
INSERT INTO scan_incidents AS i (id, organization_id, event_id, ticket_id, kind, first_scan_id, second_scan_id)
SELECT gen_random_uuid(), :org, :event_id, x.ticket_id, x.kind, x.first, x.second
FROM unnest(:ticket_ids::uuid[], :kinds::text[], :first_scan_ids::uuid[], :second_scan_ids::uuid[])
    AS x (ticket_id, kind, first, second)
ON CONFLICT (organization_id, second_scan_id) WHERE first_scan_id IS NOT NULL DO UPDATE
SET kind = excluded.kind, first_scan_id = excluded.first_scan_id;

-- name: insert_void_incidents
-- Entries with a void or transferred ticket: there is no first scan; `void_at` is when the ticket changed.
INSERT INTO scan_incidents (id, organization_id, event_id, ticket_id, kind, void_at, second_scan_id)
SELECT gen_random_uuid(), :org, :event_id, x.ticket_id, x.kind, x.void_at, x.scan_id
FROM unnest(:ticket_ids::uuid[], :kinds::text[], :void_ats[?]::timestamptz[], :scan_ids::uuid[])
    AS x (ticket_id, kind, void_at, scan_id);

-- name: delete_incidents
-- Deletes open incidents that no longer hold after a merge or an undo.
DELETE FROM scan_incidents i
WHERE organization_id = :org AND ticket_id = ANY (:ticket_ids::uuid[]) AND resolved_at IS NULL
  AND CASE WHEN first_scan_id IS NOT NULL
           THEN NOT EXISTS (SELECT FROM unnest(:second_scan_ids::uuid[]) still (id) WHERE still.id = i.second_scan_id)
           ELSE EXISTS (SELECT FROM scans s WHERE s.organization_id = :org AND s.id = i.second_scan_id
                        AND s.undone_at IS NOT NULL) END;

-- name: incidents_of_event
SELECT i.id, i.event_id, i.ticket_id, t.number, t.holder_name, i.kind, i.first_scan_id,
       coalesce(a.at, i.void_at) AS first_at,
       ag.name AS first_gate, i.second_scan_id, b.at AS second_at, bg.name AS second_gate, i.created_at, i.resolved_at,
       i.resolved_by, i.note
FROM scan_incidents i
JOIN tickets t ON t.organization_id = i.organization_id AND t.id = i.ticket_id
JOIN scans b ON b.organization_id = i.organization_id AND b.id = i.second_scan_id
LEFT JOIN scans a ON a.organization_id = i.organization_id AND a.id = i.first_scan_id
LEFT JOIN gates ag ON ag.organization_id = i.organization_id AND ag.id = a.gate_id
LEFT JOIN gates bg ON bg.organization_id = i.organization_id AND bg.id = b.gate_id
WHERE i.organization_id = :org AND i.event_id = :event_id AND (:incident_id?::uuid IS NULL OR i.id = :incident_id)
ORDER BY i.resolved_at IS NOT NULL, b.at, i.id LIMIT 1000;

-- name: resolve_incident
UPDATE scan_incidents SET resolved_at = app.clock(), resolved_by = :resolved_by, note = :note
WHERE organization_id = :org AND event_id = :event_id AND id = :incident_id AND resolved_at IS NULL;

-- Live ---------------------------------------------------------------------------------------------

-- name: find_event_day
SELECT app.day_of(app.clock(), timezone, settings) FROM events WHERE organization_id = :org AND id = :event_id;

-- name: occupancy
SELECT 'gate' AS kind, g.id, g.name, g.status, g.capacity, coalesce(c.inside, 0) AS inside,
       coalesce(c.entered, 0) AS entered
FROM events e
JOIN gates g ON g.organization_id = e.organization_id AND g.venue_id = e.venue_id
LEFT JOIN scan_counts c ON c.organization_id = :org AND c.event_id = e.id AND c.day = :day AND c.kind = 'gate'
                       AND c.ref_id = g.id
WHERE e.organization_id = :org AND e.id = :event_id
UNION ALL
SELECT 'zone', z.zone_id, z.name, NULL, z.capacity, coalesce(c.inside, 0), coalesce(c.entered, 0)
FROM event_zones z
LEFT JOIN scan_counts c ON c.organization_id = :org AND c.event_id = z.event_id AND c.day = :day AND c.kind = 'zone'
                       AND c.ref_id = z.zone_id
WHERE z.organization_id = :org AND z.event_id = :event_id
UNION ALL
SELECT 'event', :event_id, NULL, NULL, NULL, coalesce(sum(c.inside), 0)::integer, coalesce(sum(c.entered), 0)::integer
FROM scan_counts c WHERE c.organization_id = :org AND c.event_id = :event_id AND c.day = :day AND c.kind = 'event'
ORDER BY 1, 3;

-- name: entries_over_time
-- Entries and exits in five-minute intervals.
SELECT date_bin('5 minutes', at, 'epoch'::timestamptz) AS at,
       count(*) FILTER (WHERE direction = 'in')::integer AS entered,
       count(*) FILTER (WHERE direction = 'out')::integer AS left
FROM scans
WHERE organization_id = :org AND event_id = :event_id AND day = :day AND admitted AND NOT test AND undone_at IS NULL
GROUP BY 1 ORDER BY 1;

-- name: list_gate_pace
-- Entries at each gate in the last five minutes.
SELECT gate_id, count(*)::integer AS entered FROM scans
WHERE organization_id = :org AND event_id = :event_id AND recorded_at > app.clock() - interval '5 minutes'
  AND at > app.clock() - interval '5 minutes' AND direction = 'in' AND admitted AND NOT test AND undone_at IS NULL
GROUP BY 1;

-- name: count_rejected
SELECT count(*) FROM scans
WHERE organization_id = :org AND event_id = :event_id AND day = :day AND NOT admitted AND NOT test;

-- name: count_open_incidents
SELECT count(*) FROM scan_incidents WHERE organization_id = :org AND event_id = :event_id AND resolved_at IS NULL;

-- Snapshots ----------------------------------------------------------------------------------------

-- name: tickets_of_snapshot
-- All, or those changed since. Sorted by code, which compresses well and allows binary search.
SELECT t.id, t.nonce, t.code, t.status, t.ticket_type_id, t.zone_id, t.membership_id, s.section, s.row_label,
       s.number AS seat, s.category, p.inside, p.day, p.entries_today, p.entries, p.at, p.gate_id
FROM tickets t
LEFT JOIN seats s ON s.organization_id = t.organization_id AND s.id = t.seat_id
LEFT JOIN ticket_presence p ON p.organization_id = t.organization_id AND p.ticket_id = t.id
WHERE t.organization_id = :org AND t.event_id = :event_id
  AND (:since?::timestamptz IS NULL OR t.updated_at >= :since OR p.updated_at >= :since)
ORDER BY t.code;

-- name: types_of_snapshot
SELECT id, name, entitlement, max_daily_entries, valid_days FROM ticket_types
WHERE organization_id = :org AND event_id = :event_id ORDER BY position, id;

-- name: zones_of_snapshot
SELECT z.zone_id AS id, z.name, z.zone_type, z.capacity, coalesce(c.inside, 0) AS inside
FROM event_zones z
LEFT JOIN scan_counts c ON c.organization_id = :org AND c.event_id = z.event_id AND c.day = :day AND c.kind = 'zone'
                       AND c.ref_id = z.zone_id
WHERE z.organization_id = :org AND z.event_id = :event_id ORDER BY z.position;

-- name: members_of_snapshot
SELECT DISTINCT m.id, m.status, m.valid_from, m.valid_until
FROM tickets t JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.membership_id
WHERE t.organization_id = :org AND t.event_id = :event_id ORDER BY m.id;

-- name: former_codes_of_snapshot
-- Former codes with the ticket's current code. After two transfers, both former codes map to it.
SELECT f.code AS former, t.code AS now
FROM former_codes f JOIN tickets t ON t.organization_id = f.organization_id AND t.id = f.ticket_id
WHERE f.organization_id = :org AND f.event_id = :event_id ORDER BY f.code;

-- name: companions_of_snapshot
-- The companion seats of tickets for wheelchair spaces. They are few.
SELECT t.code, string_agg(format('Row %s, seat %s', c.row_label, c.number), '; ' ORDER BY c.ordinal) AS seats
FROM tickets t
JOIN seats s ON s.organization_id = t.organization_id AND s.id = t.seat_id AND s.category = 'wheelchair'
JOIN seats c ON c.organization_id = s.organization_id AND c.layout_id = s.layout_id AND c.companion_of = s.id
WHERE t.organization_id = :org AND t.event_id = :event_id GROUP BY t.code ORDER BY t.code;

-- name: scan_facts
SELECT * FROM app.scan_facts(:org, :asks);

-- name: write_scans
SELECT * FROM app.scan(:org, :sender?, :lines);
