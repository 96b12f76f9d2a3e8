-- Refuses to change or delete a layout that is no longer a draft.
CREATE OR REPLACE FUNCTION app.keep_layout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'draft' THEN
        RETURN coalesce(NEW, OLD);
    ELSIF TG_OP = 'DELETE' OR NEW.status = 'draft'
          OR (NEW.document, NEW.geometry, NEW.total_capacity, NEW.seat_count, NEW.family_id, NEW.version)
             IS DISTINCT FROM
             (OLD.document, OLD.geometry, OLD.total_capacity, OLD.seat_count, OLD.family_id, OLD.version) THEN
        RAISE EXCEPTION 'a layout that has left the drafts is fixed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER keep_layout BEFORE UPDATE OR DELETE ON layouts
    FOR EACH ROW EXECUTE FUNCTION app.keep_layout();
