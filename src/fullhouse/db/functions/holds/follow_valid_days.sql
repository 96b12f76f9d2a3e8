-- A ticket type's days change with the event's: recomputes the day peaks of its pools.
CREATE OR REPLACE FUNCTION app.follow_valid_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.follow_day_peak(c.organization_id, c.event_id, c.kind, c.ref_id)
    FROM (SELECT c.* FROM day_places c WHERE c.organization_id = NEW.organization_id AND c.ticket_type_id = NEW.id
          ORDER BY c.event_id, c.kind, c.ref_id) c;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER follow_valid_days AFTER UPDATE ON ticket_types
    FOR EACH ROW WHEN (NEW.valid_days IS DISTINCT FROM OLD.valid_days)
    EXECUTE FUNCTION app.follow_valid_days();
