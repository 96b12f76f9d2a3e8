-- The statements of the events domain.

-- part: venue
id, slug, name, kind, timezone, address, address_parts, city, country, latitude, longitude, max_capacity, settings,
version, created_at, updated_at

-- part: gate
id, venue_id, gate_code, name, status, capacity, settings, version, created_at, updated_at

-- part: event
id, venue_id, slug, name, description, category, status, start_at, end_at, doors_at, sale_start_at, sale_end_at,
rescheduled_at, capacity, settings, venue_name, city, country, address, timezone, cover_image_ids, recurrence_group_id,
replaced_by_event_id, postponement_reason, cancellation_reason, created_by, version, published_at, cancelled_at,
created_at, updated_at

-- part: words
-- If both configurations give the same query, it is used once: OR of two would scan the index twice.
(CASE WHEN to_tsquery('simple', :words) = to_tsquery(:language::regconfig, :words) THEN to_tsquery('simple', :words)
      ELSE to_tsquery('simple', :words) || to_tsquery(:language::regconfig, :words) END)

-- part: by
-- The same for the query of the full-text index (:indexed_words): all words, or only the complete ones.
(CASE WHEN to_tsquery('simple', :indexed_words) = to_tsquery(:language::regconfig, :indexed_words)
 THEN to_tsquery('simple', :indexed_words)
      ELSE to_tsquery('simple', :indexed_words) || to_tsquery(:language::regconfig, :indexed_words) END)

-- part: where
(:organization_id?::uuid IS NULL OR organization_id = :organization_id)
  AND (:city?::text IS NULL OR city_norm = :city)
  AND (:category?::text IS NULL OR category = :category)

-- part: when
-- The first line is the whole condition, written so that the planner does not estimate it. The others follow from it
-- and can use an index.
      (:sale_status?::text IS NULL OR CASE sale_status WHEN :sale_status THEN true ELSE false END)
  AND (:sale_status::text IS DISTINCT FROM 'sold_out' OR all_sold OR selling IS NOT NULL)
  AND (:sale_status::text IS DISTINCT FROM 'suspended' OR phase = 'postponed' AND rescheduled_at IS NULL)
  AND (:sale_status::text IS DISTINCT FROM 'upcoming' OR sale_start_at > app.clock() OR NOT has_tickets
       OR selling IS NOT NULL)
  AND (:sale_status::text IS DISTINCT FROM 'on_sale' OR sale_start_at <= app.clock() AND sale_end_at >= app.clock())
  AND (:sale_status::text IS DISTINCT FROM 'closed' OR sale_end_at < app.clock())
  AND (:since?::timestamptz IS NULL OR start_time >= :since)
  AND (:until?::timestamptz IS NULL OR start_time < :until)

-- part: ranks
-- The ranks as of epoch :epoch: a rank that changed since has another version.
(SELECT event_id, rank, start_at AS ranked_start, city_norm AS ranked_city, category AS ranked_category
      FROM public_ranks WHERE since_epoch <= :epoch AND until_epoch > :epoch) r

-- part: ranked
(:organization_id?::uuid IS NULL OR organization_id = :organization_id)
  AND (:city?::text IS NULL OR ranked_city = :city)
  AND (:category?::text IS NULL OR ranked_category = :category)
  AND (:after_rank?::double precision IS NULL
       OR (rank, ranked_start, event_id) > (:after_rank, :after_start?::timestamptz, :after_id?::uuid))

-- part: show
id, organization_id, organization, organization_name, slug, title, description, category, status, phase, sale_status,
sold_out, venue_name, city, country, address, timezone, start_time, end_time, first_start_time, rescheduled_at,
sale_start_at, sale_end_at, selling, has_tickets, capacity, cover_image_ids, owner_id, active_participants,
published_at,
created_at, changed_at

-- name: free_number
-- The next free number for a slug, in `events` or `venues`.
SELECT app.free_number(:table::text::regclass, :org, :slug);

-- name: insert_venue
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, address, address_parts, city, country,
                    latitude, longitude, max_capacity, settings, stands_for)
VALUES (:id, :org, :slug, :name, :kind, :timezone, :address?, :address_parts, :city, :country, :latitude?, :longitude?,
        :max_capacity, :settings, :stands_for?)
ON CONFLICT DO NOTHING
RETURNING {venue};

-- name: find_city_venue
SELECT {venue}
FROM venues WHERE organization_id = :org AND stands_for = :stands_for;

