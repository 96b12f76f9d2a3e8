-- Of these people, each with or without a code: those who hold something of a sold-out event, or have a code that still
-- sells tickets.
CREATE OR REPLACE FUNCTION app.buyers_of(org uuid, event uuid, people uuid[], codes text[]) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(u.user_id), '{}')
    FROM unnest(people, codes) u (user_id, code)
    WHERE u.code IN (SELECT d.code FROM (SELECT DISTINCT unnest(codes) AS code) d
                     WHERE app.code_sells(org, event, d.code))
       OR EXISTS (SELECT FROM seat_holds h WHERE h.organization_id = org AND h.user_id = u.user_id
                  AND h.event_id = event AND h.status IN ('active', 'suspended') AND h.held_until > app.clock())
$$;
