-- The waiting room: who may choose and buy now.
--
-- A waiting room's row is the lock of all admissions; an entry's row is a place in the queue, and while it says
-- `admitted` it is a slot. A person has one place at a time. Locks: event, waiting room, entries; never the other way.

CREATE TABLE queue_rooms (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    mode            text NOT NULL DEFAULT 'auto' CHECK (mode IN ('auto', 'on', 'off')),
    state           text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'pre', 'open', 'paused', 'draining')),
    slots           integer NOT NULL DEFAULT 5 CHECK (slots BETWEEN 1 AND 10000),
    slots_since     timestamptz NOT NULL DEFAULT app.clock(),   -- a lower limit puts nobody out
    admit_window_s  integer NOT NULL DEFAULT 120 CHECK (admit_window_s BETWEEN 30 AND 1800),
    opens_at        timestamptz,                                -- the end of the pre-queue
    next_seq        integer NOT NULL DEFAULT 1,
    sold_out        boolean NOT NULL DEFAULT false,             -- as the last admission saw it
    -- The draw: the hash is public from the beginning; the seed is sealed until the queue opens, then it is public too.
    seed_hash       bytea,
    sealed_seed     bytea,
    seed            bytea,
    tickets         integer,      -- how many numbers took part
    drawn           boolean NOT NULL DEFAULT true,              -- every number that took part has its place
    version         integer NOT NULL DEFAULT 1,
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id),
    CHECK (state <> 'pre' OR opens_at IS NOT NULL AND sealed_seed IS NOT NULL),
    CHECK ((seed IS NULL) = (tickets IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX queue_rooms_at_work ON queue_rooms (organization_id) WHERE state <> 'closed';
CALL app.protect('queue_rooms');
CALL app.let_workers_find('queue_rooms');

-- `seq` is the number that a person got, dense and for good; `place` is where it stands in the queue: the same number,
-- or what the draw made of it. No foreign keys: a row is written under the lock of its waiting room.
--
-- A person who joins a queue and vanishes is not offered a slot, and nobody waits for them: after two missed heartbeats
-- they are passed over, and keep the place.
CREATE TABLE queue_entries (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    seq             integer NOT NULL,
    place           integer,                 -- null until it is drawn
    user_id         uuid NOT NULL,
    status          text NOT NULL CHECK (status IN ('waiting', 'admitted', 'expired', 'left', 'done')),
    joined_at       timestamptz NOT NULL,
    seen_at         timestamptz NOT NULL,    -- the last heartbeat that was written
    expires_at      timestamptz NOT NULL,    -- of the place; of the slot, once admitted. Infinity in the pre-queue.
    admitted_at     timestamptz,
    ended_at        timestamptz,
    cooldown_until  timestamptz,
    every_s         smallint NOT NULL DEFAULT 240 CHECK (every_s > 0),   -- from a heartbeat to when the next one is due
    absent          boolean NOT NULL DEFAULT false,   -- published, so that queues in memory count those who are present
    PRIMARY KEY (organization_id, event_id, seq),
    CHECK (status <> 'admitted' OR admitted_at IS NOT NULL)
) WITH (fillfactor = 80);
-- A person has one place at a time.
CREATE UNIQUE INDEX queue_entries_live ON queue_entries (organization_id, event_id, user_id)
    WHERE status IN ('waiting', 'admitted');
CREATE UNIQUE INDEX queue_entries_line ON queue_entries (organization_id, event_id, place) WHERE status = 'waiting';
CREATE INDEX queue_entries_slots ON queue_entries (organization_id, event_id) WHERE status = 'admitted';
CREATE INDEX queue_entries_due ON queue_entries (expires_at) WHERE status IN ('waiting', 'admitted');
CREATE INDEX queue_entries_cooling ON queue_entries (organization_id, event_id, user_id)
    WHERE cooldown_until IS NOT NULL;
CREATE INDEX queue_entries_there ON queue_entries (organization_id, event_id, place)
    WHERE status = 'waiting' AND NOT absent;
CALL app.protect('queue_entries', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('queue_entries');
