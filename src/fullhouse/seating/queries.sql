-- The statements of the seating domain.

-- part: layout
id, venue_id, family_id, version, name, description, status, total_capacity, seat_count, created_by, created_at,
updated_at

-- part: zone
id, position, zone_key AS key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles, price_category

-- part: migration
id, event_id, from_layout_id, to_layout_id, status, respond_by, planned_by, approved_by, created_at, applied_at

-- name: insert_layout
INSERT INTO layouts (id, organization_id, venue_id, family_id, version, name, description, total_capacity, seat_count,
                     document, geometry, created_by)
VALUES (:id, :org, :venue_id?, :family_id, :version, :name, :description, :total_capacity, :seat_count, :document,
        :geometry, :created_by?)
RETURNING {layout};

-- name: update_draft
UPDATE layouts
SET name = :name, description = :description, total_capacity = :total_capacity, seat_count = :seat_count,
    document = :document, geometry = :geometry,
                   updated_at = app.clock()
WHERE organization_id = :org AND id = :layout_id
RETURNING {layout};

-- name: delete_layout_places
-- Seats are deleted with their zones (cascade).
WITH gone AS (DELETE FROM seat_groups WHERE organization_id = :org AND layout_id = :layout_id)
DELETE FROM zones WHERE organization_id = :org AND layout_id = :layout_id;

-- name: insert_zones
INSERT INTO zones (id, organization_id, layout_id, position, zone_key, name, zone_type, capacity, access_mode,
                   membership_tier, allowed_roles, price_category)
SELECT z.id, :org, :layout_id, z.position, z.zone_key, z.name, z.zone_type, z.capacity, z.access_mode,
       z.membership_tier,
       coalesce(string_to_array(nullif(z.allowed_roles, ''), ','), '{}'), z.price_category
FROM unnest(:ids::uuid[], :positions::integer[], :zone_keys::text[], :names::text[], :zone_types::text[],
            :capacities::integer[], :access_modes::text[], :membership_tiers[?]::text[],
            :allowed_roles::text[], :price_categories[?]::text[])
     AS z (id, position, zone_key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles,
           price_category);

-- name: insert_seats
-- Foreign keys are checked row by row. From here on generic plans for these checks are cached, until the caller
-- switches back: planning a hundred thousand checks one by one would take ten times as long as all the rest.
INSERT INTO seats (id, organization_id, layout_id, ordinal, seat_key, zone_id, section, row_label, number, category,
                   price_category, companion_of)
SELECT s.id, :org, :layout_id, s.ordinal, s.seat_key, s.zone_id, s.section, s.row_label, s.number, s.category,
       s.price_category,
       s.companion_of
FROM unnest(:ids::uuid[], :ordinals::integer[], :seat_keys::text[], :zone_ids::uuid[], :sections::text[],
            :row_labels::text[], :numbers::text[], :categories::text[],
            :price_categories::text[], :companion_ofs[?]::uuid[])
     AS s (id, ordinal, seat_key, zone_id, section, row_label, number, category, price_category, companion_of),
     set_config('plan_cache_mode', 'force_generic_plan', true) AS kept;

-- name: use_custom_plans
-- Back to custom plans for the rest of the transaction, as the pool sets it (kit/db/database.py).
SELECT set_config('plan_cache_mode', 'force_custom_plan', true) AS value;

-- name: insert_groups
INSERT INTO seat_groups (id, organization_id, layout_id, group_key, group_type, sold_as, ordinals)
SELECT g.id, :org, :layout_id, g.group_key, g.group_type, g.sold_as, string_to_array(g.ordinals, ',')::integer[]
FROM unnest(:ids::uuid[], :group_keys::text[], :group_types::text[], :sold_as::text[], :ordinals::text[])
     AS g (id, group_key, group_type, sold_as, ordinals);

-- name: layout_by_id
SELECT {layout} FROM layouts WHERE organization_id = :org AND id = :layout_id;

-- name: lock_layout
SELECT {layout} FROM layouts WHERE organization_id = :org AND id = :layout_id FOR UPDATE;

-- name: lock_family
-- Serialises adding and activating versions, before any row is locked. No row represents the family: even its first
-- version may be deleted.
SELECT pg_advisory_xact_lock(hashtextextended(:org::uuid::text || :family_id::uuid::text, 0))::text;

