-- What changed, as the lines in memory read it: who joined (`j`; with a third number where a line that is sold out goes on
-- for them), was admitted (`a`) and ended (`e`), who is missed (`g`) and has come back (`b`), for whom a line that is sold
-- out goes on (`s` with 1) and no longer does (`s` with 0), and whether the room itself changed (`r`).
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
