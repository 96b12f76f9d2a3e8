-- Refuses another layout version, or none, once tickets are sold. Only a relocation may change it: it sets
-- `app.relocating` for its transaction.
CREATE OR REPLACE FUNCTION app.keep_event_layout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (TG_OP = 'DELETE' OR NEW.layout_id <> OLD.layout_id)
       AND coalesce(current_setting('app.relocating', true), '') <> OLD.event_id::text
       AND (EXISTS (SELECT FROM event_seats WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                    AND status = 'sold')
            OR EXISTS (SELECT FROM pools WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                       AND sold > 0)
            OR EXISTS (SELECT FROM day_places WHERE organization_id = OLD.organization_id AND event_id = OLD.event_id
                       AND sold > 0)) THEN
        RAISE EXCEPTION 'tickets are sold on this layout' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;

CREATE OR REPLACE TRIGGER keep_event_layout BEFORE UPDATE OR DELETE ON event_layouts
    FOR EACH ROW EXECUTE FUNCTION app.keep_event_layout();
