-- For edits the trigger is deferred to the commit: holds/capacity_actions.py checks them first, as it can end overdue
-- holds and refuse with the numbers, and then adjusts the pool itself.
CREATE OR REPLACE FUNCTION app.fit_pool_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.fit_event_pools(NEW.organization_id, ARRAY[NEW.id]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER fit_pool_of_new AFTER INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION app.fit_pool_of_event();
DROP TRIGGER IF EXISTS fit_pool ON events;
CREATE CONSTRAINT TRIGGER fit_pool AFTER UPDATE ON events DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((NEW.capacity IS DISTINCT FROM OLD.capacity OR NEW.venue_id IS DISTINCT FROM OLD.venue_id)
                       AND NEW.status IN ('draft', 'published', 'live', 'postponed'))
    EXECUTE FUNCTION app.fit_pool_of_event();
