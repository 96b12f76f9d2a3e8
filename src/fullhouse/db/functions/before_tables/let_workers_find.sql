-- Lets workers select a table's rows across organisations. The work itself runs in a transaction of the row's tenant.
CREATE OR REPLACE PROCEDURE app.let_workers_find(tbl regclass, verbs text DEFAULT 'SELECT')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE POLICY finder ON %s TO fullhouse_worker USING (true)', tbl);
    EXECUTE format('GRANT %s ON %s TO fullhouse_worker', verbs, tbl);
END $$;
