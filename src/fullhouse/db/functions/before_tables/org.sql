-- The organisation of this transaction, or null: and null equals nothing, so an unset tenant sees no row.
CREATE OR REPLACE FUNCTION app.org() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.org', true), '')::uuid;
