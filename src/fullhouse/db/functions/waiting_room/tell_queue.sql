-- Publishes a change to the other processes over the bus (kit/live/bus.py). Callers limit its size to that of a NOTIFY.
CREATE OR REPLACE FUNCTION app.tell_queue(sender text, event uuid, change jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF sender IS NOT NULL AND change <> '{}' THEN
        PERFORM pg_notify('fullhouse_bus', json_build_array(sender, json_build_array(
            json_build_array('queue:' || event, change)))::text);
    END IF;
END $$;
