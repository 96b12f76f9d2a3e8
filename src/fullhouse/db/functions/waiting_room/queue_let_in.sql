-- Lets people in, as many as there are free slots. The caller has the room's lock, and that is what makes it exact. A
-- slot is free once its row says so: one that somebody else is just prolonging or ending still counts. Whoever has
-- missed two polls is passed over and keeps the place; those near the front are marked, so that nobody counts them
-- among the people ahead. At most 200 at a time, and 100 who are missed, so that it can be told. Of a line that is sold
-- out only the buyers are let in.
CREATE OR REPLACE FUNCTION app.queue_let_in(room queue_rooms, only_buyers boolean) RETURNS app.queue_news[] LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := app.clock();
    taken integer;
    news app.queue_news[];
    inside app.queue_news[];
    missed app.queue_news[];
BEGIN
    -- Materialized: as a mere part of the join it could be asked once a row, and have a new answer each time.
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
        ORDER BY w.place LIMIT least(room.slots - taken, 200) FOR UPDATE   -- a sign of life must not cost a turn
    ), admitted AS (
        UPDATE queue_entries e SET status = 'admitted', admitted_at = clock,
                                   expires_at = clock + make_interval(secs => room.admit_window_s)
        FROM next WHERE e.organization_id = room.organization_id AND e.event_id = room.event_id AND e.seq = next.seq
        RETURNING e.seq, e.expires_at
    )
    SELECT coalesce(array_agg(ROW(seq, expires_at, 2)::app.queue_news), '{}') INTO inside FROM admitted;
    RETURN news || inside;
END $$;
