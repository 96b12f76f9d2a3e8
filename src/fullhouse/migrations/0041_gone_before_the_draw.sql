-- Whoever gathers before a sale and is gone when it opens is passed over like everybody who is silent, and keeps the
-- place. So signs of life are written down while people gather, too, and the draw leaves them as they are.

-- Signs of life, many at a time. Nobody is waited for: a row that somebody else has in hand, as a draw has thousands, is
-- heard of next time. `seen_s` says when it last was, so that nobody believes it has been who was not.
DROP FUNCTION app.queue_heartbeats(uuid, uuid, integer[]);
CREATE FUNCTION app.queue_heartbeats(org uuid, event uuid, seqs integer[])
RETURNS TABLE (seq integer, status text, until timestamptz, seen_s integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
BEGIN
    PERFORM set_config('app.org', org::text, true);
    WITH alive AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.seq = ANY (seqs) AND o.status = 'waiting'
          AND o.expires_at > clock
        FOR UPDATE SKIP LOCKED
    )
    UPDATE queue_entries e SET seen_at = clock,
        expires_at = CASE WHEN e.expires_at < 'infinity' THEN clock + interval '30 minutes' ELSE e.expires_at END
    FROM alive WHERE e.organization_id = org AND e.event_id = event AND e.seq = alive.seq;
    RETURN QUERY
    SELECT e.seq, CASE WHEN e.status IN ('waiting', 'admitted') AND e.expires_at <= clock THEN 'expired'
                       ELSE e.status END,
           CASE WHEN e.expires_at < 'infinity' THEN e.expires_at END, floor(extract(epoch FROM e.seen_at))::integer
    FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event AND e.seq = ANY (seqs);
END $$;
