-- Adds an event to the directory, which maps events to organisations.
CREATE OR REPLACE FUNCTION app.list_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_directory (event_id, organization_id) VALUES (NEW.id, NEW.organization_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION app.list_event();