-- name: venue_by_id
SELECT {venue}
FROM venues WHERE organization_id = :org AND id = :venue_id?;

-- name: lock_venue_shared
-- FOR KEY SHARE: the venue is not deleted before the rows that refer to it are written. Always before an event's lock.
SELECT {venue}
FROM venues WHERE organization_id = :org AND id = :venue_id FOR KEY SHARE;

-- name: lock_venue
SELECT {venue}
FROM venues WHERE organization_id = :org AND id = :venue_id FOR UPDATE;

-- name: update_venue
-- A city's virtual venue that is renamed or moved does not stand for the city any more.
UPDATE venues
SET slug = :slug, name = :name, kind = :kind, timezone = :timezone, address = :address?, address_parts = :address_parts,
    city = :city, country = :country,
    latitude = :latitude?, longitude = :longitude?, max_capacity = :max_capacity, settings = :settings,
    version = version + 1,
    updated_at = app.clock(),
    stands_for = CASE WHEN (name, kind, city) = (:name, :kind, :city) THEN stands_for END
WHERE organization_id = :org AND id = :venue_id
RETURNING {venue};

-- name: delete_venue
DELETE FROM venues WHERE organization_id = :org AND id = :venue_id;

-- name: list_venues
SELECT {venue}
FROM venues
WHERE organization_id = :org AND (:city?::text IS NULL OR city = :city)
  AND (:timezone?::text IS NULL OR timezone = :timezone)
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: insert_gate
INSERT INTO gates (id, organization_id, venue_id, gate_code, name, status, capacity, settings)
VALUES (:id, :org, :venue_id, :gate_code, :name, :status, :capacity?, :settings)
RETURNING {gate};

-- name: gate_by_id
SELECT {gate}
FROM gates WHERE organization_id = :org AND id = :gate_id;

-- name: lock_gate
SELECT {gate}
FROM gates WHERE organization_id = :org AND id = :gate_id FOR UPDATE;

-- name: update_gate
UPDATE gates
SET gate_code = :gate_code, name = :name, status = :status, capacity = :capacity?, settings = :settings,
    version = version + 1,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :gate_id
RETURNING {gate};

-- name: delete_gate
DELETE FROM gates WHERE organization_id = :org AND id = :gate_id;

-- name: list_gates
SELECT {gate}
FROM gates
WHERE organization_id = :org AND venue_id = :venue_id AND (:status?::text IS NULL OR status = :status)
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) > (:after_at, :after_id?::uuid))
ORDER BY created_at, id LIMIT :limit;

-- name: insert_event
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, capacity, settings, venue_name, city, country, address, timezone,
                    cover_image_ids, recurrence_group_id, created_by, dedupe_key)
VALUES (:id, :org, :venue_id?, :slug, :name, :description, :category, :start_at, :end_at, :doors_at, :sale_start_at,
        :sale_end_at, :capacity, :settings, :venue_name, :city, :country, :address?, :timezone, :cover_image_ids,
        :recurrence_group_id?, :created_by?, :dedupe_key)
ON CONFLICT ON CONSTRAINT events_slug DO NOTHING
RETURNING {event};

-- name: event_by_id
SELECT {event}
FROM events WHERE organization_id = :org AND id = :event_id?;

-- name: active_participants
SELECT active_participants FROM event_stats WHERE organization_id = :org AND event_id = :event_id;

-- name: event_by_slug
SELECT {event}
FROM events WHERE organization_id = :org AND slug = :slug;

-- name: lock_event_shared
-- FOR SHARE: the event does not change while rows that depend on it are written.
SELECT {event}
FROM events WHERE organization_id = :org AND id = :event_id FOR SHARE;

-- name: lock_event
-- FOR UPDATE: of two concurrent transitions, the second sees the result of the first.
SELECT {event}
FROM events WHERE organization_id = :org AND id = :event_id FOR UPDATE;

-- name: update_event
UPDATE events
SET venue_id = :venue_id?, slug = :slug, name = :name, description = :description, category = :category,
    status = :status, start_at = :start_at, end_at = :end_at,
    doors_at = :doors_at, sale_start_at = :sale_start_at, sale_end_at = :sale_end_at, rescheduled_at = :rescheduled_at?,
    capacity = :capacity, settings = :settings,
    venue_name = :venue_name, city = :city, country = :country, address = :address?, timezone = :timezone,
    cover_image_ids = :cover_image_ids,
    recurrence_group_id = :recurrence_group_id?, replaced_by_event_id = :replaced_by_event_id?,
    postponement_reason = :postponement_reason?, cancellation_reason = :cancellation_reason?,
    published_at = :published_at?, cancelled_at = :cancelled_at?, dedupe_key = :dedupe_key, version = version + 1,
    updated_at = app.clock()
