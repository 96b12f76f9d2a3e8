-- The statements of the events room.

-- name: insert_venue
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, address, address_parts, city, country,
                    latitude, longitude, max_capacity, settings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (organization_id, slug) DO NOTHING
RETURNING id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity,
          settings, version, created_at, updated_at;

-- name: venue_by_id
SELECT id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity,
       settings, version, created_at, updated_at
FROM venues WHERE organization_id = $1 AND id = $2;

-- name: lock_venue
SELECT id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity,
       settings, version, created_at, updated_at
FROM venues WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_venue
UPDATE venues
SET slug = $3, name = $4, kind = $5, timezone = $6, address = $7, address_parts = $8, city = $9, country = $10,
    latitude = $11, longitude = $12, max_capacity = $13, settings = $14, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity,
          settings, version, created_at, updated_at;

-- name: delete_venue
DELETE FROM venues WHERE organization_id = $1 AND id = $2;

-- name: list_venues
SELECT id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity,
       settings, version, created_at, updated_at
FROM venues
WHERE organization_id = $1 AND ($2::text IS NULL OR city = $2)
  AND ($3::timestamptz IS NULL OR (created_at, id) > ($3, $4::uuid))
ORDER BY created_at, id LIMIT $5;

-- name: insert_gate
INSERT INTO gates (id, organization_id, venue_id, gate_code, name, status, capacity, settings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at;

-- name: gate_by_id
SELECT id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at
FROM gates WHERE organization_id = $1 AND id = $2;

-- name: lock_gate
SELECT id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at
FROM gates WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_gate
UPDATE gates
SET gate_code = $3, name = $4, status = $5, capacity = $6, settings = $7, version = version + 1,
    updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at;

-- name: delete_gate
DELETE FROM gates WHERE organization_id = $1 AND id = $2;

-- name: list_gates
SELECT id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at
FROM gates
WHERE organization_id = $1 AND venue_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($4::timestamptz IS NULL OR (created_at, id) > ($4, $5::uuid))
ORDER BY created_at, id LIMIT $6;

-- name: insert_event
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, capacity, settings, venue_name, city, country, address, timezone,
                    recurrence_group_id, created_by, dedupe_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
ON CONFLICT ON CONSTRAINT events_slug DO NOTHING
RETURNING id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at;

-- name: event_by_id
SELECT id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at
FROM events WHERE organization_id = $1 AND id = $2;

-- name: event_by_slug
SELECT id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at
FROM events WHERE organization_id = $1 AND slug = $2;

-- name: lock_event
-- FOR UPDATE: of two transitions at once, the second sees what the first has done.
SELECT id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at
FROM events WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_event
UPDATE events
SET venue_id = $3, slug = $4, name = $5, description = $6, category = $7, status = $8, start_at = $9, end_at = $10,
    doors_at = $11, sale_start_at = $12, sale_end_at = $13, rescheduled_at = $14, capacity = $15, settings = $16,
    venue_name = $17, city = $18, country = $19, address = $20, timezone = $21, recurrence_group_id = $22,
    replaced_by_event_id = $23, postponement_reason = $24, cancellation_reason = $25, published_at = $26,
    cancelled_at = $27, dedupe_key = $28, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at;

-- name: delete_event
DELETE FROM events WHERE organization_id = $1 AND id = $2;

-- name: list_events
SELECT id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
       rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, recurrence_group_id,
       replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at,
       cancelled_at, created_at, updated_at
FROM events
WHERE organization_id = $1
  AND ($2::text IS NULL OR status = $2)
  AND ($3::uuid IS NULL OR venue_id = $3)
  AND ($4::timestamptz IS NULL OR start_at >= $4)
  AND ($5::timestamptz IS NULL OR start_at < $5)
  AND ($6::timestamptz IS NULL OR (start_at, id) > ($6, $7::uuid))
ORDER BY start_at, id LIMIT $8;

-- name: due_events
-- The scheduler's question, across organisations: whose time has come. Each arm has a partial index of its own, and is
-- ordered so that it is used: most shows lie in the past, from which the planner would guess that many of them are due.
(SELECT organization_id, id FROM events WHERE status = 'published' AND doors_at <= app.clock()
 ORDER BY doors_at LIMIT 100)
UNION ALL
(SELECT organization_id, id FROM events
 WHERE status = 'postponed' AND rescheduled_at IS NOT NULL AND rescheduled_at <= app.clock()
 ORDER BY rescheduled_at LIMIT 100)
UNION ALL
(SELECT organization_id, id FROM events WHERE status = 'live' AND end_at <= app.clock() ORDER BY end_at LIMIT 100);

-- name: organization_of_event
SELECT organization_id FROM event_directory WHERE event_id = $1;

-- name: hide_event
DELETE FROM public_events WHERE organization_id = $1 AND event_id = $2;

-- name: show_event
-- The text is folded by the caller; a word is found as it stands and, where the language is known, by its stem.
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, address, timezone, start_at, end_at, first_start_at, rescheduled_at,
                           sale_start_at, sale_end_at, capacity, published_at, search)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
        setweight(to_tsvector('simple', $22), 'A') || setweight(to_tsvector($27::text::regconfig, $22), 'A')
        || setweight(to_tsvector('simple', $23), 'B') || setweight(to_tsvector('simple', $24), 'B')
        || setweight(to_tsvector('simple', $25), 'D') || setweight(to_tsvector($27::text::regconfig, $25), 'D')
        || array_to_tsvector($26::text[]))
