-- What the public may see, and nothing else: a row for each show that is visible on a storefront, kept in the same
-- transaction as the show itself (wiring.py). The feed and the search cross organisations; they read only this.
CREATE TABLE public_events (
    event_id        uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    slug            text NOT NULL,
    title           text NOT NULL,
    description     text NOT NULL,
    category        text NOT NULL,
    status          text NOT NULL CHECK (status IN ('published', 'live', 'postponed')),
    venue_name      text NOT NULL,
    city            text NOT NULL,
    city_norm       text NOT NULL,
    country         text NOT NULL,
    address         text,
    timezone        text NOT NULL,
    start_at        timestamptz NOT NULL,   -- the new date, where there is one
    end_at          timestamptz NOT NULL,
    first_start_at  timestamptz NOT NULL,   -- as it was announced at first
    rescheduled_at  timestamptz,
    sale_start_at   timestamptz NOT NULL,
    sale_end_at     timestamptz NOT NULL,
    sold_out        boolean NOT NULL DEFAULT false,
    capacity        integer NOT NULL,
    published_at    timestamptz NOT NULL,
    search          tsvector NOT NULL,      -- weighted text, and the filters as lexemes of their own
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX public_events_latest ON public_events (start_at, event_id);
CREATE INDEX public_events_city ON public_events (city_norm, start_at, event_id);
CREATE INDEX public_events_category ON public_events (category, start_at, event_id);
CREATE INDEX public_events_organization ON public_events (organization_id, start_at, event_id);
CREATE INDEX public_events_search ON public_events USING gin (search);

ALTER TABLE public_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE public_events FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON public_events FOR SELECT USING (true);
CREATE POLICY listing ON public_events FOR INSERT TO fullhouse_app WITH CHECK (organization_id = app.org());
CREATE POLICY changing ON public_events FOR UPDATE TO fullhouse_app
    USING (organization_id = app.org()) WITH CHECK (organization_id = app.org());
CREATE POLICY removing ON public_events FOR DELETE TO fullhouse_app USING (organization_id = app.org());
GRANT SELECT, INSERT, UPDATE, DELETE ON public_events TO fullhouse_app;
GRANT SELECT ON public_events TO fullhouse_auditor;
