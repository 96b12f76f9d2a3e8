-- Puts a tenant table under row-level security. Every table with an organization_id is passed to it.
CREATE OR REPLACE PROCEDURE app.protect(tbl regclass, verbs text DEFAULT 'SELECT, INSERT, UPDATE, DELETE')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
    EXECUTE format('CREATE POLICY tenant ON %s TO fullhouse_app
                    USING (organization_id = app.org()) WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY auditor ON %s FOR SELECT TO fullhouse_auditor USING (true)', tbl);
    EXECUTE format('GRANT %s ON %s TO fullhouse_app', verbs, tbl);
    EXECUTE format('GRANT SELECT ON %s TO fullhouse_auditor', tbl);
END $$;
