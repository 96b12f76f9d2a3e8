-- SECURITY DEFINER, because the roles that call it own no tables. It has no parameters and returns only a count.
CREATE OR REPLACE FUNCTION app.make_audit_months() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    month date;
    made  integer := 0;
    name  text;
BEGIN
    FOR ahead IN 0..3 LOOP
        month := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date;
        name := 'audit_log_' || to_char(month, 'YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE public.%I PARTITION OF public.audit_log FOR VALUES FROM (%L) TO (%L)', name,
                           month || ' 00:00+00', (month + interval '1 month')::date || ' 00:00+00');
        EXCEPTION WHEN check_violation THEN
            CONTINUE;  -- the catch-all has rows of that month already: they stay there, all of them
        END;
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', name);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;

REVOKE EXECUTE ON FUNCTION app.make_audit_months() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app.make_audit_months() TO fullhouse_worker;
