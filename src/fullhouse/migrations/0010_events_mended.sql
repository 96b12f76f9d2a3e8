-- The events room, mended: what a show's key outlives, which venue stands for a city, pictures that nobody uses any more,
-- and shows that wait for a date.

-- A cancelled or archived show does not keep the same one from being announced again.
ALTER TABLE events DROP CONSTRAINT events_dedupe;
CREATE UNIQUE INDEX events_dedupe ON events (organization_id, dedupe_key) WHERE status NOT IN ('cancelled', 'archived');

-- Which shows use a picture: asked when one is taken off a show, and before one is swept out.
CREATE INDEX events_covers ON events USING gin (cover_image_ids);

-- How many places one show of this organisation may have.
ALTER TABLE organization_settings ADD COLUMN event_capacity_max integer NOT NULL DEFAULT 100000
    CHECK (event_capacity_max BETWEEN 1 AND 1000000);

-- The virtual venue that stands for a whole city has the city's folded name here: one of each, however many ask at once.
ALTER TABLE venues ADD COLUMN stands_for text;

ALTER TABLE venues NO FORCE ROW LEVEL SECURITY;
UPDATE venues v SET stands_for = first.norm
FROM (SELECT DISTINCT ON (organization_id, norm) organization_id, id, norm
      FROM (SELECT organization_id, id, created_at,
                   lower(regexp_replace(normalize(city, NFKD), '[\u0300-\u036f]', '', 'g')) AS norm
            FROM venues WHERE kind = 'virtual' AND name = city AND country = 'ZZ' AND address IS NULL) AS city_only
      ORDER BY organization_id, norm, created_at, id) AS first
WHERE v.organization_id = first.organization_id AND v.id = first.id;
ALTER TABLE venues FORCE ROW LEVEL SECURITY;
CREATE UNIQUE INDEX venues_stands_for ON venues (organization_id, stands_for) WHERE stands_for IS NOT NULL;

-- Two letters are an ISO code.
ALTER TABLE venues NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE images NO FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE public_ranks NO FORCE ROW LEVEL SECURITY;
UPDATE venues SET country = upper(country) WHERE length(country) = 2 AND country <> upper(country);
UPDATE events SET country = upper(country) WHERE length(country) = 2 AND country <> upper(country);
UPDATE public_events SET country = upper(country) WHERE length(country) = 2 AND country <> upper(country);

-- A picture waits for a show again when the last one that used it does no more.
UPDATE images i SET attached_at = NULL, created_at = app.clock()
WHERE attached_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM events e WHERE e.organization_id = i.organization_id AND e.cover_image_ids @> ARRAY[i.id]);

-- A show that is postponed without a date has none: it comes after all that have one (events/policy.py, UNDATED). What
-- people read is the date of its first announcement, `first_start_at`.
UPDATE public_ranks r SET start_at = timestamptz '9000-01-01 00:00+00',
                          rank = r.rank - app.rank(0, r.start_at) + app.rank(0, timestamptz '9000-01-01 00:00+00')
FROM public_events p
WHERE p.event_id = r.event_id AND p.status = 'postponed' AND p.rescheduled_at IS NULL;
UPDATE public_events SET start_at = timestamptz '9000-01-01 00:00+00',
                         end_at = timestamptz '9000-01-01 00:00+00' + (end_at - start_at)
WHERE status = 'postponed' AND rescheduled_at IS NULL;
ALTER TABLE venues FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE images FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events FORCE ROW LEVEL SECURITY;
ALTER TABLE public_ranks FORCE ROW LEVEL SECURITY;
