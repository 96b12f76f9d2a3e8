-- The lower the hotter, so that it sorts like the start and the id behind it. A show a month nearer is twice as hot.
CREATE OR REPLACE FUNCTION app.rank(heat double precision, start_at timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN extract(epoch FROM start_at - timestamptz '2025-01-01 00:00+00')::double precision / (30 * 86400) - heat;