-- name: newest_version
SELECT max(version) FROM layouts WHERE organization_id = :org AND family_id = :family_id;

-- name: active_version
SELECT id FROM layouts WHERE organization_id = :org AND family_id = :family_id AND status = 'active';

-- name: list_layouts
SELECT {layout} FROM layouts
WHERE organization_id = :org AND venue_id = :venue_id AND (:status?::text IS NULL OR status = :status)
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: layout_document
SELECT document FROM layouts WHERE organization_id = :org AND id = :layout_id;

-- name: layout_geometry
SELECT geometry FROM layouts WHERE organization_id = :org AND id = :layout_id;

-- name: set_layout_status
UPDATE layouts SET status = :status, updated_at = app.clock()
WHERE organization_id = :org AND id = :layout_id RETURNING {layout};

-- name: archive_other_versions
UPDATE layouts SET status = 'archived', updated_at = app.clock()
WHERE organization_id = :org AND family_id = :family_id AND status = 'active' AND id <> :layout_id;

-- name: delete_layout
DELETE FROM layouts WHERE organization_id = :org AND id = :layout_id;

-- name: zones_of_layout
SELECT {zone} FROM zones WHERE organization_id = :org AND layout_id = :layout_id ORDER BY position;

-- name: groups_of_layout
SELECT group_key AS key, group_type, sold_as, ordinals FROM seat_groups
WHERE organization_id = :org AND layout_id = :layout_id ORDER BY group_key;

-- The event's overlay ------------------------------------------------------------------------------

-- name: event_layout
SELECT event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version
FROM event_layouts WHERE organization_id = :org AND event_id = :event_id;

-- name: lock_event_layout
SELECT event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version
FROM event_layouts WHERE organization_id = :org AND event_id = :event_id FOR UPDATE;

-- name: put_event_layout
INSERT INTO event_layouts (organization_id, event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy)
VALUES (:org, :event_id, :layout_id, :disabled_zones, :zone_overrides, :pricing_zones, :policy)
ON CONFLICT (organization_id, event_id) DO UPDATE
SET layout_id = excluded.layout_id, disabled_zones = excluded.disabled_zones, zone_overrides = excluded.zone_overrides,
    pricing_zones = excluded.pricing_zones, policy = excluded.policy, version = event_layouts.version + 1,
    updated_at = app.clock()
RETURNING event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version;

-- name: put_event_policy
UPDATE event_layouts SET policy = :policy, version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND event_id = :event_id
RETURNING event_id, layout_id, disabled_zones, zone_overrides, pricing_zones, policy, version;

-- name: delete_event_layout
DELETE FROM event_layouts WHERE organization_id = :org AND event_id = :event_id;

-- name: is_in_use
-- Anything held or sold. An expired hold counts until it is ended: that subtracts it from this event's present pools,
-- and new pools would not include it.
SELECT EXISTS (SELECT FROM event_seats WHERE organization_id = :org AND event_id = :event_id
               AND status IN ('held', 'sold'))
    OR EXISTS (SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id AND held + sold + day_peak > 0);

-- name: count_taken
-- Counted from the holds and the tickets themselves.
SELECT (t.held + coalesce(sum(d.held), 0))::integer AS held, (t.sold + coalesce(sum(d.sold), 0))::integer AS sold
FROM app.taken_places(:org, :event_id) t LEFT JOIN LATERAL app.taken_by_day(:org, :event_id) d ON true GROUP BY t.held,
    t.sold;

-- name: clear_event_seats
DELETE FROM event_seats WHERE organization_id = :org AND event_id = :event_id;

-- name: clear_event_zones
WITH emptied AS (DELETE FROM pools WHERE organization_id = :org AND event_id = :event_id AND kind = 'zone')
DELETE FROM event_zones WHERE organization_id = :org AND event_id = :event_id;

-- name: move_guests
-- Moves guest lists to the new zones with the same keys.
UPDATE zone_guests g SET zone_id = there.id
FROM event_zones here, unnest(:ids::uuid[], :keys::text[]) AS there (id, key)
WHERE g.organization_id = :org AND g.event_id = :event_id AND here.organization_id = :org AND here.event_id = :event_id
  AND here.zone_id = g.zone_id AND there.key = here.zone_key AND there.id <> here.zone_id;

