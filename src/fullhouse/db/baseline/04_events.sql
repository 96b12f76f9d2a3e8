-- Venues, gates and events; what the public sees of them; and the order in which it sees them.
--
-- Of an event's state only the lifecycle is stored; what follows from it and from the hour is derived. The public's
-- tables have what the public may see and nothing else, and change in the transaction of the event's own change: the
-- feed and the search read only those. Nothing that sells writes to an event's row.

CREATE TABLE venues (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    slug            text NOT NULL CHECK (slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    kind            text NOT NULL CHECK (kind IN ('physical', 'virtual')),
    timezone        text NOT NULL,
    address         text CHECK (length(address) BETWEEN 5 AND 500),
    address_parts   jsonb NOT NULL DEFAULT '{}',
    city            text NOT NULL CHECK (length(city) BETWEEN 1 AND 50),
    country         text NOT NULL CHECK (length(country) BETWEEN 2 AND 56),   -- two letters are an ISO code
    latitude        double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude       double precision CHECK (longitude BETWEEN -180 AND 180),
    max_capacity    integer NOT NULL DEFAULT 0 CHECK (max_capacity >= 0),
    settings        jsonb NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    stands_for      text,   -- of the virtual venue that stands for a whole city: the city's folded name
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug),
    CHECK (kind = 'virtual' OR address IS NOT NULL),
    CHECK ((latitude IS NULL) = (longitude IS NULL))
);
CREATE INDEX venues_newest ON venues (organization_id, created_at, id);
CREATE INDEX venues_city ON venues (organization_id, city, created_at, id);
CREATE INDEX venues_timezone ON venues (organization_id, timezone, created_at, id);
-- One venue for each city, however many requests make it at once.
CREATE UNIQUE INDEX venues_stands_for ON venues (organization_id, stands_for) WHERE stands_for IS NOT NULL;
CALL app.protect('venues');

