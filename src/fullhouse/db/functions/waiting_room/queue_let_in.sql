-- Admits as many people as there are free slots. The caller has locked the room, which makes the number exact. A slot
-- is free once its row says so: one that another transaction is just extending or ending still counts. People who
-- missed two heartbeats are skipped and keep their place; near the front they are marked as absent, so that they are
-- not counted among the people ahead. At most 200 are admitted and 100 marked at a time, so that they fit into one
-- message. Of a sold-out event, only people who can still buy are admitted.
CREATE OR REPLACE FUNCTION app.queue_let_in(room queue_rooms, only_buyers boolean) RETURNS app.queue_news[] LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    taken integer;
    news app.queue_news[];
    inside app.queue_news[];
    missed app.queue_news[];
BEGIN
    -- Materialized: inlined into the join, it could run once for each row, with different results.
    WITH overdue AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = room.organization_id AND o.event_id = room.event_id AND o.status = 'admitted'
          AND o.expires_at <= clock
        LIMIT 200 FOR UPDATE SKIP LOCKED
    ), ended AS (
        UPDATE queue_entries e SET status = 'expired', ended_at = clock FROM overdue
        WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = overdue.seq
        RETURNING e.seq
    )
    SELECT coalesce(array_agg(ROW(seq, NULL, 3)::app.queue_news), '{}') INTO news FROM ended;

    IF room.state IN ('open', 'draining', 'paused') AND room.drawn AND cardinality(news) <= 50 THEN
        WITH near AS MATERIALIZED (
            SELECT w.seq, w.seen_at, w.every_s FROM queue_entries w
            WHERE w.organization_id = room.organization_id AND w.event_id = room.event_id AND w.status = 'waiting'
              AND NOT w.absent
            ORDER BY w.place LIMIT 5000
        ), gone AS MATERIALIZED (
            SELECT o.seq FROM queue_entries o
            WHERE o.organization_id = room.organization_id AND o.event_id = room.event_id AND o.status = 'waiting'
              AND o.seq IN (SELECT seq FROM near WHERE seen_at <= clock - make_interval(secs => 2 * every_s))
            LIMIT 100 FOR UPDATE SKIP LOCKED
        ), marked AS (
            UPDATE queue_entries e SET absent = true FROM gone
            WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = gone.seq
              AND e.seen_at <= clock - make_interval(secs => 2 * e.every_s)
            RETURNING e.seq
        )
        SELECT coalesce(array_agg(ROW(seq, NULL, 6)::app.queue_news), '{}') INTO missed FROM marked;
        news := news || missed;
    END IF;

    SELECT count(*) INTO taken FROM queue_entries
    WHERE organization_id = room.organization_id AND event_id = room.event_id AND status = 'admitted';
    IF taken >= room.slots OR room.state NOT IN ('open', 'draining') OR NOT room.drawn THEN
        RETURN news;
    END IF;
    WITH next AS MATERIALIZED (
        SELECT w.seq FROM queue_entries w
        WHERE w.organization_id = room.organization_id AND w.event_id = room.event_id AND w.status = 'waiting'
          AND NOT w.absent AND w.seen_at > clock - make_interval(secs => 2 * w.every_s) AND w.expires_at > clock
          AND (w.is_buyer OR NOT only_buyers)
        ORDER BY w.place LIMIT least(room.slots - taken, 200) FOR UPDATE   -- waits: a heartbeat must not cost a turn
    ), admitted AS (
        UPDATE queue_entries e SET status = 'admitted', admitted_at = clock,
                                   expires_at = clock + make_interval(secs => room.admit_window_s)
        FROM next WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = next.seq
        RETURNING e.seq, e.expires_at
    )
    SELECT coalesce(array_agg(ROW(seq, expires_at, 2)::app.queue_news), '{}') INTO inside FROM admitted;
    RETURN news || inside;
END $$;
