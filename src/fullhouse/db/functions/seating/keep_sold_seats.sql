-- Refuses to delete sold seats, except in a relocation.
CREATE OR REPLACE FUNCTION app.keep_sold_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone WHERE status = 'sold'
               AND coalesce(current_setting('app.relocating', true), '') <> event_id::text) THEN
        RAISE EXCEPTION 'a sold seat stays' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_sold_seats AFTER DELETE ON event_seats REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_sold_seats();
