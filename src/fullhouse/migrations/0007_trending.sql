-- What the public does with a show (views, sales), the order that follows from it (docs/adr/0013-trending.md), and when
-- the public last saw something change.

-- Heat is what was done, each act weighing half as much a day later. Because all of it cools alike, the order of two
-- shows changes only when somebody does something: so we store log2(Σ weight · 2^(moment in days)), which never needs
-- cooling.
CREATE FUNCTION app.heat(was double precision, weight double precision) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN weight <= 0 THEN was ELSE (
    SELECT greatest(was, fresh) + ln(1 + CASE WHEN was IS NULL THEN 0
                                              ELSE power(2::double precision, greatest(-abs(was - fresh), -100)) END)
                                  / ln(2::double precision)
    FROM (SELECT ln(weight) / ln(2::double precision)
                 + extract(epoch FROM app.clock() - timestamptz '2025-01-01 00:00+00')::double precision / 86400
                 AS fresh) AS act
) END;

-- The lower the hotter, so that it sorts like the start and the id behind it. A show a month nearer is twice as hot.
CREATE FUNCTION app.rank(heat double precision, start_at timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN extract(epoch FROM start_at - timestamptz '2025-01-01 00:00+00')::double precision / (30 * 86400) - heat;

-- Half a minute: within one, the order stands still.
CREATE FUNCTION app.epoch() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN floor(extract(epoch FROM app.clock()) / 30)::integer;

-- Apart from the show itself: everything that sells looks at that row, and would wait for these.
CREATE TABLE event_stats (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    views           bigint NOT NULL DEFAULT 0 CHECK (views >= 0),
    sold            bigint NOT NULL DEFAULT 0 CHECK (sold >= 0),
    heat            double precision NOT NULL,
    unranked        boolean NOT NULL DEFAULT false,  -- something happened since its rank was written
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX event_stats_unranked ON event_stats (organization_id) WHERE unranked;

-- Ranks have versions: a reader who began in an epoch pages on in it, whatever has moved since. What is written now
-- begins to hold two epochs later, when nobody who reads can have passed it; a show's first rank holds at once.
CREATE TABLE public_ranks (
    event_id        uuid NOT NULL REFERENCES public_events (event_id) ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    since_epoch     integer NOT NULL,
    until_epoch     integer NOT NULL DEFAULT 2147483647,
    rank            double precision NOT NULL,
    start_at        timestamptz NOT NULL,
    city_norm       text NOT NULL,
    category        text NOT NULL,
    PRIMARY KEY (event_id, since_epoch),
    CHECK (since_epoch < until_epoch)
);
CREATE UNIQUE INDEX public_ranks_newest ON public_ranks (event_id) WHERE until_epoch = 2147483647;
CREATE INDEX public_ranks_hottest ON public_ranks (rank, start_at, event_id);
CREATE INDEX public_ranks_city ON public_ranks (city_norm, rank, start_at, event_id);
CREATE INDEX public_ranks_category ON public_ranks (category, rank, start_at, event_id);
CREATE INDEX public_ranks_over ON public_ranks (until_epoch) WHERE until_epoch < 2147483647;

-- Shows that are public already. Before the tables are protected: from then on the owner may not write them either.
INSERT INTO event_stats (organization_id, event_id, heat)
SELECT organization_id, event_id, app.heat(NULL, 1) FROM public_events;
INSERT INTO public_ranks (event_id, organization_id, since_epoch, rank, start_at, city_norm, category)
SELECT event_id, organization_id, app.epoch(), app.rank(app.heat(NULL, 1), start_at), start_at, city_norm, category
FROM public_events;

-- Makes a table of the public's: everybody reads all of it, an organisation writes its own rows. Like `public_events`.
CREATE PROCEDURE app.publish(tbl regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
    EXECUTE format('CREATE POLICY directory ON %s FOR SELECT USING (true)', tbl);
    EXECUTE format('CREATE POLICY listing ON %s FOR INSERT TO fullhouse_app
                    WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY changing ON %s FOR UPDATE TO fullhouse_app
                    USING (organization_id = app.org()) WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY removing ON %s FOR DELETE TO fullhouse_app USING (organization_id = app.org())', tbl);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO fullhouse_app', tbl);
    EXECUTE format('GRANT SELECT ON %s TO fullhouse_auditor', tbl);
END $$;

CALL app.protect('event_stats');
CALL app.let_workers_find('event_stats');
CALL app.publish('public_ranks');
CREATE POLICY forgetting ON public_ranks FOR DELETE TO fullhouse_worker USING (until_epoch < app.epoch());
GRANT SELECT, DELETE ON public_ranks TO fullhouse_worker;

-- When the public last saw something change: what calendars, feeds and search engines compare. It never goes back and
-- never stands still, though a transaction that began earlier may write later: always a whole second more.
ALTER TABLE public_events ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app.clock();

CREATE FUNCTION app.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := greatest(app.clock(), OLD.changed_at + interval '1 second');
    RETURN NEW;
END $$;
CREATE TRIGGER note_change BEFORE UPDATE ON public_events
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION app.note_change();

-- The feeds' order, of all and of one organisation; the way from an address to its show.
CREATE INDEX public_events_newest ON public_events (published_at, event_id);
CREATE INDEX public_events_newest_here ON public_events (organization_id, published_at, event_id);
CREATE UNIQUE INDEX public_events_slug ON public_events (organization_id, slug);

-- What few shows are, has an index of those few. Whether the sale is to come or over follows from the hour.
CREATE INDEX public_events_sold_out ON public_events (start_at, event_id) WHERE sold_out;
CREATE INDEX public_events_suspended ON public_events (start_at, event_id)
    WHERE status = 'postponed' AND rescheduled_at IS NULL;
CREATE INDEX public_events_sale_start ON public_events (sale_start_at);
CREATE INDEX public_events_sale_end ON public_events (sale_end_at);
-- Which cities there are, and how many shows in each, without a look at the shows.
CREATE INDEX public_events_places ON public_events (city_norm, city, country, organization_id);
-- How common a word is decides whether its index is asked: the planner has to know many.
ALTER TABLE public_events ALTER COLUMN search SET STATISTICS 500;

-- An organisation's next shows, and a venue's. Where the order ends with the id, so does the index.
CREATE INDEX events_coming ON events (organization_id, coalesce(rescheduled_at, start_at), id)
    WHERE status IN ('published', 'live', 'postponed');
CREATE INDEX events_coming_there ON events (organization_id, venue_id, coalesce(rescheduled_at, start_at), id)
    WHERE status IN ('published', 'live', 'postponed');
DROP INDEX events_status, events_venue, events_mine;
CREATE INDEX events_status ON events (organization_id, status, start_at, id);
CREATE INDEX events_venue ON events (organization_id, venue_id, start_at, id);
CREATE INDEX events_mine ON events (organization_id, created_by, created_at, id);
DROP INDEX venues_city;
CREATE INDEX venues_city ON venues (organization_id, city, created_at, id);

-- A show in the words of the event service, even if its organisation is suspended: not to be given out as it is.
CREATE VIEW shows_of_any_house WITH (security_invoker = true) AS
SELECT p.event_id AS id, p.organization_id, o.slug AS organization, o.name AS organization_name, p.slug, p.title,
       p.description, p.category, 'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.sold_out, p.venue_name, p.city, p.city_norm, p.country, p.address, p.timezone, p.start_at AS start_time,
       p.end_at AS end_time, p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at,
       p.capacity, p.cover_image_ids, p.published_at, p.changed_at, p.search,
       o.status = 'active' AS house_is_open
FROM public_events p JOIN organizations o ON o.id = p.organization_id;

-- What anybody may see: read by the feed, the search, the pages and the calendars.
CREATE VIEW public_shows WITH (security_invoker = true) AS SELECT * FROM shows_of_any_house WHERE house_is_open;
GRANT SELECT ON shows_of_any_house, public_shows TO fullhouse_app, fullhouse_auditor;