WHERE organization_id = :org AND id = :event_id
RETURNING {event};

-- name: delete_event
DELETE FROM events WHERE organization_id = :org AND id = :event_id;

-- name: list_sales
-- Tickets sold of an event's capacity now: per zone or, without a layout, per ticket type. Capacity that is sold per
-- day cannot be given as one number.
SELECT shows.event_id, p.sale_start_at AS opens_at, p.sale_end_at AS closes_at,
       coalesce(p.has_tickets, false) AS has_tickets, coalesce(p.sold_out, false) AS sold_out, p.selling,
       coalesce(n.in_zones, n.of_types, 0)::integer AS sold,
       CASE WHEN n.by_day IS NOT TRUE THEN least(coalesce(n.zone_places, n.type_places), n.most) END::integer AS places
FROM unnest(:event_ids::uuid[]) AS shows (event_id)
LEFT JOIN public_events p ON p.organization_id = :org AND p.event_id = shows.event_id
CROSS JOIN LATERAL (
    SELECT sum(sold) FILTER (WHERE kind = 'zone') + coalesce((
               SELECT sum(d.sold) FROM day_places d WHERE d.organization_id = :org AND d.event_id = shows.event_id
               AND d.kind = 'zone'), 0) AS in_zones,
           sum(capacity) FILTER (WHERE kind = 'zone') AS zone_places,
           sum(sold) FILTER (WHERE kind = 'ticket_type') AS of_types,
           sum(capacity) FILTER (WHERE kind = 'ticket_type') AS type_places,
           sum(capacity) FILTER (WHERE kind = 'event') AS most, max(day_peak) > 0 AS by_day
    FROM pools WHERE organization_id = :org AND event_id = shows.event_id) n;

-- name: list_events
SELECT {event}
FROM events
WHERE organization_id = :org
  -- A single status can be read in index order; several cannot.
  AND (:statuses?::text[] IS NULL OR cardinality(:statuses) > 1 OR status = :statuses[1])
  AND (:statuses::text[] IS NULL OR cardinality(:statuses) = 1 OR status = ANY (:statuses))
  AND (:slug?::text IS NULL OR slug = :slug)
  AND (:venue_id?::uuid IS NULL OR venue_id = :venue_id)
  AND (:since?::timestamptz IS NULL OR coalesce(rescheduled_at, start_at) >= :since)
  AND (:until?::timestamptz IS NULL OR coalesce(rescheduled_at, start_at) < :until)
  AND (:after_at?::timestamptz IS NULL OR (coalesce(rescheduled_at, start_at), id) > (:after_at, :after_id?::uuid))
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT :limit;

-- name: list_unfinished_events
-- Events that are not over yet, live ones included.
SELECT {event}
FROM events
WHERE organization_id = :org AND status IN ('draft', 'published', 'live', 'postponed')
  AND (:after_at?::timestamptz IS NULL OR (coalesce(rescheduled_at, start_at), id) > (:after_at, :after_id?::uuid))
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT :limit;

-- name: due_events
-- For the scheduler, across organisations: events with a transition due. Each arm has a partial index of its own, and
-- is ordered so that it is used: most events are in the past, from which the planner would estimate that many are due.
-- Pages by :since and :since_id, so that events that could not be moved do not block the ones after them.
(SELECT organization_id, id, doors_at AS due_at FROM events
 WHERE status = 'published' AND doors_at <= app.clock() AND (doors_at, id) > (:since, :since_id)
 ORDER BY doors_at, id LIMIT 100)
UNION ALL
(SELECT organization_id, id, rescheduled_at FROM events
 WHERE status = 'postponed' AND rescheduled_at IS NOT NULL AND rescheduled_at <= app.clock()
   AND (rescheduled_at, id) > (:since, :since_id)
 ORDER BY rescheduled_at, id LIMIT 100)
UNION ALL
(SELECT organization_id, id, end_at FROM events
 WHERE status = 'live' AND end_at <= app.clock() AND (end_at, id) > (:since, :since_id)
 ORDER BY end_at, id LIMIT 100)
ORDER BY due_at, id LIMIT 100;

-- name: organization_of_event
SELECT organization_id FROM event_directory WHERE event_id = :event_id;

