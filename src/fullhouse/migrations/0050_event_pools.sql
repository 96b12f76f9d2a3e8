-- One capacity rule (docs/adr/0034): an event whose capacity or whose venue's max_capacity is set has a pool of its own,
-- whichever way it sells. Its capacity is the least of them. The triggers below keep it so, whoever writes.

-- The least of the two limits; null where neither is set.
CREATE FUNCTION app.event_limit(org uuid, event uuid) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT least(nullif(e.capacity, 0), nullif(v.max_capacity, 0))
    FROM events e LEFT JOIN venues v ON v.organization_id = e.organization_id AND v.id = e.venue_id
    WHERE e.organization_id = org AND e.id = event
$$;

-- What is held and sold of an event, by the holds and tickets themselves. A hold counts until its row says that it ended,
-- as it does in every pool.
CREATE FUNCTION app.taken_places(org uuid, event uuid) RETURNS TABLE (held bigint, sold bigint) LANGUAGE sql STABLE AS $$
    SELECT (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'active')
         + (SELECT coalesce(sum(h.quantity), 0) FROM seat_holds h   -- apart: each of the two has its index
            WHERE h.organization_id = org AND h.event_id = event AND h.status = 'suspended'),
           (SELECT count(*) FROM tickets t
            WHERE t.organization_id = org AND t.event_id = event AND t.status IN ('valid', 'used'))
$$;

-- An event that was above its limit before there was a pool has one that is as large as what is taken, and shrinks with
-- everything that is given back until it is at its limit: nothing is sold meanwhile, nothing fails, and `prove` says so.
ALTER TABLE pools ADD COLUMN shrinks_to integer CHECK (shrinks_to BETWEEN 0 AND capacity);

CREATE OR REPLACE FUNCTION app.count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    IF NEW.shrinks_to IS NOT NULL THEN
        NEW.capacity := least(NEW.capacity, greatest(NEW.shrinks_to, NEW.held + NEW.sold));
        NEW.shrinks_to := CASE WHEN NEW.capacity > NEW.shrinks_to THEN NEW.shrinks_to END;
    END IF;
    RETURN NEW;
END $$;

-- Gives events the pool that their limits ask for, or takes it away. The caller has their rows locked: nobody takes a
-- place meanwhile. Below what is taken, the table itself refuses (pools_never_oversold).
CREATE FUNCTION app.fit_event_pools(org uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pools p
    WHERE p.organization_id = org AND p.event_id = ANY (ids) AND p.kind = 'event'
      AND app.event_limit(org, p.event_id) IS NULL;
    UPDATE pools p
    SET capacity = CASE WHEN p.shrinks_to IS NULL THEN e.most ELSE greatest(e.most, p.held + p.sold) END,
        shrinks_to = CASE WHEN p.shrinks_to IS NOT NULL AND p.held + p.sold > e.most THEN e.most END
    FROM (SELECT i.id, app.event_limit(org, i.id) AS most FROM unnest(ids) i (id)) e
    WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event'
      AND coalesce(p.shrinks_to, p.capacity) <> e.most;
    INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity, held, sold)
    SELECT org, e.id, 'event', e.id, app.event_limit(org, e.id), t.held, t.sold
    FROM unnest(ids) e (id) CROSS JOIN LATERAL app.taken_places(org, e.id) t
    WHERE app.event_limit(org, e.id) IS NOT NULL
      AND NOT EXISTS (SELECT FROM pools p WHERE p.organization_id = org AND p.event_id = e.id AND p.kind = 'event');
END $$;

-- The events there are. Nobody counts while a migration runs, and it must not fail where something was oversold before.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE venues NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pools NO FORCE ROW LEVEL SECURITY;
ALTER TABLE seat_holds NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tickets NO FORCE ROW LEVEL SECURITY;
DELETE FROM pools p WHERE p.kind = 'event' AND app.event_limit(p.organization_id, p.event_id) IS NULL;
WITH limited AS (
    SELECT e.organization_id, e.id, app.event_limit(e.organization_id, e.id) AS most, t.held, t.sold
    FROM events e CROSS JOIN LATERAL app.taken_places(e.organization_id, e.id) t
)
INSERT INTO pools AS p (organization_id, event_id, kind, ref_id, capacity, held, sold, shrinks_to)
SELECT organization_id, id, 'event', id, greatest(most, held + sold), held, sold, CASE WHEN held + sold > most THEN most END
FROM limited WHERE most IS NOT NULL
ON CONFLICT (organization_id, event_id, kind, ref_id) DO UPDATE
SET capacity = excluded.capacity, held = excluded.held, sold = excluded.sold, shrinks_to = excluded.shrinks_to;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE venues FORCE ROW LEVEL SECURITY;
ALTER TABLE pools FORCE ROW LEVEL SECURITY;
ALTER TABLE seat_holds FORCE ROW LEVEL SECURITY;
ALTER TABLE tickets FORCE ROW LEVEL SECURITY;

-- Edits are deferred to the commit: they are judged first, by the domain that can end overdue holds and has the numbers
-- for a refusal (holds/capacity_actions.py), and which then fits the pool itself.
CREATE FUNCTION app.fit_pool_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.fit_event_pools(NEW.organization_id, ARRAY[NEW.id]);
    RETURN NULL;
END $$;
CREATE TRIGGER fit_pool_of_new AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION app.fit_pool_of_event();
CREATE CONSTRAINT TRIGGER fit_pool AFTER UPDATE ON events DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN ((NEW.capacity, NEW.venue_id) IS DISTINCT FROM (OLD.capacity, OLD.venue_id)
                       AND NEW.status IN ('draft', 'published', 'live', 'postponed'))
    EXECUTE FUNCTION app.fit_pool_of_event();

-- A venue's limit is that of all its events that are not over; the others keep what they had.
CREATE FUNCTION app.fit_pools_of_venue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.fit_event_pools(NEW.organization_id, array(
        SELECT e.id FROM events e
        WHERE e.organization_id = NEW.organization_id AND e.venue_id = NEW.id
          AND e.status IN ('draft', 'published', 'live', 'postponed')
        ORDER BY e.id FOR UPDATE));
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER fit_pools AFTER UPDATE ON venues DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.max_capacity IS DISTINCT FROM OLD.max_capacity)
    EXECUTE FUNCTION app.fit_pools_of_venue();
