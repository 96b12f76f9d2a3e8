-- Scans. The statements implement `scanning.policy.fold_scans` a second time, in SQL, and compare the results.

-- part: ordered
-- Scans that count, in the order of the fold: by time, but those of one device by its counter.
WITH placed AS (
    SELECT s.organization_id, s.event_id, s.ticket_id, s.id, s.direction, s.gate_id, d.device,
           coalesce(s.counter, 0) AS counter, max(s.at) OVER own AS at, max(s.day) OVER own AS day
    FROM scans s
    CROSS JOIN LATERAL (SELECT CASE WHEN s.counter IS NULL THEN s.id ELSE s.device_id END AS device) d
    WHERE s.admitted AND NOT s.test AND s.undone_at IS NULL
    WINDOW own AS (PARTITION BY s.organization_id, s.ticket_id, d.device ORDER BY s.counter, s.id)
), ordered AS (
    SELECT p.*, row_number() OVER all_of_it AS n,
           count(*) FILTER (WHERE direction = 'out') OVER (
               PARTITION BY organization_id, ticket_id, day ORDER BY at, device, counter, id) AS outs,
           count(*) FILTER (WHERE direction = 'out') OVER (PARTITION BY organization_id, ticket_id, day) AS all_outs
    FROM placed p
    WINDOW all_of_it AS (PARTITION BY organization_id, ticket_id ORDER BY at, device, counter, id)
)

-- name: present
-- A ticket's presence matches its scans, and each version occurs once.
{ordered}, days AS (
    SELECT organization_id, ticket_id, day, count(*) FILTER (WHERE direction = 'in') AS entries,
           (array_agg(direction ORDER BY n DESC))[1] = 'in' AS inside
    FROM ordered GROUP BY 1, 2, 3
), said AS (
    SELECT organization_id, ticket_id, sum(entries) AS entries,
           (array_agg(entries ORDER BY day DESC) FILTER (WHERE entries > 0))[1] AS entries_today,
           (array_agg(inside ORDER BY day DESC))[1] AS inside
    FROM days GROUP BY 1, 2
)
SELECT format('ticket %s stands %s after %s entries, %s of them on its last day; its scans say %s, %s and %s',
              ticket_id, CASE WHEN p.inside THEN 'inside' ELSE 'outside' END, coalesce(p.entries, 0),
              coalesce(p.entries_today, 0), CASE WHEN s.inside THEN 'inside' ELSE 'outside' END,
              coalesce(s.entries, 0), coalesce(s.entries_today, 0))
FROM said s FULL JOIN ticket_presence p USING (organization_id, ticket_id)
WHERE (coalesce(p.inside, false), coalesce(p.entries, 0), coalesce(p.entries_today, 0))
   <> (coalesce(s.inside, false), coalesce(s.entries, 0), coalesce(s.entries_today, 0))
UNION ALL
SELECT format('step %s of ticket %s was taken %s times', version, ticket_id, count(*))
FROM scans WHERE version IS NOT NULL GROUP BY organization_id, ticket_id, version HAVING count(*) > 1
UNION ALL
SELECT format('ticket %s is used, and nobody came in with it', t.id)
FROM tickets t
LEFT JOIN ticket_presence p ON p.organization_id = t.organization_id AND p.ticket_id = t.id
WHERE t.status = 'used' AND coalesce(p.entries, 0) = 0;

-- name: occupied
-- A day's counts match its scans: entries by gate, and people inside by the gate of their last entry.
{ordered}, stays AS (
    SELECT DISTINCT ON (organization_id, ticket_id, day) *
    FROM ordered WHERE direction = 'in' AND outs = all_outs ORDER BY organization_id, ticket_id, day, n
), marks AS (
    SELECT organization_id, event_id, ticket_id, day, gate_id, 0 AS inside, 1 AS entered
    FROM ordered WHERE direction = 'in'
    UNION ALL SELECT organization_id, event_id, ticket_id, day, gate_id, 1, 0 FROM stays
), said AS (
    SELECT m.organization_id, m.event_id, m.day, k.kind, k.ref_id, sum(m.inside) AS inside,
           sum(m.entered) AS entered
    FROM marks m
    JOIN tickets t ON t.organization_id = m.organization_id AND t.id = m.ticket_id
    CROSS JOIN LATERAL (VALUES ('event', m.event_id), ('gate', m.gate_id), ('zone', t.zone_id)) k (kind, ref_id)
    WHERE k.ref_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5
)
SELECT format('%s %s of event %s counts %s inside and %s entries on %s, its scans say %s and %s', kind, ref_id,
              event_id, coalesce(c.inside, 0), coalesce(c.entered, 0), day, coalesce(s.inside, 0),
              coalesce(s.entered, 0))