-- name: upcoming_events
-- A postponed event is upcoming, however long ago its original date was.
SELECT id, organization_id AS org_id, name, slug, status, start_at, end_at, sale_start_at, sale_end_at, rescheduled_at,
       venue_id, timezone, capacity, replaced_by_event_id
FROM events
WHERE organization_id = :org AND status IN ('published', 'live', 'postponed')
  AND (status = 'postponed' OR end_at >= app.clock()) AND (:venue_id?::uuid IS NULL OR venue_id = :venue_id)
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT :limit;

-- name: lock_events
-- Several at once, in the order of their ids.
SELECT id FROM events WHERE organization_id = :org AND id = ANY (:event_ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: is_replaced_by
-- Whether following the replacements from :replacement_id reaches :event_id. UNION (not UNION ALL) ends a cycle.
WITH RECURSIVE chain AS (
    SELECT id, replaced_by_event_id FROM events WHERE organization_id = :org AND id = :replacement_id?
    UNION
    SELECT e.id, e.replaced_by_event_id
    FROM events e JOIN chain ON e.organization_id = :org AND e.id = chain.replaced_by_event_id
)
SELECT EXISTS (SELECT FROM chain WHERE id = :event_id);

-- name: lock_events_at
SELECT {event}
FROM events WHERE organization_id = :org AND venue_id = :venue_id ORDER BY id FOR UPDATE;

-- name: lock_open_events_at
-- Those that are not over, in the order of their ids, after the venue's own lock.
SELECT array(SELECT id FROM events
             WHERE organization_id = :org AND venue_id = :venue_id
               AND status IN ('draft', 'published', 'live', 'postponed')
             ORDER BY id FOR UPDATE);

-- name: clear_venue
UPDATE events SET venue_id = NULL, version = version + 1, updated_at = app.clock()
WHERE organization_id = :org AND venue_id = :venue_id
RETURNING {event};

-- name: list_events_above_capacity
-- Announced events at a venue with a capacity above :max_capacity.
SELECT name, id FROM events
WHERE organization_id = :org AND venue_id = :venue_id AND status IN ('published', 'live', 'postponed')
  AND capacity > :max_capacity
ORDER BY start_at, id LIMIT 10;

-- name: lock_stats
-- Locked before an event's rank or its public row: ranking locks these rows first, in the order of their ids.
SELECT FROM event_stats WHERE organization_id = :org AND event_id = :event_id FOR UPDATE;

-- name: delete_public_event
DELETE FROM public_events WHERE organization_id = :org AND event_id = :event_id;

-- name: upsert_public_event
-- The text is folded by the caller. A word is indexed as written and, where the language is known, by its stem.
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, address, timezone, start_at, end_at, first_start_at, rescheduled_at,
                           sale_start_at, sale_end_at, capacity, cover_image_ids, published_at, search, owner_id,
                           created_at, active_participants)
VALUES (:event_id, :org, :slug, :title, :description, :category, :status, :venue_name, :city, :city_norm, :country,
        :address?, :timezone, :start_at, :end_at, :first_start_at, :rescheduled_at?, :sale_start_at, :sale_end_at,
        :capacity, :cover_image_ids, :published_at?,
        setweight(to_tsvector('simple', :title_words), 'A')
        || setweight(to_tsvector(:language::text::regconfig, :title_words), 'A')
        || setweight(to_tsvector('simple', :name_words), 'B') || setweight(to_tsvector('simple', :place_words), 'B')
        || setweight(to_tsvector('simple', :description_words), 'D')
        || setweight(to_tsvector(:language::text::regconfig, :description_words), 'D')
        || array_to_tsvector(:lexemes::text[]),
        :owner_id?, :created_at,
        coalesce((SELECT active_participants FROM event_stats WHERE organization_id = :org AND event_id = :event_id),
                 0))
ON CONFLICT (event_id) DO UPDATE
SET slug = excluded.slug, title = excluded.title, description = excluded.description, category = excluded.category,
    status = excluded.status, venue_name = excluded.venue_name, city = excluded.city,
    city_norm = excluded.city_norm, country = excluded.country, address = excluded.address,
    timezone = excluded.timezone, start_at = excluded.start_at, end_at = excluded.end_at,
    first_start_at = excluded.first_start_at, rescheduled_at = excluded.rescheduled_at,
    sale_start_at = excluded.sale_start_at, sale_end_at = excluded.sale_end_at, capacity = excluded.capacity,
    cover_image_ids = excluded.cover_image_ids, published_at = excluded.published_at, search = excluded.search;

