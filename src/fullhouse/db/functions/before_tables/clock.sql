-- The one clock. Tests replace the function to move time; nobody but the owner can.
CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now();
