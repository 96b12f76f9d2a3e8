-- Finds the users of these session tokens, and when the sessions expire. Concurrent requests share one call: at peak
-- load every request begins with this lookup.
CREATE OR REPLACE FUNCTION app.who_have_sessions(org uuid, hashes bytea[])
RETURNS TABLE (token_hash bytea, organization_id uuid, session_id uuid, user_id uuid, name text, role text,
               expires_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('app.org', org::text, true);
    RETURN QUERY
        SELECT s.token_hash, s.organization_id, s.id, u.id, u.name, u.role, s.expires_at
        FROM sessions s
        JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
        JOIN organizations o ON o.id = s.organization_id
        WHERE s.token_hash = ANY (hashes) AND s.revoked_at IS NULL AND s.expires_at > app.clock()
          AND u.status = 'active' AND o.status = 'active';
END $$;