ON CONFLICT (event_id) DO UPDATE
SET slug = excluded.slug, title = excluded.title, description = excluded.description, category = excluded.category,
    status = excluded.status, venue_name = excluded.venue_name, city = excluded.city,
    city_norm = excluded.city_norm, country = excluded.country, address = excluded.address,
    timezone = excluded.timezone, start_at = excluded.start_at, end_at = excluded.end_at,
    first_start_at = excluded.first_start_at, rescheduled_at = excluded.rescheduled_at,
    sale_start_at = excluded.sale_start_at, sale_end_at = excluded.sale_end_at, capacity = excluded.capacity,
    published_at = excluded.published_at, search = excluded.search;

-- name: public_event
SELECT p.event_id AS id, o.slug AS organization, o.name AS organization_name, p.slug, p.title, p.description, p.category,
       'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.venue_name, p.city, p.country, p.address, p.timezone, p.start_at AS start_time, p.end_at AS end_time,
       p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at, p.capacity,
       p.published_at
FROM public_events p JOIN organizations o ON o.id = p.organization_id AND o.status = 'active'
WHERE p.event_id = $1;

-- name: public_feed
SELECT * FROM (
SELECT p.event_id AS id, o.slug AS organization, o.name AS organization_name, p.slug, p.title, p.description, p.category,
       'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.venue_name, p.city, p.country, p.address, p.timezone, p.start_at AS start_time, p.end_at AS end_time,
       p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at, p.capacity,
       p.published_at
FROM public_events p JOIN organizations o ON o.id = p.organization_id AND o.status = 'active'
WHERE ($1::text IS NULL OR p.city_norm = $1)
  AND ($2::text IS NULL OR p.category = $2)
  AND ($3::timestamptz IS NULL OR p.start_at >= $3)
  AND ($4::timestamptz IS NULL OR p.start_at < $4)
  AND ($6::text IS NULL OR p.search @@ websearch_to_tsquery('simple', $6))
  AND ($7::timestamptz IS NULL OR (p.start_at, p.event_id) > ($7, $8::uuid))
ORDER BY p.start_at, p.event_id
) found
WHERE $5::text IS NULL OR sale_status = $5
ORDER BY start_time, id LIMIT $9;

-- name: search_public
-- $1 is the words as they were typed, $2 a language to stem them by, $3 the filters as lexemes: all in one index.
WITH wanted AS (
    SELECT websearch_to_tsquery('simple', $1) || websearch_to_tsquery($2::text::regconfig, $1) AS words
)
SELECT p.event_id AS id, o.slug AS organization, o.name AS organization_name, p.slug, p.title, p.description, p.category,
       'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.venue_name, p.city, p.country, p.address, p.timezone, p.start_at AS start_time, p.end_at AS end_time,
       p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at, p.capacity,
       p.published_at
FROM wanted, public_events p JOIN organizations o ON o.id = p.organization_id AND o.status = 'active'
WHERE p.search @@ CASE WHEN $3::text IS NULL THEN wanted.words ELSE wanted.words && $3::text::tsquery END
ORDER BY ts_rank(p.search, wanted.words) DESC, p.start_at, p.event_id LIMIT $4;

-- name: public_cities
SELECT min(city) AS city, min(country) AS country, count(*)::integer AS events
FROM public_events GROUP BY city_norm, country;

-- name: my_events
SELECT id, created_by AS owner_id, name AS title, description, city, category, start_at AS start_time,
       end_at AS end_time, capacity, status, published_at, cancelled_at AS canceled_at, created_at, updated_at
FROM events
WHERE organization_id = $1 AND created_by = $2 AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
ORDER BY created_at DESC, id DESC LIMIT $5;
