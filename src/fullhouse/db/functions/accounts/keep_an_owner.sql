-- An organisation never loses its last owner. The organisation's row is the lock: of two owners who step down
-- concurrently, the second waits, sees that the first is gone, and is refused.
CREATE OR REPLACE FUNCTION app.keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.role <> 'owner' OR OLD.status <> 'active' THEN
        RETURN NULL;
    END IF;
    PERFORM FROM organizations WHERE id = OLD.organization_id FOR NO KEY UPDATE;
    PERFORM FROM users
      WHERE organization_id = OLD.organization_id AND role = 'owner' AND status = 'active';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the last owner cannot step down' USING ERRCODE = 'check_violation', CONSTRAINT = 'last_owner';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_an_owner AFTER UPDATE OF role, status OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION app.keep_an_owner();
