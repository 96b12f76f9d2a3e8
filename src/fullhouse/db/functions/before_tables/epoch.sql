-- The number of the half minute: the order of the feed changes only from one to the next (docs/adr/0013-trending.md).
CREATE OR REPLACE FUNCTION app.epoch() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN floor(extract(epoch FROM app.clock()) / 30)::integer;
