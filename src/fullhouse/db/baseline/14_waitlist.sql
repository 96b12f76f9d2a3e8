-- Waitlists: released places are offered to those who wait for them before they are on sale again.
--
-- An offer is a basket of holds like any other, with a longer time: so it takes capacity, is bought at the checkout,
-- and ends like every hold. What an entry says of its offer follows the holds, by trigger: no way of ending one forgets
-- it.
--
-- Locks: event, waitlist, pools, seats, holds, entries. A transaction that serves a waitlist has its row exclusively.

-- Of an event; there is none before somebody joins or the organiser sets one up.
CREATE TABLE waitlists (
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    enabled         boolean NOT NULL DEFAULT true,
    window_s        integer NOT NULL DEFAULT 86400 CHECK (window_s BETWEEN 900 AND 604800),   -- to take an offer
    next_seq        bigint NOT NULL DEFAULT 1,
    -- Who sits beside whom is in the layout's document; these are the ordinals at which chains of neighbours begin,
    -- those of seats that are sold as a whole only (tables), which nobody is offered, and those of wheelchair spaces.
    layout_id       uuid,
    run_starts      integer[] NOT NULL DEFAULT '{}',
    whole_seats     integer[] NOT NULL DEFAULT '{}',
    chair_seats     integer[] NOT NULL DEFAULT '{}',
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CALL app.protect('waitlists');
CALL app.let_workers_find('waitlists');

CREATE TABLE waitlist_entries (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    event_id        uuid NOT NULL,
    seq             bigint NOT NULL,      -- in the order in which people joined: who is first is served first
    user_id         uuid NOT NULL,
    email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    secret_hash     bytea NOT NULL,
    party           smallint NOT NULL CHECK (party BETWEEN 1 AND 10),
    zone_key        text,                 -- null: anywhere. A zone keeps its key when the layout has another version.
    ticket_type_id  uuid,                 -- in an event without a layout; null: any
    accessible      boolean NOT NULL DEFAULT false,
    status          text NOT NULL DEFAULT 'waiting'
                        CHECK (status IN ('waiting', 'offered', 'taken', 'lapsed', 'left')),
    basket_id       uuid,                 -- of the holds that are the offer
    answer_by       timestamptz,
    created_at      timestamptz NOT NULL DEFAULT app.clock(),
    updated_at      timestamptz NOT NULL DEFAULT app.clock(),
    -- What the person waits for, in one word: of ten thousand there are few different ones, and the first of each is
    -- next.
    wish            text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        party::text || '|' || coalesce(zone_key, '') || '|' || coalesce(ticket_type_id::text, '') || '|'
            || accessible::text
    ) STORED,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, event_id, seq),
    CONSTRAINT waitlist_entries_offer UNIQUE (organization_id, basket_id),
    CHECK (zone_key IS NULL OR ticket_type_id IS NULL),
    CHECK (CASE status WHEN 'waiting' THEN basket_id IS NULL WHEN 'left' THEN true ELSE basket_id IS NOT NULL END),
    CHECK ((basket_id IS NULL) = (answer_by IS NULL)),
    FOREIGN KEY (organization_id, event_id) REFERENCES waitlists (organization_id, event_id) ON DELETE CASCADE
) WITH (fillfactor = 80);
-- One of a person in an event, by account and by address.
CREATE UNIQUE INDEX waitlist_entries_person ON waitlist_entries (organization_id, event_id, user_id)
    WHERE status IN ('waiting', 'offered');
CREATE UNIQUE INDEX waitlist_entries_address ON waitlist_entries (organization_id, event_id, lower(email))
    WHERE status IN ('waiting', 'offered');
-- Every hold of a seat checks here whether anybody waits.
CREATE INDEX waitlist_entries_next ON waitlist_entries (organization_id, event_id, seq) WHERE status = 'waiting';
CREATE INDEX waitlist_entries_wishes ON waitlist_entries (organization_id, event_id, wish, seq)
    WHERE status = 'waiting';
CREATE INDEX waitlist_entries_mine ON waitlist_entries (organization_id, user_id, event_id, seq);
CREATE UNIQUE INDEX waitlist_entries_secret ON waitlist_entries (organization_id, secret_hash);
CALL app.protect('waitlist_entries', 'SELECT, INSERT, UPDATE');
CALL app.let_workers_find('waitlist_entries');