-- name: next_sale_change
-- The next moment at which the sale status of any public event may change without a write.
SELECT least(
    (SELECT min(sale_start_at) FROM public_events WHERE sale_start_at > app.clock()),
    (SELECT min(sale_end_at) FROM public_events WHERE sale_end_at >= app.clock()),
    (SELECT min(lower(selling)) FROM public_events WHERE selling IS NOT NULL AND lower(selling) > app.clock()),
    (SELECT min(upper(selling)) FROM public_events WHERE selling IS NOT NULL AND upper(selling) >= app.clock()),
    (SELECT min(e.edge) FROM public_events p CROSS JOIN unnest(p.selling) AS w (period)
     CROSS JOIN LATERAL (VALUES (lower(w.period)), (upper(w.period))) AS e (edge)
     WHERE p.selling IS NOT NULL AND multirange(range_merge(p.selling)) <> p.selling AND e.edge >= app.clock()))
         AS value;

-- name: update_stock
SELECT app.follow_stock(:org, :event_id);

-- name: is_alone_in_its_city
SELECT NOT EXISTS (SELECT FROM public_events WHERE city_norm = :city_norm AND event_id <> :event_id);

-- name: is_alone_in_its_category
SELECT NOT EXISTS (SELECT FROM public_events WHERE category = :category AND event_id <> :event_id);

-- name: find_public_organization
SELECT status = 'active' AS is_open, slug, name FROM organizations WHERE id = :organization_id;

-- name: find_listed_event
-- Also of a suspended organisation: public/reads.py checks that.
SELECT {show} FROM shows_of_any_house WHERE id = :event_id;

-- name: find_public_event
SELECT {show} FROM public_shows WHERE id = :event_id;

-- name: public_feed
-- Of one organisation, or of all.
SELECT {show} FROM public_shows
WHERE {when} AND {where}
  AND (:after_start_time?::timestamptz IS NULL OR (start_time, id) > (:after_start_time, :after_id?::uuid))
ORDER BY start_time, id LIMIT :limit;

-- name: public_feed_words
-- The same with words (:words). `near`: common words are found among the next 2000 events in order. `far`: otherwise
-- the full-text index finds all matches; `+ interval '0'` hides the order from the planner, which would scan in order
-- instead. The index is queried for :indexed_words: all words, or only the complete ones. A query without a positive
-- word (`-this`) returns nothing, instead of scanning everything.
WITH near AS MATERIALIZED (
    SELECT {show} FROM (
        SELECT * FROM public_shows
        WHERE querytree(to_tsquery('simple', :words)) NOT IN ('', 'T') AND {when} AND {where}
          AND (:after_start_time?::timestamptz IS NULL OR (start_time, id) > (:after_start_time, :after_id?::uuid))
        ORDER BY start_time, id LIMIT 2000) AS next
    WHERE search @@ to_tsquery('simple', :words) LIMIT :limit
), far AS (
    SELECT {show} FROM public_shows
    WHERE (SELECT count(*) FROM near) < :limit
      AND querytree(to_tsquery('simple', :indexed_words)) NOT IN ('', 'T')
      AND search @@ to_tsquery('simple', :indexed_words)
      AND (:indexed_words = :words OR CASE WHEN search @@ to_tsquery('simple', :words) THEN true ELSE false END)
      AND {when} AND {where}
      AND (:after_start_time::timestamptz IS NULL OR (start_time, id) > (:after_start_time, :after_id::uuid))
    ORDER BY start_time + interval '0', id LIMIT :limit
)
SELECT * FROM near WHERE (SELECT count(*) FROM near) >= :limit UNION ALL SELECT * FROM far;

-- name: public_trending
SELECT rank, ranked_start, {show}
FROM {ranks} JOIN public_shows ON id = event_id
WHERE {when} AND {ranked}
ORDER BY rank, ranked_start, event_id LIMIT :limit;

