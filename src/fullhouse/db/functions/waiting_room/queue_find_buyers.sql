-- Recomputes who can still buy in the queue of a sold-out event: of those who could or have a code, and of these
-- people. The caller has locked the room. Marks at most 100 changes, so that they fit into one message.
CREATE OR REPLACE FUNCTION app.queue_find_buyers(org uuid, event uuid, people uuid[]) RETURNS app.queue_news[]
LANGUAGE plpgsql AS $$
DECLARE
    news app.queue_news[];
BEGIN
    WITH known AS MATERIALIZED (
        SELECT k.seq, k.user_id, k.promo_code, k.is_buyer FROM queue_entries k
        WHERE k.organization_id = org AND k.event_id = event AND k.status = 'waiting'
          AND (k.is_buyer OR k.promo_code IS NOT NULL)
        UNION
        SELECT k.seq, k.user_id, k.promo_code, k.is_buyer FROM queue_entries k
        WHERE k.organization_id = org AND k.event_id = event AND k.status = 'waiting' AND k.user_id = ANY (people)
    ), found AS MATERIALIZED (
        SELECT app.buyers_of(org, event, array_agg(k.user_id), array_agg(k.promo_code)) AS buyers FROM known k
    ), other AS MATERIALIZED (
        SELECT o.seq FROM queue_entries o
        WHERE o.organization_id = org AND o.event_id = event AND o.status = 'waiting' AND o.seq IN (
            SELECT k.seq FROM known k, found f WHERE k.is_buyer <> (k.user_id = ANY (f.buyers)))
        LIMIT 100 FOR UPDATE SKIP LOCKED
    ), marked AS (
        UPDATE queue_entries e SET is_buyer = NOT e.is_buyer FROM other
        WHERE e.organization_id = org AND e.event_id = event AND e.seq = other.seq
        RETURNING e.seq, e.is_buyer
    )
    SELECT coalesce(array_agg(ROW(seq, NULL, 8 + is_buyer::integer)::app.queue_news), '{}') INTO news FROM marked;
    RETURN news;
END $$;
