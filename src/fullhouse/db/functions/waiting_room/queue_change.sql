-- A change in the form that the virtual queues in memory apply: numbers that joined (`j`; with a third number if they
-- can buy although the event is sold out), were admitted (`a`), ended (`e`), became absent (`g`), became present again
-- (`b`), can buy although the event is sold out (`s` with 1) or no longer can (`s` with 0); and whether the room
-- changed (`r`).
CREATE OR REPLACE FUNCTION app.queue_change(joined integer[], news app.queue_news[], room_too boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'j', CASE WHEN joined[1] <= joined[2] THEN joined END,
        'a', jsonb_agg(jsonb_build_array(n.seq, floor(extract(epoch FROM n.until) * 1000)::bigint))
             FILTER (WHERE n.code = 2),
        'e', jsonb_agg(jsonb_build_array(n.seq, n.code)) FILTER (WHERE n.code BETWEEN 3 AND 5),
        'g', jsonb_agg(n.seq) FILTER (WHERE n.code = 6),
        'b', jsonb_agg(n.seq) FILTER (WHERE n.code = 7),
        's', jsonb_agg(jsonb_build_array(n.seq, n.code - 8)) FILTER (WHERE n.code IN (8, 9)),
        'r', CASE WHEN room_too THEN 1 END))
    FROM unnest(news) n
$$;
