-- Makes tables append-only: refuses every update, delete and truncate.
CREATE OR REPLACE FUNCTION app.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% rows are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_transactions
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER keep_all BEFORE UPDATE ON zones FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER keep_all BEFORE UPDATE ON seats FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE OR REPLACE TRIGGER keep_all BEFORE UPDATE ON seat_groups FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
