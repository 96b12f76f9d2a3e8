-- Sends changes of events by NOTIFY, in as few messages as possible. A change that is too long for a NOTIFY is replaced
-- by null: receivers then reload the event.
CREATE OR REPLACE FUNCTION app.tell_shows(sender text, news json[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT integer := 7800;
    one json;
    word text;
    packed text := '';
BEGIN
    FOREACH one IN ARRAY news LOOP
        word := CASE WHEN octet_length(one::text) > most THEN json_build_array(one -> 0, NULL) ELSE one END;
        IF packed <> '' AND octet_length(packed) + octet_length(word) > most THEN
            PERFORM pg_notify('fullhouse_bus', format('[%s,[%s]]', to_json(sender), packed));
            packed := '';
        END IF;
        packed := concat_ws(',', nullif(packed, ''), word);
    END LOOP;
    IF packed <> '' THEN
        PERFORM pg_notify('fullhouse_bus', format('[%s,[%s]]', to_json(sender), packed));
    END IF;
END $$;
