-- The organisation of this transaction, or null. Null equals nothing, so without a tenant no row is visible.
CREATE OR REPLACE FUNCTION app.org() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.org', true), '')::uuid;
