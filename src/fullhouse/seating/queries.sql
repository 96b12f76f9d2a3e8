-- The statements of the seating room.

-- part: layout
id, venue_id, family_id, version, name, description, status, total_capacity, seat_count, created_by, created_at, updated_at

-- part: zone
id, position, zone_key AS key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles, price_category

-- part: migration
id, event_id, from_layout_id, to_layout_id, status, respond_by, planned_by, approved_by, created_at, applied_at

-- name: insert_layout
INSERT INTO layouts (id, organization_id, venue_id, family_id, version, name, description, total_capacity, seat_count,
                     document, geometry, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
RETURNING {layout};

-- name: update_draft
UPDATE layouts SET name = $3, description = $4, total_capacity = $5, seat_count = $6, document = $7, geometry = $8,
                   updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {layout};

-- name: delete_places
-- Seats go with their zones.
WITH gone AS (DELETE FROM seat_groups WHERE organization_id = $1 AND layout_id = $2)
DELETE FROM zones WHERE organization_id = $1 AND layout_id = $2;

-- name: insert_zones
INSERT INTO zones (id, organization_id, layout_id, position, zone_key, name, zone_type, capacity, access_mode,
                   membership_tier, allowed_roles, price_category)
SELECT z.id, $1, $2, z.position, z.zone_key, z.name, z.zone_type, z.capacity, z.access_mode, z.membership_tier,
       coalesce(string_to_array(nullif(z.allowed_roles, ''), ','), '{}'), z.price_category
FROM unnest($3::uuid[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[],
            $11::text[], $12::text[])
     AS z (id, position, zone_key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles,
           price_category);

-- name: insert_seats
-- Foreign keys are asked for row by row, by statements whose plans are kept from here on (until `plan_anew`): a hundred
-- thousand of them planned anew would take ten times as long as all the rest.
INSERT INTO seats (id, organization_id, layout_id, ordinal, seat_key, zone_id, section, row_label, number, category,
                   price_category, companion_of)
SELECT s.id, $1, $2, s.ordinal, s.seat_key, s.zone_id, s.section, s.row_label, s.number, s.category, s.price_category,
       s.companion_of
FROM unnest($3::uuid[], $4::integer[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::text[], $12::uuid[])
     AS s (id, ordinal, seat_key, zone_id, section, row_label, number, category, price_category, companion_of),
     set_config('plan_cache_mode', 'force_generic_plan', true) AS kept;

-- name: plan_anew
-- Whatever else the transaction does is planned for its values again, as the pool wants it (kit/db.py).
SELECT set_config('plan_cache_mode', 'force_custom_plan', true) AS value;

-- name: insert_groups
INSERT INTO seat_groups (id, organization_id, layout_id, group_key, group_type, sold_as, ordinals)
SELECT g.id, $1, $2, g.group_key, g.group_type, g.sold_as, string_to_array(g.ordinals, ',')::integer[]
FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
     AS g (id, group_key, group_type, sold_as, ordinals);

-- name: layout_by_id
SELECT {layout} FROM layouts WHERE organization_id = $1 AND id = $2;

-- name: lock_layout
SELECT {layout} FROM layouts WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: lock_family
-- Whoever adds a version or activates one waits here, before any row is locked. No row stands for the family: even its
-- first version may be deleted.
SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text || $2::uuid::text, 0))::text;

-- name: newest_version
SELECT max(version) FROM layouts WHERE organization_id = $1 AND family_id = $2;

-- name: active_version
SELECT id FROM layouts WHERE organization_id = $1 AND family_id = $2 AND status = 'active';

-- name: list_layouts
SELECT {layout} FROM layouts
WHERE organization_id = $1 AND venue_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($4::timestamptz IS NULL OR (created_at, id) > ($4, $5::uuid))
ORDER BY created_at, id LIMIT $6;

-- name: layout_document
SELECT document FROM layouts WHERE organization_id = $1 AND id = $2;

-- name: layout_geometry
SELECT geometry FROM layouts WHERE organization_id = $1 AND id = $2;

-- name: set_layout_status
UPDATE layouts SET status = $3, updated_at = app.clock() WHERE organization_id = $1 AND id = $2 RETURNING {layout};

-- name: archive_others
UPDATE layouts SET status = 'archived', updated_at = app.clock()
WHERE organization_id = $1 AND family_id = $2 AND status = 'active' AND id <> $3;

-- name: delete_layout
DELETE FROM layouts WHERE organization_id = $1 AND id = $2;

-- name: zones_of_layout
SELECT {zone} FROM zones WHERE organization_id = $1 AND layout_id = $2 ORDER BY position;

-- name: groups_of_layout
SELECT group_key AS key, group_type, sold_as, ordinals FROM seat_groups
WHERE organization_id = $1 AND layout_id = $2 ORDER BY group_key;

-- The show's overlay -------------------------------------------------------------------------------

-- name: event_layout
SELECT event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version
FROM event_layouts WHERE organization_id = $1 AND event_id = $2;

-- name: lock_event_layout
SELECT event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version
FROM event_layouts WHERE organization_id = $1 AND event_id = $2 FOR UPDATE;

-- name: put_event_layout
INSERT INTO event_layouts (organization_id, event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (organization_id, event_id) DO UPDATE
SET layout_id = excluded.layout_id, disabled_zones = excluded.disabled_zones, zone_overrides = excluded.zone_overrides,
    pricing_zones = excluded.pricing_zones, policy = excluded.policy, version = event_layouts.version + 1,
    updated_at = app.clock()
RETURNING event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version;

-- name: put_event_policy
UPDATE event_layouts SET policy = $3, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND event_id = $2
RETURNING event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version;

-- name: delete_event_layout
DELETE FROM event_layouts WHERE organization_id = $1 AND event_id = $2;

-- name: is_in_use
-- Held or sold, whatever it is. A hold that is overdue counts until it has ended: whoever ends it takes it off the
-- pools of this event, and new ones would not know it.
SELECT EXISTS (SELECT FROM event_seats WHERE organization_id = $1 AND event_id = $2 AND status IN ('held', 'sold'))
    OR EXISTS (SELECT FROM pools WHERE organization_id = $1 AND event_id = $2 AND held + sold + day_peak > 0);

-- name: taken_places
-- By the holds and the tickets themselves.
SELECT (t.held + coalesce(sum(d.held), 0))::integer AS held, (t.sold + coalesce(sum(d.sold), 0))::integer AS sold
FROM app.taken_places($1, $2) t LEFT JOIN LATERAL app.taken_by_day($1, $2) d ON true GROUP BY t.held, t.sold;

-- name: clear_event_seats
DELETE FROM event_seats WHERE organization_id = $1 AND event_id = $2;

-- name: clear_event_zones
WITH emptied AS (DELETE FROM pools WHERE organization_id = $1 AND event_id = $2 AND kind = 'zone')
DELETE FROM event_zones WHERE organization_id = $1 AND event_id = $2;

-- name: carry_guests
-- To the zones that have the keys of those that the show has until now.
UPDATE zone_guests g SET zone_id = there.id
FROM event_zones here, unnest($3::uuid[], $4::text[]) AS there (id, key)
WHERE g.organization_id = $1 AND g.event_id = $2 AND here.organization_id = $1 AND here.event_id = $2
  AND here.zone_id = g.zone_id AND there.key = here.zone_key AND there.id <> here.zone_id;

-- name: insert_event_zones
INSERT INTO event_zones (organization_id, event_id, zone_id, position, zone_key, name, zone_type, capacity, access_mode,
                         membership_tier, allowed_roles, price_category)
SELECT $1, $2, z.id, z.position, z.zone_key, z.name, z.zone_type, z.capacity, z.access_mode, z.membership_tier,
       coalesce(string_to_array(nullif(z.allowed_roles, ''), ','), '{}'), z.price_category
FROM unnest($3::uuid[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[],
            $11::text[], $12::text[])
     AS z (id, position, zone_key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles,
           price_category);

-- name: insert_event_seats
-- All of them at once: the seats of those zones that have seats in this show. Plans are kept, as for seats above.
INSERT INTO event_seats (organization_id, event_id, seat_id, ordinal, zone_id, companion_of, status)
SELECT $1, $2, s.id, s.ordinal, s.zone_id, s.companion_of,
       CASE WHEN s.id = ANY ($4::uuid[]) THEN 'blocked' ELSE 'available' END
FROM seats s
JOIN event_zones z ON z.organization_id = $1 AND z.event_id = $2 AND z.zone_id = s.zone_id
                  AND z.zone_type IN ('reserved_seating', 'vip_reserved'),
     set_config('plan_cache_mode', 'force_generic_plan', true) AS kept
WHERE s.organization_id = $1 AND s.layout_id = $3
ORDER BY s.ordinal;

-- name: insert_zone_pools
INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity)
SELECT $1, $2, 'zone', zone_id, capacity FROM event_zones WHERE organization_id = $1 AND event_id = $2;

-- name: zones_of_event
SELECT z.zone_id AS id, z.position, z.zone_key AS key, z.name, z.zone_type, z.capacity, z.access_mode, z.membership_tier,
       z.allowed_roles, z.price_category, l.pricing_zones ->> z.zone_id::text AS priced_as, z.companions_released,
       p.held, p.sold
FROM event_zones z
CROSS JOIN LATERAL app.pool_counts(z.organization_id, z.event_id, 'zone', z.zone_id) p
JOIN event_layouts l ON l.organization_id = z.organization_id AND l.event_id = z.event_id
WHERE z.organization_id = $1 AND z.event_id = $2 ORDER BY z.position;

-- name: zone_counts
-- What is held and sold of zones without seats.
SELECT z.zone_id, p.held, p.sold, p.version
FROM event_zones z CROSS JOIN LATERAL app.pool_counts(z.organization_id, z.event_id, 'zone', z.zone_id) p
WHERE z.organization_id = $1 AND z.event_id = $2 AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved');

-- name: blocked_seats
SELECT array(SELECT seat_id FROM event_seats WHERE organization_id = $1 AND event_id = $2 AND status = 'blocked'
             ORDER BY ordinal);

-- name: blocked_seats_in
-- The seats of another version that have the keys of those that are blocked now.
SELECT array(
    SELECT there.id FROM event_seats e
    JOIN seats here ON here.id = e.seat_id AND here.organization_id = e.organization_id
    JOIN seats there ON there.organization_id = $1 AND there.layout_id = $3 AND there.seat_key = here.seat_key
    WHERE e.organization_id = $1 AND e.event_id = $2 AND e.status = 'blocked');

-- part: seat
s.id, s.seat_key, s.ordinal, s.zone_id, s.section, s.row_label AS row, s.number, s.category,
coalesce(l.pricing_zones ->> s.zone_id::text, s.price_category) AS price_category, s.companion_of,
CASE WHEN e.status = 'held' AND e.held_until <= app.clock() THEN 'available'
     WHEN e.status = 'available' AND e.reserved_until > app.clock() THEN 'blocked'
     ELSE e.status END AS status

-- name: list_seats
-- From one ordinal up to another: a zone's seats follow each other.
SELECT {seat}
FROM event_layouts l
JOIN seats s ON s.organization_id = l.organization_id AND s.layout_id = l.layout_id
JOIN event_seats e ON e.organization_id = l.organization_id AND e.event_id = l.event_id AND e.seat_id = s.id
WHERE l.organization_id = $1 AND l.event_id = $2 AND s.ordinal >= $3 AND s.ordinal < $4
ORDER BY s.ordinal LIMIT $5;

-- name: seat_of_event
SELECT {seat}
FROM event_seats e
JOIN event_layouts l ON l.organization_id = e.organization_id AND l.event_id = e.event_id
JOIN seats s ON s.id = e.seat_id AND s.organization_id = e.organization_id
WHERE e.organization_id = $1 AND e.event_id = $2 AND e.seat_id = $3;

-- name: seat_states
-- 0 available, 1 held, 2 sold, 3 blocked, 4 softly reserved. A seat without a row does not exist in this show.
SELECT array_agg(ordinal ORDER BY ordinal) AS ordinals,
       array_agg((CASE WHEN status = 'sold' THEN 2
                       WHEN status = 'blocked' THEN 3
                       WHEN status = 'held' AND held_until > app.clock() THEN 1
                       WHEN status = 'available' AND reserved_until > app.clock() THEN 4
                       ELSE 0 END)::smallint ORDER BY ordinal) AS states,
       array_agg(version ORDER BY ordinal) AS versions
FROM event_seats WHERE organization_id = $1 AND event_id = $2;

-- name: lock_pools
SELECT FROM pools WHERE organization_id = $1 AND event_id = $2 ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: lock_seats
-- In the order of their ids, as everybody who locks seats does: and at once with the companions and the places that
-- they accompany, which change when a hold ends.
SELECT seat_id, status, reserved_for IS NOT NULL AS is_kept FROM event_seats
WHERE organization_id = $1 AND event_id = $2 AND (
    seat_id = ANY ($3::uuid[]) OR companion_of = ANY ($3::uuid[]) OR seat_id = ANY (ARRAY(
        SELECT companion_of FROM event_seats
        WHERE organization_id = $1 AND event_id = $2 AND seat_id = ANY ($3::uuid[]) AND companion_of IS NOT NULL)))
ORDER BY seat_id FOR UPDATE;

-- name: set_seats
UPDATE event_seats SET status = $4, held_until = NULL, hold_id = NULL, reserved_for = NULL, reserved_until = NULL,
                       version = version + 1
WHERE organization_id = $1 AND event_id = $2 AND seat_id = ANY ($3::uuid[])
RETURNING ordinal, version;

-- name: accessible_seats
SELECT s.seat_key, s.category
FROM event_seats e JOIN seats s ON s.organization_id = $1 AND s.id = e.seat_id
WHERE e.organization_id = $1 AND e.event_id = $2 AND e.seat_id = ANY ($3::uuid[]) AND s.category IN ('wheelchair', 'companion')
ORDER BY s.ordinal;

-- name: accompany
-- Seats that were opened again: those beside a place which somebody has are kept for them.
SELECT k.ordinal, k.version
FROM app.keep_companions($1, $2, ARRAY(
    SELECT companion_of FROM event_seats
    WHERE organization_id = $1 AND event_id = $2 AND seat_id = ANY ($3::uuid[]) AND companion_of IS NOT NULL)) k
WHERE k.kept;

-- name: release_companions
-- For good. Returns the seats that are open to all now.
WITH zone AS (
    UPDATE event_zones SET companions_released = true
    WHERE organization_id = $1 AND event_id = $2 AND zone_id = $3 AND NOT companions_released
    RETURNING zone_id
), opened AS (
    UPDATE event_seats SET reserved_for = NULL, reserved_until = NULL, version = version + 1
    WHERE organization_id = $1 AND event_id = $2 AND zone_id = (SELECT zone_id FROM zone) AND reserved_for IS NOT NULL
    RETURNING ordinal
)
SELECT array(SELECT ordinal FROM opened);

-- Guests, policy, migrations -----------------------------------------------------------------------

-- name: add_guests
INSERT INTO zone_guests (organization_id, event_id, zone_id, email, name, added_by)
SELECT $1, $2, $3, g.email, g.name, $6 FROM unnest($4::text[], $5::text[]) AS g (email, name)
ON CONFLICT (organization_id, event_id, zone_id, email) DO UPDATE SET name = excluded.name;

-- name: remove_guest
DELETE FROM zone_guests WHERE organization_id = $1 AND event_id = $2 AND zone_id = $3 AND email = $4;

-- name: list_guests
SELECT email, name, created_at FROM zone_guests
WHERE organization_id = $1 AND event_id = $2 AND zone_id = $3 AND ($4::text IS NULL OR email > $4)
ORDER BY email LIMIT $5;

-- name: zones_listing
SELECT array(SELECT zone_id FROM zone_guests WHERE organization_id = $1 AND event_id = $2 AND email = lower($3));

-- name: seating_policy
SELECT values, mandatory, version FROM seating_policies WHERE organization_id = $1;

-- name: put_seating_policy
INSERT INTO seating_policies (organization_id, values, mandatory) VALUES ($1, $2, $3)
ON CONFLICT (organization_id) DO UPDATE
SET values = excluded.values, mandatory = excluded.mandatory, version = seating_policies.version + 1,
    updated_at = app.clock()
RETURNING values, mandatory, version;

-- name: sold_seats
-- With the lock: nobody sells or refunds while it is looked at.
SELECT e.seat_id, e.ordinal, e.ticket_id, s.seat_key
FROM event_seats e JOIN seats s ON s.id = e.seat_id AND s.organization_id = e.organization_id
WHERE e.organization_id = $1 AND e.event_id = $2 AND e.status = 'sold' ORDER BY e.seat_id FOR UPDATE OF e;

-- name: is_any_held
-- As above, of an overdue hold too.
SELECT EXISTS (SELECT FROM event_seats WHERE organization_id = $1 AND event_id = $2 AND status = 'held')
    OR EXISTS (SELECT FROM pools WHERE organization_id = $1 AND event_id = $2 AND held > 0)
    OR EXISTS (SELECT FROM day_places WHERE organization_id = $1 AND event_id = $2 AND held > 0);

-- name: insert_migration
INSERT INTO layout_migrations (id, organization_id, event_id, from_layout_id, to_layout_id, respond_by, planned_by)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING {migration};

-- name: insert_moves
INSERT INTO seat_moves (organization_id, migration_id, ticket_id, from_seat_id, to_seat_id, kind, reason)
SELECT $1, $2, m.* FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[]) AS m;

-- name: migration_by_id
SELECT {migration} FROM layout_migrations WHERE organization_id = $1 AND id = $2;

-- name: lock_migration
SELECT {migration} FROM layout_migrations WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: list_migrations
SELECT {migration} FROM layout_migrations
WHERE organization_id = $1 AND event_id = $2 AND ($3::timestamptz IS NULL OR (created_at, id) > ($3, $4::uuid))
ORDER BY created_at, id LIMIT $5;

-- name: moves_of
SELECT m.ticket_id, m.from_seat_id, f.seat_key AS from_seat_key, m.to_seat_id, t.seat_key AS to_seat_key, m.kind,
       m.reason
FROM seat_moves m
JOIN seats f ON f.id = m.from_seat_id AND f.organization_id = m.organization_id
LEFT JOIN seats t ON t.id = m.to_seat_id AND t.organization_id = m.organization_id
WHERE m.organization_id = $1 AND m.migration_id = $2 ORDER BY f.ordinal;

-- name: end_migration
UPDATE layout_migrations SET status = $3, approved_by = $4, applied_at = CASE WHEN $3 = 'applied' THEN app.clock() END
WHERE organization_id = $1 AND id = $2 RETURNING {migration};

-- name: allow_relocation
SELECT set_config('app.relocating', $1::uuid::text, true);

-- name: kept_companions
-- Which companion seats are kept for people who move, by the places that they move to.
SELECT m.to_seat_id AS seat_id, e.reserved_until,
       CASE WHEN e.reserved_for = m.from_seat_id THEN m.to_seat_id ELSE e.reserved_for END AS reserved_for
FROM event_seats e
JOIN seat_moves m ON m.organization_id = $1 AND m.migration_id = $3 AND m.from_seat_id = e.companion_of
WHERE e.organization_id = $1 AND e.event_id = $2 AND e.status = 'available' AND e.reserved_until > app.clock()
  AND m.to_seat_id IS NOT NULL;

-- name: keep_companions
UPDATE event_seats e SET reserved_for = kept.reserved_for, reserved_until = kept.reserved_until, version = e.version + 1
FROM unnest($3::uuid[], $4::uuid[], $5::timestamptz[]) AS kept (seat_id, reserved_for, reserved_until)
WHERE e.organization_id = $1 AND e.event_id = $2 AND e.companion_of = kept.seat_id AND e.status = 'available'
  AND NOT EXISTS (SELECT FROM event_zones z WHERE z.organization_id = $1 AND z.event_id = $2 AND z.zone_id = e.zone_id
                  AND z.companions_released);

-- name: keep_released
-- What was released for good stays so in the zones of the same keys.
UPDATE event_zones SET companions_released = true
WHERE organization_id = $1 AND event_id = $2 AND zone_key = ANY ($3::text[]);

-- name: seat_tickets_again
-- On the new layout's seats, where the plan says.
UPDATE event_seats e SET status = 'sold', ticket_id = m.ticket_id, version = e.version + 1
FROM seat_moves m
WHERE m.organization_id = $1 AND m.migration_id = $3 AND e.organization_id = $1 AND e.event_id = $2
  AND e.seat_id = m.to_seat_id AND e.status = 'available';

-- name: sold_on_fullest_day
-- Of zones without seats. What is held on some day counts, too: whoever moves an event waits for it anyway.
SELECT z.zone_key, p.sold + p.day_peak AS sold
FROM event_zones z JOIN pools p ON p.organization_id = $1 AND p.event_id = $2 AND p.kind = 'zone' AND p.ref_id = z.zone_id
WHERE z.organization_id = $1 AND z.event_id = $2 AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved');

-- name: sold_in_zones
-- Of zones without seats: for every day, and of each type that is for some days.
SELECT z.zone_key, n.ticket_type_id, n.sold
FROM event_zones z CROSS JOIN LATERAL (
    SELECT NULL::uuid AS ticket_type_id, p.sold FROM pools p
    WHERE p.organization_id = $1 AND p.event_id = $2 AND p.kind = 'zone' AND p.ref_id = z.zone_id
    UNION ALL
    SELECT d.ticket_type_id, d.sold FROM day_places d
    WHERE d.organization_id = $1 AND d.event_id = $2 AND d.kind = 'zone' AND d.ref_id = z.zone_id) n
WHERE z.organization_id = $1 AND z.event_id = $2 AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved') AND n.sold > 0;

-- name: count_sold_again
-- Seats by their rows; a zone without seats by what was sold (`sold_in_zones`: $3, $4, $5) in the one of the same key. The
-- event's own pool stays as it is: a ticket that has no seat any more is still sold.
WITH was AS (
    SELECT z.zone_id, k.ticket_type_id, k.sold
    FROM unnest($3::text[], $4::uuid[], $5::integer[]) AS k (zone_key, ticket_type_id, sold)
    JOIN event_zones z USING (zone_key)
    WHERE z.organization_id = $1 AND z.event_id = $2 AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')
), by_day AS (
    INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, sold)
    SELECT $1, $2, 'zone', zone_id, ticket_type_id, sold FROM was WHERE ticket_type_id IS NOT NULL
), zone_sold AS (
    SELECT z.zone_id AS ref_id, CASE WHEN z.zone_type IN ('reserved_seating', 'vip_reserved') THEN (
               SELECT count(*) FROM event_seats e WHERE e.organization_id = $1 AND e.event_id = $2
               AND e.zone_id = z.zone_id AND e.status = 'sold')
           ELSE coalesce((SELECT w.sold FROM was w WHERE w.zone_id = z.zone_id AND w.ticket_type_id IS NULL), 0) END AS sold
    FROM event_zones z WHERE z.organization_id = $1 AND z.event_id = $2
)
UPDATE pools p SET sold = found.sold FROM zone_sold AS found
WHERE p.organization_id = $1 AND p.event_id = $2 AND p.kind = 'zone' AND p.ref_id = found.ref_id;