-- name: insert_event_zones
INSERT INTO event_zones (organization_id, event_id, zone_id, position, zone_key, name, zone_type, capacity, access_mode,
                         membership_tier, allowed_roles, price_category)
SELECT :org, :event_id, z.id, z.position, z.zone_key, z.name, z.zone_type, z.capacity, z.access_mode, z.membership_tier,
       coalesce(string_to_array(nullif(z.allowed_roles, ''), ','), '{}'), z.price_category
FROM unnest(:ids::uuid[], :positions::integer[], :zone_keys::text[], :names::text[], :zone_types::text[],
            :capacities::integer[], :access_modes::text[], :membership_tiers[?]::text[],
            :allowed_roles::text[], :price_categories[?]::text[])
     AS z (id, position, zone_key, name, zone_type, capacity, access_mode, membership_tier, allowed_roles,
           price_category);

-- name: insert_event_seats
-- All seats of the zones that have seats in this event. Generic plans are cached, as in `insert_seats`.
INSERT INTO event_seats (organization_id, event_id, seat_id, ordinal, zone_id, companion_of, status)
SELECT :org, :event_id, s.id, s.ordinal, s.zone_id, s.companion_of,
       CASE WHEN s.id = ANY (:seat_ids::uuid[]) THEN 'blocked' ELSE 'available' END
FROM seats s
JOIN event_zones z ON z.organization_id = :org AND z.event_id = :event_id AND z.zone_id = s.zone_id
                  AND z.zone_type IN ('reserved_seating', 'vip_reserved'),
     set_config('plan_cache_mode', 'force_generic_plan', true) AS kept
WHERE s.organization_id = :org AND s.layout_id = :layout_id
ORDER BY s.ordinal;

-- name: insert_zone_pools
INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity)
SELECT :org, :event_id, 'zone', zone_id, capacity FROM event_zones
WHERE organization_id = :org AND event_id = :event_id;

-- name: zones_of_event
SELECT z.zone_id AS id, z.position, z.zone_key AS key, z.name, z.zone_type, z.capacity, z.access_mode,
       z.membership_tier,
       z.allowed_roles, z.price_category, l.pricing_zones ->> z.zone_id::text AS priced_as, z.companions_released,
       p.held, p.sold
FROM event_zones z
CROSS JOIN LATERAL app.pool_counts(z.organization_id, z.event_id, 'zone', z.zone_id) p
JOIN event_layouts l ON l.organization_id = z.organization_id AND l.event_id = z.event_id
WHERE z.organization_id = :org AND z.event_id = :event_id ORDER BY z.position;

-- name: zone_counts
-- Held and sold counts of zones without seats.
SELECT z.zone_id, p.held, p.sold, p.version
FROM event_zones z CROSS JOIN LATERAL app.pool_counts(z.organization_id, z.event_id, 'zone', z.zone_id) p
WHERE z.organization_id = :org AND z.event_id = :event_id AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved');

-- name: blocked_seats
SELECT array(SELECT seat_id FROM event_seats WHERE organization_id = :org AND event_id = :event_id
             AND status = 'blocked'
             ORDER BY ordinal);

-- name: match_blocked_seats
-- The seats of another version with the same keys as the seats that are blocked now.
SELECT array(
    SELECT there.id FROM event_seats e
    JOIN seats here ON here.id = e.seat_id AND here.organization_id = e.organization_id
    JOIN seats there ON there.organization_id = :org AND there.layout_id = :layout_id AND there.seat_key = here.seat_key
    WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'blocked');

-- part: seat
s.id, s.seat_key, s.ordinal, s.zone_id, s.section, s.row_label AS row, s.number, s.category,
coalesce(l.pricing_zones ->> s.zone_id::text, s.price_category) AS price_category, s.companion_of,
CASE WHEN e.status = 'held' AND e.held_until <= app.clock() THEN 'available'
     WHEN e.status = 'available' AND e.reserved_until > app.clock() THEN 'blocked'
     ELSE e.status END AS status

-- name: list_seats
-- A range of ordinals: the seats of a zone are consecutive.
SELECT {seat}
FROM event_layouts l
JOIN seats s ON s.organization_id = l.organization_id AND s.layout_id = l.layout_id
JOIN event_seats e ON e.organization_id = l.organization_id AND e.event_id = l.event_id AND e.seat_id = s.id
WHERE l.organization_id = :org AND l.event_id = :event_id AND s.ordinal >= :first_ordinal AND s.ordinal < :end_ordinal
ORDER BY s.ordinal LIMIT :limit;

