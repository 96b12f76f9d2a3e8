-- Whoever would end, suspend or lengthen a frozen hold finds that there is no such row to change. It is sold, or
-- thawed.
CREATE OR REPLACE FUNCTION app.keep_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;

CREATE OR REPLACE TRIGGER keep_frozen BEFORE UPDATE ON seat_holds FOR EACH ROW
    WHEN (OLD.status = 'active' AND OLD.attempt_id IS NOT NULL AND NEW.attempt_id IS NOT DISTINCT FROM OLD.attempt_id
          AND NEW.status <> 'converted')
    EXECUTE FUNCTION app.keep_frozen();
