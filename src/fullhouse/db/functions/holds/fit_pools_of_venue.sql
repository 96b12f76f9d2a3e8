-- A venue's limit applies to its events that are not over; the others keep their pools.
CREATE OR REPLACE FUNCTION app.fit_pools_of_venue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.fit_event_pools(NEW.organization_id, array(
        SELECT e.id FROM events e
        WHERE e.organization_id = NEW.organization_id AND e.venue_id = NEW.id
          AND e.status IN ('draft', 'published', 'live', 'postponed')
        ORDER BY e.id FOR UPDATE));
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS fit_pools ON venues;
CREATE CONSTRAINT TRIGGER fit_pools AFTER UPDATE ON venues DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.max_capacity IS DISTINCT FROM OLD.max_capacity)
    EXECUTE FUNCTION app.fit_pools_of_venue();