CREATE TABLE gates (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    venue_id        uuid NOT NULL,
    gate_code       text NOT NULL CHECK (gate_code ~ '^[A-Z0-9][A-Z0-9_-]{0,39}$'),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    status          text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    capacity        integer CHECK (capacity > 0),
    settings        jsonb NOT NULL DEFAULT '{}',
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, venue_id, gate_code),
    FOREIGN KEY (organization_id, venue_id) REFERENCES venues (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX gates_venue ON gates (organization_id, venue_id, status, gate_code);
CALL app.protect('gates');


-- Events -------------------------------------------------------------------------------------------
-- `status` is the stored lifecycle; whether an event sells, scans or is shown is derived (events/policy.py).
-- No counters here: requests that sell would wait for each other on this row.
CREATE TABLE events (
    id                   uuid NOT NULL UNIQUE,
    organization_id      uuid NOT NULL REFERENCES organizations (id),
    venue_id             uuid,
    slug                 text NOT NULL CHECK (slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'),
    name                 text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description          text NOT NULL CHECK (length(description) BETWEEN 1 AND 2000),
    category             text NOT NULL CHECK (category ~ '^[a-z0-9](_?[a-z0-9]){0,39}$'),
    status               text NOT NULL DEFAULT 'draft' CHECK (status IN
                             ('draft', 'published', 'live', 'ended', 'cancelled', 'postponed', 'archived')),
    start_at             timestamptz NOT NULL,
    end_at               timestamptz NOT NULL,
    doors_at             timestamptz NOT NULL,
    sale_start_at        timestamptz NOT NULL,
    sale_end_at          timestamptz NOT NULL,
    rescheduled_at       timestamptz,
    capacity             integer NOT NULL DEFAULT 0 CHECK (capacity >= 0),
    settings             jsonb NOT NULL DEFAULT '{}',
    -- The venue as it was when the event was made: it survives the venue's edit and deletion.
    venue_name           text NOT NULL,
    city                 text NOT NULL,
    country              text NOT NULL,
    address              text,
    timezone             text NOT NULL,
    recurrence_group_id  uuid,
    replaced_by_event_id uuid,
    postponement_reason  text CHECK (length(postponement_reason) <= 500),
    cancellation_reason  text CHECK (length(cancellation_reason) <= 500),
    created_by           uuid,
    dedupe_key           text NOT NULL,
    version              integer NOT NULL DEFAULT 1,
    published_at         timestamptz,
    cancelled_at         timestamptz,
    created_at           timestamptz NOT NULL DEFAULT app.clock(),
    updated_at           timestamptz NOT NULL DEFAULT app.clock(),
    -- In the order in which they are displayed. The first is the cover.
    cover_image_ids      uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(cover_image_ids) <= 10),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT events_slug UNIQUE (organization_id, slug),
    CHECK (end_at >= start_at + interval '1 minute'),
    CHECK (doors_at <= start_at),
    CHECK (sale_start_at < sale_end_at),
    -- Compared as lengths: a moment plus two days is another moment where the session's clocks change.
    CHECK (sale_end_at - coalesce(rescheduled_at, start_at) <= end_at - start_at),
    CHECK (rescheduled_at IS NULL OR status = 'postponed' OR status IN ('cancelled', 'archived')),
    -- Cancelling and postponing always have a reason.
    CONSTRAINT events_cancelled_with_reason CHECK (status <> 'cancelled' OR coalesce(cancellation_reason, '') ~ '\S'),
    CONSTRAINT events_postponed_with_reason CHECK (status <> 'postponed' OR coalesce(postponement_reason, '') ~ '\S'),
    FOREIGN KEY (organization_id, venue_id) REFERENCES venues (organization_id, id) ON DELETE SET NULL (venue_id),
    FOREIGN KEY (organization_id, replaced_by_event_id) REFERENCES events (organization_id, id)
        ON DELETE SET NULL (replaced_by_event_id)
);
-- A cancelled or archived event does not prevent creating the same one again.
CREATE UNIQUE INDEX events_dedupe ON events (organization_id, dedupe_key) WHERE status NOT IN ('cancelled', 'archived');
-- Lists are ordered by the current date: a rescheduled event is listed at its new one. Where the order ends with the
-- id, so does the index.
CREATE INDEX events_start ON events (organization_id, coalesce(rescheduled_at, start_at), id);
CREATE INDEX events_status ON events (organization_id, status, coalesce(rescheduled_at, start_at), id);
CREATE INDEX events_venue ON events (organization_id, venue_id, coalesce(rescheduled_at, start_at), id);
CREATE INDEX events_mine ON events (organization_id, created_by, created_at, id);
CREATE INDEX events_series ON events (organization_id, recurrence_group_id) WHERE recurrence_group_id IS NOT NULL;
-- An organisation's next events, and a venue's.
CREATE INDEX events_coming ON events (organization_id, coalesce(rescheduled_at, start_at), id)
    WHERE status IN ('published', 'live', 'postponed');
CREATE INDEX events_coming_there ON events (organization_id, venue_id, coalesce(rescheduled_at, start_at), id)
    WHERE status IN ('published', 'live', 'postponed');
-- For the foreign key: deleting an event looks for those that it replaces.
CREATE INDEX events_replaced ON events (organization_id, replaced_by_event_id) WHERE replaced_by_event_id IS NOT NULL;
-- Which events use an image: queried when one is removed from an event, and before an unused one is deleted.
CREATE INDEX events_covers ON events USING gin (cover_image_ids);
-- For the scheduler: status changes that time brings, across organisations.
CREATE INDEX events_doors ON events (doors_at) WHERE status = 'published';
CREATE INDEX events_resuming ON events (rescheduled_at) WHERE status = 'postponed' AND rescheduled_at IS NOT NULL;
CREATE INDEX events_ending ON events (end_at) WHERE status = 'live';
-- For the anomaly check, which looks for tickets that are still valid for cancelled and postponed events.
CREATE INDEX events_stopped ON events (organization_id, id) WHERE status IN ('cancelled', 'postponed');
CALL app.protect('events');
CALL app.let_workers_find('events');

-- Which organisation an event belongs to: readable before a tenant is known, because a public URL names only the
-- event. It has nothing else. Writing it needs the organisation's own transaction.
CREATE TABLE event_directory (
    event_id        uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
ALTER TABLE event_directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_directory FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON event_directory FOR SELECT USING (true);
CREATE POLICY listing ON event_directory FOR INSERT TO fullhouse_app WITH CHECK (organization_id = app.org());
GRANT SELECT, INSERT ON event_directory TO fullhouse_app;
GRANT SELECT ON event_directory TO fullhouse_auditor;

-- Cover images. The rows are here; the files, three sizes of each, are in the folder or bucket (kit/media/files.py) under
-- the organisation's and the image's id. A file is written before its row, and removed after it: every row has its
-- files, and a file without a row cannot be reached and does no harm.
CREATE TABLE images (
    id              uuid NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    digest          text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),  -- SHA-256 of what was uploaded
    width           integer NOT NULL CHECK (width BETWEEN 1 AND 12000),   -- as people see it, after turning
    height          integer NOT NULL CHECK (height BETWEEN 1 AND 12000),
    bytes           integer NOT NULL CHECK (bytes > 0),   -- the size of all its files
    created_by      uuid,
    attached_at     timestamptz,   -- null while no event uses it: after a day it is deleted
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT images_digest UNIQUE (organization_id, digest)
);
-- For the sweep, across organisations.
CREATE INDEX images_unused ON images (created_at) WHERE attached_at IS NULL;
CALL app.protect('images');
CALL app.let_workers_find('images');

-- Who takes part in an event, as other services report it (`join.confirmed`, `join.canceled`). The newest report
-- counts, by the time at which it was made: an older one that arrives late changes nothing.
CREATE TABLE participations (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    join_id         uuid NOT NULL,
    active          boolean NOT NULL,
    said_at         timestamptz NOT NULL,
    PRIMARY KEY (organization_id, event_id, join_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('participations', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('participations');

-- Counters of an event: views, sales, participants. Separate from the event's row, because everything that sells reads
-- that one, and would wait for these.
CREATE TABLE event_stats (
    organization_id     uuid NOT NULL REFERENCES organizations (id),
    event_id            uuid NOT NULL,
    views               bigint NOT NULL DEFAULT 0 CHECK (views >= 0),
    sold                bigint NOT NULL DEFAULT 0 CHECK (sold >= 0),
    heat                double precision NOT NULL,
    unranked            boolean NOT NULL DEFAULT false,  -- something happened since its rank was written
    active_participants integer NOT NULL DEFAULT 0 CHECK (active_participants >= 0),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX event_stats_unranked ON event_stats (organization_id) WHERE unranked;
CALL app.protect('event_stats');
CALL app.let_workers_find('event_stats');


-- Public directory ---------------------------------------------------------------------------------
-- What the public may see, and nothing else: a row for each event that is visible on a storefront, written in the same
-- transaction as the event itself (wiring.py). The feed and the search cross organisations; they read only this.
--
-- What the public sees of an event's sale follows from what it sells, and not from its own window alone: the sale opens
-- with its first ticket type and closes with its last, and without any ticket, or with every place blocked, there is
-- none. Whatever writes any of this calls app.follow_stock in its own transaction, and invalidates what was cached of
-- it. What the sale is at a moment changes without a write, when a type's window opens or ends: so `selling` has the
-- periods in which there is something to buy.
CREATE TABLE public_events (
    event_id            uuid PRIMARY KEY,
    organization_id     uuid NOT NULL REFERENCES organizations (id),
    slug                text NOT NULL,
    title               text NOT NULL,
    description         text NOT NULL,
    category            text NOT NULL,
    status              text NOT NULL CHECK (status IN ('published', 'live', 'postponed')),
    venue_name          text NOT NULL,
    city                text NOT NULL,
    city_norm           text NOT NULL,
    country             text NOT NULL,
    address             text,
    timezone            text NOT NULL,
    -- The new date, where there is one. An event that is postponed without a date comes after all that have one
    -- (events/public/model.py, UNDATED); people read `first_start_at` then.
    start_at            timestamptz NOT NULL,
    end_at              timestamptz NOT NULL,
    first_start_at      timestamptz NOT NULL,   -- as it was announced at first
    rescheduled_at      timestamptz,
    sale_start_at       timestamptz NOT NULL,
    sale_end_at         timestamptz NOT NULL,
    sold_out            boolean NOT NULL DEFAULT false,
    capacity            integer NOT NULL,
    published_at        timestamptz NOT NULL,
    search              tsvector NOT NULL,      -- weighted text, and the filters as lexemes of their own
    cover_image_ids     uuid[] NOT NULL DEFAULT '{}',
    -- When the public last saw something change: what calendars, feeds and search engines compare. It never goes back
    -- and never stands still, though a transaction that began earlier may write later: always a whole second more.
    changed_at          timestamptz NOT NULL DEFAULT app.clock(),
    -- Who made the event and when, and how many take part: the public cannot read `events` and `event_stats`.
    owner_id            uuid,
    created_at          timestamptz NOT NULL DEFAULT app.clock(),
    active_participants integer NOT NULL DEFAULT 0 CHECK (active_participants >= 0),
    has_tickets         boolean NOT NULL DEFAULT true,
    -- When unsold tickets can be bought. Null if that is the whole sale, as for most events.
    selling             tstzmultirange,
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX public_events_latest ON public_events (start_at, event_id);
CREATE INDEX public_events_city ON public_events (city_norm, start_at, event_id);
CREATE INDEX public_events_category ON public_events (category, start_at, event_id);
CREATE INDEX public_events_organization ON public_events (organization_id, start_at, event_id);
CREATE INDEX public_events_search ON public_events USING gin (search);
-- The feeds' order, of all and of one organisation; the way from an address to its event.
CREATE INDEX public_events_newest ON public_events (published_at, event_id);
CREATE INDEX public_events_newest_here ON public_events (organization_id, published_at, event_id);
CREATE UNIQUE INDEX public_events_slug ON public_events (organization_id, slug);
-- Partial indexes for what few events are: sold out always or for some of the time, without tickets, without a date.
-- Whether the sale is upcoming or over follows from the time.
CREATE INDEX public_events_sold_out ON public_events (start_at, event_id) WHERE sold_out OR selling IS NOT NULL;
CREATE INDEX public_events_no_tickets ON public_events (start_at, event_id) WHERE NOT has_tickets;
CREATE INDEX public_events_suspended ON public_events (start_at, event_id)
    WHERE status = 'postponed' AND rescheduled_at IS NULL;
CREATE INDEX public_events_sale_start ON public_events (sale_start_at);
CREATE INDEX public_events_sale_end ON public_events (sale_end_at);
-- When the first of the periods in `selling` begins and the last one ends; few events have others between them.
CREATE INDEX public_events_selling_from ON public_events (lower(selling)) WHERE selling IS NOT NULL;
CREATE INDEX public_events_selling_until ON public_events (upper(selling)) WHERE selling IS NOT NULL;
CREATE INDEX public_events_gaps ON public_events (event_id)
    WHERE selling IS NOT NULL AND multirange(range_merge(selling)) <> selling;
-- Which cities there are, and how many events in each, without reading the events.
CREATE INDEX public_events_places ON public_events (city_norm, city, country, organization_id);
-- How common a word is decides whether its index is used: the planner needs statistics of many words.
ALTER TABLE public_events ALTER COLUMN search SET STATISTICS 500;
CALL app.publish('public_events');

-- The order of the feed, by what the public does with an event (docs/adr/0013-trending.md). Ranks have versions: a
-- reader who began in an epoch gets all pages from it, whatever has changed since. What is written now is valid from two
-- epochs later, when no reader can have passed it; an event's first rank is valid at once.
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
CALL app.publish('public_ranks');
CREATE POLICY forgetting ON public_ranks FOR DELETE TO fullhouse_worker USING (until_epoch < app.epoch());
GRANT SELECT, DELETE ON public_ranks TO fullhouse_worker;

-- An event in the terms of the event service, even if its organisation is suspended: not to be published as it is. An
-- event that has nothing to sell is not on sale yet; while nothing can be bought, more comes (upcoming), or nothing
-- does (sold out). events/sale/policy.py has the same rules as a table.
CREATE VIEW shows_of_any_house WITH (security_invoker = true) AS
SELECT p.event_id AS id, p.organization_id, o.slug AS organization, o.name AS organization_name, p.slug, p.title,
       p.description, p.category, 'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN NOT p.has_tickets THEN 'upcoming'
            WHEN p.sold_out THEN 'sold_out'
            WHEN p.selling IS NULL OR p.selling @> app.clock() THEN 'on_sale'
            WHEN app.clock() < upper(p.selling) THEN 'upcoming'
            ELSE 'sold_out' END AS sale_status,
       p.sold_out OR coalesce(p.has_tickets AND upper(p.selling) < app.clock() AND app.clock() <= p.sale_end_at, false)
           AS sold_out,
       p.venue_name, p.city, p.city_norm, p.country, p.address, p.timezone, p.start_at AS start_time,
       p.end_at AS end_time, p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at,
       p.capacity, p.cover_image_ids, p.published_at, p.changed_at, p.search,
       o.status = 'active' AS house_is_open, p.owner_id, p.created_at, p.active_participants, p.has_tickets,
       p.selling, p.sold_out AS all_sold
FROM public_events p JOIN organizations o ON o.id = p.organization_id;

-- Events that are public: read by the feed, the search, the pages and the calendars.
CREATE VIEW public_shows WITH (security_invoker = true) AS SELECT * FROM shows_of_any_house WHERE house_is_open;
GRANT SELECT ON shows_of_any_house, public_shows TO fullhouse_app, fullhouse_auditor;