-- name: public_trending_words
-- As `public_feed_words`, with :words and :indexed_words. OFFSET 0 keeps the planner from reading all ranks to join
-- those that were found.
WITH near AS MATERIALIZED (
    SELECT rank, ranked_start, {show} FROM (
        SELECT * FROM {ranks} JOIN public_shows ON id = event_id
        WHERE querytree(to_tsquery('simple', :words)) NOT IN ('', 'T') AND {when} AND {ranked}
        ORDER BY rank, ranked_start, event_id LIMIT 2000) AS next
    WHERE search @@ to_tsquery('simple', :words) LIMIT :limit
), far AS (
    SELECT rank, ranked_start, {show}
    FROM public_shows CROSS JOIN LATERAL (SELECT * FROM {ranks} WHERE event_id = id OFFSET 0) AS its
    WHERE (SELECT count(*) FROM near) < :limit
      AND querytree(to_tsquery('simple', :indexed_words)) NOT IN ('', 'T')
      AND search @@ to_tsquery('simple', :indexed_words)
      AND (:indexed_words = :words OR CASE WHEN search @@ to_tsquery('simple', :words) THEN true ELSE false END)
      AND {when} AND {ranked}
    ORDER BY rank + 0, ranked_start, event_id LIMIT :limit
)
SELECT * FROM near WHERE (SELECT count(*) FROM near) >= :limit UNION ALL SELECT * FROM far;

-- name: search_next
-- :words is a tsquery (kit/text.py), :language the stemmer, :filters the filters as lexemes. Of the next two thousand
-- events, the first hundred matches are ranked; `compared` is how many there were.
SELECT {show}, count(*) OVER ()::integer AS compared
FROM (SELECT id FROM (
          SELECT id, search FROM public_shows WHERE querytree({words}) NOT IN ('', 'T') AND {when}
          ORDER BY start_time, id LIMIT 2000) AS next
      WHERE search @@ CASE WHEN :filters?::text IS NULL THEN {words} ELSE {words} && :filters::text::tsquery END
      LIMIT 100) AS found
JOIN public_shows USING (id)
ORDER BY ts_rank(search, {words}) DESC, start_time, id LIMIT :limit;

-- name: search_by_words
-- Through the full-text index, up to :horizon or to the end: the next five hundred matches are ranked. `+ interval '0'`
-- hides the order from the planner, which would scan in order instead. Words that the index is not queried for are
-- checked on the rows.
SELECT {show}, count(*) OVER ()::integer AS compared
FROM (SELECT id FROM public_shows
      WHERE querytree({by}) NOT IN ('', 'T')
        AND search @@ CASE WHEN :filters?::text IS NULL THEN {by} ELSE {by} && :filters::text::tsquery END
        AND (:indexed_words = :words OR CASE WHEN search @@ {words} THEN true ELSE false END)
        AND {when} AND (:horizon?::timestamptz IS NULL OR start_time < :horizon)
      ORDER BY start_time + interval '0', id LIMIT 500) AS found
JOIN public_shows USING (id)
ORDER BY ts_rank(search, {words}) DESC, start_time, id LIMIT :limit;

-- name: find_search_horizon
-- The start of the twenty thousandth event from :since on; null if there are fewer.
SELECT start_at FROM public_events WHERE :since?::timestamptz IS NULL OR start_at >= :since
ORDER BY start_at, event_id OFFSET 20000 LIMIT 1;

-- name: sample_words
-- How many of the next five hundred events match :words, and how many have a word that begins with :prefixes.
SELECT count(*) FILTER (WHERE search @@ to_tsquery('simple', :words)) AS said,
       count(*) FILTER (WHERE search @@ to_tsquery('simple', :prefixes)) AS begun
FROM (SELECT search FROM public_events WHERE :since?::timestamptz IS NULL OR start_at >= :since
      ORDER BY start_at, event_id LIMIT 500) AS next;

-- name: public_cities
-- Countries are free text: a city gets the most frequent one. ZZ means unknown.
SELECT min(city) AS city,
       coalesce(mode() WITHIN GROUP (ORDER BY country) FILTER (WHERE country <> 'ZZ'), 'ZZ') AS country,
       count(*)::integer AS events
FROM public_shows GROUP BY city_norm;

-- name: list_cities_of_organization
SELECT array_agg(city ORDER BY city)
FROM (SELECT min(city) AS city FROM public_shows WHERE organization_id = :organization_id GROUP BY city_norm
      LIMIT :limit) AS its;

-- name: insert_stats
-- A newly announced event starts with the heat of one view.
INSERT INTO event_stats (organization_id, event_id, heat)
VALUES (:org, :event_id, app.heat(NULL, 1)) ON CONFLICT DO NOTHING;

