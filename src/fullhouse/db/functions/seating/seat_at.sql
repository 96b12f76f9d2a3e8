-- A seat's id is its layout's id with the ordinal in the last 32 bits (seating/plans/chart.py): neighbouring seats are
-- adjacent in the primary key.
CREATE OR REPLACE FUNCTION app.seat_at(layout uuid, ordinal integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (left(layout::text, 28) || lpad(to_hex(ordinal), 8, '0'))::uuid
$$;
