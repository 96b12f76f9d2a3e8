-- The event service as its clients know it, and reasons that are never missing.

-- Cancelling and postponing always have a reason. Events from before get a sentence that says what is known.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
UPDATE events SET cancellation_reason = 'No reason was recorded.'
WHERE status = 'cancelled' AND coalesce(cancellation_reason, '') !~ '\S';
UPDATE events SET postponement_reason = 'No reason was recorded.'
WHERE status = 'postponed' AND coalesce(postponement_reason, '') !~ '\S';
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE events
    ADD CONSTRAINT events_cancelled_with_reason
        CHECK (status <> 'cancelled' OR coalesce(cancellation_reason, '') ~ '\S'),
    ADD CONSTRAINT events_postponed_with_reason
        CHECK (status <> 'postponed' OR coalesce(postponement_reason, '') ~ '\S');

-- What the public answer says beside the event's own words: who made it and when, and how many take part. The public
-- cannot read `events` and `event_stats`, so the projection carries them.
ALTER TABLE public_events
    ADD COLUMN owner_id            uuid,
    ADD COLUMN created_at          timestamptz,
    ADD COLUMN active_participants integer NOT NULL DEFAULT 0 CHECK (active_participants >= 0);
ALTER TABLE public_events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_stats NO FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events DISABLE TRIGGER note_change;  -- nothing changed for readers
UPDATE public_events p
SET owner_id = e.created_by, created_at = e.created_at,
    active_participants = coalesce((SELECT s.active_participants FROM event_stats s
                                    WHERE (s.organization_id, s.event_id) = (p.organization_id, p.event_id)), 0)
FROM events e WHERE (e.organization_id, e.id) = (p.organization_id, p.event_id);
ALTER TABLE public_events ENABLE TRIGGER note_change;
ALTER TABLE public_events FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE event_stats FORCE ROW LEVEL SECURITY;
ALTER TABLE public_events ALTER COLUMN created_at SET NOT NULL, ALTER COLUMN created_at SET DEFAULT app.clock();

-- Whoever moves the count moves it in public, in the same transaction.
CREATE FUNCTION app.show_participants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public_events SET active_participants = NEW.active_participants
    WHERE organization_id = NEW.organization_id AND event_id = NEW.event_id;
    RETURN NULL;
END $$;
CREATE TRIGGER show_participants AFTER UPDATE OF active_participants ON event_stats
    FOR EACH ROW WHEN (OLD.active_participants IS DISTINCT FROM NEW.active_participants)
    EXECUTE FUNCTION app.show_participants();

-- Somebody who joins is no news of the event itself: feeds and site maps do not call it changed.
CREATE OR REPLACE FUNCTION app.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    OLD.active_participants := NEW.active_participants;
    IF OLD IS DISTINCT FROM NEW THEN
        NEW.changed_at := greatest(app.clock(), OLD.changed_at + interval '1 second');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE VIEW shows_of_any_house WITH (security_invoker = true) AS
SELECT p.event_id AS id, p.organization_id, o.slug AS organization, o.name AS organization_name, p.slug, p.title,
       p.description, p.category, 'published' AS status, p.status AS phase,
       CASE WHEN p.status = 'postponed' AND p.rescheduled_at IS NULL THEN 'suspended'
            WHEN app.clock() < p.sale_start_at THEN 'upcoming'
            WHEN app.clock() > p.sale_end_at THEN 'closed'
            WHEN p.sold_out THEN 'sold_out' ELSE 'on_sale' END AS sale_status,
       p.sold_out, p.venue_name, p.city, p.city_norm, p.country, p.address, p.timezone, p.start_at AS start_time,
       p.end_at AS end_time, p.first_start_at AS first_start_time, p.rescheduled_at, p.sale_start_at, p.sale_end_at,
       p.capacity, p.cover_image_ids, p.published_at, p.changed_at, p.search,
       o.status = 'active' AS house_is_open, p.owner_id, p.created_at, p.active_participants
FROM public_events p JOIN organizations o ON o.id = p.organization_id;
CREATE OR REPLACE VIEW public_shows WITH (security_invoker = true) AS
SELECT * FROM shows_of_any_house WHERE house_is_open;

-- The outbox under the names of the event service's own document. Row-level security is the table's.
CREATE VIEW event_outbox WITH (security_invoker = true) AS
SELECT seq AS id, id AS message_id, name AS routing_key, payload AS body, created_at, sent_at, attempts, last_error
FROM outbox;
GRANT SELECT ON event_outbox TO fullhouse_app, fullhouse_worker, fullhouse_auditor;

-- Whoever watches for cancelled and postponed events looks for the tickets that are still valid there, across
-- organisations.
CALL app.let_workers_find('tickets');
CREATE INDEX events_stopped ON events (organization_id, id) WHERE status IN ('cancelled', 'postponed');
