-- A lower rank is hotter, so that it sorts in the same direction as the start and id after it. An event that is a month
-- nearer counts as twice as hot.
CREATE OR REPLACE FUNCTION app.rank(heat double precision, start_at timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN extract(epoch FROM start_at - timestamptz '2025-01-01 00:00+00')::double precision / (30 * 86400) - heat;