-- name: update_ranks
-- A first rank is valid at once; a later one from epoch :next_epoch on, and only if a rank column has changed.
WITH fresh AS (
    SELECT p.event_id, p.organization_id, app.rank(s.heat, p.start_at) AS rank, p.start_at, p.city_norm, p.category
    FROM public_events p JOIN event_stats s USING (organization_id, event_id)
    WHERE p.organization_id = :org AND p.event_id = ANY (:event_ids::uuid[])
), moved AS (
    -- A transaction of an earlier epoch may run later: a version never begins before its predecessor.
    SELECT fresh.*, greatest(:next_epoch, r.since_epoch) AS since
    FROM fresh JOIN public_ranks r ON r.event_id = fresh.event_id AND r.until_epoch = 2147483647
    WHERE (r.rank, r.start_at, r.city_norm, r.category)
          IS DISTINCT FROM (fresh.rank, fresh.start_at, fresh.city_norm, fresh.category)
), ended AS (
    UPDATE public_ranks r SET until_epoch = moved.since
    FROM moved WHERE r.event_id = moved.event_id AND r.until_epoch = 2147483647 AND r.since_epoch < moved.since
    RETURNING r.event_id
)
INSERT INTO public_ranks (event_id, organization_id, since_epoch, rank, start_at, city_norm, category)
SELECT event_id, organization_id, since, rank, start_at, city_norm, category FROM moved
WHERE (SELECT count(*) FROM ended) >= 0  -- one open version per event: the old one ends first
UNION ALL
SELECT event_id, organization_id, :epoch, rank, start_at, city_norm, category FROM fresh
WHERE NOT EXISTS (SELECT FROM public_ranks r WHERE r.event_id = fresh.event_id)
ON CONFLICT (event_id, since_epoch) DO UPDATE
SET rank = excluded.rank, start_at = excluded.start_at, city_norm = excluded.city_norm, category = excluded.category;

-- name: record_activity
-- Views and sales of several events of one organisation, summed by the caller.
UPDATE event_stats s
SET views = s.views + act.views, sold = s.sold + act.sold, heat = app.heat(s.heat, act.views + 20 * act.sold),
    unranked = true
FROM (SELECT l.event_id, a.views, a.sold
      FROM event_stats l
      JOIN unnest(:event_ids::uuid[], :views::bigint[], :sold::bigint[]) AS a (event_id, views, sold) USING (event_id)
      WHERE l.organization_id = :org ORDER BY l.event_id FOR UPDATE OF l) AS act
WHERE s.organization_id = :org AND s.event_id = act.event_id;

-- name: unranked_organizations
SELECT array(SELECT DISTINCT organization_id FROM event_stats WHERE unranked LIMIT 1000);

-- name: claim_unranked
WITH mine AS (
    SELECT event_id FROM event_stats WHERE organization_id = :org AND unranked ORDER BY event_id FOR UPDATE
), taken AS (
    UPDATE event_stats s SET unranked = false FROM mine
    WHERE s.organization_id = :org AND s.event_id = mine.event_id RETURNING s.event_id
)
SELECT array(SELECT event_id FROM taken);

-- name: delete_old_ranks
-- A cursor of `trending` is valid for an hour (120 epochs).
DELETE FROM public_ranks WHERE ctid IN (
    SELECT ctid FROM public_ranks WHERE until_epoch < app.epoch() - 120 AND until_epoch < 2147483647 LIMIT 1000);

-- name: list_own_events
SELECT id, created_by AS owner_id, name AS title, description, city, category, start_at AS start_time,
       end_at AS end_time, capacity, cover_image_ids, status, published_at, cancelled_at AS canceled_at, created_at,
       updated_at,
       coalesce((SELECT s.active_participants FROM event_stats s
                 WHERE s.organization_id = :org AND s.event_id = events.id), 0) AS active_participants
FROM events
WHERE organization_id = :org AND created_by = :created_by
  AND (:after_at?::timestamptz IS NULL OR (created_at, id) < (:after_at, :after_id?::uuid))
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- pages and feeds

-- name: find_public_event_by_slug
SELECT {show} FROM public_shows WHERE organization = :organization AND slug = :slug;

-- name: find_replacement_slug
-- Where the URL of an announced event that is hidden now redirects to: the first public one in its chain of
-- replacements.
WITH RECURSIVE chain AS (
    SELECT id, replaced_by_event_id, 1 AS n FROM events
    WHERE organization_id = :org AND slug = :slug AND published_at IS NOT NULL
      AND status IN ('ended', 'cancelled', 'archived')
    UNION ALL
    SELECT e.id, e.replaced_by_event_id, chain.n + 1
    FROM chain JOIN events e ON e.organization_id = :org AND e.id = chain.replaced_by_event_id AND chain.n < 10
)
SELECT p.slug FROM chain JOIN public_events p ON p.organization_id = :org AND p.event_id = chain.id
ORDER BY chain.n LIMIT 1;

