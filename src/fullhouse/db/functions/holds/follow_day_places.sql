CREATE OR REPLACE FUNCTION app.follow_day_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.follow_day_peak(c.organization_id, c.event_id, c.kind, c.ref_id)
    FROM (SELECT (CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END).*) c;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER follow_day_places AFTER INSERT OR UPDATE OR DELETE ON day_places
    FOR EACH ROW EXECUTE FUNCTION app.follow_day_places();
