-- Scanning: who came in where. `scans` is a set that only grows: what devices saw, online and off. Where a ticket
-- stands (`ticket_presence`) and how full it is (`scan_counts`) follow from it. Locks are taken in one order:
-- event, the show's scans, tickets, presence.

-- A device is made with a short code; whoever brings the code gets the token and the key, once.
CREATE TABLE scan_devices (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    gate_ids        uuid[] NOT NULL CHECK (cardinality(gate_ids) BETWEEN 1 AND 50),
    rights          text[] NOT NULL CHECK (rights <@ ARRAY['scan', 'search', 'override']),
    code_hash       bytea,                     -- until it is paired
    code_expires_at timestamptz,
    token_hash      bytea,
    sealed_key      bytea,                     -- what its snapshots are encrypted with
    paired_at       timestamptz,
    revoked_at      timestamptz,
    last_seen_at    timestamptz,
    battery         smallint CHECK (battery BETWEEN 0 AND 100),
    app_version     text CHECK (length(app_version) <= 40),
    clock_offset_s  integer,                   -- how far its clock was behind ours when it last said
    created_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK ((token_hash IS NULL) = (paired_at IS NULL) AND (token_hash IS NULL) = (sealed_key IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX scan_devices_token ON scan_devices (organization_id, token_hash) WHERE token_hash IS NOT NULL;
CREATE UNIQUE INDEX scan_devices_code ON scan_devices (organization_id, code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX scan_devices_event ON scan_devices (organization_id, event_id, created_at, id);
CALL app.protect('scan_devices', 'SELECT, INSERT, UPDATE');

CREATE FUNCTION app.who_has_device(org uuid, hash bytea)
RETURNS TABLE (device_id uuid, name text, rights text[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT d.id, d.name, d.rights
        FROM scan_devices d
        JOIN organizations o ON o.id = d.organization_id
        WHERE d.organization_id = org AND d.token_hash = hash AND d.revoked_at IS NULL AND o.status = 'active';
END $$;

-- No foreign keys: a scan is written under its event's lock, and a key's check costs as much as the row. A rejected
-- scan may be of no ticket at all. Rows are only ever added; an undone one says so.
CREATE TABLE scans (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    ticket_id       uuid,
    device_id       uuid NOT NULL,
    counter         bigint CHECK (counter >= 0),   -- the device's own: the same scan again is the same row
    gate_id         uuid NOT NULL,
    direction       text NOT NULL CHECK (direction IN ('in', 'out')),
    admitted        boolean NOT NULL,
    reason          text,                      -- why not; or what a supervisor overrode
    override        text,                      -- the supervisor's words
    test            boolean NOT NULL,          -- marked, and never counted
    offline         boolean NOT NULL DEFAULT false,
    at              timestamptz NOT NULL,      -- by our clock; of an offline scan, by the device's, put right
    day             date NOT NULL,
    version         integer,                   -- what the ticket's presence became by it, if that was online
    place_no        integer,
    undone_at       timestamptz,
    undone_reason   text,
    recorded_at     timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CHECK (admitted OR reason IS NOT NULL),
    CHECK (NOT admitted OR ticket_id IS NOT NULL)
);
CREATE UNIQUE INDEX scans_once ON scans (organization_id, device_id, counter) WHERE counter IS NOT NULL;
-- One admission for each step of a ticket, whatever any program does.
CREATE UNIQUE INDEX scans_one_a_step ON scans (organization_id, ticket_id, version) WHERE version IS NOT NULL;
CREATE INDEX scans_ticket ON scans (organization_id, ticket_id, at) WHERE ticket_id IS NOT NULL;
CREATE INDEX scans_event ON scans (organization_id, event_id, recorded_at);
CALL app.protect('scans', 'SELECT, INSERT, UPDATE');

-- Where a ticket stands: the fold of its scans. `version` is the lock of those who decide by what they have read.
CREATE TABLE ticket_presence (
    organization_id uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    event_id        uuid NOT NULL,
    version         integer NOT NULL,
    inside          boolean NOT NULL,
    day             date NOT NULL,             -- of the last entry; who is inside is so on this day
    entries_today   integer NOT NULL CHECK (entries_today >= 0),
    entries         integer NOT NULL CHECK (entries >= 0),
    at              timestamptz NOT NULL,      -- of the last entry
    gate_id         uuid NOT NULL,             -- and where it was
    place_no        integer,                   -- of a place that was given at the gate, for this day
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, ticket_id)
) WITH (fillfactor = 70);
CREATE INDEX ticket_presence_event ON ticket_presence (organization_id, event_id, updated_at);
CALL app.protect('ticket_presence');

-- How many are inside on a day: by the gate that they came in by, by zone, and in all.
CREATE TABLE scan_counts (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    day             date NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('gate', 'zone', 'event')),
    ref_id          uuid NOT NULL,
    inside          integer NOT NULL DEFAULT 0 CHECK (inside >= 0),
    entered         integer NOT NULL DEFAULT 0 CHECK (entered >= 0),
    places          integer NOT NULL DEFAULT 0,   -- the last number that was given
    PRIMARY KEY (organization_id, event_id, day, kind, ref_id)
) WITH (fillfactor = 50);
CALL app.protect('scan_counts');

-- What devices that did not hear of each other let happen. Found again by every merge, until somebody resolves it.
CREATE TABLE scan_incidents (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    kind            text NOT NULL,
    first_scan_id   uuid NOT NULL,
    second_scan_id  uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    resolved_at     timestamptz,
    resolved_by     uuid,
    note            text CHECK (length(note) BETWEEN 1 AND 500),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, second_scan_id),
    CHECK ((resolved_at IS NULL) = (note IS NULL))
);
CREATE INDEX scan_incidents_event ON scan_incidents (organization_id, event_id, created_at, id);
CREATE INDEX scan_incidents_ticket ON scan_incidents (organization_id, ticket_id);
CALL app.protect('scan_incidents');

-- A night belongs to the day before: until this hour, by the show's own clock. What is no hour is five.
CREATE FUNCTION app.day_of(at timestamptz, zone text, settings jsonb) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT ((at AT TIME ZONE zone) - CASE WHEN settings ->> 'day_boundary' ~ '^(0[0-9]|1[01]):[0-5][0-9]$'
                                          THEN (settings ->> 'day_boundary')::interval
                                          ELSE interval '5 hours' END)::date
$$;

CREATE TYPE app.scan_ask AS (
    req integer, device_id uuid, counter bigint, gate_id uuid, ticket_id uuid, code text, key_id smallint
);

-- Everything that decides about these scans, as it is now. The device's first gate is meant where none is named.
CREATE FUNCTION app.scan_facts(org uuid, asks app.scan_ask[])
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
              SELECT c.id FROM tickets c WHERE c.organization_id = org AND c.code = q.code)) AS wanted
          FROM unnest(asks) q OFFSET 0) a   -- first which ticket it is, then all about it: by its index
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

