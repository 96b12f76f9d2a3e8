-- The statements of the events room.

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
-- Twice the same would be looked up twice.
(CASE WHEN to_tsquery('simple', $1) = to_tsquery($2::regconfig, $1) THEN to_tsquery('simple', $1)
      ELSE to_tsquery('simple', $1) || to_tsquery($2::regconfig, $1) END)

-- part: by
-- The same of what the index is asked for ($8): all words, or those that are finished.
(CASE WHEN to_tsquery('simple', $8) = to_tsquery($2::regconfig, $8) THEN to_tsquery('simple', $8)
      ELSE to_tsquery('simple', $8) || to_tsquery($2::regconfig, $8) END)

-- part: where
($1::uuid IS NULL OR organization_id = $1)
  AND ($2::text IS NULL OR city_norm = $2)
  AND ($3::text IS NULL OR category = $3)

-- part: when
-- The first line says it all, and the planner is to think nothing of it: the others follow, in an index's words.
      ($6::text IS NULL OR CASE sale_status WHEN $6 THEN true ELSE false END)
  AND ($6::text IS DISTINCT FROM 'sold_out' OR all_sold OR selling IS NOT NULL)
  AND ($6::text IS DISTINCT FROM 'suspended' OR phase = 'postponed' AND rescheduled_at IS NULL)
  AND ($6::text IS DISTINCT FROM 'upcoming' OR sale_start_at > app.clock() OR NOT has_tickets OR selling IS NOT NULL)
  AND ($6::text IS DISTINCT FROM 'on_sale' OR sale_start_at <= app.clock() AND sale_end_at >= app.clock())
  AND ($6::text IS DISTINCT FROM 'closed' OR sale_end_at < app.clock())
  AND ($4::timestamptz IS NULL OR start_time >= $4)
  AND ($5::timestamptz IS NULL OR start_time < $5)

-- part: ranks
-- As they stood in epoch $7: what has moved since has another version.
(SELECT event_id, rank, start_at AS ranked_start, city_norm AS ranked_city, category AS ranked_category
      FROM public_ranks WHERE since_epoch <= $7 AND until_epoch > $7) r

-- part: ranked
($1::uuid IS NULL OR organization_id = $1)
  AND ($2::text IS NULL OR ranked_city = $2)
  AND ($3::text IS NULL OR ranked_category = $3)
  AND ($8::double precision IS NULL OR (rank, ranked_start, event_id) > ($8, $9::timestamptz, $10::uuid))

-- part: show
id, organization_id, organization, organization_name, slug, title, description, category, status, phase, sale_status,
sold_out, venue_name, city, country, address, timezone, start_time, end_time, first_start_time, rescheduled_at,
sale_start_at, sale_end_at, selling, has_tickets, capacity, cover_image_ids, owner_id, active_participants, published_at,
created_at, changed_at

-- name: free_number
-- The next slug of its kind, in `events` or `venues`.
SELECT app.free_number($1::text::regclass, $2, $3);

-- name: insert_venue
INSERT INTO venues (id, organization_id, slug, name, kind, timezone, address, address_parts, city, country,
                    latitude, longitude, max_capacity, settings, stands_for)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT DO NOTHING
RETURNING {venue};

-- name: city_venue
SELECT {venue}
FROM venues WHERE organization_id = $1 AND stands_for = $2;

-- name: venue_by_id
SELECT {venue}
FROM venues WHERE organization_id = $1 AND id = $2;

-- name: keep_venue
-- FOR KEY SHARE: it is not deleted before what refers to it is written. Always before the lock of a show.
SELECT {venue}
FROM venues WHERE organization_id = $1 AND id = $2 FOR KEY SHARE;

-- name: lock_venue
SELECT {venue}
FROM venues WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_venue
-- One that is renamed or moved does not stand for its city any more.
UPDATE venues
SET slug = $3, name = $4, kind = $5, timezone = $6, address = $7, address_parts = $8, city = $9, country = $10,
    latitude = $11, longitude = $12, max_capacity = $13, settings = $14, version = version + 1,
    updated_at = app.clock(),
    stands_for = CASE WHEN (name, kind, city) = ($4, $5, $9) THEN stands_for END
