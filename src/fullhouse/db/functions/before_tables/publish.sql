-- Makes a table public: every role reads all of it, an organisation writes its own rows. Used for `public_events`.
CREATE OR REPLACE PROCEDURE app.publish(tbl regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
    EXECUTE format('CREATE POLICY directory ON %s FOR SELECT USING (true)', tbl);
    EXECUTE format('CREATE POLICY listing ON %s FOR INSERT TO fullhouse_app
                    WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY changing ON %s FOR UPDATE TO fullhouse_app
                    USING (organization_id = app.org()) WITH CHECK (organization_id = app.org())', tbl);
    EXECUTE format('CREATE POLICY removing ON %s FOR DELETE TO fullhouse_app USING (organization_id = app.org())', tbl);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO fullhouse_app', tbl);
    EXECUTE format('GRANT SELECT ON %s TO fullhouse_auditor', tbl);
END $$;