-- name: seat_of_event
SELECT {seat}
FROM event_seats e
JOIN event_layouts l ON l.organization_id = e.organization_id AND l.event_id = e.event_id
JOIN seats s ON s.id = e.seat_id AND s.organization_id = e.organization_id
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.seat_id = :seat_id;

-- name: seat_states
-- 0 available, 1 held, 2 sold, 3 blocked, 4 softly reserved. A seat without a row does not exist in this event.
SELECT array_agg(ordinal ORDER BY ordinal) AS ordinals,
       array_agg((CASE WHEN status = 'sold' THEN 2
                       WHEN status = 'blocked' THEN 3
                       WHEN status = 'held' AND held_until > app.clock() THEN 1
                       WHEN status = 'available' AND reserved_until > app.clock() THEN 4
                       ELSE 0 END)::smallint ORDER BY ordinal) AS states,
       array_agg(version ORDER BY ordinal) AS versions
FROM event_seats WHERE organization_id = :org AND event_id = :event_id;

-- name: lock_pools
SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id ORDER BY event_id, kind, ref_id FOR UPDATE;

-- name: lock_seats
-- Ordered by id, like every statement that locks seats, against deadlocks. Locks companion seats and the wheelchair
-- spaces that they accompany as well: these change when a hold ends.
SELECT seat_id, status, reserved_for IS NOT NULL AS is_kept FROM event_seats
WHERE organization_id = :org AND event_id = :event_id AND (
    seat_id = ANY (:seat_ids::uuid[]) OR companion_of = ANY (:seat_ids::uuid[]) OR seat_id = ANY (ARRAY(
        SELECT companion_of FROM event_seats
        WHERE organization_id = :org AND event_id = :event_id AND seat_id = ANY (:seat_ids::uuid[])
          AND companion_of IS NOT NULL)))
ORDER BY seat_id FOR UPDATE;

-- name: set_seat_status
UPDATE event_seats SET status = :status, held_until = NULL, hold_id = NULL, reserved_for = NULL, reserved_until = NULL,
                       version = version + 1
WHERE organization_id = :org AND event_id = :event_id AND seat_id = ANY (:seat_ids::uuid[])
RETURNING ordinal, version;

-- name: accessible_seats
SELECT s.seat_key, s.category
FROM event_seats e JOIN seats s ON s.organization_id = :org AND s.id = e.seat_id
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.seat_id = ANY (:seat_ids::uuid[])
  AND s.category IN ('wheelchair', 'companion')
ORDER BY s.ordinal;

-- name: reserve_companions
-- Of seats that were unblocked, reserves the companions of wheelchair spaces that are held or sold.
SELECT k.ordinal, k.version
FROM app.keep_companions(:org, :event_id, ARRAY(
    SELECT companion_of FROM event_seats
    WHERE organization_id = :org AND event_id = :event_id AND seat_id = ANY (:seat_ids::uuid[])
      AND companion_of IS NOT NULL)) k
WHERE k.kept;

-- name: release_companions
-- Permanent. Returns the seats that were reserved and are open to everybody now.
WITH zone AS (
    UPDATE event_zones SET companions_released = true
    WHERE organization_id = :org AND event_id = :event_id AND zone_id = :zone_id AND NOT companions_released
    RETURNING zone_id
), opened AS (
    UPDATE event_seats SET reserved_for = NULL, reserved_until = NULL, version = version + 1
    WHERE organization_id = :org AND event_id = :event_id AND zone_id = (SELECT zone_id FROM zone)
      AND reserved_for IS NOT NULL
    RETURNING ordinal
)
SELECT array(SELECT ordinal FROM opened);

-- Guests, policy, migrations -----------------------------------------------------------------------

-- name: add_guests
INSERT INTO zone_guests (organization_id, event_id, zone_id, email, name, added_by)
SELECT :org, :event_id, :zone_id, g.email, g.name, :added_by?
FROM unnest(:emails::text[], :names::text[]) AS g (email, name)
ON CONFLICT (organization_id, event_id, zone_id, email) DO UPDATE SET name = excluded.name;

