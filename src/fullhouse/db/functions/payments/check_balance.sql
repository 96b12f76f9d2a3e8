-- Deferred to the commit, so that the entries of a transaction may be inserted one by one.
CREATE OR REPLACE FUNCTION app.check_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ledger_entries e
               WHERE e.organization_id = NEW.organization_id AND e.transaction_id = NEW.transaction_id
               GROUP BY e.currency HAVING sum(e.amount) <> 0) THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS balanced ON ledger_entries;
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON ledger_entries DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION app.check_balance();
