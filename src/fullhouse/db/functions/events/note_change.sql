-- When the public last saw an event change: what calendars, feeds and search engines compare. It never goes back and never
-- stands still, though a transaction that began earlier may write later: always a whole second more. Somebody who joins is
-- no news of the event itself: feeds and site maps do not call it changed.
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