-- name: list_coming_events
SELECT {show} FROM public_shows
WHERE organization_id = :organization_id AND end_time > app.clock() ORDER BY start_time, id LIMIT :limit;

-- name: list_newest_events
SELECT {show} FROM public_shows
WHERE :organization_id?::uuid IS NULL OR organization_id = :organization_id
ORDER BY published_at DESC, id DESC LIMIT :limit;

-- name: public_categories
-- A loose index scan, one step per category: a million events have a dozen categories.
WITH RECURSIVE known AS (
    (SELECT category FROM public_events ORDER BY category LIMIT 1)
    UNION ALL
    SELECT (SELECT category FROM public_events p WHERE p.category > known.category ORDER BY category LIMIT 1)
    FROM known WHERE known.category IS NOT NULL
)
SELECT array(SELECT category FROM known WHERE category IS NOT NULL LIMIT 100);

-- name: sitemap_boundaries
-- Every :sizeth id, in id order: the boundaries between the files of the sitemap.
SELECT array(
    SELECT event_id FROM (SELECT event_id, row_number() OVER (ORDER BY event_id) AS place FROM public_events) AS counted
    WHERE place % :size = 0 ORDER BY event_id);

-- name: list_sitemap_events
SELECT organization, slug, changed_at FROM public_shows
WHERE id > :after_id? AND (:last_id?::uuid IS NULL OR id <= :last_id) ORDER BY id LIMIT :limit;

-- name: sitemap_organizations
SELECT array(
    SELECT slug FROM organizations o
    WHERE status = 'active' AND EXISTS (SELECT FROM public_events p WHERE p.organization_id = o.id)
    ORDER BY slug LIMIT :limit);

-- pictures

-- name: insert_image
-- Or renews the one with the same digest, as `renew_image` does.
INSERT INTO images AS i (id, organization_id, digest, width, height, bytes, created_by)
VALUES (:id, :org, :digest, :width, :height, :bytes, :created_by?)
ON CONFLICT (organization_id, digest) DO UPDATE
SET created_at = CASE WHEN i.attached_at IS NULL THEN app.clock() ELSE i.created_at END
RETURNING id, digest, width, height, bytes, created_by, attached_at, created_at;

-- name: renew_image
-- By its digest. An unused picture gets another full day, so that the cleanup does not delete it right after the
-- upload.
UPDATE images SET created_at = CASE WHEN attached_at IS NULL THEN app.clock() ELSE created_at END
WHERE organization_id = :org AND digest = :digest
RETURNING id, digest, width, height, bytes, created_by, attached_at, created_at;

-- name: attach_images
-- Locks in the order of ids, so that two events that attach the same pictures cannot deadlock.
UPDATE images i SET attached_at = coalesce(i.attached_at, app.clock())
FROM (SELECT id FROM images WHERE organization_id = :org AND id = ANY (:image_ids::uuid[]) ORDER BY id FOR UPDATE) mine
WHERE i.organization_id = :org AND i.id = mine.id;

-- name: unused_images
SELECT organization_id, id FROM images
WHERE attached_at IS NULL AND created_at < app.clock() - :age::interval ORDER BY created_at LIMIT 1000;

-- name: lock_images
SELECT id FROM images WHERE organization_id = :org AND id = ANY (:image_ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: detach_images
-- After `lock_images`, so that a concurrent attach is seen. Pictures that no event uses any more count as unused again.
UPDATE images i SET attached_at = NULL, created_at = app.clock()
WHERE organization_id = :org AND id = ANY (:image_ids::uuid[]) AND NOT EXISTS (
    SELECT FROM events e WHERE e.organization_id = :org AND e.cover_image_ids @> ARRAY[i.id]);

-- name: lock_image_quota
-- Serialises uploads of an organisation, so that each one's quota check sees the others.
SELECT pg_advisory_xact_lock(hashtextextended('pictures:' || :org::uuid, 0))::text;

-- name: sum_image_bytes
SELECT coalesce(sum(bytes), 0)::bigint FROM images WHERE organization_id = :org;

-- name: delete_unused_image
-- Never a picture that an event uses, whatever `attached_at` says.
DELETE FROM images i
WHERE organization_id = :org AND id = :image_id AND attached_at IS NULL AND created_at < app.clock() - :age::interval
  AND NOT EXISTS (SELECT FROM events e WHERE e.organization_id = :org AND e.cover_image_ids @> ARRAY[i.id]);
