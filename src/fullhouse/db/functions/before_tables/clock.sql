-- The only clock that decisions use. Tests replace the function to move time; only the owner can.
CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now();
