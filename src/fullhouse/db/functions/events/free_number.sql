-- A free suffix for a slug, the one before it being taken. Found by doubling and bisection: the thousandth event of a
-- series takes twenty index lookups.
CREATE OR REPLACE FUNCTION app.free_number(tbl regclass, org uuid, slug text) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    look text := format('SELECT EXISTS (SELECT FROM %s WHERE organization_id = $1 AND slug = $2)', tbl);
    low integer := 1;
    high integer := 2;
    middle integer;
    taken boolean;
BEGIN
    LOOP
        EXECUTE look INTO taken USING org, slug || '-' || high;
        EXIT WHEN NOT taken;
        low := high;
        high := high * 2;
    END LOOP;
    WHILE high - low > 1 LOOP
        middle := (low + high) / 2;
        EXECUTE look INTO taken USING org, slug || '-' || middle;
        IF taken THEN low := middle; ELSE high := middle; END IF;
    END LOOP;
    RETURN high;
END $$;