-- Scans and merges of one show follow each other: their counts are right, and none waits for the other in a circle.
CREATE FUNCTION app.lock_scans(show uuid) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended('scans:' || show, 0));

-- A scan that was decided. One that `counts` moves the ticket from `expected` to the next step, if all that was read is
-- still so; the others are only noted.
CREATE TYPE app.scan_line AS (
    req integer, scan_id uuid, event_id uuid, ticket_id uuid, device_id uuid, counter bigint, gate_id uuid,
    direction text, admitted boolean, reason text, override text, test boolean, at timestamptz, day date,
    counts boolean, expected integer, event_version integer, gate_version integer, ticket_version integer,
    inside boolean, presence_day date, entries_today integer, entries integer, last_at timestamptz, last_gate_id uuid,
    step integer, count_gate_id uuid, zone_id uuid, gate_capacity integer, zone_capacity integer, uses boolean,
    place_no integer, wants_place boolean, number text, battery smallint, app_version text, device_name text, ip text,
    user_agent text, request_id text
);

-- A batch of one organisation. `done` is written; `again` was decided by what is not so any more, or did not fit beside
-- those before it: read again, decide again.
CREATE FUNCTION app.scan(org uuid, sender text, lines app.scan_line[])
RETURNS TABLE (req integer, outcome text, place_no integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);

    -- The event first: whoever cancels it waits for us, or we see it changed.
    PERFORM FROM events WHERE organization_id = org AND id IN (SELECT event_id FROM unnest(lines))
    ORDER BY id FOR SHARE;
    -- What is counted of a show is counted by one batch at a time.
    PERFORM app.lock_scans(event_id) FROM (SELECT DISTINCT event_id FROM unnest(lines) WHERE counts ORDER BY 1) shows;
    INSERT INTO scan_counts (organization_id, event_id, day, kind, ref_id)
    SELECT DISTINCT org, l.event_id, l.day, k.kind, k.ref_id
    FROM unnest(lines) l
    CROSS JOIN LATERAL (VALUES ('event', l.event_id), ('gate', l.count_gate_id), ('zone', l.zone_id)) k (kind, ref_id)
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
        SELECT l.req, l.event_id, l.day, l.step, k.kind, k.ref_id, k.capacity
        FROM looked l
        CROSS JOIN LATERAL (VALUES ('event', l.event_id, NULL::integer), ('gate', l.count_gate_id, l.gate_capacity),
                                   ('zone', l.zone_id, l.zone_capacity)) k (kind, ref_id, capacity)
        WHERE l.state = 'fresh' AND k.ref_id IS NOT NULL
    ), crowded AS (
        -- Who comes first is served first: a scan fits if it does with all before it.
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
        SET inside = c.inside + d.step, entered = c.entered + d.entered, places = greatest(c.places, d.places)
        FROM (SELECT m.event_id, m.day, m.kind, m.ref_id, sum(m.step) AS step,
                     count(*) FILTER (WHERE w.direction = 'in') AS entered,
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
        FROM written
        ON CONFLICT (organization_id, device_id, counter) WHERE counter IS NOT NULL DO NOTHING
        RETURNING id
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
        FROM written w JOIN logged g ON g.id = w.scan_id
        WHERE NOT w.test
    ), seen AS (
        -- Rarely: a row that is written with every scan would be a queue at every gate.
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
