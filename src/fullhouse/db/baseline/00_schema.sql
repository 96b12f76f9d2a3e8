-- The schemas, and the types that functions exchange with the program and with each other.
--
-- The schema `app` and the roles exist already (kit/db/migrate.py makes them): fullhouse_app serves, fullhouse_worker finds
-- work, fullhouse_auditor reads everything and writes nothing. None of them owns a table. No type here depends on a table,
-- and the program passes each of them by the names of its attributes.

GRANT USAGE ON SCHEMA app TO fullhouse_app, fullhouse_worker, fullhouse_auditor;

-- Deferred work has a schema of its own: from there no tenant table is reachable.
CREATE SCHEMA jobs;
GRANT USAGE ON SCHEMA jobs TO fullhouse_app, fullhouse_worker;


-- Holds --------------------------------------------------------------------------------------------

-- An item of a request: one seat, or a number of places in a pool.
--
-- `most_places`: the most seats and places in one booking. `most_chairs`: given with a wheelchair space only, the most
-- of those. Without a number there is no limit: staff, and what a waitlist offers. `promo_code`: makes hidden ticket
-- types visible. `ticket_type_id`: given with a zone's places that are held as tickets of that type.
CREATE TYPE app.hold_line AS (
    req integer, line integer, event_id uuid, user_id uuid, seat_id uuid, kind text, ref_id uuid, quantity integer,
    hold_id uuid, basket_id uuid, source text, network text, ttl_s integer, per_window integer, most_mine integer,
    most_near integer, keeps_companions boolean, basket_low uuid, basket_high uuid, ip text, user_agent text,
    request_id text, most_places integer, most_chairs integer, promo_code text, ticket_type_id uuid
);

CREATE TYPE app.held_row AS (   -- what `app.hold` returns
    req integer, line integer, outcome text, hold_id uuid, held_until timestamptz, left_s integer, event_id uuid,
    ordinal integer, zone_id uuid, version integer, held integer, sold integer
);


-- Waiting room and waitlist ------------------------------------------------------------------------

-- What changed in a queue, as the queues in memory read it: joined (from, to), admitted (number, until), ended.
CREATE TYPE app.queue_news AS (seq integer, until timestamptz, code integer);

-- What is free for a party: seats, or the pool that has enough places left.
CREATE TYPE app.places AS (seats uuid[], kind text, ref_id uuid);

-- Where a request asks for something that is free: the zones, and the rows of neighbours around the seats. Null:
-- nowhere. Everywhere, if places have no seats and zones to tell them apart by, or share a limit: then both are null in
-- it.
CREATE TYPE app.whereabouts AS (anywhere boolean, zones uuid[], near int4multirange);


-- Scanning -----------------------------------------------------------------------------------------

CREATE TYPE app.scan_ask AS (
    req integer, device_id uuid, counter bigint, gate_id uuid, ticket_id uuid, code text, key_id smallint
);

-- A scan that was decided. One that `counts` moves the ticket from `expected` to the next step, if all that was read is
-- still so; the others are only recorded.
CREATE TYPE app.scan_line AS (
    req integer, scan_id uuid, event_id uuid, ticket_id uuid, device_id uuid, counter bigint, gate_id uuid,
    direction text, admitted boolean, reason text, override text, test boolean, at timestamptz, day date,
    counts boolean, expected integer, event_version integer, gate_version integer, ticket_version integer,
    inside boolean, presence_day date, entries_today integer, entries integer, last_at timestamptz, last_gate_id uuid,
    step integer, count_gate_id uuid, zone_id uuid, gate_capacity integer, zone_capacity integer, uses boolean,
    place_no integer, wants_place boolean, number text, battery smallint, app_version text, device_name text, ip text,
    user_agent text, request_id text
);

-- A merge reads what devices report as rows, and the presence of tickets too.
CREATE TYPE app.told_scan AS (
    id uuid, ticket_id uuid, counter bigint, gate_id uuid, direction text, admitted boolean, reason text, override text,
    test boolean, at timestamptz, day date
);
CREATE TYPE app.stand AS (
    ticket_id uuid, inside boolean, day date, entries_today integer, entries integer, at timestamptz, gate_id uuid
);