WHERE organization_id = $1 AND id = $2
RETURNING {venue};

-- name: delete_venue
DELETE FROM venues WHERE organization_id = $1 AND id = $2;

-- name: list_venues
SELECT {venue}
FROM venues
WHERE organization_id = $1 AND ($2::text IS NULL OR city = $2) AND ($3::text IS NULL OR timezone = $3)
  AND ($4::timestamptz IS NULL OR (created_at, id) > ($4, $5::uuid))
ORDER BY created_at, id LIMIT $6;

-- name: insert_gate
INSERT INTO gates (id, organization_id, venue_id, gate_code, name, status, capacity, settings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING {gate};

-- name: gate_by_id
SELECT {gate}
FROM gates WHERE organization_id = $1 AND id = $2;

-- name: lock_gate
SELECT {gate}
FROM gates WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_gate
UPDATE gates
SET gate_code = $3, name = $4, status = $5, capacity = $6, settings = $7, version = version + 1,
    updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {gate};

-- name: delete_gate
DELETE FROM gates WHERE organization_id = $1 AND id = $2;

-- name: list_gates
SELECT {gate}
FROM gates
WHERE organization_id = $1 AND venue_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($4::timestamptz IS NULL OR (created_at, id) > ($4, $5::uuid))
ORDER BY created_at, id LIMIT $6;

-- name: insert_event
INSERT INTO events (id, organization_id, venue_id, slug, name, description, category, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, capacity, settings, venue_name, city, country, address, timezone,
                    cover_image_ids, recurrence_group_id, created_by, dedupe_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
ON CONFLICT ON CONSTRAINT events_slug DO NOTHING
RETURNING {event};

-- name: event_by_id
SELECT {event}
FROM events WHERE organization_id = $1 AND id = $2;

-- name: active_participants
SELECT active_participants FROM event_stats WHERE organization_id = $1 AND event_id = $2;

-- name: event_by_slug
SELECT {event}
FROM events WHERE organization_id = $1 AND slug = $2;

-- name: share_event
-- FOR SHARE: it does not change while something is done with what hangs on it.
SELECT {event}
FROM events WHERE organization_id = $1 AND id = $2 FOR SHARE;

-- name: lock_event
-- FOR UPDATE: of two transitions at once, the second sees what the first has done.
SELECT {event}
FROM events WHERE organization_id = $1 AND id = $2 FOR UPDATE;

-- name: update_event
UPDATE events
SET venue_id = $3, slug = $4, name = $5, description = $6, category = $7, status = $8, start_at = $9, end_at = $10,
    doors_at = $11, sale_start_at = $12, sale_end_at = $13, rescheduled_at = $14, capacity = $15, settings = $16,
    venue_name = $17, city = $18, country = $19, address = $20, timezone = $21, cover_image_ids = $22,
    recurrence_group_id = $23, replaced_by_event_id = $24, postponement_reason = $25, cancellation_reason = $26,
    published_at = $27, cancelled_at = $28, dedupe_key = $29, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND id = $2
RETURNING {event};

-- name: delete_event
DELETE FROM events WHERE organization_id = $1 AND id = $2;

-- name: sales_among
-- What is sold of a show's places at this moment: of its zones' or, without a layout, of its ticket types'. Places that
-- are sold per day are no one number.
SELECT shows.event_id, p.sale_start_at AS opens_at, p.sale_end_at AS closes_at,
       coalesce(p.has_tickets, false) AS has_tickets, coalesce(p.sold_out, false) AS sold_out, p.selling,
       coalesce(n.in_zones, n.of_types, 0)::integer AS sold,
       CASE WHEN n.by_day IS NOT TRUE THEN least(coalesce(n.zone_places, n.type_places), n.most) END::integer AS places
FROM unnest($2::uuid[]) AS shows (event_id)
LEFT JOIN public_events p ON p.organization_id = $1 AND p.event_id = shows.event_id
CROSS JOIN LATERAL (
    SELECT sum(sold) FILTER (WHERE kind = 'zone') + coalesce((
               SELECT sum(d.sold) FROM day_places d WHERE d.organization_id = $1 AND d.event_id = shows.event_id
               AND d.kind = 'zone'), 0) AS in_zones,
           sum(capacity) FILTER (WHERE kind = 'zone') AS zone_places,
           sum(sold) FILTER (WHERE kind = 'ticket_type') AS of_types,
           sum(capacity) FILTER (WHERE kind = 'ticket_type') AS type_places,
           sum(capacity) FILTER (WHERE kind = 'event') AS most, max(day_peak) > 0 AS by_day
    FROM pools WHERE organization_id = $1 AND event_id = shows.event_id) n;

-- name: list_events
SELECT {event}
FROM events
WHERE organization_id = $1
  -- One status is in the order of its index; several are not.
  AND ($2::text[] IS NULL OR cardinality($2) > 1 OR status = $2[1])
  AND ($2::text[] IS NULL OR cardinality($2) = 1 OR status = ANY ($2))
  AND ($3::text IS NULL OR slug = $3)
  AND ($4::uuid IS NULL OR venue_id = $4)
  AND ($5::timestamptz IS NULL OR coalesce(rescheduled_at, start_at) >= $5)
  AND ($6::timestamptz IS NULL OR coalesce(rescheduled_at, start_at) < $6)
  AND ($7::timestamptz IS NULL OR (coalesce(rescheduled_at, start_at), id) > ($7, $8::uuid))
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT $9;

-- name: events_to_stop
-- What is not over yet, a show that has begun included.
SELECT {event}
FROM events
WHERE organization_id = $1 AND status IN ('draft', 'published', 'live', 'postponed')
  AND ($2::timestamptz IS NULL OR (coalesce(rescheduled_at, start_at), id) > ($2, $3::uuid))
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT $4;

-- name: due_events
-- The scheduler's question, across organisations: whose time has come. Each arm has a partial index of its own, and is
-- ordered so that it is used: most shows lie in the past, from which the planner would guess that many of them are due.
-- $1 and $2 say since when: those that could not be moved do not stand in the way of the ones behind them.
(SELECT organization_id, id, doors_at AS due_at FROM events
 WHERE status = 'published' AND doors_at <= app.clock() AND (doors_at, id) > ($1, $2)
 ORDER BY doors_at, id LIMIT 100)
UNION ALL
(SELECT organization_id, id, rescheduled_at FROM events
 WHERE status = 'postponed' AND rescheduled_at IS NOT NULL AND rescheduled_at <= app.clock()
   AND (rescheduled_at, id) > ($1, $2)
 ORDER BY rescheduled_at, id LIMIT 100)
UNION ALL
(SELECT organization_id, id, end_at FROM events
 WHERE status = 'live' AND end_at <= app.clock() AND (end_at, id) > ($1, $2)
 ORDER BY end_at, id LIMIT 100)
ORDER BY due_at, id LIMIT 100;

-- name: organization_of_event
SELECT organization_id FROM event_directory WHERE event_id = $1;

-- name: upcoming_events
-- One that is postponed is to come, however long ago it was to be.
SELECT id, organization_id AS org_id, name, slug, status, start_at, end_at, sale_start_at, sale_end_at, rescheduled_at,
       venue_id, timezone, capacity, replaced_by_event_id
FROM events
WHERE organization_id = $1 AND status IN ('published', 'live', 'postponed')
  AND (status = 'postponed' OR end_at >= app.clock()) AND ($2::uuid IS NULL OR venue_id = $2)
ORDER BY coalesce(rescheduled_at, start_at), id LIMIT $3;

-- name: lock_events
-- Several at once, in the order of their ids.
SELECT id FROM events WHERE organization_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE;

-- name: is_replaced_by
-- Whether the way from $2 over its replacements leads to $3. UNION ends it where it has been already.
WITH RECURSIVE chain AS (
    SELECT id, replaced_by_event_id FROM events WHERE organization_id = $1 AND id = $2
    UNION
    SELECT e.id, e.replaced_by_event_id
    FROM events e JOIN chain ON e.organization_id = $1 AND e.id = chain.replaced_by_event_id
)
SELECT EXISTS (SELECT FROM chain WHERE id = $3);

-- name: lock_events_at
SELECT {event}
FROM events WHERE organization_id = $1 AND venue_id = $2 ORDER BY id FOR UPDATE;

-- name: lock_open_events_at
-- Those that are not over, in the order of their ids, after the venue's own lock.
SELECT array(SELECT id FROM events
             WHERE organization_id = $1 AND venue_id = $2 AND status IN ('draft', 'published', 'live', 'postponed')
             ORDER BY id FOR UPDATE);

-- name: leave_venue
UPDATE events SET venue_id = NULL, version = version + 1, updated_at = app.clock()
WHERE organization_id = $1 AND venue_id = $2
RETURNING {event};

-- name: too_large_for
-- Announced shows at a venue that have more places than $3.
SELECT name, id FROM events
WHERE organization_id = $1 AND venue_id = $2 AND status IN ('published', 'live', 'postponed') AND capacity > $3
ORDER BY start_at, id LIMIT 10;

-- name: lock_stats
-- Before a show's rank or its public row: whoever ranks takes these first, and in the order of their ids.
SELECT FROM event_stats WHERE organization_id = $1 AND event_id = $2 FOR UPDATE;

-- name: hide_event
DELETE FROM public_events WHERE organization_id = $1 AND event_id = $2;

-- name: show_event
-- The text is folded by the caller; a word is found as it stands and, where the language is known, by its stem.
INSERT INTO public_events (event_id, organization_id, slug, title, description, category, status, venue_name, city,
                           city_norm, country, address, timezone, start_at, end_at, first_start_at, rescheduled_at,
                           sale_start_at, sale_end_at, capacity, cover_image_ids, published_at, search, owner_id,
                           created_at, active_participants)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
        setweight(to_tsvector('simple', $23), 'A') || setweight(to_tsvector($28::text::regconfig, $23), 'A')
        || setweight(to_tsvector('simple', $24), 'B') || setweight(to_tsvector('simple', $25), 'B')
        || setweight(to_tsvector('simple', $26), 'D') || setweight(to_tsvector($28::text::regconfig, $26), 'D')
        || array_to_tsvector($27::text[]),
        $29, $30,
        coalesce((SELECT active_participants FROM event_stats WHERE organization_id = $2 AND event_id = $1), 0))
ON CONFLICT (event_id) DO UPDATE
SET slug = excluded.slug, title = excluded.title, description = excluded.description, category = excluded.category,
    status = excluded.status, venue_name = excluded.venue_name, city = excluded.city,
    city_norm = excluded.city_norm, country = excluded.country, address = excluded.address,
    timezone = excluded.timezone, start_at = excluded.start_at, end_at = excluded.end_at,
    first_start_at = excluded.first_start_at, rescheduled_at = excluded.rescheduled_at,
    sale_start_at = excluded.sale_start_at, sale_end_at = excluded.sale_end_at, capacity = excluded.capacity,
    cover_image_ids = excluded.cover_image_ids, published_at = excluded.published_at, search = excluded.search;

-- name: next_sale_change
-- The next moment at which the sale status of any public event may change by the hour alone.
SELECT least(
    (SELECT min(sale_start_at) FROM public_events WHERE sale_start_at > app.clock()),
    (SELECT min(sale_end_at) FROM public_events WHERE sale_end_at >= app.clock()),
    (SELECT min(lower(selling)) FROM public_events WHERE selling IS NOT NULL AND lower(selling) > app.clock()),
    (SELECT min(upper(selling)) FROM public_events WHERE selling IS NOT NULL AND upper(selling) >= app.clock()),
    (SELECT min(e.edge) FROM public_events p CROSS JOIN unnest(p.selling) AS w (period)
     CROSS JOIN LATERAL (VALUES (lower(w.period)), (upper(w.period))) AS e (edge)
     WHERE p.selling IS NOT NULL AND multirange(range_merge(p.selling)) <> p.selling AND e.edge >= app.clock())) AS value;

-- name: follow_stock
SELECT app.follow_stock($1, $2);

-- name: is_alone_in_its_city
SELECT NOT EXISTS (SELECT FROM public_events WHERE city_norm = $1 AND event_id <> $2);

-- name: is_alone_in_its_category
SELECT NOT EXISTS (SELECT FROM public_events WHERE category = $1 AND event_id <> $2);

-- name: house
SELECT status = 'active' AS is_open, slug, name FROM organizations WHERE id = $1;

-- name: show_of_any_house
-- Whether its organisation is suspended, is another question: see public_reads.
SELECT {show} FROM shows_of_any_house WHERE id = $1;

-- name: public_event
SELECT {show} FROM public_shows WHERE id = $1;

-- name: public_feed
-- Of one organisation or of all.
SELECT {show} FROM public_shows
WHERE {when} AND {where}
  AND ($7::timestamptz IS NULL OR (start_time, id) > ($7, $8::uuid))
ORDER BY start_time, id LIMIT $9;

-- name: public_feed_words
-- The same with words ($10). What many shows say is met on a short walk along the order. Otherwise the index of words
-- knows them all, and the order is hidden from the planner: it would walk on, in the hope of meeting them. The index is
-- asked for $11: all words, or those that are finished. A question without any word (`-this`) is answered by nothing,
-- instead of by a look at everything.
WITH near AS MATERIALIZED (
    SELECT {show} FROM (
        SELECT * FROM public_shows
        WHERE querytree(to_tsquery('simple', $10)) NOT IN ('', 'T') AND {when} AND {where}
          AND ($7::timestamptz IS NULL OR (start_time, id) > ($7, $8::uuid))
        ORDER BY start_time, id LIMIT 2000) AS next
    WHERE search @@ to_tsquery('simple', $10) LIMIT $9
), far AS (
    SELECT {show} FROM public_shows
    WHERE (SELECT count(*) FROM near) < $9
      AND querytree(to_tsquery('simple', $11)) NOT IN ('', 'T') AND search @@ to_tsquery('simple', $11)
      AND ($11 = $10 OR CASE WHEN search @@ to_tsquery('simple', $10) THEN true ELSE false END)
      AND {when} AND {where}
      AND ($7::timestamptz IS NULL OR (start_time, id) > ($7, $8::uuid))
    ORDER BY start_time + interval '0', id LIMIT $9
)
SELECT * FROM near WHERE (SELECT count(*) FROM near) >= $9 UNION ALL SELECT * FROM far;

-- name: public_trending
SELECT rank, ranked_start, {show}
FROM {ranks} JOIN public_shows ON id = event_id
WHERE {when} AND {ranked}
ORDER BY rank, ranked_start, event_id LIMIT $11;

-- name: public_trending_words
-- As `public_feed_words`; the words are $12, and $13 what the index is asked for. OFFSET keeps the planner from reading
-- all ranks for the sake of those found.
WITH near AS MATERIALIZED (
    SELECT rank, ranked_start, {show} FROM (
        SELECT * FROM {ranks} JOIN public_shows ON id = event_id
        WHERE querytree(to_tsquery('simple', $12)) NOT IN ('', 'T') AND {when} AND {ranked}
        ORDER BY rank, ranked_start, event_id LIMIT 2000) AS next
    WHERE search @@ to_tsquery('simple', $12) LIMIT $11
), far AS (
    SELECT rank, ranked_start, {show}
    FROM public_shows CROSS JOIN LATERAL (SELECT * FROM {ranks} WHERE event_id = id OFFSET 0) AS its
    WHERE (SELECT count(*) FROM near) < $11
      AND querytree(to_tsquery('simple', $13)) NOT IN ('', 'T') AND search @@ to_tsquery('simple', $13)
      AND ($13 = $12 OR CASE WHEN search @@ to_tsquery('simple', $12) THEN true ELSE false END)
      AND {when} AND {ranked}
    ORDER BY rank + 0, ranked_start, event_id LIMIT $11
)
SELECT * FROM near WHERE (SELECT count(*) FROM near) >= $11 UNION ALL SELECT * FROM far;

-- name: search_next
-- $1 is the words (kit/text.py, tsquery), $2 a language to stem them by, $3 the filters as lexemes. Of the next two
-- thousand shows, the first hundred that say it are compared: `compared` says how many there are.
SELECT {show}, count(*) OVER ()::integer AS compared
FROM (SELECT id FROM (
          SELECT id, search FROM public_shows WHERE querytree({words}) NOT IN ('', 'T') AND {when}
          ORDER BY start_time, id LIMIT 2000) AS next
      WHERE search @@ CASE WHEN $3::text IS NULL THEN {words} ELSE {words} && $3::text::tsquery END LIMIT 100) AS found
JOIN public_shows USING (id)
ORDER BY ts_rank(search, {words}) DESC, start_time, id LIMIT $7;

-- name: search_by_words
-- Through the index of words, up to $9 or to the end: the next five hundred are compared. The order is hidden from the
-- planner, which would walk along it in the hope of meeting them; what the index was not asked for, the rows answer.
SELECT {show}, count(*) OVER ()::integer AS compared
FROM (SELECT id FROM public_shows
      WHERE querytree({by}) NOT IN ('', 'T')
        AND search @@ CASE WHEN $3::text IS NULL THEN {by} ELSE {by} && $3::text::tsquery END
        AND ($8 = $1 OR CASE WHEN search @@ {words} THEN true ELSE false END)
        AND {when} AND ($9::timestamptz IS NULL OR start_time < $9)
      ORDER BY start_time + interval '0', id LIMIT 500) AS found
JOIN public_shows USING (id)
ORDER BY ts_rank(search, {words}) DESC, start_time, id LIMIT $7;

-- name: horizon
-- When the twenty thousandth show from $1 on begins; null if there are fewer.
SELECT start_at FROM public_events WHERE $1::timestamptz IS NULL OR start_at >= $1
ORDER BY start_at, event_id OFFSET 20000 LIMIT 1;

-- name: sample_words
-- How many of the next five hundred shows say $1, and how many begin with $2.
SELECT count(*) FILTER (WHERE search @@ to_tsquery('simple', $1)) AS said,
       count(*) FILTER (WHERE search @@ to_tsquery('simple', $2)) AS begun
FROM (SELECT search FROM public_events WHERE $3::timestamptz IS NULL OR start_at >= $3
      ORDER BY start_at, event_id LIMIT 500) AS next;

-- name: public_cities
-- Countries are free text: the commonest speaks for the city. ZZ says that nobody knows.
SELECT min(city) AS city,
       coalesce(mode() WITHIN GROUP (ORDER BY country) FILTER (WHERE country <> 'ZZ'), 'ZZ') AS country,
       count(*)::integer AS events
FROM public_shows GROUP BY city_norm;

-- name: cities_of_house
SELECT array_agg(city ORDER BY city)
FROM (SELECT min(city) AS city FROM public_shows WHERE organization_id = $1 GROUP BY city_norm LIMIT $2) AS its;

-- name: begin_stats
-- To be announced is worth one view.
INSERT INTO event_stats (organization_id, event_id, heat) VALUES ($1, $2, app.heat(NULL, 1)) ON CONFLICT DO NOTHING;

-- name: rank_event
-- The first rank holds at once; a later one from epoch $3 on, unless nothing that counts has changed.
WITH fresh AS (
    SELECT p.event_id, p.organization_id, app.rank(s.heat, p.start_at) AS rank, p.start_at, p.city_norm, p.category
    FROM public_events p JOIN event_stats s USING (organization_id, event_id)
    WHERE p.organization_id = $1 AND p.event_id = ANY ($2::uuid[])
), moved AS (
    -- Whoever began in an earlier epoch may come later: a version never begins before the one that it follows.
    SELECT fresh.*, greatest($3, r.since_epoch) AS since
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
WHERE (SELECT count(*) FROM ended) >= 0  -- there is one newest: first the old one ends
UNION ALL
SELECT event_id, organization_id, $4, rank, start_at, city_norm, category FROM fresh
WHERE NOT EXISTS (SELECT FROM public_ranks r WHERE r.event_id = fresh.event_id)
ON CONFLICT (event_id, since_epoch) DO UPDATE
SET rank = excluded.rank, start_at = excluded.start_at, city_norm = excluded.city_norm, category = excluded.category;

-- name: record_activity
-- Views and sales of several shows of one organisation, added up by the caller.
UPDATE event_stats s
SET views = s.views + act.views, sold = s.sold + act.sold, heat = app.heat(s.heat, act.views + 20 * act.sold),
    unranked = true
FROM (SELECT l.event_id, a.views, a.sold
      FROM event_stats l
      JOIN unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS a (event_id, views, sold) USING (event_id)
      WHERE l.organization_id = $1 ORDER BY l.event_id FOR UPDATE OF l) AS act
WHERE s.organization_id = $1 AND s.event_id = act.event_id;

-- name: unranked_organizations
SELECT array(SELECT DISTINCT organization_id FROM event_stats WHERE unranked LIMIT 1000);

-- name: take_unranked
WITH mine AS (
    SELECT event_id FROM event_stats WHERE organization_id = $1 AND unranked ORDER BY event_id FOR UPDATE
), taken AS (
    UPDATE event_stats s SET unranked = false FROM mine
    WHERE s.organization_id = $1 AND s.event_id = mine.event_id RETURNING s.event_id
)
SELECT array(SELECT event_id FROM taken);

-- name: forget_ranks
-- A cursor is good for an hour.
DELETE FROM public_ranks WHERE ctid IN (
    SELECT ctid FROM public_ranks WHERE until_epoch < app.epoch() - 120 AND until_epoch < 2147483647 LIMIT 1000);

-- name: my_events
SELECT id, created_by AS owner_id, name AS title, description, city, category, start_at AS start_time,
       end_at AS end_time, capacity, cover_image_ids, status, published_at, cancelled_at AS canceled_at, created_at,
       updated_at,
       coalesce((SELECT s.active_participants FROM event_stats s
                 WHERE s.organization_id = $1 AND s.event_id = events.id), 0) AS active_participants
FROM events
WHERE organization_id = $1 AND created_by = $2 AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
ORDER BY created_at DESC, id DESC LIMIT $5;

-- pages and feeds

-- name: public_show_at
SELECT {show} FROM public_shows WHERE organization = $1 AND slug = $2;

-- name: replacement_at
-- Where the address of a show that was announced once and is hidden now leads to: the first public one of those that
-- took its place, one after the other.
WITH RECURSIVE chain AS (
    SELECT id, replaced_by_event_id, 1 AS n FROM events
    WHERE organization_id = $1 AND slug = $2 AND published_at IS NOT NULL AND status IN ('ended', 'cancelled', 'archived')
    UNION ALL
    SELECT e.id, e.replaced_by_event_id, chain.n + 1
    FROM chain JOIN events e ON e.organization_id = $1 AND e.id = chain.replaced_by_event_id AND chain.n < 10
)
SELECT p.slug FROM chain JOIN public_events p ON p.organization_id = $1 AND p.event_id = chain.id
ORDER BY chain.n LIMIT 1;

-- name: coming_shows
SELECT {show} FROM public_shows
WHERE organization_id = $1 AND end_time > app.clock() ORDER BY start_time, id LIMIT $2;

-- name: newest_shows
SELECT {show} FROM public_shows
WHERE $1::uuid IS NULL OR organization_id = $1 ORDER BY published_at DESC, id DESC LIMIT $2;

-- name: public_categories
-- From one to the next by the index: a million shows have a dozen categories.
WITH RECURSIVE known AS (
    (SELECT category FROM public_events ORDER BY category LIMIT 1)
    UNION ALL
    SELECT (SELECT category FROM public_events p WHERE p.category > known.category ORDER BY category LIMIT 1)
    FROM known WHERE known.category IS NOT NULL
)
SELECT array(SELECT category FROM known WHERE category IS NOT NULL LIMIT 100);

-- name: sitemap_boundaries
-- Every $1th id, in the order of ids: where one file of the sitemap ends and the next begins.
SELECT array(
    SELECT event_id FROM (SELECT event_id, row_number() OVER (ORDER BY event_id) AS place FROM public_events) AS counted
    WHERE place % $1 = 0 ORDER BY event_id);

-- name: sitemap_shows
SELECT organization, slug, changed_at FROM public_shows
WHERE id > $1 AND ($2::uuid IS NULL OR id <= $2) ORDER BY id LIMIT $3;

-- name: sitemap_organizations
SELECT array(
    SELECT slug FROM organizations o
    WHERE status = 'active' AND EXISTS (SELECT FROM public_events p WHERE p.organization_id = o.id)
    ORDER BY slug LIMIT $1);

-- pictures

-- name: insert_image
-- Or the one that is there already, as below.
INSERT INTO images AS i (id, organization_id, digest, width, height, bytes, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (organization_id, digest) DO UPDATE
SET created_at = CASE WHEN i.attached_at IS NULL THEN app.clock() ELSE i.created_at END
RETURNING id, digest, width, height, bytes, created_by, attached_at, created_at;

-- name: renew_image
-- By its digest. One that still waits for a show waits a whole day again: the sweeper must not take it
-- from the uploader.
UPDATE images SET created_at = CASE WHEN attached_at IS NULL THEN app.clock() ELSE created_at END
WHERE organization_id = $1 AND digest = $2
RETURNING id, digest, width, height, bytes, created_by, attached_at, created_at;

-- name: attach_images
-- Locked in the order of their ids, so that two shows that take the same pictures do not wait for each other in a
-- circle.
UPDATE images i SET attached_at = coalesce(i.attached_at, app.clock())
FROM (SELECT id FROM images WHERE organization_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE) mine
WHERE i.organization_id = $1 AND i.id = mine.id;

-- name: unused_images
SELECT organization_id, id FROM images
WHERE attached_at IS NULL AND created_at < app.clock() - $1::interval ORDER BY created_at LIMIT 1000;

-- name: lock_images
SELECT id FROM images WHERE organization_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE;

-- name: detach_images
-- After `lock_images`: whoever took them meanwhile is seen. Those that no show names any more wait for one again.
UPDATE images i SET attached_at = NULL, created_at = app.clock()
WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND NOT EXISTS (
    SELECT FROM events e WHERE e.organization_id = $1 AND e.cover_image_ids @> ARRAY[i.id]);

-- name: lock_pictures
-- Whoever adds a picture waits here for those who add one too: each weighs what the others have added.
SELECT pg_advisory_xact_lock(hashtextextended('pictures:' || $1::uuid, 0))::text;

-- name: image_bytes
SELECT coalesce(sum(bytes), 0)::bigint FROM images WHERE organization_id = $1;

-- name: delete_unused_image
-- Whatever its row says: a picture that a show names stays.
DELETE FROM images i
WHERE organization_id = $1 AND id = $2 AND attached_at IS NULL AND created_at < app.clock() - $3::interval
  AND NOT EXISTS (SELECT FROM events e WHERE e.organization_id = $1 AND e.cover_image_ids @> ARRAY[i.id]);