-- name: remove_guest
DELETE FROM zone_guests WHERE organization_id = :org AND event_id = :event_id AND zone_id = :zone_id AND email = :email;

-- name: list_guests
SELECT email, name, created_at FROM zone_guests
WHERE organization_id = :org AND event_id = :event_id AND zone_id = :zone_id
  AND (:after_email?::text IS NULL OR email > :after_email)
ORDER BY email LIMIT :limit;

-- name: list_guest_zones
SELECT array(SELECT zone_id FROM zone_guests WHERE organization_id = :org AND event_id = :event_id
             AND email = lower(:email));

-- name: seating_policy
SELECT values, mandatory, version FROM seating_policies WHERE organization_id = :org;

-- name: put_seating_policy
INSERT INTO seating_policies (organization_id, values, mandatory) VALUES (:org, :values, :mandatory)
ON CONFLICT (organization_id) DO UPDATE
SET values = excluded.values, mandatory = excluded.mandatory, version = seating_policies.version + 1,
    updated_at = app.clock()
RETURNING values, mandatory, version;

-- name: lock_sold_seats
-- Locks the rows: no sale or refund runs meanwhile.
SELECT e.seat_id, e.ordinal, e.ticket_id, s.seat_key
FROM event_seats e JOIN seats s ON s.id = e.seat_id AND s.organization_id = e.organization_id
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'sold' ORDER BY e.seat_id FOR UPDATE OF e;

-- name: is_any_held
-- Expired holds count as well, as in `is_in_use`.
SELECT EXISTS (SELECT FROM event_seats WHERE organization_id = :org AND event_id = :event_id AND status = 'held')
    OR EXISTS (SELECT FROM pools WHERE organization_id = :org AND event_id = :event_id AND held > 0)
    OR EXISTS (SELECT FROM day_places WHERE organization_id = :org AND event_id = :event_id AND held > 0);

-- name: insert_migration
INSERT INTO layout_migrations (id, organization_id, event_id, from_layout_id, to_layout_id, respond_by, planned_by)
VALUES (:id, :org, :event_id, :from_layout_id, :to_layout_id, :respond_by, :planned_by?) RETURNING {migration};

-- name: insert_moves
INSERT INTO seat_moves (organization_id, migration_id, ticket_id, from_seat_id, to_seat_id, kind, reason)
SELECT :org, :migration_id, m.*
FROM unnest(:ticket_ids::uuid[], :from_seat_ids::uuid[], :to_seat_ids[?]::uuid[], :kinds[?]::text[], :reasons::text[])
    AS m;

-- name: migration_by_id
SELECT {migration} FROM layout_migrations WHERE organization_id = :org AND id = :migration_id;

-- name: lock_migration
SELECT {migration} FROM layout_migrations WHERE organization_id = :org AND id = :migration_id FOR UPDATE;

