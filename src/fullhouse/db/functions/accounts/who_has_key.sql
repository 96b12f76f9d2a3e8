-- Finds the API key with this token hash.
CREATE OR REPLACE FUNCTION app.who_has_key(org uuid, hash bytea)
RETURNS TABLE (key_id uuid, name text, scopes text[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT k.id, k.name, k.scopes
        FROM api_keys k
        JOIN organizations o ON o.id = k.organization_id
        WHERE k.token_hash = hash AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > app.clock()) AND o.status = 'active';
END $$;
