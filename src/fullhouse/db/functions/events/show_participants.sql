-- Copies the number of participants to the public projection, in the same transaction.
CREATE OR REPLACE FUNCTION app.show_participants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public_events SET active_participants = NEW.active_participants
    WHERE organization_id = NEW.organization_id AND event_id = NEW.event_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER show_participants AFTER UPDATE OF active_participants ON event_stats
    FOR EACH ROW WHEN (OLD.active_participants IS DISTINCT FROM NEW.active_participants)
    EXECUTE FUNCTION app.show_participants();
