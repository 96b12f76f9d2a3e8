-- Scans and merges of one show follow each other: their counts are right, and none waits for the other in a circle.
CREATE OR REPLACE FUNCTION app.lock_scans(show uuid) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended('scans:' || show, 0));
