-- Sets `changed_at` of a public event, which calendars, feeds and search engines compare. It always grows by at least a
-- second, even if a transaction that began earlier writes later. A change of `active_participants` alone does not
-- count: feeds and sitemaps do not list it.
CREATE OR REPLACE FUNCTION app.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    OLD.active_participants := NEW.active_participants;
    IF OLD IS DISTINCT FROM NEW THEN
        NEW.changed_at := greatest(app.clock(), OLD.changed_at + interval '1 second');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER note_change BEFORE UPDATE ON public_events
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION app.note_change();
