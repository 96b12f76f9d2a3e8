-- Finds the device with this token hash.
CREATE OR REPLACE FUNCTION app.who_has_device(org uuid, hash bytea)
RETURNS TABLE (device_id uuid, name text, rights text[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT d.id, d.name, d.rights
        FROM scan_devices d
        JOIN organizations o ON o.id = d.organization_id
        WHERE d.organization_id = org AND d.token_hash = hash AND d.revoked_at IS NULL AND o.status = 'active';
END $$;