FROM said s FULL JOIN scan_counts c USING (organization_id, event_id, day, kind, ref_id)
WHERE (coalesce(c.inside, 0), coalesce(c.entered, 0)) <> (coalesce(s.inside, 0), coalesce(s.entered, 0));

-- name: admitted
-- An entry with a void ticket, or a second entry with a single-entry one, has an incident. A ticket is void from the start
-- of the transaction that voided it: an entry while it ran was allowed.
SELECT format('ticket %s was %s at %s, and let somebody in at %s', t.id, t.status, t.voided_at, s.at)
FROM tickets t
JOIN scans s ON s.organization_id = t.organization_id AND s.ticket_id = t.id
WHERE t.voided_at IS NOT NULL AND s.admitted AND s.direction = 'in' AND NOT s.test AND s.undone_at IS NULL
  AND s.override IS NULL AND s.recorded_at > t.voided_at + interval '60 seconds'
  AND NOT EXISTS (SELECT FROM scan_incidents i WHERE i.organization_id = s.organization_id
                  AND i.second_scan_id = s.id AND i.first_scan_id IS NULL)
UNION ALL
SELECT format('ticket %s lets in once, and let in %s times with %s incidents', s.ticket_id, count(*),
              coalesce(max(i.doubles), 0))
FROM scans s
JOIN tickets t ON t.organization_id = s.organization_id AND t.id = s.ticket_id AND t.status = 'used'
JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
LEFT JOIN (SELECT organization_id, ticket_id, count(*) AS doubles FROM scan_incidents
           WHERE first_scan_id IS NOT NULL GROUP BY 1, 2) i
       ON i.organization_id = s.organization_id AND i.ticket_id = s.ticket_id
WHERE y.entitlement = 'single' AND s.admitted AND s.direction = 'in' AND NOT s.test AND s.undone_at IS NULL
  AND s.override IS NULL
GROUP BY s.organization_id, s.ticket_id HAVING count(*) - 1 > coalesce(max(i.doubles), 0);

-- name: scanned
-- Every admitted scan has an audit row, and every such audit row has its scan.
SELECT format('scan %s of ticket %s has no audit row', s.id, s.ticket_id)
FROM scans s
WHERE s.admitted AND NOT s.test AND NOT EXISTS (
    SELECT FROM audit_log a
    WHERE a.organization_id = s.organization_id AND a.entity_type = 'ticket' AND a.entity_id = s.ticket_id
      AND a.action = 'ticket.scanned' AND a.after ->> 'scan_id' = s.id::text)
UNION ALL
SELECT format('scan %s of ticket %s is in the audit, and not there', a.after ->> 'scan_id', a.entity_id)
FROM audit_log a
WHERE a.action = 'ticket.scanned' AND NOT EXISTS (
    SELECT FROM scans s WHERE s.organization_id = a.organization_id AND s.id = (a.after ->> 'scan_id')::uuid)
UNION ALL
SELECT format('device %s has told %s scans, and %s are there', device_id, coalesce(a.told, 0),
              coalesce(s.there, 0))
FROM (SELECT organization_id, entity_id AS device_id, sum((after ->> 'scans')::bigint) AS told
      FROM audit_log WHERE action = 'scan_device.merged' GROUP BY 1, 2) a
FULL JOIN (SELECT organization_id, device_id, count(*) AS there FROM scans WHERE offline GROUP BY 1, 2) s
    USING (organization_id, device_id)
WHERE coalesce(a.told, 0) <> coalesce(s.there, 0);
