-- Half a minute: within one, the order stands still.
CREATE OR REPLACE FUNCTION app.epoch() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN floor(extract(epoch FROM app.clock()) / 30)::integer;
