-- Holds: who has which seat or place, until when; and the counted limits.
--
-- The seat's row (event_seats) and the pool's row are the locks and the truth; a hold's row is their history. No pool
-- is oversold on any day: the table refuses it. Locks are taken in one order everywhere: event, people, pools, seats,
-- holds.

-- Every counted limit is such a row: a zone's places, a ticket type's, the event's. An event whose capacity or whose
-- venue's max_capacity is set has a pool of its own, whichever way it sells (docs/adr/0034); triggers on `events` and
-- `venues` keep its capacity the least of them.
CREATE TABLE pools (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('zone', 'ticket_type', 'event')),
    ref_id          uuid NOT NULL,
    capacity        integer NOT NULL CHECK (capacity >= 0),
    held            integer NOT NULL DEFAULT 0 CHECK (held >= 0),   -- held and sold: places that count on every day
    sold            integer NOT NULL DEFAULT 0 CHECK (sold >= 0),
    version         integer NOT NULL DEFAULT 1,   -- counts the changes: of two messages, the newer one is right
    -- An event above its limit has a pool that is as large as what is taken, and shrinks with everything that is given
    -- back until it is at its limit: nothing is sold meanwhile, nothing fails, and `prove` reports it.
    shrinks_to      integer CHECK (shrinks_to BETWEEN 0 AND capacity),
    -- The most that tickets with days of their own (day_places) take on any one day: a pool is not oversold on any day
    -- if it is not on that one.
    day_peak        integer NOT NULL DEFAULT 0 CHECK (day_peak >= 0),
    PRIMARY KEY (organization_id, event_id, kind, ref_id),
    CONSTRAINT pools_never_oversold CHECK (held + sold + day_peak <= capacity),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CALL app.protect('pools');

-- Places without seats are counted per day where a ticket type is valid on some days (docs/adr/0037): of an event's or
-- zone's pool, what is held and sold as tickets of such a type. A row changes under its pool's lock.
CREATE TABLE day_places (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('zone', 'event')),
    ref_id          uuid NOT NULL,
    ticket_type_id  uuid NOT NULL,
    held            integer NOT NULL DEFAULT 0 CHECK (held >= 0),
    sold            integer NOT NULL DEFAULT 0 CHECK (sold >= 0),
    PRIMARY KEY (organization_id, event_id, kind, ref_id, ticket_type_id),
    FOREIGN KEY (organization_id, event_id, kind, ref_id) REFERENCES pools ON DELETE CASCADE,
    FOREIGN KEY (organization_id, ticket_type_id) REFERENCES ticket_types (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX day_places_type ON day_places (organization_id, ticket_type_id);
CALL app.protect('day_places');

-- A seat's state in an event. No foreign key to the organisation: the event's layout has one, and keys are checked row
-- by row.
CREATE TABLE event_seats (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    seat_id         uuid NOT NULL,
    ordinal         integer NOT NULL,
    zone_id         uuid NOT NULL,
    status          text NOT NULL DEFAULT 'available' CHECK (status IN ('available', 'held', 'sold', 'blocked')),
    held_until      timestamptz,
    hold_id         uuid,
    ticket_id       uuid,
    companion_of    uuid,          -- the wheelchair space that this seat accompanies
    reserved_for    uuid,          -- softly, for the person who has that place
    reserved_until  timestamptz,
    version         integer NOT NULL DEFAULT 1,
    PRIMARY KEY (organization_id, event_id, seat_id),
    CHECK ((status = 'held') = (hold_id IS NOT NULL AND held_until IS NOT NULL)),
    CHECK ((status = 'sold') = (ticket_id IS NOT NULL)),
    CHECK ((reserved_for IS NULL) = (reserved_until IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES event_layouts (organization_id, event_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
-- A wheelchair space finds its companions by this; a column that never changes costs no update.
CREATE INDEX event_seats_companions ON event_seats (organization_id, event_id, companion_of)
    WHERE companion_of IS NOT NULL;
CALL app.protect('event_seats');

-- No foreign keys: the statement that writes a row holds the lock of its event, and a key's check costs as much as the
-- row. `prove` checks instead.
-- The primary key begins with the id: before a table is analysed, the planner takes any index that begins with the
-- organisation for as good as the right one, and would count every hold by reading all of them.
CREATE TABLE seat_holds (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    basket_id       uuid NOT NULL,   -- what was asked for together
    user_id         uuid NOT NULL,
    seat_id         uuid,
    zone_id         uuid,            -- the seat's, or the one whose places are held
    ticket_type_id  uuid,            -- in an event without a layout; of a zone's place, if it is held as such a ticket
    quantity        integer NOT NULL DEFAULT 1 CHECK (quantity > 0),
    status          text NOT NULL DEFAULT 'active'
                        CHECK (status IN ('active', 'suspended', 'converted', 'expired', 'cancelled')),
    held_until      timestamptz NOT NULL,   -- infinity while suspended or being paid for
    source          text NOT NULL CHECK (source IN ('web', 'scanner', 'waitlist')),
    network         text,            -- where holds are limited by it
    keyed           boolean NOT NULL DEFAULT false,   -- the basket came with an Idempotency-Key
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    attempt_id      uuid,            -- of the payment; meanwhile the hold does not count down, and nothing ends it
    frozen_at       timestamptz,
    held_before     timestamptz,     -- until when it was held when it was frozen
    PRIMARY KEY (id, organization_id),
    CONSTRAINT seat_holds_place CHECK (
        CASE WHEN seat_id IS NOT NULL THEN zone_id IS NOT NULL AND ticket_type_id IS NULL AND quantity = 1
             ELSE zone_id IS NOT NULL OR ticket_type_id IS NOT NULL END)
) WITH (fillfactor = 80);
CREATE INDEX seat_holds_due ON seat_holds (held_until) WHERE status = 'active';
-- What a person holds now, and how many holds they placed recently.
CREATE INDEX seat_holds_person ON seat_holds (organization_id, user_id, created_at);
-- The next three are partial: rows with a limit by network, an Idempotency-Key, or a waitlist's offer.
CREATE INDEX seat_holds_network ON seat_holds (organization_id, event_id, network)
    WHERE network IS NOT NULL AND status IN ('active', 'suspended');
CREATE INDEX seat_holds_keyed ON seat_holds (organization_id, basket_id) WHERE keyed;
CREATE INDEX seat_holds_offered ON seat_holds (organization_id, basket_id) WHERE source = 'waitlist';
-- Finds the buyer of a sold place.
CREATE INDEX seat_holds_sold ON seat_holds (organization_id, event_id, seat_id)
    WHERE status = 'converted' AND seat_id IS NOT NULL;
-- An event's report counts its holds from end to end (reports/queries.sql). Those that count down are left out
-- of this index, so that placing one does not cost more: they are found by an index of their own, which has nothing
-- else.
CREATE INDEX seat_holds_ended ON seat_holds (organization_id, event_id, created_at) INCLUDE (status, quantity)
    WHERE status <> 'active';
CALL app.protect('seat_holds');
CALL app.let_workers_find('seat_holds');
