-- A batch of heartbeats, each with when the next one is due. It does not wait for locks: a row that another transaction
-- has locked (a draw locks thousands) is skipped until the next heartbeat; `seen_s` is the one that is stored. An
-- absent person is present again, in the old place; `back` says so.
CREATE OR REPLACE FUNCTION app.queue_heartbeats(org uuid, sender text, event uuid, seqs integer[], everies integer[])
RETURNS TABLE (seq integer, status text, until timestamptz, seen_s integer, back boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    clock timestamptz := app.clock();
    returned integer[];
BEGIN
    PERFORM set_config('app.org', org::text, true);
    WITH alive AS MATERIALIZED (
        SELECT o.seq, o.absent OR o.seen_at <= clock - make_interval(secs => 2 * o.every_s) AS absent, s.every_s
        FROM unnest(seqs, everies) s (seq, every_s)
        JOIN queue_entries o ON o.organization_id = org AND o.event_id = event AND o.seq = s.seq
        WHERE o.status = 'waiting' AND o.expires_at > clock
        FOR UPDATE OF o SKIP LOCKED
    ), heard AS (
        UPDATE queue_entries e SET seen_at = clock, every_s = alive.every_s, absent = false,
            expires_at = CASE WHEN e.expires_at < 'infinity' THEN clock + interval '30 minutes' ELSE e.expires_at END
        FROM alive WHERE e.organization_id = org AND e.event_id = event AND e.seq = alive.seq
        RETURNING e.seq, alive.absent
    )
    SELECT coalesce(array_agg(h.seq) FILTER (WHERE h.absent), '{}') INTO returned FROM heard h;
    PERFORM app.tell_queue(sender, event, app.queue_change(
        NULL, array(SELECT ROW(s, NULL, 7)::app.queue_news FROM unnest(returned) s), false));
    RETURN QUERY
    SELECT e.seq, CASE WHEN e.status IN ('waiting', 'admitted') AND e.expires_at <= clock THEN 'expired'
                       ELSE e.status END,
           CASE WHEN e.expires_at < 'infinity' THEN e.expires_at END, floor(extract(epoch FROM e.seen_at))::integer,
           e.seq = ANY (returned)
    FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event AND e.seq = ANY (seqs);
END $$;