-- name: list_migrations
SELECT {migration} FROM layout_migrations
WHERE organization_id = :org AND event_id = :event_id AND (:after_at?::timestamptz IS NULL
                                                           OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: list_moves
SELECT m.ticket_id, m.from_seat_id, f.seat_key AS from_seat_key, m.to_seat_id, t.seat_key AS to_seat_key, m.kind,
       m.reason
FROM seat_moves m
JOIN seats f ON f.id = m.from_seat_id AND f.organization_id = m.organization_id
LEFT JOIN seats t ON t.id = m.to_seat_id AND t.organization_id = m.organization_id
WHERE m.organization_id = :org AND m.migration_id = :migration_id ORDER BY f.ordinal;

-- name: end_migration
UPDATE layout_migrations
SET status = :status, approved_by = :approved_by?, applied_at = CASE WHEN :status = 'applied' THEN app.clock() END
WHERE organization_id = :org AND id = :migration_id RETURNING {migration};

-- name: allow_relocation
SELECT set_config('app.relocating', :migration_id::uuid::text, true);

-- name: list_kept_companions
-- Companion seats that are reserved for buyers who move, by their new wheelchair spaces.
SELECT m.to_seat_id AS seat_id, e.reserved_until,
       CASE WHEN e.reserved_for = m.from_seat_id THEN m.to_seat_id ELSE e.reserved_for END AS reserved_for
FROM event_seats e
JOIN seat_moves m ON m.organization_id = :org AND m.migration_id = :migration_id AND m.from_seat_id = e.companion_of
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.status = 'available' AND e.reserved_until > app.clock()
  AND m.to_seat_id IS NOT NULL;

-- name: restore_companions
UPDATE event_seats e SET reserved_for = kept.reserved_for, reserved_until = kept.reserved_until, version = e.version + 1
FROM unnest(:seat_ids::uuid[], :user_ids::uuid[], :untils::timestamptz[])
    AS kept (seat_id, reserved_for, reserved_until)
WHERE e.organization_id = :org AND e.event_id = :event_id AND e.companion_of = kept.seat_id AND e.status = 'available'
  AND NOT EXISTS (SELECT FROM event_zones z WHERE z.organization_id = :org AND z.event_id = :event_id
                  AND z.zone_id = e.zone_id
                  AND z.companions_released);

-- name: restore_released
-- Released companion seats stay released in the zones with the same keys.
UPDATE event_zones SET companions_released = true
WHERE organization_id = :org AND event_id = :event_id AND zone_key = ANY (:zone_keys::text[]);

-- name: reassign_seats
-- Marks the new layout's seats as sold, as the migration plans it.
UPDATE event_seats e SET status = 'sold', ticket_id = m.ticket_id, version = e.version + 1
FROM seat_moves m
WHERE m.organization_id = :org AND m.migration_id = :migration_id AND e.organization_id = :org
  AND e.event_id = :event_id
  AND e.seat_id = m.to_seat_id AND e.status = 'available';

-- name: sold_on_fullest_day
-- Of zones without seats. Holds on single days count as well: a migration waits for them anyway.
SELECT z.zone_key, p.sold + p.day_peak AS sold
FROM event_zones z JOIN pools p ON p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'zone'
    AND p.ref_id = z.zone_id
WHERE z.organization_id = :org AND z.event_id = :event_id AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved');

-- name: sold_in_zones
-- Of zones without seats: tickets for every day, and those of each type that is for some days only.
SELECT z.zone_key, n.ticket_type_id, n.sold
FROM event_zones z CROSS JOIN LATERAL (
    SELECT NULL::uuid AS ticket_type_id, p.sold FROM pools p
    WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'zone' AND p.ref_id = z.zone_id
    UNION ALL
    SELECT d.ticket_type_id, d.sold FROM day_places d
    WHERE d.organization_id = :org AND d.event_id = :event_id AND d.kind = 'zone' AND d.ref_id = z.zone_id) n
WHERE z.organization_id = :org AND z.event_id = :event_id AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')
  AND n.sold > 0;

-- name: recount_sold
-- Zones with seats: counted from the rows. Zones without: what was sold (`sold_in_zones`: :zone_keys,
-- :ticket_type_ids, :sold) in the zone with the same key. The event's own pool is unchanged: a ticket that lost its
-- seat is still sold.
WITH was AS (
    SELECT z.zone_id, k.ticket_type_id, k.sold
    FROM unnest(:zone_keys::text[], :ticket_type_ids[?]::uuid[], :sold::integer[]) AS k (zone_key, ticket_type_id, sold)
    JOIN event_zones z USING (zone_key)
    WHERE z.organization_id = :org AND z.event_id = :event_id
      AND z.zone_type NOT IN ('reserved_seating', 'vip_reserved')
), by_day AS (
    INSERT INTO day_places (organization_id, event_id, kind, ref_id, ticket_type_id, sold)
    SELECT :org, :event_id, 'zone', zone_id, ticket_type_id, sold FROM was WHERE ticket_type_id IS NOT NULL
), zone_sold AS (
    SELECT z.zone_id AS ref_id, CASE WHEN z.zone_type IN ('reserved_seating', 'vip_reserved') THEN (
               SELECT count(*) FROM event_seats e WHERE e.organization_id = :org AND e.event_id = :event_id
               AND e.zone_id = z.zone_id AND e.status = 'sold')
           ELSE coalesce((SELECT w.sold FROM was w WHERE w.zone_id = z.zone_id AND w.ticket_type_id IS NULL), 0) END
           AS sold
    FROM event_zones z WHERE z.organization_id = :org AND z.event_id = :event_id
)
UPDATE pools p SET sold = found.sold FROM zone_sold AS found
WHERE p.organization_id = :org AND p.event_id = :event_id AND p.kind = 'zone' AND p.ref_id = found.ref_id;
