-- Skips every update that would end, suspend or extend a frozen hold: the statement affects no row. A frozen hold is
-- only sold or thawed.
CREATE OR REPLACE FUNCTION app.keep_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;

CREATE OR REPLACE TRIGGER keep_frozen BEFORE UPDATE ON seat_holds FOR EACH ROW
    WHEN (OLD.status = 'active' AND OLD.attempt_id IS NOT NULL AND NEW.attempt_id IS NOT DISTINCT FROM OLD.attempt_id
          AND NEW.status <> 'converted')
    EXECUTE FUNCTION app.keep_frozen();
