-- Increments the version of a pool with each change, so that of two messages about it the newer one wins. A shrinking
-- pool follows what is taken down to `shrinks_to`.
CREATE OR REPLACE FUNCTION app.count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    IF NEW.shrinks_to IS NOT NULL THEN
        NEW.capacity := least(NEW.capacity, greatest(NEW.shrinks_to, NEW.held + NEW.sold + NEW.day_peak));
        NEW.shrinks_to := CASE WHEN NEW.capacity > NEW.shrinks_to THEN NEW.shrinks_to END;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER count_change BEFORE UPDATE ON pools FOR EACH ROW EXECUTE FUNCTION app.count_change();
