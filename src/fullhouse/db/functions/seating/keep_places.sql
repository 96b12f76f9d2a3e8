-- Refuses new or deleted zones, seats and groups of a layout that is no longer a draft. Per statement, because a layout
-- may have a hundred thousand seats; with a row lock, so that nobody activates the layout before the commit.
CREATE OR REPLACE FUNCTION app.keep_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT bool_or(locked.status <> 'draft') FROM (
            SELECT l.status FROM layouts l
            WHERE (l.organization_id, l.id) IN (SELECT DISTINCT t.organization_id, t.layout_id FROM touched t)
            FOR SHARE) AS locked) THEN
        RAISE EXCEPTION 'a layout that has left the drafts is fixed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_new AFTER INSERT ON zones REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
CREATE OR REPLACE TRIGGER keep_old AFTER DELETE ON zones REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
CREATE OR REPLACE TRIGGER keep_new AFTER INSERT ON seats REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
CREATE OR REPLACE TRIGGER keep_old AFTER DELETE ON seats REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
CREATE OR REPLACE TRIGGER keep_new AFTER INSERT ON seat_groups REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
CREATE OR REPLACE TRIGGER keep_old AFTER DELETE ON seat_groups REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();
