-- Admits people, called after a slot became free and by the loop. Returns what changed (app.queue_change).
CREATE OR REPLACE FUNCTION app.queue_admit(org uuid, sender text, event uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    room queue_rooms;
    gone boolean;
    news app.queue_news[] := '{}';
    change jsonb;
BEGIN
    PERFORM set_config('app.org', org::text, true);
    SELECT * INTO room FROM queue_rooms WHERE organization_id = org AND event_id = event FOR UPDATE;
    IF NOT FOUND OR room.state = 'closed' OR app.why_no_queue(org, event, room.state) IS NOT NULL THEN
        RETURN '{}';
    END IF;
    gone := app.is_sold_out(org, event);
    IF gone <> room.sold_out THEN
        UPDATE queue_rooms SET sold_out = gone, version = version + 1
        WHERE organization_id = org AND event_id = event;
    END IF;
    IF gone THEN
        news := app.queue_find_buyers(org, event, '{}');
    END IF;
    IF NOT gone OR EXISTS (SELECT FROM queue_entries e WHERE e.organization_id = org AND e.event_id = event
                           AND e.status = 'waiting' AND e.is_buyer) THEN
        news := news || app.queue_let_in(room, gone);
    END IF;
    change := app.queue_change(NULL, news, gone <> room.sold_out);
    PERFORM app.tell_queue(sender, event, change);
    RETURN change;
END $$;
