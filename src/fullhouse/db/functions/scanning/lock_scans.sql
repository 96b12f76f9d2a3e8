-- Serialises scans and merges of one event, so that counts are exact and no deadlock arises.
CREATE OR REPLACE FUNCTION app.lock_scans(show uuid) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended('scans:' || show, 0));
